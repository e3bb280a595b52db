"""One forward pass, watched: every torch function call, every module call, and a copy of every tensor made.

This is the hot path of a recording. It keeps raw events and copies; assembly.py turns them into plain data afterwards.
A TorchFunctionMode sees calls at the level people read models (`layer_norm`, `Tensor.view`), not kernels.
"""

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from threading import get_ident
from types import CodeType, FrameType, FunctionType
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.parameter import is_lazy
from torch.overrides import TorchFunctionMode, handle_torch_function, resolve_name

from cutaway.functions import EXCLUDED, known_name
from cutaway.recording.contents import Seen, frozen, same_bits, storage_of, tensors_in, version_of
from cutaway.recording.naming import is_library

# Functions that replay could call, but that hide what people look for; those it cannot call are opened as well.
OPENED = frozenset({F.multi_head_attention_forward})
# Functions that write to an argument without counting it.
UNCOUNTED = frozenset({
    "__set__", "batch_norm", "instance_norm", "native_batch_norm", "cudnn_batch_norm", "miopen_batch_norm",
    "batch_norm_update_stats", "batch_norm_gather_stats", "batch_norm_gather_stats_with_counts",
    "fused_moving_avg_obs_fake_quant",
})  # fmt: skip
# Calls that hand a tensor's content to Python, where no recording follows it.
LEAVES = frozenset({
    "item", "tolist", "numpy", "__bool__", "__int__", "__float__", "__index__", "__complex__", "__array__",
    "__contains__", "__dlpack__", "equal", "allclose", "is_nonzero",
})  # fmt: skip
# Those of them, and others, that hand out the memory itself: from then on Python can write to it unseen.
SHARING = frozenset({"numpy", "__array__", "__dlpack__", "data_ptr", "untyped_storage", "storage"})
# The commonest functions that draw no random numbers, so that the generator's state need not be compared around them.
STEADY = frozenset({
    "__get__", "__getitem__", "__setitem__", "abs", "add", "add_", "bmm", "cat", "chunk", "clamp", "contiguous",
    "cos", "cross_entropy", "div", "embedding", "exp", "expand", "flatten", "gelu", "group_norm", "layer_norm",
    "linear", "log", "log_softmax", "masked_fill", "matmul", "mean", "mul", "mul_", "permute", "pow", "relu",
    "repeat", "reshape", "rsqrt", "sigmoid", "silu", "sin", "size", "softmax", "split", "sqrt", "squeeze", "stack",
    "sub", "sum", "tanh", "to", "transpose", "tril", "triu", "type_as", "unbind", "unsqueeze", "view", "where",
})  # fmt: skip
# nn.Module.__call__ is one for all threads, so only one pass at a time can be watched.
_WATCHING = threading.RLock()


@dataclass(slots=True)
class Call:
    """One call of a torch function, or of a module whose inside could not be seen.

    `args`, `kwargs` and `result` are as they were at the call: lists that the model goes on filling are copied.
    `outputs` are the tensors it returned, `wrote` those it changed, `generator` the random state before it if
    it drew from it.
    """

    function: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    result: Any
    outputs: list[Seen]
    wrote: list[Seen]
    scope: int
    code: CodeType | None
    instruction: int
    user_code: CodeType | None
    user_line: int
    generator: Tensor | None
    autocast: str | None
    grad: bool


@dataclass(slots=True)
class Unseen:
    """Tensors found changed though no call that was seen changed them."""

    wrote: list[Seen]
    scope: int


@dataclass(slots=True)
class Entry:
    """One call of a module."""

    module: nn.Module | None
    parent: int | None


