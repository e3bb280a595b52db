"""Record, write, read back, verify: what every test of a recording does, in one place."""

import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cutaway
from cutaway.recorded import Record


def through_disk(record: Record) -> Record:
    """The record as a reader of its bundle gets it; nothing in it may be an absolute path or lax JSON."""
    with tempfile.TemporaryDirectory() as folder:
        place = cutaway.write(record, Path(folder) / "bundle")
        text = (place / "graph.json").read_text(encoding="utf-8")
        json.loads(text, parse_constant=lambda name: 1 / 0)
        for graph in record.graphs:
            sources = [item.source for item in (*graph.ops, *graph.scopes) if item.source is not None]
            assert not [source.file for source in sources if Path(source.file).is_absolute()]
        return cutaway.read(place).record


def recorded(model: Callable[..., Any], *args: Any, **kwargs: Any) -> Record:
    """The record of one pass, after it went through the disk; every check of it passes, and every value is covered."""
    record = through_disk(cutaway.record(model, *args, **kwargs))
    assert failures(record) == {}
    return record


def uncovered(model: Callable[..., Any], *args: Any, **kwargs: Any) -> tuple[Record, list[tuple[str, str]]]:
    """The record of a pass in which something could not be followed, and (value, why) for all of it.

    The check of producers names their number, and every other check passes.
    """
    record = through_disk(cutaway.record(model, *args, **kwargs))
    graph = record.graphs[0]
    lost = [(graph.values[item.value].name, item.why) for item in graph.outside]
    found = failures(record)
    assert list(found) == ["producers"]
    assert found["producers"].startswith(f"{len(lost)} of {len(graph.values)} values are not covered")
    return record, lost


def failures(record: Record) -> dict[str, str]:
    """The checks that fail, by name, with what they measured."""
    return {row.id: row.measured for row in cutaway.verify(record).rows if row.status == "failed"}


def functions(record: Record) -> list[str]:
    """The last parts of the names of the functions that ran, in order."""
    return [op.function.rpartition(".")[2] for op in record.graphs[0].ops]


def names(record: Record, kind: str | None = None) -> list[str]:
    return [value.name for value in record.graphs[0].values if kind in (None, value.kind)]


def scopes(record: Record) -> list[str]:
    return [scope.name for scope in record.graphs[0].scopes]
