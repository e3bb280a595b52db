"""A recording on disk: a folder of plain files (docs/format.md). Needs no torch.

write(record, folder) makes one, beside its place and then renamed; read(folder) checks every hash and every reference
before it gives anything back.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cutaway.bundle import manifest as manifests
from cutaway.bundle import tensors_file
from cutaway.bundle.graph_json import graph_to_json, json_to_graph
from cutaway.bundle.manifest import CONTENT as CONTENT
from cutaway.bundle.manifest import content_revision as content_revision
from cutaway.bundle.manifest import sha256
from cutaway.bundle.strict_json import from_json, to_json
from cutaway.errors import BundleError
from cutaway.folder import replace_folder
from cutaway.lesson import Lesson, parse
from cutaway.recorded import Record
from cutaway.references import check_references

if TYPE_CHECKING:
    from cutaway.verdict import Verdict

MANIFEST = manifests.NAME
REQUIRED = (MANIFEST, "graph.json", tensors_file.NAME, "graph.svg")
OPTIONAL = ("lesson.md", "model.py", "run.py", "reference.json")
SUMS = "SHA256SUMS"
CACHE = "__pycache__"  # pip compiles what it installs, the shipped lessons' recipes too; nothing is run from there


@dataclass(frozen=True)
class Bundle:
    """A bundle that was read and found whole. `files` holds each file's bytes by name, SHA256SUMS included."""

    record: Record
    lesson: Lesson | None
    manifest: dict[str, Any]
    files: Mapping[str, bytes]

    @property
    def name(self) -> str:
        return str(self.manifest["name"])


def write(
    record: Record,
    folder: str | Path,
    *,
    sources: Mapping[str, bytes] | None = None,
    verdict: "Verdict | None" = None,
) -> Path:
    """Write a record as a bundle.

    sources: contents of lesson.md, model.py, run.py, reference.json, as far as they belong to it. verdict: what
    `verify` found, to stand in the manifest and on the page. An existing bundle in `folder` is replaced; any other
    non-empty folder is refused. Raises BundleError, LessonError when lesson.md names what was not recorded, or
    TargetError when the system refuses; then nothing is written.
    """
    place = Path(folder)
    check_free(place)
    replace_folder(place, compose(record, sources or {}, verdict.to_json() if verdict else []))
    return place


def check_free(place: Path) -> None:
    """Raise BundleError unless a bundle may be written there: nothing, an empty folder, or an older bundle."""
    if not place.exists() and not place.is_symlink():
        return
    found = {path.name for path in place.iterdir()} if place.is_dir() else {""}
    if found and not ({MANIFEST, SUMS} <= found <= {*REQUIRED, *OPTIONAL, SUMS, CACHE}):
        raise BundleError(f"{place} exists and is no bundle; choose another folder")


def compose(record: Record, sources: Mapping[str, bytes], checks: list[dict[str, Any]]) -> dict[str, bytes]:
    """The files of a bundle, by name, in the order of docs/format.md."""
    from cutaway.layout import arrange
    from cutaway.panels import check_drawable
    from cutaway.picture import svg

    unknown = set(sources) - set(OPTIONAL)
    if unknown:
        raise BundleError(f"a bundle cannot hold {', '.join(sorted(unknown))}; it may hold {', '.join(OPTIONAL)}")
    lesson = _lesson(sources, record)
    if lesson is not None:
        check_drawable(record, lesson)
    examples, contents = tensors_file.pack(record)
    files = {
        "graph.json": to_json({"graphs": [graph_to_json(graph) for graph in record.graphs], "examples": examples}),
        tensors_file.NAME: tensors_file.serialize(contents),
        **{name: bytes(data) for name, data in sources.items()},
    }
    title = lesson.title if lesson else record.name
    opened = lesson.open if lesson else ()
    files["graph.svg"] = svg(record.graphs[0], arrange(record.graphs[0], opened), title).encode()
    manifest = {**manifests.describe(record, title, files), "checks": checks}
    files = {MANIFEST: to_json(manifest), **files}
    return {**files, SUMS: _sums({name: sha256(data) for name, data in files.items()}).encode()}


