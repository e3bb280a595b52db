"""How a number is written, on the page and in the terminal. The twin of web/src/number.ts; one golden file proves both.

Two forms. `show` is for reading: four significant digits, rounded half to even on the exact value. `exact` is for
hovering and copying: the shortest decimal that reads back as the same value, as a double for the 64-bit dtypes and
as a single for all smaller ones, so that it never has fewer true digits than what is shown.
"""

import math
from typing import Any

import numpy as np


def show(x: Any, digits: int = 4) -> str:
    """A number for reading.

    x: bool, int, float, complex, or a numpy scalar. Integers are whole at any size. Floats have `digits` significant
    digits, half to even on the exact value; plain notation from 1e-6 to below 1e9 after rounding, else `1.234e-7`;
    trailing zeros dropped; a real minus sign. Negative zero is shown as 0 (`exact` keeps its sign).
    """
    x = x.item() if isinstance(x, np.generic) else x
    if isinstance(x, bool):
        return "true" if x else "false"
    if isinstance(x, int):
        return str(x).replace("-", "−")
    if isinstance(x, complex):
        sign = "−" if x.imag < 0 else "+"
        return f"{show(x.real, digits)} {sign} {show(abs(x.imag), digits)}i"
    if math.isnan(x):
        return "NaN"
    sign = "−" if x < 0 else ""
    return sign + ("∞" if math.isinf(x) else _notation(f"{abs(x):.{digits - 1}e}"))


def exact(x: Any, dtype: str = "float64") -> str:
    """A number for copying: every digit that tells it from its neighbours, with an ASCII minus."""
    x = x.item() if isinstance(x, np.generic) else x
    if isinstance(x, bool):
        return "true" if x else "false"
    if isinstance(x, int):
        return str(x)
    if isinstance(x, complex):
        imaginary = exact(x.imag, dtype)
        return f"{exact(x.real, dtype)}{'' if imaginary.startswith('-') else '+'}{imaginary}i"
    if math.isnan(x):
        return "NaN"
    sign = "-" if math.copysign(1.0, x) < 0 else ""
    return sign + ("inf" if math.isinf(x) else _shortest(abs(x), dtype))


def _notation(scientific: str) -> str:
    """`1.2340e-05` in plain notation where its size allows."""
    mantissa, _, power = scientific.partition("e")
    digits, exponent = mantissa.replace(".", "").rstrip("0"), int(power)
    if not digits:
        return "0"
    if not -6 <= exponent < 9:
        return f"{digits[0]}{'.' if digits[1:] else ''}{digits[1:]}e{exponent}"
    if exponent < 0:
        return "0." + "0" * (-exponent - 1) + digits
    whole, part = digits[: exponent + 1].ljust(exponent + 1, "0"), digits[exponent + 1 :]
    return f"{whole}.{part}" if part else whole


def _shortest(x: float, dtype: str) -> str:
    double = dtype in ("float64", "complex128")
    for digits in range(1, 18):
        text = f"{x:.{digits - 1}e}"
        if (float(text) if double else _single(text)) == x:
            break
    return _notation(text)


def _single(text: str) -> float:
    with np.errstate(over="ignore"):  # a short candidate for the largest single may lie above it
        return float(np.float32(text))
