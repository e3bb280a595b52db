"""torch's attention layers are opened to their projections and softmax; a difference from a plain run is stated."""

import pytest
import torch
from recorded_whole import functions, recorded, scopes
from torch import nn

pytestmark = pytest.mark.zoo


def test_multihead_attention_is_opened_to_its_projections_and_softmax() -> None:
    x = torch.randn(2, 3, 8)
    model = nn.MultiheadAttention(8, 2, batch_first=True)
    record = recorded(model, x, x, x)
    ran = functions(record)
    assert ran.count("linear") == 2  # queries, keys and values at once; the output
    assert "softmax" in ran
    assert "multi_head_attention_forward" not in ran
    graph = record.graphs[0]
    softmax = graph.values[graph.ops[ran.index("softmax")].makes[0]]
    assert record.array("example", softmax.name).sum(-1) == pytest.approx(1)
    assert record.plain_run == {"equal": True, "largest_difference": 0.0}


def test_without_weights_it_is_opened_to_the_fused_product() -> None:
    x = torch.randn(2, 3, 8)
    ran = functions(recorded(nn.MultiheadAttention(8, 2, batch_first=True), x, x, x, need_weights=False))
    assert "scaled_dot_product_attention" in ran


def test_separate_queries_and_keys_replay_to_the_bit_though_weights_learn() -> None:
    model = nn.Transformer(8, 2, 1, 1, 16, batch_first=True)
    recorded(model, torch.randn(3, 2, 8), torch.randn(3, 2, 8))


@pytest.mark.parametrize("training", [True, False])
def test_an_encoder_layer_is_recorded_layer_by_layer(training: bool) -> None:
    model = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True).train(training)
    record = recorded(model, torch.randn(3, 2, 8))
    assert {"self_attn", "linear1", "linear2", "norm1", "norm2"} <= set(scopes(record))


def test_a_fast_path_that_recording_leaves_is_stated_as_a_difference() -> None:
    torch.manual_seed(0)
    model = nn.TransformerEncoderLayer(64, 4, 256, batch_first=True).eval()
    with torch.no_grad():
        record = recorded(model, torch.randn(4, 16, 64))
    assert record.plain_run["equal"] is False
    assert 0 < record.plain_run["largest_difference"] < 1e-5


def test_a_mask_that_leaves_one_key_passes_every_check() -> None:
    layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True).eval()
    recorded(layer, torch.randn(3, 2, 8), src_key_padding_mask=torch.tensor([[False, True]] * 3))
