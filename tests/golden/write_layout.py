"""Writes layout.json: graphs in several fold states, with the layout and pictures that Python and TypeScript must both
give. Run it after a wanted change of the layout, and look at pictures before keeping the result:

    PYTHONPATH=src:tests python tests/golden/write_layout.py
"""

import json
import random
from pathlib import Path
from typing import Any

from graphs import hostile_graph, opened, random_graph

from cutaway.bundle.graph_json import graph_to_json, json_to_graph
from cutaway.layout import Layout, arrange
from cutaway.picture import dot, mermaid, svg
from cutaway.recorded import Graph

FILE = Path(__file__).parent / "layout.json"
LESSON = Path(__file__).parents[2] / "src" / "cutaway" / "lessons" / "bert-pretraining" / "recorded"


def plain(layout: Layout) -> dict[str, Any]:
    """A layout as compact JSON: one list a box, one a line."""
    return {
        "size": [layout.width, layout.height],
        "boxes": [
            [b.kind, b.ref, b.select, b.title, b.line, b.open, b.parent, b.x, b.y, b.width, b.height]
            for b in layout.boxes
        ],
        "edges": [
            [e.source, list(e.targets), e.group, list(e.values), e.tie, e.backward, [list(p) for p in e.points]]
            for e in layout.edges
        ],
        "joins": [[j.source, j.target, list(j.values), j.tie] for j in layout.joins],
    }


def cases() -> list[dict[str, Any]]:
    """The graph of a real recording and one of hostile names with their pictures, then random ones."""
    lesson = json.loads((LESSON / "graph.json").read_text(encoding="utf-8"))["graphs"][0]
    real = json_to_graph(lesson)
    parents = [scope.name for i, scope in enumerate(real.scopes) if any(child.parent == i for child in real.scopes)]
    every = [scope.name for scope in real.scopes]
    found = [_case("recorded", real, [[], ["encoder"], every, parents], pictures=True)]
    hostile = hostile_graph()
    found.append(_case("hostile names", hostile, [[scope.name for scope in hostile.scopes], []], pictures=True))
    for seed in range(24):
        source = random.Random(seed)
        graph = random_graph(source.randint, most_ops=20, strays=seed % 3 == 0)
        found.append(_case(f"random {seed}", graph, [[], opened(graph, source.randint)]))
    return found


def _case(name: str, graph: Graph, states: list[list[str]], pictures: bool = False) -> dict[str, Any]:
    case: dict[str, Any] = {
        "name": name,
        "graph": graph_to_json(graph),
        "layouts": [{"open": state, **plain(arrange(graph, state))} for state in states],
    }
    if pictures:
        case |= {"svg": svg(graph, arrange(graph, states[-1]), name), "dot": dot(graph), "mermaid": mermaid(graph)}
    return case


if __name__ == "__main__":
    text = ",\n".join(json.dumps(case, separators=(",", ":")) for case in cases())
    FILE.write_text(f"[\n{text}\n]\n", encoding="utf-8")
