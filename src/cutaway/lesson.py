"""lesson.md: TOML front matter between +++ lines, then Markdown (docs/lesson.md). Needs no torch.

parse(text) checks the form; references.check_references checks every name against a recording; prose.fill puts
recorded numbers into the words.
"""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from cutaway.errors import LessonError
from cutaway.lesson_form import LISTS, WORDS, check_front
from cutaway.prose import check_links, check_typed_by_hand
from cutaway.recorded import Record

Table = Mapping[str, Any]


@dataclass(frozen=True)
class Lesson:
    """The words of a page. Text fields still hold their {{...}} references; `prose.fill` puts numbers in."""

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

    def first_example(self, record: Record) -> str:
        """The example that words without an example of their own speak about: the first of the picker."""
        return str(self.examples[0]["name"]) if self.examples else record.examples[0].name


def parse(text: str | bytes) -> Lesson:
    """Read lesson.md. Raises LessonError with the key that is missing, unknown or of the wrong type."""
    front, body = _split(text)
    check_front(front)
    words: dict[str, Any] = {key: front[key] for key in WORDS}
    lesson = Lesson(
        **words | {key: tuple(front[key]) for key in LISTS},
        references=tuple(front.get("references", ())),
        open=tuple(front.get("open", ())),
        vocabulary={int(key): word for key, word in front.get("vocabulary", {}).items()},
        examples=tuple(front.get("example", ())),
        tour=tuple(front.get("tour", ())),
        panels=tuple(front.get("panel", ())),
        body=body,
    )
    for where, prose in (*texts(lesson), *labels(lesson)):
        check_typed_by_hand(prose, where)
        check_links(prose, where)
    return lesson


def _split(text: str | bytes) -> tuple[dict[str, Any], str]:
    """The front matter as TOML tables, and the Markdown after it."""
    try:
        lines = (text.decode("utf-8") if isinstance(text, bytes) else text).replace("\r\n", "\n").split("\n")
    except UnicodeDecodeError as error:
        raise LessonError(f"lesson.md is not UTF-8 ({error}); save it as UTF-8") from error
    ends = [i for i, line in enumerate(lines) if line.strip() == "+++"]
    if len(ends) < 2 or ends[0] != 0:
        raise LessonError("lesson.md must begin with front matter between two +++ lines; see docs/lesson.md")
    try:
        front = tomllib.loads("\n".join(["", *lines[1 : ends[1]]]))  # so that its errors count the file's lines
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise LessonError(f"lesson.md: the front matter is not TOML ({error}); correct that line") from error
    return front, "\n".join(lines[ends[1] + 1 :]).strip()


def texts(lesson: Lesson) -> Iterator[tuple[str, str]]:
    """Every piece of prose of a lesson, in which {{...}} is filled, with the place where it stands."""
    for key in ("title", "question", "promise"):
        yield key, getattr(lesson, key)
    for key in LISTS:
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


def labels(lesson: Lesson) -> Iterator[tuple[str, str]]:
    """Short texts of panels that are shown as they stand: column titles, axis names, titles of lines and parts."""
    for number, panel in enumerate(lesson.panels, 1):
        where = f"panel {number} ({panel['kind']})"
        for key in ("total_title", "axis"):
            yield f"{where}, {key}", panel.get(key, "")
        for key in ("names", "rows", "columns", "choose"):
            for word in panel.get(key, ()) if isinstance(panel.get(key), list) else ():
                yield f"{where}, {key}", word
        for key in ("part", "run", "line"):
            for entry in panel.get(key, ()):
                yield f"{where}, {key}", entry["title"]
