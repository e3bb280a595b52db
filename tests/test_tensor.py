"""Tensors as bytes: exact for every dtype, with torch as the judge."""

import hypothesis.extra.numpy as hnp
import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from cutaway.recording import to_tensor
from cutaway.recording.contents import bytes_of
from cutaway.tensor import DTYPES, Tensor


@st.composite
def tensors(draw: st.DrawFn, dtypes: tuple[str, ...] = DTYPES) -> torch.Tensor:
    """Any bits of any dtype, in any dense layout of up to three axes."""
    dtype = getattr(torch, draw(st.sampled_from(dtypes)))
    shape = draw(st.lists(st.integers(0, 3), max_size=3))
    count = int(np.prod(shape, dtype=int))
    bits = draw(st.binary(min_size=count * dtype.itemsize, max_size=count * dtype.itemsize))
    if dtype == torch.bool:
        bits = bytes(byte & 1 for byte in bits)
    flat = torch.frombuffer(bytearray(bits), dtype=dtype) if bits else torch.empty(0, dtype=dtype)
    return flat.reshape(shape).permute(draw(st.permutations(range(len(shape)))))


@given(tensors())
def test_a_torch_tensor_keeps_dtype_shape_and_bits(x: torch.Tensor) -> None:
    tensor = to_tensor(x)
    assert (f"torch.{tensor.dtype}", tensor.shape) == (str(x.dtype), tuple(x.shape))
    assert tensor.count * tensor.item_size == len(tensor.data)
    assert Tensor.of(tensor.bits(), tensor.dtype) == tensor
    assert tensor.data == bytes_of(x.contiguous())


@given(tensors(tuple(name for name in DTYPES if "float8" in name or name == "bfloat16")))
def test_small_floats_are_the_numbers_that_torch_says(x: torch.Tensor) -> None:
    np.testing.assert_array_equal(to_tensor(x).array(), x.float().numpy())


@given(tensors(tuple(name for name in DTYPES if "float8" not in name and name != "bfloat16")))
def test_all_other_numbers_are_numpys(x: torch.Tensor) -> None:
    np.testing.assert_array_equal(to_tensor(x).array(), x.numpy())


@pytest.mark.parametrize("dtype", ["float8_e4m3fn", "float8_e5m2"])
def test_every_code_of_an_8_bit_float_is_what_torch_says(dtype: str) -> None:
    codes = torch.arange(256, dtype=torch.uint8).view(getattr(torch, dtype))
    np.testing.assert_array_equal(to_tensor(codes).array(), codes.float().numpy())
    np.testing.assert_array_equal(np.signbit(to_tensor(codes).array()), np.signbit(codes.float().numpy()))


def test_a_conjugate_and_a_negated_view_are_stored_as_what_they_stand_for() -> None:
    z = torch.tensor([1 + 2j])
    assert to_tensor(z.conj()).array().tolist() == [1 - 2j]
    assert to_tensor(z.conj().imag).array().tolist() == [-2]


@given(
    hnp.arrays(hnp.scalar_dtypes().filter(lambda t: t.newbyteorder("<").name in DTYPES), hnp.array_shapes(min_dims=0))
)
def test_a_numpy_array_of_any_byte_order_keeps_its_numbers(array) -> None:
    np.testing.assert_array_equal(Tensor.of(array, array.dtype.newbyteorder("=").name).array(), array)


def test_a_digest_tells_dtype_shape_and_content_apart() -> None:
    tensors = [
        Tensor("int32", (2,), bytes(8)),
        Tensor("float32", (2,), bytes(8)),
        Tensor("int32", (1, 2), bytes(8)),
        Tensor("int32", (2,), bytes(7) + b"1"),
        Tensor("int64", (), bytes(8)),
    ]
    assert len({tensor.digest for tensor in tensors}) == len(tensors)
