"""A graph that was changed by hand in one place contradicts itself in another."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import torch
from recorded_whole import failures
from torch import nn

import cutaway
from cutaway.recorded import Graph, Record
from cutaway.replay.structure import contradictions


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(2, 2)

    def forward(self, x):
        h = self.linear(x)
        h.mul_(2)
        return h.tanh()


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.block, self.last = Block(), nn.Linear(2, 2)

    def forward(self, x):
        x = self.block(self.block(x))
        logits = self.last(x)
        return {"logits": logits, "total": logits.sum(), "x": x}


@pytest.fixture(scope="module")
def record() -> Record:
    return cutaway.record(Model(), torch.ones(1, 2))


def test_a_recorded_graph_says_the_same_everywhere(record: Record) -> None:
    assert list(contradictions(record.graphs[0])) == []


def with_value(graph: Graph, name: str, **changes: Any) -> Graph:
    values = tuple(replace(v, **changes) if v.name == name else v for v in graph.values)
    return replace(graph, values=values)


def with_scope(graph: Graph, name: str, **changes: Any) -> Graph:
    scopes = tuple(replace(s, **changes) if s.name == name else s for s in graph.scopes)
    return replace(graph, scopes=scopes)


def moved(graph: Graph, op: int, scope: str) -> Graph:
    """One op and what it makes in another scope."""
    place = graph.scope_ids[scope]
    ops = tuple(replace(o, scope=place) if i == op else o for i, o in enumerate(graph.ops))
    values = tuple(replace(v, scope=place) if v.op == op else v for v in graph.values)
    return replace(graph, ops=ops, values=values)


def renamed(graph: Graph, prefix: str, other: str) -> Graph:
    values = tuple(replace(v, name=v.name.replace(prefix, other, 1)) for v in graph.values)
    return replace(graph, values=values)


def returning(graph: Graph, key: str, name: str) -> Graph:
    pairs = [[k, {"value": graph.ids[name]} if k == key else item] for k, item in graph.outputs["dict"]]
    return replace(graph, outputs={"dict": pairs})


CHANGES: dict[str, tuple[Callable[[Graph], Graph], str]] = {
    "a value in another scope": (
        lambda g: with_value(g, "block.output", scope=0),
        "but 'block.output', which it makes, is given the scope ''",
    ),
    "an op in another scope": (
        lambda g: replace(g, ops=(replace(g.ops[0], scope=0), *g.ops[1:])),
        "op 0 (torch.nn.functional.linear) ran in the scope '', but",
    ),
    "an op with its results in another scope": (
        lambda g: moved(g, 0, "block"),
        "op 0 (torch.nn.functional.linear) ran in the scope 'block', but made 'block.linear.output'",
    ),
    "an op in a scope that had been left": (
        lambda g: renamed(moved(g, 3, "block.linear"), "block#2.linear.output", "block.linear.late"),
        "op 3 (torch.nn.functional.linear) ran in the scope 'block.linear', which had been left",
    ),
    "another call number": (
        lambda g: with_scope(g, "block#2", call=1),
        "the scope 'block#2' would be named 'block' by its parent, path and call",
    ),
    "another parent": (
        lambda g: with_scope(g, "block#2.linear", parent=0),
        "the scope 'block#2.linear' would be named",
    ),
    "another path": (lambda g: with_scope(g, "last", path="first"), "the scope 'last' would be named 'first'"),
    "another weight": (
        lambda g: with_scope(g, "last", parameters={"weight": g.ids["block.linear.weight"]}),
        "the scope 'last' calls 'block.linear.weight' its 'weight'",
    ),
    "another value returned under a key": (
        lambda g: returning(g, "total", "logits"),
        "'last.output' is returned as 'total', which is none of its names",
    ),
    "a state returned that was overwritten": (
        lambda g: returning(g, "x", "block.linear.output"),
        "'block.linear.output' is returned, but was overwritten before",
    ),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_in_one_place_is_said_with_that_place(record: Record, change: str) -> None:
    make, line = CHANGES[change]
    graph = make(record.graphs[0])
    found = list(contradictions(graph))
    assert found
    assert any(line in said for said in found), found
    measured = failures(replace(record, graphs=(graph,)))["producers"]
    assert measured.startswith(f"graph 0: {found[0]}")
