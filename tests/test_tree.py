"""Arguments as strict JSON, and back."""

import json
import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from cutaway.errors import BundleError
from cutaway.tree import decode, encode, holds_opaque

PLAIN = (
    st.none()
    | st.booleans()
    | st.text(max_size=5)
    | st.integers()
    | st.floats()
    | st.complex_numbers()
    | st.just(...)
    | st.sampled_from([torch.float32, torch.bfloat16, torch.strided, torch.channels_last, torch.device("cpu")])
    | st.slices(9)
)
KEYS = st.text(max_size=3) | st.integers() | st.booleans()
NESTED = st.recursive(
    PLAIN,
    lambda inner: (
        st.lists(inner, max_size=3) | st.lists(inner, max_size=3).map(tuple) | st.dictionaries(KEYS, inner, max_size=3)
    ),
    max_leaves=8,
)


def no_tensor(tensor: torch.Tensor, path: str) -> int:
    raise AssertionError("no tensor was given")


@given(NESTED)
def test_what_is_written_as_strict_json_comes_back_as_it_was(item: object) -> None:
    tree = encode(item, no_tensor)
    text = json.dumps(tree, allow_nan=False)
    again = decode(json.loads(text), lambda i: i)
    assert repr(again) == repr(item)  # repr tells 1 from 1.0 and True, -0.0 from 0.0, and NaN is itself


def test_tensors_become_value_ids_with_their_place() -> None:
    places: list[str] = []

    def value_of(tensor: torch.Tensor, path: str) -> int:
        places.append(path)
        return len(places) - 1

    x = torch.ones(1)
    tree = encode({"a": [x, (x,)]}, value_of, "batch")
    assert places == ["batch.a[0]", "batch.a[1][0]"]
    assert decode(tree, lambda i: f"tensor {i}") == {"a": ["tensor 0", ("tensor 1",)]}


def test_what_cannot_be_written_is_opaque_wherever_it_stands() -> None:
    assert encode(object(), no_tensor) == {"opaque": "object"}
    assert holds_opaque(encode({"a": [1, (object(),)]}, no_tensor))
    assert not holds_opaque(encode({"opaque": [1, ("opaque",)]}, no_tensor))


@pytest.mark.parametrize("name", ["load", "nn", "Tensor", "_C", "float33", 3])
@pytest.mark.parametrize("kind", ["dtype", "layout", "memory_format"])
def test_only_torchs_constants_can_be_named(kind: str, name: object) -> None:
    with pytest.raises(BundleError, match="which torch does not have"):
        decode({kind: name}, lambda i: i)


@pytest.mark.parametrize("tree", [{"unknown": 1}, {"opaque": "object"}, {}, {"float": "1.5"}, {"slice": [1]}])
def test_an_unknown_form_is_refused(tree: object) -> None:
    with pytest.raises(BundleError, match="unknown form"):
        decode(tree, lambda i: i)


def test_large_integers_and_numbers_that_json_lacks_are_spelled_out() -> None:
    assert encode(2**53, no_tensor) == 2**53
    assert encode(2**53 + 1, no_tensor) == {"int": "9007199254740993"}
    assert encode(-(2**53) - 1, no_tensor) == {"int": "-9007199254740993"}
    assert encode(math.nan, no_tensor) == {"float": "nan"}
