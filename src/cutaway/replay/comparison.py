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
    if right.dtype.kind in "biu":  # subtracted as whole numbers: 2**53 + 1 is not 2**53
        more, less = (pick(left, right).astype(np.uint64) for pick in (np.maximum, np.minimum))
        return (more - less).astype(np.float64)
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
    """The same tensor with one bit of one element turned over: the lowest bit whose change `compare` must notice.

    Exact: the lowest bit of the middle element, which moves a float or an integer by one unit in its last place. Else
    the lowest bit that moves the largest finite element by more than twice the tolerance.
    """
    size = tensor.item_size
    place = tensor.count // 2 if exact else _largest(tensor)
    element = Tensor(tensor.dtype, (), tensor.data[place * size : (place + 1) * size])
    for bit in range(1 if tensor.dtype == "bool" else 8 * size):
        number = int.from_bytes(element.data, "little") ^ (1 << bit)
        moved = Tensor(tensor.dtype, (), number.to_bytes(size, "little"))
        if exact or _is_far(moved, element):
            break
    data = bytearray(tensor.data)
    data[place * size : (place + 1) * size] = moved.data
    return Tensor(tensor.dtype, tensor.shape, bytes(data))


def _largest(tensor: Tensor) -> int:
    """Where the finite element of largest magnitude stands, counted in C order."""
    magnitude = np.abs(tensor.array().reshape(-1)).astype(np.float64)
    return int(np.where(np.isfinite(magnitude), magnitude, -1.0).argmax())


def _is_far(moved: Tensor, element: Tensor) -> bool:
    right = element.array()
    return bool(_gap(moved.array(), right) > 2 * _allowed(right)) or right.dtype.kind in "biu"
