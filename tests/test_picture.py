"""A graph as SVG, DOT and Mermaid: cutaway.picture."""

import json
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from graphs import HOSTILE, hostile_graph, opened, random_graph
from hypothesis import given, settings
from hypothesis import strategies as st

from cutaway.bundle.graph_json import json_to_graph
from cutaway.labels import reveal
from cutaway.layout import arrange
from cutaway.picture import box_name, dot, mermaid, path, svg

GOLDEN = [
    case
    for case in json.loads((Path(__file__).parent / "golden" / "layout.json").read_text(encoding="utf-8"))
    if "svg" in case
]
SVG = "{http://www.w3.org/2000/svg}"


def drawn(graph, names, title="a model"):
    return ElementTree.fromstring(svg(graph, arrange(graph, names), title))


@pytest.mark.parametrize("case", GOLDEN, ids=lambda case: case["name"])
def test_a_graph_is_drawn_as_the_golden_file_says(case):
    graph = json_to_graph(case["graph"])
    assert svg(graph, arrange(graph, case["layouts"][-1]["open"]), case["name"]) == case["svg"]
    assert dot(graph) == case["dot"]
    assert mermaid(graph) == case["mermaid"]


def test_the_picture_is_an_image_with_a_title_and_a_description():
    root = drawn(hostile_graph(), [], "Architecture of <x>")
    assert root.get("role") == "img"
    assert root.find(f"{SVG}title").text == "Architecture of <x>"
    assert f"{len(HOSTILE)} operations" in root.find(f"{SVG}desc").text


def test_hostile_names_are_text_in_the_picture():
    for names in ([], HOSTILE):
        root = drawn(hostile_graph(), names)
        assert {element.tag for element in root.iter()} <= {
            SVG + tag for tag in ("svg", "title", "desc", "g", "rect", "path", "text")
        }
        texts = "".join(element.text or "" for element in root.iter(f"{SVG}text"))
        assert "<img src=x onerror=alert(1)>" in texts
        assert "⟨202E⟩gnp.exe" in texts
        assert "new⟨000A⟩line" in texts


def test_the_picture_has_no_style_no_event_and_no_address():
    for element in drawn(hostile_graph(), HOSTILE).iter():
        assert not [name for name in element.keys() if name == "style" or name.startswith("on") or "href" in name]  # noqa: SIM118 (an element is no dict)


@given(st.data())
@settings(deadline=None, max_examples=30)
def test_every_box_is_drawn_once_under_its_own_name(data):
    def pick(low, high):
        return data.draw(st.integers(low, high))

    graph = random_graph(pick)
    names = opened(graph, pick)
    layout = arrange(graph, names)
    shown = [element.get("data-name") for element in drawn(graph, names).iter(f"{SVG}g") if element.get("data-name")]
    assert sorted(shown) == sorted(reveal(box_name(box)) for box in layout.boxes)


def test_a_path_is_straight_in_a_column_and_an_s_curve_elsewhere():
    assert path(((5, 0), (5, 20), (9, 41), (9, 50))) == "M5 0V20C5 30.5 9 30.5 9 41V50"


def strings(text):
    """The quoted strings of a DOT file, read by its rules: a backslash keeps the next character."""
    return re.findall(r'"((?:[^"\\]|\\.)*)"', text)


def test_dot_quotes_every_name():
    text = dot(hostile_graph())
    bare = re.sub(r'"(?:[^"\\]|\\.)*"', "TEXT", text)
    assert re.fullmatch(r"[\w\s\[\]{}=,;>-]*", bare)
    assert "\\\\slash\\\\" in "".join(strings(text))
    assert bare.count("{") == bare.count("}") == len(HOSTILE) + 2


def test_mermaid_writes_every_sign_of_a_name_as_an_entity():
    text = mermaid(hostile_graph())
    for line in text.splitlines():
        for inside in re.findall(r'"([^"]*)"', line):
            assert not re.search(r"[<>`\[\](){}|&\\'\"]", inside)
            assert not re.search(r"#(?!\d+;)", inside)
    assert "#60;img src#61;x onerror#61;alert#40;1#41;#62;" in text
    assert len(re.findall(r"^ +end$", text, re.MULTILINE)) == len(HOSTILE) + 1


def test_each_pair_of_producer_and_reader_is_one_arrow():
    graph = json_to_graph(GOLDEN[0]["graph"])
    arrows = re.findall(r"^  (\w+) -> (\w+);$", dot(graph), re.MULTILINE)
    expected = set()
    for i, op in enumerate(graph.ops):
        for value in op.reads:
            there = graph.values[value]
            if there.kind == "input" or there.op is not None:
                expected.add((f"value{value}" if there.kind == "input" else f"op{there.op}", f"op{i}"))
    assert {arrow for arrow in arrows if not arrow[1].startswith("output")} == expected
    assert len(arrows) == len(set(arrows)) == len(re.findall(r" --> ", mermaid(graph)))
