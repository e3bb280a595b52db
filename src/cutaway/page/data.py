"""What the script reads from the page: the recording without its rounding.

A JSON block with the words, and the graphs and tensors as gzip and base64: a browser inflates them by itself, also from
file://, and a graph shrinks to a tenth.
"""

import base64
import gzip
import json
from collections.abc import Mapping
from typing import Any

from cutaway.bundle import Bundle
from cutaway.markup import Markup, element
from cutaway.page.words import Words


def blocks(bundle: Bundle, text: Words) -> Markup:
    """The three blocks, as elements."""
    tree = {
        "manifest": {key: bundle.manifest[key] for key in ("name", "title", "revision", "counts")},
        "lesson": lesson_tree(text),
    }
    return Markup(
        element("script", {"type": "application/json", "id": "cutaway-data"}, Markup(script_json(tree)))
        + _packed("cutaway-graph", bundle.files["graph.json"])
        + _packed("cutaway-values", bundle.files["values.safetensors"])
    )


def _packed(name: str, content: bytes) -> Markup:
    text = base64.b64encode(gzip.compress(content, 9, mtime=0)).decode()
    return element("script", {"type": "application/octet-stream;base64", "id": name}, Markup(text))


def lesson_tree(text: Words) -> dict[str, Any]:
    """What the script needs of the lesson; prose stands in the document already."""
    lesson = text.lesson
    return {
        "examples": [_keys(example, "name", "title", "beside") for example in text.examples],
        "tour": [_keys(step, "step", "title", "scope", "value", "cells", "example") for step in text.tour],
        "panels": [{key: item for key, item in panel.items() if key != "words"} for panel in text.panels],
        "open": list(lesson.open) if lesson else [],
        "vocabulary": {str(number): word for number, word in lesson.vocabulary.items()} if lesson else {},
    }


def script_json(tree: Any) -> str:
    """Strict JSON that can neither end its script element nor begin a comment in it."""
    return json.dumps(tree, ensure_ascii=False, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")


def _keys(entry: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: entry[name] for name in names if entry.get(name) is not None}
