"""The command line: each command parses, makes one library call, and prints. Errors are one line and exit status 2."""

import importlib.util
import os
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from cutaway.errors import CutawayError, TargetError, torch_missing

app = typer.Typer(
    name="cutaway",
    help="Record one run of a PyTorch model, verify it, and read every number on a page.",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Example: cutaway record bert-pretraining --out bert; cutaway export bert --html bert.html",
)

HASHES_ONLY = 3  # exit status: torch is missing, so only hashes and links were checked


def main() -> None:
    """Entry point of the `cutaway` program."""
    for stream in (sys.stdout, sys.stderr):  # a terminal that lacks a character gets its escape
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        status = app(standalone_mode=False)
        sys.stdout.flush()
    except CutawayError as error:
        _fail(str(error))
    except (typer.Abort, KeyboardInterrupt):
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
    raise SystemExit(status if isinstance(status, int) else 0)


def _fail(message: str) -> None:
    from cutaway.terminal import visible

    print(f"cutaway: {visible(' '.join(message.split()))}", file=sys.stderr)
    raise SystemExit(2)


class Values(StrEnum):
    """What `record --values` takes."""

    auto = "auto"
    all = "all"
    none = "none"


class Drawing(StrEnum):
    """What `show --graph` takes."""

    dot = "dot"
    mermaid = "mermaid"


@app.command(epilog="Example: cutaway record bert-pretraining --out bert --values all")
def record(
    target: Annotated[str, typer.Argument(help="A shipped lesson's name, a lesson folder, or module:callable.")],
    out_folder: Annotated[Path, typer.Option("--out", help="Folder to write the bundle to.")],
    rerun: Annotated[
        bool, typer.Option("--rerun", help="Also run the recipe again in a fresh process and compare.")
    ] = False,
    values: Annotated[
        Values,
        typer.Option(
            help="Which contents to keep: all, none, or (auto) inputs, weights, constants and outputs, "
            "and of the rest the smallest up to 32 MB in all."
        ),
    ] = Values.auto,
) -> None:
    """Run a model once, check the recording, and write it as a bundle.

    module:callable must return (model, args, kwargs). A check that fails is kept in the bundle and printed; only
    `cutaway verify` exits with 1 for it.
    """
    _need_torch("record")
    from cutaway import bundle, source, terminal, verdict

    bundle.check_free(out_folder)
    found = source.load(target)
    recorded, checks = source.record_source(found, values.value)
    outcome = verdict.verify(recorded, checks)
    if rerun and found.files:
        outcome = outcome.with_row(verdict.check_rerun(recorded, found.files))
    held = "source, weights, inputs" if "model.py" in found.files else "weights, inputs, no source text"
    folder = bundle.write(recorded, out_folder, sources=found.files, verdict=outcome)
    size = sum(path.stat().st_size for path in folder.iterdir())
    missing = f", {recorded.left_out} values left out (--values all keeps them)" if recorded.left_out else ""
    terminal.say(f"wrote {folder}: {size / 1000:.0f} kB, holds {held}{missing}")
    terminal.print_verdict(outcome)


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
    from cutaway import bundle, source, terminal, verdict

    place = source.find_bundle(str(folder))
    found = bundle.read(place)
    files_row = verdict.files_row(found)
    if importlib.util.find_spec("torch") is None:
        terminal.print_verdict(verdict.Verdict((files_row,)))
        terminal.say(f"only hashes and links were checked: {torch_missing('the rest')}")
        raise typer.Exit(HASHES_ONLY)
    outcome = verdict.verify_bundle(found, rerun=rerun, trust=trust)
    terminal.print_verdict(verdict.Verdict((files_row, *outcome.rows)))
    if not outcome.ok:
        raise typer.Exit(1)


@app.command(epilog="Example: cutaway show bert --graph mermaid")
def show(
    folder: Annotated[Path, typer.Argument(help="A bundle, or a shipped lesson's name.")],
    graph: Annotated[Drawing | None, typer.Option(help="Print the (first) graph in this language instead.")] = None,
) -> None:
    """List a bundle's examples, scopes and values by the names that a lesson may use."""
    from cutaway import bundle, picture, source, terminal

    found = bundle.read(source.find_bundle(str(folder)))
    if graph is None:
        terminal.print_contents(found)
    else:
        draw = picture.dot if graph is Drawing.dot else picture.mermaid
        print(draw(found.record.graphs[0]), end="")


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
    from cutaway import export, source, terminal

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
    terminal.say(f"wrote {chosen[0]}")


def _need_torch(command: str) -> None:
    if importlib.util.find_spec("torch") is None:
        raise torch_missing(f"cutaway {command}")


def version(value: bool) -> None:
    if value:
        from cutaway import __version__

        print(f"cutaway {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def options(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Record one run of a PyTorch model, verify it, and read every number on a page.

    See the commands below; each has its own --help with an example.
    """
    if context.invoked_subcommand is None:
        print(context.get_help())


if __name__ == "__main__":
    main()
