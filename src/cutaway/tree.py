"""Arguments and results as strict JSON trees (docs/format.md, "tree"), and back."""

import dataclasses
import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch

from cutaway.errors import BundleError
from cutaway.recorded import Tree

_EXACT_IN_JSON = 2**53  # larger integers do not survive a reader that knows doubles only


def encode(item: Any, value_of: Callable[[torch.Tensor, str], int], path: str = "") -> Tree:
    """An argument or result as a tree. `value_of(tensor, path)` gives the id of the value a tensor is."""
    match item:
        case np.generic():
            return encode(item.item(), value_of, path)
        case torch.Tensor():
            return {"value": value_of(item, path)}
        case None | bool() | str():
            return item
        case torch.Size():
            return {"tuple": list(item)}
        case int():
            return int(item) if abs(item) <= _EXACT_IN_JSON else {"int": str(item)}
        case float():
            return (
                float(item)
                if math.isfinite(item)
                else {"float": "nan" if math.isnan(item) else "inf" if item > 0 else "-inf"}
            )
        case complex():
            return {"complex": [encode(item.real, value_of), encode(item.imag, value_of)]}
        case slice():
            return {"slice": [encode(part, value_of, path) for part in (item.start, item.stop, item.step)]}
        case torch.dtype():
            return {"dtype": _tail(item)}
        case torch.device():
            return {"device": str(item)}
        case torch.layout():
            return {"layout": _tail(item)}
        case torch.memory_format():
            return {"memory_format": _tail(item)}
    if item is Ellipsis:
        return {"ellipsis": True}
    return _encode_container(item, value_of, path)


def _encode_container(item: Any, value_of: Callable[[torch.Tensor, str], int], path: str) -> Tree:
    if dataclasses.is_dataclass(item) and not isinstance(item, type):
        fields = [f.name for f in dataclasses.fields(item)]
        return {
            "object": type(item).__name__,
            "fields": [[name, encode(getattr(item, name), value_of, f"{path}.{name}")] for name in fields],
        }
    if isinstance(item, tuple) and hasattr(item, "_fields"):
        pairs = zip(item._fields, item, strict=True)
        return {
            "object": type(item).__name__,
            "fields": [[name, encode(v, value_of, f"{path}.{name}")] for name, v in pairs],
        }
    if isinstance(item, Mapping):
        return {"dict": [[encode(k, value_of), encode(v, value_of, f"{path}.{k}")] for k, v in item.items()]}
    if isinstance(item, tuple):
        return {"tuple": [encode(part, value_of, f"{path}[{i}]") for i, part in enumerate(item)]}
    if isinstance(item, list):
        return [encode(part, value_of, f"{path}[{i}]") for i, part in enumerate(item)]
    return {"opaque": type(item).__name__}


def holds_opaque(tree: Tree) -> bool:
    """Whether a tree holds something that could not be written down."""
    if isinstance(tree, list):
        return any(holds_opaque(part) for part in tree)
    return isinstance(tree, dict) and ("opaque" in tree or any(holds_opaque(part) for part in tree.values()))


def decode(tree: Tree, tensor_of: Callable[[int], Any]) -> Any:
    """A tree as Python objects. `tensor_of(id)` gives the tensor that stands for a value.

    Objects come back as dicts of their fields. Raises BundleError on a tag that docs/format.md does not list.
    """
    if not isinstance(tree, (dict, list)):
        return tree
    if isinstance(tree, list):
        return [decode(part, tensor_of) for part in tree]
    match tree:
        case {"value": index}:
            return tensor_of(index)
        case {"tuple": parts}:
            return tuple(decode(part, tensor_of) for part in parts)
        case {"dict": pairs} | {"fields": pairs}:
            return {decode(k, tensor_of): decode(v, tensor_of) for k, v in pairs}
        case {"slice": [start, stop, step]}:
            return slice(*(decode(part, tensor_of) for part in (start, stop, step)))
        case {"ellipsis": True}:
            return Ellipsis
        case {"int": digits}:
            return int(digits)
        case {"float": ("nan" | "inf" | "-inf") as name}:
            return float(name)
        case {"complex": [real, imaginary]}:
            return complex(decode(real, tensor_of), decode(imaginary, tensor_of))
        case {"device": name}:
            return torch.device(name)
        case {"dtype": name} | {"layout": name} | {"memory_format": name}:
            return _torch_constant(next(iter(tree)), name)
    raise BundleError(f"graph.json holds an argument of unknown form: {str(tree)[:80]}; it was damaged or is newer")


def _torch_constant(kind: str, name: str) -> Any:
    """torch.float32 and its like: looked up by type, so that no other attribute of torch can be named."""
    types = {"dtype": torch.dtype, "layout": torch.layout, "memory_format": torch.memory_format}
    found = getattr(torch, name, None) if isinstance(name, str) else None
    if not isinstance(found, types[kind]):
        raise BundleError(f"graph.json names the {kind} {name!r}, which torch does not have")
    return found


def _tail(item: object) -> str:
    return str(item).removeprefix("torch.")
