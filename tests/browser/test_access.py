"""Accessibility of the page and of the catalogue: axe-core in light and dark, and a focus that can be seen."""

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

# The rules that axe-core leaves to a person, and why nothing is wrong.
EXPLAINED = {
    "color-contrast": "text over a drawn box, and single signs: test_flagship reads the colours of each such pair",
    "label-content-name-mismatch": "the buttons + and − are named Zoom in and Zoom out; a sign is no word to speak",
    "th-has-data-cells": "a heading of a group of checks spans its table, so no single cell is its own",
}

# What holds the focus, and whether it looks different from how it looks without.
FOCUS = """
() => {
  const at = document.activeElement;
  if (!at || at === document.body) return null;
  const look = () => [at, ...at.querySelectorAll("rect, path")].map((part) => {
    const style = getComputedStyle(part);
    return [style.outlineStyle, style.outlineWidth, style.boxShadow, style.stroke, style.strokeWidth].join(" ");
  }).join();
  const focused = look();
  at.blur();
  const plain = look();
  at.focus({ focusVisible: true, preventScroll: true });
  return { name: at.outerHTML.slice(0, 120), drawn: focused !== plain };
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


@pytest.mark.parametrize("place", PLACES)
def test_the_focus_can_always_be_seen(open_page: OpenPage, places: Places, place: str) -> None:
    page = opened(open_page, places, place, "light")
    stops = 0
    for _ in range(80):
        page.keyboard.press("Tab")
        found = page.evaluate(FOCUS)
        if found is None:
            break
        assert found["drawn"], found["name"]
        stops += 1
    assert stops >= 4
