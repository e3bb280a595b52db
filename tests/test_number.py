"""How numbers are written: cutaway.number."""

import json
import math
from decimal import ROUND_HALF_EVEN, Context, Decimal
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cutaway.number import exact, show
from cutaway.tensor import Tensor

CASES = json.loads((Path(__file__).parent / "golden" / "numbers.json").read_text(encoding="utf-8"))


def parse(case):
    if case["kind"] == "complex":
        return complex(*map(float, case["value"]))
    return {"float": float, "integer": int, "bool": lambda text: text == "true"}[case["kind"]](case["value"])


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['kind']} {case['value']} {case.get('digits', '')}")
def test_a_number_is_written_as_the_golden_file_says(case):
    assert show(parse(case), case.get("digits", 4)) == case["show"]
    if "exact" in case:
        assert exact(parse(case), case.get("dtype", "float64")) == case["exact"]


@given(st.floats(allow_nan=False, allow_infinity=False), st.integers(1, 17))
def test_a_float_is_rounded_half_to_even_on_its_exact_value(x, digits):
    rounded = Context(prec=digits, rounding=ROUND_HALF_EVEN).create_decimal(Decimal(x))
    assert Decimal(show(x, digits).replace("−", "-")) == rounded


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_plain_notation_runs_from_a_millionth_to_below_a_billion(x):
    text = show(x)
    size = abs(Decimal(text.replace("−", "-")))
    assert ("e" not in text) == (size == 0 or Decimal("1e-6") <= size < Decimal("1e9"))


@given(st.integers())
def test_an_integer_is_whole_at_any_size(x):
    assert show(x).replace("−", "-") == exact(x) == str(x)


@given(st.floats(width=32, allow_nan=False))
def test_the_exact_form_of_a_single_reads_back_as_the_same_single(x):
    back = np.float32(exact(np.float32(x), "float32"))
    assert back == np.float32(x)
    assert math.copysign(1, back) == math.copysign(1, x)


@given(st.floats(allow_nan=False, allow_infinity=False).filter(bool))
def test_the_exact_form_of_a_double_reads_back_and_has_no_needless_digit(x):
    written, shortest = (len(Decimal(text).normalize().as_tuple().digits) for text in (exact(x), repr(x)))
    assert float(exact(x)) == x
    assert shortest <= written <= shortest + 1  # a power of two may take one more: its lower neighbour is nearer


@pytest.mark.parametrize("dtype", ["float8_e4m3fn", "float8_e5m2"])
def test_every_small_float_has_an_exact_form_of_its_own(dtype):
    table = [x for x in Tensor(dtype, (256,), bytes(range(256))).array() if math.isfinite(x)]
    assert len({exact(x, dtype) for x in table}) == len(table)


def test_numpy_scalars_are_shown_as_what_they_are():
    assert [show(np.int64(2**53 + 1)), show(np.bool_(True)), show(np.float32(0.1)), show(np.complex64(1 - 2j))] == [
        "9007199254740993", "true", "0.1", "1 − 2i",
    ]  # fmt: skip
