"""Bundles on disk: what is written comes back, and whatever does not hold together is refused by file and place."""

import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from graphs import HOSTILE, hostile_graph, random_graph
from hypothesis import given, settings
from hypothesis import strategies as st
from tampering import copy_of, edit_graph, edit_json, everything, seal, seal_sums

from cutaway import bundle, folder, page
from cutaway.bundle.strict_json import DEPTH
from cutaway.errors import BundleError, CutawayError, TargetError
from cutaway.recorded import Example, Gradient, Graph, Outside, Record
from cutaway.tensor import DTYPES, Tensor

FILES = {
    "bert-pretraining": (*bundle.REQUIRED, *bundle.OPTIONAL, bundle.SUMS),
    "xor": (*bundle.REQUIRED, "lesson.md", "model.py", "run.py", bundle.SUMS),
}


@pytest.fixture
def xor(tmp_path: Path) -> Path:
    return copy_of("xor", tmp_path)


def refused(place: Path, *parts: str) -> str:
    """Reading fails with one line that holds all the parts; gives it back."""
    with pytest.raises(BundleError) as caught:
        bundle.read(place)
    message = str(caught.value)
    assert "\n" not in message
    for part in parts:
        assert part in message
    return message


def contents(graph: Graph, dice: random.Random, name: str = "only") -> Example:
    """Random bits for each value of a graph; some values are not kept."""

    def content(dtype: str, shape: tuple[int, ...]) -> Tensor:
        empty = Tensor(dtype, shape, b"")
        data = dice.randbytes(empty.count * empty.item_size)
        return Tensor(dtype, shape, bytes(byte & 1 for byte in data) if dtype == "bool" else data)

    kept = [content(v.dtype, v.shape) if dice.random() < 0.9 else None for v in graph.values]
    return Example(name, 0, tuple(kept))


def small_record() -> Record:
    graph = random_graph(random.Random(7).randint, most_ops=6)
    return Record((graph,), (contents(graph, random.Random(1)),), "small")


