"""Graphs for tests of layout and pictures: random ones from any source of whole numbers, one with hostile names."""

from collections.abc import Callable

from cutaway.recorded import Graph, Op, Scope, Value

HOSTILE = [
    "</script><script>alert(1)</script>", '"quoted"; drop', "back\\slash\\", "new\nline", "\u202egnp.exe", "层归一化",
    "a & b", "<img src=x onerror=alert(1)>", "subgraph end", "#quot;[`md`]", "\ud800", "w" * 80, "عربى", "😀 emoji",
]  # fmt: skip


def value(name: str, kind: str, op: int | None = None, shape: tuple[int, ...] = (6, 8), **more) -> Value:
    return Value(name, kind, "float32", shape, tuple(1 for _ in shape), 0, op, 0, **more)


def random_graph(pick: Callable[[int, int], int], most_ops: int = 40, strays: bool = False) -> Graph:
    """A nested graph as a recording would make it: calls that begin and end, ops that read what came before.

    pick(low, high) gives a whole number, both ends included. With strays some ops are booked on a scope that had
    already ended, which no recording does, so that groups form cycles.
    """
    scopes = [Scope("", "", "Model", None, 1, {}, None)]
    values = [value(f"input{i}", "input") for i in range(pick(0, 3))]
    first_parameter = len(values)
    for i in range(pick(0, 3)):
        values.append(value(f"weight{i}", "parameter", also=(f"other{i}",) if pick(0, 1) else ()))
    parameters = list(range(first_parameter, len(values)))
    readable = list(range(first_parameter))
    ops: list[Op] = []
    here = 0
    for number in range(pick(0, most_ops)):
        for _ in range(pick(0, 2)):
            if pick(0, 1) and len(scopes) < 20:
                name = f"{scopes[here].name}.part{len(scopes)}".lstrip(".")
                scopes.append(Scope(name, name, f"Part{pick(0, 3)}", here, 1, {}, None))
                here = len(scopes) - 1
            else:
                here = scopes[here].parent or 0
        reads = [readable[-1 - pick(0, min(len(readable) - 1, pick(0, 1) * 60))] for _ in range(pick(0, 3)) if readable]
        reads += [parameters[pick(0, len(parameters) - 1)]] if parameters and pick(0, 2) == 0 else []
        made = [len(values) + i for i in range(pick(0, 4) and 1 + pick(0, 5) // 5)]
        values += [value(f"value{i}", "result", number, (pick(1, 9),) * pick(0, 3)) for i in made]
        readable += made
        scope = pick(0, len(scopes) - 1) if strays and pick(0, 4) == 0 else here
        outputs = {"value": made[0]} if len(made) == 1 else {"tuple": [{"value": i} for i in made]}
        ops.append(Op(f"torch.op{pick(0, 3)}", scope, [{"value": i} for i in reads], {}, outputs, (), None))
    outputs = {"dict": [[f"out{i}", {"value": readable[-1 - i]}] for i in range(min(len(readable), pick(0, 3)))]}
    return Graph(tuple(scopes), tuple(values), tuple(ops), {"args": [], "kwargs": {}}, outputs)


def hostile_graph() -> Graph:
    """One input, one scope, one op and one output for each hostile name."""
    scopes = [Scope("", "", HOSTILE[0], None, 1, {}, None)]
    values, ops, outputs = [], [], []
    for i, name in enumerate(HOSTILE):
        scopes.append(Scope(name, name, name, 0, 1, {}, None))
        values.append(value(name, "input"))
        ops.append(Op(f"torch.{name}", i + 1, [{"value": 2 * i}], {}, {"value": 2 * i + 1}, (), None))
        values.append(value(f"{name}.{name}", "result", i))
        outputs.append([name, {"value": 2 * i + 1}])
    return Graph(tuple(scopes), tuple(values), tuple(ops), {"args": [], "kwargs": {}}, {"dict": outputs})


def opened(graph: Graph, pick: Callable[[int, int], int]) -> list[str]:
    """A random choice of scopes to unfold, more often open than closed."""
    return [scope.name for scope in graph.scopes if scope.parent is not None and pick(0, 3)]
