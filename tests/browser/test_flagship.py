"""The flagship page as its readers use it: numbers, keyboard, history, small screens, paper, contrast."""

import json
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, expect
from reading import OpenPage, Places

from cutaway import bundle, export
from cutaway.recorded import Example, Graph, Record, Scope, Value
from cutaway.tensor import Tensor

GOLDEN = Path(__file__).parents[1] / "golden"

# Contrast (WCAG 2.2) of every cell and every text of an SVG with what it stands on; those below 4.5 to 1.
FAINT = """
() => {
  const paint = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgba = (text) => {
    paint.clearRect(0, 0, 1, 1);
    paint.fillStyle = text;
    paint.fillRect(0, 0, 1, 1);
    return [...paint.getImageData(0, 0, 1, 1).data];
  };
  const light = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map((c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const contrast = (a, b) => {
    const [high, low] = [light(a), light(b)].sort((x, y) => y - x);
    return (high + 0.05) / (low + 0.05);
  };
  const ground = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const here = rgba(getComputedStyle(at).backgroundColor);
      if (here[3] === 255) return here;
    }
    return [255, 255, 255];
  };
  const box = (text) => {
    const rect = text.closest("g")?.querySelector("rect");
    const fill = rect ? rgba(getComputedStyle(rect).fill) : [0, 0, 0, 0];
    return fill[3] === 255 ? fill : ground(text.ownerSVGElement);
  };
  const cells = [...document.querySelectorAll("td, th, .term b")].filter((e) => e.textContent.trim() && e.offsetParent);
  const texts = [...document.querySelectorAll("svg text")].filter((e) => e.getBoundingClientRect().width);
  const pairs = [
    ...cells.map((e) => [e, rgba(getComputedStyle(e).color), ground(e)]),
    ...texts.map((e) => [e, rgba(getComputedStyle(e).fill), box(e)]),
  ];
  const faint = pairs.filter(([, ink, on]) => contrast(ink, on) < 4.5);
  return { checked: pairs.length, faint: faint.map(([e, ink, on]) => `${e.textContent}: ${ink} on ${on}`) };
}
"""


@pytest.fixture
def page(open_page: OpenPage, places: Places) -> Page:
    return opened(open_page(places["file"]))


def opened(page: Page) -> Page:
    page.wait_for_selector("cutaway-graph svg.live")
    return page


def figures() -> list[str]:
    reference = json.loads((GOLDEN / "reference_example.json").read_text(encoding="utf-8"))

    def flat(part: object) -> list[str]:
        return [figure for item in part for figure in flat(item)] if isinstance(part, list) else [str(part)]

    return flat(list(reference["figures"].values()))


@pytest.mark.parametrize("script", [True, False])
def test_every_figure_of_the_reference_example_can_be_read(open_page: OpenPage, places: Places, script: bool) -> None:
    page = open_page(places["file"], java_script_enabled=script)
    if script:
        opened(page)
    shown = [text.strip() for text in page.locator(".panels td, .panels .term b").all_inner_texts()]
    wanted = figures()
    assert [figure for figure in wanted if figure not in shown] == []
    assert len(wanted) == 57


def test_without_a_script_tour_checks_and_provenance_stand_and_nothing_is_offered_in_vain(
    open_page: OpenPage, places: Places
) -> None:
    page = open_page(places["file"], java_script_enabled=False)
    for text in ("Guided tour", "Checked, not claimed", "About this model", "Provenance"):
        assert page.get_by_role("heading", name=text).is_visible()
    assert page.locator(".steps p").first.is_visible()
    assert page.locator("#architecture svg.graph").is_visible()
    assert [button for button in page.locator("button").all() if button.is_visible()] == []


def test_the_keyboard_alone_walks_the_tour_and_the_examples(page: Page) -> None:
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert page.locator('[aria-current="step"]').get_attribute("data-step") == "2"
    assert page.locator(".panels td.pointed").count() == 6
    for _ in range(200):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.dataset.example") is not None:
            break
    page.keyboard.press("ArrowLeft")
    assert page.evaluate("document.activeElement.dataset.example") == "causal"
    assert "one scale for both" in page.locator(".panel.heatmap").inner_text()
    assert page.locator("#announce").inner_text().startswith("Example: ")


