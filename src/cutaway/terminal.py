"""What the command line prints. Names come from models and bundles, so all is text: no markup, no control codes."""

import os
import sys

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from cutaway.bundle import Bundle
from cutaway.verdict import FAILED, NOT_RUN, PASSED, Verdict

MARKS = {PASSED: ("✓ passed", "green"), FAILED: ("✗ failed", "bold red"), NOT_RUN: ("○ not run", "dim")}
UNBOUNDED = 10_000  # columns: what goes into a file or another program is not wrapped


def visible(text: str) -> str:
    """Text on one line; control and direction characters are written as escapes."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def console() -> Console:
    """Standard output as it is now: as wide as the terminal or COLUMNS says, else without wrapping."""
    wide = None if sys.stdout.isatty() or "COLUMNS" in os.environ else UNBOUNDED
    return Console(width=wide, markup=False, emoji=False, highlight=False)


def say(*lines: str) -> None:
    out = console()
    for line in lines:
        out.print(Text(visible(line)), soft_wrap=True)


def print_verdict(outcome: Verdict) -> None:
    """The table of checks, each claim over what was measured, and the closing count."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1))
    table.add_column("verdict", no_wrap=True)
    table.add_column("group", no_wrap=True)
    table.add_column("claim, and what was measured", overflow="fold")
    for row in outcome.rows:
        mark, style = MARKS[row.status]
        found = (
            Text(visible(row.claim))
            .append("\n")
            .append(visible(row.measured), "red" if row.status == FAILED else "dim")
        )
        table.add_row(Text(mark, style), Text(visible(row.group)), found)
    console().print(table)
    not_run = f", {outcome.not_run} not run" if outcome.not_run else ""
    say(f"{outcome.passed} passed, {outcome.failed} failed{not_run}")


def print_contents(bundle: Bundle) -> None:
    """A bundle's examples, scopes and values, by the names that a lesson may use."""
    facts, record = bundle.manifest, bundle.record
    captured = f", captured {facts['capture']['date']}" if facts["capture"] else ""
    say(f"{facts['title']}  revision {facts['revision'][:12]}{captured}")
    say(f"examples: {', '.join(example.name for example in record.examples)}")
    for number, graph in enumerate(record.graphs):
        say("", f"graph {number}", "scopes: " + ", ".join(scope.name or "(the model)" for scope in graph.scopes))
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1))
        table.add_column("value", overflow="fold")
        for title in ("kind", "dtype", "shape"):
            table.add_column(title, no_wrap=True)
        table.add_column("made by", overflow="fold")
        for value in graph.values:
            maker = graph.ops[value.op].function if value.op is not None else ""
            shape = " x ".join(map(str, value.shape)) or "scalar"
            cells = ", ".join((value.name, *value.also)), value.kind, value.dtype, shape, maker.removeprefix("torch.")
            table.add_row(*(Text(visible(cell)) for cell in cells))
        console().print(table)
