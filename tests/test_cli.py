"""The command line: every command shows an example, every bad input is one line and status 2, nothing is left."""

import os
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from graphs import HOSTILE
from tampering import copy_of, edit_graph, edit_json, edit_value, entry_of, seal

import cutaway
from cutaway import bundle, cli, terminal, verdict
from cutaway.source import LESSONS, shipped_bundle
from cutaway.verdict import Row, Verdict

COMMANDS = ["record", "verify", "show", "open", "export"]


class Result:
    """What a command did: exit status and what it printed."""

    def __init__(self, status: int, out: str, err: str) -> None:
        self.status, self.out, self.err = status, out, err


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """Call the program in this process, as a shell would."""
    monkeypatch.delenv("COLUMNS", raising=False)

    def call(*arguments: str | Path) -> Result:
        monkeypatch.setattr(sys, "argv", ["cutaway", *map(str, arguments)])
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            cli.main()
        printed = capsys.readouterr()
        return Result(int(ended.value.code or 0), printed.out, printed.err)

    return call


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to be in; whatever a command leaves stands there."""
    place = tmp_path / "work"
    place.mkdir()
    monkeypatch.chdir(place)
    return place


def program(*arguments: str | Path, **more: object) -> subprocess.CompletedProcess[str]:
    """A real process."""
    environment = {key: value for key, value in os.environ.items() if key != "COLUMNS"} | dict(more.pop("env", {}))
    command = [sys.executable, "-m", "cutaway", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment, **more)


# --- help


def test_the_program_without_a_command_shows_its_help(run: Callable[..., Result]) -> None:
    for arguments in ((), ("--help",), ("-h",)):
        result = run(*arguments)
        assert result.status == 0
        assert result.err == ""
        assert "Example: cutaway record bert-pretraining --out bert" in result.out
        for command in COMMANDS:
            assert re.search(rf"^  {command} +\w", result.out, re.MULTILINE)


@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_of_each_command_has_an_example_of_it(run: Callable[..., Result], command: str) -> None:
    result = run(command, "--help")
    assert result.status == 0
    assert f"Example: cutaway {command} " in result.out
    assert all(len(line) <= 80 for line in result.out.splitlines())


def test_the_version_is_printed(run: Callable[..., Result]) -> None:
    result = run("--version")
    assert (result.status, result.out) == (0, f"cutaway {cutaway.__version__}\n")


# --- bad input


def folder_with(place: Path, **files: str) -> Path:
    place.mkdir()
    for name, text in files.items():
        (place / name.replace("_", ".")).write_text(text, encoding="utf-8")
    return place


def lesson(place: Path, old: str = "", new: str = "", name: str = "lesson.md") -> Path:
    """The XOR lesson with one text of one file replaced, and a shorter training."""
    shutil.copytree(LESSONS / "xor", place, ignore=shutil.ignore_patterns("recorded", "__pycache__"))
    text = (place / name).read_text(encoding="utf-8")
    assert old in text
    (place / name).write_text(text.replace(old, new, 1), encoding="utf-8")
    return place


def sums_line(place: Path, line: str) -> Path:
    sums = place / bundle.SUMS
    sums.write_text(line + sums.read_text())
    return place


def truncated(place: Path) -> Path:
    path = place / "values.safetensors"
    path.write_bytes(path.read_bytes()[:-9])
    return seal(place)


BAD_LESSONS: dict[str, tuple[Callable[[Path], Path], str]] = {
    "a missing scope": (
        lambda p: lesson(p / "l", 'open = ["hidden"]', 'open = ["hiden"]'),
        "no scope is named 'hiden'",
    ),
    "a missing value": (
        lambda p: lesson(p / "l", 'value = "probs"', 'value = "p"'),
        "tour step 3: no value is named 'p'",
    ),
    "a missing cell": (lambda p: lesson(p / "l", 'cells = "[1,:]"', 'cells = "[9,:]"'), "cells = '[9,:]' does not fit"),
    "a tour out of order": (lambda p: lesson(p / "l", "step = 2\n", "step = 5\n"), "tour step 5 stands at place 2"),
    "a decimal in prose": (lambda p: lesson(p / "l", "The network", "It has 0.5. The network"), "0.5 is typed by hand"),
    "an unknown key": (lambda p: lesson(p / "l", "year =", "years ="), "unknown key 'years'"),
    "a recipe that raises": (
        lambda p: lesson(p / "l", "torch.manual_seed(SEED)", "raise ValueError('no')", "run.py"),
        "run.py raised ValueError: no",
    ),
    "a recipe that ends the program": (
        lambda p: lesson(p / "l", "torch.manual_seed(SEED)", "exit(0)", "run.py"),
        "run.py raised SystemExit",
    ),
    "a model that raises": (
        lambda p: lesson(p / "l", ".tanh()", ".tanhh()", "model.py"),
        "the model raised AttributeError in example 'step-0'",
    ),
    "no such target": (lambda p: p / "absent", "is no shipped lesson (bert-pretraining, xor), no folder"),
    "an empty folder": (lambda p: folder_with(p / "empty"), "holds no lesson.md"),
    "two kinds": (
        lambda p: folder_with(p / "two", lesson_md="", run_json="{}"),
        "matches two kinds: a lesson (lesson.md) and a training run",
    ),
    "a name with a script": (lambda p: p / "<", "is no shipped lesson"),
}


@pytest.mark.parametrize("fault", BAD_LESSONS)
def test_what_cannot_be_recorded_is_one_line_and_nothing_is_written(
    run: Callable[..., Result], work: Path, tmp_path: Path, fault: str
) -> None:
    make, part = BAD_LESSONS[fault]
    check_refused(run("record", make(tmp_path), "--out", work / "out"), work, part)


def check_refused(result: Result, work: Path, part: str) -> None:
    assert result.status == 2
    assert result.out == ""
    assert result.err.startswith("cutaway: ")
    assert result.err.count("\n") == 1
    assert part in result.err
    assert "Traceback" not in result.err
    assert os.listdir(work) == []


BAD_BUNDLES: dict[str, tuple[Callable[[Path], Path], str]] = {
    "nothing there": (
        lambda p: p / "absent",
        "absent does not exist; name a bundle or a shipped lesson (bert-pretraining, xor)",
    ),
    "a folder that is no bundle": (lambda p: folder_with(p / "other", notes_txt="x"), "other is no bundle"),
    "another version": (
        lambda p: edit_json(copy_of("xor", p), "manifest.json", lambda m: m.update(version=2)),
        "has format version 2, this cutaway reads 1",
    ),
    "a truncated tensor file": (lambda p: truncated(copy_of("xor", p)), "values.safetensors cannot be read"),
    "a name that climbs": (
        lambda p: sums_line(copy_of("xor", p), f"{'0' * 64}  ../../etc/passwd\n"),
        "line 1 names '../../etc/passwd'",
    ),
    "a changed byte": (
        lambda p: (copy_of("xor", p) / "graph.svg").write_text("x") and p / "xor",
        "graph.svg does not match its SHA-256",
    ),
    "a lesson that names nothing": (
        lambda p: words(copy_of("xor", p), 'value = "probs"', 'value = "p"'),
        "no value is named 'p'",
    ),
}


def words(place: Path, old: str, new: str) -> Path:
    path = place / "lesson.md"
    path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    return seal(place)


@pytest.mark.parametrize("command", ["verify", "show", "html", "folder", "site", "open"])
@pytest.mark.parametrize("fault", BAD_BUNDLES)
def test_a_bundle_that_does_not_hold_is_one_line_and_nothing_is_written(
    run: Callable[..., Result], work: Path, tmp_path: Path, fault: str, command: str
) -> None:
    make, part = BAD_BUNDLES[fault]
    place = make(tmp_path)
    arguments = {
        "html": ("export", place, "--html", work / "page.html"),
        "folder": ("export", place, "--folder", work / "page"),
        "site": ("export", "xor", place, "--site", work / "site"),
        "open": ("open", place, "--no-browser"),
    }
    check_refused(run(*arguments.get(command, (command, place))), work, part)


def test_a_graph_naming_a_function_that_loads_code_is_refused_by_verify(
    run: Callable[..., Result], work: Path, tmp_path: Path
) -> None:
    place = edit_graph(copy_of("xor", tmp_path), lambda g: g["ops"][3].update(function="torch.load"))
    check_refused(run("verify", place), work, "graph.json, graph 0, op 3: refused: 'torch.load' is not one of torch's")


def test_a_port_in_use_is_one_line(run: Callable[..., Result], work: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        check_refused(run("open", "--port", str(port), "--no-browser"), work, str(port))


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (("recrod",), "No such command 'recrod'"), (("verify",), "Missing argument"),
        (("verify", "a", "b"), "extra argument"),
        (("record", "xor"), "Missing option '--out'"), (("show", "xor", "--colour"), "No such option"),
        (("open", "--port", "70000"), "--port"), (("open", "--port", "http"), "--port"),
        (("export", "xor"), "choose one of --html FILE, --folder DIR and --site DIR"),
        (("export", "xor", "--html", "a.html", "--site", "b"), "choose one of"),
        (("export", "xor", "xor", "--html", "a.html"), "name one bundle, or use --site"),
        (("export", "xor", "--html", "page"), "does not end in .html"),
        (("export", "--html", "a.html"), "Missing argument"),
    ],
)  # fmt: skip
def test_a_wrong_call_is_one_line_that_says_what_to_do(
    run: Callable[..., Result], work: Path, arguments: tuple[str, ...], part: str
) -> None:
    check_refused(run(*arguments), work, part)


def test_a_place_that_holds_other_files_is_left_alone_and_said_before_the_run(
    run: Callable[..., Result], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = folder_with(tmp_path / "mine", notes_txt="mine", SHA256SUMS="x")
    monkeypatch.setattr("cutaway.source.load", lambda target: pytest.fail("the model was built"))
    result = run("record", "xor", "--out", mine)
    assert result.status == 2
    assert result.err == f"cutaway: {mine} exists and is no bundle; choose another folder\n"
    assert sorted(os.listdir(mine)) == ["SHA256SUMS", "notes.txt"]


def test_a_place_that_cannot_be_written_is_one_line(run: Callable[..., Result], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    result = run("record", "xor", "--out", tmp_path / "file" / "below")
    assert result.status == 2
    assert result.err.startswith(f"cutaway: cannot write {tmp_path / 'file' / 'below'}: ")
    assert result.err.count("\n") == 1


# --- what is printed


def test_record_writes_a_bundle_that_verify_and_show_read(
    run: Callable[..., Result], work: Path, tmp_path: Path
) -> None:
    made = run("record", lesson(tmp_path / "small"), "--out", "out")
    assert made.status == 0
    assert re.match(r"wrote out: \d+ kB, holds source, weights, inputs\n", made.out)
    assert made.out.endswith("10 passed, 0 failed\n")
    assert os.listdir(work) == ["out"]
    assert bundle.read(work / "out").manifest["checks"]
    checked = run("verify", "out", "--trust")
    assert (checked.status, checked.err) == (0, "")
    assert checked.out.endswith("11 passed, 0 failed, 1 not run\n")
    assert "activations" in run("show", "out").out


@pytest.mark.parametrize(("values", "count"), [("all", 0), ("none", 5)])
def test_values_says_which_contents_are_kept(run: Callable[..., Result], work: Path, values: str, count: int) -> None:
    (work / f"values_{values}.py").write_text(
        "from torch import nn, ones\ndef made(): return nn.Sequential(nn.Linear(2, 2), nn.Tanh()), (ones(2),), {}\n"
    )
    result = run("record", f"values_{values}:made", "--out", "out", "--values", values)
    assert result.status == 0
    record = bundle.read(work / "out").record
    assert record.left_out == count


def test_a_recording_of_no_lesson_says_that_no_source_goes_into_it(
    run: Callable[..., Result], work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (work / "mine_for_the_command.py").write_text(
        "import torch\ndef made(): return torch.nn.Linear(2, 2), (torch.ones(2),), {}\n"
    )
    result = run("record", "mine_for_the_command:made", "--out", "out")
    assert result.status == 0
    assert "holds weights, inputs, no source text" in result.out
    assert sorted(os.listdir("out")) == ["SHA256SUMS", "graph.json", "graph.svg", "manifest.json", "values.safetensors"]
    assert run("verify", "out").out.endswith("0 failed, 1 not run\n")


def test_verify_ends_with_1_when_a_check_fails(run: Callable[..., Result], tmp_path: Path) -> None:
    place = copy_of("xor", tmp_path)
    edit_value(place, entry_of(place, "logits"), lambda a: a.__setitem__(0, 2.0))
    result = run("verify", place)
    assert result.status == 1
    assert result.err == ""
    assert "op 3 (torch.Tensor.squeeze): logits[0] in example 'step-0' differs by" in result.out
    assert re.search(r"\d+ passed, [1-9]\d* failed", result.out.splitlines()[-1])


def test_a_shipped_lesson_is_named_by_its_name(run: Callable[..., Result]) -> None:
    result = run("show", "xor")
    assert result.out.startswith("XOR in two layers  revision ")
    for value in bundle.read(shipped_bundle("xor")).record.graphs[0].values:
        line = next(line for line in result.out.splitlines() if line.strip().startswith(value.name + " "))
        assert value.kind in line
        assert value.dtype in line


def test_export_says_where_the_page_is(run: Callable[..., Result], work: Path) -> None:
    result = run("export", "xor", "--html", "xor.html")
    assert result.out == "wrote xor.html\n"
    assert os.listdir(work) == ["xor.html"]


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_no_line_of_a_table_is_longer_than_the_terminal(
    columns: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    found = bundle.read(shipped_bundle("bert-pretraining"))
    terminal.print_verdict(Verdict(tuple(Row(**row) for row in found.manifest["checks"])))
    checks = capsys.readouterr().out.splitlines()
    terminal.print_contents(found)
    contents = capsys.readouterr().out.splitlines()
    table = contents[contents.index("graph 0") + 2 :]  # names above it are one line, which a terminal wraps
    for lines in (checks, table):
        assert len(lines) > 20
        assert max(map(len, lines)) <= columns


def test_what_goes_into_another_program_has_whole_lines_and_no_colour(run: Callable[..., Result]) -> None:
    for command in ("verify", "show"):
        out = run(command, "xor").out
        assert "\x1b" not in out
    assert "nn.functional.binary_cross_entropy_with_logits" in out
    checked = run("verify", "xor").out
    for claim in (verdict.PRODUCERS, verdict.OPS, verdict.CHAIN, verdict.REPLACED, verdict.RERUN_CLAIM):
        assert any(claim in line for line in checked.splitlines())


NAMES = [name for name in HOSTILE if name != "\ud800"] + [
    "[bold red]x[/]",
    "[/]",
    ":cat:",
    "a\\",
    "\x1b[31mred",
    "x\ry",
    "{{loss}}",
]


@pytest.mark.parametrize("name", NAMES)
def test_a_hostile_name_is_printed_as_text_on_its_line(run: Callable[..., Result], tmp_path: Path, name: str) -> None:
    record = bundle.read(shipped_bundle("xor")).record
    graph = record.graphs[0]
    values = tuple(replace(v, name=name) if v.name == "logits" else v for v in graph.values)
    scopes = tuple(replace(s, name=name) if s.name == "hidden" else s for s in graph.scopes)
    examples = (replace(record.examples[0], name=name),)
    hostile = replace(record, graphs=(replace(graph, values=values, scopes=scopes),), examples=examples, name=name)
    place = bundle.write(hostile, tmp_path / "b")
    result = run("show", place)
    assert (result.status, result.err) == (0, "")
    shown = terminal.visible(name)
    assert "\x1b" not in result.out
    assert "\r" not in result.out
    assert "\u202e" not in result.out
    lines = result.out.splitlines()
    assert lines[0].startswith(f"{shown}  revision ")
    assert f"examples: {shown}" in lines
    assert any(line.strip().startswith(f"{shown} ") and " result " in line for line in lines)


def test_a_hostile_path_is_printed_as_text_on_one_line(run: Callable[..., Result], work: Path) -> None:
    result = run("show", "a\x1b[31m\nb\u202e")
    assert (
        result.err
        == "cutaway: a\\x1b[31m b\\u202e does not exist; name a bundle or a shipped lesson (bert-pretraining, xor)\n"
    )


# --- real processes


@pytest.mark.process
def test_the_exit_statuses_of_a_real_process(tmp_path: Path) -> None:
    place = copy_of("xor", tmp_path)
    assert program("verify", place).returncode == 0
    edit_value(place, entry_of(place, "logits"), lambda a: a.__setitem__(0, 2.0))
    assert program("verify", place).returncode == 1
    (place / "graph.svg").write_text("x")
    done = program("verify", place)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""


WITHOUT_TORCH = """
import sys
class NoTorch:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "torch":
            raise ModuleNotFoundError("No module named 'torch'", name="torch")
