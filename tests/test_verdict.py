"""Verification: both shipped lessons hold, and whatever is changed is caught and named, or refused before it runs."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from tampering import edit_graph, edit_json, edit_value, entry_of, seal
from torch.overrides import get_testing_overrides

import cutaway
from cutaway import bundle, functions, verdict
from cutaway.errors import BundleError, CutawayError, ReplayError
from cutaway.recipe import Check, Measured
from cutaway.recorded import Outside, Record
from cutaway.replay import checks as replaying
from cutaway.source import LESSONS, load_lesson, record_source, shipped_bundle
from cutaway.verdict import FAILED, NOT_RUN, PASSED, Row, Verdict, verify, verify_bundle

NAMES = ("bert-pretraining", "xor")


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Both shipped lessons, recorded on this machine, so that every bit has to agree."""
    place = tmp_path_factory.mktemp("recorded")
    for name in NAMES:
        found = load_lesson(LESSONS / name)
        bundle.write(record_source(found)[0], place / name, sources=found.files, verdict=ROWS[name])
    return place


# A lesson's rows, as verify leaves them in a manifest; the shipped ones are this machine's or another's.
ROWS = {
    name: Verdict(tuple(Row(**row) for row in bundle.read(shipped_bundle(name)).manifest["checks"])) for name in NAMES
}


@pytest.fixture(scope="module")
def here(recorded: Path) -> dict[str, bundle.Bundle]:
    return {name: bundle.read(recorded / name) for name in NAMES}


@pytest.fixture
def xor(recorded: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(recorded / "xor", tmp_path / "xor"))


def row(outcome: Verdict, name: str) -> Row:
    return next(row for row in outcome.rows if row.id == name)


def failed(outcome: Verdict) -> dict[str, str]:
    return {row.id: row.measured for row in outcome.rows if row.status == FAILED}


# --- what holds


@pytest.mark.parametrize("name", NAMES)
def test_a_shipped_lesson_holds_whole(name: str) -> None:
    outcome = verify_bundle(bundle.read(shipped_bundle(name)))
    assert failed(outcome) == {}
    assert outcome.ok
    assert [row.id for row in outcome.rows if row.status == NOT_RUN] == ["rerun"]
    assert row(outcome, "rerun").measured == "add --rerun"
    groups = {row.group for row in outcome.rows}
    assert groups == {"structure", "ops", "chain", "sensitivity", "plain run", "gradients", "lesson", "rerun"}
    assert len(outcome.rows) == outcome.passed + outcome.failed + outcome.not_run


@pytest.mark.parametrize("name", NAMES)
def test_every_count_of_the_sensitivity_checks_is_said(here: dict[str, bundle.Bundle], name: str) -> None:
    record = here[name].record
    outcome = verify(record)
    words = row(outcome, "replaced").measured.split("; ")[0].split(", ")
    counts = {what: int(count) for count, what in (word.split(" ", 1) for word in words)}
    assert set(counts) == {"changed", "insensitive", "not applicable"}
    reads = sum(len(set(op.reads)) for graph in record.graphs for op in graph.ops)
    assert sum(counts.values()) == reads
    runs = int(row(outcome, "ops").measured.split(" ")[0])
    moved, caught = (int(part.split()[0]) for part in row(outcome, "moved").measured.split(", "))
    assert moved == caught
    assert caught >= runs > 0


def test_no_value_of_a_shipped_lesson_is_without_a_producer(here: dict[str, bundle.Bundle]) -> None:
    for found in here.values():
        total = sum(len(graph.values) for graph in found.record.graphs)
        assert row(verify(found.record), "producers").measured == f"{total} values, 0 without a producer"


# --- what was changed is named


def test_one_value_changed_together_with_its_hash_is_named_with_its_op(xor: Path) -> None:
    edit_value(xor, entry_of(xor, "activations"), lambda a: a.__setitem__((2, 1), np.nextafter(a[2, 1], 9)))
    found = failed(verify(bundle.read(xor).record))
    assert "op 1 (torch.Tensor.tanh): activations[2,1] in example 'step-0' differs by" in found["ops"]
    assert "op 1 (torch.Tensor.tanh): activations[2,1]" in found["chain"]


