"""A snapshot brings back what a forward pass may change."""

import random
from collections import OrderedDict, UserDict, deque
from dataclasses import dataclass

import numpy as np
import pytest
import torch
from torch import nn

from cutaway.recording.snapshot import Snapshot, left_as_found


def test_contents_are_written_back_into_the_same_tensors() -> None:
    model, x = nn.BatchNorm1d(2), torch.ones(3, 2)
    mean = model.running_mean
    with left_as_found(model, [x]):
        model(x.mul_(5))
        assert model.running_mean.tolist() == [0.5, 0.5]
    assert model.running_mean is mean
    assert mean.tolist() == [0, 0]
    assert x.tolist() == [[1, 1]] * 3


def test_attributes_containers_and_flags_are_the_old_ones() -> None:
    model = nn.Sequential(nn.Linear(2, 2))
    model[0].cache, model[0].seen = [1], {"a"}
    cache = model[0].cache
    with left_as_found(model, []):
        model.eval()
        model[0].cache.append(2)
        model[0].seen.clear()
        model[0].cache = None
        model[0].register_buffer("late", torch.ones(1))
        model.append(nn.ReLU())
        model[0].new = 3
    assert model.training
    assert model[0].training
    assert model[0].cache is cache
    assert cache == [1]
    assert model[0].seen == {"a"}
    assert not hasattr(model[0], "new")
    assert not hasattr(model[0], "late")
    assert len(model) == 1


def test_a_tensor_given_another_form_gets_its_own_back() -> None:
    x, y = torch.zeros(3), torch.zeros(2)
    with left_as_found(None, [x, y]):
        x.data = torch.ones(5)
        y.resize_(4).fill_(1)
    assert x.tolist() == [0, 0, 0]
    assert y.tolist() == [0, 0]


class Cache:
    def __init__(self) -> None:
        self.count, self.keys, self.rows = 0, None, {"first": [torch.zeros(1)]}


@dataclass(slots=True, frozen=True)
class Slotted:
    items: list[int]


class Strict(OrderedDict):
    """A container that does not let itself be written to as a dict is."""

    def update(self, *args, **kwargs):
        raise TypeError


def test_what_arguments_hold_is_as_before_at_any_depth() -> None:
    cache, slotted, mapping = Cache(), Slotted([1]), UserDict(a=[1])
    strict, queue, table = Strict(b=1, a=2), deque([1, 2], maxlen=2), np.zeros(2)
    first = cache.rows["first"]
    with left_as_found(None, [{"all": (cache, slotted, mapping)}, strict, queue, table]):
        cache.count, cache.new, cache.keys = 3, 1, torch.ones(2)
        cache.rows["first"][0].add_(1)
        first.append(4)
        cache.rows = {}
        slotted.items.append(2)
        object.__setattr__(slotted, "items", [])
        mapping["a"].append(2)
        mapping["b"] = 1
        strict.move_to_end("b")
        strict["c"] = 3
        queue.append(3)
        table += 1
    assert vars(cache) == {"count": 0, "keys": None, "rows": {"first": [torch.zeros(1)]}}
    assert cache.rows["first"] is first
    assert slotted.items == [1]
    assert dict(mapping) == {"a": [1]}
    assert list(strict.items()) == [("b", 1), ("a", 2)]
    assert list(queue) == [1, 2]
    assert table.tolist() == [0, 0]


def test_a_slot_that_was_empty_is_empty_again() -> None:
    class Empty:
        __slots__ = ("late",)

    item = Empty()
    with left_as_found(None, item):
        item.late = 1
    assert not hasattr(item, "late")


def test_containers_that_hold_each_other_are_kept_once() -> None:
    left: list[object] = []
    right = {"left": left}
    left.append(right)
    with left_as_found(None, left):
        right.clear()
        left.append(1)
    assert left == [right]
    assert right["left"] is left


