"""Writing whole or not at all."""

import json
import os
from pathlib import Path

import pytest

from cutaway import folder
from cutaway.errors import TargetError
from cutaway.folder import INDEX, write_file, write_folder

FILES = {"index.html": b"<p>one</p>", "bert/index.html": b"<p>two</p>"}


def everything(place: Path) -> dict[str, bytes]:
    return {path.relative_to(place).as_posix(): path.read_bytes() for path in place.rglob("*") if path.is_file()}


def test_a_folder_holds_the_files_and_an_index_of_them(tmp_path: Path) -> None:
    write_folder(tmp_path / "a" / "site", FILES)
    found = everything(tmp_path / "a" / "site")
    assert json.loads(found.pop(INDEX))["files"] == sorted(FILES)
    assert found == FILES


def test_a_second_export_replaces_the_first_and_leaves_nothing_of_it(tmp_path: Path) -> None:
    write_folder(tmp_path / "site", FILES)
    write_folder(tmp_path / "site", {"index.html": b"new"})
    assert set(everything(tmp_path / "site")) == {"index.html", INDEX}
    assert os.listdir(tmp_path) == ["site"]


def test_an_empty_folder_may_be_written_into(tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    write_folder(tmp_path / "site", FILES)
    assert (tmp_path / "site" / "index.html").read_bytes() == FILES["index.html"]


@pytest.mark.parametrize("after_export", [False, True])
def test_a_folder_with_a_file_of_someone_else_is_left_alone(tmp_path: Path, after_export: bool) -> None:
    site = tmp_path / "site"
    site.mkdir()
    if after_export:
        write_folder(site, FILES)
    (site / "notes.txt").write_text("mine")
    before = everything(site)
    with pytest.raises(TargetError, match=r"notes\.txt, which no export wrote: name an empty or new folder"):
        write_folder(site, {"index.html": b"new"})
    assert everything(site) == before
    assert os.listdir(tmp_path) == ["site"]


@pytest.mark.parametrize("index", ["", "[]", '{"files": 3}', "{}"])
def test_a_folder_with_a_broken_index_is_left_alone(tmp_path: Path, index: str) -> None:
    site = tmp_path / "site"
    site.mkdir()
    (site / INDEX).write_text(index)
    with pytest.raises(TargetError, match="which no export wrote"):
        write_folder(site, FILES)


def test_a_file_or_link_in_the_folders_place_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    for name in ("file", "link"):
        with pytest.raises(TargetError, match="is not a folder"):
            write_folder(tmp_path / name, FILES)


def test_a_failure_while_writing_leaves_the_earlier_export_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = tmp_path / "site"
    write_folder(site, FILES)
    before = everything(site)
    real = os.rename

    def fail_at_the_second(source: Path, target: Path) -> None:
        if Path(target) == site and Path(source).name == "new":
            raise OSError(28, "No space left on device")
        real(source, target)

    monkeypatch.setattr(folder.os, "rename", fail_at_the_second)
    with pytest.raises(TargetError, match="no space left on device; choose another place"):
        write_folder(site, {"index.html": b"new"})
    assert everything(site) == before
    assert os.listdir(tmp_path) == ["site"]


def test_a_failure_while_writing_a_file_leaves_the_earlier_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = tmp_path / "page.html"
    page.write_text("old")

    def fail(source: str, target: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(folder.os, "replace", fail)
    with pytest.raises(TargetError, match="no space left on device"):
        write_file(page, b"new")
    assert page.read_text() == "old"
    assert os.listdir(tmp_path) == ["page.html"]


def test_a_written_file_has_the_usual_rights(tmp_path: Path) -> None:
    (tmp_path / "usual").write_text("")
    write_file(tmp_path / "page.html", b"new")
    assert (tmp_path / "page.html").stat().st_mode == (tmp_path / "usual").stat().st_mode


def test_a_place_below_a_file_is_one_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(TargetError, match="cannot write"):
        write_file(tmp_path / "file" / "page.html", b"new")
    with pytest.raises(TargetError, match="cannot write"):
        write_folder(tmp_path / "file" / "site", FILES)


@pytest.mark.parametrize("stopped", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_stop_between_the_two_renames_leaves_the_old_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stopped: BaseException
) -> None:
    place = tmp_path / "page"
    write_folder(place, {"index.html": b"old"})
    rename, calls = os.rename, []

    def stop_at_the_second(source: Path, target: Path) -> None:
        calls.append(target)
        if len(calls) == 2:
            raise stopped
        rename(source, target)

    monkeypatch.setattr(os, "rename", stop_at_the_second)
    with pytest.raises((TargetError, KeyboardInterrupt)):
        write_folder(place, {"index.html": b"new"})
    assert (place / "index.html").read_bytes() == b"old"
    assert [path.name for path in tmp_path.iterdir()] == ["page"]


def test_the_folder_one_stands_in_is_not_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(TargetError, match="is the folder you are in"):
        write_folder(Path("."), {"index.html": b"new"})
    assert list(tmp_path.iterdir()) == []
