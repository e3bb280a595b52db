"""Recompute a recording from what it holds, and show that each check is able to fail.

Every op runs again alone from its recorded operands, and the whole graph runs again chained from inputs and
parameters. Where the machine's fingerprint matches the recorded one, every bit must agree; elsewhere the tolerance of
comparison.py holds.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from cutaway.errors import CutawayError, LessonError, torch_missing
from cutaway.recipe import Check, Measured
from cutaway.recorded import Record

if TYPE_CHECKING:
    from cutaway.bundle import Bundle

Found = tuple[bool | None, str]  # whether a claim holds (None: nothing to check) and the figure in words

PASSED, FAILED, NOT_RUN = "passed", "failed", "not run"
HOW = "cutaway verify BUNDLE"
RERUN_HOW = "cutaway verify BUNDLE --rerun"
PRODUCERS = "Every value is an input, a weight, a named constant, or made by exactly one op."
OPS = "Each op, run alone from its recorded operands, gives its recorded results"
CHAIN = "The whole graph, run from inputs and parameters only, gives every recorded value"
MOVED = "A recorded result with one element moved by the least step is caught."
REPLACED = "Each operand, replaced by another valid one, changes the result or has a reason not to."
PLAIN_RUN = "Recording did not change what the model returns."
GRADIENTS = "Gradients, computed again from inputs and parameters, are the recorded ones"
RERUN_CLAIM = "run.py, run again in a fresh process, records the same values."


@dataclass(frozen=True)
class Row:
    """One checked claim: its verdict, the measured figure in words, and how to run it."""

    id: str
    group: str
    claim: str
    status: str
    measured: str
    how: str = HOW


@dataclass(frozen=True)
class Verdict:
    """All checks of one recording, in order."""

    rows: tuple[Row, ...]

    @property
    def passed(self) -> int:
        return sum(row.status == PASSED for row in self.rows)

    @property
    def failed(self) -> int:
        return sum(row.status == FAILED for row in self.rows)

    @property
    def not_run(self) -> int:
        return sum(row.status == NOT_RUN for row in self.rows)

    @property
    def ok(self) -> bool:
        return self.failed == 0

    def with_row(self, row: Row) -> "Verdict":
        return Verdict((*self.rows, row))

    def to_json(self) -> list[dict[str, Any]]:
        """The rows as a manifest keeps them."""
        return [asdict(row) for row in self.rows]


def verify(record: Record, checks: tuple[Check, ...] = ()) -> Verdict:
    """Check a record: its links, every op alone, the graph chained, gradients, and the given lesson checks.

    A check that raises counts as failed, with its message. Raises MissingError without torch, and ReplayError, before
    anything is run, when an op names a function that replay does not call.
    """
    try:
        from cutaway.replay import checks as replaying
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        raise torch_missing("verify") from None

    replaying.check_functions(record)
    exact, measure = replaying.conditions(record)
    claims: list[tuple[str, str, str, Callable[[], Found]]] = [
        ("producers", "structure", PRODUCERS, lambda: replaying.check_producers(record)),
        ("ops", "ops", f"{OPS} {measure}.", lambda: replaying.check_ops(record, exact)),
        ("chain", "chain", f"{CHAIN} {measure}.", lambda: replaying.check_chain(record, exact)),
        ("moved", "sensitivity", MOVED, lambda: replaying.check_moved(record, exact)),
        ("replaced", "sensitivity", REPLACED, lambda: replaying.check_replaced(record)),
        ("plain-run", "plain run", PLAIN_RUN, lambda: _check_plain_run(record)),
    ]
    if any(graph.gradients for graph in record.graphs):
        claims.append(
            ("gradients", "gradients", f"{GRADIENTS} {measure}.", lambda: replaying.check_gradients(record, exact))
        )
    replay = replaying.replay_of(record)
    claims += [(check.id, "lesson", check.claim, partial(_measure, check, record, replay)) for check in checks]
    return Verdict(tuple(row(*claim) for claim in claims))


def verify_bundle(bundle: "Bundle", *, rerun: bool = False, trust: bool = False) -> Verdict:
    """Check a bundle that was read: everything `verify` does, its lesson's own checks, and with `rerun` a fresh run.

    A recipe is code: it runs only when it is that of a shipped lesson, byte for byte, or with `trust`. Otherwise its
    checks are listed as not run.
    """
    from cutaway import source
    from cutaway.replay import checks as replaying

    replaying.check_functions(bundle.record)  # before a recipe runs
    known = source.is_shipped(bundle.files, bundle.name)
    if "run.py" not in bundle.files:
        outcome = verify(bundle.record)
        why = "the bundle holds no recipe"
    elif known or trust:
        with source.unpacked(bundle.files) as folder:
            checks = source.load_lesson(folder).checks()
            outcome = verify(bundle.record, checks)
        if rerun:
            return outcome.with_row(check_rerun(bundle.record, bundle.files))
        why = "add --rerun"
    else:
        outcome = verify(bundle.record)
        why = "its run.py is not a shipped lesson's; read it, then add --trust"
        rows = [row for row in bundle.manifest["checks"] if row["group"] == "lesson"]
        for recorded in rows:
            outcome = outcome.with_row(not_run(recorded["id"], "lesson", recorded["claim"], why))
        why += " --rerun"
    return outcome.with_row(not_run("rerun", "rerun", RERUN_CLAIM, why, RERUN_HOW))


def check_rerun(record: Record, files: Mapping[str, bytes]) -> Row:
    """Run a recipe in a fresh Python process and compare every value it records with the given record."""
    from cutaway.replay import rerunning

    return row("rerun", "rerun", RERUN_CLAIM, lambda: rerunning.check_rerun(record, files), RERUN_HOW)


def files_row(bundle: "Bundle") -> Row:
    """The row that reading a bundle has earned: its hashes and links hold, else reading would have refused it."""
    count = len(bundle.files) - 1
    return Row(
        "files", "files", "Every file matches its SHA-256, and every reference is in range.", PASSED, f"{count} files"
    )


def row(id: str, group: str, claim: str, check: Callable[[], Found], how: str = HOW) -> Row:
    """Run one check. It returns (passed, measured), passed None when there was nothing to check; an error fails it."""
    try:
        passed, measured = check()
    except CutawayError as error:
        passed, measured = False, str(error)
    except (Exception, SystemExit) as error:
        passed, measured = False, f"raised {type(error).__name__}: {error}"
    return Row(id, group, claim, NOT_RUN if passed is None else PASSED if passed else FAILED, measured, how)


def not_run(id: str, group: str, claim: str, why: str, how: str = HOW) -> Row:
    return Row(id, group, claim, NOT_RUN, why, how)


def _check_plain_run(record: Record) -> tuple[bool | None, str]:
    """A difference is not a failure of the record, but it must be small and is always said."""
    if not record.plain_run:
        return None, "the recording holds no comparison with a plain run"
    if record.plain_run["equal"]:
        return True, "every output bit-equal to a run that was not recorded"
    gap = record.plain_run["largest_difference"]
    if math.isinf(gap):
        return False, "outputs have another form than those of a plain run"
    return gap < 1e-5, f"outputs differ from a plain run by at most {gap:.3g}"


def _measure(check: Check, record: Record, replay: Any) -> tuple[bool, str]:
    from cutaway.number import show

    found = check.measure(record, replay)
    if not isinstance(found, Measured):
        raise LessonError(f"the check {check.id!r} returned {type(found).__name__}; let it return cutaway.Measured")
    figure = found.figure if isinstance(found.figure, str) else show(found.figure)
    return bool(found.passed), f"{figure}: {found.words}" if found.words else figure
