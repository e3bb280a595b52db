"""What `cutaway record TARGET` names: a lesson that ships, a lesson folder, or "module:callable" -> Source."""

import importlib
import importlib.util
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from cutaway.bundle import OPTIONAL
from cutaway.errors import CutawayError, LessonError, TargetError
from cutaway.lesson import parse
from cutaway.recipe import Check, Example
from cutaway.recorded import Record
from cutaway.references import check_references

if TYPE_CHECKING:
    from cutaway.recording.thinning import Values

LESSONS = Path(__file__).parent / "lessons"
MARKS = {"lesson.md": "a lesson", "config.json": "a checkpoint", "run.json": "a training run"}


@dataclass(frozen=True)
class Source:
    """A model to record, the examples to record it on, the checks to make, and the files that travel with it."""

    name: str
    model: Callable[..., Any]
    run: Callable[[], Iterator[Example | Check]]
    gradients: tuple[str, ...] = ()
    files: Mapping[str, bytes] = field(default_factory=dict)

    def checks(self) -> tuple[Check, ...]:
        """The checks that the recipe yields; its examples are passed over."""
        return tuple(item for item in self.run() if isinstance(item, Check))


def shipped_lessons() -> list[str]:
    """Names of the lessons that come with cutaway, in alphabetical order."""
    return sorted(path.parent.name for path in LESSONS.glob("*/lesson.md"))


def shipped_bundle(name: str) -> Path:
    """The recorded bundle of a shipped lesson."""
    return LESSONS / name / "recorded"


def find_bundle(target: str) -> Path:
    """The bundle that a path or a shipped lesson's name means; the name counts only where no such path exists.

    Raises TargetError where there is neither, and for a lesson that was not recorded yet.
    """
    path = Path(target)
    if not path.exists() and not path.is_symlink():
        if target in shipped_lessons():
            return shipped_bundle(target)
        raise TargetError(
            f"{target} does not exist; name a bundle or a shipped lesson ({', '.join(shipped_lessons())})"
        )
    if (path / "lesson.md").is_file() and not (path / "manifest.json").exists():
        raise TargetError(f"{target} is a lesson, no bundle; record it first: cutaway record {target} --out BUNDLE")
    return path


def load(target: str) -> Source:
    """Find and build what a target names. Runs the target's code; needs torch for a lesson.

    Raises TargetError when nothing or two kinds match, LessonError when the recipe does not hold what it should.
    """
    folder = Path(target)
    if not folder.exists() and target in shipped_lessons():
        return load_lesson(LESSONS / target)
    if folder.is_dir():
        found = [mark for mark in MARKS if (folder / mark).is_file()]
        if len(found) > 1:
            kinds = " and ".join(f"{MARKS[mark]} ({mark})" for mark in found)
            raise TargetError(f"{folder} matches two kinds: {kinds}; keep one of the files")
        if found == ["lesson.md"]:
            return load_lesson(folder)
        if found:
            raise TargetError(
                f"{folder} is {MARKS[found[0]]} ({found[0]}), which this version cannot record; name a lesson"
            )
        raise TargetError(
            f"{folder} holds no lesson.md; a lesson folder has lesson.md, model.py and run.py (docs/lesson.md)"
        )
    if ":" in target:
        return _load_callable(target)
    raise TargetError(
        f"{target!r} is no shipped lesson ({', '.join(shipped_lessons())}), no folder, and not module:callable; "
        "name one of them"
    )


def load_lesson(folder: Path) -> Source:
    """Build a lesson folder's model; its recipe's examples and checks come when `run` is called."""
    files = lesson_files(folder)
    for name in ("run.py", "lesson.md"):
        if name not in files:
            raise LessonError(f"{folder} has no {name}; a lesson needs it (docs/lesson.md)")
    parse(files["lesson.md"])  # a fault of form is said before any code runs
    with _importable(folder):
        recipe = _module(folder)
        for name in ("model", "run"):
            if not callable(getattr(recipe, name, None)):
                raise LessonError(f"{folder}/run.py defines no function {name}(); see docs/lesson.md")
        with _own_errors(folder):
            model = recipe.model()

    def run() -> Iterator[Example | Check]:
        with _importable(folder), _own_errors(folder):
            for item in _iterated(recipe.run(model), folder):
                if not isinstance(item, (Example, Check)):
                    kind = type(item).__name__
                    raise LessonError(f"{folder}/run.py yields {kind}; it may yield cutaway.Example and cutaway.Check")
                yield item

    return Source(folder.resolve().name, model, run, _gradients(recipe, folder), files)


