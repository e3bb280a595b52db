"""What a forward pass can change without a torch call: how each kind of object is kept, and brought back.

`state_of(item)` says what to call to bring an object back as it is now, and which objects to look into next. An object
that did not change is not written to, since others may hold it too.
"""

import enum
import functools
import random
import sys
from collections import OrderedDict, UserDict, UserList, deque
from collections.abc import Callable, Iterable
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import torch
from torch import nn

Restore = Callable[[], None]

# What these libraries keep in their own objects is theirs, their containers and modules excepted.
_LIBRARIES = sys.stdlib_module_names | {"torch", "numpy", "cutaway"}
_CLOSED = (type, enum.Enum, ModuleType, FunctionType, BuiltinFunctionType)
_ABSENT = object()


def state_of(item: Any) -> tuple[list[Restore], list[Any]]:
    """How to bring one object back as it is now, and the objects it holds."""
    restores: list[Restore] = []
    parts: list[Any] = []
    for kind, look in _KINDS:
        if isinstance(item, kind):
            restore, held = look(item)
            restores += [restore] if restore is not None else []
            parts += held
            break
    if _has_own_attributes(item):
        parts += [item.__dict__] if hasattr(item, "__dict__") else []
        slots = _slots(item)
        if slots:
            restores.append(functools.partial(_restore_slots, item, slots))
            parts += slots.values()
    return restores, parts


def _has_own_attributes(item: Any) -> bool:
    """Whether the attributes of an object are part of what a model works on: those of modules, of plain records, and
    of whatever a library did not write."""
    if isinstance(item, _CLOSED):
        return False
    library = type(item).__module__.partition(".")[0]
    return library not in _LIBRARIES or isinstance(item, (nn.Module, SimpleNamespace, UserDict, UserList))


def _slots(item: Any) -> dict[str, Any]:
    names: list[str] = []
    for kind in type(item).__mro__:
        own = kind.__dict__.get("__slots__", ())
        names += [own] if isinstance(own, str) else own
    return {name: getattr(item, name, _ABSENT) for name in names if name not in ("__dict__", "__weakref__")}


def _restore_slots(item: Any, slots: dict[str, Any]) -> None:
    for name, content in slots.items():
        if getattr(item, name, _ABSENT) is content:
            continue
        if content is _ABSENT:
            object.__delattr__(item, name)
        else:
            object.__setattr__(item, name, content)  # that of the class may refuse, as a frozen dataclass does


Look = Callable[[Any], tuple[Restore | None, Iterable[Any]]]


def _dict(item: dict[Any, Any]) -> tuple[Restore, Iterable[Any]]:
    base: Any = OrderedDict if isinstance(item, OrderedDict) else dict  # a class of its own may refuse to be written to
    content = list(base.items(item))

    def restore() -> None:
        now = base.items(item)
        if len(now) != len(content) or any(
            key is not k or part is not p for (key, part), (k, p) in zip(now, content, strict=True)
        ):
            base.clear(item)
            for key, part in content:
                base.__setitem__(item, key, part)

    return restore, [part for pair in content for part in pair]


def _list(item: list[Any]) -> tuple[Restore, Iterable[Any]]:
    content = list(item)

    def restore() -> None:
        if not _are_same(item, content):
            list.__setitem__(item, slice(None), content)

    return restore, content


def _set(item: set[Any]) -> tuple[Restore, Iterable[Any]]:
    content = set(item)

    def restore() -> None:
        if item != content:
            set.clear(item)
            set.update(item, content)

    return restore, content


def _deque(item: deque[Any]) -> tuple[Restore, Iterable[Any]]:
    content = list(item)

    def restore() -> None:
        if not _are_same(item, content):
            deque.clear(item)
            deque.extend(item, content)

    return restore, content


def _are_same(left: Iterable[Any], right: list[Any]) -> bool:
    now = list(left)
    return len(now) == len(right) and all(a is b for a, b in zip(now, right, strict=True))


def _array(item: np.ndarray[Any, Any]) -> tuple[Restore | None, Iterable[Any]]:
    if item.dtype.hasobject or not item.flags.writeable:
        return None, ()
    content = item.copy()

    def restore() -> None:
        if item.tobytes() != content.tobytes():
            np.copyto(item, content)

    return restore, ()


def _torch_generator(item: torch.Generator) -> tuple[Restore, Iterable[Any]]:
    state = item.get_state()

    def restore() -> None:
        item.set_state(state)

    return restore, ()


def _numpy_generator(item: np.random.Generator) -> tuple[Restore, Iterable[Any]]:
    return functools.partial(setattr, item.bit_generator, "state", item.bit_generator.state), ()


def _numpy_random_state(item: np.random.RandomState) -> tuple[Restore, Iterable[Any]]:
    return functools.partial(item.set_state, item.get_state()), ()


def _python_generator(item: random.Random) -> tuple[Restore | None, Iterable[Any]]:
    if isinstance(item, random.SystemRandom):  # it has no state
        return None, ()
    return functools.partial(item.setstate, item.getstate()), ()


def _only_parts(item: Iterable[Any]) -> tuple[None, Iterable[Any]]:
    return None, item


_KINDS: tuple[tuple[type, Look], ...] = (
    (dict, _dict),
    (list, _list),
    (tuple, _only_parts),
    (set, _set),
    (frozenset, _only_parts),
    (deque, _deque),
    (np.ndarray, _array),
    (torch.Generator, _torch_generator),
    (np.random.Generator, _numpy_generator),
    (np.random.RandomState, _numpy_random_state),
    (random.Random, _python_generator),
    (MethodType, lambda method: (None, (method.__self__,))),
    (functools.partial, lambda partial: (None, (partial.func, partial.args, partial.keywords))),
)
