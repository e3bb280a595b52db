"""The shipped lessons: what is committed is what their recipes make today, and each of their checks can fail."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tampering import copy_of, edit_graph, edit_value, entry_of

from cutaway import bundle, source
from cutaway.environment import differences
from cutaway.recorded import Record
from cutaway.replay.rerunning import compare_records
from cutaway.source import LESSONS, shipped_bundle, shipped_lessons
from cutaway.verdict import FAILED, PASSED, verify

LOGITS = "masked_token.decoder.output"
TIED = "embeddings.token.weight"


@pytest.fixture(scope="module")
def fresh() -> dict[str, Record]:
    """Each shipped lesson, recorded now."""
    return {name: source.record_source(source.load_lesson(LESSONS / name))[0] for name in shipped_lessons()}


@pytest.mark.parametrize("name", shipped_lessons())
def test_a_recording_made_now_is_the_one_that_is_shipped(name: str, fresh: dict[str, Record]) -> None:
    shipped = bundle.read(shipped_bundle(name)).record
    exact = not differences(shipped.capture["fingerprint"])
    equal, measured = compare_records(fresh[name], shipped, exact)
    assert equal, f"{measured}; record it again with: python3 tasks.py record"


@pytest.mark.parametrize("name", shipped_lessons())
def test_two_recordings_give_the_same_bytes_but_for_the_capture(name: str, fresh: dict[str, Record]) -> None:
    files = source.lesson_files(LESSONS / name)
    again = source.record_source(source.load_lesson(LESSONS / name))[0]
    one, two = (bundle.compose(record, files, []) for record in (fresh[name], again))
    assert {file for file in one if one[file] != two[file]} <= {"manifest.json", bundle.SUMS}
    first, second = (json.loads(written["manifest.json"]) for written in (one, two))
    assert first.pop("capture").keys() == second.pop("capture").keys()
    assert first == second


@pytest.mark.parametrize("name", shipped_lessons())
def test_a_shipped_bundle_holds_the_lesson_folder_s_own_files(name: str) -> None:
    found = bundle.read(shipped_bundle(name))
    own = source.lesson_files(LESSONS / name)
    assert {file: found.files[file] for file in found.files if file in bundle.OPTIONAL} == own
    assert found.name == name
    assert source.is_shipped(found.files, name)


@pytest.mark.parametrize("name", shipped_lessons())
def test_a_shipped_bundle_was_verified_whole_and_says_so(name: str) -> None:
    manifest = bundle.read(shipped_bundle(name)).manifest
    checks = {check["id"]: check for check in manifest["checks"]}
    assert {check["status"] for check in checks.values()} == {PASSED}
    assert {"producers", "ops", "chain", "moved", "replaced", "plain-run", "gradients"} <= set(checks)
    assert {check.id for check in source.load_lesson(LESSONS / name).checks()} <= set(checks)
    assert manifest["counts"]["outside"] == 0
    assert manifest["plain_run"] == {"equal": True, "largest_difference": 0.0}


@pytest.mark.parametrize("name", shipped_lessons())
def test_no_machine_path_and_no_odd_fact_stands_in_a_shipped_bundle(name: str) -> None:
    found = bundle.read(shipped_bundle(name))
    for file in ("manifest.json", "graph.json", "graph.svg"):
        text = found.files[file].decode()
        assert not re.search(r"/(home|root|tmp|work|usr|Users)/|[A-Z]:\\\\|site-packages", text), file
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", found.manifest["capture"]["date"])


@pytest.mark.parametrize("name", shipped_lessons())
def test_a_shipped_bundle_is_small(name: str) -> None:
    assert sum(len(data) for data in bundle.read(shipped_bundle(name)).files.values()) < 400_000


# --- each check of a lesson can fail


def set_to(place: Path, value: str, example: int, content: Callable[[np.ndarray], Any]) -> None:
    """Change one value of one example; other examples that share its entry change with it."""
    edit_value(place, entry_of(place, value, example), content)


def number(place: Path, example: str) -> int:
    tree = json.loads((place / "graph.json").read_text(encoding="utf-8"))
    return [case["name"] for case in tree["examples"]].index(example)


def same_logits(place: Path) -> None:
    """The later token changes nothing any more."""
    graph = bundle.read(place).record
    plain = graph.array("reference", LOGITS)
    set_to(place, LOGITS, number(place, "later-token"), lambda a: a.__setitem__(slice(0, 4), plain[:4]))


def seen_under_the_mask(place: Path) -> None:
    set_to(place, LOGITS, number(place, "causal-later-token"), lambda a: a.__setitem__((1, 3), a[1, 3] + 1e-6))


def another_loss(place: Path) -> None:
    set_to(place, "mlm_loss", number(place, "reference"), lambda a: a.__setitem__((), a + 1e-3))


def second_target(place: Path) -> None:
    set_to(place, "labels", 0, lambda a: a.__setitem__(4, 6))


def gradient_elsewhere(place: Path) -> None:
    set_to(place, f"grad(mlm_loss, {LOGITS})", 0, lambda a: a.__setitem__((4, 0), 1e-9))


def no_gradient_for_absent_tokens(place: Path) -> None:
    set_to(place, f"grad(mlm_loss, {TIED})", 0, lambda a: a.__setitem__(15, 0.0))


def untied(place: Path) -> None:
    def rename(graph: dict[str, Any]) -> None:
        next(value for value in graph["values"] if value["name"] == TIED)["also"] = []

    edit_graph(place, rename)


def another_packing(place: Path) -> None:
    set_to(place, "packed", 0, lambda a: a.__setitem__(slice(96, 98), a[[97, 96]].copy()))


def pair_above_one(place: Path) -> None:
    set_to(place, "nsp_probs", 0, lambda a: a.__setitem__(0, a[0] + 1e-5))


def another_figure(place: Path) -> None:
    set_to(place, "mlm_probs", 0, lambda a: a.__setitem__((2, 4), a[2, 4] * 1.002))


def wrong_answer(place: Path) -> None:
    set_to(place, "probs", number(place, "step-400"), lambda a: a.__setitem__(0, 0.51))


def rising_loss(place: Path) -> None:
    set_to(place, "loss", number(place, "step-50"), lambda a: a.__setitem__((), 5.0))


def mixed_points(place: Path) -> None:
    set_to(place, "activations", number(place, "step-400"), lambda a: a.__setitem__(0, a[1]))


DAMAGE: dict[str, tuple[str, Callable[[Path], None]]] = {
    "looks-right": ("bert-pretraining", same_logits),
    "looks-left-only": ("bert-pretraining", seen_under_the_mask),
    "unselected-logits": ("bert-pretraining", second_target),
    "unselected-gradient": ("bert-pretraining", gradient_elsewhere),
    "tied-storage": ("bert-pretraining", untied),
    "tied-gradient": ("bert-pretraining", no_gradient_for_absent_tokens),
    "packed-output": ("bert-pretraining", another_packing),
    "pair-sums-to-one": ("bert-pretraining", pair_above_one),
    "loss-arithmetic": ("bert-pretraining", another_loss),
    "reference-figures": ("bert-pretraining", another_figure),
    "learned": ("xor", wrong_answer),
    "loss-falls": ("xor", rising_loss),
    "bends": ("xor", mixed_points),
}


def test_every_check_of_the_shipped_lessons_is_shown_to_fail_below() -> None:
    ids = {check.id for name in shipped_lessons() for check in source.load_lesson(LESSONS / name).checks()}
    assert ids == set(DAMAGE)


@pytest.mark.parametrize("check", DAMAGE)
def test_a_lesson_s_check_fails_when_what_it_claims_no_longer_holds(
    check: str, tmp_path: Path, lesson_checks: dict[str, Any]
) -> None:
    name, damage = DAMAGE[check]
    place = copy_of(name, tmp_path)
    whole = bundle.read(place).record
    damage(place)
    damaged = bundle.read(place).record
    assert status(whole, lesson_checks[check]) == PASSED
    assert status(damaged, lesson_checks[check]) == FAILED


@pytest.fixture(scope="module")
def lesson_checks() -> dict[str, Any]:
    return {check.id: check for name in shipped_lessons() for check in source.load_lesson(LESSONS / name).checks()}


def status(record: Record, check: Any) -> str:
    from cutaway.replay import checks as replaying
    from cutaway.verdict import _measure, row

    replay = replaying.replay_of(record)
    return row(check.id, "lesson", check.claim, lambda: _measure(check, record, replay)).status


def test_the_whole_verdict_sees_a_failing_lesson_check(tmp_path: Path, lesson_checks: dict[str, Any]) -> None:
    place = copy_of("xor", tmp_path)
    wrong_answer(place)
    outcome = verify(bundle.read(place).record, (lesson_checks["learned"], lesson_checks["loss-falls"]))
    statuses = {found.id: found.status for found in outcome.rows}
    assert statuses["learned"] == FAILED
    assert statuses["loss-falls"] == PASSED
    assert not outcome.ok
