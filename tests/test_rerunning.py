"""A fresh run is compared value by value with what a recording holds."""

from dataclasses import replace

import torch
from torch import nn

import cutaway
from cutaway.recorded import Record
from cutaway.replay.rerunning import compare_records


def made(values: str = "all", name: str = "one") -> Record:
    torch.manual_seed(0)
    with cutaway.Recorder(nn.Linear(2, 2), values=values) as recorder:  # type: ignore[arg-type]
        recorder.example(name, torch.ones(2))
    return recorder.record


def test_equal_recordings_are_counted() -> None:
    assert compare_records(made(), made(), exact=True) == (True, "4 values, all bit-equal")


def test_what_the_recording_left_out_is_counted_and_not_compared() -> None:
    assert compare_records(made(), made("none"), exact=True) == (
        True,
        "0 values, all bit-equal; 4 were left out, not compared",
    )


def test_what_the_fresh_run_lacks_differs() -> None:
    assert compare_records(made("none"), made(), exact=True) == (
        False,
        "input of example 'one' was not kept by the fresh run",
    )


def test_other_examples_another_graph_and_another_value_differ() -> None:
    record = made()
    assert compare_records(made(name="two"), record, exact=True)[1] == "the fresh run recorded other examples"
    other = replace(record, graphs=(replace(record.graphs[0], outputs=None),))
    assert compare_records(other, record, exact=True)[1].endswith("its graph differs")
    torch.manual_seed(1)
    moved = cutaway.record(nn.Linear(2, 2), torch.ones(2))
    moved = replace(moved, examples=(replace(moved.examples[0], name="one"),))
    assert compare_records(moved, record, exact=True)[1].startswith("weight of example 'one' differs by ")
