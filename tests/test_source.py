"""What `cutaway record` is given: shipped lessons, lesson folders, module:callable; each fault is one line."""

import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from cutaway import source
from cutaway.errors import CutawayError, LessonError, RecordingError, TargetError
from cutaway.source import LESSONS, find_bundle, is_shipped, load, load_lesson, record_source, shipped_lessons, unpacked

RECIPE = """
import torch
import cutaway
from model import Net

def model():
    return Net()

def run(model):
    yield cutaway.Example("one", torch.ones(2))
    yield cutaway.Check("fine", "It holds.", lambda record, replay: cutaway.Measured(True, 1, "fine"))
"""
LESSON = """+++
title = "t"
question = "q"
promise = "p"
family = "f"
year = 2026
curator = "c"
licence = "l"
credits = []
simplified = []
not_claimed = []
+++
It doubles.
"""
MODEL = """
import torch

class Net(torch.nn.Module):
    def forward(self, x):
        doubled = x * 2
        return doubled
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A small lesson that can be recorded."""
    place = tmp_path / "small"
    place.mkdir()
    (place / "lesson.md").write_text(LESSON)
    (place / "model.py").write_text(MODEL)
    (place / "run.py").write_text(RECIPE)
    return place


def refused(act: Callable[[], object], kind: type[CutawayError], *parts: str) -> None:
    with pytest.raises(kind) as caught:
        act()
    message = str(caught.value)
    for part in parts:
        assert part in message


def recorded(folder: Path, recipe: str) -> Callable[[], object]:
    (folder / "run.py").write_text(recipe)
    return lambda: record_source(load_lesson(folder))


def test_the_shipped_lessons_are_named() -> None:
    assert shipped_lessons() == ["bert-pretraining", "xor"]


def test_a_lesson_folder_gives_examples_checks_and_its_files(folder: Path) -> None:
    found = load(str(folder))
    record, checks = record_source(found)
    assert found.name == record.name == "small"
    assert [example.name for example in record.examples] == ["one"]
    assert [check.id for check in checks] == [check.id for check in found.checks()] == ["fine"]
    assert set(found.files) == {"lesson.md", "model.py", "run.py"}
    assert record.array("one", "doubled").tolist() == [2, 2]


