"""A recording on disk: a folder of plain files (docs/format.md). Needs no torch.

write(record, folder) makes one, beside its place and then renamed; read(folder) checks every hash and every reference
before it gives anything back.
"""

import hashlib
import json
import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import safetensors

from cutaway.errors import BundleError
from cutaway.graph_json import graph_to_json, json_to_graph
from cutaway.lesson import Lesson, check_references, parse
from cutaway.recorded import Example, Graph, Record
from cutaway.tensor import Tensor

FORMAT = "cutaway-bundle"
VERSION = 1
REQUIRED = ("manifest.json", "graph.json", "values.safetensors", "graph.svg")
OPTIONAL = ("lesson.md", "model.py", "run.py", "reference.json")
CONTENT = ("graph.json", "values.safetensors", "lesson.md", "model.py", "run.py", "reference.json")
SUMS = "SHA256SUMS"

# safetensors' names of dtypes; complex is stored as pairs of floats, the rest under torch's own name.
_STORED = {"complex64": "float32", "complex128": "float64"}
_CODES = {
    "BOOL": "bool", "U8": "uint8", "I8": "int8", "U16": "uint16", "I16": "int16", "U32": "uint32", "I32": "int32",
    "U64": "uint64", "I64": "int64", "F16": "float16", "BF16": "bfloat16", "F32": "float32", "F64": "float64",
    "F8_E4M3": "float8_e4m3fn", "F8_E5M2": "float8_e5m2",
}  # fmt: skip


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
    checks: list[dict[str, Any]] | None = None,
) -> Path:
    """Write a record as a bundle.

    sources: contents of lesson.md, model.py, run.py, reference.json, as far as they belong to it. checks: the rows of a
    Verdict, kept in the manifest. An existing bundle in `folder` is replaced; any other non-empty folder is refused.
    Raises BundleError, or LessonError when lesson.md names what was not recorded; then nothing is written.
    """
    place = Path(folder)
    check_free(place)
    files = compose(record, sources or {}, checks or [])
    with replaced_folder(place) as beside:
        for name, data in files.items():
            (beside / name).write_bytes(data)
    return place


def check_free(place: Path) -> None:
    """Raise BundleError unless a bundle may be written there: nothing, an empty folder, or an older bundle."""
    if place.exists() and not (place.is_dir() and (not any(place.iterdir()) or (place / SUMS).is_file())):
        raise BundleError(f"{place} exists and is no bundle; choose another folder")


def compose(record: Record, sources: Mapping[str, bytes], checks: list[dict[str, Any]]) -> dict[str, bytes]:
    """The files of a bundle, by name, in the order of docs/format.md."""
    from cutaway.layout import arrange
    from cutaway.picture import svg

    unknown = set(sources) - set(OPTIONAL)
    if unknown:
        raise BundleError(f"a bundle cannot hold {', '.join(sorted(unknown))}; it may hold {', '.join(OPTIONAL)}")
    lesson = None
    if "lesson.md" in sources:
        lesson = parse(sources["lesson.md"].decode("utf-8"))
        check_references(lesson, record)
    variants, contents = _variants(record)
    examples = [
        {"name": example.name, "graph": example.graph, "values": row}
        for example, row in zip(record.examples, variants, strict=True)
    ]
    files = {
        "graph.json": to_json({"graphs": [graph_to_json(graph) for graph in record.graphs], "examples": examples}),
        "values.safetensors": _serialize(contents),
        **{name: bytes(data) for name, data in sources.items()},
    }
    title = lesson.title if lesson else record.name
    opened = lesson.open if lesson else ()
    files["graph.svg"] = svg(record.graphs[0], arrange(record.graphs[0], opened), title).encode()
    manifest = _manifest(record, lesson, files, checks)
    files = {"manifest.json": to_json(manifest), **files}
    listed = "".join(f"{_sha256(files[name])}  {name}\n" for name in sorted(files))
    return {**files, SUMS: listed.encode()}


def read(folder: str | Path) -> Bundle:
    """Read a bundle and check that it is whole: format version, names, hashes, references.

    Raises BundleError with the file and the place.
    """
    place = Path(folder)
    if not (place / "manifest.json").is_file():
        raise BundleError(f"{place} is no bundle (it has no manifest.json); make one with `cutaway record`")
    manifest = from_json((place / "manifest.json").read_bytes(), "manifest.json")
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise BundleError(f"{place}/manifest.json is not of the form {FORMAT!r}; make a bundle with `cutaway record`")
    if manifest.get("version") != VERSION:
        raise BundleError(
            f"{place} has format version {manifest.get('version')!r}, this cutaway reads {VERSION}; "
            "record it again or use the cutaway that wrote it"
        )
    files = _read_files(place)
    stored = _read_tensors(files["values.safetensors"])
    graph = from_json(files["graph.json"], "graph.json")
    record = _to_record(graph, stored, manifest)
    lesson = None
    if "lesson.md" in files:
        lesson = parse(files["lesson.md"].decode("utf-8"))
        check_references(lesson, record)
    return Bundle(record, lesson, manifest, files)