class Capture(TorchFunctionMode):
    """Watches the torch calls of one thread while active.

    `calls` and `entries` grow in the order things happen. Tensors are known by identity, and `alive` keeps identities
    from being reused: `last` and `versions` hold each one and its write counter when last seen to change, `met` those
    that no recorded call made, when first seen. `meet` is told of each module before it runs.
    """

    def __init__(self, meet: Callable[[nn.Module], None] = lambda module: None) -> None:
        super().__init__()
        self.calls: list[Call | Unseen] = []
        self.entries: list[Entry] = []
        self.alive: list[Tensor] = []
        self.versions: dict[int, int | None] = {}
        self.last: dict[int, Seen] = {}
        self.met: dict[int, Seen] = {}
        self._meet = meet
        self._outermost: FrameType | None = None
        self._stack: list[int] = []
        self._thread = get_ident()
        self._shared: set[int] = set()
        self._by_storage: dict[int, list[Tensor]] = {}
        self._indexed = 0

    def know(self, tensor: Tensor) -> None:
        """Keep a tensor as it is before the pass begins, or when it turns up unannounced."""
        if id(tensor) not in self.versions:
            self.met[id(tensor)] = self._remember(tensor)

    def foreign(self) -> list[tuple[Tensor, Tensor]]:
        """Every tensor that no recorded call made, and the content it had when first seen."""
        return [(seen.tensor, seen.content) for seen in self.met.values()]

    def _remember(self, tensor: Tensor) -> Seen:
        key = id(tensor)
        if key not in self.versions:
            self.alive.append(tensor)
        self.versions[key] = version_of(tensor)
        self.last[key] = seen = Seen(tensor)
        return seen

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        kwargs = kwargs or {}
        operands = tensors_in((args, kwargs)) if kwargs else tensors_in(args)
        if get_ident() != self._thread or (_inside_transform() and any(map(_is_wrapped, operands))):
            return func(*args, **kwargs)  # inside vmap and its like a tensor stands for many, and has no content
        kind = _kind(func)
        if kind.opened is not None:
            with self:
                return kind.opened(*args, **kwargs)
        self._look_at(operands)
        args, kwargs = frozen(args), frozen(kwargs)
        before = None if kind.steady else torch.get_rng_state()
        result = func(*args, **kwargs)
        if before is not None and torch.equal(before, torch.get_rng_state()):
            before = None
        if kind.shares:
            self._shared.update(map(storage_of, operands))
        changed = self._changed(operands, kind.uncounted)
        wrote = self._rewrite(changed) if changed else []
        outputs = tensors_in(result)
        if outputs or wrote or kind.leaves:
            self._note(func, args, kwargs, result, outputs, wrote, before, _place(kind.code, self._outermost))
        return result

    def _note(
        self,
        function: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        result: Any,
        outputs: list[Tensor],
        wrote: list[Seen],
        generator: Tensor | None,
        place: tuple[CodeType | None, int, CodeType | None, int],
    ) -> None:
        made = [self._remember(tensor) for tensor in outputs]
        autocast = None
        if torch.is_autocast_enabled("cpu"):
            autocast = str(torch.get_autocast_dtype("cpu")).removeprefix("torch.")
        modes = generator, autocast, torch.is_grad_enabled()
        self.calls.append(Call(function, args, kwargs, frozen(result), made, wrote, self._scope, *place, *modes))

    @property
    def _scope(self) -> int:
        return self._stack[-1] if self._stack else 0

    def _look_at(self, tensors: list[Tensor]) -> None:
        """Notice what happened to these tensors since they were last seen."""
        versions = self.versions
        for tensor in tensors:
            if id(tensor) not in versions:
                self.know(tensor)
        for tensor in self._changed(tensors):
            if self._is_changed(tensor):  # else it went along with an alias
                self.calls.append(Unseen(self._rewrite([tensor]), self._scope))

    def _changed(self, tensors: list[Tensor], closely: bool = False) -> list[Tensor]:
        """Those of these known tensors that were written to since they were last seen."""
        versions, suspects = self.versions, tensors
        if not closely and not self._shared:
            suspects = [t for t in tensors if (known := versions[id(t)]) is None or t._version != known]
        return [tensor for tensor in suspects if self._is_changed(tensor)] if suspects else suspects

    def _is_changed(self, tensor: Tensor) -> bool:
        """By its counter, its memory, or its content, since there are writes that do not count."""
        known, last = self.versions[id(tensor)], self.last[id(tensor)]
        counted = known is not None and tensor._version != known
        return counted or last.memory != storage_of(tensor) or not same_bits(tensor, last.content)

    def _rewrite(self, changed: list[Tensor]) -> list[Seen]:
        """Every known tensor on memory that was just written, as it is now: these and their aliases."""
        for tensor in self.alive[self._indexed :]:
            self._by_storage.setdefault(storage_of(tensor), []).append(tensor)
        self._indexed = len(self.alive)
        aliases = {id(tensor): tensor for tensor in changed}
        for tensor in changed:
            known = self._by_storage.setdefault(storage_of(tensor), [])
            if all(alias is not tensor for alias in known):  # it was given other memory
                known.append(tensor)
            aliases |= {id(alias): alias for alias in known if storage_of(alias) == storage_of(tensor)}
        return [self._remember(alias) for alias in aliases.values()]

    @contextmanager
    def watching(self, root: nn.Module | None) -> Iterator[None]:
        """Record torch calls and module calls inside the block; torch is as before afterwards, also on an error."""
        entries, stack, thread = self.entries, self._stack, self._thread
        if root is None:  # a plain function: its scope 0 is the call itself
            entries.append(Entry(None, None))
            stack.append(0)

        def call(module: nn.Module, *args: Any, **kwargs: Any) -> Any:
            if get_ident() != thread:
                return original(module, *args, **kwargs)
            self._meet_module(module)
            entries.append(Entry(module, stack[-1] if stack else None))
            stack.append(len(entries) - 1)
            seen = len(entries), len(self.calls)
            try:
                result = original(module, *args, **kwargs)
                if seen == (len(entries), len(self.calls)):
                    self._note_opaque(module, args, kwargs, result)
                return result
            finally:
                stack.pop()

        with _WATCHING:
            self._outermost = sys._getframe(2)  # beyond contextlib: whoever runs the model
            original = nn.Module.__call__
            nn.Module.__call__ = call  # type: ignore[method-assign]
            try:
                with self:
                    yield
            finally:
                nn.Module.__call__ = original  # type: ignore[method-assign]
                stack.clear()
                self._outermost = None

    def _meet_module(self, module: nn.Module) -> None:
        self._meet(module)
        versions = self.versions
        for store in (module._parameters, module._buffers):
            for tensor in store.values():
                if tensor is not None and id(tensor) not in versions and not is_lazy(tensor):
                    with torch._C.DisableTorchFunction():  # looking at tensors is no part of the pass
                        self.know(tensor)

    def _note_opaque(self, module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> None:
        """A module in which no call was seen, though tensors came out that no call made: one opaque call."""
        outputs = [tensor for tensor in tensors_in(result) if not _is_wrapped(tensor)]
        if any(id(tensor) not in self.versions for tensor in outputs):
            with torch._C.DisableTorchFunction():
                self._look_at(tensors_in((args, kwargs)))
                self._note(module, frozen(args), frozen(kwargs), result, outputs, [], None, (None, 0, None, 0))


@dataclass(slots=True, frozen=True)
class Kind:
    """What is known of a function before it is called."""

    opened: Callable[..., Any] | None
    code: CodeType | None
    steady: bool
    uncounted: bool
    shares: bool
    leaves: bool


@cache
def _kind(function: Callable[..., Any]) -> Kind:
    name, code = getattr(function, "__name__", ""), getattr(function, "__code__", None)
    return Kind(_opened(function), code, name in STEADY, name in UNCOUNTED, name in SHARING, name in LEAVES)


def _opened(function: Callable[..., Any]) -> Callable[..., Any] | None:
    """For a function that torch wrote in Python and that is made of several others: a copy that does not hand itself
    over, so that the calls inside it are seen. None for all others.
    """
    if not isinstance(function, FunctionType) or function.__closure__ or resolve_name(function) in EXCLUDED:
        return None
    hands_over = [name for name in function.__globals__ if name.startswith("has_torch_function")]
    if not hands_over or (known_name(function) and function not in OPENED):
        return None
    names = {**function.__globals__, **dict.fromkeys(hands_over, _never)}
    copy = FunctionType(function.__code__, names, function.__name__, function.__defaults__)
    copy.__kwdefaults__ = function.__kwdefaults__
    return copy


def _never(*tensors: Any) -> bool:
    return False


_is_wrapped = torch._C._functorch.is_functorch_wrapped_tensor


def _inside_transform() -> bool:
    """Whether vmap, grad or another transform of torch.func is under way."""
    return torch._C._functorch.peek_interpreter_stack() is not None


def _place(own: CodeType | None, outermost: FrameType | None) -> tuple[CodeType, int, CodeType, int]:
    """Where the call stands: the statement that makes it, and the nearest line of the model's author.

    `own` is the called function's code, `outermost` the frame that runs the model. Where nothing between belongs to the
    author, the statement's own line.
    """
    frame = sys._getframe(2)
    if frame.f_code is _HANDS_OVER and frame.f_back is not None:
        frame = frame.f_back
        while frame.f_back is not None and (frame.f_code is own or frame.f_code.co_name == "fn"):
            frame = frame.f_back
    walk: FrameType | None = frame
    while walk is not None and walk is not outermost:
        if not is_library(walk.f_code.co_filename):
            return frame.f_code, frame.f_lasti, walk.f_code, walk.f_lineno
        walk = walk.f_back
    return frame.f_code, frame.f_lasti, frame.f_code, frame.f_lineno


_HANDS_OVER = handle_torch_function.__code__
