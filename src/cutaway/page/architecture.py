"""The architecture as a static picture, and the tour beside it. The script opens the interactive graph in the picture's
place; without it the picture and every step's text stand."""

from collections.abc import Mapping
from typing import Any

from cutaway.bundle import Bundle
from cutaway.layout import arrange
from cutaway.markup import Markup, element
from cutaway.page.words import Words
from cutaway.picture import svg


def section(bundle: Bundle, text: Words) -> Markup:
    graph = bundle.record.graphs[0]
    layout = arrange(graph, text.lesson.open if text.lesson else ())
    shown = sum(not box.open for box in layout.boxes)
    counts = bundle.manifest["counts"]
    several = f" · the first of {len(bundle.record.graphs)} graphs" if len(bundle.record.graphs) > 1 else ""
    caption = f"Recorded snapshot, needs no Python · {counts['ops']} operations in {counts['scopes']} scopes{several}"
    figure = element(
        "figure",
        {"id": "architecture"},
        element("div", {"class": "picture"}, Markup(svg(graph, layout, f"Architecture of {text.title}"))),
        element(
            "figcaption",
            {},
            element("span", {}, caption, element("span", {"class": "shown"}, f", {shown} boxes shown")),
            element("span", {"class": "opening needs-script", "role": "status"}, "Opening the interactive graph…"),
        ),
    )
    return element(
        "section",
        {"class": "workbench", "aria-labelledby": "architecture-title"},
        element("h2", {"id": "architecture-title"}, "Architecture"),
        element("div", {"class": "bench"}, figure, _rail(text), element("div", {"id": "inspector"})),
    )


def _rail(text: Words) -> Markup:
    """What stands beside the graph: the tour; the script adds the outline."""
    steps = [_step(text, step) for step in text.tour]
    tour = element(
        "div",
        {"class": "tour", "id": "tour"},
        element("h2", {"id": "tour-title"}, "Guided tour"),
        element("ol", {"class": "steps"}, steps),
        element("div", {"class": "step-controls needs-script"}),
    )
    return element("div", {"class": "rail"}, tour if steps else None)


def _step(text: Words, step: Mapping[str, Any]) -> Markup:
    number = str(step["step"])
    return element(
        "li",
        {"data-step": number},
        element("h3", {}, element("a", {"href": f"#step={number}"}, text.line(step["title"]))),
        text.blocks(step["text"], step.get("example")),
    )
