"""One recorded tensor as plain bytes: exact for every dtype, and readable without torch."""

import hashlib
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

# dtype as torch names it -> numpy dtype that holds its bits
_BITS: dict[str, str] = {
    "bool": "?", "uint8": "u1", "int8": "i1", "uint16": "<u2", "int16": "<i2", "uint32": "<u4", "int32": "<i4",
    "uint64": "<u8", "int64": "<i8", "float16": "<f2", "float32": "<f4", "float64": "<f8",
    "complex64": "<c8", "complex128": "<c16",
    "bfloat16": "<u2", "float8_e4m3fn": "u1", "float8_e5m2": "u1",
}  # fmt: skip
DTYPES = tuple(_BITS)


@dataclass(frozen=True)
class Tensor:
    """A tensor's content in C order.

    dtype is torch's name without "torch."; shape is in elements; data are little-endian bytes, one element after the
    other (complex as real, imaginary).
    """

    dtype: str
    shape: tuple[int, ...]
    data: bytes

    @property
    def item_size(self) -> int:
        return np.dtype(_BITS[self.dtype]).itemsize

    @property
    def count(self) -> int:
        return math.prod(self.shape)

    @property
    def digest(self) -> str:
        """SHA-256 over dtype, shape and content."""
        head = f"{self.dtype} {self.shape} ".encode()
        return hashlib.sha256(head + self.data).hexdigest()

    def bits(self) -> Array:
        """The content as stored: bfloat16 and float8 as unsigned integers."""
        return np.frombuffer(self.data, dtype=_BITS[self.dtype]).reshape(self.shape)

    def array(self) -> Array:
        """The content as numbers: bfloat16 and float8 widened to float32, which is exact; the rest as it is."""
        bits = self.bits()
        if self.dtype == "bfloat16":
            return (bits.astype("<u4") << 16).view("<f4").reshape(self.shape)
        if self.dtype.startswith("float8"):
            return _FLOAT8[self.dtype][bits]
        return bits

    @staticmethod
    def of(array: npt.ArrayLike, dtype: str | None = None) -> "Tensor":
        """A numpy array as a Tensor; dtype only where the array holds raw bits (bfloat16, float8)."""
        data = np.asarray(array)
        name = dtype or data.dtype.name
        return Tensor(name, data.shape, np.ascontiguousarray(data).astype(_BITS[name], copy=False).tobytes())


def _float8_table(exponent_bits: int, mantissa_bits: int, finite_only: bool) -> Array:
    """All 256 values of an 8-bit float (OCP 8-bit floating point specification, section 5)."""
    bias = 2 ** (exponent_bits - 1) - 1
    top = 2**exponent_bits - 1
    table = np.zeros(256, dtype="<f4")
    for code in range(256):
        sign = -1.0 if code >> 7 else 1.0
        exponent = (code >> mantissa_bits) & top
        mantissa = code & (2**mantissa_bits - 1)
        if exponent == top and finite_only and mantissa == 2**mantissa_bits - 1:
            number = math.nan
        elif exponent == top and not finite_only:
            number = math.nan if mantissa else math.inf
        elif exponent == 0:
            number = math.ldexp(mantissa, 1 - bias - mantissa_bits)
        else:
            number = math.ldexp(2**mantissa_bits + mantissa, exponent - bias - mantissa_bits)
        table[code] = math.copysign(number, sign)
    return table


_FLOAT8 = {"float8_e4m3fn": _float8_table(4, 3, True), "float8_e5m2": _float8_table(5, 2, False)}
