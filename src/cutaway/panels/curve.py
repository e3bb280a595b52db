"""One scalar over several examples, as a line and as the table of its points."""

import math
from collections.abc import Sequence

from cutaway.markup import Markup, element
from cutaway.number import show
from cutaway.panels.heatmap import cell
from cutaway.panels.scene import Panel, Scene

WIDTH, HEIGHT = 360, 200
LEFT, RIGHT, TOP, BOTTOM = 52, 348, 12, 172  # of the plot inside the drawing


def draw(scene: Scene, panel: Panel) -> Markup:
    at = [float(x) for x in panel["at"]]
    series = [[scene.record.array(e, line["value"]).item() for e in panel["examples"]] for line in panel["line"]]
    titles = [line["title"] for line in panel["line"]]
    return element(
        "div",
        {"class": "figures"},
        element("figure", {"class": "curve"}, picture(scene, panel, at, series), keys(titles)),
        table(scene, panel, at, titles),
    )


def picture(scene: Scene, panel: Panel, at: Sequence[float], series: Sequence[Sequence[float]]) -> Markup:
    known = [y for line in series for y in line if math.isfinite(y)]
    low, high = min([0.0, *known]), max([0.0, *known])
    first, last = min(at), max(at)

    def x(value: float) -> str:
        return place(LEFT + (RIGHT - LEFT) * ((value - first) / (last - first) if last > first else 0.5))

    def y(value: float) -> str:
        return place(BOTTOM - (BOTTOM - TOP) * ((value - low) / (high - low) if high > low else 0.5))

    drawn = [
        element("path", {"class": "axis", "d": f"M{LEFT} {TOP}V{BOTTOM}H{RIGHT}"}),
        label(LEFT - 6, float(y(high)) + 4, "end", show(high)),
        label(LEFT - 6, float(y(low)) + 4, "end", show(low)),
        label(LEFT, BOTTOM + 16, "start", show(first)),
        label(RIGHT, BOTTOM + 16, "end", show(last)),
        label((LEFT + RIGHT) // 2, BOTTOM + 16, "middle", panel.get("axis", "")),
    ]
    for number, line in enumerate(series):
        points = zip(panel["examples"], at, line, strict=True)
        dots = [(x(a), y(b), name == scene.example) for name, a, b in points if math.isfinite(b)]
        path = " ".join(f"{a},{b}" for a, b, _ in dots)
        drawn.append(element("polyline", {"class": f"line{number % 4}", "points": path}))
        for a, b, here in dots:
            drawn.append(element("circle", {"class": f"dot{number % 4}", "cx": a, "cy": b, "r": 5 if here else 3}))
    title = ", ".join(line["title"] for line in panel["line"])
    return element(
        "svg",
        {
            "viewBox": f"0 0 {WIDTH} {HEIGHT}",
            "role": "img",
            "aria-label": f"{title} over {panel.get('axis', 'examples')}",
        },
        drawn,
    )


def place(x: float) -> str:
    """A coordinate to a hundredth, written alike in both languages."""
    text = repr(math.floor(x * 100 + 0.5) / 100)
    return text.removesuffix(".0")


def label(x: float, y: float, anchor: str, text: str) -> Markup:
    return element("text", {"x": place(x), "y": place(y), "text-anchor": anchor}, text)


def keys(titles: Sequence[str]) -> Markup:
    """Which line is which: its stroke beside its title."""
    items = []
    for number, title in enumerate(titles):
        stroke = element("path", {"class": f"line{number % 4}", "d": "M0 4H24"})
        items.append(
            element("li", {}, element("svg", {"width": 24, "height": 8, "aria-hidden": "true"}, stroke), title)
        )
    return element("ul", {"class": "keys"}, items)


def table(scene: Scene, panel: Panel, at: Sequence[float], titles: Sequence[str]) -> Markup:
    """The same points in numbers."""
    top = [element("th", {"scope": "col"}, text) for text in (panel.get("axis", ""), *titles)]
    body = []
    for example, where in zip(panel["examples"], at, strict=True):
        cells = []
        for line in panel["line"]:
            tensor = scene.record.tensor(example, line["value"])
            cells.append(cell(tensor.array().item(), tensor.dtype, None))
        body.append(element("tr", {}, element("th", {"scope": "row"}, show(where)), cells))
    return element(
        "div",
        {"class": "scroll", "tabindex": "0", "role": "region", "aria-label": f"points: {', '.join(titles)}"},
        element(
            "table",
            {"class": "grid plain"},
            element("thead", {}, element("tr", {}, top)),
            element("tbody", {}, body),
        ),
    )
