"""Which keys the front matter of lesson.md may have, and of which type each is (docs/lesson.md)."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from cutaway.errors import LessonError

Table = Mapping[str, Any]

TEXTS, NUMBERS, TABLES = "a list of texts", "a list of numbers", "one or more tables"
TEXT_OR_TEXTS = "a text or a list of texts"

WORDS = {"title": str, "question": str, "promise": str, "family": str, "year": int, "curator": str, "licence": str}
LISTS = ("credits", "simplified", "not_claimed")
_REFERENCE = {"text": str, "link": str}
_EXAMPLE = {"name": str, "title": str, "words": str, "beside": str}
_TOUR = {"step": int, "title": str, "text": str, "scope": str, "value": str, "cells": str, "example": str}
_PARTS: dict[str, Table] = {
    "part": {"value": str, "title": str, "probabilities": str, "labels": str},
    "run": {"title": str, "base": str, "changed": TEXTS},
    "line": {"value": str, "title": str},
}
# panel kind -> (required keys, other keys), each with its type; `title` and `words` belong to every kind
PANELS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "tokens": ({"input": str, "segments": str, "labels": str}, {}),
    "heatmap": ({"value": str}, {"choose": TEXTS, "rows": TEXT_OR_TEXTS, "columns": TEXT_OR_TEXTS, "follow": bool}),
    "bars": ({"value": str, "labels": str}, {"names": TEXT_OR_TEXTS}),
    "losses": ({"total": str, "part": TABLES}, {"total_title": str}),
    "influence": ({"value": str, "tokens": str, "run": TABLES}, {}),
    "curve": ({"line": TABLES, "examples": TEXTS, "at": NUMBERS}, {"axis": str}),
    "table": ({"values": TEXTS}, {"names": TEXTS, "rows": TEXT_OR_TEXTS}),
}


def check_front(front: Table) -> None:
    """Raise LessonError, with the place and the key, unless the front matter has the form of docs/lesson.md."""
    required = {**WORDS, **dict.fromkeys(LISTS, TEXTS)}
    tables = dict.fromkeys(("references", "example", "tour", "panel"), TABLES)
    _checked(front, {**required, **tables, "open": TEXTS, "vocabulary": dict}, required, "the front matter")
    for number, reference in enumerate(front.get("references", ()), 1):
        _checked(reference, _REFERENCE, ("text",), f"reference {number}")
        if not re.match(r"https?://\S+$", reference.get("link", "https://x")):
            raise LessonError(
                f"lesson.md: reference {number} has link = {reference['link']!r}; use an http or https address"
            )
    for key, word in front.get("vocabulary", {}).items():
        if not re.fullmatch(r"[0-9]{1,18}", key) or not isinstance(word, str):
            raise LessonError(f"lesson.md: vocabulary has {key} = {word!r}; write a token id and its word in quotes")
    for number, step in enumerate(front.get("tour", ()), 1):
        _checked(step, _TOUR, ("step", "title", "text"), f"tour step {number}")
        if step["step"] != number:
            raise LessonError(
                f"lesson.md: tour step {step['step']} stands at place {number}; number the steps 1, 2, 3 in order"
            )
        if "cells" in step and "value" not in step:
            raise LessonError(f"lesson.md: tour step {number} has cells but no value; say of which value they are")
    names = set()
    for number, example in enumerate(front.get("example", ()), 1):
        _checked(example, _EXAMPLE, ("name", "title", "words"), f"example {number}")
        if example["name"] in names:
            raise LessonError(f"lesson.md: example {number} is {example['name']!r} a second time; list it once")
        names.add(example["name"])
    for number, panel in enumerate(front.get("panel", ()), 1):
        _check_panel(panel, f"panel {number}")


def _check_panel(panel: Table, where: str) -> None:
    kind = panel.get("kind")
    if not isinstance(kind, str) or kind not in PANELS:
        raise LessonError(f"lesson.md: {where} is of kind {kind!r}; the kinds are {', '.join(PANELS)}")
    required, optional = PANELS[kind]
    where = f"{where} ({kind})"
    types = {"kind": str, "title": str, "words": str, **required, **optional}
    _checked(panel, types, ("kind", "title", *required), where)
    for key, form in _PARTS.items():
        for entry in panel.get(key, ()):
            _checked(entry, form, tuple(form), f"{where}, {key}")
    if kind == "curve" and len(panel["examples"]) != len(panel["at"]):
        raise LessonError(
            f"lesson.md: {where} has {len(panel['examples'])} examples but {len(panel['at'])} numbers in at; "
            "give each example its number"
        )
    if kind == "table" and len(panel.get("names", panel["values"])) != len(panel["values"]):
        raise LessonError(
            f"lesson.md: {where} has {len(panel['values'])} values but {len(panel['names'])} names; name each column"
        )


def _checked(table: Table, types: Table, required: Iterable[str], where: str) -> None:
    for key in table:
        if key not in types:
            raise LessonError(f"lesson.md: {where} has the unknown key {key!r}; known are {', '.join(sorted(types))}")
    for key in required:
        if key not in table:
            raise LessonError(f"lesson.md: {where} has no {key}; add it (docs/lesson.md)")
    for key, found in table.items():
        if not _is_of(found, types[key]):
            wanted = types[key] if isinstance(types[key], str) else _NAMED[types[key]]
            raise LessonError(f"lesson.md: {where} has {key} = {str(found)[:60]!r}; it must be {wanted}")


_NAMED = {str: "a text", int: "a whole number", bool: "true or false", dict: "a table"}


def _is_of(found: Any, kind: Any) -> bool:
    """Whether a TOML value is of a type, true and false being no numbers."""
    if isinstance(kind, type):
        return type(found) is kind
    if kind == TEXT_OR_TEXTS and isinstance(found, str):
        return True
    inner = {NUMBERS: (int, float), TABLES: (dict,)}.get(kind, (str,))
    whole = isinstance(found, list) and all(type(item) in inner for item in found)
    return whole and (bool(found) or kind == TEXTS)
