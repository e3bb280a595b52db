"""A matrix as coloured cells of a real table. Also the grid that influence draws with."""

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from cutaway.markup import Markup, element
from cutaway.number import exact, show
from cutaway.panels.scene import Panel, Scene, landmark
from cutaway.scale import step
from cutaway.tensor import Array, Tensor

CELLS = 1000  # above this the script draws on a canvas, and the static page shows a summary and a corner
CORNER = 8  # rows and columns of that corner


def draw(scene: Scene, panel: Panel) -> Markup:
    """One figure an example, all on one colour scale."""
    name = shown(scene, panel)
    subject = "" if name == panel["value"] else name
    panel = panel if not subject else {"kind": panel["kind"], "value": name}
    tensors = {example: scene.tensor(example, name) for example in scene.drawn}
    slices = {example: matrix(scene, panel, tensor) for example, tensor in tensors.items() if tensor is not None}
    limit = largest(slices.values())
    figures = []
    for example, tensor in tensors.items():
        if tensor is None:
            figures.append(missing(scene, example, name))
            continue
        cells = slices[example]
        rows = scene.labels(example, panel.get("rows"), cells.shape[0], panel)
        columns = scene.labels(example, panel.get("columns"), cells.shape[1], panel)
        shared = "one scale for both" if len(scene.drawn) > 1 else "own scale"
        title = " · ".join(part for part in (scene.title(example), subject, where(scene, panel, tensor)) if part)
        figures.append(figure(title, name, cells, tensor.dtype, rows, columns, limit, shared))
    return element("div", {"class": "figures"}, figures)


def shown(scene: Scene, panel: Panel) -> str:
    """The panel's value; where it follows the selection and this example kept no such value, its last result."""
    value = str(panel["value"])
    if panel.get("follow") and scene.tensor(scene.example, value) is None:
        return landmark(scene.record, scene.example) or value
    return value


def leading(panel: Panel, tensor: Tensor) -> list[tuple[str, int]]:
    """(name, size) of each axis before the last two: those that need a choice."""
    names = panel.get("choose", [])
    sizes = tensor.shape[:-2]
    return [(names[i] if i < len(names) else f"axis {i}", size) for i, size in enumerate(sizes)]


def matrix(scene: Scene, panel: Panel, tensor: Tensor) -> Array:
    """The chosen slice with two axes; a vector is one row, a scalar one cell."""
    array = tensor.array()
    for axis, size in leading(panel, tensor):
        array = array[chosen(scene, axis, size)] if size else np.zeros((0, 0), array.dtype)
    return array.reshape((1,) * (2 - array.ndim) + array.shape) if array.ndim < 2 else array


def chosen(scene: Scene, axis: str, size: int) -> int:
    return min(max(scene.choices.get(axis, 0), 0), size - 1)


def where(scene: Scene, panel: Panel, tensor: Tensor) -> str:
    return ", ".join(f"{axis} {chosen(scene, axis, size)}" for axis, size in leading(panel, tensor) if size)


def largest(arrays: Iterable[Array]) -> float:
    """The largest finite magnitude: the end of a scale."""
    sizes = [abs(x) for array in arrays for x in array.reshape(-1).tolist()]
    return max((float(size) for size in sizes if math.isfinite(size)), default=0.0)


def figure(
    title: str,
    name: str,
    cells: Array,
    dtype: str,
    rows: Sequence[str],
    columns: Sequence[str],
    limit: float,
    scale: str,
) -> Markup:
    """Caption, table and legend of one matrix; of a large one its summary and first corner."""
    head = [element("b", {}, title), " ", element("span", {}, f"{spread(cells)} · {scale}")]
    if cells.size <= CELLS:
        body = [grid(f"{name}, {title}", cells, dtype, rows, columns, limit)]
    else:
        corner = cells[:CORNER, :CORNER]
        words = f"{cells.shape[0]} × {cells.shape[1]} cells{average(cells)}. The first rows and columns:"
        body = [element("p", {"class": "summary"}, words)]
        body.append(grid(f"{name}, {title}", corner, dtype, rows[:CORNER], columns[:CORNER], limit))
    return element("figure", {"class": "map"}, element("figcaption", {}, head), body, legend(limit, cells))


def grid(
    caption: str, cells: Array, dtype: str, rows: Sequence[str], columns: Sequence[str], limit: float | None
) -> Markup:
    """A table with headers on both sides; coloured where a limit is given."""
    top = [element("td", {})] + [element("th", {"scope": "col"}, name) for name in columns]
    body = []
    for name, line in zip(rows, cells.tolist(), strict=True):
        side = element("th", {"scope": "row"}, name)
        body.append(element("tr", {}, side, [cell(x, dtype, limit) for x in line]))
    return element(
        "div",
        {"class": "scroll", "tabindex": "0", "role": "region", "aria-label": caption},
        element(
            "table",
            {"class": "grid"},
            element("caption", {"class": "quiet"}, caption),
            element("thead", {}, element("tr", {}, top)),
            element("tbody", {}, body),
        ),
    )


def cell(x: Any, dtype: str, limit: float | None) -> Markup:
    shade = None if limit is None else step(x, limit)
    return element("td", {"class": shade, "title": digits(x, dtype)}, show(x))


def digits(x: Any, dtype: str) -> str | None:
    """All digits, where the cell does not show them already."""
    full = exact(x, dtype)
    return None if full == show(x).replace("−", "-") else full


def spread(cells: Array) -> str:
    """`min 0.1108 · max 0.246`; NaN left out and counted, complex numbers by magnitude, which is then said."""
    sizes = [abs(x) if isinstance(x, complex) else x for x in cells.reshape(-1).tolist()]
    known = [x for x in sizes if not math.isnan(x)]
    holes = f" · {len(sizes) - len(known)} NaN" if len(known) < len(sizes) else ""
    if not known:
        return f"no numbers{holes}"
    of = " magnitude" if cells.dtype.kind == "c" else ""
    return f"min{of} {show(min(known))} · max{of} {show(max(known))}{holes}"


def average(cells: Array) -> str:
    if cells.dtype.kind not in "fiu":
        return ""
    return f", mean {show(float(np.mean(cells, dtype=np.float64)))}"


def legend(limit: float, cells: Array) -> Markup:
    """A strip of the scale with its ends in numbers, infinite where nothing finite has a colour; the rust half only
    where there are negatives."""
    if limit == 0 and any(math.isinf(abs(x)) for x in cells.reshape(-1).tolist()):
        limit = math.inf
    numbers = [x for x in cells.reshape(-1).tolist() if not isinstance(x, complex)]
    least = -32 if any(x < 0 for x in numbers) else 0
    steps = range(least, 33, 4)
    strip = [element("rect", {"x": 10 * i, "class": step(float(at), 32.0)}) for i, at in enumerate(steps)]
    size = 10 * len(steps)
    picture = element("svg", {"viewBox": f"0 0 {size} 8", "width": size, "height": 8, "aria-hidden": "true"}, strip)
    start = show(-limit) if least else "0"
    return element("p", {"class": "legend"}, element("span", {}, start), picture, element("span", {}, show(limit)))


def missing(scene: Scene, example: str, value: str) -> Markup:
    return element("p", {"class": "missing"}, f"{value} was not kept in the example “{scene.title(example)}”.")
