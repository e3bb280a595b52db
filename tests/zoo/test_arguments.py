"""Arguments of every kind are recorded as arguments."""

import dataclasses
import enum
from collections import UserDict, namedtuple
from collections.abc import Mapping

import numpy as np
import pytest
import torch
from recorded_whole import names, recorded
from torch import nn

from cutaway.tree import encode

pytestmark = pytest.mark.zoo

Pair = namedtuple("Pair", "left right")


@dataclasses.dataclass
class Batch:
    tokens: torch.Tensor
    name: str


class Mode(enum.IntEnum):
    FAST = 3


class Anything(nn.Module):
    def forward(self, x, how, flag, count, options, nothing, *more, scale=1.0, **rest):
        return x * scale + more[0] + options["shift"] + rest["extra"][0]


def test_positional_and_keyword_arguments_are_named_by_the_signature() -> None:
    x = torch.ones(2)
    options = {"shift": x + 1, "deep": [1, None]}
    record = recorded(Anything(), x, "text", True, 3, options, None, x + 2, scale=2.5, extra=(x + 3,))
    assert names(record, "input") == ["x", "options.shift", "more[0]", "extra[0]"]
    inputs = record.graphs[0].inputs
    assert inputs["args"][1:4] == ["text", True, 3]
    assert inputs["args"][4] == {"dict": [["shift", {"value": 1}], ["deep", [1, None]]]}
    assert inputs["args"][5:] == [None, {"value": 2}]
    assert inputs["kwargs"] == {"scale": 2.5, "extra": {"tuple": [{"value": 3}]}}


class KeywordOnly(nn.Module):
    def forward(self, *, states, mask=None):
        return states[0] + states[1]


def test_a_forward_with_keywords_only_is_recorded() -> None:
    record = recorded(KeywordOnly(), states=[torch.ones(1), torch.ones(1)])
    assert names(record, "input") == ["states[0]", "states[1]"]
    assert record.graphs[0].inputs["args"] == []


@pytest.mark.parametrize(
    ("argument", "tree"),
    [
        (2**53 + 1, {"int": "9007199254740993"}),
        (float("inf"), {"float": "inf"}),
        (-float("inf"), {"float": "-inf"}),
        (float("nan"), {"float": "nan"}),
        (1 + 2j, {"complex": [1.0, 2.0]}),
        (slice(1, None, 2), {"slice": [1, None, 2]}),
        (..., {"ellipsis": True}),
        (torch.float16, {"dtype": "float16"}),
        (torch.device("cpu"), {"device": "cpu"}),
        (torch.strided, {"layout": "strided"}),
        (torch.channels_last, {"memory_format": "channels_last"}),
        (torch.Size([2, 3]), {"tuple": [2, 3]}),
        (np.int64(7), 7),
        (np.float32(0.5), 0.5),
        (Mode.FAST, 3),
        (Pair(1, "b"), {"object": "Pair", "fields": [["left", 1], ["right", "b"]]}),
        ({1: (2,)}, {"dict": [[1, {"tuple": [2]}]]}),
        (object(), {"opaque": "object"}),
        ((), {"tuple": []}),
    ],
)
def test_an_argument_that_is_no_tensor_is_written_down(argument, tree) -> None:
    record = recorded(lambda x, other: x + 1, torch.ones(1), argument)
    assert record.graphs[0].inputs["args"][1] == tree


@pytest.mark.parametrize(
    ("argument", "name"),
    [
        (Batch(torch.ones(1), "b"), "batch.tokens"),
        (Pair(1, torch.ones(1)), "batch.right"),
        (UserDict(tokens=torch.ones(1)), "batch.tokens"),
        (((torch.ones(1),),), "batch[0][0]"),
    ],
)
def test_a_tensor_inside_an_argument_is_an_input_named_by_its_place(argument, name) -> None:
    def model(batch):
        if isinstance(batch, Batch):
            return batch.tokens + 1
        if isinstance(batch, Pair):
            return batch.right + 1
        return (batch["tokens"] if isinstance(batch, Mapping) else batch[0][0]) + 1

    record = recorded(model, argument)
    assert names(record, "input") == [name]
    assert record.array("example", "output").tolist() == [2]


class Cached(nn.Module):
    def forward(self, x, cache):
        if isinstance(cache, list):
            cache.append(x * 2)
            return sum(cache)
        if isinstance(cache, dict):
            cache["k"] = torch.cat([cache["k"], x]) if "k" in cache else x * 2
            return cache["k"].sum()
        cache.tokens = x * 2 if cache.tokens is None else cache.tokens + x
        cache.name += "!"
        return cache.tokens + len(cache.name)


class Plain:
    def __init__(self) -> None:
        self.tokens, self.name = None, ""


@pytest.mark.parametrize("make", [list, dict, lambda: {"k": torch.ones(3)}, lambda: Batch(None, ""), Plain])
def test_a_cache_that_the_model_fills_is_recorded_as_it_was_given_and_left_so(make) -> None:
    cache, given = make(), encode(make(), lambda tensor, path: 1)
    record = recorded(Cached(), torch.ones(2), cache)
    assert record.graphs[0].inputs["args"][1] == given
    assert record.plain_run == {"equal": True, "largest_difference": 0.0}
    assert encode(cache, lambda tensor, path: 1) == given
    assert getattr(cache, "tokens", None) is None
    assert getattr(cache, "name", "") == ""


def test_a_generator_given_as_an_argument_is_left_as_it_was() -> None:
    generator = torch.Generator().manual_seed(3)
    state = generator.get_state()
    record = recorded(lambda x, g: x + torch.rand(2, generator=g), torch.ones(2), generator)
    assert record.plain_run == {"equal": True, "largest_difference": 0.0}
    assert generator.get_state().equal(state)


def test_one_tensor_given_twice_is_one_input() -> None:
    x = torch.ones(2)
    record = recorded(lambda a, b: a + b, x, x)
    assert names(record, "input") == ["a"]
    assert record.graphs[0].inputs["args"] == [{"value": 0}, {"value": 0}]


def test_built_in_functions_number_their_arguments() -> None:
    assert names(recorded(torch.add, torch.ones(1), torch.ones(1)), "input") == ["args[0]", "args[1]"]