@pytest.mark.parametrize("value", ["hidden.weight", "points"])
def test_a_changed_weight_or_input_is_noticed_where_it_is_first_read(xor: Path, value: str) -> None:
    edit_value(xor, entry_of(xor, value), lambda a: a.__setitem__((0, 0), a[0, 0] + 0.5))
    found = failed(verify(bundle.read(xor).record))
    assert "op 0 (torch.nn.functional.linear): hidden.output" in found["ops"]


def test_a_changed_gradient_is_named(xor: Path) -> None:
    name = "grad(loss, answer.bias)"
    edit_value(xor, entry_of(xor, name), lambda a: a.__setitem__(0, a[0] + 1e-9))
    assert f"{name} of example 'step-0' differs by" in failed(verify(bundle.read(xor).record))["gradients"]


def test_a_changed_loss_is_noticed_by_the_lesson_too(xor: Path) -> None:
    edit_value(xor, entry_of(xor, "loss", 7), lambda a: a.__setitem__((), 9.0))
    found = failed(verify_bundle(bundle.read(xor)))
    assert set(found) == {"ops", "chain", "loss-falls"}


@pytest.mark.parametrize(
    ("change", "op"),
    [
        (lambda g: g["ops"][0]["args"].__setitem__(2, {"value": 5}), "op 0 (torch.nn.functional.linear)"),
        (lambda g: g["ops"][1]["args"].__setitem__(0, {"value": 0}), "op 1 (torch.Tensor.tanh)"),
        (lambda g: g["ops"][3].update(args=[{"value": 8}, 0]), "op 3 (torch.Tensor.squeeze)"),
        (lambda g: g["ops"][4]["args"].__setitem__(0, {"value": 1}), "op 4 (torch.Tensor.sigmoid)"),
        (lambda g: g["ops"][1].update(function="torch.Tensor.sigmoid"), "op 1 (torch.Tensor.sigmoid)"),
    ],
    ids=["another bias", "another operand", "another plain argument", "the truth for the logits", "another function"],
)
def test_one_changed_link_argument_or_function_is_named_with_its_op(
    xor: Path, change: Callable[..., Any], op: str
) -> None:
    edit_graph(xor, change)
    found = failed(verify(bundle.read(xor).record))
    assert op in found["ops"]
    assert op in found["chain"]


def test_a_result_cut_off_from_its_op_does_not_verify_itself(xor: Path) -> None:
    """A lost link would replay perfectly from its own stored value; as a constant it has no known origin."""

    def cut(graph: dict[str, Any]) -> None:
        graph["ops"][1]["function"] = "torch.Tensor.tanh_"
        graph["ops"][1]["outputs"] = None
        graph["values"][7].update(kind="constant", op=None)
        graph["outside"].append({"value": 7, "why": "met without a known origin"})

    edit_graph(xor, cut)
    found = failed(verify(bundle.read(xor).record))
    assert "1 of 20 values are not covered (activations: met without a known origin)" in found["producers"]


def test_values_from_outside_are_counted_and_the_first_are_named(here: dict[str, bundle.Bundle]) -> None:
    record = here["xor"].record
    outside = tuple(Outside(i, "came from numpy") for i in range(4))
    record = replace(record, graphs=(replace(record.graphs[0], outside=outside),))
    measured = failed(verify(record))["producers"]
    assert measured == "4 of 20 values are not covered (points and 3 more: came from numpy)"
    reasons = tuple(Outside(i, f"reason {i}") for i in range(4))
    record = replace(record, graphs=(replace(record.graphs[0], outside=(*reasons, Outside(4, "reason 0"))),))
    assert failed(verify(record))["producers"] == (
        "5 of 20 values are not covered (points and 1 more: reason 0; truth: reason 1; hidden.weight: reason 2; ...)"
    )


