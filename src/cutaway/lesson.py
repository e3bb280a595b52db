"""lesson.md: TOML front matter between +++ lines, then Markdown (docs/lesson.md). Needs no torch.

parse(text) checks the form; check_references(lesson, record) checks every name against a recording; fill(text, ...)
puts recorded numbers into prose.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from cutaway.errors import BundleError, LessonError
from cutaway.number import show
from cutaway.recorded import Record

Table = Mapping[str, Any]

_WORDS = {"title": str, "question": str, "promise": str, "family": str, "year": int, "curator": str, "licence": str}
_LISTS = ("credits", "simplified", "not_claimed")
_EXAMPLE = {"name": str, "title": str, "words": str, "beside": str}
_TOUR = {"step": int, "title": str, "text": str, "scope": str, "value": str, "cells": str, "example": str}
_PART = {"value": str, "title": str, "probabilities": str, "labels": str}
_RUN = {"title": str, "base": str, "changed": list}
_LINE = {"value": str, "title": str}
# panel kind -> (required keys, other keys), each with its type; `title` and `words` belong to every kind
_PANELS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "tokens": ({"input": str, "segments": str, "labels": str}, {}),
    "heatmap": ({"value": str}, {"choose": list, "rows": (str, list), "columns": (str, list), "follow": bool}),
    "bars": ({"value": str, "labels": str}, {"names": (str, list)}),
    "losses": ({"total": str, "part": list}, {"total_title": str}),
    "influence": ({"value": str, "tokens": str, "run": list}, {}),
    "curve": ({"line": list, "examples": list, "at": list}, {"axis": str}),
    "table": ({"values": list}, {"names": list, "rows": (str, list)}),
}
_VALUE_KEYS = ("input", "segments", "labels", "value", "total", "probabilities", "tokens")

_REFERENCE = re.compile(r"\{\{(.*?)\}\}", re.DOTALL)
# A decimal such as 0.15, .5, 1e-5; "Apache-2.0" and "2.13.0" name things and are no results.
_DECIMAL = re.compile(r"(?<![A-Za-z0-9]-)(?<![\w.])(?:\d+\.\d+|\.\d+|\d+[eE][-+]?\d+)(?![\d.]*\d*\.\d)")
_INNER = re.compile(
    r"(?:(?P<example>[^:{}\[\]()|]+):)?(?P<name>[^\[\]{}|]+?(?:\[\d+\])*?)(?:\[(?P<cell>-?\d+(?:\s*,\s*-?\d+)*)\])?(?:\|(?P<digits>\d+))?"
)


@dataclass(frozen=True)
class Lesson:
    """The words of a page. Text fields still hold their {{...}} references; `fill` puts numbers in."""

    title: str
    question: str
    promise: str
    family: str
    year: int
    curator: str
    licence: str
    credits: tuple[str, ...]
    simplified: tuple[str, ...]
    not_claimed: tuple[str, ...]
    references: tuple[Table, ...]
    open: tuple[str, ...]
    vocabulary: Mapping[int, str]
    examples: tuple[Table, ...]
    tour: tuple[Table, ...]
    panels: tuple[Table, ...]
    body: str


def parse(text: str) -> Lesson:
    """Read lesson.md. Raises LessonError with the key that is missing, unknown or of the wrong type."""
    lines = text.replace("\r\n", "\n").split("\n")
    if lines[0].strip() != "+++" or "+++" not in (line.strip() for line in lines[1:]):
        raise LessonError("lesson.md must begin with front matter between two +++ lines; see docs/lesson.md")
    end = next(i for i, line in enumerate(lines) if i and line.strip() == "+++")
    try:
        front = tomllib.loads("\n".join(lines[1:end]))
    except tomllib.TOMLDecodeError as error:
        raise LessonError(f"lesson.md: the front matter is not TOML ({error})") from error
    known = {*_WORDS, *_LISTS, "references", "open", "vocabulary", "example", "tour", "panel"}
    _no_others(front, known, "the front matter")
    _typed(front, _WORDS, "the front matter")
    for key in _LISTS:
        _list_of(front, key, str)
    tour = tuple(front.get("tour", ()))
    for number, step in enumerate(tour, 1):
        _checked(step, _TOUR, ("step", "title", "text"), f"tour step {number}")
        if step["step"] != number:
            raise LessonError(
                f"lesson.md: tour step {step['step']} stands at place {number}; number the steps 1, 2, 3 in order"
            )
    examples = tuple(front.get("example", ()))
    for number, example in enumerate(examples, 1):
        _checked(example, _EXAMPLE, ("name", "title", "words"), f"example {number}")
    panels = tuple(front.get("panel", ()))
    for number, panel in enumerate(panels, 1):
        _check_panel(panel, number)
    words: dict[str, Any] = {key: front[key] for key in _WORDS}
    lesson = Lesson(
        **words | {key: tuple(front[key]) for key in _LISTS},
        references=tuple(front.get("references", ())),
        open=tuple(front.get("open", ())),
        vocabulary=_vocabulary(front.get("vocabulary", {})),
        examples=examples,
        tour=tour,
        panels=panels,
        body="\n".join(lines[end + 1 :]).strip(),
    )
    for where, prose in texts(lesson):
        _no_typed_decimals(prose, where)
    return lesson


def texts(lesson: Lesson) -> Iterator[tuple[str, str]]:
    """Every piece of prose of a lesson with the place where it stands."""
    for key in ("title", "question", "promise"):
        yield key, getattr(lesson, key)
    for key in _LISTS:
        for number, item in enumerate(getattr(lesson, key), 1):
            yield f"{key} {number}", item
    for number, step in enumerate(lesson.tour, 1):
        yield f"the title of tour step {number}", step["title"]
        yield f"the text of tour step {number}", step["text"]
    for example in lesson.examples:
        yield f"the title of example {example['name']!r}", example["title"]
        yield f"the words of example {example['name']!r}", example["words"]
    for number, panel in enumerate(lesson.panels, 1):
        yield f"the title of panel {number}", panel["title"]
        yield f"the words of panel {number}", panel.get("words", "")
    yield "the text after the front matter", lesson.body


def check_references(lesson: Lesson, record: Record) -> None:
    """Raise LessonError unless every scope, value, example and cell that a lesson names was recorded."""
    first = record.examples[0].name
    names = {example.name for example in record.examples}
    scopes = {scope.name for graph in record.graphs for scope in graph.scopes}
    values = {name for graph in record.graphs for name in graph.ids}

    def need(name: str, known: set[str], what: str, where: str) -> None:
        if name not in known:
            raise LessonError(f"lesson.md, {where}: no {what} is named {name!r}; `cutaway show BUNDLE` lists the names")

    for scope in lesson.open:
        need(scope, scopes, "scope", "open")
    for example in lesson.examples:
        where = f"example {example['name']!r}"
        need(example["name"], names, "example", where)
        if "beside" in example:
            need(example["beside"], names, "example", where)
    for step in lesson.tour:
        where = f"tour step {step['step']}"
        example = step.get("example", first)
        need(example, names, "example", where)
        if "scope" in step:
            need(step["scope"], scopes, "scope", where)
        if "value" in step:
            need(step["value"], values, "value", where)
            if "cells" in step:
                _check_cells(step["cells"], record.tensor(example, step["value"]).shape, where)
        fill(step["text"], record, example)
    for number, panel in enumerate(lesson.panels, 1):
        where = f"panel {number} ({panel['kind']})"
        for name in _panel_values(panel, values):
            need(name, values, "value", where)
        for name in [
            *panel.get("examples", []),
            *(n for run in panel.get("run", []) for n in (run["base"], *run["changed"])),
        ]:
            need(name, names, "example", where)
    for where, prose in texts(lesson):
        if not where.startswith("the text of tour step"):
            _filled(prose, record, first, where)


def fill(text: str, record: Record, example: str) -> str:
    """Prose with its references replaced by recorded numbers; see docs/lesson.md, "Numbers in prose".

    example: the one meant where a reference names none. Raises LessonError for a name or cell that was not recorded.
    """
    return _filled(text, record, example, "a text")


def _filled(text: str, record: Record, example: str, where: str) -> str:
    def number(match: re.Match[str]) -> str:
        inner = match[1].strip()
        if inner.startswith("literal "):
            return inner.removeprefix("literal ").strip()
        if inner.startswith("count."):
            return str(_count(inner.removeprefix("count."), record, where))
        return _cell(inner, record, example, where)

    return _REFERENCE.sub(number, text)


def _cell(inner: str, record: Record, example: str, where: str) -> str:
    form = _INNER.fullmatch(inner)
    if form is None:
        raise LessonError(
            f"lesson.md, {where}: {{{{{inner}}}}} is not of the form name[2,3], example:name[2,3] or name|6"
        )
    chosen = form["example"] or example
    try:
        array = record.array(chosen, form["name"])
    except BundleError as error:
        raise LessonError(f"lesson.md, {where}: {{{{{inner}}}}}: {error}") from error
    cell = tuple(int(i) for i in form["cell"].split(",")) if form["cell"] else ()
    if len(cell) != array.ndim or any(not 0 <= i < size for i, size in zip(cell, array.shape, strict=True)):
        raise LessonError(f"lesson.md, {where}: {{{{{inner}}}}} names no cell of a value of shape {list(array.shape)}")
    return show(array[cell], int(form["digits"] or 4))


def _count(name: str, record: Record, where: str) -> int:
    graph = record.graphs[0]
    counts = {
        "examples": len(record.examples),
        "scopes": len(graph.scopes),
        "ops": len(graph.ops),
        "values": len(graph.values),
        "parameters": graph.parameter_count,
    }
    if name not in counts:
        raise LessonError(f"lesson.md, {where}: there is no count.{name}; there are {', '.join(counts)}")
    return counts[name]


def parse_cells(cells: str) -> tuple[int | None, ...]:
    """`[2,:]` as (2, None). Raises LessonError on any other form."""
    if not re.fullmatch(r"\[\s*(\d+|:)(\s*,\s*(\d+|:))*\s*\]", cells):
        raise LessonError(f"lesson.md: cells = {cells!r} is not of the form [2,:]; use whole numbers and colons")
    return tuple(None if part.strip() == ":" else int(part) for part in cells.strip("[] ").split(","))


def _check_cells(cells: str, shape: tuple[int, ...], where: str) -> None:
    wanted = parse_cells(cells)
    if len(wanted) != len(shape) or any(i is not None and i >= size for i, size in zip(wanted, shape, strict=False)):
        raise LessonError(f"lesson.md, {where}: cells = {cells!r} does not fit a value of shape {list(shape)}")


def _panel_values(panel: Table, known: set[str]) -> Iterator[str]:
    """Names of values that a panel binds; `rows` and `columns` name a value only when they are a string."""
    for entry in [panel, *panel.get("part", []), *panel.get("line", [])]:
        for key in _VALUE_KEYS:
            if key in entry:
                yield entry[key]
    yield from panel.get("values", [])
    for key in ("rows", "columns"):
        if isinstance(panel.get(key), str):
            yield panel[key]


def _check_panel(panel: Table, number: int) -> None:
    where = f"panel {number}"
    kind = panel.get("kind")
    if kind not in _PANELS:
        raise LessonError(f"lesson.md: {where} is of kind {kind!r}; the kinds are {', '.join(_PANELS)}")
    required, optional = _PANELS[kind]
    allowed = {"kind": str, "title": str, "words": str, **required, **optional}
    _checked(panel, allowed, ("kind", "title", *required), f"{where} ({kind})")
    for key, form in (("part", _PART), ("run", _RUN), ("line", _LINE)):
        for entry in panel.get(key, []):
            _checked(entry, form, tuple(form), f"{where} ({kind}), {key}")
    if kind == "curve" and len(panel["examples"]) != len(panel["at"]):
        raise LessonError(
            f"lesson.md: {where} (curve) has {len(panel['examples'])} examples but {len(panel['at'])} numbers in at"
        )


def _checked(table: Table, allowed: Table, required: tuple[str, ...], where: str) -> None:
    _no_others(table, set(allowed), where)
    _typed(table, {key: allowed[key] for key in required}, where)
    _typed(table, {key: allowed[key] for key in table}, where)


def _no_others(table: Table, known: set[str], where: str) -> None:
    for key in table:
        if key not in known:
            raise LessonError(f"lesson.md: {where} has the unknown key {key!r}; known are {', '.join(sorted(known))}")


def _typed(table: Table, types: Table, where: str) -> None:
    for key, kind in types.items():
        if key not in table:
            raise LessonError(f"lesson.md: {where} has no {key}; add it (docs/lesson.md)")
        if not isinstance(table[key], kind):
            raise LessonError(f"lesson.md: {where} has {key} = {table[key]!r}, which is of the wrong type")


def _list_of(front: Table, key: str, kind: type) -> None:
    items = front.get(key)
    if not isinstance(items, list) or not all(isinstance(item, kind) for item in items):
        raise LessonError(f"lesson.md: {key} must be a list of texts")


def _vocabulary(table: Table) -> dict[int, str]:
    try:
        return {int(key): str(word) for key, word in table.items()}
    except ValueError as error:
        raise LessonError(f"lesson.md: vocabulary keys are token ids, whole numbers ({error})") from error


def _no_typed_decimals(prose: str, where: str) -> None:
    found = _DECIMAL.search(_REFERENCE.sub("", prose))
    if found:
        raise LessonError(
            f"lesson.md, {where}: {found[0]} is typed by hand; name a recorded value ({{{{value[0]}}}}) "
            f"or mark it as no result ({{{{literal {found[0]}}}}})"
        )