def _iterated(made: Any, folder: Path) -> Iterator[Any]:
    if not isinstance(made, Iterable):
        raise LessonError(f"{folder}/run.py: run() returns {type(made).__name__}; let it yield examples and checks")
    return iter(made)


def _gradients(recipe: ModuleType, folder: Path) -> tuple[str, ...]:
    names = getattr(recipe, "gradients", [])
    if not isinstance(names, (list, tuple)) or not all(isinstance(name, str) for name in names):
        raise LessonError(f"{folder}/run.py: gradients = {names!r} is no list of value names")
    return tuple(names)


def lesson_files(folder: Path) -> dict[str, bytes]:
    """The files of a lesson folder that travel in its bundle."""
    return {name: (folder / name).read_bytes() for name in OPTIONAL if (folder / name).is_file()}


@contextmanager
def unpacked(files: Mapping[str, bytes]) -> Iterator[Path]:
    """A bundle's lesson files as a folder, gone after the block."""
    with tempfile.TemporaryDirectory(prefix="cutaway-") as name:
        for file in OPTIONAL:
            if file in files:
                (Path(name) / file).write_bytes(files[file])
        yield Path(name)


@contextmanager
def _importable(folder: Path) -> Iterator[None]:
    """The folder's modules can be imported inside the block, and are forgotten after it.

    Two lessons may both have a model.py; neither may answer for the other.
    """
    path = str(folder.resolve())
    local = [file.stem for file in folder.glob("*.py")]
    hidden = {name: sys.modules.pop(name) for name in local if name in sys.modules}
    sys.path.insert(0, path)
    try:
        yield
    finally:
        sys.path.remove(path)
        for name in local:
            sys.modules.pop(name, None)
        sys.modules.update(hidden)


def _module(folder: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("run", folder / "run.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    with _own_errors(folder):
        spec.loader.exec_module(module)
    return module


@contextmanager
def _own_errors(folder: Path) -> Iterator[None]:
    """What a recipe raises becomes one line that names it; it cannot end the program either."""
    try:
        yield
    except CutawayError:
        raise
    except (Exception, SystemExit) as error:
        raise LessonError(
            f"{folder}/run.py raised {type(error).__name__}: {error}; import it in Python to see where"
        ) from error


def record_source(source: Source, values: "Values" = "auto") -> tuple[Record, tuple[Check, ...]]:
    """Record each example when the recipe yields it, so that a recipe may train its model in between.

    values: which contents are kept, as for Recorder.
    Raises RecordingError when a run cannot be recorded, LessonError when the recipe raises or lesson.md names what was
    not recorded.
    """
    from cutaway.recording import Recorder

    checks: list[Check] = []
    with Recorder(source.model, gradients=source.gradients, name=source.name, values=values) as recorder:
        for item in source.run():
            if isinstance(item, Example):
                recorder.add(item)
            else:
                checks.append(item)
    if not recorder.names:
        raise LessonError(f"{source.name}: run.py yields no cutaway.Example; yield at least one")
    record = recorder.record
    if "lesson.md" in source.files:
        check_references(parse(source.files["lesson.md"]), record)
    return record, tuple(checks)


def _load_callable(target: str) -> Source:
    name, _, attribute = target.partition(":")
    sys.path.insert(0, "")
    try:
        found: Any = importlib.import_module(name)
        for part in attribute.split("."):
            found = getattr(found, part)
        made = found() if callable(found) else found
    except (Exception, SystemExit) as error:
        raise TargetError(
            f"{target!r} cannot be loaded: {type(error).__name__}: {error}; import it in Python to see where"
        ) from error
    finally:
        sys.path.remove("")
    whole = isinstance(made, tuple) and len(made) == 3 and callable(made[0]) and isinstance(made[2], Mapping)
    if not whole or not all(isinstance(name, str) for name in made[2]):
        raise TargetError(f"{target!r} must return (model, args, kwargs), such as (model, (x,), {{}})")
    model, args, kwargs = made
    args = tuple(args) if isinstance(args, (tuple, list)) else (args,)
    return Source(attribute.rpartition(".")[2] or name, model, lambda: iter([Example("example", *args, **kwargs)]))


def is_shipped(files: Mapping[str, bytes], name: str) -> bool:
    """Whether a bundle's own code is, byte for byte, that of the shipped lesson of its name."""
    if name not in shipped_lessons():
        return False
    own = lesson_files(LESSONS / name)
    return all(files.get(file) == own.get(file) for file in ("model.py", "run.py", "reference.json"))
