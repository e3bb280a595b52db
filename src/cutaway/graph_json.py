"""A graph as strict JSON and back (docs/format.md, graph.json); what does not hold together is refused by name."""

from collections.abc import Mapping
from typing import Any

from cutaway.errors import BundleError
from cutaway.recorded import Gradient, Graph, Op, Outside, Scope, Source, Value, values_in
from cutaway.tensor import DTYPES

KINDS = ("input", "parameter", "buffer", "constant", "result", "gradient")


def graph_to_json(graph: Graph) -> dict[str, Any]:
    return {
        "scopes": [
            {
                "name": scope.name, "path": scope.path, "class": scope.class_name, "parent": scope.parent,
                "call": scope.call, "parameters": scope.parameters, "source": _source(scope.source),
            }
            for scope in graph.scopes
        ],
        "values": [
            {
                "name": value.name, "kind": value.kind, "dtype": value.dtype, "shape": list(value.shape),
                "strides": list(value.strides), "offset": value.offset, "op": value.op, "scope": value.scope,
                "also": list(value.also),
            }
            for value in graph.values
        ],
        "ops": [_op(op) for op in graph.ops],
        "inputs": graph.inputs,
        "outputs": graph.outputs,
        "gradients": [{"loss": g.loss, "of": g.of, "value": g.value} for g in graph.gradients],
        "outside": [{"value": o.value, "why": o.why} for o in graph.outside],
    }  # fmt: skip


def _op(op: Op) -> dict[str, Any]:
    tree: dict[str, Any] = {
        "function": op.function, "scope": op.scope, "args": op.args, "kwargs": op.kwargs, "outputs": op.outputs,
        "writes": [list(pair) for pair in op.writes], "source": _source(op.source),
    }  # fmt: skip
    extra = {"note": op.note, "autocast": op.autocast, "random": op.random}
    return tree | {key: item for key, item in extra.items() if item is not None}


def _source(source: Source | None) -> dict[str, Any] | None:
    return None if source is None else {"file": source.file, "function": source.function, "line": source.line}


def json_to_graph(tree: Mapping[str, Any], place: int = 0) -> Graph:
    """A graph read back; raises BundleError when it does not hold together (see check_graph)."""
    graph = Graph(
        tuple(map(_to_scope, tree["scopes"])),
        tuple(map(_to_value, tree["values"])),
        tuple(map(_to_op, tree["ops"])),
        dict(tree["inputs"]),
        tree["outputs"],
        tuple(Gradient(g["loss"], g["of"], g["value"]) for g in tree["gradients"]),
        tuple(Outside(o["value"], o["why"]) for o in tree["outside"]),
    )
    check_graph(graph, place)
    return graph


def _to_scope(s: Mapping[str, Any]) -> Scope:
    source = _to_source(s["source"])
    return Scope(s["name"], s["path"], s["class"], s["parent"], s["call"], dict(s["parameters"]), source)


def _to_value(v: Mapping[str, Any]) -> Value:
    sizes = tuple(v["shape"]), tuple(v["strides"]), v["offset"]
    return Value(v["name"], v["kind"], v["dtype"], *sizes, v["op"], v["scope"], tuple(v["also"]))


def _to_op(o: Mapping[str, Any]) -> Op:
    writes = tuple((before, after) for before, after in o["writes"])
    extra = o.get("note"), o.get("autocast"), o.get("random")
    arguments = list(o["args"]), dict(o["kwargs"]), o["outputs"]
    return Op(o["function"], o["scope"], *arguments, writes, _to_source(o["source"]), *extra)


def _to_source(tree: Mapping[str, Any] | None) -> Source | None:
    if tree is None:
        return None
    file = tree["file"]
    if file.startswith(("/", "\\")) or ".." in file.split("/") or file[1:2] == ":":
        raise BundleError(f"graph.json: the source path {file!r} is not relative; record the model again")
    return Source(file, tree["function"], tree["line"])


def check_graph(graph: Graph, place: int = 0) -> None:
    """Raise BundleError unless ids are in range, names are unique, and every value has exactly one origin.

    An origin is an input, parameter, buffer or constant, a gradient, or one op; an op reads only what exists before it.
    """
    where = f"graph.json, graph {place}"
    _check_scopes(graph, where)
    _check_values(graph, where)
    made: dict[int, int] = {}
    for i, op in enumerate(graph.ops):
        at = f"{where}, op {i} ({op.function})"
        _in_range(op.scope, len(graph.scopes), "scope", at)
        reads = [*op.reads, *(before for before, _ in op.writes), *([] if op.random is None else [op.random])]
        for value in reads:
            _in_range(value, len(graph.values), "value", at)
            origin = graph.values[value].op
            if origin is not None and origin >= i:
                raise BundleError(f"{at} reads {graph.values[value].name!r}, which op {origin} makes only later")
        for value in op.makes:
            _in_range(value, len(graph.values), "value", at)
            if value in made:
                raise BundleError(f"{at} makes {graph.values[value].name!r}, which op {made[value]} made already")
            if graph.values[value].op != i:
                raise BundleError(
                    f"{at} makes {graph.values[value].name!r}, whose origin is given as op {graph.values[value].op}"
                )
            made[value] = i
    for i, known in enumerate(graph.values):
        if known.kind == "result" and i not in made:
            raise BundleError(f"{where}: the value {known.name!r} has no op that makes it")
    rest = [*values_in(list(graph.inputs.values())), *values_in(graph.outputs), *(o.value for o in graph.outside)]
    for i in [*rest, *(i for g in graph.gradients for i in (g.loss, g.of, g.value))]:
        _in_range(i, len(graph.values), "value", where)


def _check_scopes(graph: Graph, where: str) -> None:
    if not graph.scopes or graph.scopes[0].parent is not None:
        raise BundleError(f"{where}: scope 0 must be the whole model and have no parent")
    for i, scope in enumerate(graph.scopes):
        if i and not (isinstance(scope.parent, int) and 0 <= scope.parent < i):
            raise BundleError(f"{where}: scope {scope.name!r} has parent {scope.parent!r}, which is no earlier scope")
        for value in scope.parameters.values():
            _in_range(value, len(graph.values), "value", f"{where}, scope {scope.name!r}")
    if len(graph.scope_ids) != len(graph.scopes):
        raise BundleError(f"{where}: two scopes share a name")


def _check_values(graph: Graph, where: str) -> None:
    names: set[str] = set()
    for value in graph.values:
        if value.name in names:
            raise BundleError(f"{where}: two values are named {value.name!r}")
        names.add(value.name)
        if value.kind not in KINDS or value.dtype not in DTYPES:
            raise BundleError(
                f"{where}: the value {value.name!r} has kind {value.kind!r} and dtype {value.dtype!r}, not both known"
            )
        if (value.kind == "result") != (value.op is not None):
            raise BundleError(f"{where}: the value {value.name!r} is a {value.kind} but its op is {value.op!r}")
        sizes = (*value.shape, *value.strides, value.offset)
        if len(value.shape) != len(value.strides) or any(not isinstance(n, int) or n < 0 for n in sizes):
            raise BundleError(f"{where}: the value {value.name!r} has no valid shape, strides and offset")
        _in_range(value.scope, len(graph.scopes), "scope", f"{where}, value {value.name!r}")


def _in_range(index: Any, size: int, what: str, at: str) -> None:
    if not isinstance(index, int) or isinstance(index, bool) or not 0 <= index < size:
        raise BundleError(f"{at} names {what} {index!r}, but there are {size}")
