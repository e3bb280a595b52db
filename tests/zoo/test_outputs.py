"""Outputs of every kind keep their structure."""

import dataclasses
from collections import OrderedDict, namedtuple

import pytest
import torch
from recorded_whole import names, recorded, uncovered

pytestmark = pytest.mark.zoo

Pair = namedtuple("Pair", "left right")


@dataclasses.dataclass
class Result:
    logits: torch.Tensor
    note: str = "done"


class ModelOutput(OrderedDict):
    """Stands for the dict-like outputs of other libraries."""


V = {"value": 1}


@pytest.mark.parametrize(
    ("wrap", "tree"),
    [
        (lambda y: {"a": {"b": y}, "c": [y, None]}, {"dict": [["a", {"dict": [["b", V]]}], ["c", [V, None]]]}),
        (lambda y: (y, (), "text", 3, True), {"tuple": [V, {"tuple": []}, "text", 3, True]}),
        (lambda y: [[y]], [[V]]),
        (lambda y: Result(y), {"object": "Result", "fields": [["logits", V], ["note", "done"]]}),
        (lambda y: Pair(y, 2.5), {"object": "Pair", "fields": [["left", V], ["right", 2.5]]}),
        (lambda y: ModelOutput(logits=y), {"dict": [["logits", V]]}),
        (lambda y: None, None),
        (lambda y: (), {"tuple": []}),
    ],
)
def test_the_structure_is_kept(wrap, tree) -> None:
    record = recorded(lambda x: wrap(x + 1), torch.ones(2))
    assert record.graphs[0].outputs == tree


def test_a_number_that_was_taken_out_stands_beside_its_value_and_is_named() -> None:
    record, lost = uncovered(lambda x: {"loss": x.sum().item()}, torch.ones(2))
    assert record.graphs[0].outputs == {"dict": [["loss", 2.0]]}
    assert [name for name, _ in lost] == ["sum"]


def test_the_keys_of_a_returned_dict_are_names_too() -> None:
    record = recorded(lambda x: {"loss": x.sum()}, torch.ones(2))
    assert record.array("example", "loss") == 2


def test_a_model_may_return_its_input_a_weight_or_nothing_new() -> None:
    network = torch.nn.Linear(2, 2)
    record = recorded(lambda x: (x, network.weight), torch.ones(2))
    assert record.graphs[0].ops == ()
    assert names(record) == ["x", "parameter"]


def test_named_results_of_torch_keep_their_order() -> None:
    record = recorded(lambda x: x.max(0), torch.tensor([[1.0, 5.0], [3.0, 2.0]]))
    assert [record.array("example", name).tolist() for name in ("output[0]", "output[1]")] == [[3, 5], [1, 0]]
