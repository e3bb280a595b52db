"""Scripted and traced modules: one opaque op that says so. Compiled ones: recorded as they are written."""

import pytest
import torch
from recorded_whole import functions, recorded, scopes, uncovered
from torch import nn

pytestmark = [
    pytest.mark.zoo,
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::torch.jit.TracerWarning"),
]


@pytest.mark.parametrize("make", [torch.jit.script, lambda module: torch.jit.trace(module, torch.randn(2, 3))])
def test_a_scripted_module_is_one_op_with_its_inputs_that_says_it_is_opaque(make) -> None:
    model = nn.Sequential(make(nn.Linear(3, 3)), nn.ReLU())
    x = torch.randn(2, 3)
    record, lost = uncovered(model, x)
    graph = record.graphs[0]
    assert functions(record) == ["Linear", "relu"]
    assert graph.ops[0].reads == [graph.ids["input"]]
    why = "made inside Linear, whose calls are not seen (a scripted module, or another library)"
    assert graph.ops[0].note == why
    assert lost == [("0.Linear", why)]
    assert record.array("example", "1.output").tolist() == model(x).tolist()


def test_a_model_that_is_scripted_as_a_whole_is_one_opaque_op() -> None:
    record, lost = uncovered(torch.jit.script(nn.Sequential(nn.Linear(3, 3), nn.ReLU())), torch.randn(2, 3))
    assert functions(record) == ["Sequential"]
    assert len(lost) == 1


def test_a_compiled_model_is_recorded_through_its_eager_module() -> None:
    model = nn.Sequential(nn.Linear(3, 3), nn.ReLU())
    record = recorded(torch.compile(model), torch.randn(2, 3))
    assert scopes(record) == ["", "0", "1"]
    assert record.name == "Sequential"


def test_a_compiled_part_of_a_model_is_recorded_as_it_is_written() -> None:
    part = nn.Sequential(nn.Linear(3, 3), nn.ReLU())
    record = recorded(nn.Sequential(torch.compile(part), nn.Tanh()), torch.randn(2, 3))
    assert functions(record) == ["linear", "relu", "tanh"]


def test_a_compiled_function_is_recorded_as_it_is_written() -> None:
    record = recorded(torch.compile(lambda x: x.sin() + 1), torch.randn(3))
    assert functions(record) == ["sin", "add"]
