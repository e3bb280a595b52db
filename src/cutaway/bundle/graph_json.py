"""A graph as strict JSON and back (docs/format.md, graph.json); what does not hold together is refused by name."""

import re
from collections.abc import Mapping
from typing import Any

from cutaway.errors import BundleError
from cutaway.recorded import Gradient, Graph, Op, Outside, Scope, Source, Tree, Value, values_in
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
        "values": [_value(value) for value in graph.values],
        "ops": [_op(op) for op in graph.ops],
        "inputs": graph.inputs,
        "outputs": graph.outputs,
        "gradients": [{"loss": g.loss, "of": g.of, "value": g.value} for g in graph.gradients],
        "outside": [{"value": o.value, "why": o.why} for o in graph.outside],
    }  # fmt: skip


def _value(value: Value) -> dict[str, Any]:
    tree: dict[str, Any] = {
        "name": value.name, "kind": value.kind, "dtype": value.dtype, "shape": list(value.shape),
        "strides": list(value.strides), "offset": value.offset, "op": value.op, "scope": value.scope,
        "also": list(value.also),
    }  # fmt: skip
    extra = {"memory": value.memory, "requires_grad": value.requires_grad or None}
    return tree | {key: item for key, item in extra.items() if item is not None}


def _op(op: Op) -> dict[str, Any]:
    tree: dict[str, Any] = {
        "function": op.function, "scope": op.scope, "args": op.args, "kwargs": op.kwargs, "outputs": op.outputs,
        "writes": [list(pair) for pair in op.writes], "source": _source(op.source),
    }  # fmt: skip
    extra = {"note": op.note, "autocast": op.autocast, "random": op.random, "grad": op.grad}
    return tree | {key: item for key, item in extra.items() if item is not None}


def _source(source: Source | None) -> dict[str, Any] | None:
    return None if source is None else {"file": source.file, "function": source.function, "line": source.line}


def json_to_graph(tree: Mapping[str, Any], place: int = 0) -> Graph:
    """A graph read back; raises BundleError when a field has another type or form than docs/format.md gives it, or
    when the graph does not hold together (see check_graph)."""
    graph = Graph(
        tuple(map(_to_scope, tree["scopes"])),
        tuple(map(_to_value, tree["values"])),
        tuple(map(_to_op, tree["ops"])),
        {
            "args": [check_tree(item) for item in _typed(tree["inputs"], "args", list)],
            "kwargs": _named_trees(tree["inputs"], "kwargs"),
        },
        check_tree(tree["outputs"]),
        tuple(Gradient(g["loss"], g["of"], g["value"]) for g in tree["gradients"]),
        tuple(Outside(o["value"], _typed(o, "why", str)) for o in tree["outside"]),
    )
    check_graph(graph, place)
    return graph


def _to_scope(s: Mapping[str, Any]) -> Scope:
    name, path, kind = (_typed(s, key, str) for key in ("name", "path", "class"))
    parameters = {key: _typed(s["parameters"], key, int) for key in _typed(s, "parameters", dict)}
    return Scope(name, path, kind, s["parent"], _typed(s, "call", int), parameters, _to_source(s["source"]))


def _to_value(v: Mapping[str, Any]) -> Value:
    name, kind, dtype = (_typed(v, key, str) for key in ("name", "kind", "dtype"))
    sizes = tuple(_typed(v, "shape", list)), tuple(_typed(v, "strides", list)), v["offset"]
    also = tuple(_typed(v, "also", list))
    memory = _typed(v, "memory", int) if "memory" in v else None
    grad = _typed(v, "requires_grad", bool) if "requires_grad" in v else False
    if not all(isinstance(other, str) for other in also):
        raise BundleError(f"graph.json: the value {name!r} has other names that are no texts; record it again")
    return Value(name, kind, dtype, *sizes, v["op"], v["scope"], also, memory, grad)


def _to_op(o: Mapping[str, Any]) -> Op:
    writes = tuple((before, after) for before, after in o["writes"])
    note, autocast = (_typed(o, key, str) if key in o else None for key in ("note", "autocast"))
    arguments = [check_tree(item) for item in _typed(o, "args", list)], _named_trees(o, "kwargs")
    outputs, source = check_tree(o["outputs"]), _to_source(o["source"])
    return Op(
        _typed(o, "function", str),
        o["scope"],
        *arguments,
        outputs,
        writes,
        source,
        note,
        autocast,
        o.get("random"),
        _typed(o, "grad", bool) if "grad" in o else None,
    )


