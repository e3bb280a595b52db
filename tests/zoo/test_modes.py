"""The modes a model runs under are kept for replay."""

import pytest
import torch
from recorded_whole import failures, functions, recorded, through_disk
from torch import nn

import cutaway

pytestmark = pytest.mark.zoo


def small() -> nn.Module:
    return nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4), nn.LayerNorm(4), nn.ReLU(inplace=True))


@pytest.mark.parametrize("mode", [torch.inference_mode, torch.no_grad, torch.enable_grad])
def test_a_model_is_recorded_under_each_gradient_mode(mode) -> None:
    with mode():
        record = recorded(small(), torch.randn(3, 4))
        assert record.capture["fingerprint"]["inference"] is (mode is torch.inference_mode)
    recorded_off = {op.grad for op in record.graphs[0].ops}
    assert recorded_off == ({None} if mode is torch.enable_grad else {False})


def test_a_recording_made_in_inference_mode_is_verified_outside_it_and_the_other_way() -> None:
    with torch.inference_mode():
        inside = cutaway.record(small(), torch.randn(3, 4))
        assert failures(cutaway.record(small(), torch.randn(3, 4))) == {}
    assert failures(inside) == {}
    outside = cutaway.record(small(), torch.randn(3, 4))
    with torch.inference_mode():
        assert failures(outside) == {}


def test_an_in_place_write_is_seen_in_inference_mode() -> None:
    def model(x):
        y = x + 1
        y[0] = 7
        return y

    with torch.inference_mode():
        record = recorded(model, torch.zeros(2))
    assert record.array("example", "y").tolist() == [1, 1]
    assert record.array("example", "y#2").tolist() == [7, 1]


def test_an_inference_tensor_as_input_is_left_as_it_was() -> None:
    with torch.inference_mode():
        x = torch.ones(2)
        recorded(lambda x: x.mul_(3), x)
        assert x.tolist() == [1, 1]


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_autocast_is_kept_op_by_op(dtype: torch.dtype) -> None:
    def model(x):
        with torch.autocast("cpu", dtype):
            h = x @ x
        return h.float() @ x

    graph = recorded(model, torch.randn(4, 4)).graphs[0]
    assert [op.autocast for op in graph.ops] == [str(dtype).removeprefix("torch."), None, None]


def test_autocast_around_the_recording_is_kept_too() -> None:
    with torch.autocast("cpu", torch.bfloat16):
        record = recorded(nn.Linear(4, 4), torch.randn(3, 4))
    assert record.tensor("example", "output").dtype == "bfloat16"


def test_a_recurrent_layer_replays_the_kernel_its_mode_chose() -> None:
    recorded(nn.LSTM(4, 5, 2), torch.randn(3, 2, 4))
    with torch.no_grad():
        recorded(nn.LSTM(4, 5, 2), torch.randn(3, 2, 4))


class Hooked(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(3, 3)
        self.linear.register_forward_pre_hook(lambda module, args: (args[0] + 1,))
        self.linear.register_forward_hook(lambda module, args, output: output * 10)

    def forward(self, x):
        return self.linear(x).relu()


def test_what_a_hook_changes_is_what_flows_on() -> None:
    model, x = Hooked(), torch.randn(2, 3)
    record = recorded(model, x)
    assert functions(record) == ["add", "linear", "mul", "relu"]
    graph = record.graphs[0]
    assert graph.ops[-1].reads == [graph.ops[-2].makes[0]]
    assert record.array("example", "output").tolist() == model(x).tolist()


def test_a_model_may_be_recorded_inside_a_hook_of_another() -> None:
    records = []
    outer, inner = nn.Linear(3, 3), nn.Linear(3, 3)
    outer.register_forward_hook(lambda module, args, output: records.append(cutaway.record(inner, output)))
    outer(torch.randn(2, 3))
    assert failures(through_disk(records[0])) == {}
    assert functions(records[0]) == ["linear"]
