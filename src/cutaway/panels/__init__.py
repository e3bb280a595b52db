"""The kinds of panel that docs/lesson.md lists: each draws recorded values as static HTML.

A panel is a pure function of the recording, the lesson, the panel's keys, the chosen example and the chosen axes. The
page's script draws the same HTML (web/src/views/); golden files prove it. Colours are classes and bars are SVG, since
the page's policy forbids style attributes.
"""

from collections.abc import Callable, Mapping
from typing import Any

from cutaway.errors import LessonError
from cutaway.lesson import Lesson
from cutaway.markup import Markup
from cutaway.panels import bars, curve, heatmap, influence, losses, table, tokens
from cutaway.panels.scene import Panel, Scene, offered, place
from cutaway.recorded import Record

KINDS: dict[str, Callable[[Scene, Panel], Markup]] = {
    "tokens": tokens.draw,
    "heatmap": heatmap.draw,
    "bars": bars.draw,
    "losses": losses.draw,
    "influence": influence.draw,
    "curve": curve.draw,
    "table": table.draw,
}


def draw(
    record: Record, lesson: Lesson | None, panel: Mapping[str, Any], example: str, choices: Mapping[str, int]
) -> Markup:
    """One panel's HTML for an example; choices are indices by axis name.

    Raises LessonError where the panel's keys do not fit the recorded values.
    """
    try:
        return KINDS[panel["kind"]](Scene(record, lesson, example, choices), panel)
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        raise LessonError(
            f"{place(panel)} does not fit the values of example {example!r} ({type(error).__name__}: {error}); "
            f"name values of the form that docs/lesson.md gives for {panel['kind']}"
        ) from error


def check_drawable(record: Record, lesson: Lesson) -> None:
    """Draw every panel for every example that the picker offers; raises LessonError for the first that cannot be."""
    for panel in lesson.panels:
        for example in offered(record, lesson):
            draw(record, lesson, panel, example["name"], {})
