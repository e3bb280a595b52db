"""The token strip: one column a position, from the original ids to the targets."""

from collections.abc import Sequence

from cutaway.markup import Markup, element
from cutaway.panels.scene import IGNORED, Panel, Scene


def draw(scene: Scene, panel: Panel) -> Markup:
    """One strip; a second one only where the example beside differs in what the strip shows."""
    strips = {example: contents(scene, panel, example) for example in scene.drawn}
    first = strips[scene.example]
    return element(
        "div",
        {"class": "figures"},
        [
            strip(scene, panel, example)
            for example in scene.drawn
            if example == scene.example or strips[example] != first
        ],
    )


def contents(scene: Scene, panel: Panel, example: str) -> tuple[list[int], list[int], list[int]]:
    """Given ids, segments and labels of each position."""
    given, segments, labels = (scene.numbers(example, panel[key], panel) for key in ("input", "segments", "labels"))
    return given, segments, labels


def strip(scene: Scene, panel: Panel, example: str) -> Markup:
    given, segments, labels = contents(scene, panel, example)
    title = scene.title(example)
    base = scene.offered[0]
    plain = scene.numbers(base["name"], panel["input"], panel)
    moved = [i for i, x in enumerate(given) if i < len(plain) and x != plain[i]]
    marked = [i for i, label in enumerate(labels) if label != IGNORED]
    original = [x if label == IGNORED else label for x, label in zip(given, labels, strict=True)]
    lines = [
        line("position", [element("th", {"scope": "col"}, str(i)) for i in range(len(given))]),
        line("original", ids(scene, original, [], [])),
        line("corrupted", ids(scene, given, marked, moved)),
        line("segment", [element("td", {"class": f"segment{s % 2}"}, letter(s)) for s in segments]),
        line("target", [target(scene, x, label) for x, label in zip(given, labels, strict=True)]),
    ]
    places = ", ".join(f"position {i}" for i in moved)
    note = f" Changed from “{base['title']}”: {places}." if moved else None
    return element(
        "figure",
        {"class": "strip"},
        element("figcaption", {}, element("b", {}, title), note),
        element(
            "div",
            {"class": "scroll", "tabindex": "0", "role": "region", "aria-label": f"tokens, {title}"},
            element("table", {"class": "tokens"}, element("tbody", {}, lines)),
        ),
    )


def line(name: str, cells: Sequence[Markup]) -> Markup:
    return element("tr", {}, element("th", {"scope": "row"}, name), cells)


def ids(scene: Scene, numbers: Sequence[int], marked: Sequence[int], moved: Sequence[int]) -> list[Markup]:
    cells = []
    for i, number in enumerate(numbers):
        word = scene.word(number)
        named = element("small", {}, word) if word != str(number) else None
        kind = " ".join(name for name, where in (("target", marked), ("moved", moved)) if i in where)
        cells.append(element("td", {"class": kind or None}, str(number), named))
    return cells


def letter(segment: int) -> str:
    return chr(ord("A") + segment) if 0 <= segment < 26 else str(segment)


def target(scene: Scene, given: int, label: int) -> Markup:
    """The mark of a target and its fate (Devlin et al. 2018, section 3.1): masked, random, or kept."""
    if label == IGNORED:
        return element("td", {})
    fate = "kept" if given == label else "mask" if "MASK" in scene.word(given).upper() else "random"
    return element("td", {"class": "target"}, "●", element("small", {}, fate))
