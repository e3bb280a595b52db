"""manifest.json: what a bundle is, when and on what it was captured, what was checked (docs/format.md)."""

import hashlib
import math
from collections.abc import Mapping
from typing import Any

from cutaway.errors import BundleError
from cutaway.recorded import Record

NAME = "manifest.json"
FORMAT = "cutaway-bundle"
VERSION = 1
CONTENT = ("graph.json", "values.safetensors", "lesson.md", "model.py", "run.py", "reference.json")
CHECK_KEYS = ("id", "group", "claim", "status", "measured", "how")
STATUSES = ("passed", "failed", "not run")
FACTS = ("date", "python", "torch", "numpy", "cutaway", "platform")


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def content_revision(files: Mapping[str, bytes]) -> str:
    """SHA-256 over the files that say what was recorded, so the same on every machine and day."""
    lines = [f"{name} {sha256(files[name])}\n" for name in sorted(CONTENT) if name in files]
    return sha256("".join(lines).encode())


def describe(record: Record, title: str, files: Mapping[str, bytes]) -> dict[str, Any]:
    """The part of a manifest that follows from the other files."""

    def digest_of(*kinds: str) -> str:
        found = [
            f"{example.name} {value.name} {tensor.digest}\n"
            for example in record.examples
            for value, tensor in zip(record.graphs[example.graph].values, example.tensors, strict=True)
            if value.kind in kinds and tensor is not None
        ]
        return sha256("".join(found).encode())

    return {
        "format": FORMAT,
        "version": VERSION,
        "name": record.name,
        "title": title,
        "revision": content_revision(files),
        "seed": record.seed,
        "hashes": {
            "source": sha256(files["model.py"]) if "model.py" in files else None,
            "recipe": sha256(files["run.py"]) if "run.py" in files else None,
            "weights": digest_of("parameter", "buffer"),
            "inputs": digest_of("input"),
        },
        "capture": record.capture,
        "plain_run": _written(record.plain_run),
        "counts": record.counts,
    }


def check_version(tree: Any, where: str) -> None:
    """Raise BundleError unless this is a manifest of the version that this cutaway reads."""
    if not isinstance(tree, dict) or tree.get("format") != FORMAT:
        raise BundleError(f"{where} is not of the form {FORMAT!r}; make a bundle with `cutaway record`")
    version = tree.get("version")
    if type(version) is not int or version != VERSION:
        raise BundleError(
            f"{where} has format version {version!r}, this cutaway reads {VERSION}; "
            "record it again or use the cutaway that wrote it"
        )


def check_form(tree: Mapping[str, Any]) -> None:
    """Raise BundleError unless the facts that follow from no other file have the form of docs/format.md."""
    _need(isinstance(tree.get("name"), str) and bool(tree["name"]), "name")
    _need("seed" in tree, "seed")
    _need(tree.get("seed") is None or type(tree["seed"]) is int, "seed")
    capture = tree.get("capture")
    _need(isinstance(capture, dict), "capture")
    assert isinstance(capture, dict)
    _need(not capture or all(isinstance(capture.get(fact), str) for fact in FACTS), "capture")
    plain = (str, int, float, bool, type(None))
    fingerprint = capture.get("fingerprint", {})
    _need(isinstance(fingerprint, dict) and all(isinstance(fact, plain) for fact in fingerprint.values()), "capture")
    _need(all(isinstance(fact, str) for key, fact in capture.items() if key != "fingerprint"), "capture")
    run = tree.get("plain_run")
    _need(isinstance(run, dict), "plain_run")
    assert isinstance(run, dict)
    gap = run.get("largest_difference", 0.0)
    _need(set(run) in (set(), {"equal", "largest_difference"}), "plain_run")
    _need(isinstance(run.get("equal", True), bool) and (gap is None or type(gap) in (int, float)), "plain_run")
    checks = tree.get("checks")
    _need(isinstance(checks, list), "checks")
    assert isinstance(checks, list)
    for check in checks:
        whole = isinstance(check, dict) and all(isinstance(check.get(key), str) for key in CHECK_KEYS)
        _need(whole and set(check) == set(CHECK_KEYS) and check["status"] in STATUSES, "checks")


def check_agrees(tree: Mapping[str, Any], described: Mapping[str, Any]) -> None:
    """Raise BundleError unless a manifest says of the other files what `describe` says of them."""
    for key, fact in described.items():
        if tree.get(key) != fact:
            raise BundleError(
                f"{NAME}: {key} is not what the other files give; it was changed, so do not trust it, or record again"
            )
    unknown = sorted(tree.keys() - described.keys() - {"checks"})
    if unknown:
        raise BundleError(f"{NAME} has the unknown key {unknown[0]!r}; it was changed, so do not trust it")


def plain_run_of(tree: Mapping[str, Any]) -> dict[str, Any]:
    """The comparison with a plain run, read back: null stands for outputs of another form, which differ without end."""
    run = dict(tree["plain_run"])
    return run | {"largest_difference": math.inf} if run.get("largest_difference", 0.0) is None else run


def _written(run: Mapping[str, Any]) -> dict[str, Any]:
    gap = run.get("largest_difference", 0.0)
    return dict(run) if math.isfinite(gap) else dict(run) | {"largest_difference": None}


def _need(holds: bool, key: str) -> None:
    if not holds:
        raise BundleError(f"{NAME}: {key} is missing or not as docs/format.md asks; record it again")
