"""Every dtype, every kind of number and every size, exactly."""

import math

import numpy as np
import pytest
import torch
from recorded_whole import recorded
from torch import nn

pytestmark = pytest.mark.zoo

WIDE = [1.5, -0.0, math.nan, math.inf, -math.inf, 2.0**-140, 3e38]


@pytest.mark.parametrize(
    "dtype",
    [torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.float8_e4m3fn, torch.float8_e5m2],
)
def test_floats_are_exact(dtype: torch.dtype) -> None:
    x = torch.tensor(WIDE).to(dtype)
    array = recorded(lambda x: x.clone(), x).array("example", "output")
    np.testing.assert_array_equal(array, x.double().numpy())
    assert np.signbit(array[1])


@pytest.mark.parametrize("dtype", [torch.complex64, torch.complex128])
def test_complex_numbers_keep_their_imaginary_part(dtype: torch.dtype) -> None:
    x = torch.tensor([1 + 2j, complex(math.nan, -math.inf)], dtype=dtype)
    record = recorded(lambda x: torch.fft.fft(x.conj()) * 1j, x)
    assert record.tensor("example", "output").dtype == str(dtype).removeprefix("torch.")
    np.testing.assert_array_equal(record.array("example", "x"), x.numpy())


@pytest.mark.parametrize(
    ("number", "dtype"),
    [
        (2**53 + 1, torch.int64),
        (-(2**63), torch.int64),
        (16777217, torch.int32),
        (255, torch.uint8),
        (2**64 - 1, torch.uint64),
        (2**32 - 1, torch.uint32),
        (2**16 - 1, torch.uint16),
        (-128, torch.int8),
    ],
)
def test_whole_numbers_are_exact(number: int, dtype: torch.dtype) -> None:
    record = recorded(lambda x: x.clone(), torch.tensor([number, 1], dtype=dtype))
    assert int(record.array("example", "output")[0]) == number


def test_a_whole_number_as_an_argument_of_an_op_is_exact() -> None:
    record = recorded(lambda x: x + (2**53 + 1), torch.tensor([0]))
    assert record.array("example", "output").tolist() == [2**53 + 1]


def test_booleans_and_what_only_compares_pass_every_check() -> None:
    recorded(lambda x: (x > 0, x.bool(), x.argmax(), x.long(), x.isnan()), torch.ones(3))


@pytest.mark.parametrize("shape", [(0, 3), (1, 3)])
def test_an_empty_batch_is_recorded(shape: tuple[int, int]) -> None:
    record = recorded(nn.Sequential(nn.Linear(3, 2), nn.ReLU()), torch.ones(shape))
    assert record.array("example", "1.output").shape == (shape[0], 2)


def test_a_scalar_is_recorded() -> None:
    assert recorded(lambda x: x * 2, torch.tensor(1.5)).array("example", "output") == 3


def test_a_softmax_over_one_element_passes_every_check() -> None:
    recorded(lambda x: x.softmax(-1), torch.ones(3, 1))


@pytest.mark.parametrize("take", [lambda x: x.expand(4, 3).relu(), lambda x: x.unfold(0, 2, 1) @ torch.ones(2, 2)])
def test_overlapping_and_expanded_views_replay(take) -> None:
    recorded(take, torch.randn(3))