def read(folder: str | Path) -> Bundle:
    """Read a bundle and check that it is whole: format version first, then names, hashes, references.

    Raises BundleError (LessonError for lesson.md) with the file and the place.
    """
    place = Path(folder)
    where = place / MANIFEST
    if where.is_symlink() or not where.is_file():
        raise BundleError(f"{place} is no bundle (it has no {MANIFEST}); make one with `cutaway record`")
    first_look = where.read_bytes()
    manifests.check_version(from_json(first_look, str(where)), str(where))
    files = _read_files(place)
    manifest = from_json(files[MANIFEST], MANIFEST)
    manifests.check_form(manifest)
    record = _to_record(from_json(files["graph.json"], "graph.json"), files, manifest)
    lesson = _lesson(files, record)
    title = lesson.title if lesson else record.name
    manifests.check_agrees(manifest, manifests.describe(record, title, files))
    return Bundle(record, lesson, manifest, files)


def _lesson(files: Mapping[str, bytes], record: Record) -> Lesson | None:
    if "lesson.md" not in files:
        return None
    lesson = parse(files["lesson.md"])
    check_references(lesson, record)
    return lesson


def _read_files(place: Path) -> dict[str, bytes]:
    """Every file of a bundle, its name allowed and its hash as listed."""
    listed = _read_sums(place)
    files: dict[str, bytes] = {}
    for path in sorted(place.iterdir()):
        if path.name == CACHE and path.is_dir() and not path.is_symlink():
            continue
        if path.is_symlink() or not path.is_file() or path.name not in {*listed, SUMS}:
            raise BundleError(f"{place} holds {path.name!r}, which {SUMS} does not list; remove it or record again")
        files[path.name] = path.read_bytes()
    for name, digest in listed.items():
        if name not in files:
            raise BundleError(f"{place}/{name} is missing; copy the bundle again, or record it again")
        if sha256(files[name]) != digest:
            raise BundleError(f"{place}/{name} does not match its SHA-256 in {SUMS}; it was changed or damaged")
    return files


def _read_sums(place: Path) -> dict[str, str]:
    """SHA-256 by file name, every name one that a bundle may hold."""
    path = place / SUMS
    if path.is_symlink() or not path.is_file():
        raise BundleError(f"{place} has no {SUMS}; copy the bundle again, or record it again")
    listed: dict[str, str] = {}
    text = path.read_bytes().decode("utf-8", errors="replace")
    for number, line in enumerate(text.removesuffix("\n").split("\n"), 1):
        match = re.fullmatch(r"([0-9a-f]{64})  (.+)", line)
        if match is None or match[2] not in (*REQUIRED, *OPTIONAL) or match[2] in listed:
            named = match[2] if match else line[:80]
            raise BundleError(f"{path} line {number} names {named!r}, which no bundle holds there; do not trust it")
        listed[match[2]] = match[1]
    for name in REQUIRED:
        if name not in listed:
            raise BundleError(f"{path} does not list {name}; the bundle is incomplete, record it again")
    if text != _sums(listed):
        raise BundleError(f"{path} is not sorted by name, or its last line does not end; it was changed or damaged")
    return listed


def _sums(hashes: Mapping[str, str]) -> str:
    return "".join(f"{hashes[name]}  {name}\n" for name in sorted(hashes))


def _to_record(tree: Any, files: Mapping[str, bytes], manifest: Mapping[str, Any]) -> Record:
    stored = tensors_file.unpack(files[tensors_file.NAME])
    try:
        names = [example["name"] for example in tree["examples"]]
        if not tree["graphs"] or not names or len(set(names)) != len(names):
            raise BundleError("graph.json holds no graph, no example, or two examples of one name; record it again")
        graphs = tuple(json_to_graph(graph, place) for place, graph in enumerate(tree["graphs"]))
        examples = tensors_file.to_examples(tree["examples"], graphs, stored)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        raise BundleError(
            f"graph.json is not as docs/format.md asks ({type(error).__name__}: {error}); record it again"
        ) from error
    plain_run = manifests.plain_run_of(manifest)
    return Record(graphs, examples, manifest["name"], manifest["seed"], dict(manifest["capture"]), plain_run)
