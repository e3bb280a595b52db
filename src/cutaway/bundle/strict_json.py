"""Strict JSON, as docs/format.md asks: no NaN, no Infinity, no repeated key, and text that UTF-8 can hold."""

import json
import math
import re
from typing import Any

from cutaway.errors import BundleError

DEPTH = 100  # nested lists and objects; deeper trees come from no recording and could exhaust the stack


def to_json(tree: Any) -> bytes:
    """One line of UTF-8, keys as given. Raises BundleError for what strict JSON cannot hold."""
    try:
        text = json.dumps(tree, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        return (text + "\n").encode("utf-8")
    except (TypeError, ValueError, RecursionError) as error:
        raise BundleError(f"the recording holds what strict JSON cannot ({error}); rename or leave it out") from error


def from_json(data: bytes, name: str) -> Any:
    """The tree that a file holds. Raises BundleError, with the file's name, for anything but strict JSON."""

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(items)
        if len(found) != len(items):
            raise BundleError(f"{name} repeats a key; the file was damaged, record it again")
        return found

    def refuse(text: str) -> Any:
        raise BundleError(f"{name} holds {text}, which is not strict JSON; record it again")

    def finite(text: str) -> float:
        number = float(text)
        return number if math.isfinite(number) else refuse(text[:20])

    try:
        text = data.decode("utf-8")
        tree = json.loads(text, object_pairs_hook=pairs, parse_constant=refuse, parse_float=finite)
        if re.search(r"\\u[dD][89a-fA-F]", text):  # half of a character, which no text file can hold
            json.dumps(tree, ensure_ascii=False).encode("utf-8")
    except (ValueError, RecursionError) as error:
        raise BundleError(f"{name} is not strict JSON ({error}); the file was damaged, record it again") from error
    if _deeper_than(tree, DEPTH):
        raise BundleError(f"{name} is nested deeper than {DEPTH} levels, as no recording is; do not trust it")
    return tree


def _deeper_than(tree: Any, depth: int) -> bool:
    level = [tree]
    for _ in range(depth):
        inside = (item.values() if isinstance(item, dict) else item for item in level if isinstance(item, (dict, list)))
        level = [part for parts in inside for part in parts]
        if not level:
            return False
    return True
