"""The recipe of the XOR page: train on the four points, recording a pass before some of the steps."""

from itertools import pairwise

import torch
from model import Xor

import cutaway

SEED = 3
STEPS = (0, 5, 10, 20, 50, 100, 200, 400)
POINTS = torch.tensor([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=torch.float64)
TRUTH = torch.tensor([0, 1, 1, 0], dtype=torch.float64)

gradients = ["loss"]


def model():
    torch.manual_seed(SEED)
    return Xor().double()


def run(model):
    optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
    for step in range(STEPS[-1] + 1):
        if step in STEPS:
            yield cutaway.Example(f"step-{step}", POINTS, TRUTH)
        optimizer.zero_grad()
        model(POINTS, TRUTH)["loss"].backward()
        optimizer.step()
    yield cutaway.Check("learned", "After training, all four answers are right.", learned)
    yield cutaway.Check("loss-falls", "The loss falls from each recorded step to the next.", loss_falls)
    yield cutaway.Check("bends", "The hidden layer's three numbers make the classes separable by a plane.", separable)


def learned(record, replay):
    right = int(((record.array(f"step-{STEPS[-1]}", "probs") > 0.5) == TRUTH.numpy()).sum())
    return cutaway.Measured(right == 4, f"{right} of 4", "answers right")


def loss_falls(record, replay):
    losses = [float(record.array(f"step-{step}", "loss")) for step in STEPS]
    worst = max(later - earlier for earlier, later in pairwise(losses))
    return cutaway.Measured(worst < 0, worst, "largest change between two recorded steps")


def separable(record, replay):
    """The answer layer is a plane over the activations; the smallest signed distance says how clearly it separates."""
    activations = record.array(f"step-{STEPS[-1]}", "activations")
    weight, bias = (
        record.array(f"step-{STEPS[-1]}", "answer.weight")[0],
        record.array(f"step-{STEPS[-1]}", "answer.bias")[0],
    )
    side = (activations @ weight + bias) * (2 * TRUTH.numpy() - 1) / (weight @ weight) ** 0.5
    return cutaway.Measured(
        bool(side.min() > 0), float(side.min()), "smallest distance of a point from the plane, on its right side"
    )
