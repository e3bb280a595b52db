"""The whole way in seconds: a model, its record, a bundle on disk, every check of it, and its page."""

from pathlib import Path

import torch
from torch import nn

import cutaway
from cutaway.page import Assets, render


class Tiny(nn.Module):
    """Two numbers in, one out, and the loss against a target."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(2, 1)

    def forward(self, x, target):
        guess = self.linear(x).sigmoid()
        loss = ((guess - target) ** 2).mean()
        return {"guess": guess, "loss": loss}


def test_a_model_becomes_a_page_of_checked_numbers(tmp_path: Path) -> None:
    torch.manual_seed(0)
    with cutaway.Recorder(Tiny(), gradients=["loss"]) as recorder:
        recorder.example("zeros", torch.zeros(1, 2), torch.ones(1, 1))
        recorder.example("ones", torch.ones(1, 2), torch.ones(1, 1))

    bundle = cutaway.read(cutaway.write(recorder.record, tmp_path / "tiny"))
    record = bundle.record
    assert [example.name for example in record.examples] == ["zeros", "ones"]
    assert len(record.graphs) == 1

    linear = record.array("ones", "linear.output")
    assert linear == record.array("ones", "linear.weight").sum() + record.array("ones", "linear.bias")

    verdict = cutaway.verify(record)
    assert [row.status for row in verdict.rows] == ["passed"] * 7

    page = render(bundle, Assets(css="", js="", policy=""), None)
    assert "Tiny" in page
    assert "linear" in page
