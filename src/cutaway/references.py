"""Every scope, value, example and cell that a lesson names, looked up in a recording. Needs no torch."""

import difflib
import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from cutaway.errors import BundleError, LessonError
from cutaway.lesson import Lesson, texts
from cutaway.prose import fill
from cutaway.recorded import Record

Table = Mapping[str, Any]

_VALUE_KEYS = ("input", "segments", "labels", "value", "total", "probabilities", "tokens")


def check_references(lesson: Lesson, record: Record) -> None:
    """Raise LessonError unless every scope, value, example and cell that a lesson names was recorded."""
    first = lesson.first_example(record)
    names = {example.name for example in record.examples}
    scopes = {scope.name for graph in record.graphs for scope in graph.scopes}
    for scope in lesson.open:
        _need(scope, scopes, "scope", "open")
    for example in lesson.examples:
        where = f"example {example['name']!r}"
        _need(example["name"], names, "example", where)
        _need(example.get("beside", first), names, "example", where)
    for step in lesson.tour:
        _check_step(step, record, first)
    for number, panel in enumerate(lesson.panels, 1):
        _check_panel(panel, record, first, f"panel {number} ({panel['kind']})")
    for where, prose in texts(lesson):
        if not where.startswith("the text of tour step"):
            fill(prose, record, first, where)


def _check_step(step: Table, record: Record, first: str) -> None:
    where = f"tour step {step['step']}"
    example = step.get("example", first)
    _need(example, {known.name for known in record.examples}, "example", where)
    graph = record.graph(example)
    if "scope" in step:
        _need(step["scope"], graph.scope_ids, "scope", where)
    if "value" in step:
        _need(step["value"], graph.ids, "value", where)
        try:
            shape = record.tensor(example, step["value"]).shape
        except BundleError as error:
            raise LessonError(f"lesson.md, {where}: {error}") from error
        if "cells" in step:
            _check_cells(step["cells"], shape, where)
    fill(step["text"], record, example, where)


def _check_panel(panel: Table, record: Record, first: str, where: str) -> None:
    """Values are needed in the example that is drawn first, and in those that the panel names itself."""
    names = {known.name for known in record.examples}
    runs = [name for run in panel.get("run", ()) for name in (run["base"], *run["changed"])]
    own = [*panel.get("examples", ()), *runs]
    for example in own:
        _need(example, names, "example", where)
    ids = {name for graph in record.graphs for name in graph.ids}
    for value in _panel_values(panel):
        _need(value, ids, "value", where)
        for example in own if value in _kept_by_own(panel) else ():
            try:
                record.tensor(example, value)
            except BundleError as error:
                raise LessonError(f"lesson.md, {where}: {error}") from error


def _panel_values(panel: Table) -> Iterator[str]:
    """Names of values that a panel binds; `rows` and `columns` name a value only when they are a string."""
    for entry in (panel, *panel.get("part", ()), *panel.get("line", ())):
        for key in _VALUE_KEYS:
            if key in entry:
                yield entry[key]
    yield from panel.get("values", ())
    for key in ("rows", "columns"):
        if isinstance(panel.get(key), str):
            yield panel[key]


def _kept_by_own(panel: Table) -> set[str]:
    """Values that every example named by the panel itself must have kept."""
    return {entry["value"] for entry in (panel, *panel.get("line", ())) if "value" in entry}


def _need(name: str, known: Collection[str], what: str, where: str) -> None:
    if name not in known:
        near = difflib.get_close_matches(name, known, 3)
        hint = f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(sorted(known)[:12])}"
        raise LessonError(f"lesson.md, {where}: no {what} is named {name!r}; {hint}")


def parse_cells(cells: str) -> tuple[int | None, ...]:
    """`[2,:]` as (2, None). Raises LessonError on any other form."""
    if not re.fullmatch(r"\[\s*([0-9]{1,18}|:)(\s*,\s*([0-9]{1,18}|:))*\s*\]", cells):
        raise LessonError(f"lesson.md: cells = {cells!r} is not of the form [2,:]; use whole numbers and colons")
    return tuple(None if part.strip() == ":" else int(part) for part in cells.strip("[] ").split(","))


def _check_cells(cells: str, shape: tuple[int, ...], where: str) -> None:
    wanted = parse_cells(cells)
    if len(wanted) != len(shape) or any(i is not None and i >= size for i, size in zip(wanted, shape, strict=True)):
        raise LessonError(
            f"lesson.md, {where}: cells = {cells!r} does not fit a value of shape {list(shape)}; "
            "give one index or colon an axis"
        )
