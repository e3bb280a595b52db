"""Boxes and paths: cutaway.layout, cutaway.folding, cutaway.layered, cutaway.labels."""

import itertools
import json
import time
from pathlib import Path

import pytest
from graphs import HOSTILE, hostile_graph, opened, random_graph, value
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cutaway.bundle.graph_json import json_to_graph
from cutaway.labels import TITLE_LIMIT, fit, output_names, reveal, short_function, title_width
from cutaway.layered import Link, Node, place
from cutaway.layout import arrange
from cutaway.recorded import Graph, Op, Scope

GOLDEN = json.loads((Path(__file__).parent / "golden" / "layout.json").read_text(encoding="utf-8"))


@st.composite
def layouts(draw):
    """A random graph, some scopes open, laid out; a tenth of the graphs are of the kind that forms cycles."""

    def pick(low, high):
        return draw(st.integers(low, high))

    graph = random_graph(pick, strays=pick(0, 9) == 0)
    return graph, arrange(graph, opened(graph, pick))


def inside(layout, group):
    return [box for box in layout.boxes if box.parent == group]


many = settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)


@pytest.mark.parametrize("case", GOLDEN, ids=lambda case: case["name"])
def test_a_graph_is_laid_out_as_the_golden_file_says(case):
    graph = json_to_graph(case["graph"])
    for expected in case["layouts"]:
        layout = arrange(graph, expected["open"])
        assert [layout.width, layout.height] == expected["size"]
        for box, row in zip(layout.boxes, expected["boxes"], strict=True):
            assert [box.kind, box.ref, box.select, box.title, box.line, box.open, box.parent] == row[:7]
            assert [box.x, box.y, box.width, box.height] == row[7:]
        for edge, row in zip(layout.edges, expected["edges"], strict=True):
            assert [edge.source, list(edge.targets), edge.group, list(edge.values)] == row[:4]
            assert [edge.tie, edge.backward, [list(point) for point in edge.points]] == row[4:]
        for join, row in zip(layout.joins, expected["joins"], strict=True):
            assert [join.source, join.target, list(join.values), join.tie] == row


@many
@given(layouts())
def test_no_line_runs_through_a_box_beside_it(case):
    _, layout = case
    for edge in layout.edges:
        for box in inside(layout, edge.group):
            for (x1, y1), (x2, y2) in zip(edge.points, edge.points[1:], strict=False):
                apart_x = max(x1, x2) <= box.x or min(x1, x2) >= box.x + box.width
                apart_y = max(y1, y2) <= box.y or min(y1, y2) >= box.y + box.height
                assert apart_x or apart_y


@many
@given(layouts())
def test_no_line_runs_through_the_title_of_its_group(case):
    _, layout = case
    for edge in layout.edges:
        if edge.group is not None:
            group = layout.boxes[edge.group]
            entering = [x for x, y in edge.points if y < group.y + 30]
            assert all(x > group.x + 14 + title_width(group.title) for x in entering)


@many
@given(layouts())
def test_boxes_beside_each_other_do_not_overlap(case):
    _, layout = case
    for group in {box.parent for box in layout.boxes}:
        boxes = inside(layout, group)
        for i, a in enumerate(boxes):
            for b in boxes[:i]:
                apart_x = a.x + a.width <= b.x or b.x + b.width <= a.x
                apart_y = a.y + a.height <= b.y or b.y + b.height <= a.y
                assert apart_x or apart_y


@many
@given(layouts())
def test_everything_lies_inside_its_group_and_the_picture(case):
    _, layout = case
    for box in layout.boxes:
        x, y, width, height = 0, 0, layout.width, layout.height
        if box.parent is not None:
            around = layout.boxes[box.parent]
            x, y, width, height = around.x, around.y, around.width, around.height
        assert x < box.x
        assert box.x + box.width < x + width
        assert y < box.y
        assert box.y + box.height <= y + height
    for edge in layout.edges:
        for x, y in edge.points:
            if edge.group is None:
                assert 0 <= x <= layout.width
                assert 0 <= y <= layout.height
            else:
                around = layout.boxes[edge.group]
                assert around.x <= x <= around.x + around.width
                assert around.y <= y <= around.y + around.height


@many
@given(layouts())
def test_the_pieces_of_every_join_lead_without_a_gap_from_its_source_to_its_target(case):
    _, layout = case
    for join in layout.joins:
        pieces = [e for e in layout.edges if e.source == join.source and join.target in e.targets and e.tie == join.tie]
        if any(edge.backward for edge in pieces):
            continue  # a line against the rows leaves its group at the border's middle
        source, target = layout.boxes[join.source], layout.boxes[join.target]
        starts = {edge.points[0] for edge in pieces}
        ends = {edge.points[-1] for edge in pieces}
        (first,), (last,) = starts - ends, ends - starts
        assert first[1] == source.y + source.height
        assert source.x <= first[0] <= source.x + source.width
        assert last[1] == target.y
        assert target.x <= last[0] <= target.x + target.width
        assert set(join.values) <= {value for edge in pieces for value in edge.values}


@many
@given(layouts())
def test_lines_run_straight_past_boxes_and_bend_only_on_their_way_down(case):
    _, layout = case
    for edge in layout.edges:
        points = edge.points[::-1] if edge.backward else edge.points
        for (_, y1), (_, y2) in itertools.pairwise(points):
            assert y1 < y2


