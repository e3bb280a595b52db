"""A replayed tensor agrees to the bit, or within the tolerance, and nothing else agrees."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from test_tensor import tensors

from cutaway.recording import to_tensor
from cutaway.replay.comparison import OF_LARGEST, RELATIVE, compare, nudge
from cutaway.tensor import DTYPES, Tensor

FLOATS = tuple(name for name in DTYPES if "float" in name or "complex" in name)
nonempty = tensors().filter(lambda x: x.numel() > 0)


@given(tensors(), st.booleans())
def test_a_tensor_agrees_with_itself(x: torch.Tensor, exact: bool) -> None:
    tensor = to_tensor(x)
    assert compare(tensor, tensor, exact).equal


@given(nonempty)
def test_one_bit_moved_is_caught_when_bits_must_agree(x: torch.Tensor) -> None:
    tensor = to_tensor(x)
    moved = nudge(tensor, exact=True)
    found = compare(moved, tensor, exact=True)
    assert not found.equal
    assert found.cell == np.unravel_index(tensor.count // 2, tensor.shape)
    changed = [left ^ right for left, right in zip(moved.data, tensor.data, strict=True) if left != right]
    assert changed == [1]


@given(nonempty)
def test_what_is_moved_is_caught_within_the_tolerance_too(x: torch.Tensor) -> None:
    tensor = to_tensor(x)
    moved = nudge(tensor, exact=False)
    assert not compare(moved, tensor, exact=False).equal
    assert sum(left != right for left, right in zip(moved.bits().flat, tensor.bits().flat, strict=True)) <= 1 or (
        np.isnan(tensor.array().astype(complex)).any()
    )


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_dtype_is_moved_and_caught(dtype: str) -> None:
    x = torch.tensor([0.0, 1.0, 0.5, 1.0, 1.0]).to(getattr(torch, dtype))
    for exact in (True, False):
        assert not compare(nudge(to_tensor(x), exact), to_tensor(x), exact).equal


@pytest.mark.parametrize("numbers", [[2**53, 2**53 + 1], [-(2**63), 2**63 - 1], [16777216, 16777217]])
def test_whole_numbers_are_compared_as_such(numbers: list[int]) -> None:
    left, right = (Tensor.of(np.array([number])) for number in numbers)
    found = compare(left, right, exact=False)
    assert not found.equal
    assert found.difference == float(numbers[1] - numbers[0])


def floats(*numbers: float) -> Tensor:
    return Tensor.of(np.array(numbers, dtype=np.float32))


def test_the_tolerance_is_relative_plus_a_share_of_the_largest() -> None:
    recorded = floats(1000.0, 1.0)
    allowed = RELATIVE * 1.0 + OF_LARGEST * 1000.0
    assert compare(floats(1000.0, 1.0 + 0.9 * allowed), recorded, exact=False).equal
    found = compare(floats(1000.0, 1.0 + 1.1 * allowed), recorded, exact=False)
    assert found.cell == (1,)
    assert found.difference == pytest.approx(1.1 * allowed, rel=1e-3)


@pytest.mark.parametrize("other", [0.0, math.inf, -math.inf, 1.0])
def test_nan_agrees_with_nan_only(other: float) -> None:
    assert compare(floats(math.nan, 1), floats(math.nan, 1 + 1e-7), exact=False).equal
    found = compare(floats(other), floats(math.nan), exact=False)
    assert found == (type(found)(False, math.inf, (0,)))


def test_an_infinity_agrees_with_itself_only_and_does_not_widen_the_tolerance() -> None:
    assert compare(floats(math.inf, 1), floats(math.inf, 1), exact=False).equal
    assert not compare(floats(-math.inf, 1), floats(math.inf, 1), exact=False).equal
    assert not compare(floats(math.inf, 1.1), floats(math.inf, 1), exact=False).equal


def test_zeros_of_two_signs_are_other_bits_and_the_same_number() -> None:
    assert not compare(floats(-0.0), floats(0.0), exact=True).equal
    assert compare(floats(-0.0), floats(0.0), exact=False).equal


def test_an_empty_tensor_agrees() -> None:
    assert compare(floats(), floats(), exact=True).equal
