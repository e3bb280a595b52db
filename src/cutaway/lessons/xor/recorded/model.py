"""The smallest network that has to have a hidden layer: two inputs, three hidden units, one answer."""

from torch import nn
from torch.nn import functional as F


class Xor(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(2, 3)
        self.answer = nn.Linear(3, 1)

    def forward(self, points, truth):
        activations = self.hidden(points).tanh()  # (4, 3)
        logits = self.answer(activations).squeeze(-1)  # (4,)
        probs = logits.sigmoid()  # of the answer 1
        loss = F.binary_cross_entropy_with_logits(logits, truth)
        return {"activations": activations, "probs": probs, "loss": loss}
