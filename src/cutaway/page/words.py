"""The words around a recording: the lesson's, with every {{number}} filled in, or plain ones without a lesson."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from cutaway.bundle import Bundle
from cutaway.lesson import Lesson
from cutaway.markup import Markup, phrase, prose
from cutaway.panels.scene import landmark, offered
from cutaway.prose import fill
from cutaway.recorded import Record


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

    def line(self, text: str, example: str | None = None) -> Markup:
        return phrase(self.plain(text, example))

    def blocks(self, text: str, example: str | None = None) -> Markup:
        return prose(self.plain(text, example))


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
