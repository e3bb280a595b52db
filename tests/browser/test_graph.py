"""The interactive graph, its outline and its inspector, on the page as one file, under its own policy."""

import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from reading import OpenPage, Places

LABEL = "document.activeElement.getAttribute('aria-label')"


@pytest.fixture
def page(open_page: OpenPage, places: Places) -> Page:
    page = open_page(places["file"], reduced_motion="reduce")
    page.wait_for_selector("svg.live")
    return page


def view(page: Page) -> list[float]:
    return [float(number) for number in page.locator("svg.live").get_attribute("viewBox").split()]


def test_the_graph_is_one_stop_for_tab_and_is_walked_and_opened_by_keys(page: Page) -> None:
    page.locator(".graph-files summary").focus()
    page.keyboard.press("Tab")
    assert page.evaluate(LABEL).startswith("input_ids")
    for _ in range(6):  # token, add, summed, norm, and into the encoder
        page.keyboard.press("ArrowDown")
    page.keyboard.press("Escape")
    assert page.evaluate(LABEL).startswith("encoder · ")
    expect(page.get_by_role("button", name="encoder · EncoderLayer")).to_have_attribute("aria-expanded", "true")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="encoder · EncoderLayer")).to_have_attribute("aria-expanded", "false")
    assert page.evaluate(LABEL).startswith("encoder · ")
    page.keyboard.press("Tab")
    assert not page.evaluate("document.activeElement.closest('svg.live') !== null")


def test_a_selection_in_the_graph_is_shown_by_outline_and_inspector_and_back(page: Page) -> None:
    page.get_by_role("button", name="attention_norm · LayerNorm").click()
    expect(page.locator('[role="treeitem"][aria-selected="true"]')).to_contain_text("attention_norm · LayerNorm")
    expect(page.locator("#inspected")).to_contain_text("encoder.attention_norm")
    expect(page.locator("cutaway-inspector math")).to_be_visible()
    page.get_by_role("treeitem", name="packed · cat").click()
    expect(page.locator('svg.live [aria-current="true"]')).to_have_attribute(
        "aria-label", "packed · cat, 98, operation"
    )
    expect(page.locator("#inspected")).to_contain_text("packed")


def test_a_value_named_in_the_inspector_is_selected_by_its_link(page: Page) -> None:
    page.get_by_role("button", name="attention_norm · LayerNorm").click()
    page.locator("cutaway-inspector").get_by_role("button", name="encoder.add", exact=True).click()
    expect(page.locator("#inspected")).to_contain_text("encoder.add")
    expect(page.locator('svg.live [aria-current="true"]')).to_have_attribute("aria-label", "add, 6 × 8, operation")


def test_dragging_moves_the_picture_and_selects_nothing(page: Page) -> None:
    before = view(page)
    box = page.locator("svg.live").bounding_box()
    page.mouse.move(box["x"] + 60, box["y"] + 200)
    page.mouse.down()
    page.mouse.move(box["x"] + 160, box["y"] + 150, steps=5)
    page.mouse.up()
    after = view(page)
    assert after[0] < before[0]
    assert after[1] > before[1]
    assert after[2:] == before[2:]
    assert "select" not in page.url


def test_a_wheel_scrolls_the_page_until_the_graph_has_the_focus_then_it_zooms(page: Page) -> None:
    before = view(page)
    page.locator("svg.live").hover(position={"x": 20, "y": 20})
    page.mouse.wheel(0, 100)
    page.wait_for_timeout(100)
    assert view(page) == before
    page.get_by_role("button", name="input_ids").focus()
    page.locator("svg.live").hover(position={"x": 20, "y": 20})
    page.mouse.wheel(0, 100)
    page.wait_for_timeout(100)
    assert view(page)[2] > before[2]


def test_a_closed_group_stays_under_the_pointer_when_it_opens(page: Page) -> None:
    name = "attention · SelfAttention"
    page.get_by_role("button", name=name).scroll_into_view_if_needed()
    before = page.get_by_role("button", name=name).bounding_box()
    page.get_by_role("button", name=name).click()
    expect(page.get_by_role("button", name=name)).to_have_attribute("aria-expanded", "true")
    after = page.get_by_role("button", name=name).bounding_box()
    assert abs(before["y"] - after["y"]) < 3
    assert abs(before["x"] + before["width"] / 2 - after["x"] - after["width"] / 2) < 3


def test_the_four_downloads_are_files_of_their_kind(page: Page, tmp_path: Path) -> None:
    texts = {}
    page.locator(".graph-files summary").click()
    for kind in ("JSON", "SVG", "Mermaid", "DOT"):
        with page.expect_download() as download:
            page.get_by_role("button", name=kind, exact=True).click()
        download.value.save_as(tmp_path / kind)
        texts[kind] = (tmp_path / kind).read_text(encoding="utf-8")
    assert json.loads(texts["JSON"])["ops"]
    assert ElementTree.fromstring(texts["SVG"]).get("class") == "graph"
    assert texts["Mermaid"].startswith("flowchart TB\n")
    assert texts["DOT"].startswith("digraph model {\n")


def test_a_tour_step_brings_its_value_into_sight(page: Page) -> None:
    page.goto(page.url.split("#")[0] + "#step=3&select=masked_token.decoder.output&open=masked_token")
    stage = page.locator("svg.live").bounding_box()
    page.wait_for_timeout(200)
    box = page.locator('svg.live [aria-current="true"]').bounding_box()
    assert stage["x"] <= box["x"]
    assert stage["y"] <= box["y"]
    assert box["y"] + box["height"] <= stage["y"] + stage["height"]
    assert box["x"] + box["width"] <= stage["x"] + stage["width"]


def test_the_graph_fits_a_narrow_screen(open_page: OpenPage, places: Places) -> None:
    page = open_page(places["file"], viewport={"width": 360, "height": 740})
    page.wait_for_selector("svg.live")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    assert page.locator("svg.live").bounding_box()["width"] <= 360
