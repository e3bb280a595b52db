"""What a graph with some scopes closed comes down to: boxes, and which values go from box to box.

The twin is web/src/folding.ts.
"""

from collections.abc import Collection
from dataclasses import dataclass

from cutaway.labels import fit, op_line, op_title, output_names, scope_line, scope_title, show_shape
from cutaway.recorded import Graph


@dataclass(frozen=True)
class Box:
    """One box, in pixels from the picture's top left corner.

    kind is scope, op, input or output. `ref` is the scope or op id, or the value id of an input or output. `select`
    is the name under which it is selected: a scope's name, or the name of the (first) value. `parent` is the position
    in Layout.boxes of the open group around it, None at top level; parents come first.
    """

    kind: str
    ref: int
    select: str
    title: str
    line: str
    open: bool
    parent: int | None
    x: int = 0
    y: int = 0
    width: int = 0
    height: int = 0


@dataclass(frozen=True)
class Join:
    """Values that go from one box to another, both without visible contents: what the pieces of line add up to."""

    source: int
    target: int
    values: tuple[int, ...]
    tie: bool


class Folding:
    """Which scopes are open and which boxes stand for what is in the others."""

    def __init__(self, graph: Graph, names: Collection[str]) -> None:
        names = frozenset(names)
        self.graph = graph
        count = len(graph.scopes)
        self.opened = [False] * count
        self.closed_around: list[int | None] = [None] * count  # the closed scope that stands for this one
        for i, scope in enumerate(graph.scopes):
            if scope.parent is None:
                self.opened[i] = True
            elif self.opened[scope.parent]:
                self.opened[i] = scope.name in names
                self.closed_around[i] = None if self.opened[i] else i
            else:
                self.closed_around[i] = self.closed_around[scope.parent]
        self.boxes: list[Box] = []
        self.scope_box: dict[int, int] = {}
        self.op_box: dict[int, int] = {}
        self.input_box: dict[int, int] = {}
        self._add_boxes()

    def leaf(self, op: int) -> int:
        """The box without visible contents that an op is drawn as, or drawn in."""
        scope = self.closed_around[self.graph.ops[op].scope]
        return self.op_box[op] if scope is None else self.scope_box[scope]

    def _add_boxes(self) -> None:
        graph = self.graph
        for i, value in enumerate(graph.values):
            if value.kind == "input":
                self.input_box[i] = len(self.boxes)
                self.boxes.append(Box("input", i, value.name, fit(value.name), show_shape(value.shape), False, None))
        lines = _scope_lines(self)
        for kind, ref in in_order(graph):
            if kind == "scope":
                scope = graph.scopes[ref]
                if scope.parent is None or not self.opened[scope.parent]:
                    continue
                self.scope_box[ref] = len(self.boxes)
                is_open = self.opened[ref]
                line = "" if is_open else lines[ref]
                parent = self.scope_box.get(scope.parent)
                self.boxes.append(Box("scope", ref, scope.name, scope_title(graph, ref), line, is_open, parent))
            else:
                op = graph.ops[ref]
                if not self.opened[op.scope]:
                    continue
                self.op_box[ref] = len(self.boxes)
                name = graph.values[op.makes[0]].name if op.makes else ""
                parent = self.scope_box.get(op.scope)
                self.boxes.append(Box("op", ref, name, op_title(graph, ref), op_line(graph, ref), False, parent))


def in_order(graph: Graph) -> list[tuple[str, int]]:
    """Scopes and ops as they began; a scope stands before what is in it."""
    start = [len(graph.ops)] * len(graph.scopes)
    for i, op in enumerate(graph.ops):
        start[op.scope] = min(start[op.scope], i)
    for i in reversed(range(1, len(graph.scopes))):
        parent = graph.scopes[i].parent
        if parent is not None:
            start[parent] = min(start[parent], start[i])
    items = [("scope", i, start[i]) for i in range(len(graph.scopes))]
    items += [("op", i, i) for i in range(len(graph.ops))]
    items.sort(key=lambda item: item[2])
    return [(kind, ref) for kind, ref, _ in items]


def _scope_lines(view: Folding) -> dict[int, str]:
    """The shapes in and out of each closed scope that is drawn."""
    graph = view.graph
    reads: dict[int, list[int]] = {}
    makes: dict[int, list[int]] = {}
    outputs = {value for _, value in output_names(graph)}

    def home(value: int) -> int | None:
        op = graph.values[value].op
        return None if op is None else view.closed_around[graph.ops[op].scope]

    for op in graph.ops:
        here = view.closed_around[op.scope]
        for value in op.reads:
            there = home(value)
            if there == here:
                continue
            if here is not None and graph.values[value].kind in ("input", "result"):
                reads.setdefault(here, []).append(value)
            if there is not None:
                makes.setdefault(there, []).append(value)
    for value in sorted(outputs):
        there = home(value)
        if there is not None:
            makes.setdefault(there, []).append(value)
    lines = {}
    for i in range(len(graph.scopes)):
        before = [graph.values[value] for value in reads.get(i, [])]
        after = [graph.values[value] for value in makes.get(i, [])]
        lines[i] = scope_line(before, after)
    return lines


def find_joins(view: Folding) -> tuple[list[Join], list[Box]]:
    """What flows between boxes without visible contents, in order of the ops; the outputs' boxes."""
    graph = view.graph
    found: dict[tuple[int, int, bool], dict[int, None]] = {}
    first_reader: dict[int, int] = {}

    def add(source: int, target: int, value: int, tie: bool) -> None:
        if source != target:
            found.setdefault((source, target, tie), {})[value] = None

    for i, op in enumerate(graph.ops):
        target = view.leaf(i)
        for value in op.reads:
            there = graph.values[value]
            if there.kind == "input":
                add(view.input_box[value], target, value, False)
            elif there.op is not None:
                add(view.leaf(there.op), target, value, False)
            elif there.also:
                first = first_reader.setdefault(value, i)
                if graph.scopes[graph.ops[first].scope].path != graph.scopes[op.scope].path:
                    add(view.leaf(first), target, value, True)
    outputs: list[Box] = []
    for name, value in output_names(graph):
        there = graph.values[value]
        box = len(view.boxes) + len(outputs)
        outputs.append(Box("output", value, there.name, fit(name), "", False, None))
        if there.kind == "input":
            add(view.input_box[value], box, value, False)
        elif there.op is not None:
            add(view.leaf(there.op), box, value, False)
    return [Join(a, b, tuple(values), tie) for (a, b, tie), values in found.items()], outputs
