"""Module calls -> named scopes. A module that its caller does not own is named after where the caller keeps it."""

import inspect
from collections.abc import Callable
from types import CodeType
from typing import Any

from torch import nn

from cutaway.recorded import Scope, Source
from cutaway.recording.capture import Capture
from cutaway.recording.naming import shown_path


def name_scopes(capture: Capture, model: Callable[..., Any]) -> list[Scope]:
    """One scope a module call, named by the module's path, with `#2` for a second call under the same parent."""
    paths: dict[int, str] = {}
    for path, module in model.named_modules(remove_duplicate=False) if isinstance(model, nn.Module) else ():
        paths.setdefault(id(module), path)
    scopes: list[Scope] = []
    counts: dict[tuple[int | None, str], int] = {}
    for entry in capture.entries:
        module, parent = entry.module, entry.parent
        if module is None or parent is None:
            callee = type(module).__name__ if module is not None else "function"
            scopes.append(Scope("", "", callee, None, 1, {}, _source_of(module if module is not None else model)))
            continue
        above = scopes[parent]
        if id(module) not in paths:
            _add_unregistered(paths, capture.entries[parent].module or model, above.path, module)
        path = paths[id(module)]
        inner = path.removeprefix(above.path + ".") if above.path else path
        count = counts[parent, inner] = counts.get((parent, inner), 0) + 1
        local = inner if count == 1 else f"{inner}#{count}"
        name = f"{above.name}.{local}" if above.name else local
        scopes.append(Scope(name, path, type(module).__name__, parent, count, {}, _source_of(module)))
    return scopes


def module_paths(model: Callable[..., Any], capture: Capture, scopes: list[Scope]) -> list[tuple[str, nn.Module]]:
    """Every module of the model, and every other one that ran, with its path."""
    found = list(model.named_modules(remove_duplicate=False)) if isinstance(model, nn.Module) else []
    known = {id(module) for _, module in found}
    for entry, scope in zip(capture.entries, scopes, strict=True):
        if entry.module is not None and id(entry.module) not in known:
            known.add(id(entry.module))
            found.append((scope.path, entry.module))
    return found


def _add_unregistered(paths: dict[int, str], holder: Callable[..., Any], above: str, module: nn.Module) -> None:
    """Paths for a module that its caller does not own, and its children: where the caller keeps it, else its class."""
    local = _place_in(_variables(holder), module) or type(module).__name__
    base = path = f"{above}.{local}" if above else local
    taken, number = set(paths.values()), 1
    while path in taken:
        number += 1
        path = f"{base}({number})"
    for inner, child in module.named_modules():
        paths.setdefault(id(child), f"{path}.{inner}" if inner else path)


def _variables(holder: Callable[..., Any]) -> dict[str, Any]:
    """What a module keeps in plain attributes, or what a function finds around itself."""
    if isinstance(holder, nn.Module):
        return {key: item for key, item in vars(holder).items() if not key.startswith("_")}
    function = inspect.unwrap(holder)
    if not inspect.isfunction(function) and not inspect.ismethod(function):
        return {}
    around = inspect.getclosurevars(function)
    return {**around.globals, **around.nonlocals}


def _place_in(items: dict[str, Any], module: nn.Module) -> str | None:
    """The variable, or the place in lists, tuples and dicts, that holds a module: `layers[0]`, `by_name['first']`."""
    for place, item in items.items():
        if item is module:
            return place
        inner: dict[str, Any] = {}
        if isinstance(item, (list, tuple)):
            inner = {f"{place}[{i}]": entry for i, entry in enumerate(item)}
        elif isinstance(item, dict):
            inner = {f"{place}[{key!r}]": entry for key, entry in item.items()}
        found = _place_in(inner, module)
        if found is not None:
            return found
    return None


def _source_of(callee: Callable[..., Any]) -> Source | None:
    function = callee
    if isinstance(callee, nn.Module):
        function = next((vars(kind)["forward"] for kind in type(callee).__mro__ if "forward" in vars(kind)), callee)
    code = getattr(inspect.unwrap(function), "__code__", None)
    return source_at(code, code.co_firstlineno) if code is not None else None


def source_at(code: CodeType | None, line: int) -> Source | None:
    return None if code is None else Source(shown_path(code.co_filename), code.co_qualname, line)
