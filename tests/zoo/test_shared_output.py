"""One module's output goes two ways and is returned too."""

import pytest
import torch
from recorded_whole import recorded
from torch import nn

pytestmark = pytest.mark.zoo


class Fork(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Linear(3, 3)

    def forward(self, x):
        h = self.stem(x)
        return h, h.tanh(), h.exp()


def test_it_is_one_value_with_three_uses() -> None:
    graph = recorded(Fork(), torch.randn(2, 3)).graphs[0]
    stem = graph.ids["stem.output"]
    assert graph.outputs["tuple"][0] == {"value": stem}
    assert [graph.ops[i].function for i in graph.uses[stem]] == ["torch.Tensor.tanh", "torch.Tensor.exp"]