# --- what is written comes back


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 2**32))
def test_any_record_comes_back_as_it_was(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    dice = random.Random(seed)
    graph = random_graph(dice.randint, most_ops=12)
    values = [replace(value, dtype=dice.choice(DTYPES)) for value in graph.values]
    results = [i for i, value in enumerate(values) if value.kind == "result"]
    gradients: tuple[Gradient, ...] = ()
    if results:
        gradients = (Gradient(results[-1], results[0], len(values)),)
        values.append(replace(values[results[0]], name="grad", kind="gradient", op=None))
    outside = (Outside(0, "made by numpy"),) if values else ()
    graph = replace(graph, values=tuple(values), gradients=gradients, outside=outside)
    plain = {"equal": False, "largest_difference": dice.choice([0.5, 1e-30, float("inf")])}
    examples = tuple(contents(graph, dice, name) for name in ("one", "two"))
    record = Record((graph,), examples, "any", dice.choice([None, 7]), {}, plain)
    place = tmp_path_factory.mktemp("bundle") / "b"
    assert bundle.read(bundle.write(record, place)).record == record


def test_every_dtype_keeps_its_bits_and_its_empty_and_scalar_shapes(tmp_path: Path) -> None:
    values, tensors = [], []
    pattern = random_graph(lambda low, high: high, most_ops=1).values[0]
    for dtype in DTYPES:
        for shape in ((), (0, 3), (2, 3)):
            values.append(replace(pattern, name=f"{dtype}{shape}", dtype=dtype, shape=shape, strides=shape))
            size = Tensor(dtype, shape, b"").item_size * Tensor(dtype, shape, b"").count
            tensors.append(Tensor(dtype, shape, bytes(i % 2 for i in range(size))))
    graph = replace(random_graph(lambda low, high: low), values=tuple(values))
    record = Record((graph,), (Example("only", 0, tuple(tensors)),))
    assert bundle.read(bundle.write(record, tmp_path / "b")).record == record


def test_hostile_names_come_back_as_they_were(tmp_path: Path) -> None:
    graph = hostile_graph()
    record = Record((graph,), (contents(graph, random.Random(0)),), HOSTILE[0])
    with pytest.raises(BundleError, match="strict JSON cannot"):
        bundle.write(record, tmp_path / "b")  # half a character, which UTF-8 does not have
    assert os.listdir(tmp_path) == []
    whole = json.loads(json.dumps(bundle.graph_to_json(graph)).replace("\\ud800", "half"))
    graph = bundle.json_to_graph(whole)
    record = Record((graph,), (contents(graph, random.Random(0)),), HOSTILE[0])
    assert bundle.read(bundle.write(record, tmp_path / "b")).record == record


def test_the_files_are_those_of_the_format_and_the_sums_are_sorted(tmp_path: Path) -> None:
    place = bundle.write(small_record(), tmp_path / "b")
    assert sorted(os.listdir(place)) == sorted((*bundle.REQUIRED, bundle.SUMS))
    lines = (place / bundle.SUMS).read_text().splitlines()
    assert [line[66:] for line in lines] == sorted(bundle.REQUIRED)
    for name in ("manifest.json", "graph.json"):
        assert (place / name).read_bytes().endswith(b"}\n")


def test_one_content_is_stored_once() -> None:
    record = small_record()
    twice = replace(record, examples=(record.examples[0], replace(record.examples[0], name="again")))
    once, both = (bundle.compose(r, {}, [])["values.safetensors"] for r in (record, twice))
    assert once == both


def test_the_revision_depends_on_the_content_and_not_on_day_machine_or_verdicts() -> None:
    record = small_record()
    first = bundle.compose(record, {}, [])
    capture = {"date": "2030-01-01T00:00:00Z", "fingerprint": {"cpu": "another"}}
    row = {"id": "a", "group": "ops", "claim": "b", "status": "failed", "measured": "c", "how": "d"}
    other = bundle.compose(replace(record, capture=capture), {}, [row])
    assert {name for name in first if first[name] != other[name]} == {"manifest.json", bundle.SUMS}
    assert revision(first) == revision(other)
    assert revision(bundle.compose(record, {"model.py": b"x = 1\n"}, [])) != revision(first)
    moved = tuple(t and Tensor(t.dtype, t.shape, t.data[::-1]) for t in record.examples[0].tensors)
    assert revision(bundle.compose(replace(record, examples=(Example("only", 0, moved),)), {}, [])) != revision(first)


def revision(files: dict[str, bytes]) -> str:
    return str(json.loads(files["manifest.json"])["revision"])


def test_a_file_that_no_bundle_holds_is_not_written(tmp_path: Path) -> None:
    with pytest.raises(BundleError, match=r"cannot hold secret\.txt; it may hold lesson\.md"):
        bundle.write(small_record(), tmp_path / "b", sources={"secret.txt": b""})
    assert os.listdir(tmp_path) == []


# --- damage is named


@pytest.mark.parametrize(("lesson", "name"), [(lesson, name) for lesson, names in FILES.items() for name in names])
def test_one_byte_changed_anywhere_in_a_file_is_refused_by_its_name(tmp_path: Path, lesson: str, name: str) -> None:
    path = copy_of(lesson, tmp_path) / name
    whole = path.read_bytes()
    dice = random.Random(name)
    for place in {0, len(whole) - 1, *(dice.randrange(len(whole)) for _ in range(10))}:
        path.write_bytes(whole[:place] + bytes([whole[place] ^ dice.choice([1, 2, 64])]) + whole[place + 1 :])
        refused(path.parent, name)
    path.write_bytes(whole[:-1])
    refused(path.parent, name)


def test_a_manifest_that_is_no_longer_json_is_named(xor: Path) -> None:
    (xor / "manifest.json").write_text("{")
    refused(xor, "manifest.json is not strict JSON")


@pytest.mark.parametrize("version", [2, 0, "1", None, True, 1.0, [1]])
def test_another_version_is_refused_before_anything_else_is_read(tmp_path: Path, version: Any) -> None:
    (tmp_path / "manifest.json").write_text(json.dumps({"format": "cutaway-bundle", "version": version}))
    refused(tmp_path, f"has format version {version!r}, this cutaway reads 1", "use the cutaway that wrote it")


@pytest.mark.parametrize("tree", [{}, [], 3, {"format": "other", "version": 1}])
def test_another_format_is_refused(tmp_path: Path, tree: Any) -> None:
    (tmp_path / "manifest.json").write_text(json.dumps(tree))
    refused(tmp_path, "manifest.json is not of the form 'cutaway-bundle'")


def test_a_folder_that_is_no_bundle_is_refused(tmp_path: Path) -> None:
    for place in (tmp_path, tmp_path / "absent", Path(__file__)):
        refused(place, "is no bundle", "make one with `cutaway record`")


@pytest.mark.parametrize("name", ["../../etc/passwd", "/etc/passwd", "..\\secret", "a/b", "notes.txt", "SHA256SUMS"])
def test_a_listed_name_that_no_bundle_holds_is_refused(xor: Path, name: str) -> None:
    sums = xor / bundle.SUMS
    sums.write_bytes(f"{'0' * 64}  {name}\n".encode() + sums.read_bytes())
    refused(xor, f"SHA256SUMS line 1 names {name!r}", "do not trust it")


def test_a_name_listed_twice_is_refused(xor: Path) -> None:
    sums = xor / bundle.SUMS
    sums.write_text(sums.read_text() * 2)
    refused(xor, "SHA256SUMS line 8 names 'graph.json'")


@pytest.mark.parametrize("name", FILES["xor"])
def test_a_missing_file_is_named(xor: Path, name: str) -> None:
    (xor / name).unlink()
    refused(xor, name)


@pytest.mark.parametrize("name", bundle.REQUIRED)
def test_a_file_that_is_not_listed_is_named(xor: Path, name: str) -> None:
    sums = xor / bundle.SUMS
    sums.write_text("".join(line for line in sums.read_text().splitlines(True) if not line.endswith(f"  {name}\n")))
    refused(xor, f"does not list {name}")


def test_an_extra_file_or_folder_is_named(xor: Path) -> None:
    (xor / "notes.txt").write_text("mine")
    refused(xor, "'notes.txt', which SHA256SUMS does not list")
    (xor / "notes.txt").unlink()
    (xor / "more").mkdir()
    refused(xor, "'more'")


@pytest.mark.parametrize("name", FILES["xor"])
def test_a_link_in_a_bundle_is_refused_even_when_what_it_names_fits(xor: Path, name: str, tmp_path: Path) -> None:
    (xor / name).rename(tmp_path / "elsewhere")
    (xor / name).symlink_to(tmp_path / "elsewhere")
    refused(xor, name)


def test_python_s_own_cache_folder_is_passed_over_but_not_a_link_of_that_name(xor: Path, tmp_path: Path) -> None:
    (xor / "__pycache__").mkdir()
    bundle.read(xor)
    (xor / "__pycache__").rmdir()
    (xor / "__pycache__").symlink_to(tmp_path)
    refused(xor, "__pycache__")


# --- hashes that fit do not make a bundle hold together


def test_a_shipped_bundle_sealed_again_is_read(xor: Path) -> None:
    before = bundle.read(xor)
    assert bundle.read(seal(xor)).record == before.record


@pytest.mark.parametrize("left", [0, 4, 8, 100, -1])
def test_a_truncated_tensor_file_is_refused_with_its_place(xor: Path, left: int) -> None:
    path = xor / "values.safetensors"
    path.write_bytes(path.read_bytes()[:left])
    refused(seal(xor), "values.safetensors cannot be read", "cut short or damaged")


def test_a_tensor_file_with_bytes_after_its_end_is_refused(xor: Path) -> None:
    path = xor / "values.safetensors"
    path.write_bytes(path.read_bytes() + b"x")
    refused(seal(xor), "values.safetensors cannot be read")


def test_an_entry_that_is_missing_or_left_over_is_named(xor: Path) -> None:
    edit_json(xor, "graph.json", lambda tree: tree["examples"][0]["values"].__setitem__(7, 99))
    refused(xor, "values.safetensors has no entry activations@99, which example 'step-0' needs")
    edit_json(xor, "graph.json", lambda tree: tree["examples"][0]["values"].__setitem__(7, None))
    refused(xor, "values.safetensors holds 'activations@0', which no example uses")


@pytest.mark.parametrize("key", ["revision", "name", "title", "seed", "hashes", "counts", "capture", "plain_run"])
def test_a_manifest_without_a_fact_is_refused_by_its_name(xor: Path, key: str) -> None:
    edit_json(xor, "manifest.json", lambda tree: tree.pop(key))
    refused(xor, "manifest.json", key)


@pytest.mark.parametrize(
    ("key", "fact"),
    [
        ("revision", "0" * 64), ("title", "Another"), ("counts", {"examples": 1}), ("hashes", {}), ("name", ""),
        ("name", 3), ("seed", "3"), ("capture", []), ("capture", {"date": "today"}), ("plain_run", {"equal": 1}),
        ("checks", {}), ("checks", ["passed"]), ("checks", [{"id": "a"}]), ("extra", 1),
    ],
)  # fmt: skip
def test_a_manifest_that_says_something_else_than_the_files_is_refused(xor: Path, key: str, fact: Any) -> None:
    edit_json(xor, "manifest.json", lambda tree: tree.__setitem__(key, fact))
    refused(xor, "manifest.json", key)


def test_a_check_with_another_verdict_than_the_three_is_refused(xor: Path) -> None:
    edit_json(xor, "manifest.json", lambda tree: tree["checks"][0].update(status="excellent"))
    refused(xor, "manifest.json: checks")


GRAPH_FAULTS = {
    "a value id out of range": (
        lambda g: g["ops"][0]["args"][0].update(value=99),
        "op 0 (torch.nn.functional.linear) names value 99, but there are 20",
    ),
    "a negative value id": (lambda g: g["ops"][0]["args"][0].update(value=-1), "names value -1"),
    "true as a value id": (lambda g: g["ops"][0]["args"][0].update(value=True), "unknown form"),
    "a scope id out of range": (
        lambda g: g["ops"][1].update(scope=3),
        "op 1 (torch.Tensor.tanh) names scope 3, but there are 3",
    ),
    "a value in no scope": (lambda g: g["values"][0].update(scope=9), "value 'points' names scope 9"),
    "a parameter id out of range": (
        lambda g: g["scopes"][1]["parameters"].update(weight=20),
        "scope 'hidden' names value 20",
    ),
    "a value with two producers": (
        lambda g: g["ops"][2].update(outputs={"value": 6}),
        "op 2 (torch.nn.functional.linear) makes 'hidden.output', which op 0 made already",
    ),
    "a value made by another op": (
        lambda g: g["values"][6].update(op=4),
        "op 0 (torch.nn.functional.linear) makes 'hidden.output', whose origin is given as op 4",
    ),
    "a result without an op": (
        lambda g: g["values"][6].update(op=None),
        "'hidden.output' is of kind result but its op is None",
    ),
    "an input with an op": (lambda g: g["values"][0].update(op=0), "'points' is of kind input but its op is 0"),
    "an op that is no number": (lambda g: g["values"][0].update(op="x"), "its op is 'x'"),
    "a result that no op makes": (lambda g: g["ops"][5].update(outputs=None), "'loss' has no op that makes it"),
    "a cycle": (
        lambda g: g["ops"][0]["args"].__setitem__(0, {"value": 9}),
        "op 0 (torch.nn.functional.linear) reads 'logits', which op 3 makes only later",
    ),
    "an op that reads what it makes": (
        lambda g: g["ops"][0]["args"].__setitem__(0, {"value": 6}),
        "reads 'hidden.output', which op 0 makes only later",
    ),
    "two values of one name": (lambda g: g["values"][1].update(name="points"), "two values are named 'points'"),
    "two scopes of one name": (lambda g: g["scopes"][2].update(name="hidden"), "two scopes share a name"),
    "a scope inside itself": (lambda g: g["scopes"][1].update(parent=1), "scope 'hidden' has parent 1"),
    "a whole model inside another": (lambda g: g["scopes"][0].update(parent=0), "scope 0 must be the whole model"),
    "no scopes": (lambda g: g.update(scopes=[]), "scope 0 must be the whole model"),
    "a negative size": (lambda g: g["values"][0].update(shape=[-4, -2]), "'points' has no valid shape"),
    "a size beyond any memory": (lambda g: g["values"][0].update(shape=[2**63, 2]), "'points' has no valid shape"),
    "a size that is no number": (lambda g: g["values"][0].update(shape=["4", 2]), "'points' has no valid shape"),
    "fewer strides than axes": (lambda g: g["values"][0].update(strides=[1]), "'points' has no valid shape, strides"),
    "a shape that the data do not fit": (
        lambda g: g["values"][0].update(shape=[2, 2]),
        "points@0 is float64 [4, 2], graph.json says float64 [2, 2]",
    ),
    "a dtype that the data do not fit": (
        lambda g: g["values"][0].update(dtype="float32"),
        "points@0 is float64 [4, 2], graph.json says float32",
    ),
    "an unknown dtype": (lambda g: g["values"][0].update(dtype="float7"), "dtype 'float7'"),
    "an unknown kind": (lambda g: g["values"][0].update(kind="guess"), "kind 'guess'"),
    "an absolute source path": (
        lambda g: g["ops"][0]["source"].update(file="/home/me/model.py"),
        "source path '/home/me/model.py' is not relative",
    ),
    "an absolute source path of Windows": (
        lambda g: g["ops"][0]["source"].update(file="C:/model.py"),
        "is not relative",
    ),
    "a source path that climbs": (lambda g: g["scopes"][0]["source"].update(file="a/../../b.py"), "is not relative"),
    "a source path that climbs by backslash": (
        lambda g: g["scopes"][0]["source"].update(file="a\\..\\b.py"),
        "is not relative",
    ),
    "a gradient out of range": (lambda g: g["gradients"][0].update(of=77), "names value 77"),
    "a gradient listed for no loss": (lambda g: g["gradients"].pop(), "values of kind gradient"),
    "an output out of range": (lambda g: g.update(outputs={"value": 77}), "names value 77"),
    "an outside value out of range": (lambda g: g["outside"].append({"value": 77, "why": ""}), "names value 77"),
    "an argument of unknown form": (lambda g: g["ops"][0]["args"].append({"eval": "1"}), "argument of unknown form"),
    "an argument with more than its tag": (
        lambda g: g["ops"][0]["args"].append({"value": 1, "more": 2}),
        "argument of unknown form",
    ),
    "a number that is no number": (lambda g: g["ops"][0]["args"].append({"int": "ten"}), "argument of unknown form"),
    "a field that is missing": (
        lambda g: g["ops"][0].pop("args"),
        "graph.json is not as docs/format.md asks (KeyError: 'args')",
    ),
    "a name that is no text": (lambda g: g["values"][0].update(name=3), "'name' is '3', which is no str"),
    "a graph that is a list": (lambda g: g.update(values={}), "graph.json"),
}  # fmt: skip


@pytest.mark.parametrize("fault", GRAPH_FAULTS)
def test_a_graph_with_a_fault_is_refused_with_its_place(xor: Path, fault: str) -> None:
    change, message = GRAPH_FAULTS[fault]
    refused(edit_graph(xor, change), "graph.json", message)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"graphs":[],"graphs":[],"examples":[]}', "graph.json repeats a key"),
        ('{"graphs":NaN,"examples":[]}', "graph.json holds NaN"),
        ('{"graphs":-Infinity,"examples":[]}', "graph.json holds -Infinity"),
        ('{"graphs":1e999,"examples":[]}', "graph.json holds 1e999"),
        ('{"graphs":' + "9" * 5000 + "}", "graph.json is not strict JSON"),
        ("[" * 100_000, "graph.json"),
        ("[" * (DEPTH + 1) + "]" * (DEPTH + 1), f"graph.json is nested deeper than {DEPTH} levels"),
        ('{"graphs":"\\ud800","examples":[]}', "graph.json is not strict JSON"),
        ('{"graphs":[],"examples":[]}', "graph.json holds no graph"),
        ('{"graphs":[]}', "graph.json is not as docs/format.md asks"),
        ("[]", "graph.json is not as docs/format.md asks"),
        ("null", "graph.json is not as docs/format.md asks"),
        ("\ufeff{}", "graph.json is not strict JSON"),
    ],
)
def test_json_that_is_not_strict_is_refused(xor: Path, text: str, message: str) -> None:
    (xor / "graph.json").write_text(text, encoding="utf-8")
    refused(seal_sums(xor), message)


