"""Submodules in plain Python containers, where a ModuleList would be usual."""

import pytest
import torch
from recorded_whole import names, recorded, scopes
from torch import nn

pytestmark = pytest.mark.zoo


class Hidden(nn.Module):
    """Layers that torch does not know of: in a list, in a dict, in a list of tuples."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = [nn.Linear(3, 3), nn.BatchNorm1d(3)]
        self.by_name = {"last": nn.Sequential(nn.Linear(3, 2))}
        self.pairs = [(nn.Linear(2, 2), "a pair")]

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return self.pairs[0][0](self.by_name["last"](x))


def test_they_are_scopes_named_after_where_they_are_kept() -> None:
    record = recorded(Hidden(), torch.randn(4, 3))
    assert scopes(record) == ["", "layers[0]", "layers[1]", "by_name['last']", "by_name['last'].0", "pairs[0][0]"]


def test_their_weights_and_buffers_are_named_and_counted() -> None:
    record = recorded(Hidden(), torch.randn(4, 3))
    assert "layers[0].weight" in names(record, "parameter")
    assert "layers[1].running_mean" in names(record, "buffer")
    assert record.graphs[0].parameter_count == 12 + 6 + 8 + 6


def test_their_running_statistics_are_as_before() -> None:
    model = Hidden()
    recorded(model, torch.randn(4, 3))
    assert model.layers[1].running_mean.eq(0).all()
    assert model.layers[1].num_batches_tracked == 0


def test_a_function_is_recorded_with_the_modules_it_finds_around_itself() -> None:
    network, other = nn.Sequential(nn.Linear(3, 3), nn.BatchNorm1d(3)), nn.Linear(3, 3)
    record = recorded(lambda x: other(network(x)), torch.randn(4, 3))
    assert scopes(record) == ["", "network", "network.0", "network.1", "other"]
    assert "other.bias" in names(record, "parameter")
    assert network[1].num_batches_tracked == 0


def test_modules_made_while_running_are_told_apart() -> None:
    record = recorded(lambda x: nn.Tanh()(nn.Tanh()(x)), torch.randn(3))
    assert scopes(record) == ["", "Tanh", "Tanh(2)"]
