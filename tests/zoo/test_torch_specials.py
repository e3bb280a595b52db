"""Packed sequences, custom gradients, DataParallel, lazy layers, no_grad inside a model."""

import pytest
import torch
from recorded_whole import failures, functions, names, recorded, scopes, through_disk
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

import cutaway

pytestmark = pytest.mark.zoo


class Packed(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.lstm = nn.LSTM(4, 5, batch_first=True)

    def forward(self, x, lengths):
        packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
        output, _ = self.lstm(packed)
        return pad_packed_sequence(output, batch_first=True)[0]


def test_a_packed_sequence_goes_through_a_recurrent_layer() -> None:
    model, x, lengths = Packed(), torch.randn(3, 6, 4), torch.tensor([2, 6, 4])
    record = through_disk(cutaway.record(model, x, lengths))
    graph = record.graphs[0]
    assert "lstm" in functions(record)
    assert record.tensor("example", graph.values[graph.outputs["value"]].name).shape == (3, 6, 5)
    assert set(failures(record)) <= {"producers"}
    assert all("handed to Python" in item.why for item in graph.outside)


def test_a_packed_sequence_as_the_argument_is_an_object_with_tensors() -> None:
    packed = pack_padded_sequence(torch.randn(3, 2, 4), [3, 2])
    record = recorded(nn.LSTM(4, 5), packed)
    assert names(record, "input") == ["input.data", "input.batch_sizes"]
    assert record.graphs[0].inputs["args"][0]["object"] == "PackedSequence"


class Triple(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.clamp(min=0) * 2

    @staticmethod
    def backward(ctx, gradient):
        return gradient * 3


class WithTriple(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(3, 3)

    def forward(self, x):
        loss = Triple.apply(self.linear(x)).sum()
        return loss


def test_the_calls_inside_a_custom_function_are_recorded() -> None:
    assert functions(recorded(WithTriple(), torch.randn(2, 3))) == ["linear", "clamp", "mul", "sum"]


def test_gradients_through_a_custom_function_are_recorded_and_named_as_not_covered() -> None:
    x = torch.randn(2, 3)
    with cutaway.Recorder(WithTriple(), gradients=["loss"]) as recorder:
        recorder.example("one", x)
    record = through_disk(recorder.record)
    assert record.array("one", "grad(loss, linear.bias)").tolist() == [6, 6, 6]
    graph = record.graphs[0]
    assert {item.value for item in graph.outside} == {item.value for item in graph.gradients}
    assert list(failures(record)) == ["producers"]


class PartlyFrozen(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(3, 3)

    def forward(self, x):
        with torch.no_grad():
            fixed = self.linear(x)
        loss = (self.linear(x) * fixed.contiguous()).sum()
        return loss


def test_gradients_stop_at_no_grad_in_replay_as_they_did() -> None:
    with cutaway.Recorder(PartlyFrozen(), gradients=["loss"]) as recorder:
        recorder.example("one", torch.randn(2, 3))
    record = through_disk(recorder.record)
    assert failures(record) == {}
    assert [op.grad for op in record.graphs[0].ops][:2] == [False, None]


def test_a_weight_that_is_used_through_a_method_that_returns_it_has_its_gradient() -> None:
    weight = nn.Parameter(torch.ones(3))

    def model(x):
        loss = (weight.float() * x).sum()
        return loss

    with cutaway.Recorder(model, gradients=["loss"]) as recorder:
        recorder.example("one", torch.tensor([1.0, 2.0, 3.0]))
    record = recorder.record
    assert failures(record) == {}
    assert record.array("one", "grad(loss, parameter)").tolist() == [1, 2, 3]


def test_data_parallel_on_a_cpu_is_its_module() -> None:
    record = recorded(nn.DataParallel(nn.Linear(3, 3)), torch.randn(2, 3))
    assert scopes(record) == ["", "module"]


def test_a_lazy_layer_has_the_shapes_of_its_first_call_and_has_not_moved() -> None:
    model = nn.Sequential(nn.LazyLinear(4), nn.LazyBatchNorm1d())
    record = recorded(model, torch.randn(3, 5))
    graph = record.graphs[0]
    assert graph.values[graph.ids["0.weight"]].shape == (4, 5)
    assert model[1].running_mean.tolist() == [0] * 4
    assert all(not module._forward_pre_hooks for module in model)
    assert record.array("example", "1.running_mean").tolist() == [0] * 4
