"""What a graph says twice, in scopes, names, ops and outputs: the places where it contradicts itself. Needs no torch.

A recorder writes the same fact in several fields; who changes one of them by hand leaves the others as they were.
Which values the model was given and which it returned is said once, so nothing here can speak of that.
"""

from collections.abc import Iterator

from cutaway.recorded import Graph, values_in


def contradictions(graph: Graph) -> Iterator[str]:
    """One line for each place where a graph contradicts itself, or an order in which nothing can have run."""
    yield from _in_scopes(graph)
    yield from _in_ops(graph)
    yield from _in_order(graph)
    yield from _in_outputs(graph)


def _in_scopes(graph: Graph) -> Iterator[str]:
    """A scope is named after its parent, its path below the parent's, and the number of the call."""
    for scope in graph.scopes:
        if scope.parent is not None:
            above = graph.scopes[scope.parent]
            inner = scope.path.removeprefix(f"{above.path}.") if above.path else scope.path
            local = inner if scope.call == 1 else f"{inner}#{scope.call}"
            name = f"{above.name}.{local}" if above.name else local
            if scope.name != name:
                yield f"the scope {scope.name!r} would be named {name!r} by its parent, path and call"
        for local, i in scope.parameters.items():
            value, name = graph.values[i], f"{scope.path}.{local}" if scope.path else local
            if name not in (value.name, *value.also):
                yield f"the scope {scope.name!r} calls {value.name!r} its {local!r}"


def _in_ops(graph: Graph) -> Iterator[str]:
    """What an op makes lies in the op's scope, and is named after it unless it is an overwritten value's next state."""
    for index, op in enumerate(graph.ops):
        scope, rewritten = graph.scopes[op.scope].name, {after for _, after in op.writes}
        for i in op.makes:
            value = graph.values[i]
            if value.scope != op.scope:
                yield (
                    f"op {index} ({op.function}) ran in the scope {scope!r}, but {value.name!r}, which it makes, "
                    f"is given the scope {graph.scopes[value.scope].name!r}"
                )
            elif i not in rewritten and not _is_named_in(value.name, scope):
                yield f"op {index} ({op.function}) ran in the scope {scope!r}, but made {value.name!r}"


def _is_named_in(name: str, scope: str) -> bool:
    """Whether a name is that of a scope, a dot, and a variable, which has no dot."""
    prefix = f"{scope}." if scope else ""
    return name.startswith(prefix) and "." not in name.removeprefix(prefix)


def _in_order(graph: Graph) -> Iterator[str]:
    """Scopes are numbered as they were entered and left in the opposite order, so none is entered a second time."""
    latest = 0
    opened = {0}
    for index, op in enumerate(graph.ops):
        inside = _with_ancestors(graph, op.scope)
        if any(scope not in opened and scope <= latest for scope in inside):
            yield f"op {index} ({op.function}) ran in the scope {graph.scopes[op.scope].name!r}, which had been left"
        opened = set(inside)
        latest = max(latest, op.scope)


def _with_ancestors(graph: Graph, scope: int) -> list[int]:
    found, parent = [scope], graph.scopes[scope].parent
    while parent is not None:
        found.append(parent)
        parent = graph.scopes[parent].parent
    return found


def _in_outputs(graph: Graph) -> Iterator[str]:
    """A returned value is the last state of its tensor, and the key it is returned under is one of its names."""
    overwritten = {before for op in graph.ops for before, _ in op.writes}
    for i in values_in(graph.outputs):
        if i in overwritten:
            yield f"{graph.values[i].name!r} is returned, but was overwritten before"
    outputs = graph.outputs if isinstance(graph.outputs, dict) else {}
    names = {value.name for value in graph.values}
    for key, item in [*outputs.get("dict", ()), *outputs.get("fields", ())]:
        if isinstance(key, str) and isinstance(item, dict) and "value" in item and key not in names:
            value = graph.values[item["value"]]
            if key not in value.also:
                yield f"{value.name!r} is returned as {key!r}, which is none of its names"
