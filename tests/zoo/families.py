"""Small models of many kinds, made of torch's own layers: each as (model, args, kwargs) from a fixed seed."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

Case = tuple[nn.Module, tuple[Any, ...], dict[str, Any]]


class Residual(nn.Module):
    """One layer called three times: three scopes, one weight."""

    def __init__(self) -> None:
        super().__init__()
        self.step = nn.Linear(4, 4)

    def forward(self, x: Tensor) -> Tensor:
        for _ in range(3):
            x = x + torch.tanh(self.step(x))
        return x


class Experts(nn.Module):
    """Rows go to the expert that the router prefers: which ops run depends on the data."""

    def __init__(self) -> None:
        super().__init__()
        self.router = nn.Linear(4, 3)
        self.experts = nn.ModuleList(nn.Linear(4, 4) for _ in range(3))

    def forward(self, x: Tensor) -> Tensor:
        weights, chosen = self.router(x).softmax(-1).topk(1)
        out = torch.zeros_like(x)
        for number, expert in enumerate(self.experts):
            rows = (chosen[:, 0] == number).nonzero()[:, 0]
            if len(rows):
                out[rows] = weights[rows] * expert(x[rows])
        return out


class Fourier(nn.Module):
    """A product in frequency space, complex in between."""

    def __init__(self) -> None:
        super().__init__()
        self.filter = nn.Parameter(torch.randn(5, dtype=torch.complex64))

    def forward(self, x: Tensor) -> Tensor:
        return torch.fft.irfft(torch.fft.rfft(x) * self.filter, n=8)


class Recurrent(nn.Module):
    """An LSTM over sequences of different lengths, packed."""

    def __init__(self) -> None:
        super().__init__()
        self.lstm = nn.LSTM(3, 4, batch_first=True)

    def forward(self, x: Tensor, lengths: Tensor) -> Tensor:
        packed = nn.utils.rnn.pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
        return nn.utils.rnn.pad_packed_sequence(self.lstm(packed)[0], batch_first=True)[0]


class Tied(nn.Module):
    """The table that reads words also writes them."""

    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Embedding(9, 4)
        self.out = nn.Linear(4, 9, bias=False)
        self.out.weight = self.table.weight

    def forward(self, ids: Tensor, *, labels: Tensor) -> dict[str, Tensor]:
        logits = self.out(self.table(ids).cumsum(0))
        return {"logits": logits, "loss": F.cross_entropy(logits, labels)}


class Attention(nn.Module):
    """torch's own multi-head attention, causal."""

    def __init__(self) -> None:
        super().__init__()
        self.attend = nn.MultiheadAttention(8, 2, batch_first=True)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        return self.attend(x, x, x, attn_mask=mask)[0]


def convolution() -> Case:
    model = nn.Sequential(
        nn.Conv2d(1, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU(inplace=True), nn.MaxPool2d(2),
        nn.Flatten(), nn.Dropout(0.5), nn.Linear(64, 3),
    )  # fmt: skip
    return model, (torch.randn(2, 1, 8, 8),), {}


def convolution_in_eval() -> Case:
    model, args, kwargs = convolution()
    return model.eval(), args, kwargs


def autoencoder() -> Case:
    model = nn.Sequential(nn.Conv1d(2, 4, 3, stride=2), nn.GELU(), nn.ConvTranspose1d(4, 2, 3, stride=2), nn.Sigmoid())
    return model, (torch.randn(2, 2, 9),), {}


def encoder_layer() -> Case:
    return nn.TransformerEncoderLayer(8, 2, 16, batch_first=True).eval(), (torch.randn(2, 5, 8),), {}


def decoder_layer() -> Case:
    return nn.TransformerDecoderLayer(8, 2, 16, batch_first=True), (torch.randn(1, 4, 8), torch.randn(1, 6, 8)), {}


def gated_recurrent() -> Case:
    return nn.GRU(3, 4, num_layers=2, bidirectional=True), (torch.randn(5, 2, 3),), {}


def bag() -> Case:
    return nn.EmbeddingBag(10, 3, mode="mean"), (torch.tensor([1, 2, 4, 5, 4]), torch.tensor([0, 3])), {}


def half_precision() -> Case:
    model = nn.Sequential(nn.Linear(4, 8), nn.SiLU(), nn.RMSNorm(8), nn.Linear(8, 2)).to(torch.bfloat16)
    return model, (torch.randn(3, 4, dtype=torch.bfloat16),), {}


FAMILIES: dict[str, Callable[[], Case]] = {
    "attention": lambda: (Attention(), (torch.randn(1, 4, 8), torch.ones(4, 4).triu(1).bool()), {}),
    "autoencoder": autoencoder,
    "bag": bag,
    "convolution": convolution,
    "convolution in eval": convolution_in_eval,
    "decoder layer": decoder_layer,
    "encoder layer": encoder_layer,
    "experts": lambda: (Experts(), (torch.randn(5, 4),), {}),
    "fourier": lambda: (Fourier(), (torch.randn(3, 8),), {}),
    "gated recurrent": gated_recurrent,
    "half precision": half_precision,
    "recurrent": lambda: (Recurrent(), (torch.randn(3, 4, 3), torch.tensor([4, 1, 2])), {}),
    "residual": lambda: (Residual(), (torch.randn(2, 4),), {}),
    "tied": lambda: (Tied(), (torch.tensor([1, 2, 3]),), {"labels": torch.tensor([2, 3, 4])}),
}


def make(name: str) -> Case:
    """A family's model and arguments; the same at every call."""
    torch.manual_seed(7)
    return FAMILIES[name]()
