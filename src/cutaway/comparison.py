"""Compare a replayed tensor with the recorded one: to the bit, or within a tolerance. Needs no torch."""

from dataclasses import dataclass

import numpy as np

from cutaway.tensor import Array, Tensor

RELATIVE = 1e-5  # of each element
OF_LARGEST = 1e-6  # of the value's largest magnitude


@dataclass(frozen=True)
class Comparison:
    """Whether two tensors agree, their largest absolute difference, and the first cell that does not agree."""

    equal: bool
    difference: float
    cell: tuple[int, ...] | None


def compare(found: Tensor, recorded: Tensor, exact: bool) -> Comparison:
    """exact: every bit must agree. Else integers and booleans must agree, floats within 1e-5 relative plus 1e-6 of the
    largest recorded magnitude, NaN where NaN was, infinities where infinities were."""
    if found.data == recorded.data:
        return Comparison(True, 0.0, None)
    left, right = found.array(), recorded.array()
    gap = _gap(left, right)
    unequal = _bit_differences(found, recorded) if exact or right.dtype.kind in "biu" else gap > _allowed(right)
    cells = np.argwhere(unequal)
    first = tuple(int(i) for i in cells[0]) if len(cells) else None
    return Comparison(first is None, float(gap.max(initial=0.0)), first)


def _gap(left: Array, right: Array) -> Array:
    """Absolute differences; NaN against NaN and infinity against itself count as 0, else as infinitely far."""
    wide = np.complex128 if right.dtype.kind == "c" else np.float64
    with np.errstate(invalid="ignore", over="ignore"):
        gap = np.asarray(np.abs(left.astype(wide) - right.astype(wide)), dtype=np.float64)
    same = (left == right) | ((left != left) & (right != right))
    return np.where(same, 0.0, np.where(np.isnan(gap), np.inf, gap))


def _allowed(right: Array) -> Array:
    magnitude = np.abs(right).astype(np.float64)
    finite = np.where(np.isfinite(magnitude), magnitude, 0.0)
    return np.asarray(RELATIVE * finite + OF_LARGEST * finite.max(initial=0.0))


def _bit_differences(found: Tensor, recorded: Tensor) -> Array:
    size = recorded.item_size
    left = np.frombuffer(found.data, dtype="u1").reshape(-1, size)
    right = np.frombuffer(recorded.data, dtype="u1").reshape(-1, size)
    return np.asarray((left != right).any(axis=1)).reshape(recorded.shape)


def nudge(tensor: Tensor, exact: bool) -> Tensor:
    """The same tensor with one element moved by the least that `compare` must notice.

    Exact: one unit in the last place (a float's next neighbour, an integer plus one, a boolean flipped). Else, for
    floats, twice the tolerance. The middle element is moved.
    """
    data = bytearray(tensor.data)
    size, middle = tensor.item_size, tensor.count // 2
    place = slice(middle * size, (middle + 1) * size)
    if not exact and tensor.array().dtype.kind in "fc" and not tensor.dtype.startswith(("float8", "bfloat16")):
        array = tensor.array().copy().reshape(-1)
        array[middle] += 2 * float(_allowed(array).reshape(-1)[middle]) + 1e-30
        return Tensor(tensor.dtype, tensor.shape, array.tobytes())
    if tensor.dtype == "bool":
        data[place] = bytes([1 - data[place][0]])
    else:  # floats count up in their bit pattern, so adding one to it is one unit in the last place
        number = int.from_bytes(data[place], "little")
        data[place] = (number ^ 1).to_bytes(size, "little")
    return Tensor(tensor.dtype, tensor.shape, bytes(data))
