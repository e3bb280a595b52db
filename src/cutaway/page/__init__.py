"""A bundle as one static HTML document, complete without a script; the script enhances this same document.

    render(bundle, assets, home) -> str

Sections, top to bottom (docs/page.md): the way back, the question, the architecture, the tour, the recorded examples,
the checks, about this model, provenance. `data` is what the script reads.
"""

from dataclasses import dataclass

from cutaway.bundle import Bundle
from cutaway.markup import Markup, element
from cutaway.page import about, architecture, checks, data, examples, opening, provenance
from cutaway.page.words import words


@dataclass(frozen=True)
class Assets:
    """How a page reaches its style sheet and script, and the policy that allows just these (see cutaway.export).

    css and js are whole elements: `<style>` or `<link>`, `<script>` with content or `src`. policy is the content of a
    Content-Security-Policy.
    """

    css: str
    js: str
    policy: str


def render(bundle: Bundle, assets: Assets, home: str | None) -> str:
    """The whole document. home: relative address of the catalogue, None where there is none.

    Raises LessonError where a panel does not fit the recorded values.
    """
    text = words(bundle)
    head = element(
        "head",
        {},
        element("meta", {"charset": "utf-8"}),
        element("meta", {"http-equiv": "Content-Security-Policy", "content": assets.policy}),
        element("meta", {"name": "viewport", "content": "width=device-width, initial-scale=1"}),
        element("meta", {"name": "color-scheme", "content": "light dark"}),
        element("meta", {"name": "description", "content": text.plain(text.question)}),
        element("title", {}, f"{text.title} · cutaway"),
        Markup(assets.css),
    )
    body = element(
        "body",
        {"data-cutaway": "page"},
        element("a", {"class": "skip", "href": "#question"}, "Skip to the question"),
        opening.way_back(text, home),
        element(
            "main",
            {},
            opening.question(text),
            architecture.section(bundle, text),
            examples.section(bundle, text),
            checks.section(bundle),
            about.section(bundle, text),
            provenance.section(bundle),
        ),
        element("p", {"id": "announce", "class": "quiet", "role": "status"}),
        data.blocks(bundle, text),
        Markup(assets.js),
    )
    return "<!doctype html>\n" + element("html", {"lang": "en"}, head, body) + "\n"