def test_back_and_forward_and_a_link_lead_to_the_same_view(page: Page, open_page: OpenPage) -> None:
    page.get_by_role("radio", name="two targets").click()
    page.locator(".panel.heatmap").get_by_role("radio", name="1").click()
    page.get_by_role("radio", name="NotNext instead").click()
    page.go_back()
    expect(page.locator(".panels .chart")).to_have_count(3)
    there = page.locator(".panels").inner_text()
    page.go_forward()
    expect(page.locator(".panels .sum")).to_have_count(2)
    page.go_back()
    expect(page.locator(".panels .chart")).to_have_count(3)
    again = opened(open_page(page.url))
    assert again.locator(".panels").inner_text() == there


def test_a_click_on_a_cell_says_the_digits_it_copied(page: Page) -> None:
    cell = page.locator(".panels .grid td[title]").first
    cell.click()
    expect(page.locator("#announce")).to_contain_text(cell.get_attribute("title") or "no digits")


def test_the_source_link_of_an_operation_marks_its_line(page: Page) -> None:
    page.keyboard.press("ArrowRight")
    link = page.locator('cutaway-inspector a[href^="#source-"]').first
    link.click()
    assert f"#{page.locator('.source .found').get_attribute('id')}" == link.get_attribute("href")
    assert "step=1" in page.url


def test_the_theme_is_kept_in_the_address_and_on_the_next_visit(page: Page) -> None:
    page.locator("#theme").click()
    page.locator("#theme").click()
    assert page.url.endswith("#theme=dark")
    page.goto(page.url.split("#")[0])
    opened(page)
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"


@pytest.mark.parametrize("script", [True, False])
@pytest.mark.parametrize("width", [360, 1200])
def test_no_width_makes_the_page_scroll_sideways(open_page: OpenPage, places: Places, width: int, script: bool) -> None:
    address = places["file"] + ("#step=2&example=causal" if script else "")
    page = open_page(address, viewport={"width": width, "height": 740}, java_script_enabled=script)
    if script:
        opened(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_printed_it_is_light_and_shows_the_static_picture_and_every_step(open_page: OpenPage, places: Places) -> None:
    page = opened(open_page(places["file"] + "#theme=dark&step=2"))
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.querySelector('h1')).color") == "rgb(20, 32, 28)"
    assert page.locator("#architecture .picture svg").is_visible()
    assert not page.locator("cutaway-graph").is_visible()
    assert all(step.is_visible() for step in page.locator(".steps p:not(.of)").all())
    assert not page.locator(".picker").first.is_visible()
    assert page.locator("details .plain-table").first.is_visible()


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("view", ["", "#step=2&example=causal&select=encoder.attention.probs"])
def test_every_cell_and_every_svg_text_stands_out(open_page: OpenPage, places: Places, theme: str, view: str) -> None:
    page = opened(open_page(places["file"] + view, color_scheme=theme))
    page.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = true")
    found = page.evaluate(FAINT)
    assert found["faint"] == []
    assert found["checked"] > 200


def test_a_step_typed_into_the_address_of_an_open_page_is_the_whole_step(page: Page) -> None:
    page.evaluate("location.hash = '#step=2'")
    expect(page.locator("#inspected")).to_contain_text("encoder.attention.probs")
    expect(page.locator(".panels td.pointed")).to_have_count(6)
    page.evaluate("location.hash = '#step=99'")
    expect(page.locator('[aria-current="step"]')).to_have_count(0)


@pytest.mark.parametrize("way", ["link", "button"])
def test_on_a_narrow_screen_a_step_its_controls_and_the_graph_are_seen_together(
    open_page: OpenPage, places: Places, way: str
) -> None:
    link = "#step=2" if way == "link" else ""
    size = {"width": 360, "height": 740}
    page = opened(open_page(places["file"] + link, viewport=size, reduced_motion="reduce"))
    if way == "button":
        page.locator(".step-controls button").last.click()
        page.locator(".step-controls button").last.click()
    expect(page.locator('[aria-current="step"] p').first).to_be_in_viewport(ratio=1)
    graph, step = page.locator("#architecture").bounding_box(), page.locator('[aria-current="step"]').bounding_box()
    assert graph["y"] >= 0
    assert graph["y"] + graph["height"] <= step["y"]
    for name in ("End tour", "‹ Previous", "Next ›", "fit"):
        expect(page.get_by_role("button", name=name)).to_be_in_viewport(ratio=1)
    page.get_by_role("button", name="End tour").click()
    assert "step" not in page.url
    assert page.get_by_label("Find a scope or operation").is_visible()


