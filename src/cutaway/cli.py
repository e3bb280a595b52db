"""The command line: each command parses, makes one library call, and prints. Errors are one line and exit status 2."""

import importlib.util
import os
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from cutaway.errors import CutawayError, MissingError, TargetError

app = typer.Typer(
    name="cutaway",
    help="Record one run of a PyTorch model, verify it, and read every number on a page.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Example: cutaway record bert-pretraining --out bert; cutaway export bert --html bert.html",
)
out = Console(soft_wrap=False, highlight=False)

HASHES_ONLY = 3  # exit status: torch is missing, so only hashes and links were checked
MARKS = {"passed": "[green]✓ passed[/]", "failed": "[red]✗ failed[/]", "not run": "[dim]○ not run[/]"}


def main() -> None:
    """Entry point of the `cutaway` program."""
    try:
        app(standalone_mode=False)
    except (typer.Exit, SystemExit) as exit:
        raise SystemExit(getattr(exit, "exit_code", getattr(exit, "code", 0))) from None
    except CutawayError as error:
        _fail(str(error))
    except typer.Abort:
        raise SystemExit(130) from None
    except KeyboardInterrupt:
        raise SystemExit(130) from None
    except BrokenPipeError:  # the reader of our output went away, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(1) from None
    except Exception as error:
        if hasattr(error, "format_message"):  # a usage error found while parsing
            _fail(f"{error.format_message()} Try `cutaway --help`.")
        if isinstance(error, OSError):
            _fail(f"{error.strerror or error}: {error.filename or 'a file'}; check that it exists and may be written")
        raise


def _fail(message: str) -> None:
    line = " ".join(message.split())
    print(f"cutaway: {_visible(line)}", file=sys.stderr)
    raise SystemExit(2)


def _visible(text: str) -> str:
    """Names come from models: control and direction characters are written as escapes."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def _text(text: str) -> str:
    return escape(_visible(text))


@app.command(epilog="Example: cutaway record bert-pretraining --out bert")
def record(
    target: Annotated[str, typer.Argument(help="A shipped lesson's name, a lesson folder, or module:callable.")],
    out_folder: Annotated[Path, typer.Option("--out", help="Folder to write the bundle to.")],
    rerun: Annotated[
        bool, typer.Option("--rerun", help="Also run the recipe again in a fresh process and compare.")
    ] = False,
) -> None:
    """Run a model once, check the recording, and write it as a bundle.

    module:callable must return (model, args, kwargs).
    """
    _need_torch("record")
    from cutaway import bundle, source, verdict

    found = source.load(target)
    recorded, checks = source.record_source(found)
    bundle.check_free(out_folder)
    outcome = verdict.verify(recorded, checks)
    if rerun and found.files:
        outcome = outcome.with_row(verdict.check_rerun(recorded, found.files))
    held = "source, weights, inputs" if "model.py" in found.files else "weights, inputs, no source text"
    folder = bundle.write(recorded, out_folder, sources=found.files, checks=outcome.to_json())
    size = sum(path.stat().st_size for path in folder.iterdir())
    out.print(f"{_text(str(folder))}: {size / 1000:.0f} kB, holds {held}")
    _print_verdict(outcome)


@app.command(epilog="Example: cutaway verify bert --rerun")
def verify(
    folder: Annotated[Path, typer.Argument(help="A bundle, or a shipped lesson's name.")],
    rerun: Annotated[
        bool, typer.Option("--rerun", help="Run the recipe again in a fresh process and compare every value.")
    ] = False,
    trust: Annotated[
        bool, typer.Option("--trust", help="Run the bundle's own run.py, although it is no shipped lesson.")
    ] = False,
) -> None:
    """Recompute a bundle from what it ships. Exit status: 0 all passed, 1 a check failed, 2 refused, 3 hashes only."""
    from cutaway import bundle, source, verdict

    place = source.find_bundle(str(folder))
    found = bundle.read(place)
    files_row = verdict.files_row(found)
    if importlib.util.find_spec("torch") is None:
        _print_verdict(verdict.Verdict((files_row,)))
        out.print(
            'torch is missing, so only hashes and links were checked; install it with: pip install "cutaway[torch]"'
        )
        raise typer.Exit(HASHES_ONLY)
    outcome = verdict.verify_bundle(found, rerun=rerun, trust=trust)
    _print_verdict(verdict.Verdict((files_row, *outcome.rows)))
    if not outcome.ok:
        raise typer.Exit(1)


@app.command(epilog="Example: cutaway show bert")
def show(folder: Annotated[Path, typer.Argument(help="A bundle, or a shipped lesson's name.")]) -> None:
    """List a bundle's examples, scopes and values by the names that a lesson may use."""
    from cutaway import bundle, source

    found = bundle.read(source.find_bundle(str(folder)))
    facts = found.manifest
    captured = _text(facts["capture"]["date"])
    out.print(f"[bold]{_text(facts['title'])}[/]  revision {facts['revision'][:12]}, captured {captured}")
    out.print(f"examples: {_text(', '.join(example.name for example in found.record.examples))}")
    for number, graph in enumerate(found.record.graphs):
        table = Table("value", "kind", "dtype", "shape", "made by", title=f"graph {number}", title_justify="left")
        for value in graph.values:
            maker = graph.ops[value.op].function if value.op is not None else ""
            names = ", ".join((value.name, *value.also))
            table.add_row(
                _text(names), value.kind, value.dtype, " x ".join(map(str, value.shape)) or "scalar", _text(maker)
            )
        out.print("scopes: " + _text(", ".join(scope.name or "(the model)" for scope in graph.scopes)))
        out.print(table)


