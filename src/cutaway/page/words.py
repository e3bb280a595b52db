"""The words around a recording: the lesson's, with every {{number}} filled in, or plain ones without a lesson."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from cutaway.bundle import Bundle
from cutaway.lesson import Lesson
from cutaway.markup import Markup, phrase, prose
from cutaway.panels.scene import landmark, offered
from cutaway.prose import Figure, fill
from cutaway.recorded import Record

# Code and links of a text: no link can stand in them.
_CLOSED = re.compile(r"(`+).+?\1|\[[^\[\]]*\]\([^()]*\)", re.DOTALL)


@dataclass(frozen=True)
class Words:
    """The lesson's texts; those that may hold {{...}} go through `plain`, `line` or `blocks` on their way out."""

    record: Record
    lesson: Lesson | None
    title: str
    question: str
    promise: str

    @property
    def first(self) -> str:
        """The example that text without an example of its own speaks about."""
        return str(self.examples[0]["name"])

    @property
    def examples(self) -> tuple[Mapping[str, Any], ...]:
        return offered(self.record, self.lesson)

    @property
    def tour(self) -> tuple[Mapping[str, Any], ...]:
        return self.lesson.tour if self.lesson else ()

    @property
    def panels(self) -> tuple[Mapping[str, Any], ...]:
        """The lesson's panels, or a heatmap that shows whatever value is selected; none where there is no value."""
        if self.lesson:
            return self.lesson.panels
        value = landmark(self.record, self.first)
        return ({"kind": "heatmap", "title": "Any value", "value": value, "follow": True},) if value else ()

    def plain(self, text: str, example: str | None = None) -> str:
        return fill(text, self.record, example or self.first)

    def label(self, text: str) -> Markup:
        """A line that is itself a link."""
        return phrase(self.plain(text))

    def line(self, text: str) -> Markup:
        return phrase(self._linked(text, None))

    def blocks(self, text: str, example: str | None = None) -> Markup:
        return prose(self._linked(text, example))

    def _linked(self, text: str, example: str | None) -> str:
        """Markdown in which each recorded number leads to the value it is a cell of, and carries all its digits."""
        closed = [match.span() for match in _CLOSED.finditer(text)]
        offered = [entry["name"] for entry in self.examples]

        def write(figure: Figure) -> str:
            if figure.example not in offered or any(start <= figure.at < end for start, end in closed):
                return figure.shown
            address = f"{select(self.record, figure.example, figure.value)}&example={quote(figure.example, safe='')}"
            return f'[{figure.shown}]({address} "{figure.digits}")'

        return fill(text, self.record, example or self.first, write=write)


def select(record: Record, example: str, value: str) -> str:
    """The address that selects a value in the graph (web/src/selection.ts, selectName, says why some have a prefix)."""
    taken = re.match(r"(scope|value|op):", value) or any(scope.name == value for scope in record.graph(example).scopes)
    return f"#select={quote(f'value:{value}' if taken else value, safe='')}"


def words(bundle: Bundle) -> Words:
    lesson = bundle.lesson
    if lesson:
        return Words(bundle.record, lesson, lesson.title, lesson.question, lesson.promise)
    title = str(bundle.manifest["title"])
    promise = "Every value of one recorded run, its shape, its numbers and the operation it came from."
    return Words(bundle.record, None, title, f"What happens inside {_literal(title)}?", promise)


def _literal(text: str) -> str:
    """Text that Markdown shows as it is."""
    return re.sub(r"([\\`*_{}\[\]<>#|!])", r"\\\1", text)