@many
@given(layouts())
def test_what_reads_a_value_is_joined_to_what_made_it(case):
    graph, layout = case
    drawn = {(join.source, join.target, made) for join in layout.joins if not join.tie for made in join.values}
    place = {(box.kind, box.ref): i for i, box in enumerate(layout.boxes)}
    for i, op in enumerate(graph.ops):
        for read in op.reads:
            maker = graph.values[read].op
            if ("op", i) in place and maker is not None and ("op", maker) in place:
                assert (place["op", maker], place["op", i], read) in drawn


def test_a_recording_runs_downwards():
    graph = json_to_graph(GOLDEN[0]["graph"])
    layout = arrange(graph, [scope.name for scope in graph.scopes])
    assert not any(edge.backward for edge in layout.edges)


def test_a_shared_parameter_is_a_tie_between_the_boxes_that_read_it():
    graph = json_to_graph(GOLDEN[0]["graph"])
    for open_names, ends in (
        ([], ("embeddings", "masked_token")),
        (["embeddings"], ("embeddings.token", "masked_token")),
    ):
        layout = arrange(graph, open_names)
        (tie,) = [join for join in layout.joins if join.tie]
        assert (layout.boxes[tie.source].select, layout.boxes[tie.target].select) == ends
        assert [graph.values[i].name for i in tie.values] == ["embeddings.token.weight"]


def test_parameters_are_no_boxes_and_inputs_and_named_outputs_are():
    graph = json_to_graph(GOLDEN[0]["graph"])
    boxes = arrange(graph, []).boxes
    assert [b.title for b in boxes if b.kind == "input"] == [v.name for v in graph.values if v.kind == "input"]
    assert [b.title for b in boxes if b.kind == "output"] == [key for key, _ in graph.outputs["dict"]]


def test_a_closed_scope_says_its_class_and_the_shapes_in_and_out():
    graph = json_to_graph(GOLDEN[0]["graph"])
    boxes = {box.title: box.line for box in arrange(graph, ["encoder", "encoder.attention"]).boxes}
    assert boxes["query · Linear"] == "6 × 8"
    assert boxes["embeddings · Embeddings"] == "6 → 6 × 8"
    assert boxes["probs · softmax"] == "2 × 6 × 6"


def test_a_line_against_the_order_is_drawn_upwards():
    nodes = [Node(60, 30), Node(60, 30)]
    placed = place(nodes, [Link(0, 1, 0), Link(1, 0, 1)])
    assert placed.backward == [False, True]
    assert placed.paths[1][0][1] == placed.tops[1]
    assert placed.paths[1][-1][1] == placed.tops[0] + 30


def test_an_empty_graph_is_an_empty_picture():
    graph = Graph((Scope("", "", "Model", None, 1, {}, None),), (), (), {"args": [], "kwargs": {}}, None)
    assert arrange(graph, []).boxes == ()


def test_outputs_are_named_by_their_place_in_what_the_model_returns():
    def named(outputs):
        return output_names(Graph((), (), (), {}, outputs))

    assert named({"value": 3}) == [("output", 3)]
    assert named({"tuple": [{"value": 3}, None, [{"value": 4}]]}) == [("output[0]", 3), ("output[2][0]", 4)]
    assert named({"dict": [["loss", {"value": 1}], [7, {"tuple": [{"value": 2}]}]]}) == [("loss", 1), ("7[0]", 2)]
    assert named({"object": "Out", "fields": [["logits", {"value": 1}], ["note", "text"]]}) == [("logits", 1)]


def test_functions_are_named_by_their_last_word():
    assert short_function("torch.nn.functional.layer_norm") == "layer_norm"
    assert short_function("torch.Tensor.__matmul__") == "matmul"
    assert short_function("torch.Tensor.T.__get__") == "T"


@given(st.text())
def test_a_title_fits_and_holds_no_hidden_character(text):
    shown = fit(text)
    assert title_width(shown) <= TITLE_LIMIT
    assert reveal(shown) == shown


def test_hidden_and_direction_changing_characters_are_written_out():
    assert reveal("a\u202eb\nc\u200d") == "a⟨202E⟩b⟨000A⟩c⟨200D⟩"
    assert all(reveal(box.title) == box.title for box in arrange(hostile_graph(), HOSTILE).boxes)


def test_ten_thousand_closed_ops_are_laid_out_in_a_second():
    scopes = [Scope("", "", "Model", None, 1, {}, None)]
    scopes += [Scope(f"block{i}", f"block{i}", "Block", 0, 1, {}, None) for i in range(20)]
    values = [value("x", "input"), *(value(f"v{i}", "result", i) for i in range(10_000))]
    ops = tuple(
        Op("torch.add", 1 + i // 500, [{"value": i}, {"value": max(0, i - 300)}], {}, {"value": i + 1}, (), None)
        for i in range(10_000)
    )
    graph = Graph(tuple(scopes), tuple(values), ops, {"args": [], "kwargs": {}}, {"value": 10_000})
    start = time.process_time()
    layout = arrange(graph, [])
    assert time.process_time() - start < 1
    assert len(layout.boxes) == 22