@app.command(epilog="Example: cutaway open --port 8000 --no-browser")
def open(
    paths: Annotated[
        list[Path] | None, typer.Argument(help="Bundles; without any, the catalogue of the shipped lessons.")
    ] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on; 0 takes a free one.")] = 0,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page in a browser.")] = True,
) -> None:
    """Serve pages on this machine only, until Ctrl-C."""
    from cutaway import serve, source

    places = [source.find_bundle(str(path)) for path in paths or []]
    serve.open_pages(places, port, browser, lambda line: print(line, flush=True))


@app.command(epilog="Example: cutaway export bert --html bert.html")
def export(
    bundles: Annotated[list[Path], typer.Argument(help="Bundles, or names of shipped lessons.")],
    html: Annotated[Path | None, typer.Option(help="Write one page as a single file.")] = None,
    folder: Annotated[Path | None, typer.Option(help="Write one page as a folder.")] = None,
    site: Annotated[Path | None, typer.Option(help="Write a catalogue and a page for each bundle.")] = None,
) -> None:
    """Write pages that need no Python, no server and no network."""
    from cutaway import export, source

    chosen = [option for option in (html, folder, site) if option is not None]
    if len(chosen) != 1:
        raise TargetError("choose one of --html FILE, --folder DIR and --site DIR")
    places = [source.find_bundle(str(path)) for path in bundles]
    if site is None and len(places) != 1:
        raise TargetError("--html and --folder write one page; name one bundle, or use --site for several")
    if html is not None:
        export.export_html(places[0], html)
    elif folder is not None:
        export.export_folder(places[0], folder)
    elif site is not None:
        export.export_site(places, site)
    out.print(f"wrote {_text(str(chosen[0]))}")


def _print_verdict(outcome: Any) -> None:
    table = Table("verdict", "group", "claim", "measured", show_lines=False)
    for row in outcome.rows:
        table.add_row(MARKS[row.status], row.group, _text(row.claim), _text(row.measured))
    out.print(table)
    not_run = f", {outcome.not_run} not run" if outcome.not_run else ""
    out.print(f"{outcome.passed} passed, {outcome.failed} failed{not_run}")


def _need_torch(command: str) -> None:
    if importlib.util.find_spec("torch") is None:
        raise MissingError(f'cutaway {command} needs torch; install it with: pip install "cutaway[torch]"')


def version(value: bool) -> None:
    if value:
        from cutaway import __version__

        print(f"cutaway {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """See the commands below; each has its own --help with an example."""


if __name__ == "__main__":
    main()
