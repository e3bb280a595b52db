"""HTML as text that knows it is HTML: everything else is escaped on its way in.

What comes from a model or a lesson is text, never HTML. Markdown is rendered with HTML and images switched off.
"""

import re
from collections.abc import Iterable, Mapping
from html import escape
from typing import cast

from markdown_it import MarkdownIt

from cutaway.prose import ADDRESS

_VOID = {"meta", "link", "br", "hr", "input", "rect", "circle", "line", "polyline", "path"}
_MARKDOWN = MarkdownIt("commonmark", {"html": False}).disable("image").enable("table")
setattr(_MARKDOWN, "validateLink", lambda url: re.match(ADDRESS, url) is not None)  # noqa: B010 - its documented hook


class Markup(str):
    """HTML that needs no escaping."""


Child = str | Iterable[str | None] | None


def element(name: str, attributes: Mapping[str, str | int | bool | None] | None = None, *children: Child) -> Markup:
    """One element. Attributes that are None or False are left out, True stands alone; children that are not Markup
    are escaped."""
    written = "".join(
        f" {key}" if value is True else f' {key}="{escape(str(value))}"'
        for key, value in (attributes or {}).items()
        if value is not None and value is not False
    )
    if name in _VOID:
        return Markup(f"<{name}{written}/>")
    return Markup(f"<{name}{written}>{join(*children)}</{name}>")


def join(*children: Child) -> Markup:
    """Children one after the other, each escaped unless it is Markup."""
    parts: list[str] = []
    for child in children:
        if isinstance(child, Markup):
            parts.append(child)
        elif isinstance(child, str):
            parts.append(escape(child, quote=False))
        elif child is not None:
            parts.append(join(*child))
    return Markup("".join(parts))


def prose(text: str) -> Markup:
    """Markdown as blocks."""
    return Markup(cast(str, _MARKDOWN.render(text)))


def phrase(text: str) -> Markup:
    """Markdown within a line: emphasis, code, links."""
    return Markup(cast(str, _MARKDOWN.renderInline(text)))