def content_revision(files: Mapping[str, bytes]) -> str:
    """SHA-256 over the files that say what was recorded, so the same on every machine and day."""
    lines = [f"{name} {_sha256(files[name])}\n" for name in sorted(CONTENT) if name in files]
    return _sha256("".join(lines).encode())


@contextmanager
def replaced_folder(place: Path) -> Iterator[Path]:
    """A new folder beside `place` to write into; it takes the place's name at the end, or vanishes on an error."""
    place.parent.mkdir(parents=True, exist_ok=True)
    beside = Path(tempfile.mkdtemp(prefix=f".{place.name}.", dir=place.parent))
    os.chmod(beside, 0o755)
    old = beside.with_name(beside.name + ".old")
    try:
        yield beside
        if place.exists():
            place.rename(old)
        beside.rename(place)
    finally:
        shutil.rmtree(beside, ignore_errors=True)
        if old.exists() and not place.exists():
            old.rename(place)
        shutil.rmtree(old, ignore_errors=True)


def to_json(tree: Any) -> bytes:
    """Strict JSON, one line, keys as given."""
    return (json.dumps(tree, ensure_ascii=False, allow_nan=False, separators=(",", ":")) + "\n").encode("utf-8")


def from_json(data: bytes, name: str) -> Any:
    """Strict JSON: no NaN, no Infinity, no repeated key."""

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(items)
        if len(found) != len(items):
            raise BundleError(f"{name} repeats a key; it was damaged")
        return found

    def refuse(text: str) -> Any:
        raise BundleError(f"{name} holds {text}, which is not strict JSON")

    try:
        return json.loads(data.decode("utf-8"), object_pairs_hook=pairs, parse_constant=refuse)
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise BundleError(f"{name} is not JSON ({error}); the file was damaged, record it again") from error


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _serialize(contents: Mapping[str, Tensor]) -> bytes:
    """safetensors' byte form. From 0.8 on it reads from memory; before, it took the bytes themselves."""
    spec = getattr(safetensors, "TensorSpec", None)
    if spec is None:
        plain = {name: {"dtype": t.dtype, "shape": list(t.shape), "data": t.data} for name, t in contents.items()}
        return bytes(safetensors.serialize(plain, None))  # type: ignore[arg-type]
    buffers = {name: np.frombuffer(tensor.data, dtype="u1") for name, tensor in contents.items()}
    specs = {
        name: spec(dtype=t.dtype, shape=list(t.shape), data_ptr=buffers[name].ctypes.data, data_len=len(t.data))
        for name, t in contents.items()
    }
    return bytes(safetensors.serialize(specs, None))  # `buffers` lives until here


def _variants(record: Record) -> tuple[list[list[int | None]], dict[str, Tensor]]:
    """Which stored variant each example has of each value, and the entries of values.safetensors."""
    rows: list[list[int | None]] = []
    seen: dict[str, dict[str, int]] = {}
    contents: dict[str, Tensor] = {}
    for example in record.examples:
        row: list[int | None] = []
        for value, tensor in zip(record.graphs[example.graph].values, example.tensors, strict=True):
            if tensor is None:
                row.append(None)
                continue
            variants = seen.setdefault(value.name, {})
            variant = variants.setdefault(tensor.digest, len(variants))
            shape = (*tensor.shape, 2) if tensor.dtype in _STORED else tensor.shape
            stored = _STORED.get(tensor.dtype, tensor.dtype)
            contents.setdefault(f"{value.name}@{variant}", Tensor(stored, shape, tensor.data))
            row.append(variant)
        rows.append(row)
    return rows, contents


def _manifest(
    record: Record, lesson: Lesson | None, files: Mapping[str, bytes], checks: list[dict[str, Any]]
) -> dict[str, Any]:
    graph = record.graphs[0]

    def digest_of(*kinds: str) -> str:
        found = [
            f"{example.name} {value.name} {tensor.digest}\n"
            for example in record.examples
            for value, tensor in zip(record.graphs[example.graph].values, example.tensors, strict=True)
            if value.kind in kinds and tensor is not None
        ]
        return _sha256("".join(found).encode())

    return {
        "format": FORMAT,
        "version": VERSION,
        "name": record.name,
        "title": lesson.title if lesson else record.name,
        "revision": content_revision(files),
        "seed": record.seed,
        "hashes": {
            "source": _sha256(files["model.py"]) if "model.py" in files else None,
            "recipe": _sha256(files["run.py"]) if "run.py" in files else None,
            "weights": digest_of("parameter", "buffer"),
            "inputs": digest_of("input"),
        },
        "capture": record.capture,
        "plain_run": record.plain_run,
        "counts": {
            "examples": len(record.examples),
            "scopes": len(graph.scopes),
            "ops": len(graph.ops),
            "values": len(graph.values),
            "parameters": graph.parameter_count,
            "outside": sum(len(graph.outside) for graph in record.graphs),
        },
        "checks": checks,
    }


