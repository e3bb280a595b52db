"""What leaves torch, or comes from elsewhere, is named as not covered."""

import pytest
import torch
from recorded_whole import functions, names, scopes, uncovered
from torch import nn

pytestmark = pytest.mark.zoo


def test_a_round_trip_through_numpy_is_named_at_both_ends() -> None:
    def model(x):
        h = x * 2
        return torch.from_numpy(h.numpy() + 1) * 3

    record, lost = uncovered(model, torch.ones(2))
    assert lost == [
        ("h", "handed to Python by numpy; what Python did with it is not replayed"),
        ("constant", "met without a known origin (another library, vmap, a scripted function, or made before the run)"),
    ]
    assert record.array("example", "output").tolist() == [9, 9]


def test_a_write_through_numpy_makes_a_new_version_that_is_named() -> None:
    def model(x):
        h = x * 2
        h.numpy()[0] = 7
        return h + 1

    record, lost = uncovered(model, torch.ones(2))
    assert record.array("example", "h").tolist() == [2, 2]
    assert record.array("example", "h#2").tolist() == [7, 2]
    assert [name for name, _ in lost] == ["h", "h#2"]
    assert "changed by something that was not seen" in lost[1][1]


@pytest.mark.parametrize(
    ("ask", "answer"),
    [(lambda x: x.sum().item(), "item"), (lambda x: x.tolist()[0], "tolist"), (lambda x: float(x[0]), "float")],
)
def test_a_number_handed_to_python_is_named(ask, answer) -> None:
    _, lost = uncovered(lambda x: x * ask(x), torch.ones(3))
    assert [why for _, why in lost] == [f"handed to Python by {answer}; what Python did with it is not replayed"]


def test_a_loop_that_follows_the_data_is_recorded_as_it_ran() -> None:
    def model(x):
        while x.sum() > 1:
            x = x / 2
        return x

    record, lost = uncovered(model, torch.full((3,), 3.0))
    assert functions(record).count("__truediv__") + functions(record).count("div") == 4
    assert len(lost) == 5
    assert all("handed to Python by bool" in why for _, why in lost)


class Mapped(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(3, 3)

    def forward(self, x):
        return torch.vmap(self.linear)(x).relu()


def test_what_vmap_makes_is_named() -> None:
    record, lost = uncovered(Mapped(), torch.randn(2, 3))
    assert scopes(record) == ["", "linear"]
    assert functions(record) == ["relu"]
    assert [name for name, _ in lost] == ["constant"]
    assert "vmap" in lost[0][1]


def test_an_operator_outside_torchs_list_is_one_op_that_says_so() -> None:
    record, lost = uncovered(lambda x: torch.ops.aten.add(x, 1) * 2, torch.zeros(2))
    assert functions(record) == ["add", "mul"]
    assert lost == [(names(record, "result")[0], "made by aten.add, which replay does not call")]
    assert record.graphs[0].ops[0].note is not None


def test_a_gradient_read_after_backward_is_named_and_left_as_it_was() -> None:
    def model(x):
        (x * x).sum().backward()
        return x.grad + 1

    x = torch.ones(2, requires_grad=True)
    record, lost = uncovered(model, x)
    assert [name for name, _ in lost] == ["grad"]
    assert lost[0][1].startswith("filled by backward() inside the run")
    assert record.array("example", "output").tolist() == [3, 3]
    assert record.plain_run["equal"]
    assert x.grad is None


def test_a_tensor_from_before_the_run_is_named() -> None:
    table = torch.arange(3.0)
    record, lost = uncovered(lambda x: x + table, torch.ones(3))
    assert [name for name, _ in lost] == ["constant"]
    assert record.array("example", "constant").tolist() == [0, 1, 2]


def test_a_factorys_tensor_is_a_constant_and_covered() -> None:
    record, lost = uncovered(lambda x: x + torch.arange(3) + torch.as_tensor([1.0, 2.0, 3.0]), torch.ones(3))
    assert [name for name, _ in lost] == ["as_tensor"]
    assert names(record, "constant") == ["arange", "as_tensor"]
