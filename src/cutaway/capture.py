"""One forward pass, watched: every torch function call, every module call, and a copy of every tensor made.

This is the hot path of a recording. It keeps raw events and copies; recording.py turns them into plain data afterwards.
A TorchFunctionMode sees calls at the level people read models (`layer_norm`, `Tensor.view`), not kernels.
"""

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import CodeType
from typing import Any

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from cutaway.naming import is_library

# Functions that may draw random numbers: the generator's state before the call is kept when the call moved it.
RANDOM = (
    "dropout", "alpha_dropout", "feature_dropout", "bernoulli", "multinomial", "normal", "rand", "rrelu",
    "gumbel_softmax", "scaled_dot_product_attention", "multi_head_attention_forward", "uniform_", "exponential_",
    "geometric_", "cauchy_", "log_normal_", "poisson", "feature_alpha_dropout", "fractional_max_pool",
)  # fmt: skip


@dataclass(slots=True)
class Call:
    """One call of a torch function. `copies` are its output tensors' contents, `wrote` the arguments it changed."""

    function: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    result: Any
    copies: list[tuple[Tensor, Tensor]]
    wrote: list[tuple[Tensor, Tensor]]
    scope: int
    code: CodeType | None
    instruction: int
    user_code: CodeType | None
    user_line: int
    generator: Tensor | None
    autocast: str | None


@dataclass(slots=True)
class Entry:
    """One call of a module."""

    module: nn.Module | None
    parent: int | None


class Capture(TorchFunctionMode):
    """Watches the torch calls of one thread while active.

    `calls` and `entries` grow in the order things happen. Tensors are known by identity, and `alive` keeps identities
    from being reused: `contents` and `versions` hold each one's content and write counter when last seen to change,
    `met` the content of those that no recorded call made, when first seen.
    """

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[Call] = []
        self.entries: list[Entry] = []
        self.alive: list[Tensor] = []
        self.versions: dict[int, int | None] = {}
        self.contents: dict[int, Tensor] = {}
        self.met: dict[int, Tensor] = {}
        self._stack: list[int] = []
        self._thread = threading.get_ident()
        self._by_storage: dict[int, list[Tensor]] = {}
        self._indexed = 0

    def know(self, tensor: Tensor) -> Tensor:
        """Keep a copy of a tensor that is there before the pass begins, or that turned up unannounced."""
        copy = copy_of(tensor)
        self.met.setdefault(id(tensor), copy)
        self._remember(tensor, copy)
        return copy

    def _remember(self, tensor: Tensor, copy: Tensor) -> None:
        key = id(tensor)
        if key not in self.versions:
            self.alive.append(tensor)
        self.versions[key] = version_of(tensor)
        self.contents[key] = copy

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        kwargs = kwargs or {}
        if threading.get_ident() != self._thread:
            return func(*args, **kwargs)
        operands = list(tensors_in((args, kwargs)) if kwargs else tensors_in(args))
        for tensor in operands:
            if id(tensor) not in self.versions:
                self.know(tensor)
        name = getattr(func, "__name__", "")
        before = torch.get_rng_state() if name.startswith(RANDOM) else None
        result = func(*args, **kwargs)
        wrote = self._written(operands)
        outputs = [result] if isinstance(result, Tensor) else list(tensors_in(result))
        if not outputs and not wrote and name not in LEAVES:
            return result
        copies = []
        for tensor in outputs:
            copy = copy_of(tensor)
            self._remember(tensor, copy)
            copies.append((tensor, copy))
        if before is not None and torch.equal(before, torch.get_rng_state()):
            before = None
        autocast = None
        if torch.is_autocast_enabled("cpu"):
            autocast = str(torch.get_autocast_dtype("cpu")).removeprefix("torch.")
        scope = self._stack[-1] if self._stack else 0
        place = _place(func)
        self.calls.append(Call(func, args, kwargs, result, copies, wrote, scope, *place, before, autocast))
        return result

    def _written(self, operands: list[Tensor]) -> list[tuple[Tensor, Tensor]]:
        """Every known tensor whose memory the call just changed, with its new content: operands and their aliases."""
        changed: list[Tensor] = []
        for tensor in operands:
            known = self.versions[id(tensor)]
            if known is None:
                if not same_bits(tensor, self.contents[id(tensor)]):
                    changed.append(tensor)
            elif tensor._version != known:
                changed.append(tensor)
        if not changed:
            return []
        for tensor in self.alive[self._indexed :]:
            self._by_storage.setdefault(_storage(tensor), []).append(tensor)
        self._indexed = len(self.alive)
        aliases = {id(alias): alias for tensor in changed for alias in self._by_storage[_storage(tensor)]}
        wrote = []
        for alias in aliases.values():
            copy = copy_of(alias)
            self._remember(alias, copy)
            wrote.append((alias, copy))
        return wrote

    @contextmanager
    def watching(self, root: nn.Module | None) -> Iterator[None]:
        """Record torch calls and module calls inside the block; torch is as before afterwards, also on an error."""
        original = nn.Module.__call__
        entries, stack, thread = self.entries, self._stack, self._thread
        if root is None:  # a plain function: its scope 0 is the call itself
            entries.append(Entry(None, None))
            stack.append(0)

        def call(module: nn.Module, *args: Any, **kwargs: Any) -> Any:
            if threading.get_ident() != thread:
                return original(module, *args, **kwargs)
            entries.append(Entry(module, stack[-1] if stack else None))
            stack.append(len(entries) - 1)
            try:
                return original(module, *args, **kwargs)
            finally:
                stack.pop()

        nn.Module.__call__ = call  # type: ignore[method-assign]
        try:
            with self:
                yield
        finally:
            nn.Module.__call__ = original  # type: ignore[method-assign]
            self._stack.clear()


