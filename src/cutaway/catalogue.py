"""The catalogue: families of models, a card each with its real graph, question, year and checks.

A plain list of links without a script; web/src/catalogue.ts adds search and filter to the same document.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from cutaway.bundle import Bundle
from cutaway.layout import arrange
from cutaway.markup import Markup, element, phrase
from cutaway.page import Assets
from cutaway.picture import svg
from cutaway.prose import fill

TITLE = "cutaway"
PROMISE = "Look into a model, down to its last number."
WITHOUT_LESSON = "Recordings"


@dataclass(frozen=True)
class Card:
    """What the catalogue says about one model."""

    href: str
    title: str
    family: str
    question: str
    year: int | None
    passed: int
    checks: int
    picture: Markup
    more: str = ""  # words that a search looks through besides those shown

    @property
    def search(self) -> str:
        """The text that a search looks through, in lower case."""
        return " ".join([self.title, self.family, self.question, str(self.year or ""), self.more]).strip().lower()


def card(model: Bundle, href: str) -> Card:
    """The card of a bundle whose page stands at `href`. The picture is drawn from the recorded graph, all folded."""
    lesson = model.lesson
    checks = [check["status"] for check in model.manifest["checks"]]
    graph = model.record.graphs[0]
    title = lesson.title if lesson else str(model.manifest["title"])
    more = [lesson.promise, *(step["title"] for step in lesson.tour)] if lesson else []
    return Card(
        href=href,
        title=title,
        family=lesson.family if lesson else WITHOUT_LESSON,
        question=fill(lesson.question, model.record, lesson.first_example(model.record)) if lesson else "",
        year=lesson.year if lesson else None,
        passed=checks.count("passed"),
        checks=len(checks),
        picture=Markup(svg(graph, arrange(graph, ()), f"The graph of {title}, folded")),
        more=" ".join(more),
    )


def render(cards: Sequence[Card], assets: Assets) -> str:
    """The catalogue's document."""
    families: dict[str, list[Card]] = {}
    for each in cards:
        families.setdefault(each.family, []).append(each)
    head = element(
        "head",
        {},
        element("meta", {"charset": "utf-8"}),
        element("meta", {"http-equiv": "Content-Security-Policy", "content": assets.policy}),
        element("meta", {"name": "viewport", "content": "width=device-width, initial-scale=1"}),
        element("meta", {"name": "color-scheme", "content": "light dark"}),
        element("title", {}, f"{TITLE}: {PROMISE.rstrip('.').lower()}"),
        Markup(assets.css),
        Markup(assets.js),
    )
    body = element(
        "body",
        {"data-cutaway": "catalogue"},
        element("header", {"class": "catalogue-head"}, element("h1", {}, TITLE), element("p", {}, PROMISE)),
        element(
            "main",
            {"class": "catalogue"},
            _search(list(families)),
            *(_family(number, *family) for number, family in enumerate(families.items())),
        ),
    )
    return "<!doctype html>\n" + element("html", {"lang": "en"}, head, body) + "\n"


def _search(families: Sequence[str]) -> Markup:
    """The search, hidden until the script that answers it is there."""
    return element(
        "form",
        {"class": "catalogue-search", "role": "search", "hidden": True},
        element("label", {"for": "catalogue-words"}, "Search"),
        Markup('<input id="catalogue-words" name="search" type="search" autocomplete="off">'),
        element("label", {"for": "catalogue-family"}, "Family"),
        element(
            "select",
            {"id": "catalogue-family", "name": "family"},
            element("option", {"value": ""}, "All families"),
            *(element("option", {"value": family}, family) for family in families),
        ),
        element("p", {"id": "catalogue-count", "role": "status"}),
    )


def _family(number: int, family: str, cards: Sequence[Card]) -> Markup:
    name = f"catalogue-family-{number}"
    return element(
        "section",
        {"class": "catalogue-family", "aria-labelledby": name, "data-family": family},
        element("h2", {"id": name}, family),
        element("ul", {"class": "catalogue-cards"}, *(_card(card) for card in cards)),
    )


def _card(card: Card) -> Markup:
    checks = f"{card.passed} of {card.checks} checks passed" if card.checks else "no checks"
    facts = [str(card.year)] if card.year else []
    words = element(
        "div",
        {"class": "catalogue-text"},
        element("h3", {}, element("a", {"href": card.href}, card.title)),
        element("p", {"class": "catalogue-question"}, phrase(card.question)) if card.question else None,
        element("p", {"class": "catalogue-facts"}, " · ".join([*facts, checks])),
    )
    # The link beside the picture says where it leads, so the picture only illustrates it.
    picture = element("div", {"class": "catalogue-picture", "aria-hidden": "true"}, card.picture)
    inside = element("div", {"class": "catalogue-inside"}, picture, words)
    return element("li", {"class": "catalogue-card", "data-search": card.search}, inside)
