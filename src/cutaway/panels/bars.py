"""Distributions as bars, one chart a target, the truth marked. All bars of an example share one scale."""

import math
from collections.abc import Sequence

from cutaway.markup import Markup, element
from cutaway.number import show
from cutaway.panels.heatmap import digits, missing
from cutaway.panels.scene import Panel, Scene
from cutaway.tensor import Array

SHOWN = 40  # of a longer distribution the largest this many, and the truth
FULL = 1000  # tenths of a percent of the drawing's width


def draw(scene: Scene, panel: Panel) -> Markup:
    limit = longest(scene)
    figures = []
    for example in scene.drawn:
        tensor = scene.tensor(example, panel["value"])
        if tensor is None:
            figures.append(missing(scene, example, panel["value"]))
            continue
        charts = scene.rows(example, panel["value"], panel["labels"], panel)
        for position, truth, row in charts:
            figures.append(chart(scene, panel, example, position, truth, row, tensor.dtype, limit))
        if not charts:
            figures.append(
                element("p", {"class": "missing"}, f"{scene.title(example)}: no target, so nothing to predict.")
            )
    return element("div", {"class": "figures"}, figures)


def longest(scene: Scene) -> float:
    """The largest finite magnitude over every bar drawn for this example."""
    sizes = [
        abs(x)
        for panel in scene.panels
        if panel["kind"] == "bars"
        for example in scene.drawn
        if scene.tensor(example, panel["value"]) is not None
        for _, _, row in scene.rows(example, panel["value"], panel["labels"], panel)
        for x in row.tolist()
    ]
    return max((float(x) for x in sizes if math.isfinite(x)), default=0.0)


def chart(
    scene: Scene, panel: Panel, example: str, position: int | None, truth: int, row: Array, dtype: str, limit: float
) -> Markup:
    names = naming(scene, panel, len(row))
    numbers = row.tolist()
    kept = largest(numbers, truth)
    where = f"position {position} · " if position is not None else ""
    beside = f"{scene.title(example)} · " if len(scene.drawn) > 1 else ""
    few = f", the {SHOWN} largest of {len(row)}" if len(kept) < len(row) else ""
    title = f"{beside}{where}the truth is {names[truth]}{few}"
    lines = [bar(names[i], numbers[i], dtype, i == truth, limit, min(numbers) < 0) for i in kept]
    return element(
        "figure",
        {"class": "chart"},
        element("figcaption", {}, title),
        element(
            "table",
            {"class": "bars"},
            element("caption", {"class": "quiet"}, f"{panel['value']}, {title}"),
            element("tbody", {}, lines),
        ),
    )


def naming(scene: Scene, panel: Panel, count: int) -> list[str]:
    """Names of the bars: the vocabulary's words with their ids, given names, or indices."""
    names = panel.get("names")
    if names == "vocabulary":
        words = [scene.word(i) for i in range(count)]
        return [word if word == str(i) else f"{i} {word}" for i, word in enumerate(words)]
    return [names[i] if names and i < len(names) else str(i) for i in range(count)]


def largest(numbers: Sequence[float], truth: int) -> list[int]:
    """Which bars to draw, in the order of the distribution."""
    if len(numbers) <= SHOWN:
        return list(range(len(numbers)))
    order = sorted(range(len(numbers)), key=lambda i: -numbers[i] if not math.isnan(numbers[i]) else math.inf)
    return sorted({*order[:SHOWN], truth})


def bar(name: str, x: float, dtype: str, truth: bool, limit: float, signed: bool) -> Markup:
    part = abs(x) / limit if limit and math.isfinite(x) else 0.0
    room = FULL // 2 if signed else FULL
    size = math.floor(part * room + 0.5)
    left = room - size if signed and x < 0 else room if signed else 0
    place = {"x": f"{left / 10:g}%" if left else None, "width": f"{size / 10:g}%"}
    drawn = element("rect", {**place, "class": "less" if x < 0 else None})
    picture = element("svg", {"aria-hidden": "true"}, drawn)
    return element(
        "tr",
        {"class": "truth" if truth else None},
        element("th", {"scope": "row"}, name, element("small", {}, "✓ truth") if truth else None),
        element("td", {"class": "bar"}, picture),
        element("td", {"class": "number", "title": digits(x, dtype)}, show(x)),
    )
