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
    size = f"{_count(len(graph.ops), 'operation')} in {_count(len(graph.scopes), 'scope')}"
    several = f" · graph 1 of {len(bundle.record.graphs)}" if len(bundle.record.graphs) > 1 else ""
    caption = f"Recorded snapshot, needs no Python · {size}{several}"
    figure = element(
        "figure",
        {"id": "architecture"},
        element("div", {"class": "picture"}, Markup(svg(graph, layout, f"Architecture of {text.title}"))),
        element(
            "figcaption",
            {},
            element("span", {}, f"{caption}, {_count(shown, 'box', 'boxes')} shown"),
            element("span", {"class": "opening", "role": "status"}),  # the script speaks here
        ),
    )
    return element(
        "section",
        {"class": "workbench", "aria-labelledby": "architecture-title"},
        element("h2", {"id": "architecture-title"}, "Architecture"),
        element("div", {"class": "bench"}, figure, _rail(text), element("div", {"id": "inspector"})),
    )


def _count(number: int, noun: str, nouns: str | None = None) -> str:
    return f"{number} {noun if number == 1 else nouns or f'{noun}s'}"


def _rail(text: Words) -> Markup:
    """What stands beside the graph: the tour; the script adds the outline."""
    titles = {str(example["name"]): str(example["title"]) for example in text.examples}
    steps = [_step(text, step, titles) for step in text.tour]
    tour = element(
        "div",
        {"class": "tour", "id": "tour"},
        element("h2", {"id": "tour-title"}, "Guided tour"),
        element("ol", {"class": "steps"}, steps),
        element("div", {"class": "step-controls needs-script"}),
    )
    return element("div", {"class": "rail"}, tour if steps else None)


def _step(text: Words, step: Mapping[str, Any], titles: Mapping[str, str]) -> Markup:
    """Title and text; where the page shows another example than the one the step speaks of, it says so."""
    number = str(step["step"])
    example = str(step.get("example") or text.first)
    back = element("a", {"href": f"#step={number}"}, f"‘{titles.get(example, example)}’")
    own = element("p", {"class": "of", "hidden": example == text.first}, "These numbers are of the example ", back, ".")
    return element(
        "li",
        {"data-step": number},
        element("h3", {}, element("a", {"href": f"#step={number}"}, text.label(step["title"]))),
        text.blocks(step["text"], example),
        own if len(titles) > 1 else None,
    )
