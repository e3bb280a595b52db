"""Accessibility: axe-core, and the contrast of every text in a picture or a cell, which axe-core cannot read alone."""

import pytest
from playwright.sync_api import Page
from reading import OpenPage, Places

AXE = """
async () => {
  const found = await axe.run(document);
  const lines = (rules) => rules.flatMap((rule) => rule.nodes.map((node) =>
    `${rule.id}: ${node.target} ${[...node.any, ...node.all, ...node.none].map((check) => check.message).join("; ")}`));
  return { violations: lines(found.violations), incomplete: found.incomplete.map((rule) => rule.id) };
}
"""

# What axe-core leaves to a person, and who looks instead.
EXPLAINED = {
    "color-contrast": "text over a picture or a gradient; the contrast test below reads each colour pair",
}

CONTRAST = """
() => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgb = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const light = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map((c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const ratio = (a, b) => {
    const [low, high] = [light(a), light(b)].sort((x, y) => x - y);
    return (high + 0.05) / (low + 0.05);
  };
  const behind = (at) => {
    for (; at; at = at.parentElement) {
      const colour = rgb(getComputedStyle(at).backgroundColor);
      if (colour[3] === 255) return colour;
    }
    return rgb("white");
  };
  const box = (text) => {
    for (let at = text.parentElement; at && at.tagName !== "svg"; at = at.parentElement) {
      const rect = at.querySelector(":scope > rect");
      const fill = rect && getComputedStyle(rect).fill;
      if (fill && fill !== "none" && rgb(fill)[3] === 255) return rgb(fill);
    }
    return behind(text.ownerSVGElement);
  };
  const pairs = [];
  for (const text of document.querySelectorAll("svg text")) {
    if (text.getBoundingClientRect().width) pairs.push([text, rgb(getComputedStyle(text).fill), box(text)]);
  }
  for (const cell of document.querySelectorAll("td, th")) {
    if (cell.getBoundingClientRect().width && cell.innerText.trim())
      pairs.push([cell, rgb(getComputedStyle(cell).color), behind(cell)]);
  }
  return pairs.map(([at, ink, ground]) => [at.textContent.trim(), ratio(ink, ground)]);
}
"""

PLACES = ["file", "catalogue"]
THEMES = ["light", "dark"]


def opened(open_page: OpenPage, places: Places, place: str, theme: str) -> Page:
    page = open_page(places[place], color_scheme=theme)
    page.wait_for_selector("svg.live" if place == "file" else ".catalogue-search:not([hidden])")
    return page


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("place", PLACES)
def test_axe_finds_no_violation_and_nothing_unexplained(
    open_page: OpenPage, places: Places, axe: str, place: str, theme: str
) -> None:
    page = opened(open_page, places, place, theme)
    page.evaluate(axe)
    found = page.evaluate(AXE)
    assert found["violations"] == []
    assert set(found["incomplete"]) <= set(EXPLAINED)


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("place", PLACES)
def test_every_text_in_a_picture_or_a_cell_has_enough_contrast(
    open_page: OpenPage, places: Places, place: str, theme: str
) -> None:
    page = opened(open_page, places, place, theme)
    read = page.evaluate(CONTRAST)
    assert len(read) > 30
    assert [(text, round(ratio, 2)) for text, ratio in read if ratio < 4.5] == []
