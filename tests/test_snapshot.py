"""A snapshot brings back what a forward pass may change."""

import random

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