def _to_source(tree: Mapping[str, Any] | None) -> Source | None:
    if tree is None:
        return None
    file = _typed(tree, "file", str)
    if file.startswith(("/", "\\")) or ".." in file.replace("\\", "/").split("/") or file[1:2] == ":":
        raise BundleError(f"graph.json: the source path {file!r} is not relative; record the model again")
    return Source(file, _typed(tree, "function", str), _typed(tree, "line", int))


def _named_trees(tree: Mapping[str, Any], key: str) -> dict[str, Tree]:
    return {name: check_tree(item) for name, item in _typed(tree, key, dict).items()}


def _typed(tree: Mapping[str, Any], key: str, kind: type) -> Any:
    """A field of the one type it may have; true and false are no whole numbers."""
    found = tree[key]
    if type(found) is not kind:
        raise BundleError(f"graph.json: {key!r} is {str(found)[:60]!r}, which is no {kind.__name__}; record it again")
    return found


def check_tree(tree: Tree) -> Tree:
    """The tree itself, if it is plain JSON or one of the tagged forms of docs/format.md; else BundleError."""
    if isinstance(tree, list):
        for part in tree:
            check_tree(part)
        return tree
    if not isinstance(tree, dict):
        return tree
    match tree:
        case {"value": int() as index, **rest} if not rest and not isinstance(index, bool):
            return tree
        case {"tuple": list() as parts, **rest} if not rest:
            check_tree(parts)
            return tree
        case {"dict": list() as pairs, **rest} if not rest:
            _check_pairs(pairs)
            return tree
        case {"object": str(), "fields": list() as pairs, **rest} if not rest:
            _check_pairs(pairs)
            return tree
        case {"slice": [_, _, _] as parts, **rest} | {"complex": [_, _] as parts, **rest} if not rest:
            check_tree(list(parts))
            return tree
        case {"ellipsis": True, **rest} if not rest:
            return tree
        case {"int": str() as digits, **rest} if not rest and re.fullmatch(r"-?[0-9]{1,1000}", digits):
            return tree
        case {"float": "nan" | "inf" | "-inf", **rest} if not rest:
            return tree
    if len(tree) == 1 and next(iter(tree)) in ("dtype", "device", "layout", "memory_format", "opaque"):
        _typed(tree, next(iter(tree)), str)
        return tree
    raise BundleError(f"graph.json holds an argument of unknown form: {str(tree)[:80]}; it was damaged or is newer")


def _check_pairs(pairs: list[Any]) -> None:
    for pair in pairs:
        if not isinstance(pair, list) or len(pair) != 2:
            raise BundleError(f"graph.json holds {str(pair)[:80]} where a key and its content belong; record it again")
        check_tree(pair)


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
    _check_ends(graph, where)


def _check_ends(graph: Graph, where: str) -> None:
    """Inputs, outputs, gradients and what came from outside name values that exist, gradients each exactly once."""
    rest = [*values_in(list(graph.inputs.values())), *values_in(graph.outputs), *(o.value for o in graph.outside)]
    for i in [*rest, *(i for g in graph.gradients for i in (g.loss, g.of, g.value))]:
        _in_range(i, len(graph.values), "value", where)
    outside = {o.value for o in graph.outside}
    for i, op in enumerate(graph.ops):
        for value in op.makes if op.note is not None else ():
            if value not in outside:
                raise BundleError(
                    f"{where}, op {i} ({op.function}) cannot be replayed, but what it makes, "
                    f"{graph.values[value].name!r}, is not listed in outside; record it again"
                )
    listed = sorted(g.value for g in graph.gradients)
    if listed != [i for i, value in enumerate(graph.values) if value.kind == "gradient"]:
        raise BundleError(f"{where}: the values of kind gradient are not those that its gradients list, each once")


def _check_scopes(graph: Graph, where: str) -> None:
    if not graph.scopes or graph.scopes[0].parent is not None:
        raise BundleError(f"{where}: scope 0 must be the whole model and have no parent")
    for i, scope in enumerate(graph.scopes):
        if i and not (type(scope.parent) is int and 0 <= scope.parent < i):
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
        if (value.kind == "result") != (value.op is not None) or type(value.op) not in (int, type(None)):
            raise BundleError(f"{where}: the value {value.name!r} is of kind {value.kind} but its op is {value.op!r}")
        sizes = (*value.shape, *value.strides, value.offset)
        if len(value.shape) != len(value.strides) or any(type(n) is not int or not 0 <= n < 2**63 for n in sizes):
            raise BundleError(f"{where}: the value {value.name!r} has no valid shape, strides and offset")
        _in_range(value.scope, len(graph.scopes), "scope", f"{where}, value {value.name!r}")


def _in_range(index: Any, size: int, what: str, at: str) -> None:
    if type(index) is not int or not 0 <= index < size:
        raise BundleError(f"{at} names {what} {index!r}, but there are {size}")