sys.meta_path.insert(0, NoTorch())
import importlib.util
real = importlib.util.find_spec
importlib.util.find_spec = lambda name, package=None: None if name == "torch" else real(name, package)
from cutaway.cli import main
sys.argv = ["cutaway", *sys.argv[1:]]
main()
"""


def without_torch(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", WITHOUT_TORCH, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.process
def test_without_torch_verify_checks_hashes_only_and_ends_with_3(tmp_path: Path) -> None:
    done = without_torch("verify", "xor")
    assert done.returncode == 3
    assert "1 passed, 0 failed" in done.stdout
    assert (
        'only hashes and links were checked: the rest needs torch; install it with: pip install "torch>=2.13"'
        in done.stdout
    )
    place = copy_of("xor", tmp_path)
    (place / "run.py").write_text("")
    done = without_torch("verify", place)
    assert done.returncode == 2
    assert "run.py does not match its SHA-256" in done.stderr


@pytest.mark.process
def test_without_torch_everything_but_recording_works(tmp_path: Path) -> None:
    assert without_torch("show", "bert-pretraining").returncode == 0
    assert without_torch("export", "xor", "--html", tmp_path / "page.html").returncode == 0
    done = without_torch("record", "xor", "--out", tmp_path / "out")
    assert done.returncode == 2
    assert done.stderr == 'cutaway: cutaway record needs torch; install it with: pip install "torch>=2.13"\n'
    assert os.listdir(tmp_path) == ["page.html"]


@pytest.mark.process
@pytest.mark.parametrize("command", ["show", "verify"])
def test_a_reader_that_goes_away_leaves_no_traceback(command: str) -> None:
    line = f"{sys.executable} -m cutaway {command} bert-pretraining | head -1"
    done = subprocess.run(line, shell=True, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert len(done.stdout.splitlines()) == 1


@pytest.mark.process
def test_a_terminal_without_the_characters_gets_escapes() -> None:
    done = program("verify", "xor", env={"PYTHONIOENCODING": "ascii"})
    assert (done.returncode, done.stderr) == (0, "")
    assert "\\u2713 passed" in done.stdout


@pytest.mark.process
def test_a_recipe_s_traceback_is_one_line_in_a_real_process(tmp_path: Path) -> None:
    place = lesson(tmp_path / "l", "torch.manual_seed(SEED)", "raise ValueError('two\\nlines')", "run.py")
    done = program("record", place, "--out", tmp_path / "out")
    assert done.returncode == 2
    assert done.stderr == f"cutaway: {place}/run.py raised ValueError: two lines; import it in Python to see where\n"
    assert os.listdir(tmp_path) == ["l"]


@pytest.mark.process
def test_the_program_starts_without_loading_torch() -> None:
    parts = ", ".join(f"cutaway.{name}" for name in ("cli", "bundle", "verdict", "terminal", "source", "export"))
    code = f"import sys, {parts}; print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


@pytest.mark.parametrize(("language", "first"), [("dot", "digraph model {"), ("mermaid", "flowchart TB")])
def test_show_prints_the_graph_for_other_tools(run: Callable[..., Result], language: str, first: str) -> None:
    result = run("show", "xor", "--graph", language)
    assert result.status == 0
    assert result.out.splitlines()[0] == first
    assert "tanh" in result.out
