"""The recorded examples: a picker, the words of each, and the first one's panels in full."""

from collections.abc import Mapping
from typing import Any

from cutaway.bundle import Bundle
from cutaway.markup import Markup, element
from cutaway.page.words import Words, select
from cutaway.panels import draw
from cutaway.panels.heatmap import leading
from cutaway.panels.scene import Scene


def section(bundle: Bundle, text: Words) -> Markup | None:
    """The section; None where there is one example and nothing of it to show."""
    several = len(text.examples) > 1
    if not several and not text.panels:
        return None
    scene = Scene(bundle.record, bundle.lesson, text.first)
    for example in text.examples[1:]:  # each is drawn once, so that none fails first in a reader's browser
        for panel in text.panels:
            draw(bundle.record, bundle.lesson, panel, str(example["name"]), {})
    panels = [_panel(bundle, text, scene, number, panel) for number, panel in enumerate(text.panels)]
    return element(
        "section",
        {"class": "examples", "id": "examples", "aria-labelledby": "examples-title"},
        element("h2", {"id": "examples-title"}, "Recorded examples" if several else "One recorded example"),
        _picker(text) if several else None,
        element("div", {"class": "example-words"}, [_words(text, example) for example in text.examples]),
        element("div", {"class": f"panels{' beside' if len(scene.drawn) > 1 else ''}"}, panels),
    )


def _picker(text: Words) -> Markup:
    """One radio button an example; without a script a line says what it would offer."""
    buttons = [
        element(
            "button",
            {
                "type": "button",
                "role": "radio",
                "aria-checked": "true" if example["name"] == text.first else "false",
                "tabindex": "0" if example["name"] == text.first else "-1",
                "data-example": example["name"],
            },
            str(example["title"]),
        )
        for example in text.examples
    ]
    line = f"This is the first of {len(text.examples)} recorded examples; choosing another needs JavaScript."
    return element(
        "div",
        {},
        element(
            "div", {"class": "picker needs-script", "role": "radiogroup", "aria-label": "Recorded example"}, buttons
        ),
        element("noscript", {}, element("p", {}, line)),
    )


def _words(text: Words, example: Mapping[str, Any]) -> Markup | None:
    name = str(example["name"])
    if not example.get("words"):
        return None
    return element(
        "div", {"data-example": name, "hidden": name != text.first}, text.blocks(str(example["words"]), name)
    )


def _panel(bundle: Bundle, text: Words, scene: Scene, number: int, panel: Mapping[str, Any]) -> Markup:
    title = f"panel-{number}-title"
    words = panel.get("words")
    return element(
        "section",
        {"class": f"panel {panel['kind']}", "data-panel": number, "aria-labelledby": title},
        element("h3", {"id": title}, text.line(str(panel.get("title", panel["kind"].capitalize())))),
        element("p", {"class": "words"}, text.line(str(words))) if words else None,
        _drawn(bundle, scene, panel),
        element("div", {"class": "controls needs-script"}) if _has_choice(scene, panel) else None,
        element("div", {"class": "view"}, draw(bundle.record, bundle.lesson, panel, scene.example, {})),
    )


def _drawn(bundle: Bundle, scene: Scene, panel: Mapping[str, Any]) -> Markup | None:
    """The values that a panel draws, each a link to what made it. A panel that follows the selection lists them."""
    if panel.get("follow"):
        return None
    links = [
        element("a", {"href": select(bundle.record, scene.example, name)}, element("code", {}, name))
        for name in values(panel)
    ]
    return element("p", {"class": "drawn"}, Markup(" · ".join(links)))


def values(panel: Mapping[str, Any]) -> list[str]:
    """Names of the values whose numbers a panel of docs/lesson.md shows."""
    keys = ("input", "segments", "labels") if panel["kind"] == "tokens" else ("value", "total")
    parts = [part["value"] for key in ("part", "line") for part in panel.get(key, ())]
    return [*parts, *panel.get("values", ()), *(panel[key] for key in keys if key in panel)]


def _has_choice(scene: Scene, panel: Mapping[str, Any]) -> bool:
    if panel["kind"] != "heatmap":
        return False
    tensor = scene.tensor(scene.example, panel["value"])
    return bool(panel.get("follow")) or (tensor is not None and bool(leading(panel, tensor)))