def test_the_cells_a_step_points_at_are_in_sight_beside_its_text(open_page: OpenPage, places: Places) -> None:
    size = {"width": 1200, "height": 900}
    page = opened(open_page(places["file"] + "#step=2", viewport=size, reduced_motion="reduce"))
    expect(page.locator('[aria-current="step"] p').first).to_be_in_viewport(ratio=1)
    for cell in page.locator("cutaway-inspector td.pointed").all():
        expect(cell).to_be_in_viewport(ratio=1)


def test_a_number_of_the_tour_and_the_name_of_a_panel_select_their_value(page: Page) -> None:
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.locator('[aria-current="step"] p a').nth(2).click()
    expect(page.locator("#inspected")).to_contain_text("encoder.attention.probs")
    expect(page.locator('.examples [aria-checked="true"]').first).to_contain_text("left only")
    expect(page.locator('[aria-current="step"] .of')).to_be_visible()
    page.locator(".panel.losses .drawn a").first.click()
    expect(page.locator("#inspected")).to_contain_text("mlm_loss")
    expect(page.locator("#architecture")).to_be_in_viewport()
    assert "example=causal" in page.url


def test_at_the_last_step_the_button_keeps_the_focus(page: Page) -> None:
    page.locator(".step-controls button").last.focus()
    for _ in range(6):
        page.keyboard.press("Enter")
    assert page.locator(".step-controls span").inner_text() == "step 4 of 4"
    assert page.evaluate("document.activeElement.textContent").startswith("Next")


def test_the_outline_uses_the_height_of_the_bench(page: Page) -> None:
    page.goto(page.url + "#step=2")
    expect(page.locator(".panels td.pointed")).to_have_count(6)
    bottoms = "['.bench', '[role=tree]'].map((name) => document.querySelector(name).getBoundingClientRect().bottom)"
    bench, tree = page.evaluate(bottoms)
    assert bench - tree < 40
    assert page.evaluate("((tree) => tree.scrollHeight > tree.clientHeight)(document.querySelector('[role=tree]'))")


def test_forced_colours_leave_every_choice_to_be_seen(open_page: OpenPage, places: Places) -> None:
    page = opened(open_page(places["file"] + "#step=2&head=1&example=causal", forced_colors="active"))
    page.wait_for_timeout(300)  # until colours have changed over
    look = """(selector) => [...document.querySelectorAll(selector)].map((element) => {
      const { backgroundColor, outlineStyle, stroke } = getComputedStyle(element);
      return [backgroundColor, outlineStyle, stroke].join();
    })"""
    for chosen, other in (
        ('.examples [aria-checked="true"]', '.examples [aria-checked="false"]'),
        ('[role="treeitem"][aria-selected="true"]', '[role="treeitem"][aria-selected="false"]'),
        ('.steps [aria-current="step"]', ".steps li:not([aria-current])"),
        ("svg.live .selected > rect", "svg.live .boxes .box:not(.selected) > rect"),
        ("svg.live .near", "svg.live .edge:not(.near)"),
        ("td.pointed", ".grid td:not(.pointed)"),
    ):
        assert not set(page.evaluate(look, chosen)) & set(page.evaluate(look, other)), chosen


@pytest.mark.parametrize("width", [320, 360, 1200])
def test_names_of_300_characters_do_not_make_a_page_scroll_sideways(
    open_page: OpenPage, tmp_path: Path, width: int
) -> None:
    long = "n" * 300
    tensor = Tensor.of(np.ones((2, 20, 3)))
    names = ("x", f"{long}.value")
    values = tuple(Value(name, "input", "float64", (2, 20, 3), (60, 3, 1), 0, None, 0) for name in names)
    scopes = (Scope("", "", long, None, 0, {}, None), Scope(long, long, long, 0, 0, {}, None))
    examples = (Example(long, 0, (tensor, tensor)), Example(f"{long}2", 0, (tensor, tensor)))
    bundle.write(
        Record((Graph(scopes, values, (), {"args": [], "kwargs": {}}, None),), examples, long), tmp_path / "made"
    )
    export.export_html(tmp_path / "made", tmp_path / "page.html")
    for hash in ("", f"#select={long}.value"):
        page = opened(open_page((tmp_path / "page.html").as_uri() + hash, viewport={"width": width, "height": 740}))
        assert page.evaluate("document.documentElement.scrollWidth") <= width
