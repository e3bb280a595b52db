"""The top of the page: the way back, and the question."""

from cutaway.markup import Markup, element
from cutaway.page.words import Words


def way_back(text: Words, home: str | None) -> Markup:
    lesson = text.lesson
    crumbs = [element("a", {"href": home}, "‹ All models")] if home else []
    if lesson:
        crumbs.append(element("span", {}, lesson.family))
    crumbs.append(element("span", {"aria-current": "page"}, text.title))
    tools = element(
        "div",
        {"class": "tools needs-script"},
        element("button", {"type": "button", "id": "theme"}, "Theme: system"),
        element("button", {"type": "button", "id": "link"}, "Copy link to this view"),
    )
    items = [element("li", {}, crumb) for crumb in crumbs]
    trail = element("nav", {"aria-label": "Breadcrumb"}, element("ol", {"class": "crumbs"}, items))
    return element("header", {"class": "top"}, trail, tools)


def question(text: Words) -> Markup:
    lesson = text.lesson
    facts: list[str] = []
    if lesson:
        steps = len(lesson.tour)
        facts = [lesson.title, str(lesson.year), f"by {lesson.curator}"]
        facts += [f"a tour of {steps} steps" if steps != 1 else "a tour of one step"] if steps else []
    return element(
        "section",
        {"class": "question", "id": "question", "tabindex": "-1"},
        element("p", {"class": "facts"}, " · ".join(facts)) if facts else None,
        element("h1", {}, text.line(text.question)),
        element("p", {"class": "promise"}, text.line(text.promise)),
    )
