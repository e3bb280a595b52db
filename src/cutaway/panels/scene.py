"""What every panel is drawn from: a recording, its lesson, the chosen example and the chosen axes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from cutaway.errors import LessonError
from cutaway.lesson import Lesson
from cutaway.recorded import Record
from cutaway.tensor import Array, Tensor

IGNORED = -100  # the label of a position that is no target: ignore_index of torch.nn.functional.cross_entropy

Panel = Mapping[str, Any]


def offered(record: Record, lesson: Lesson | None) -> tuple[Mapping[str, Any], ...]:
    """The examples of the picker, in order, with name, title and words: those the lesson lists, or all."""
    if lesson and lesson.examples:
        return lesson.examples
    return tuple({"name": e.name, "title": e.name, "words": ""} for e in record.examples)


def landmark(record: Record, example: str) -> str | None:
    """The value to show where none was chosen: the last result that an example kept, else the last value at all."""
    kept = [
        value
        for value, tensor in zip(record.graph(example).values, record.example(example).tensors, strict=True)
        if tensor is not None
    ]
    results = [value for value in kept if value.kind == "result"] or kept or record.graph(example).values
    return results[-1].name if results else None


def place(panel: Panel) -> str:
    """Where a panel is written."""
    return f"lesson.md, panel {panel.get('title', panel['kind'])!r}"


def unfit(panel: Panel, what: str) -> LessonError:
    """The error of a panel that does not fit the recorded values: `what` says how, and what to do."""
    return LessonError(f"{place(panel)}: {what}")


@dataclass(frozen=True)
class Scene:
    """choices: index by axis name, 0 where absent."""

    record: Record
    lesson: Lesson | None
    example: str
    choices: Mapping[str, int] = field(default_factory=dict)

    @property
    def panels(self) -> tuple[Panel, ...]:
        return self.lesson.panels if self.lesson else ()

    @property
    def drawn(self) -> tuple[str, ...]:
        """The chosen example, and the one its lesson puts beside it."""
        beside = next((e.get("beside") for e in self.offered if e["name"] == self.example), None)
        return (self.example, beside) if beside else (self.example,)

    @property
    def offered(self) -> tuple[Mapping[str, Any], ...]:
        return offered(self.record, self.lesson)

    def title(self, example: str) -> str:
        """What the picker calls an example."""
        return next((str(e["title"]) for e in self.offered if e["name"] == example), example)

    def tensor(self, example: str, value: str) -> Tensor | None:
        """A recorded value, or None where this example did not keep it."""
        graph = self.record.graph(example)
        if value not in graph.ids:
            return None
        return self.record.example(example).tensors[graph.ids[value]]

    def numbers(self, example: str, value: str, panel: Panel) -> list[Any]:
        """A recorded value of one axis (or none) as a list of numbers."""
        tensor = self.record.tensor(example, value)
        if len(tensor.shape) > 1:
            raise unfit(
                panel,
                f"{value!r} has shape {tensor.shape}; it must have one axis, so index it in the model, "
                "or name another value",
            )
        return list(tensor.array().reshape(-1).tolist())

    def word(self, number: int) -> str:
        """The vocabulary's word for an id, or the id."""
        vocabulary = self.lesson.vocabulary if self.lesson else {}
        return vocabulary.get(number, str(number))

    def labels(self, example: str, axis: str | list[str] | None, count: int, panel: Panel) -> list[str]:
        """Headers of an axis: words of a value of ids with their positions, given words, or positions."""
        if axis is None:
            return [str(i) for i in range(count)]
        ids = self.numbers(example, axis, panel) if isinstance(axis, str) else []
        found = [f"{at}: {self.word(i)}" for at, i in enumerate(ids)] if isinstance(axis, str) else list(axis)
        if len(found) != count:
            raise unfit(
                panel, f"{axis!r} names {len(found)} headers for {count} cells; name a value or a list of {count} words"
            )
        return found

    def targets(self, example: str, labels: str, panel: Panel) -> list[tuple[int, int]]:
        """(position, true id) of each target: every position whose label is not ignored."""
        return [(i, label) for i, label in enumerate(self.numbers(example, labels, panel)) if label != IGNORED]

    def rows(self, example: str, value: str, labels: str, panel: Panel) -> list[tuple[int | None, int, Array]]:
        """(position, true index, distribution) of each target; the position is None for a single distribution."""
        array = self.record.array(example, value)
        targets = self.targets(example, labels, panel)
        if array.ndim == 1:
            return [(None, truth, array) for _, truth in targets]
        return [(position, truth, array[position]) for position, truth in targets]
