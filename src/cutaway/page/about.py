"""About this model: its figures, what is simplified, what is not claimed, credits, licence, references."""

from collections.abc import Mapping, Sequence
from typing import Any

from cutaway.bundle import Bundle
from cutaway.markup import Markup, element
from cutaway.number import show
from cutaway.page.words import Words
from cutaway.recorded import Graph, Value


def section(bundle: Bundle, text: Words) -> Markup:
    lesson = text.lesson
    title = "Parameters and their shapes"
    return element(
        "section",
        {"class": "about", "id": "about", "aria-labelledby": "about-title"},
        element("h2", {"id": "about-title"}, "About this model"),
        element("div", {"class": "prose"}, text.blocks(lesson.body)) if lesson else None,
        element("h3", {}, "In figures"),
        _figures(bundle),
        element("details", {}, element("summary", {}, title), _parameters(bundle.record.graphs[0], title)),
        element("h3", {}, "What is simplified") if lesson else None,
        _list(text, lesson.simplified) if lesson else None,
        element("h3", {}, "What is not claimed") if lesson else None,
        _list(text, lesson.not_claimed) if lesson else None,
        element("h3", {}, "Credits and licence") if lesson else None,
        _list(text, lesson.credits) if lesson else None,
        element("p", {}, f"Licence of the lesson: {lesson.licence}.") if lesson else None,
        element("h3", {}, "References") if lesson and lesson.references else None,
        element("ol", {}, [_reference(entry) for entry in lesson.references]) if lesson and lesson.references else None,
    )


def _figures(bundle: Bundle) -> Markup:
    graph = bundle.record.graphs[0]
    counts = bundle.manifest["counts"]
    rows = [
        ("Parameters", show(counts["parameters"])),
        ("Scopes (calls of modules)", show(counts["scopes"])),
        ("Operations (calls of torch functions)", show(counts["ops"])),
        ("Recorded values", show(counts["values"])),
        ("Recorded examples", show(counts["examples"])),
        ("Values from outside the graph", show(counts["outside"])),
        ("Inputs", ", ".join(_form(value) for value in graph.values if value.kind == "input") or "none"),
    ]
    cells = [element("div", {}, element("dt", {}, name), element("dd", {}, figure)) for name, figure in rows]
    return element("dl", {"class": "facts-list"}, cells)


def _parameters(graph: Graph, label: str) -> Markup:
    rows = [
        element(
            "tr",
            {},
            element("th", {"scope": "row"}, element("code", {}, value.name)),
            element("td", {}, _size(value)),
            element("td", {}, ", ".join(value.also)),
        )
        for value in graph.values
        if value.kind in ("parameter", "buffer")
    ]
    titles = [element("th", {"scope": "col"}, title) for title in ("Name", "Shape", "Also known as (tied)")]
    return element(
        "div",
        {"class": "scroll", "tabindex": "0", "role": "region", "aria-label": label},
        element(
            "table",
            {"class": "plain-table"},
            element("thead", {}, element("tr", {}, titles)),
            element("tbody", {}, rows),
        ),
    )


def _form(value: Value) -> str:
    return f"{value.name} ({_size(value)})"


def _size(value: Value) -> str:
    return f"{' × '.join(map(str, value.shape)) or 'one number'}, {value.dtype}"


def _list(text: Words, lines: Sequence[str]) -> Markup:
    return element("ul", {}, [element("li", {}, text.line(line)) for line in lines])


def _reference(entry: Mapping[str, Any]) -> Markup:
    link = entry.get("link")
    safe = link if link and link.startswith(("https://", "http://")) else None
    return element(
        "li", {}, element("a", {"href": safe, "rel": "noreferrer"}, entry["text"]) if safe else entry["text"]
    )
