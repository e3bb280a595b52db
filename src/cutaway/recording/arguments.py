"""What a model is called with: the names its signature gives, and what cannot be recorded, refused before the run."""

import inspect
from collections.abc import Callable, Iterator
from typing import Any

from torch import Tensor, nn

from cutaway.errors import RecordingError
from cutaway.recipe import Example
from cutaway.recording.contents import PLAIN, parts

DEEPEST = 25  # containers in containers; each takes up to three of the 100 levels that a bundle's JSON may have


def named_arguments(model: Callable[..., Any], example: Example) -> dict[str, dict[str, Any]]:
    """Positional and keyword arguments under the names that the model's signature gives them."""
    function = model.forward if isinstance(model, nn.Module) else model
    names: list[str] = []
    try:
        for parameter in inspect.signature(function).parameters.values():
            if parameter.kind is parameter.VAR_POSITIONAL:
                names += [f"{parameter.name}[{i}]" for i in range(len(example.args) - len(names))]
                break
            if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
                names.append(parameter.name)
    except (TypeError, ValueError):  # built-in functions have no signature
        pass
    names += [f"args[{i}]" for i in range(len(names), len(example.args))]
    return {"args": dict(zip(names, example.args, strict=False)), "kwargs": dict(example.kwargs)}


def check_arguments(named: dict[str, dict[str, Any]]) -> None:
    """Raise RecordingError, naming the argument, for one that holds an iterator, itself, or too many containers."""
    for arguments in named.values():
        for name, item in arguments.items():
            check_nest(item, f"the argument {name!r}")
            iterator = _iterator_in(item)
            if iterator is not None:
                kind = type(iterator).__name__
                raise RecordingError(
                    f"the argument {name!r} is or holds a {kind}, which can be read only once; pass a list instead"
                )


def check_nest(tree: Any, what: str, above: tuple[int, ...] = ()) -> None:
    """Raise RecordingError where containers hold themselves, or are nested deeper than a bundle can hold."""
    if id(tree) in above:
        raise RecordingError(f"{what} is a container that holds itself, which cannot be written down; take it apart")
    if len(above) > DEEPEST:
        raise RecordingError(f"{what} is nested deeper than {DEEPEST} containers; make it flatter")
    if not isinstance(tree, Tensor):
        for part in parts(tree):
            if part.__class__ not in PLAIN:
                check_nest(part, what, (*above, id(tree)))


def _iterator_in(tree: Any) -> Iterator[Any] | None:
    if isinstance(tree, Iterator):
        return tree
    if isinstance(tree, Tensor):
        return None
    found = (_iterator_in(part) for part in parts(tree) if part.__class__ not in PLAIN)
    return next((iterator for iterator in found if iterator is not None), None)
