"""Whole or not at all: files and folders are written beside their place, then renamed into it."""

import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from cutaway.errors import TargetError

INDEX = "cutaway-export.json"


def write_file(file: Path, content: bytes) -> None:
    """Writes one file; whatever goes wrong, `file` is as it was before or whole. Folders on the way are made.

    Raises TargetError where the system refuses.
    """
    with _refusals(file):
        file.parent.mkdir(parents=True, exist_ok=True)
        handle, beside = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(content)
            os.chmod(beside, 0o666 & ~_umask())
            os.replace(beside, file)
        except BaseException:
            os.unlink(beside)
            raise


def write_folder(folder: Path, files: Mapping[str, bytes]) -> None:
    """Writes an export: a folder of files, named by relative paths with forward slashes.

    An index of what was written goes with them, and a folder that stands there already is replaced only if it is
    empty or holds nothing but what such an index names.

    Raises TargetError where another file would be lost, or the system refuses.
    """
    with _refusals(folder):
        check_replaceable(folder)
    replace_folder(folder, {**files, INDEX: _index(files)})


def replace_folder(folder: Path, files: Mapping[str, bytes]) -> None:
    """Makes a folder of exactly these files, whatever stood there; the caller has made sure that it may go.

    Everything is written beside `folder` first. Then two renames put it in place: an error or Ctrl-C undoes the first
    of them, so `folder` is as it was or whole. Raises TargetError where the system refuses, and for the folder that
    this process stands in, which would be renamed away from under it.
    """
    folder = Path(os.path.abspath(folder))
    if Path.cwd().is_relative_to(folder):
        raise TargetError(f"{folder} is the folder you are in: name another, or run the command from outside it")
    with _refusals(folder):
        folder.parent.mkdir(parents=True, exist_ok=True)
        beside = Path(tempfile.mkdtemp(dir=folder.parent, prefix=f".{folder.name}."))
        try:
            new, old = beside / "new", beside / "old"
            new.mkdir()
            for name, data in files.items():
                place = new / PurePosixPath(name)
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(data)
            try:
                if folder.exists():
                    os.rename(folder, old)
                os.rename(new, folder)
            except BaseException:
                if old.exists() and not folder.exists():
                    os.rename(old, folder)
                raise
        finally:
            shutil.rmtree(beside, ignore_errors=True)


def check_replaceable(folder: Path) -> None:
    """Raises TargetError unless `folder` is absent, empty, or holds only what an earlier export wrote."""
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise TargetError(f"{folder} is not a folder: name an empty or new one")
    if not folder.exists():
        return
    files = [path for path in folder.rglob("*") if path.is_symlink() or not path.is_dir()]
    found = {path.relative_to(folder).as_posix() for path in files}
    try:
        written = set(json.loads((folder / INDEX).read_text(encoding="utf-8"))["files"])
    except (OSError, ValueError, KeyError, TypeError):
        written = set()
    strange = sorted(found - written - {INDEX} if written else found)
    if strange:
        more = f" and {len(strange) - 1} more" if len(strange) > 1 else ""
        raise TargetError(f"{folder} holds {strange[0]}{more}, which no export wrote: name an empty or new folder")


def _index(files: Mapping[str, bytes]) -> bytes:
    return (json.dumps({"format": "cutaway-export", "files": sorted(files)}, indent=1) + "\n").encode()


@contextmanager
def _refusals(place: Path) -> Iterator[None]:
    """What the system refuses, as one line."""
    try:
        yield
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise TargetError(f"cannot write {place}: {reason}; choose another place") from error


def _umask() -> int:
    """The process's file mode mask, which can only be read by setting it."""
    mask = os.umask(0o022)
    os.umask(mask)
    return mask
