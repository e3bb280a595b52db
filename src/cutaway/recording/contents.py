"""Torch tensors at one moment: what they hold, where they lie, and which ones a nest of arguments holds."""

from collections.abc import Iterable, Mapping
from typing import Any

import torch
from torch import Tensor
from torch.nn.parameter import is_lazy


class Seen:
    """A tensor as it was at one moment: its content, how it lay in which memory, whether it required a gradient.

    `form` is an alias of it that keeps its shape, strides and memory when the tensor itself is given others.
    """

    __slots__ = ("content", "form", "requires_grad", "tensor")

    def __init__(self, tensor: Tensor) -> None:
        self.tensor = tensor
        self.form = form = tensor.detach()
        self.content = form.clone() if tensor.layout is torch.strided else form
        self.requires_grad = tensor.requires_grad

    @property
    def strides(self) -> tuple[int, ...]:
        return self.form.stride()

    @property
    def offset(self) -> int:
        return int(self.form.storage_offset())

    @property
    def memory(self) -> int:
        return storage_of(self.form)


# Types of what holds no tensor and cannot change.
PLAIN = frozenset({int, float, bool, str, type(None), slice, torch.dtype, torch.device, type(Ellipsis), torch.Size})


def tensors_in(tree: Any) -> list[Tensor]:
    """The tensors among nested tuples, lists, mappings and dataclass fields, in order."""
    if isinstance(tree, Tensor):
        return [tree]
    found: list[Tensor] = []
    for item in parts(tree):
        if isinstance(item, Tensor):
            found.append(item)
        elif item.__class__ not in PLAIN:
            found += tensors_in(item)
    return found


def parts(tree: Any) -> Iterable[Any]:
    """What one container holds, as far as arguments and results are written down; nothing for all else."""
    if isinstance(tree, (tuple, list)):
        return tree
    if isinstance(tree, Mapping):
        return tree.values()
    if hasattr(tree, "__dataclass_fields__") and not isinstance(tree, type):
        return [getattr(tree, name, None) for name in tree.__dataclass_fields__]
    return ()


def frozen(tree: Any) -> Any:
    """The same, with every list and dict copied, so that what a model does to them later does not reach it."""
    kind = tree.__class__
    if kind is list:
        return [frozen(item) for item in tree]
    if kind is dict:
        return {key: frozen(item) for key, item in tree.items()}
    if kind is tuple and any(item.__class__ in _CONTAINERS for item in tree):
        return tuple([frozen(item) for item in tree])
    return tree


_CONTAINERS = frozenset({tuple, list, dict})


def copy_of(tensor: Tensor) -> Tensor:
    """The content of a tensor, out of reach of later in-place writes."""
    return tensor.detach().clone()


def has_content(tensor: Tensor) -> bool:
    """Whether a tensor is dense and has elements of its own: no lazy, meta, nested, sparse or quantized one."""
    odd = tensor.layout != torch.strided or tensor.is_meta or tensor.is_nested or tensor.is_quantized
    return not odd and not is_lazy(tensor)


def version_of(tensor: Tensor) -> int | None:
    """How often the tensor's memory was written; None under inference mode, which does not count."""
    return None if tensor.is_inference() else tensor._version


def same_bits(left: Tensor, right: Tensor) -> bool:
    """Whether two dense tensors have one shape and dtype and hold the same bits."""
    if left.shape != right.shape or left.dtype != right.dtype:
        return False
    return torch.equal(*(plain_content(tensor).view(torch.uint8) for tensor in (left, right)))


def plain_content(tensor: Tensor) -> Tensor:
    """The elements of a dense tensor in C order, as one row."""
    whole = tensor.detach().resolve_conj().resolve_neg().cpu().contiguous()
    return whole.as_strided((whole.numel(),), (1,))  # reshape would keep the odd stride of a lone element


def bytes_of(tensor: Tensor) -> bytes:
    """The elements of a dense tensor in C order, little-endian, one after the other."""
    flat = plain_content(tensor)
    return bytes(flat.view(torch.uint8).numpy().data) if flat.numel() else b""


def storage_of(tensor: Tensor) -> int:
    return tensor.untyped_storage()._cdata if tensor.layout == torch.strided else id(tensor)
