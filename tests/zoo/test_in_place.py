"""Writes to memory that other tensors share."""

import pytest
import torch
from recorded_whole import functions, names, recorded, uncovered
from torch import nn

pytestmark = pytest.mark.zoo


class Kept(nn.Module):
    """Keeps a reference to what ReLU then overwrites."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(4, 4)
        self.relu = nn.ReLU(inplace=True)

    def forward(self, x):
        h = self.linear(x)
        return h, self.relu(h)


def test_an_overwritten_output_keeps_its_negatives() -> None:
    torch.manual_seed(0)
    record = recorded(Kept(), torch.randn(8, 4))
    assert (record.array("example", "linear.output") < 0).any()
    assert not (record.array("example", "relu.output") < 0).any()
    graph = record.graphs[0]
    assert graph.ops[1].reads == [graph.ids["linear.output"]]


def test_the_kept_reference_is_the_later_value_when_it_is_returned() -> None:
    graph = recorded(Kept(), torch.randn(8, 4)).graphs[0]
    assert graph.outputs == {"tuple": [{"value": graph.ids["relu.output"]}] * 2}


def test_a_write_to_a_part_and_to_a_view_makes_new_versions_of_both() -> None:
    def model(q, k):
        h = q @ k.T
        flat = h.view(-1)
        h[:, 0] = 5
        flat.add_(1)
        return h

    record = recorded(model, torch.zeros(2, 3), torch.ones(4, 3))
    assert record.array("example", "h").tolist() == [[0] * 4] * 2
    assert record.array("example", "h#2").tolist() == [[5, 0, 0, 0]] * 2
    assert record.array("example", "h#3").tolist() == [[6, 1, 1, 1]] * 2
    assert record.array("example", "flat#2").tolist() == [5, 0, 0, 0] * 2
    assert record.graphs[0].outputs == {"value": record.graphs[0].ids["h#3"]}


def test_a_write_through_data_reaches_the_tensor_itself() -> None:
    def model(x):
        y = x.clone()
        y.data.add_(1)
        return y * 2

    assert recorded(model, torch.zeros(3)).array("example", "output").tolist() == [2, 2, 2]


def test_a_write_as_other_numbers_reaches_the_complex_tensor() -> None:
    def model(x):
        y = x.clone()
        torch.view_as_real(y).add_(1)
        return y * 2

    record = recorded(model, torch.zeros(3, dtype=torch.complex64))
    assert record.array("example", "output").tolist() == [2 + 2j] * 3


def test_a_change_of_form_in_place_leaves_the_earlier_form() -> None:
    def model(x):
        y = x + 1
        y.t_().unsqueeze_(0)
        return y * 2

    record = recorded(model, torch.zeros(2, 3))
    assert record.tensor("example", "y").shape == (2, 3)
    assert record.tensor("example", "output").shape == (1, 3, 2)


def test_inputs_that_share_memory_share_it_in_replay() -> None:
    memory = torch.arange(6.0)
    record = recorded(lambda x, y: (x.mul_(2), y + 1), memory[:4], memory[2:])
    assert record.array("example", "add").tolist() == [5, 7, 5, 6]
    assert memory.tolist() == [0, 1, 2, 3, 4, 5]


def test_two_memories_written_by_one_call_stay_apart() -> None:
    record = recorded(nn.BatchNorm1d(2), torch.tensor([[1.0, 3.0], [3.0, 5.0]]))
    assert record.array("example", "running_mean").tolist() == [0, 0]
    assert record.array("example", "running_mean#2") == pytest.approx([0.2, 0.4])
    assert record.array("example", "running_var#2") == pytest.approx([1.1, 1.1])


def test_a_result_written_into_a_given_tensor_is_made_by_the_call() -> None:
    record = recorded(lambda x: torch.add(x, 1, out=torch.empty(3)), torch.zeros(3))
    assert record.array("example", "output").tolist() == [1, 1, 1]


def test_a_list_that_the_model_goes_on_filling_is_recorded_as_it_was() -> None:
    def model(x):
        features = [x]
        for _ in range(3):
            features.append(torch.cat(features, 1) * 2)
        features.clear()
        return x * 2

    graph = recorded(model, torch.ones(1, 2)).graphs[0]
    assert [len(op.reads) for op in graph.ops if op.function == "torch.cat"] == [1, 2, 3]


def test_a_tensor_given_other_memory_is_named_as_not_covered() -> None:
    def model(x):
        y = x.clone()
        y.data = torch.ones(5)
        return y + 1

    record, lost = uncovered(model, torch.zeros(3))
    assert record.tensor("example", "y").shape == (3,)
    assert record.array("example", "output").tolist() == [2] * 5
    assert {why for _, why in lost} == {"made by torch.Tensor.data.__set__, which replay does not call"}


def test_the_transpose_is_an_op_of_its_own() -> None:
    record = recorded(lambda q, k: q @ k.T, torch.randn(2, 3), torch.randn(4, 3))
    assert functions(record) == ["__get__", "matmul"]
    assert names(record) == ["q", "k", "T", "output"]
