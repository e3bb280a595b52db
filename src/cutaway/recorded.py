"""What a recording is: frozen plain data, readable without torch. docs/format.md says what each field means."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from cutaway.errors import BundleError
from cutaway.tensor import Array, Tensor

Tree = Any  # strict JSON, with {"value": id} leaves and the tagged forms of docs/format.md


@dataclass(frozen=True)
class Source:
    file: str
    function: str
    line: int


@dataclass(frozen=True)
class Scope:
    """One call of one module."""

    name: str
    path: str
    class_name: str
    parent: int | None
    call: int
    parameters: dict[str, int]
    source: Source | None


@dataclass(frozen=True)
class Value:
    """One tensor of the graph: its name, form and where it comes from. Contents belong to examples."""

    name: str
    kind: str  # input, parameter, buffer, constant, result, gradient
    dtype: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int
    op: int | None
    scope: int
    also: tuple[str, ...] = ()
    memory: int | None = None  # the same number for values that lie in one memory; None for one that lies alone
    requires_grad: bool = False  # some kernels, and so the last digits, differ when it does


@dataclass(frozen=True)
class Op:
    """One call of one torch function."""

    function: str
    scope: int
    args: list[Tree]
    kwargs: dict[str, Tree]
    outputs: Tree
    writes: tuple[tuple[int, int], ...]
    source: Source | None
    note: str | None = None  # why it cannot be replayed
    autocast: str | None = None  # the CPU autocast dtype it ran under
    random: int | None = None  # the value that holds the random generator's state before it
    grad: bool | None = None  # False: it ran with gradients off

    @property
    def reads(self) -> list[int]:
        """Ids of the values among its arguments, in order, repeats kept."""
        return [*values_in(self.args), *values_in(list(self.kwargs.values()))]

    @property
    def makes(self) -> list[int]:
        """Ids of the values it made, each once: outputs first, then what it wrote in place."""
        return list(dict.fromkeys([*values_in(self.outputs), *(after for _, after in self.writes)]))


@dataclass(frozen=True)
class Gradient:
    loss: int
    of: int
    value: int


@dataclass(frozen=True)
class Outside:
    """A value met without a known origin."""

    value: int
    why: str


@dataclass(frozen=True)
class Graph:
    scopes: tuple[Scope, ...]
    values: tuple[Value, ...]
    ops: tuple[Op, ...]
    inputs: dict[str, Tree]
    outputs: Tree
    gradients: tuple[Gradient, ...] = ()
    outside: tuple[Outside, ...] = ()

    @cached_property
    def ids(self) -> dict[str, int]:
        """Value id by name; other names (tied parameters, keys of the output) count too, where they are free."""
        ids = {name: i for i, value in enumerate(self.values) for name in value.also}
        return ids | {value.name: i for i, value in enumerate(self.values)}

    @cached_property
    def scope_ids(self) -> dict[str, int]:
        return {scope.name: i for i, scope in enumerate(self.scopes)}

    @property
    def parameter_count(self) -> int:
        """How many numbers the model's parameters hold, a shared tensor counted once."""
        return sum(math.prod(value.shape) for value in self.values if value.kind == "parameter")

    @cached_property
    def uses(self) -> list[list[int]]:
        """For each value, the ops that read it."""
        uses: list[list[int]] = [[] for _ in self.values]
        for i, op in enumerate(self.ops):
            for value in dict.fromkeys(op.reads):
                uses[value].append(i)
        return uses


@dataclass(frozen=True)
class Example:
    """One recorded case: the content of each value of its graph, None where it was not kept."""

    name: str
    graph: int
    tensors: tuple[Tensor | None, ...]


@dataclass(frozen=True)
class Record:
    """One recording: graphs and the examples that ran through them.

    `capture` holds the facts of docs/format.md, manifest.json ("capture"); `plain_run` the comparison with a run that
    was not recorded ("equal", "largest_difference").
    """

    graphs: tuple[Graph, ...]
    examples: tuple[Example, ...]
    name: str = "model"
    seed: int | None = None
    capture: dict[str, Any] = field(default_factory=dict)
    plain_run: dict[str, Any] = field(default_factory=dict)

    @property
    def counts(self) -> dict[str, int]:
        """How much was recorded: sizes of the first graph, examples, and values of unknown origin in all graphs."""
        graph = self.graphs[0]
        return {
            "examples": len(self.examples),
            "scopes": len(graph.scopes),
            "ops": len(graph.ops),
            "values": len(graph.values),
            "parameters": graph.parameter_count,
            "outside": sum(len(graph.outside) for graph in self.graphs),
        }

    @property
    def left_out(self) -> int:
        """How many values of the graphs no example holds the content of: past the budget, or not asked for."""
        held = {(e.graph, i) for e in self.examples for i, tensor in enumerate(e.tensors) if tensor is not None}
        return sum(len(graph.values) for graph in self.graphs) - len(held)

    def example(self, name: str) -> Example:
        for example in self.examples:
            if example.name == name:
                return example
        known = ", ".join(example.name for example in self.examples)
        raise BundleError(f"no example named {name!r}; there are: {known}")

    def graph(self, example: str) -> Graph:
        return self.graphs[self.example(example).graph]

    def tensor(self, example: str, value: str) -> Tensor:
        """The recorded content of a value, by name."""
        graph = self.graph(example)
        if value not in graph.ids:
            raise BundleError(f"no value named {value!r} in example {example!r}; `cutaway show` lists the names")
        tensor = self.example(example).tensors[graph.ids[value]]
        if tensor is None:
            what = f"the value {value!r} was not kept in example {example!r}"
            raise BundleError(f"{what}; record again and name it in keep(), or keep all values")
        return tensor

    def array(self, example: str, value: str) -> Array:
        """The recorded content of a value as a numpy array; see Tensor.array."""
        return self.tensor(example, value).array()


def values_in(tree: Tree) -> Iterator[int]:
    """Ids of the value leaves of a tree, in order."""
    if isinstance(tree, list):
        for item in tree:
            yield from values_in(item)
    elif isinstance(tree, dict):
        if "value" in tree:
            yield tree["value"]
        elif "dict" in tree or "fields" in tree:
            for _, item in tree["dict"] if "dict" in tree else tree["fields"]:
                yield from values_in(item)
        else:
            for item in tree.values():
                yield from values_in(item)
