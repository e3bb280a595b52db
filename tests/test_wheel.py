"""The built package, installed where nothing of the checkout and no torch can be reached."""

import json
import os
import subprocess
import sys
import tarfile
import tomllib
import urllib.request
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]

pytestmark = pytest.mark.slow


def run(*command: str | Path, cwd: Path, path: str | None = None) -> str:
    """The command's output; it runs without PYTHONPATH, so that only what is installed is found."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    if path is not None:
        environment["PATH"] = path
    words = [str(part) for part in command]
    answer = subprocess.run(words, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, f"{' '.join(words)}\n{answer.stdout}\n{answer.stderr}"
    return answer.stdout


def build(target: str, source: Path, into: Path, path: str | None = None) -> Path:
    run(sys.executable, "-m", "hatchling", "build", "-t", target, "-d", into, cwd=source, path=path)
    (built,) = into.iterdir()
    return built


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build("wheel", ROOT, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build("sdist", ROOT, tmp_path_factory.mktemp("sdist"))


def install(place: Path, *packages: str | Path) -> Path:
    """A new environment with these packages; its folder of programs."""
    venv.create(place, with_pip=True)
    programs = place / ("Scripts" if os.name == "nt" else "bin")
    run(programs / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages, cwd=place)
    return programs


@pytest.fixture(scope="module")
def plain(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with the wheel as pinned and nothing more."""
    return install(tmp_path_factory.mktemp("plain"), "--constraint", ROOT / "constraints.txt", wheel)


@pytest.fixture(scope="module")
def oldest(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with the oldest version of each dependency that the package's metadata allows."""
    lowest = [line.replace(">=", "==") for line in PROJECT["dependencies"]]
    return install(tmp_path_factory.mktemp("oldest"), *lowest, wheel)


def test_the_wheel_carries_the_built_assets_and_the_recorded_lessons(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    assert {"cutaway/static/cutaway.js", "cutaway/static/cutaway.css", "cutaway/py.typed"} <= names
    for lesson in ("bert-pretraining", "xor"):
        for name in ("lesson.md", "model.py", "run.py", "recorded/manifest.json", "recorded/values.safetensors"):
            assert f"cutaway/lessons/{lesson}/{name}" in names
    assert not [name for name in names if "node_modules" in name or name.startswith(("tests", "web"))]


def test_the_sdist_makes_the_same_wheel_where_there_is_no_node(sdist: Path, wheel: Path, tmp_path: Path) -> None:
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path / "source", filter="data")
    (source,) = (tmp_path / "source").iterdir()
    (tmp_path / "empty").mkdir()
    again = build("wheel", source, tmp_path / "again", path=str(tmp_path / "empty"))
    with zipfile.ZipFile(wheel) as one, zipfile.ZipFile(again) as other:
        assert {item.filename: item.CRC for item in one.infolist()} == {
            item.filename: item.CRC for item in other.infolist()
        }


USE_EACH_NAME_TWICE = """
import json, sys
import cutaway
found = {}
for turn in range(2):
    for name in cutaway.__all__:
        try:
            thing = getattr(cutaway, name)
            assert callable(thing), (name, thing)
            assert found.setdefault(name, thing) is thing, name
        except cutaway.CutawayError as error:
            assert found.setdefault(name, str(error)) == str(error), name
print(json.dumps({name: thing if isinstance(thing, str) else "there" for name, thing in found.items()}))
assert "torch" not in sys.modules or len(sys.argv) > 1
"""


def test_every_public_name_can_be_used_twice_without_torch(plain: Path, tmp_path: Path) -> None:
    found = json.loads(run(plain / "python", "-c", USE_EACH_NAME_TWICE, cwd=tmp_path))
    missing = {name: words for name, words in found.items() if words != "there"}
    assert set(missing) == {"record", "Recorder"}
    assert all(
        words == f'cutaway.{name} needs torch; install it with: pip install "torch>=2.13"'
        for name, words in missing.items()
    )
    assert {"read", "write", "verify", "CutawayError"} <= set(found)


def test_verifying_a_record_without_torch_says_what_to_install(plain: Path, tmp_path: Path) -> None:
    code = """
from cutaway import export, read, verify
try:
    verify(read(export.shipped()[0]).record)
except Exception as error:
    print(type(error).__name__, error)
"""
    words = run(plain / "python", "-c", code, cwd=tmp_path).strip()
    assert words == 'MissingError verify needs torch; install it with: pip install "torch>=2.13"'


def test_every_public_name_can_be_used_twice_with_torch(tmp_path: Path) -> None:
    found = json.loads(run(sys.executable, "-c", USE_EACH_NAME_TWICE, "torch", cwd=tmp_path))
    assert set(found.values()) == {"there"}
    assert {"record", "Recorder"} <= set(found)


def test_the_catalogue_and_a_page_open_without_torch(plain: Path, tmp_path: Path) -> None:
    command = [str(plain / "cutaway"), "open", "--no-browser"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            address = next(word for word in server.stdout.readline().split() if word.startswith("http"))
            catalogue = urllib.request.urlopen(address).read().decode()
            page = urllib.request.urlopen(f"{address}bert-pretraining/").read().decode()
            script = urllib.request.urlopen(f"{address}cutaway.js").read()
        finally:
            server.terminate()
    assert "BERT pretraining" in catalogue
    assert 'id="cutaway-data"' in page
    assert len(script) > 10_000


REWRITE = """
import sys
from cutaway import bundle, export
path = export.shipped()[0]
model = bundle.read(path)
from cutaway.verdict import Row, Verdict
verdict = Verdict(tuple(Row(**row) for row in model.manifest["checks"]))
sources = {name: model.files[name] for name in bundle.OPTIONAL if name in model.files}
again = bundle.read(bundle.write(model.record, sys.argv[1], sources=sources, verdict=verdict))
assert all(again.files[name] == model.files[name] for name in bundle.CONTENT), "another bundle was written"
print(path)
"""


def test_the_oldest_dependencies_allowed_write_the_same_bundle_and_the_same_figures(
    oldest: Path, plain: Path, tmp_path: Path
) -> None:
    for name, programs in {"oldest": oldest, "plain": plain}.items():
        bundle = run(programs / "python", "-c", REWRITE, tmp_path / name, cwd=tmp_path).strip()
        run(programs / "cutaway", "export", bundle, "--html", f"{name}.html", cwd=tmp_path)
        run(programs / "cutaway", "--help", cwd=tmp_path)
    first, second = (cells((tmp_path / f"{name}.html").read_text(encoding="utf-8")) for name in ("oldest", "plain"))
    assert len(first) > 100
    assert first == second


def cells(page: str) -> list[str]:
    """The contents of every table cell, in order."""
    return [part.partition("</td>")[0].rpartition(">")[2] for part in page.split("<td")[1:]]
