"""Names come from the source; paths never show where a project lies."""

import linecache
import sys
import types
from pathlib import Path

import pytest
import torch

import cutaway
from cutaway.recording.naming import is_library, shown_path


def result_names(body: str, tmp_path: Path) -> list[str]:
    """The names of what a model with this body computes from x."""
    file = tmp_path / "written.py"
    file.write_text(f"def model(x):\n{body}", encoding="utf-8")
    space: dict[str, types.FunctionType] = {}
    exec(compile(file.read_text(encoding="utf-8"), str(file), "exec"), space)
    linecache.checkcache(str(file))
    record = cutaway.record(space["model"], torch.ones(2, 2))
    return [value.name for value in record.graphs[0].values if value.kind == "result"]


@pytest.mark.parametrize(
    ("body", "names"),
    [
        (" probs = (x * 2).softmax(-1)\n return probs", ["mul", "probs"]),
        (" return x.exp()", ["output"]),
        (" a: object = x.exp()\n return a", ["a"]),
        (" return (h := x.exp())", ["h"]),
        (" top, where = x.max(0)\n return top", ["top", "where"]),
        (" [a, b] = x.unbind(0)\n return a", ["a", "b"]),
        (" a, b = x.exp(), x.sin()\n return a", ["a", "b"]),
        (" parts = x.unbind(0)\n return parts", ["parts[0]", "parts[1]"]),
        (" x = x + 1\n x = x + 1\n return x", ["x#2", "x#3"]),
        (" y = x + 1\n y += 2\n return y", ["y", "y#2"]),
        (" y = x + 1\n y.mul_(2)\n return y", ["y", "y#2"]),
        (" return [x.exp() for _ in 'ab']", ["exp", "exp#2"]),
        (" f = lambda x: x.exp()\n return f(x)", ["output"]),
        (" y = x.exp() if len(x) else x.sin()\n return y", ["y"]),
        (" return x.exp() if len(x) else x.sin()", ["output"]),
        (" return x.T.exp()", ["T", "output"]),
        (" class Box: pass\n box = Box()\n box.inner = x.exp()\n return box.inner", ["inner"]),
        (" x[0].exp()\n return x", ["getitem", "exp"]),
    ],
)
def test_a_result_has_the_name_of_its_variable(body: str, names: list[str], tmp_path: Path) -> None:
    assert result_names(body, tmp_path) == names


def test_code_without_a_file_still_gets_names_of_functions() -> None:
    space: dict[str, types.FunctionType] = {}
    exec("def model(x):\n y = x.exp()\n return y", space)
    graph = cutaway.record(space["model"], torch.ones(2)).graphs[0]
    assert [value.name for value in graph.values] == ["x", "exp"]
    assert graph.ops[0].source is not None
    assert graph.ops[0].source.file == "<string>"


def test_a_path_is_shown_relative_to_where_it_was_imported_from(monkeypatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sys, "path", [str(tmp_path), str(tmp_path / "inner")])
    assert shown_path(str(tmp_path / "package" / "model.py")) == "package/model.py"
    assert shown_path(str(tmp_path / "inner" / "model.py")) == "model.py"


def test_a_path_outside_every_import_root_is_shown_by_its_name_alone(monkeypatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sys, "path", [])
    assert shown_path(str(tmp_path / "secret" / "model.py")) == "model.py"
    assert shown_path("<string>") == "<string>"


def test_a_recording_holds_no_absolute_path(tmp_path: Path) -> None:
    file = tmp_path / "elsewhere.py"
    file.write_text(
        "from torch import nn\n\nclass Far(nn.Linear):\n  def forward(self, x):\n    return super().forward(x).exp()\n"
    )
    space: dict[str, type] = {}
    exec(compile(file.read_text(), str(file), "exec"), space)
    record = cutaway.record(space["Far"](2, 2), torch.ones(1, 2))
    folder = cutaway.write(record, tmp_path / "bundle")
    everything = b"".join(path.read_bytes() for path in folder.iterdir())
    for root in (str(tmp_path), sys.prefix, str(Path(torch.__file__).parent), str(Path(cutaway.__file__).parent)):
        assert root.encode() not in everything
    sources = {op.source.file for op in record.graphs[0].ops if op.source}
    assert sources == {"elsewhere.py"}


class Own(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(2, 2)

    def forward(self, x):
        return self.linear(x)


def test_a_call_inside_the_library_is_placed_at_the_line_of_the_model_that_led_there() -> None:
    source = cutaway.record(Own(), torch.ones(1, 2)).graphs[0].ops[0].source
    assert source is not None
    assert source.function == "Own.forward"
    assert source.line == Own.forward.__code__.co_firstlineno + 1


def test_where_the_model_is_the_librarys_the_line_is_the_librarys_and_not_the_callers() -> None:
    source = cutaway.record(torch.nn.Sequential(torch.nn.Linear(2, 2)), torch.ones(1, 2)).graphs[0].ops[0].source
    assert source is not None
    assert source.file == "torch/nn/modules/linear.py"
    assert source.function == "Linear.forward"


def test_torch_python_and_cutaway_are_library_and_a_test_is_not() -> None:
    assert is_library(torch.nn.Linear.forward.__code__.co_filename)
    assert is_library(cutaway.record.__code__.co_filename)
    assert is_library(linecache.getline.__code__.co_filename)
    assert not is_library(Own.forward.__code__.co_filename)
