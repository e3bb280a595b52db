"""Bundles to damage: copies of shipped ones, and ways to change them with every hash made to fit again."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from cutaway import bundle
from cutaway.bundle import manifest, tensors_file
from cutaway.errors import CutawayError
from cutaway.source import shipped_bundle
from cutaway.tensor import Tensor


def copy_of(lesson: str, place: Path) -> Path:
    """A copy of a shipped lesson's bundle, in a folder of the lesson's name."""
    target = place / lesson
    shutil.copytree(shipped_bundle(lesson), target, ignore=shutil.ignore_patterns("__pycache__"))
    return target


def seal(folder: Path) -> Path:
    """Write manifest.json and SHA256SUMS so that they fit the other files, as whoever tampers would."""
    files = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    stated = json.loads(files["manifest.json"])
    stated["revision"] = manifest.content_revision(files)
    try:
        record = bundle._to_record(json.loads(files["graph.json"]), files, stated)
        stated |= manifest.describe(record, stated["title"], files)
    except (CutawayError, KeyError, TypeError):
        pass  # what is so wrong that it cannot be described is refused before the manifest is compared
    (folder / "manifest.json").write_text(json.dumps(stated))
    return seal_sums(folder)


def seal_sums(folder: Path) -> Path:
    """Write SHA256SUMS alone."""
    names = sorted(path.name for path in folder.iterdir() if path.is_file() and path.name != bundle.SUMS)
    lines = [f"{manifest.sha256((folder / name).read_bytes())}  {name}\n" for name in names]
    (folder / bundle.SUMS).write_text("".join(lines))
    return folder


def edit_json(folder: Path, name: str, change: Callable[[Any], Any]) -> Path:
    """Change graph.json or manifest.json in place, and fit what names its hash."""
    path = folder / name
    tree = json.loads(path.read_text(encoding="utf-8"))
    change(tree)
    path.write_text(json.dumps(tree), encoding="utf-8")
    return seal_sums(folder) if name == "manifest.json" else seal(folder)


def edit_graph(folder: Path, change: Callable[[dict[str, Any]], Any]) -> Path:
    """Change the first graph."""
    return edit_json(folder, "graph.json", lambda tree: change(tree["graphs"][0]))


def edit_value(folder: Path, entry: str, change: Callable[[np.ndarray], Any]) -> Path:
    """Change the array of one entry of values.safetensors in place."""
    path = folder / "values.safetensors"
    stored = tensors_file.unpack(path.read_bytes())
    array = stored[entry].array().copy()
    change(array)
    stored[entry] = Tensor.of(array)
    path.write_bytes(tensors_file.serialize(stored))
    return seal(folder)


def entry_of(folder: Path, value: str, example: int = 0) -> str:
    """The entry that holds a value of an example, counted from 0."""
    tree = json.loads((folder / "graph.json").read_text(encoding="utf-8"))
    case = tree["examples"][example]
    names = [v["name"] for v in tree["graphs"][case["graph"]]["values"]]
    return f"{value}@{case['values'][names.index(value)]}"


def everything(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