# Calls that hand a tensor's content to Python, where no recording follows it.
LEAVES = frozenset(
    {
        "item",
        "tolist",
        "numpy",
        "__bool__",
        "__int__",
        "__float__",
        "__index__",
        "__complex__",
        "__array__",
        "__contains__",
    }
)


def tensors_in(tree: Any) -> Iterator[Tensor]:
    """The tensors among nested tuples, lists, dicts and dataclass fields, in order."""
    if isinstance(tree, Tensor):
        yield tree
    elif isinstance(tree, (tuple, list)):
        for item in tree:
            if isinstance(item, Tensor):
                yield item
            elif item.__class__ not in _PLAIN:
                yield from tensors_in(item)
    elif isinstance(tree, dict):
        for item in tree.values():
            yield from tensors_in(item)
    elif hasattr(tree, "__dataclass_fields__") and not isinstance(tree, type):
        for name in tree.__dataclass_fields__:
            yield from tensors_in(getattr(tree, name))


_PLAIN = frozenset({int, float, bool, str, type(None), slice, torch.dtype, torch.device, type(Ellipsis)})


def copy_of(tensor: Tensor) -> Tensor:
    """The content of a tensor, out of reach of later in-place writes."""
    if tensor.layout != torch.strided:
        return tensor.detach()
    return tensor.detach().clone()


def version_of(tensor: Tensor) -> int | None:
    """How often the tensor's memory was written; None under inference mode, which does not count."""
    return None if tensor.is_inference() else tensor._version


def same_bits(left: Tensor, right: Tensor) -> bool:
    """Whether two tensors of one shape and dtype hold the same bits."""
    left, right = (t.detach().contiguous().reshape(-1).view(torch.uint8) for t in (left, right))
    return torch.equal(left, right)


def _storage(tensor: Tensor) -> int:
    return tensor.untyped_storage()._cdata if tensor.layout == torch.strided else id(tensor)


def _place(func: Callable[..., Any]) -> tuple[CodeType | None, int, CodeType | None, int]:
    """Where the call stands: the statement that makes it, and the nearest line outside torch and cutaway."""
    frame = sys._getframe(2)
    own = getattr(func, "__code__", None)
    if frame.f_code.co_name == "handle_torch_function" and frame.f_back is not None:
        frame = frame.f_back
        while frame.f_back is not None and (frame.f_code is own or frame.f_code.co_name == "fn"):
            frame = frame.f_back
    code, instruction = frame.f_code, frame.f_lasti
    walk = frame
    while is_library(walk.f_code):
        if walk.f_back is None:
            return code, instruction, None, 0
        walk = walk.f_back
    return code, instruction, walk.f_code, walk.f_lineno
