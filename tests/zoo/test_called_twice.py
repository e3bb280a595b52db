"""A module called twice, and a tensor that belongs to two."""

import pytest
import torch
from recorded_whole import names, recorded, scopes
from torch import nn

pytestmark = pytest.mark.zoo


class Twice(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(3, 3)
        self.relu = nn.ReLU()

    def forward(self, x):
        return self.relu(self.linear(self.relu(self.linear(x))))


def test_each_call_is_a_scope_of_its_own_and_the_weight_is_one() -> None:
    graph = (record := recorded(Twice(), torch.randn(2, 3))).graphs[0]
    assert scopes(record) == ["", "linear", "relu", "linear#2", "relu#2"]
    assert [scope.path for scope in graph.scopes[1:]] == ["linear", "relu", "linear", "relu"]
    assert graph.scopes[1].parameters == graph.scopes[3].parameters
    assert graph.parameter_count == 12


def test_what_is_called_inside_a_second_call_is_named_after_it() -> None:
    inner = Twice()
    record = recorded(lambda x: inner(inner(x)), torch.randn(2, 3))
    assert scopes(record)[-1] == "inner#2.relu#2"
    assert len(set(names(record))) == len(names(record))


class Tied(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(10, 4)
        self.decoder = nn.Linear(4, 10)
        self.decoder.weight = self.embedding.weight
        self.register_buffer("shift", torch.zeros(4))
        self.inner = nn.Module()
        self.inner.register_buffer("shift", self.shift)

    def forward(self, ids):
        return self.decoder(self.embedding(ids) + self.inner.shift)


def test_a_tied_weight_counts_once_and_shows_its_other_name() -> None:
    graph = (record := recorded(Tied(), torch.tensor([1, 2]))).graphs[0]
    assert graph.parameter_count == 10 * 4 + 10
    assert graph.values[graph.ids["embedding.weight"]].also == ("decoder.weight",)
    assert graph.ids["decoder.weight"] == graph.ids["embedding.weight"]
    assert names(record, "buffer") == ["shift"]