def test_an_op_that_cannot_be_replayed_is_counted_as_not_covered(xor: Path) -> None:
    """Its values are taken from the recording, so a bundle must list them, and they count as not covered."""
    edit_graph(xor, lambda g: g["ops"][1].update(note="made by tanh", function="mylib.tanh"))
    with pytest.raises(BundleError, match=r"op 1 \(mylib.tanh\) cannot be replayed, but what it makes, 'activations'"):
        bundle.read(xor)
    edit_graph(xor, lambda g: g["outside"].append({"value": 7, "why": "made by tanh"}))
    found = failed(verify(bundle.read(xor).record))
    assert "1 of 20 values are not covered (activations: made by tanh" in found["producers"]


def test_a_changed_scope_is_noticed_where_the_graph_then_contradicts_itself(xor: Path) -> None:
    edit_graph(xor, lambda g: g["values"][7].update(scope=1))
    assert failed(verify(bundle.read(xor).record))["producers"].startswith("graph 0: op 1 (torch.Tensor.tanh) ran in")


# --- what replay refuses to call

REFUSED = [
    "torch.load", "torch.save", "torch.hub.load", "torch.ops.load_library", "torch.classes.load_library",
    "torch.jit.load", "torch.compile", "os.system", "builtins.eval", "subprocess.run", "torch.from_file",
    "torch.Tensor.map_", "torch.Tensor.apply_", "torch.Tensor.set_", "torch.Tensor.resize_",
    "torch.Tensor.__setstate__",
    "torch.Tensor.share_memory_", "torch.Tensor.register_hook", "torch.Tensor.__class__", "torch._C._jit_init", "",
]  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_a_function_that_is_not_known_is_refused_with_its_op_before_anything_runs(
    xor: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    edit_graph(xor, lambda g: g["ops"][2].update(function=name))
    monkeypatch.setattr(replaying, "check_ops", lambda *_: pytest.fail("an op ran"))
    found = bundle.read(xor)
    for act in (lambda: verify_bundle(found, trust=True), lambda: verify(found.record)):
        with pytest.raises(ReplayError) as caught:
            act()
        assert str(caught.value).startswith(f"graph.json, graph 0, op 2: refused: {name!r} ")


def test_every_excluded_function_is_one_that_torch_lists() -> None:
    """An entry that torch does not list would be a typing error: it excludes nothing."""
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        listed = {torch.overrides.resolve_name(function) for function in get_testing_overrides()}
    assert functions.EXCLUDED - listed == set()
    assert not functions.EXCLUDED & functions.known_names()


def test_replay_can_call_nothing_that_takes_a_file_or_a_name_of_code() -> None:
    suspicious = {"load", "save", "from_file", "compile", "eval", "exec", "system", "import", "pickle", "storage_file"}
    for name in functions.known_names():
        assert not suspicious.intersection(name.split(".")), name
        assert name.startswith("torch.")


# --- recipes


def test_a_recipe_that_is_not_the_shipped_one_runs_only_when_trusted(xor: Path, tmp_path: Path) -> None:
    marker = tmp_path / "ran"
    recipe = (xor / "run.py").read_text()
    (xor / "run.py").write_text(f"open({str(marker)!r}, 'w').close()\n{recipe}")
    seal(xor)
    outcome = verify_bundle(bundle.read(xor), rerun=True)
    assert not marker.exists()
    lesson = [row for row in outcome.rows if row.group == "lesson"]
    assert [row.id for row in lesson] == ["learned", "loss-falls", "bends"]
    for found, flags in (*((one, "--trust") for one in lesson), (row(outcome, "rerun"), "--trust --rerun")):
        assert found.status == NOT_RUN
        assert found.measured == f"its run.py is not a shipped lesson's; read it, then add {flags}"
    outcome = verify_bundle(bundle.read(xor), trust=True)
    assert marker.exists()
    assert row(outcome, "learned").status == PASSED


@pytest.mark.parametrize("name", ["model.py", "run.py"])
def test_any_changed_source_takes_a_bundle_out_of_the_shipped_lessons(xor: Path, name: str) -> None:
    (xor / name).write_bytes((xor / name).read_bytes() + b"\n")
    outcome = verify_bundle(bundle.read(seal(xor)))
    assert row(outcome, "learned").status == NOT_RUN


def test_a_bundle_without_a_recipe_says_so(xor: Path) -> None:
    found = bundle.read(xor)
    files = {name: data for name, data in found.files.items() if name != "run.py"}
    outcome = verify_bundle(replace(found, files=files))
    assert row(outcome, "rerun").measured == "the bundle holds no recipe"


@pytest.mark.process
def test_a_fresh_run_gives_the_same_values_and_notices_others(xor: Path, here: dict[str, bundle.Bundle]) -> None:
    outcome = verify_bundle(here["xor"], rerun=True)
    assert row(outcome, "rerun").status == PASSED
    assert row(outcome, "rerun").measured == "160 values, all bit-equal"
    edit_value(xor, entry_of(xor, "hidden.bias", 3), lambda a: a.__setitem__(0, a[0] + 1e-12))
    outcome = verify_bundle(bundle.read(xor), rerun=True)
    assert "hidden.bias of example 'step-20' differs by" in failed(outcome)["rerun"]


@pytest.mark.process
def test_a_fresh_run_that_fails_is_a_failed_check_with_its_error(xor: Path) -> None:
    only_elsewhere = f"import os{chr(10)}if os.getpid() != {os.getpid()}: raise OSError('no data')"
    (xor / "run.py").write_text(f"{(xor / 'run.py').read_text()}{chr(10)}{only_elsewhere}{chr(10)}")
    outcome = verify_bundle(bundle.read(seal(xor)), rerun=True, trust=True)
    assert "the fresh run failed: cutaway: " in failed(outcome)["rerun"]
    assert "run.py raised OSError: no data" in failed(outcome)["rerun"]


# --- checks


def always(record: Record, replay: Any) -> Measured:
    return Measured(True, 1.5, "of one")


def test_a_check_that_raises_counts_as_failed_with_what_it_raised(here: dict[str, bundle.Bundle]) -> None:
    def broken(record: Record, replay: Any) -> Measured:
        raise ZeroDivisionError("nothing to divide")

    def quits(record: Record, replay: Any) -> Measured:
        sys.exit(0)

    def asks_for_nothing(record: Record, replay: Any) -> Measured:
        return Measured(True, float(record.array("step-0", "absent").sum()), "")

    def forgets(record: Record, replay: Any) -> Any:
        return True

    checks = {"broken": broken, "quits": quits, "asks": asks_for_nothing, "forgets": forgets, "fine": always}
    given = tuple(Check(name, "a claim", measure) for name, measure in checks.items())
    outcome = verify(here["xor"].record, given)
    found = failed(outcome)
    assert found["broken"] == "raised ZeroDivisionError: nothing to divide"
    assert found["quits"] == "raised SystemExit: 0"
    assert "no value named 'absent' in example 'step-0'" in found["asks"]
    assert "returned bool; let it return cutaway.Measured" in found["forgets"]
    assert set(found) == {"broken", "quits", "asks", "forgets"}
    assert row(outcome, "fine").measured == "1.5: of one"
    assert not outcome.ok


def test_a_claim_that_does_not_hold_is_failed_with_its_figure(here: dict[str, bundle.Bundle]) -> None:
    def wrong(record: Record, replay: Any) -> Measured:
        return Measured(np.bool_(False), np.float64(0.123456), "largest")

    outcome = verify(here["xor"].record, (Check("wrong", "a claim", wrong),))
    assert failed(outcome) == {"wrong": "0.1235: largest"}


def test_the_rows_are_plain_data_for_a_manifest(here: dict[str, bundle.Bundle], tmp_path: Path) -> None:
    record = here["xor"].record
    outcome = verify(record, (Check("fine", "a claim", always),))
    place = bundle.write(record, tmp_path / "b", verdict=outcome)
    assert bundle.read(place).manifest["checks"] == outcome.to_json()


def test_a_plain_run_that_differs_fails_from_a_hundred_thousandth_on(here: dict[str, bundle.Bundle]) -> None:
    record = here["xor"].record

    def outcome(equal: bool, gap: float) -> Row:
        return row(verify(replace(record, plain_run={"equal": equal, "largest_difference": gap})), "plain-run")

    assert outcome(True, 0.0).status == PASSED
    assert outcome(False, 5e-7).status == PASSED
    assert "differ from a plain run by at most 5e-07" in outcome(False, 5e-7).measured
    assert outcome(False, 1e-3).status == FAILED
    assert outcome(False, float("inf")).measured == "outputs have another form than those of a plain run"
    assert row(verify(replace(record, plain_run={})), "plain-run").status == NOT_RUN


# --- another machine


def elsewhere(record: Record) -> Record:
    fingerprint = record.capture["fingerprint"] | {"cpu": "another processor", "threads": 64}
    return replace(record, capture=record.capture | {"fingerprint": fingerprint})


def test_on_another_machine_a_tolerance_holds_and_the_facts_that_differ_are_said(
    here: dict[str, bundle.Bundle],
) -> None:
    for found in here.values():
        outcome = verify(elsewhere(found.record))
        assert failed(outcome) == {}
        claim = row(outcome, "ops").claim
        assert "within 1e-5 relative plus 1e-6 of the largest (this machine differs in cpu, threads)" in claim
        assert "largest difference" in row(outcome, "ops").measured
        assert row(outcome, "moved").status == PASSED


def test_on_another_machine_a_last_digit_may_move_and_no_more(xor: Path) -> None:
    entry = entry_of(xor, "activations")
    edit_value(xor, entry, lambda a: a.__setitem__((2, 1), np.nextafter(a[2, 1], 9)))
    near = bundle.read(xor).record
    assert "ops" in failed(verify(near))
    assert failed(verify(elsewhere(near))) == {}
    edit_value(xor, entry, lambda a: a.__setitem__((2, 1), a[2, 1] * 1.001))
    found = failed(verify(elsewhere(bundle.read(xor).record)))
    assert "op 1 (torch.Tensor.tanh): activations[2,1]" in found["ops"]


def test_a_record_without_a_fingerprint_is_held_to_the_tolerance(here: dict[str, bundle.Bundle]) -> None:
    outcome = verify(replace(here["xor"].record, capture={}))
    assert "this machine differs in torch, build, cpu" in row(outcome, "chain").claim


# --- torch is needed here and only here


@pytest.mark.process
def test_verify_without_torch_says_what_to_install() -> None:
    code = (
        "import sys; sys.modules['torch'] = None\n"
        "import cutaway\n"
        "try: cutaway.verify\n"
        "except cutaway.CutawayError as error: print(error)\n"
        f"print(cutaway.read({str(shipped_bundle('xor'))!r}).name)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "xor"


def test_a_fresh_recording_verifies() -> None:
    torch.manual_seed(0)
    outcome = cutaway.verify(
        cutaway.record(torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.ReLU()), torch.ones(1, 3))
    )
    assert failed(outcome) == {}
    assert verdict.PASSED in {row.status for row in outcome.rows}


def test_whatever_a_graph_says_verify_gives_a_verdict_or_one_line(xor: Path) -> None:
    """Arguments of every wrong kind: nothing but a CutawayError may leave verify."""
    for wrong in (
        None,
        [],
        {"dtype": "load"},
        {"device": "nowhere"},
        {"opaque": "Thing"},
        "text",
        {"int": "9" * 400},
        1e300,
    ):
        edit_json(
            xor, "graph.json", lambda tree, wrong=wrong: tree["graphs"][0]["ops"][3]["args"].__setitem__(1, wrong)
        )
        try:
            outcome = verify(bundle.read(xor).record)
        except CutawayError:
            continue
        assert "ops" in failed(outcome)
