"""Recording in train mode, and recording what raises, leave everything as it was."""

import random

import numpy as np
import pytest
import torch
from recorded_whole import recorded
from torch import nn
from torch.nn.utils import spectral_norm
from torch.nn.utils.parametrizations import spectral_norm as parametrized_spectral_norm
from torch.overrides import _get_current_function_mode_stack

import cutaway
from cutaway.errors import RecordingError

pytestmark = pytest.mark.zoo


class Moving(nn.Module):
    """All that a forward pass in train mode moves, and some that only a careless one does."""

    def __init__(self, raises: bool = False) -> None:
        super().__init__()
        self.norm = nn.BatchNorm1d(4)
        self.spectral = parametrized_spectral_norm(nn.Linear(4, 4))
        self.older_spectral = spectral_norm(nn.Linear(4, 4))
        self.frozen = nn.Dropout().eval()
        self.drop = nn.Dropout(0.5)
        self.lazy_cache = None
        self.calls = 0
        self.seen: list[float] = []
        self.raises = raises

    def forward(self, x):
        self.calls += 1
        self.seen.append(random.random() + np.random.rand())
        self.lazy_cache = torch.ones(4)
        self.eval()
        h = self.drop(self.older_spectral(self.spectral(self.norm(x)))) + self.lazy_cache
        self.train()
        h = self.drop(h) + self.frozen(self.norm(h))
        x.mul_(2)
        self.register_buffer("extra", torch.ones(1))
        if self.raises:
            raise ValueError("stop here")
        return h


def state(model: Moving, x: torch.Tensor) -> list[object]:
    """Everything that must be as before, in a form that compares with ==."""
    return [
        {name: tensor.tolist() for name, tensor in model.state_dict().items()},
        x.tolist(),
        [module.training for module in model.modules()],
        [list(module._forward_pre_hooks) for module in model.modules()],
        [sorted(vars(module)) for module in model.modules()],
        model.lazy_cache,
        model.calls,
        list(model.seen),
        torch.get_rng_state().tolist(),
        random.getstate(),
        np.random.get_state()[1].tolist(),
        nn.Module.__call__,
        torch.is_grad_enabled(),
        list(_get_current_function_mode_stack()),
    ]


def test_recording_leaves_state_arguments_flags_hooks_and_generators() -> None:
    model, x = Moving(), torch.randn(3, 4)
    before = state(model, x)
    recorded(model, x)
    assert state(model, x) == before


def test_a_forward_that_raises_leaves_them_too_and_is_told_in_one_error() -> None:
    model, x = Moving(raises=True), torch.randn(3, 4)
    before = state(model, x)
    with pytest.raises(RecordingError, match="the model raised ValueError in example 'example': stop here"):
        cutaway.record(model, x)
    assert state(model, x) == before


def test_the_recording_still_holds_what_moved() -> None:
    record = recorded(nn.BatchNorm1d(2), torch.tensor([[1.0, 3.0], [3.0, 5.0]]))
    assert record.array("example", "num_batches_tracked").item() == 0
    assert record.array("example", "num_batches_tracked#2").item() == 1


@pytest.mark.parametrize(
    "model",
    [
        nn.Dropout(0.5),
        nn.Dropout2d(0.5),
        nn.AlphaDropout(0.5),
        nn.RReLU(),
        nn.FractionalMaxPool2d(2, output_ratio=0.5),
        lambda x: x + torch.randn(3),
        lambda x: torch.bernoulli(x.sigmoid()) + torch.rand_like(x) + x.clone().normal_(),
        lambda x: torch.nn.functional.gumbel_softmax(x),
        lambda x: torch.nn.functional.scaled_dot_product_attention(x, x, x, dropout_p=0.5),
    ],
)
def test_what_is_drawn_at_random_replays_from_the_recorded_generator(model) -> None:
    recorded(model, torch.randn(2, 3, 4, 3))


def test_a_recurrent_layer_with_dropout_replays_from_the_recorded_generator() -> None:
    graph = recorded(nn.LSTM(3, 4, num_layers=2, dropout=0.5), torch.randn(5, 2, 3)).graphs[0]
    assert graph.ops[-1].random is not None


def test_two_recordings_after_one_seed_are_equal() -> None:
    records = []
    for _ in range(2):
        torch.manual_seed(5)
        records.append(recorded(nn.Sequential(nn.Linear(3, 3), nn.Dropout()), torch.randn(2, 3)))
    assert records[0].graphs == records[1].graphs
    assert records[0].examples == records[1].examples
