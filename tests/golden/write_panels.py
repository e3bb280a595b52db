"""Write panels.json: the HTML of every panel for every offered example, as Python draws it, for vitest to draw again.

    python tests/golden/write_panels.py

Three recordings: the shipped lessons, and sample/, a small bundle with every dtype and every corner that the lessons
have no use for.
"""

import json
import math
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import numpy as np

from cutaway import bundle
from cutaway.bundle import Bundle
from cutaway.page.data import lesson_tree
from cutaway.page.words import words
from cutaway.panels import draw
from cutaway.recorded import Example, Graph, Record, Scope, Value
from cutaway.tensor import Tensor

HERE = Path(__file__).parent
LESSONS = HERE.parents[1] / "src" / "cutaway" / "lessons"
BUNDLES = {
    "bert-pretraining": LESSONS / "bert-pretraining" / "recorded",
    "xor": LESSONS / "xor" / "recorded",
    "sample": HERE / "sample",
}
CHOICES = {"bert-pretraining": {"head": [0, 1]}, "xor": {}, "sample": {"layer": [0, 1], "axis 1": [0, 9]}}


def main() -> None:
    bundle.write(sample_record(), BUNDLES["sample"], sources={"lesson.md": (HERE / "sample.md").read_bytes()})
    tree = {name: drawn(bundle.read(folder), CHOICES[name]) for name, folder in BUNDLES.items()}
    (HERE / "panels.json").write_text(json.dumps(tree, ensure_ascii=False, indent=0) + "\n", encoding="utf-8")


def drawn(made: Bundle, choices: dict[str, list[int]]) -> dict[str, object]:
    """Each panel of each example and choice, with its HTML by number: most repeat."""
    text = words(made)
    html: dict[str, int] = {}
    cases = []
    for chosen in combinations(choices):
        for number, panel in enumerate(text.panels):
            for example in text.examples:
                drawing = draw(made.record, made.lesson, panel, example["name"], chosen)
                place = html.setdefault(drawing, len(html))
                cases.append({"panel": number, "example": example["name"], "choices": chosen, "html": place})
    return {"lesson": lesson_tree(text), "cases": cases, "html": list(html)}


def combinations(choices: dict[str, list[int]]) -> Iterator[dict[str, int]]:
    for indices in product(*choices.values()):
        yield dict(zip(choices, indices, strict=True))


def sample_record() -> Record:
    """Two examples of one graph without ops: every value is a constant."""
    rng = np.random.default_rng(7)
    wide = rng.random((4, 50), dtype=np.float32)
    wide /= wide.sum(axis=1, keepdims=True)
    pair = np.array([0.25, -0.5], dtype=np.float64)
    labels = np.array([-100, 41, -100, 3])
    loss = np.float64(-math.log(wide[1, 41]) - math.log(wide[3, 3])) / 2
    contents = {
        "ids": Tensor.of(np.array([1, 9, 3, 12])),
        "row_ids": Tensor.of(np.array([3, 9])),
        "segments": Tensor.of(np.array([0, 1, 2, 30])),
        "labels": Tensor.of(labels),
        "answer": Tensor.of(np.array(1)),
        "wide": Tensor.of(wide),
        "pair": Tensor.of(pair),
        "loss": Tensor.of(loss),
        "total": Tensor.of(loss),
        "flags": Tensor.of(np.array([[True, False, True], [False, False, True]])),
        "wave": Tensor.of(np.array([[1 + 2j, -3j], [0, -0.5 - 0.25j]], dtype=np.complex64)),
        "waves": Tensor.of(np.array([1 / 3 + 1j, -2 / 3 - 1e-9j])),
        "half": Tensor.of(np.array([0x3DCD, 0xBF80, 0x7F80], dtype="<u2"), "bfloat16"),
        "short": Tensor.of(np.array([0.1, -65504, 6e-8], dtype=np.float16)),
        "tiny": Tensor.of(np.arange(120, 136, dtype=np.uint8), "float8_e4m3fn"),
        "brief": Tensor.of(np.array([0x7B, 0x7C, 0x7D, 0x01, 0xBC], dtype=np.uint8), "float8_e5m2"),
        "long": Tensor.of(np.array([[2**53 + 1, -(2**63)], [16777217, 0]])),
        "bytes": Tensor.of(np.array([0, 7, 255], dtype=np.uint8)),
        "holes": Tensor.of(np.array([[np.nan, np.inf, -np.inf], [0.5, -2.5, -0.0]], dtype=np.float32)),
        "deep": Tensor.of(rng.standard_normal((2, 3, 2, 4)).astype(np.float32)),
        "nothing": Tensor.of(np.zeros((0, 3), dtype=np.float32)),
        "score": Tensor.of(np.float32(0.75)),
    }
    other = contents | {
        "ids": Tensor.of(np.array([1, 9, 4, 12])),
        "labels": Tensor.of(np.array([-100, -100, -100, -100])),
        "loss": Tensor.of(np.float64("nan")),
        "total": Tensor.of(np.float64("nan")),
        "deep": Tensor.of(rng.standard_normal((2, 3, 2, 4)).astype(np.float32) * 3),
        "score": Tensor.of(np.float32(-0.125)),
    }
    values = tuple(
        Value(name, "constant", t.dtype, t.shape, tuple(np.ones(t.shape).strides), 0, None, 0)
        for name, t in contents.items()
    )
    graph = Graph((Scope("", "", "Sample", None, 0, {}, None),), values, (), {"args": [], "kwargs": {}}, None)
    few = tuple(None if value.name in ("half", "wide") else other[value.name] for value in values)
    examples = (
        Example("first", 0, tuple(contents.values())),
        Example("second", 0, tuple(other.values())),
        Example("few", 0, few),
    )
    return Record((graph,), examples, "sample")


if __name__ == "__main__":
    main()
