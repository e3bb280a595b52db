"""tasks.py and web/build.py: what they decide, and how they speak when something is wrong."""

import importlib.util
import json
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parent.parent


def load(path: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(Path(path).stem, ROOT / path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def web(tmp_path: Path) -> Path:
    """A copy of web/'s sources."""
    ignore = shutil.ignore_patterns("node_modules")
    return Path(shutil.copytree(ROOT / "web", tmp_path / "web", ignore=ignore))


def tasks(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, ROOT / "tasks.py", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_stamp_changes_with_every_source_and_with_nothing_else(web: Path) -> None:
    build = load("web/build.py")
    first = build.stamp(web)
    (web / "test" / "more.test.ts").write_text("// a test")
    (web / "node_modules").mkdir()
    assert build.stamp(web) == first
    for path in build.sources(web):
        before = path.read_bytes()
        path.write_bytes(before + b" ")
        assert build.stamp(web) != first, path
        path.write_bytes(before)
    source = web / "src" / "catalogue.ts"
    source.rename(source.with_name("renamed.ts"))
    assert build.stamp(web) != first


@pytest.mark.parametrize(
    ("version", "good"),
    [
        ("v20.19.0", True),
        ("v20.18.3\n", False),
        ("v18.20.4", False),
        ("v21.7.3", False),
        ("v22.11.0", False),
        ("v22.12.0", True),
        ("v24.1.0\n", True),
        ("v100.0.0", True),
        ("no such command", False),
    ],
)
def test_a_node_is_good_enough_where_vite_runs(version: str, good: bool) -> None:
    assert load("web/build.py").good_enough(version) is good


def test_assets_that_came_from_other_sources_are_stale(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build = load("web/build.py")
    monkeypatch.setattr(build, "STATIC", tmp_path)
    monkeypatch.setattr(build, "STAMP", tmp_path / "cutaway.stamp")
    for name in build.ASSETS:
        (tmp_path / name).write_text("built")
    assert not build.fresh()
    build.STAMP.write_text(build.stamp() + "\n")
    assert build.fresh()
    build.STAMP.write_text("0" * 64 + "\n")
    assert not build.fresh()
    build.STAMP.write_text(build.stamp() + "\n")
    (tmp_path / build.ASSETS[0]).unlink()
    assert not build.fresh()


def test_an_unknown_word_is_one_line_that_names_the_words() -> None:
    answer = tasks("tset")
    assert answer.returncode == 2
    assert answer.stderr == ("tasks: unknown word 'tset': the words are setup, run, test, check, bench, record, site\n")


def test_no_word_prints_what_there_is() -> None:
    answer = tasks()
    assert answer.returncode == 2
    assert "run      open the catalogue" in answer.stdout


def test_the_lock_file_holds_no_addresses_and_a_hash_for_each_package() -> None:
    packages = json.loads((ROOT / "web" / "package-lock.json").read_text())["packages"]
    packages.pop("")
    assert packages
    assert not [name for name, entry in packages.items() if "resolved" in entry]
    # What a package brings inside itself is covered by that package's hash.
    assert not [name for name, entry in packages.items() if not entry.get("inBundle") and "integrity" not in entry]


def test_every_version_is_pinned() -> None:
    lines = [line for line in (ROOT / "constraints.txt").read_text().splitlines() if not line.startswith("#")]
    assert "torch==2.13.0" in lines
    assert [line for line in lines if line.count("==") != 1 or ";" in line or "@" in line] == []
    package = json.loads((ROOT / "web" / "package.json").read_text())
    versions = [*package["dependencies"].values(), *package["devDependencies"].values()]
    assert [version for version in versions if not version[0].isdigit()] == []
