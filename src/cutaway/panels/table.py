"""Values side by side, one row a first index."""

import numpy as np

from cutaway.markup import Markup, element
from cutaway.panels.heatmap import cell, missing
from cutaway.panels.scene import Panel, Scene, unfit


def draw(scene: Scene, panel: Panel) -> Markup:
    return element("div", {"class": "figures"}, [figure(scene, panel, example) for example in scene.drawn])


def figure(scene: Scene, panel: Panel, example: str) -> Markup:
    names = panel["values"]
    absent = next((name for name in names if scene.tensor(example, name) is None), None)
    if absent is not None:
        return missing(scene, example, absent)
    tensors = [scene.record.tensor(example, name) for name in names]
    arrays = [np.atleast_1d(tensor.array()) for tensor in tensors]
    count = arrays[0].shape[0]
    if any(array.shape[0] != count for array in arrays):
        counts = [array.shape[0] for array in arrays]
        raise unfit(panel, f"its values have {counts} rows; they must have as many each, so name others or fewer")
    flat = [array.reshape(count, -1) for array in arrays]
    titles = panel.get("names") or names
    top: list[Markup] = [element("td", {})]
    for title, array in zip(titles, flat, strict=True):
        wide = array.shape[1] > 1
        top += [element("th", {"scope": "col"}, f"{title} {i}" if wide else title) for i in range(array.shape[1])]
    rows = scene.labels(example, panel.get("rows"), count, panel)
    body = []
    for i, name in enumerate(rows):
        cells = [cell(x, t.dtype, None) for t, array in zip(tensors, flat, strict=True) for x in array[i].tolist()]
        body.append(element("tr", {}, element("th", {"scope": "row"}, name), cells))
    title = scene.title(example)
    return element(
        "figure",
        {"class": "map"},
        element("figcaption", {}, element("b", {}, title)),
        element(
            "div",
            {"class": "scroll", "tabindex": "0", "role": "region", "aria-label": f"{', '.join(titles)}, {title}"},
            element(
                "table",
                {"class": "grid plain"},
                element("thead", {}, element("tr", {}, top)),
                element("tbody", {}, body),
            ),
        ),
    )
