"""The torch functions that replay may call, by name: those torch lists as overridable, and nothing else.

Torch's list has nothing that reads files, loads code or builds tensors from nothing (`torch.load`, `torch.hub`,
factories). From it EXCLUDED takes away what a replayed op has no use for and a hostile bundle might: every function
gets its arguments from the bundle. What remains may still ask for much memory or time, as any computation may.
"""

import warnings
from collections.abc import Callable
from functools import lru_cache
from types import FunctionType
from typing import Any

import torch
from torch.overrides import get_testing_overrides, resolve_name

from cutaway.errors import ReplayError

Function = Callable[..., Any]

# Methods and functions that replay does not call, by what they do.
EXCLUDED = {
    # Call a Python function for each element, or later. A bundle can name none, so no recording of them replays.
    *(f"torch.Tensor.{name}" for name in ("apply_", "map_", "map2_", "register_hook")),
    "torch.Tensor.register_post_accumulate_grad_hook",
    # Point a tensor at other memory, or make it larger than what was written: the rest is whatever lay there before.
    *(f"torch.Tensor.{name}" for name in ("set_", "resize", "resize_", "resize_as", "resize_as_")),
    *(f"torch.Tensor.{name}" for name in ("resize_as_sparse_", "sparse_resize_", "sparse_resize_and_clear_")),
    # Give a tensor the state, the gradient graph or the owner that the arguments describe.
    *(f"torch.Tensor.{name}" for name in ("__setstate__", "__reduce_ex__", "module_load", "backward")),
    # Reach outside the process: shared memory is a file, pinned memory is taken from the system for good.
    *(f"torch.Tensor.{name}" for name in ("share_memory_", "pin_memory", "record_stream")),
    # Take weights packed as a pointer inside a tensor; recorded bytes cannot hold one.
    *(f"torch.fbgemm_linear_{name}" for name in ("fp16_weight", "fp16_weight_fp32_activation")),
    *(f"torch.fbgemm_linear_{name}" for name in ("int8_weight", "int8_weight_fp32_activation")),
    *(f"torch.quantized_{name}_cell" for name in ("gru", "lstm", "rnn_relu", "rnn_tanh")),
}
# Functions of tensors that torch's list lacks, though its own recurrent layers call them.
ADDED = ("torch._pack_padded_sequence", "torch._pad_packed_sequence")


@lru_cache(maxsize=1)
def _tables() -> tuple[dict[str, Function], dict[Function, str]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        listed = [(resolve_name(function), function) for function in get_testing_overrides()]
    listed += [(name, getattr(torch, name.removeprefix("torch."))) for name in ADDED]
    kept = ((name, function) for name, function in listed if name and name not in EXCLUDED)
    named = sorted(kept, key=lambda pair: pair[0])
    return dict(named), {function: name for name, function in named}


def known_name(function: Function) -> str | None:
    """The name under which a function can be replayed, or None.

    A method that torch does not list (`Tensor.unflatten`) is replayed by the listed function of the same name.
    """
    by_name, names = _tables()
    name = names.get(function)
    if name is None and isinstance(getattr(torch.Tensor, getattr(function, "__name__", ""), None), FunctionType):
        name = f"torch.{function.__name__}" if resolve_name(function) == f"torch.Tensor.{function.__name__}" else None
        return name if name in by_name else None
    return name


def known_names() -> frozenset[str]:
    return frozenset(_tables()[0])


def find_function(name: str) -> Function:
    """The function of a name; refuses every name that is not on torch's list, or is in EXCLUDED."""
    function = _tables()[0].get(name)
    if function is None:
        why = "would reach past its tensors" if name in EXCLUDED else "is not one of torch's overridable functions"
        raise ReplayError(f"refused: {name!r} {why}, so replay does not call it; record the model without it")
    return function