def test_a_pair_of_halves_is_one_character(xor: Path) -> None:
    edit_graph(xor, lambda g: g["scopes"][1].update({"class": "\U0001f600"}))  # json.dumps writes \\ud83d\\ude00
    assert "\\ud83d" in (xor / "graph.json").read_text()
    assert bundle.read(xor).record.graphs[0].scopes[1].class_name == "\U0001f600"


def test_bytes_that_are_no_text_are_refused(xor: Path) -> None:
    (xor / "graph.json").write_bytes(b"\xff{}")
    refused(seal_sums(xor), "graph.json is not strict JSON")


JUNK: list[Any] = [None, True, -1, 2**70, 0.5, "", "x", [], [[]], {}, {"value": 0}, {"value": "x"}, {"tuple": 3}]


def nodes(tree: Any) -> list[tuple[Any, Any]]:
    """Every place in a tree, as (container, key)."""
    keys = list(tree) if isinstance(tree, dict) else range(len(tree)) if isinstance(tree, list) else ()
    return [found for key in keys for found in ((tree, key), *nodes(tree[key]))]


@settings(deadline=None, max_examples=150)
@given(st.data())
def test_whatever_stands_in_the_json_is_read_or_refused_and_what_is_read_makes_a_page(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    place = copy_of("xor", tmp_path_factory.mktemp("fuzz"))
    name = data.draw(st.sampled_from(["graph.json", "graph.json", "manifest.json"]))

    def damage(tree: Any) -> None:
        container, key = data.draw(st.sampled_from(nodes(tree)))
        container[key] = data.draw(st.sampled_from(JUNK))

    edit_json(place, name, damage)
    try:
        found = bundle.read(place)
    except CutawayError:
        return
    assert page.render(found, page.Assets("", "", ""), None)


# --- beside, then renamed


def test_a_bundle_replaces_an_older_one_and_leaves_nothing_beside(tmp_path: Path) -> None:
    place = bundle.write(small_record(), tmp_path / "b")
    bundle.write(small_record(), place, sources={"model.py": b""})
    bundle.write(replace(small_record(), name="new"), place)
    assert bundle.read(place).name == "new"
    assert os.listdir(tmp_path) == ["b"]


def test_an_empty_folder_and_a_damaged_bundle_may_be_written_into(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    place = bundle.write(small_record(), tmp_path / "b")
    (place / "graph.json").unlink()
    assert bundle.read(bundle.write(small_record(), place)).name == "small"


@pytest.mark.parametrize("names", [["notes.txt"], ["SHA256SUMS", "disk.iso"], ["SHA256SUMS"], ["lesson.md", "run.py"]])
def test_a_folder_with_files_of_someone_else_is_left_alone(tmp_path: Path, names: list[str]) -> None:
    for name in names:
        (tmp_path / name).write_text("mine")
    before = everything(tmp_path)
    with pytest.raises(BundleError, match="exists and is no bundle; choose another folder"):
        bundle.write(small_record(), tmp_path)
    assert everything(tmp_path) == before


def test_a_bundle_with_a_note_of_someone_else_is_left_alone(tmp_path: Path) -> None:
    place = bundle.write(small_record(), tmp_path / "b")
    (place / "notes.txt").write_text("mine")
    with pytest.raises(BundleError, match="choose another folder"):
        bundle.write(small_record(), place)


def test_a_file_and_a_dangling_link_in_the_place_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    (tmp_path / "link").symlink_to(tmp_path / "absent")
    for name in ("file", "link"):
        with pytest.raises(BundleError, match="choose another folder"):
            bundle.write(small_record(), tmp_path / name)
    assert sorted(os.listdir(tmp_path)) == ["file", "link"]


def test_a_failure_while_writing_leaves_the_older_bundle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = bundle.write(small_record(), tmp_path / "b")
    before = everything(place)

    def full(self: Path, data: bytes) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(folder.Path, "write_bytes", full)
    with pytest.raises(TargetError, match="no space left on device; choose another place"):
        bundle.write(replace(small_record(), name="new"), place)
    assert everything(place) == before
    assert os.listdir(tmp_path) == ["b"]


KILLED = """
import pathlib, sys, time
sys.path.insert(0, {tests!r})
from test_bundle import bundle, replace, small_record
real, count = pathlib.Path.write_bytes, 0
def slow(self, data):
    global count
    count += 1
    if count == 3:
        print("writing", flush=True)
        time.sleep(60)
    return real(self, data)
pathlib.Path.write_bytes = slow
bundle.write(replace(small_record(), name="new"), {place!r})
"""


@pytest.mark.process
def test_a_process_killed_while_writing_leaves_the_older_bundle_whole(tmp_path: Path) -> None:
    place = bundle.write(small_record(), tmp_path / "b")
    before = everything(place)
    code = KILLED.format(tests=str(Path(__file__).parent), place=str(place))
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "writing\n"
        time.sleep(0.1)
        child.send_signal(signal.SIGKILL)
    assert everything(place) == before
    assert bundle.read(place).name == "small"
    assert bundle.read(bundle.write(replace(small_record(), name="new"), place)).name == "new"


def test_no_machine_path_stands_in_what_is_written(tmp_path: Path) -> None:
    for data in everything(bundle.write(small_record(), tmp_path / "b")).values():
        assert str(tmp_path).encode() not in data
        assert not re.search(rb"/(home|root|tmp|work)/", data)