def _read_files(place: Path) -> dict[str, bytes]:
    """Every file of a bundle, its name allowed and its hash as listed."""
    if not (place / SUMS).is_file():
        raise BundleError(f"{place} has no {SUMS}; copy the bundle again, or record it again")
    listed: dict[str, str] = {}
    for number, line in enumerate((place / SUMS).read_text(encoding="utf-8", errors="replace").splitlines(), 1):
        match = re.fullmatch(r"([0-9a-f]{64})  (.+)", line)
        if match is None or match[2] not in (*REQUIRED, *OPTIONAL):
            raise BundleError(
                f"{place}/{SUMS} line {number} names {line[66:] or line!r}, which no bundle holds; do not trust it"
            )
        listed[match[2]] = match[1]
    for name in REQUIRED:
        if name not in listed:
            raise BundleError(f"{place}/{SUMS} does not list {name}; the bundle is incomplete, record it again")
    files: dict[str, bytes] = {}
    for path in sorted(place.iterdir()):
        if path.name == SUMS:
            files[SUMS] = path.read_bytes()
        elif path.name == "__pycache__" and path.is_dir() and not path.is_symlink():
            continue  # pip compiles what it installs, the shipped lessons' recipes too; nothing is ever run from there
        elif path.is_symlink() or not path.is_file() or path.name not in listed:
            raise BundleError(f"{place} holds {path.name!r}, which {SUMS} does not list; remove it or record again")
        else:
            files[path.name] = path.read_bytes()
    for name, digest in listed.items():
        if name not in files:
            raise BundleError(f"{place}/{name} is missing; copy the bundle again, or record it again")
        if _sha256(files[name]) != digest:
            raise BundleError(f"{place}/{name} does not match its SHA-256 in {SUMS}; it was changed or damaged")
    return files


def _read_tensors(data: bytes) -> dict[str, Tensor]:
    try:
        entries = safetensors.deserialize(data)
    except (safetensors.SafetensorError, ValueError) as error:
        raise BundleError(
            f"values.safetensors cannot be read ({error}); it was cut short or damaged, record it again"
        ) from error
    tensors: dict[str, Tensor] = {}
    for name, entry in entries:
        dtype = _CODES.get(entry["dtype"])
        if dtype is None:
            raise BundleError(
                f"values.safetensors: {name!r} has dtype {entry['dtype']}, which this cutaway does not read"
            )
        tensors[name] = Tensor(dtype, tuple(entry["shape"]), bytes(entry["data"]))
    return tensors


def _to_record(tree: Any, stored: Mapping[str, Tensor], manifest: Mapping[str, Any]) -> Record:
    try:
        graphs = tuple(json_to_graph(graph, place) for place, graph in enumerate(tree["graphs"]))
        examples = tuple(_to_example(example, graphs, stored) for example in tree["examples"])
        names = [example.name for example in examples]
        if not graphs or not examples or len(set(names)) != len(names):
            raise BundleError("graph.json holds no graph, no example, or two examples of one name; record it again")
        return Record(
            graphs,
            examples,
            str(manifest["name"]),
            manifest["seed"],
            dict(manifest["capture"]),
            dict(manifest["plain_run"]),
        )
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        raise BundleError(
            f"the bundle's JSON is not as docs/format.md asks ({type(error).__name__}: {error})"
        ) from error


def _to_example(tree: Mapping[str, Any], graphs: tuple[Graph, ...], stored: Mapping[str, Tensor]) -> Example:
    name, place = tree["name"], tree["graph"]
    if not 0 <= place < len(graphs):
        raise BundleError(f"graph.json: example {name!r} names graph {place}, but there are {len(graphs)}")
    graph = graphs[place]
    if len(tree["values"]) != len(graph.values):
        raise BundleError(
            f"graph.json: example {name!r} lists {len(tree['values'])} values, its graph has {len(graph.values)}"
        )
    tensors: list[Tensor | None] = []
    for value, variant in zip(graph.values, tree["values"], strict=True):
        if variant is None:
            tensors.append(None)
            continue
        entry = stored.get(f"{value.name}@{variant}")
        if entry is None:
            raise BundleError(f"values.safetensors has no entry {value.name}@{variant}, which example {name!r} needs")
        paired = _STORED.get(value.dtype)
        if entry.dtype != (paired or value.dtype) or entry.shape != ((*value.shape, 2) if paired else value.shape):
            raise BundleError(
                f"values.safetensors: {value.name}@{variant} is {entry.dtype} {list(entry.shape)}, "
                f"graph.json says {value.dtype} {list(value.shape)}"
            )
        tensors.append(replace(entry, dtype=value.dtype, shape=value.shape))
    return Example(name, place, tuple(tensors))