def test_nested_state_of_a_module_and_of_a_callable_object_is_as_before() -> None:
    module = nn.Identity()
    module.state = {"a": [0], "cache": Cache()}

    class Callable:
        def __init__(self) -> None:
            self.seen: list[int] = []

        def __call__(self) -> None:
            self.seen.append(1)

        def method(self) -> None:
            self.seen.append(2)

    model = Callable()
    with left_as_found(module, []), left_as_found(model, []), left_as_found(model.method, []):
        module.state["a"].append(1)
        module.state["cache"].count += 1
        model()
        model.method()
    assert module.state["a"] == [0]
    assert module.state["cache"].count == 0
    assert model.seen == []


def test_generators_among_the_arguments_go_on_as_if_nothing_had_drawn() -> None:
    ours, numbers, older, python = (
        torch.Generator(), np.random.default_rng(1), np.random.RandomState(1), random.Random(1),
    )  # fmt: skip

    def draw() -> list[float]:
        return [torch.rand(1, generator=ours).item(), numbers.random(), older.rand(), python.random()]

    with left_as_found(None, [ours, (numbers, older), {"python": python}]):
        expected = draw()
    assert draw() == expected


def test_gradients_and_the_need_of_them_are_as_before() -> None:
    model, x, y = nn.Linear(2, 1), torch.ones(1, 2), torch.ones(1, 2)
    model(x).sum().backward()
    gradient, content = model.weight.grad, model.weight.grad.clone()
    with left_as_found(model, [x, y]):
        x.requires_grad_()
        y.mul_(model.weight)
        model(x + y).sum().backward()
        model.bias.grad = None
    assert model.weight.grad is gradient
    assert gradient.equal(content)
    assert model.bias.grad is not None
    assert x.grad is None
    assert not x.requires_grad
    assert not y.requires_grad
    assert y.tolist() == [[1, 1]]


def test_the_base_of_a_view_that_was_written_to_needs_no_gradient_afterwards() -> None:
    base = torch.ones(4)
    view, scale = base[:2], torch.full((2,), 3.0, requires_grad=True)
    with left_as_found(None, view):
        view.mul_(scale)
    assert not base.requires_grad
    assert base.tolist() == [1, 1, 1, 1]


def test_what_did_not_change_is_not_written_to() -> None:
    class Watched(dict):
        def __setitem__(self, key, item):
            raise AssertionError

        clear = update = __setitem__

    item = Watched(a=1)
    with left_as_found(None, [item, (1, frozenset({2}))]):
        pass
    assert item == {"a": 1}


def test_the_generators_go_on_as_if_nothing_had_drawn() -> None:
    def draw() -> tuple[float, float, float]:
        return torch.rand(1).item(), random.random(), float(np.random.rand())

    with left_as_found(None, []):
        expected = draw()
    assert draw() == expected


def test_everything_is_brought_back_when_the_block_raises() -> None:
    x = torch.zeros(2)
    with pytest.raises(RuntimeError, match="must match"), left_as_found(None, [x]):
        x.add_(1).add_(torch.ones(3))
    assert x.tolist() == [0, 0]


def test_a_parameter_is_written_back_without_a_gradient_and_counts_as_a_leaf() -> None:
    model = nn.Linear(1, 1)
    before = model.weight.item()
    with left_as_found(model, []), torch.no_grad():
        model.weight.add_(1)
    assert model.weight.item() == before
    assert model.weight.is_leaf
    assert model.weight.requires_grad


def test_a_module_met_later_is_kept_from_then_on() -> None:
    module = nn.BatchNorm1d(2)
    snapshot = Snapshot(None, [])
    snapshot.meet(module)
    module(torch.ones(2, 2))
    snapshot.meet(module)
    snapshot.restore()
    assert module.num_batches_tracked == 0


def test_nan_is_as_before_when_it_was_nan_before() -> None:
    x = torch.tensor([float("nan")])
    version = x._version
    with left_as_found(None, [x]):
        pass
    assert x._version == version
