"""values.safetensors: the tensors of a record as entries NAME@0, NAME@1, ..., and back (docs/format.md)."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import safetensors

from cutaway.errors import BundleError
from cutaway.recorded import Example, Graph, Record, Value
from cutaway.tensor import Tensor

NAME = "values.safetensors"

# safetensors' names of dtypes; complex is stored as pairs of floats, the rest under torch's own name.
_STORED = {"complex64": "float32", "complex128": "float64"}
_CODES = {
    "BOOL": "bool", "U8": "uint8", "I8": "int8", "U16": "uint16", "I16": "int16", "U32": "uint32", "I32": "int32",
    "U64": "uint64", "I64": "int64", "F16": "float16", "BF16": "bfloat16", "F32": "float32", "F64": "float64",
    "F8_E4M3": "float8_e4m3fn", "F8_E5M2": "float8_e5m2",
}  # fmt: skip


def pack(record: Record) -> tuple[list[dict[str, Any]], dict[str, Tensor]]:
    """The examples as graph.json lists them, and the entries of the file, each distinct content once."""
    seen: dict[str, dict[str, int]] = {}
    contents: dict[str, Tensor] = {}
    examples: list[dict[str, Any]] = []
    for example in record.examples:
        row: list[int | None] = []
        for value, tensor in zip(record.graphs[example.graph].values, example.tensors, strict=True):
            if tensor is None:
                row.append(None)
                continue
            variants = seen.setdefault(value.name, {})
            variant = variants.setdefault(tensor.digest, len(variants))
            contents.setdefault(f"{value.name}@{variant}", _paired(tensor))
            row.append(variant)
        examples.append({"name": example.name, "graph": example.graph, "values": row})
    return examples, contents


def serialize(contents: Mapping[str, Tensor]) -> bytes:
    """The file's bytes. safetensors reads from memory from 0.8 on; before, it took the bytes themselves."""
    spec = getattr(safetensors, "TensorSpec", None)
    if spec is None:
        plain = {name: {"dtype": t.dtype, "shape": list(t.shape), "data": t.data} for name, t in contents.items()}
        return bytes(safetensors.serialize(plain, None))  # type: ignore[arg-type]
    buffers = {name: np.frombuffer(tensor.data, dtype="u1") for name, tensor in contents.items()}
    specs = {
        name: spec(dtype=t.dtype, shape=list(t.shape), data_ptr=buffers[name].ctypes.data, data_len=len(t.data))
        for name, t in contents.items()
    }
    return bytes(safetensors.serialize(specs, None))  # `buffers` lives until here


def unpack(data: bytes) -> dict[str, Tensor]:
    """Entries by name. Raises BundleError when the header does not fit the file or names an unknown dtype."""
    try:
        entries = safetensors.deserialize(data)
    except (safetensors.SafetensorError, ValueError) as error:
        raise BundleError(f"{NAME} cannot be read ({error}); it was cut short or damaged, record it again") from error
    tensors: dict[str, Tensor] = {}
    for name, entry in entries:
        dtype = _CODES.get(entry["dtype"])
        if dtype is None:
            raise BundleError(f"{NAME}: {name!r} has dtype {entry['dtype']}, which no recording has; record it again")
        tensors[name] = Tensor(dtype, tuple(entry["shape"]), bytes(entry["data"]))
    return tensors


def to_examples(trees: list[Any], graphs: tuple[Graph, ...], stored: Mapping[str, Tensor]) -> tuple[Example, ...]:
    """The examples of graph.json with their tensors.

    Raises BundleError when an entry is missing, left over, or does not have the form that graph.json gives its value.
    """
    used: set[str] = set()
    examples = tuple(_to_example(tree, graphs, stored, used) for tree in trees)
    left_over = sorted(stored.keys() - used)
    if left_over:
        raise BundleError(f"{NAME} holds {left_over[0]!r}, which no example uses; record it again")
    return examples


def _to_example(
    tree: Mapping[str, Any], graphs: tuple[Graph, ...], stored: Mapping[str, Tensor], used: set[str]
) -> Example:
    name, place = tree["name"], tree["graph"]
    if not isinstance(name, str) or type(place) is not int or not 0 <= place < len(graphs):
        raise BundleError(f"graph.json: example {name!r} names graph {place!r}, but there are {len(graphs)}")
    graph = graphs[place]
    if len(tree["values"]) != len(graph.values):
        raise BundleError(
            f"graph.json: example {name!r} lists {len(tree['values'])} values, its graph has {len(graph.values)}"
        )
    tensors: list[Tensor | None] = []
    for value, variant in zip(graph.values, tree["values"], strict=True):
        if variant is None:
            tensors.append(None)
            continue
        key = f"{value.name}@{variant}"
        if type(variant) is not int or key not in stored:
            raise BundleError(f"{NAME} has no entry {key}, which example {name!r} needs; record it again")
        used.add(key)
        tensors.append(_as_recorded(stored[key], value, key))
    return Example(name, place, tuple(tensors))


def _paired(tensor: Tensor) -> Tensor:
    """Complex numbers as a last dimension of real and imaginary part; everything else as it is."""
    stored = _STORED.get(tensor.dtype)
    return tensor if stored is None else Tensor(stored, (*tensor.shape, 2), tensor.data)


def _as_recorded(entry: Tensor, value: Value, key: str) -> Tensor:
    stored = _STORED.get(value.dtype)
    if entry.dtype != (stored or value.dtype) or entry.shape != ((*value.shape, 2) if stored else value.shape):
        raise BundleError(
            f"{NAME}: {key} is {entry.dtype} {list(entry.shape)}, graph.json says {value.dtype} {list(value.shape)}; "
            "record it again"
        )
    return replace(entry, dtype=value.dtype, shape=value.shape)
