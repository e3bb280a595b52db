"""Recorded numbers in words: {{name[2,3]}} and its like (docs/lesson.md, "Numbers in prose"). Needs no torch."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from cutaway.errors import BundleError, LessonError
from cutaway.number import exact, show
from cutaway.recorded import Record

_REFERENCE = re.compile(r"\{\{([^{}]*)\}\}")
_LINK = re.compile(r"https?://[^\s)>\]]+")
# A decimal such as 0.15, .5, 1e-5; "Apache-2.0" and "2.13.0" name things and are no results.
_DECIMAL = re.compile(r"(?<![A-Za-z0-9]-)(?<![\w.])(?:\d+\.\d+|\.\d+|\d+[eE][-+]?\d+)(?![\d.]*\d*\.\d)")
ADDRESS = r"https?://\S+$|#"
_MARKDOWN_LINK = re.compile(r"\]\(\s*<?([^\s)>]*)|^\s*\[[^\]]+\]:\s*<?([^\s>]+)", re.MULTILINE)
_DIGITS = re.compile(r"(.+)\|\s*([0-9]{1,6})", re.DOTALL)
_CELL = re.compile(r"(.+)\[\s*([0-9]{1,18}(?:\s*,\s*[0-9]{1,18})*)\s*\]", re.DOTALL)
MOST_DIGITS = 17  # those that tell two doubles apart


@dataclass(frozen=True)
class Figure:
    """A recorded number as a text shows it, all its digits, the value and example it is from, and its place there."""

    shown: str
    digits: str
    value: str
    example: str
    at: int


def fill(
    text: str,
    record: Record,
    example: str,
    where: str = "a text",
    write: Callable[[Figure], str] = lambda figure: figure.shown,
) -> str:
    """Prose with its references replaced by recorded numbers.

    example: the one meant where a reference names none. where: the place, for errors. write: how a recorded cell is
    written, as it is shown unless given. Raises LessonError for a name or cell that was not recorded.
    """

    def number(match: re.Match[str]) -> str:
        inner = match[1].strip()
        if inner.startswith("literal "):
            return inner.removeprefix("literal ").strip()
        if inner.startswith("count."):
            return str(_count(inner.removeprefix("count."), record.counts, where))
        return write(_cell(inner, record, example, where, match.start()))

    left = _REFERENCE.sub("", text)
    if "{{" in left or "}}" in left:
        raise LessonError(f"lesson.md, {where}: a {{{{ or }}}} has no partner; write {{{{name[2,3]}}}}")
    return _REFERENCE.sub(number, text)


def check_typed_by_hand(prose: str, where: str) -> None:
    """Raise LessonError for a decimal outside references and links: a result must come from the recording."""
    found = _DECIMAL.search(_LINK.sub("", _REFERENCE.sub("", prose)))
    if found:
        raise LessonError(
            f"lesson.md, {where}: {found[0]} is typed by hand; name a recorded value ({{{{value[0]}}}}) "
            f"or mark it as no result ({{{{literal {found[0]}}}}})"
        )


def check_links(prose: str, where: str) -> None:
    """Raise LessonError for a Markdown link that leads elsewhere than to http, https or a place on the page."""
    for match in _MARKDOWN_LINK.finditer(prose):
        target = match[1] or match[2]
        if not re.match(ADDRESS, target):
            raise LessonError(
                f"lesson.md, {where}: the link {target!r} is no http or https address; give the whole one"
            )


def _cell(inner: str, record: Record, example: str, where: str, at: int) -> Figure:
    """One number. A whole reference may itself be a name (`states[0]`), so that is tried first."""
    rest, digits = inner, 4
    if form := _DIGITS.fullmatch(inner):
        rest, digits = form[1].strip(), int(form[2])
    if not 1 <= digits <= MOST_DIGITS:
        raise LessonError(f"lesson.md, {where}: {{{{{inner}}}}} asks for {digits} digits; ask for 1 to {MOST_DIGITS}")
    prefix, colon, tail = (part.strip() for part in rest.partition(":"))
    if colon and any(known.name == prefix for known in record.examples):
        example, rest = prefix, tail
    elif colon and rest not in record.graph(example).ids and tail.partition("[")[0] in record.graph(example).ids:
        names = ", ".join(known.name for known in record.examples)
        raise LessonError(f"lesson.md, {where}: {{{{{inner}}}}}: no example is named {prefix!r}; there are {names}")
    try:
        name, cell = _named(rest, record, example)
        tensor = record.tensor(example, name)
    except BundleError as error:
        raise LessonError(f"lesson.md, {where}: {{{{{inner}}}}}: {error}") from error
    if len(cell) != len(tensor.shape) or any(i >= size for i, size in zip(cell, tensor.shape, strict=True)):
        raise LessonError(
            f"lesson.md, {where}: {{{{{inner}}}}} names no cell of a value of shape {list(tensor.shape)}; "
            "give one index an axis, from 0"
        )
    number = tensor.array()[cell]
    return Figure(show(number, digits), exact(number, tensor.dtype), name, example, at)


def _named(name: str, record: Record, example: str) -> tuple[str, tuple[int, ...]]:
    form = _CELL.fullmatch(name)
    if form is None or name in record.graph(example).ids:
        return name, ()
    return form[1].strip(), tuple(int(i) for i in form[2].split(","))


def _count(name: str, counts: Mapping[str, int], where: str) -> int:
    if name not in counts:
        raise LessonError(f"lesson.md, {where}: there is no count.{name}; there are {', '.join(counts)}")
    return counts[name]
