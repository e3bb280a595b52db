"""Panels as static HTML: cutaway.panels, and the golden file that web/test/panels.test.ts draws again."""

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from golden.write_panels import BUNDLES, CHOICES, drawn, sample_record

from cutaway import bundle
from cutaway.errors import LessonError
from cutaway.lesson import parse
from cutaway.panels import draw
from cutaway.panels.heatmap import CELLS
from cutaway.panels.influence import influence
from cutaway.panels.scene import Scene
from cutaway.recorded import Example, Graph, Record, Scope, Value
from cutaway.scale import MINT, RUST, STEPS, ZERO, colour, contrast, css, ink, step
from cutaway.tensor import Tensor

GOLDEN = Path(__file__).parent / "golden"
BERT = bundle.read(BUNDLES["bert-pretraining"])


def panel(kind, place=0):
    return [panel for panel in BERT.lesson.panels if panel["kind"] == kind][place]


def bert(kind, example="reference", place=0, **choices):
    return draw(BERT.record, BERT.lesson, panel(kind, place), example, choices)


def matrix(array, limit_panel=None):
    """A heatmap of one array, as a record of one value."""
    tensor = Tensor.of(array)
    value = Value("value", "constant", tensor.dtype, tensor.shape, (1,) * len(tensor.shape), 0, None, 0)
    graph = Graph((Scope("", "", "Net", None, 0, {}, None),), (value,), (), {}, None)
    record = Record((graph,), (Example("only", 0, (tensor,)),))
    return draw(record, None, {"kind": "heatmap", "value": "value", **(limit_panel or {})}, "only", {})


@pytest.mark.parametrize("name", list(BUNDLES))
def test_every_panel_is_drawn_as_the_golden_file_has_it(name):
    golden = json.loads((GOLDEN / "panels.json").read_text(encoding="utf-8"))[name]
    assert drawn(bundle.read(BUNDLES[name]), CHOICES[name]) == golden


def test_the_sample_bundle_is_the_one_its_script_makes():
    made = bundle.compose(sample_record(), {"lesson.md": (GOLDEN / "sample.md").read_bytes()}, [])
    assert dict(bundle.read(BUNDLES["sample"]).files) == made


def test_no_panel_carries_a_style_attribute_a_handler_or_an_address():
    for golden in json.loads((GOLDEN / "panels.json").read_text(encoding="utf-8")).values():
        for html in golden["html"]:
            assert not re.search(r"\s(style|on\w+|src|href)=", html)


def test_text_from_a_lesson_is_escaped():
    html = "".join(json.loads((GOLDEN / "panels.json").read_text(encoding="utf-8"))["sample"]["html"])
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html
    assert "<script" not in html
    assert "first &amp; &lt;b&gt;foremost&lt;/b&gt;" in html


def test_the_ends_and_the_middle_of_the_scale_have_their_colours():
    assert (colour(0), colour(STEPS), colour(-STEPS)) == (ZERO, MINT, RUST)
    assert [step(x, 2.0) for x in (0.0, 2.0, -2.0, 1.0, -1.0, 9.0)] == ["p0", "p32", "n32", "p16", "n16", "p32"]


@pytest.mark.parametrize("limit", [0.0, 1.0])
def test_infinities_take_the_ends_also_where_every_finite_cell_is_zero(limit):
    assert [step(x, limit) for x in (-np.inf, 0.0, np.inf)] == ["n32", "p0", "p32"]


def test_a_causal_mask_shows_its_infinities_in_rust_and_names_them_on_the_scale():
    html = matrix(np.triu(np.full((3, 3), -np.inf), 1))
    assert re.findall(r'<td class="n32"[^>]*>([^<]*)', html) == ["−∞"] * 3
    assert re.findall(r"<span>([^<]*)</span>", html)[-2:] == ["−∞", "∞"]


def test_the_range_of_complex_numbers_is_said_to_be_of_magnitudes():
    assert "min magnitude 1 · max magnitude 5" in matrix(np.array([[-3 + 4j, 1j]]))


def test_a_panel_that_follows_shows_the_last_result_of_an_example_without_its_value():
    one = Tensor.of(np.array([[1.5]]))
    scope = Scope("", "", "Net", None, 0, {}, None)
    graphs = tuple(
        Graph((scope,), (Value(name, "result", "float64", (1, 1), (1, 1), 0, None, 0),), (), {}, None) for name in "ab"
    )
    record = Record(graphs, (Example("first", 0, (one,)), Example("second", 1, (one,))))
    html = draw(record, None, {"kind": "heatmap", "value": "a", "follow": True}, "second", {})
    assert "<b>second · b</b>" in html
    assert "1.5" in html


def test_a_cell_s_text_stands_out_on_every_step():
    for number in range(-STEPS, STEPS + 1):
        written = {"#000": (0, 0, 0), "#fff": (255, 255, 255)}[ink(colour(number))]
        assert contrast(colour(number), written) >= 4.5


def test_the_colour_classes_of_the_page_are_those_of_the_scale():
    assert (Path(__file__).parents[1] / "web" / "src" / "scale.css").read_text(encoding="utf-8") == css()


def test_zero_is_the_lightest_step():
    light = [sum(colour(number)) for number in range(-STEPS, STEPS + 1)]
    assert max(light) == light[STEPS]
    assert light[STEPS:] == sorted(light[STEPS:], reverse=True)


def test_the_attention_heatmap_states_its_own_range_and_head():
    html = bert("heatmap", head=1)
    assert "head 1" in html
    probs = BERT.record.array("reference", "encoder.attention.probs")[1]
    assert f"min {probs.min():.4g} · max {probs.max():.4g} · own scale" in html