def test_two_lessons_each_get_their_own_model(folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    shutil.copytree(folder, other)
    (other / "model.py").write_text(MODEL.replace("* 2", "* 3"))
    first, second = load(str(folder)), load(str(other))
    assert record_source(first)[0].array("one", "doubled").tolist() == [2, 2]
    assert record_source(second)[0].array("one", "doubled").tolist() == [3, 3]
    assert "model" not in sys.modules
    assert str(folder) not in sys.path


def test_a_module_of_the_caller_called_model_is_still_there_afterwards(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = object()
    monkeypatch.setitem(sys.modules, "model", mine)
    load(str(folder))
    assert sys.modules["model"] is mine


def test_a_folder_stands_before_a_shipped_lesson_of_its_name(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.rename(tmp_path / "xor")
    monkeypatch.chdir(tmp_path)
    assert load("xor").files["run.py"] == RECIPE.encode()
    with pytest.raises(TargetError, match=r"^xor is a lesson, no bundle; record it first: cutaway record xor --out"):
        find_bundle("xor")
    monkeypatch.chdir("/")
    assert load("xor").files["run.py"] == (LESSONS / "xor" / "run.py").read_bytes()
    assert find_bundle("xor") == LESSONS / "xor" / "recorded"


# --- targets


def test_a_target_that_is_nothing_is_refused_with_what_there_is() -> None:
    refused(
        lambda: load("nothere"), TargetError, "'nothere' is no shipped lesson (bert-pretraining, xor)", "name one of"
    )


def test_a_folder_that_matches_two_kinds_is_refused_naming_both(folder: Path) -> None:
    (folder / "config.json").write_text("{}")
    refused(
        lambda: load(str(folder)),
        TargetError,
        "two kinds: a lesson (lesson.md) and a checkpoint (config.json)",
        "keep one",
    )


@pytest.mark.parametrize(("mark", "what"), [("config.json", "a checkpoint"), ("run.json", "a training run")])
def test_a_folder_of_a_kind_that_cannot_be_recorded_is_named(tmp_path: Path, mark: str, what: str) -> None:
    (tmp_path / mark).write_text("{}")
    refused(
        lambda: load(str(tmp_path)),
        TargetError,
        f"is {what} ({mark}), which this version cannot record",
        "name a lesson",
    )


def test_an_empty_folder_is_refused_with_what_belongs_there(tmp_path: Path) -> None:
    refused(lambda: load(str(tmp_path)), TargetError, "holds no lesson.md", "has lesson.md, model.py and run.py")


def test_a_lesson_without_a_recipe_is_refused(folder: Path) -> None:
    (folder / "run.py").unlink()
    refused(lambda: load(str(folder)), LessonError, "has no run.py; a lesson needs it")


def test_a_fault_in_the_words_is_said_before_any_code_runs(folder: Path) -> None:
    (folder / "run.py").write_text("raise ValueError('it ran')")
    (folder / "lesson.md").write_text(LESSON.replace("year", "years"))
    refused(lambda: load(str(folder)), LessonError, "unknown key 'years'")


def test_a_name_that_was_not_recorded_is_said_by_the_recording(folder: Path) -> None:
    (folder / "lesson.md").write_text(LESSON.replace("It doubles.", "It gives {{tripled[0]}}."))
    refused(lambda: record_source(load(str(folder))), LessonError, "{{tripled[0]}}: no value named 'tripled'")


# --- recipes

RECIPE_FAULTS = {
    "raises at import": ("raise ValueError('too early')", "run.py raised ValueError: too early; import it in Python"),
    "is no Python": ("def model(:", "run.py raised SyntaxError"),
    "imports what is not there": ("import absent_module_of_mine", "run.py raised ModuleNotFoundError: No module named"),
    "ends the program": ("import sys; sys.exit(0)", "run.py raised SystemExit: 0"),
    "has no model()": (RECIPE.replace("def model", "def models"), "run.py defines no function model()"),
    "has no run()": (RECIPE.replace("def run", "def runs"), "run.py defines no function run()"),
    "has a run that is no function": (RECIPE + "\nrun = 3", "run.py defines no function run()"),
    "raises in model()": (
        RECIPE.replace("return Net()", "raise KeyError('weights')"),
        "run.py raised KeyError: 'weights'",
    ),
    "raises in run()": (RECIPE + "    raise OSError('no data')\n", "run.py raised OSError: no data"),
    "ends the program in run()": (RECIPE + "    raise SystemExit(0)\n", "run.py raised SystemExit: 0"),
    "yields something else": (RECIPE + "    yield 'text'\n", "run.py yields str; it may yield cutaway.Example and"),
    "returns nothing": (RECIPE + "\ndef run(model):\n    pass\n", "run() returns NoneType; let it yield"),
    "yields no example": (
        RECIPE.replace('    yield cutaway.Example("one", torch.ones(2))\n', ""),
        "run.py yields no cutaway.Example",
    ),
    "names gradients as one text": ("gradients = 'loss'\n" + RECIPE, "gradients = 'loss' is no list of value names"),
}


@pytest.mark.parametrize("fault", RECIPE_FAULTS)
def test_a_recipe_that_does_not_hold_what_it_should_is_one_line(folder: Path, fault: str) -> None:
    recipe, part = RECIPE_FAULTS[fault]
    refused(recorded(folder, recipe), LessonError, "small", part)
    assert str(folder) not in sys.path
    assert "model" not in sys.modules


def test_a_model_that_raises_is_named_with_its_example(folder: Path) -> None:
    (folder / "model.py").write_text(MODEL.replace("x * 2", "x @ torch.ones(3)"))
    refused(
        lambda: record_source(load_lesson(folder)), RecordingError, "the model raised RuntimeError in example 'one'"
    )


def test_two_examples_of_one_name_are_refused(folder: Path) -> None:
    twice = RECIPE + '    yield cutaway.Example("one", torch.ones(2))\n'
    refused(recorded(folder, twice), RecordingError, "two examples are named 'one'")


def test_a_kept_name_that_no_value_has_is_refused(folder: Path) -> None:
    keeps = RECIPE.replace("torch.ones(2))", 'torch.ones(2)).keep("absent")')
    refused(recorded(folder, keeps), RecordingError, "example 'one' keeps 'absent', but no value has that name")


def test_gradients_of_a_name_that_no_value_has_are_refused(folder: Path) -> None:
    refused(recorded(folder, "gradients = ['absent']\n" + RECIPE), RecordingError, "absent")


# --- module:callable


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "mine_to_record.py").write_text(
        "import torch, sys\n"
        "def good(): return torch.nn.ReLU(), (torch.ones(2),), {}\n"
        "def single(): return torch.nn.ReLU(), torch.ones(2), {}\n"
        "class Holder:\n    made = (torch.nn.ReLU(), [torch.ones(2)], {'inplace': False})\n"
        "def wrong(): return torch.nn.ReLU()\n"
        "def short(): return torch.nn.ReLU(), (torch.ones(2),)\n"
        "def numbered(): return torch.nn.ReLU(), (), {1: 2}\n"
        "def raises(): raise ValueError('no weights')\n"
        "def quits(): sys.exit(0)\n"
        "number = 3\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    sys.modules.pop("mine_to_record", None)


@pytest.mark.parametrize("name", ["good", "single"])
def test_a_callable_gives_one_example(module: Path, name: str) -> None:
    record, checks = record_source(load(f"mine_to_record:{name}"))
    assert record.name == name
    assert checks == ()
    assert [example.name for example in record.examples] == ["example"]


def test_a_dotted_attribute_that_is_no_function_is_taken_as_it_is(module: Path) -> None:
    found = load("mine_to_record:Holder.made")
    assert found.name == "made"
    assert found.files == {}
    [example] = found.run()
    assert len(example.args) == 1
    assert example.kwargs == {"inplace": False}


@pytest.mark.parametrize("name", ["wrong", "short", "numbered", "number"])
def test_a_callable_that_gives_something_else_is_refused(module: Path, name: str) -> None:
    refused(
        lambda: load(f"mine_to_record:{name}"),
        TargetError,
        f"'mine_to_record:{name}' must return (model, args, kwargs)",
    )


@pytest.mark.parametrize(
    ("target", "part"),
    [
        ("absent_module_of_mine:f", "ModuleNotFoundError"), ("mine_to_record:absent", "AttributeError"),
        ("mine_to_record:raises", "ValueError: no weights"), ("mine_to_record:quits", "SystemExit: 0"),
        (":f", "ValueError"), ("mine_to_record:", "AttributeError"), (".:f", "TypeError"),
        ("C:/x", "ModuleNotFoundError"),
    ],
)  # fmt: skip
def test_a_callable_that_cannot_be_loaded_is_refused_with_the_reason(module: Path, target: str, part: str) -> None:
    before = list(sys.path)
    refused(lambda: load(target), TargetError, f"{target!r} cannot be loaded: {part}")
    assert sys.path == before


# --- trust


def test_a_bundle_of_the_shipped_code_is_known_and_any_other_is_not() -> None:
    files = source.lesson_files(LESSONS / "xor")
    assert is_shipped(files, "xor")
    assert is_shipped({**files, "lesson.md": b"other words"}, "xor")
    assert not is_shipped({**files, "run.py": files["run.py"] + b"\n"}, "xor")
    assert not is_shipped({**files, "model.py": b""}, "xor")
    assert not is_shipped({**files, "reference.json": b"{}"}, "xor")
    assert not is_shipped({name: data for name, data in files.items() if name != "model.py"}, "xor")
    assert not is_shipped(files, "bert-pretraining")
    assert not is_shipped(files, "../lessons/xor")


def test_unpacked_files_are_those_of_a_lesson_and_gone_afterwards() -> None:
    with unpacked({"run.py": b"x", "graph.json": b"{}", "../evil": b"y"}) as place:
        assert [path.name for path in place.iterdir()] == ["run.py"]
    assert not place.exists()
