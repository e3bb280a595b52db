"""Write numbers.json: how numbers are shown, by an oracle of its own (decimal arithmetic), for pytest and vitest.

python tests/golden/write_numbers.py
"""

import json
from decimal import ROUND_HALF_EVEN, Context, Decimal
from pathlib import Path

import numpy as np

# exact ties (each is a finite binary fraction), carries, the two ends of plain notation, subnormals
FLOATS = [
    0.0, -0.0, 1.0, -1.0, 0.1, 1 / 3, -2 / 3, 0.5, 100.0, 1000.0, 12345.0, 12355.0, 123456.0, 0.246, 5.626e-05,
    1.00048828125, 0.00030517578125, 2.0625, 1.03125, 1.03125e3, 1000.5, 1001.5, 1002.5, -1000.5, 65535.0, 65545.0,
    9999.5, 99995.0, 99985.0, 0.99995, 0.999949999, 9.9995, 999999999.0, 999949999.0, 1e9, 999950000.0, 999850000.0,
    1e-6, 9.9995e-7, 9.9994e-7, 1e-7, 1.234e-7, -1.2345e-7, 1.5e300, 5e-324, 2.2250738585072014e-308, 1e22, 1e23,
    1.7976931348623157e308, float("nan"), float("inf"), float("-inf"), 3.0000000000000004, 2.0**53, 2.0**53 + 2,
]  # fmt: skip
SINGLES = ["0.06069", "0.7849", "0.1", "16777216", "16777218", "1e-45", "1.1754944e-38", "3.4028235e38", "0.33333334",
           "-0.0078125", "1.00048828125", "8388609"]  # fmt: skip
INTEGERS = [
    "0",
    "7",
    "-7",
    "16777217",
    "-9223372036854775808",
    "9007199254740993",
    "18446744073709551615",
    "1" + 40 * "0",
]
# values of smaller floats: their digits are those of the single they are
SMALL = [
    ("float16", 0.0999755859375),
    ("float16", 65504.0),
    ("float16", 2.0**-24),
    ("bfloat16", 0.10009765625),
    ("bfloat16", 3.3895313892515355e38),
    ("float8_e5m2", 1.25),
    ("float8_e5m2", 57344.0),
    ("float8_e4m3fn", 448.0),
]
PAIRS = [(1.5, -2.0), (0.0, 0.0), (-0.1, 1e-9), (float("nan"), float("inf")), (1.0, -0.0), (12345.0, -1 / 3)]


def shown(x: float, digits: int = 4) -> str:
    if x != x:
        return "NaN"
    sign = "−" if x < 0 else ""
    if x in (float("inf"), float("-inf")):
        return sign + "∞"
    rounded = Context(prec=digits, rounding=ROUND_HALF_EVEN).create_decimal(abs(Decimal(x)))
    if rounded == 0:
        return "0"
    plain = Decimal("1e-6") <= rounded < Decimal("1e9")
    text = f"{rounded:f}" if plain else f"{rounded.scaleb(-rounded.adjusted()):f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return sign + text + ("" if plain else f"e{rounded.adjusted()}")


def held(text: str, dtype: str) -> float:
    """The value of that dtype next to a decimal."""
    with np.errstate(over="ignore"):
        return float(np.float32(text)) if dtype == "float32" else float(text)


def main() -> None:
    cases: list[dict[str, object]] = []
    for x in FLOATS:
        finite = {"exact": shortest(x, "float64")} if abs(x) < float("inf") else {}
        cases.append({"kind": "float", "value": repr(x), "show": shown(x), **finite})
    for digits in (1, 2, 6, 9):
        for x in (1 / 3, 2.5, 3.5, 0.125, 0.06069004535675049, 123456789.5):
            cases.append({"kind": "float", "value": repr(x), "digits": digits, "show": shown(x, digits)})
    for dtype, x in [("float32", held(text, "float32")) for text in SINGLES] + SMALL:
        cases.append(
            {"kind": "float", "value": repr(x), "dtype": dtype, "show": shown(x), "exact": shortest(x, "float32")}
        )
    for text in INTEGERS:
        cases.append({"kind": "integer", "value": text, "show": text.replace("-", "−"), "exact": text})
    for re, im in PAIRS:
        show = f"{shown(re)} {'−' if im < 0 else '+'} {shown(abs(im))}i"
        cases.append({"kind": "complex", "value": [repr(re), repr(im)], "show": show})
    cases += [{"kind": "bool", "value": text, "show": text, "exact": text} for text in ("true", "false")]
    lines = ",\n".join(json.dumps(case, ensure_ascii=False) for case in cases)
    Path(__file__).with_name("numbers.json").write_text(f"[\n{lines}\n]\n", encoding="utf-8")


def shortest(x: float, dtype: str) -> str:
    """The shortest decimal whose nearest value of that dtype is x, by trying all lengths."""
    sign = "-" if str(x).startswith("-") else ""
    for digits in range(1, 18):
        nearest = Context(prec=digits, rounding=ROUND_HALF_EVEN).create_decimal(abs(Decimal(x)))
        if held(str(nearest), dtype) == abs(x):
            return sign + shown(float(nearest), digits)
    raise ValueError(x)


if __name__ == "__main__":
    main()