def test_an_example_with_another_beside_it_is_drawn_twice_on_one_scale():
    html = bert("heatmap", "causal")
    limits = re.findall(r"<span>([^<]*)</span></p>", html)
    assert html.count("<figure") == 2
    assert html.count("one scale for both") == 2
    assert len(set(limits)) == 1


def test_a_choice_beyond_an_axis_takes_its_last_index():
    assert bert("heatmap", head=99) == bert("heatmap", head=1)


def test_a_matrix_of_more_than_a_thousand_cells_is_summarised_with_its_first_corner():
    html = matrix(np.linspace(-1, 1, CELLS + 24, dtype=np.float64).reshape(32, 32))
    assert "32 × 32 cells, mean " in html
    assert html.count("<td") == 8 * 8 + 1


def test_a_matrix_of_zeros_and_one_of_nothing_have_a_scale_too():
    assert html_class(matrix(np.zeros((2, 2)))) == {"p0"}
    assert "no numbers" in matrix(np.zeros((0, 3)))


def html_class(html):
    return set(re.findall(r'<td class="(\w+)"', html))


def test_negatives_show_a_real_minus_and_rust():
    html = matrix(np.array([[-1.5, 1.5]]))
    assert '<td class="n32">−1.5</td><td class="p32">1.5</td>' in html


def test_all_digits_are_kept_for_hovering():
    html = matrix(np.array([[1 / 3]], dtype=np.float32))
    assert '<td class="p32" title="0.33333334">0.3333</td>' in html


def test_tokens_that_stand_twice_can_be_told_apart_by_their_positions():
    heads = re.findall(r'<th scope="row">(.*?)</th>', bert("heatmap"))
    assert heads == ["0: [CLS]", "1: 4", "2: [MASK]", "3: [SEP]", "4: 6", "5: [SEP]"]


def test_headers_that_do_not_fit_are_refused_with_the_panel_named():
    with pytest.raises(
        LessonError, match=r"lesson.md, panel 'Heat'.*3 headers for 2 cells; name a value or a list of 2 words"
    ):
        matrix(np.zeros((2, 2)), {"title": "Heat", "rows": ["a", "b", "c"]})


def test_the_token_strip_names_special_tokens_and_the_fate_of_the_target():
    fates = [
        re.search(r"●<small>(\w+)</small>", bert("tokens", f"fate-{fate}"))[1] for fate in ("mask", "random", "kept")
    ]
    assert fates == ["mask", "random", "kept"]
    assert "<small>[CLS]</small>" in bert("tokens")


def test_the_token_strip_marks_what_differs_from_the_first_example():
    assert "position 4." in bert("tokens", "later-token")
    assert "Changed from" not in bert("tokens")


def test_bars_of_one_example_share_one_scale_and_mark_the_truth():
    words, pair = bert("bars"), bert("bars", place=1)
    widths = [float(width) for html in (words, pair) for width in re.findall(r'<rect width="([\d.]+)%"', html)]
    values = [*BERT.record.array("reference", "mlm_probs")[2], *BERT.record.array("reference", "nsp_probs")]
    assert widths == [np.floor(float(value) / float(max(values)) * 1000 + 0.5) / 10 for value in values]
    assert words.count("✓ truth") == pair.count("✓ truth") == 1


def test_two_targets_make_two_charts():
    assert bert("bars", "two-targets").count("<figure") == 2


def test_a_long_distribution_shows_its_largest_and_the_truth():
    sample = bundle.read(BUNDLES["sample"])
    html = draw(sample.record, sample.lesson, sample.lesson.panels[1], "first", {})
    rows = [chart.count("<tr") for chart in html.split("<figure")[1:]]
    assert all(40 <= count <= 41 for count in rows)
    assert "the 40 largest of 50" in html
    assert "41 forty &amp; one<small>✓ truth" in html


def test_losses_carry_their_arithmetic_with_more_digits_and_an_approximate_sign():
    html = bert("losses")
    assert re.search(r"−ln 0\.0606914 ≈ 2\.80195<", html)
    assert "2.80195 + 0.752452 ≈ 3.5544<" in html


def test_a_loss_that_its_probabilities_do_not_give_is_refused():
    wrong = {**panel("losses"), "total": "mlm_loss"}
    with pytest.raises(LessonError, match=r"the arithmetic gives 3\.55441 and mlm_loss is 2\.80195"):
        draw(BERT.record, BERT.lesson, wrong, "reference", {})


def test_left_only_nothing_right_of_the_diagonal_moves_a_row():
    runs = {run["title"]: run for run in panel("influence")["run"]}
    scene = Scene(BERT.record, BERT.lesson, "reference")
    both, left = (
        influence(scene, panel("influence"), runs[title]["base"], runs[title]["changed"])
        for title in ("both directions", "left only")
    )
    above = np.triu(np.ones((6, 6), dtype=bool), 1)
    assert (left[above] == 0).all()
    assert (both > 0).all()
    assert (left[~above] > 0).all()


def test_a_value_that_an_example_did_not_keep_is_named():
    sample = bundle.read(BUNDLES["sample"])
    html = draw(sample.record, sample.lesson, sample.lesson.panels[7], "few", {})
    assert "half was not kept in the example “few values kept”." in html


def test_a_bars_panel_of_another_lesson_does_not_set_the_scale():
    alone = replace(BERT.lesson, panels=(panel("bars", 1),))
    widths = re.findall(r'width="(\d+)%"', draw(BERT.record, alone, panel("bars", 1), "reference", {}))
    assert "100" in widths


def test_a_panel_without_lesson_shows_positions():
    assert '<th scope="col">2</th>' in matrix(np.zeros((2, 3)))


def test_the_golden_lesson_text_is_a_lesson():
    assert parse((GOLDEN / "sample.md").read_text(encoding="utf-8")).title == "Every corner"
