"""Other valid contents for an operand, and the reasons for which a result may not depend on one."""

from collections.abc import Iterator

import numpy as np

from cutaway.recorded import Example, Graph, Op
from cutaway.tensor import Tensor

# Functions that use an operand's form, not its content.
FORM_ONLY = frozenset(
    {"zeros_like", "ones_like", "empty_like", "full_like", "new_zeros", "new_ones", "new_empty", "new_full"}
)
# Functions that compare, select or cut off: a result may stay although an operand moves.
THRESHOLDS = frozenset({
    "relu", "threshold", "hardtanh", "clamp", "clip", "relu6", "gt", "ge", "lt", "le", "eq", "ne", "sign",
    "round", "floor", "ceil", "trunc", "argmax", "argmin", "max", "min", "where", "masked_fill", "maximum",
    "minimum", "isnan", "isinf", "isfinite", "all", "any", "logical_and", "logical_or", "logical_not", "tril",
    "triu", "topk", "sort",
})  # fmt: skip

# Functions whose result over one element does not depend on it.
NORMALISED = frozenset({"softmax", "log_softmax", "softmin", "layer_norm", "group_norm", "normalize", "argmax", "std"})
COUNTED = frozenset({"bool", "uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64"})


def substitutes(tensor: Tensor) -> Iterator[Tensor]:
    """A few other contents of the same form, the likeliest to be valid and to matter first."""
    array = tensor.array()
    kind = array.dtype.kind
    if tensor.dtype.startswith(("float8", "bfloat16")):
        bits = tensor.bits()
        yield Tensor.of(bits[::-1].copy() if bits.ndim else bits, tensor.dtype)
        yield Tensor.of(bits ^ 1, tensor.dtype)
    elif kind == "b":
        yield Tensor.of(~array)
    elif kind in "iu":
        flat = array.reshape(-1)
        for other in (np.roll(flat, 1), flat + 1, flat - 1, np.zeros_like(flat)):
            if not np.array_equal(other, flat):
                yield Tensor.of(other.reshape(array.shape).astype(array.dtype), tensor.dtype)
    else:
        ramp = np.cos(np.arange(array.size, dtype=np.float64)).reshape(array.shape)
        finite = np.where(np.isfinite(array), array, 0)
        with np.errstate(all="ignore"):  # an infinity is a valid content too
            others = array + ramp, finite + ramp, -array - 1, array * 3 + 1
        for other in others:
            yield Tensor.of(other.astype(array.dtype), tensor.dtype)


def insensitive_reason(op: Op, operand: int, graph: Graph, example: Example) -> str:
    """Why replacing this operand may leave an op's result as it is; empty when no reason is known."""
    parts = [part.strip("_") for part in op.function.split(".")]
    if all(0 in graph.values[i].shape for i in op.makes):
        return "the result has no elements"
    if all(graph.values[i].dtype in COUNTED for i in op.makes) and graph.values[operand].dtype not in COUNTED:
        return "is only compared or rounded"
    if NORMALISED.intersection(parts) and graph.values[operand].shape and 1 in graph.values[operand].shape:
        return "is normalised over a single element"
    if FORM_ONLY.intersection(parts):
        return "uses only the form"
    if THRESHOLDS.intersection(parts):
        return "compares or cuts off"
    if _annihilated(op, operand, example):
        return "multiplied by zeros"
    if any(operand == before for before, _ in op.writes):
        return "is overwritten"
    if _all_ignored(op, operand, example):
        return "every label is ignored"
    if op.random is not None:
        return "dropped at random"
    if op.function.endswith("scaled_dot_product_attention") and _has_one_key(op, graph, example):
        return "at most one key can be attended to"
    return ""


def _annihilated(op: Op, operand: int, example: Example) -> bool:
    if not {
        "mul",
        "matmul",
        "bmm",
        "mm",
        "linear",
        "mv",
        "dot",
        "mul_",
        "multiply",
        "einsum",
        "lstm",
        "gru",
    }.intersection(op.function.split(".")):
        return False
    others = [example.tensors[i] for i in op.reads if i != operand]
    return any(other is not None and not other.array().any() for other in others)


def _all_ignored(op: Op, operand: int, example: Example) -> bool:
    if not op.function.endswith(("cross_entropy", "nll_loss")):
        return False
    labels = [example.tensors[i] for i in op.reads if i != operand]
    ignored = op.kwargs.get("ignore_index", -100)
    return any(label is not None and label.dtype == "int64" and (label.array() == ignored).all() for label in labels)


def _has_one_key(op: Op, graph: Graph, example: Example) -> bool:
    key, *rest = op.reads[1:]
    masks = [example.tensors[i] for i in rest[1:]]
    allowed = [mask.array() if mask.dtype == "bool" else mask.array() > -np.inf for mask in masks if mask is not None]
    return graph.values[key].shape[-2] == 1 or any((mask.sum(-1) <= 1).all() for mask in allowed)
