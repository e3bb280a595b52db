"""Recorded ops run again: from the same layout, on the same memory, and on nothing that is not listed."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import cutaway
from cutaway.errors import ReplayError
from cutaway.recorded import Record, Value
from cutaway.recording import to_tensor
from cutaway.recording.contents import bytes_of
from cutaway.replay import ALIGNMENT, bits_of, chain, rebuild, replay_op, replay_record
from cutaway.tensor import DTYPES


def value_like(x: torch.Tensor) -> Value:
    dtype = str(x.dtype).removeprefix("torch.")
    return Value("x", "input", dtype, tuple(x.shape), tuple(x.stride()), int(x.storage_offset()), None, 0)


@st.composite
def views(draw: st.DrawFn) -> torch.Tensor:
    """Any view of one memory: expanded, overlapping, transposed, with gaps, at any offset."""
    dtype = getattr(torch, draw(st.sampled_from(DTYPES)))
    shape = draw(st.lists(st.integers(0, 4), max_size=3))
    strides = draw(st.lists(st.integers(0, 9), min_size=len(shape), max_size=len(shape)))
    offset = draw(st.integers(0, 200))
    memory = (torch.arange(300) % 97).to(dtype)
    return memory.as_strided(shape, strides, offset)


@given(views())
def test_a_view_is_rebuilt_with_its_content_strides_and_alignment(x: torch.Tensor) -> None:
    again = rebuild(to_tensor(x), value_like(x))
    assert (again.dtype, again.shape, again.stride()) == (x.dtype, x.shape, x.stride())
    assert bytes_of(again) == bytes_of(x)
    if x.numel():
        assert (again.data_ptr() - x.data_ptr()) % ALIGNMENT == (-x.untyped_storage().data_ptr()) % ALIGNMENT


def test_a_small_view_far_into_a_large_memory_takes_little_memory() -> None:
    far = torch.zeros(10**6)[10**6 - 3 :]
    assert rebuild(to_tensor(far), value_like(far)).untyped_storage().nbytes() <= 4 * ALIGNMENT


def test_a_need_of_a_gradient_is_rebuilt() -> None:
    x = torch.ones(2)
    assert rebuild(to_tensor(x), replace(value_like(x), requires_grad=True)).requires_grad


@pytest.mark.parametrize(
    ("model", "x"),
    [
        (lambda x: x[:0], torch.ones(3)),
        (torch.nn.BatchNorm1d(2).eval(), torch.ones(0, 2)),
        (torch.nn.Linear(2, 3), torch.ones(0, 2)),
        (torch.nn.Conv1d(2, 3, 1), torch.ones(0, 2, 4)),
        (torch.nn.LayerNorm(2), torch.ones(0, 2)),
        (torch.nn.Embedding(3, 2), torch.ones(0, dtype=torch.int64)),
    ],
)
def test_a_result_without_elements_depends_on_nothing_and_that_is_its_reason(model, x: torch.Tensor) -> None:
    rows = {row.id: row for row in cutaway.verify(cutaway.record(model, x)).rows}
    assert [row.id for row in rows.values() if row.status == "failed"] == []
    assert "x the result has no elements" in rows["replaced"].measured


def test_a_check_that_had_nothing_to_do_says_of_what() -> None:
    with cutaway.Recorder(torch.nn.Linear(2, 2), values="none") as recorder:
        recorder.example("one", torch.ones(2))
    rows = {row.id: row for row in cutaway.verify(recorder.record).rows}
    assert rows["ops"].measured == "nothing to check: 1 op runs without all their values"
    assert rows["chain"].measured == "nothing to check: 1 examples without their inputs"
    rows = {row.id: row for row in cutaway.verify(cutaway.record(lambda x: x, torch.ones(2))).rows}
    assert rows["ops"].measured == "nothing to check: no op runs"


def in_place(x):
    left, right = x.chunk(2)
    x.mul_(3)
    left.add_(right)
    return x + 1


def test_an_op_that_writes_changes_every_tensor_on_that_memory() -> None:
    record = cutaway.record(in_place, torch.arange(4.0))
    graph, example = record.graphs[0], record.examples[0]
    index = next(i for i, op in enumerate(graph.ops) if op.function == "torch.Tensor.mul_")
    made = {graph.values[item.value].name: item.tensor.tolist() for item in replay_op(graph, index, example)}
    assert made == {"x#2": [0, 3, 6, 9], "left#2": [0, 3], "right#2": [6, 9]}


def test_the_whole_graph_runs_from_inputs_alone() -> None:
    record = cutaway.record(in_place, torch.arange(4.0))
    graph, example = record.graphs[0], record.examples[0]
    pairs = zip(graph.values, example.tensors, strict=True)
    bare = replace(example, tensors=tuple(tensor if value.op is None else None for value, tensor in pairs))
    *_, (_, _, tensors) = chain(graph, bare)
    assert tensors[graph.outputs["value"]].tolist() == [7, 13, 7, 10]


def affine(x, shift):
    h = x * 2
    y = h + shift
    return y


RECORD: Record = cutaway.record(affine, torch.ones(2), torch.ones(2))


def test_a_replaced_value_takes_effect_where_it_arises() -> None:
    assert replay_record(RECORD, "example", {"x": [3, 4]})["y"].tolist() == [7, 9]
    assert replay_record(RECORD, "example", {"h": [0, 0]})["y"].tolist() == [1, 1]
    assert replay_record(RECORD, "example", {})["y"].tolist() == [3, 3]


def test_a_replacement_of_an_unknown_name_or_another_shape_is_refused() -> None:
    with pytest.raises(ReplayError, match="no value is named 'z'"):
        replay_record(RECORD, "example", {"z": [1, 2]})
    with pytest.raises(ReplayError, match=r"'x' has shape \[2\], the replacement \[3\]"):
        replay_record(RECORD, "example", {"x": np.zeros(3)})


def test_an_op_whose_operand_was_not_kept_says_so() -> None:
    example = replace(RECORD.examples[0], tensors=(None,) * len(RECORD.graphs[0].values))
    with pytest.raises(ReplayError, match="'x' was not kept in example 'example'"):
        replay_op(RECORD.graphs[0], 0, example)


@pytest.mark.parametrize("name", ["torch.load", "torch.hub.load", "os.system", "torch.Tensor.apply_", ""])
def test_only_listed_functions_are_called(name: str) -> None:
    graph = RECORD.graphs[0]
    graph = replace(graph, ops=(replace(graph.ops[0], function=name), *graph.ops[1:]))
    with pytest.raises(ReplayError, match="refused"):
        replay_op(graph, 0, RECORD.examples[0])


def test_an_op_that_raises_is_named() -> None:
    graph = RECORD.graphs[0]
    graph = replace(graph, ops=(replace(graph.ops[0], kwargs={"no_such": 1}), *graph.ops[1:]))
    with pytest.raises(ReplayError, match=r"op 0 \(torch.Tensor.mul\) raised TypeError"):
        replay_op(graph, 0, RECORD.examples[0])


def test_a_result_of_another_form_is_refused() -> None:
    value = value_like(torch.ones(2))
    with pytest.raises(ReplayError, match=r"came out as float64 \[3\], recorded was float32 \[2\]"):
        bits_of(torch.ones(3, dtype=torch.float64), value)


def test_replay_leaves_the_random_generator_alone() -> None:
    record = cutaway.record(torch.nn.Dropout(), torch.ones(8))
    state = torch.get_rng_state()
    replay_op(record.graphs[0], 0, record.examples[0])
    assert torch.equal(state, torch.get_rng_state())
