"""The torch functions that replay may call, by name: those torch lists as overridable, and nothing else.

The list excludes what reads files, loads code or builds tensors from nothing (`torch.load`, `torch.hub`, factories).
"""

import warnings
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from torch.overrides import get_testing_overrides, resolve_name

from cutaway.errors import ReplayError

Function = Callable[..., Any]


@lru_cache(maxsize=1)
def _tables() -> tuple[dict[str, Function], dict[Function, str]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        listed = [(resolve_name(function), function) for function in get_testing_overrides()]
    named = sorted(((name, function) for name, function in listed if name), key=lambda pair: pair[0])
    return dict(named), {function: name for name, function in named}


def known_name(function: Function) -> str | None:
    """The name under which a function can be replayed, or None."""
    return _tables()[1].get(function)


def known_names() -> frozenset[str]:
    return frozenset(_tables()[0])


def find_function(name: str) -> Function:
    """The function of a name; refuses every name that is not on torch's list of overridable functions."""
    function = _tables()[0].get(name)
    if function is None:
        raise ReplayError(f"refused: {name!r} is not one of torch's overridable functions, so replay does not call it")
    return function
