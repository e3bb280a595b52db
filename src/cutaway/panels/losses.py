"""Each loss with its arithmetic from the probabilities above it, and their sum."""

import math
from typing import Any

from cutaway.markup import Markup, element
from cutaway.number import show
from cutaway.panels.heatmap import digits, missing
from cutaway.panels.scene import Panel, Scene, unfit

ARITHMETIC = 6  # significant digits where numbers are added: four would not add up


def draw(scene: Scene, panel: Panel) -> Markup:
    return element("div", {"class": "sums"}, [total(scene, panel, example) for example in scene.drawn])


def total(scene: Scene, panel: Panel, example: str) -> Markup:
    """2.802 + 0.7525 ≈ 3.554, each number with how it came about below it."""
    names = [*(part["value"] for part in panel["part"]), panel["total"]]
    absent = next((name for name in names if scene.tensor(example, name) is None), None)
    if absent is not None:
        return missing(scene, example, absent)
    terms: list[Markup] = []
    values: list[float] = []
    for part in panel["part"]:
        value = scene.record.array(example, part["value"]).item()
        values.append(value)
        how = from_probabilities(scene, panel, part, example)
        terms.append(term(scene, example, "+" if terms else None, part["value"], part["title"], how))
    whole = scene.record.array(example, panel["total"]).item()
    agree(panel, panel["total"], example, sum(values), whole)
    shown = " + ".join(show(x, ARITHMETIC) for x in values)
    title = panel.get("total_title", "their sum")
    terms.append(term(scene, example, "=", panel["total"], title, f"{shown} ≈ {show(whole, ARITHMETIC)}"))
    head = element("figcaption", {}, scene.title(example)) if len(scene.drawn) > 1 else None
    return element("figure", {"class": "sum"}, head, element("div", {"class": "terms"}, terms))


def term(scene: Scene, example: str, sign: str | None, name: str, title: str, how: str) -> Markup:
    tensor = scene.record.tensor(example, name)
    value = tensor.array().item()
    return element(
        "p",
        {"class": "term"},
        element("span", {"class": "sign"}, sign) if sign else None,
        element("b", {"title": digits(value, tensor.dtype)}, show(value)),
        element("span", {}, title),
        element("small", {}, how),
    )


def from_probabilities(scene: Scene, panel: Panel, part: dict[str, Any], example: str) -> str:
    """−ln p ≈ loss; the mean of several targets; none says so. Cross entropy with mean reduction."""
    value = scene.record.array(example, part["value"]).item()
    if scene.tensor(example, part["probabilities"]) is None:
        return f"{part['probabilities']} was not kept"
    rows = scene.rows(example, part["probabilities"], part["labels"], panel)
    chances = [float(row[truth]) for _, truth, row in rows]
    if not chances:
        return "no target"
    mean = sum(-math.log(p) if p > 0 else math.inf for p in chances) / len(chances)
    agree(panel, part["value"], example, mean, value)
    logs = " − ".join(f"ln {show(p, ARITHMETIC)}" for p in chances)
    left = f"−{logs}" if len(chances) == 1 else f"(−{logs}) ÷ {len(chances)}"
    return f"{left} ≈ {show(value, ARITHMETIC)}"


def agree(panel: Panel, name: str, example: str, computed: float, recorded: float) -> None:
    """The arithmetic on the page must give the recorded number."""
    if not math.isclose(computed, recorded, rel_tol=1e-4, abs_tol=1e-6) and not math.isnan(recorded):
        raise unfit(
            panel,
            f"in example {example!r} the arithmetic gives {computed:.6g} and {name} is {recorded:.6g}; "
            "name the probabilities and labels this loss was computed from",
        )
