"""Run a recipe again in a fresh process, so that nothing of this one can help it, and compare every value."""

import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from cutaway import bundle
from cutaway.environment import differences
from cutaway.recorded import Record
from cutaway.replay.comparison import compare
from cutaway.source import unpacked


def check_rerun(record: Record, files: Mapping[str, bytes]) -> tuple[bool, str]:
    """Whether a fresh run of the recipe records the same values: to the bit on a machine with the same fingerprint."""
    with unpacked(files) as folder, tempfile.TemporaryDirectory(prefix="cutaway-") as place:
        out = Path(place) / "again"
        command = [sys.executable, "-m", "cutaway", "record", str(folder), "--out", str(out), "--values", "all"]
        done = subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
        if done.returncode != 0:
            lines = (done.stderr or done.stdout).strip().splitlines() or [f"exit status {done.returncode}"]
            return False, f"the fresh run failed: {lines[-1]}"
        again = bundle.read(out).record
    return compare_records(again, record, not differences(record.capture.get("fingerprint", {})))


def compare_records(again: Record, record: Record, exact: bool) -> tuple[bool, str]:
    """Whether two recordings hold the same graphs and, example by example, the same values.

    `again` keeps all of them; what `record` left out is counted.
    """
    if again.graphs != record.graphs:
        return False, "the fresh run took another way through the model: its graph differs"
    if [example.name for example in again.examples] != [example.name for example in record.examples]:
        return False, "the fresh run recorded other examples"
    done, left_out, worst = 0, 0, 0.0
    for new, old in zip(again.examples, record.examples, strict=True):
        for value, left, right in zip(record.graphs[old.graph].values, new.tensors, old.tensors, strict=True):
            if right is None:
                left_out += left is not None
                continue
            if left is None:
                return False, f"{value.name} of example {old.name!r} was not kept by the fresh run"
            found = compare(left, right, exact)
            worst = max(worst, found.difference)
            if not found.equal:
                return False, f"{value.name} of example {old.name!r} differs by {found.difference:.3g}"
            done += 1
    how = "all bit-equal" if exact else f"largest difference {worst:.3g}"
    return True, f"{done} values, {how}" + (f"; {left_out} were left out, not compared" if left_out else "")
