"""Which input positions change which output rows: the largest absolute difference, from recorded runs."""

import numpy as np

from cutaway.markup import Markup, element
from cutaway.panels.heatmap import figure, largest
from cutaway.panels.scene import Panel, Scene, unfit
from cutaway.tensor import Array


def draw(scene: Scene, panel: Panel) -> Markup:
    """One matrix a run, on one scale: output rows down, changed positions across."""
    matrices = [influence(scene, panel, run["base"], run["changed"]) for run in panel["run"]]
    limit = largest(matrices)
    figures = []
    for run, cells in zip(panel["run"], matrices, strict=True):
        rows = scene.labels(run["base"], panel.get("tokens"), cells.shape[0], panel)
        columns = scene.labels(run["base"], panel.get("tokens"), cells.shape[1], panel)
        scale = "one scale for all" if len(matrices) > 1 else "own scale"
        figures.append(figure(run["title"], panel["value"], cells, "float64", rows, columns, limit, scale))
    return element("div", {"class": "figures"}, figures)


def influence(scene: Scene, panel: Panel, base: str, changed: list[str]) -> Array:
    """cells[row, position]: how far output row moves when that position's token is another; float64, (T, T)."""
    plain = scene.record.array(base, panel["value"])
    if plain.dtype.kind == "c" or plain.ndim == 0:
        raise unfit(panel, f"{panel['value']!r} must be real and have rows; name a value with an axis of positions")
    columns = []
    for example in changed:
        other = scene.record.array(example, panel["value"])
        with np.errstate(invalid="ignore"):  # infinity less infinity is not a number, and shown so
            apart = np.abs(other.astype(np.float64) - plain.astype(np.float64))
        columns.append(apart.reshape(plain.shape[0], -1).max(axis=1))
    return np.stack(columns, axis=1)
