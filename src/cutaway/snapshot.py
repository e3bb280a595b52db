"""Leave a model as it was found: buffers, parameters, attributes, train flags and random generators."""

import random
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from cutaway.capture import copy_of, same_bits, version_of


class Snapshot:
    """The state of a model and of all random generators at one moment; `restore` brings it back.

    A tensor's content is written back only where it changed, and an attribute that a forward pass replaced (a cached
    tensor, a counter) is the old object again.
    """

    def __init__(self, model: nn.Module | None, arguments: list[Tensor]) -> None:
        self._modules = [] if model is None else list(model.modules())
        self._attributes = [_shallow(module) for module in self._modules]
        owned = [] if model is None else [*model.parameters(), *model.buffers()]
        self._tensors = [(tensor, copy_of(tensor), version_of(tensor)) for tensor in [*owned, *arguments]]
        self._torch = torch.get_rng_state()
        self._cuda = torch.cuda.get_rng_state_all() if torch.cuda.is_initialized() else None
        self._python = random.getstate()
        self._numpy = np.random.get_state()

    def restore(self) -> None:
        """Bring everything back as it was."""
        for module, attributes in zip(self._modules, self._attributes, strict=True):
            for key, (target, content) in attributes.items():
                if key == "":
                    for gone in target.keys() - content.keys():
                        del target[gone]
                    target.update(content)
                else:
                    module.__dict__[key] = target
                    target.clear()
                    target.update(content)
        with torch.no_grad():
            for tensor, before, version in self._tensors:
                if (version is None or version_of(tensor) != version) and not same_bits(tensor, before):
                    tensor.detach().copy_(before)
        self.restore_generators()

    def restore_generators(self) -> None:
        """Bring back the random generators alone, so that a second pass draws what the first one drew."""
        torch.set_rng_state(self._torch)
        if self._cuda is not None:
            torch.cuda.set_rng_state_all(self._cuda)
        random.setstate(self._python)
        np.random.set_state(self._numpy)


def _shallow(module: nn.Module) -> dict[str, tuple[dict[str, Any], dict[str, Any]]]:
    """A module's own dictionaries, each with a copy of what it holds; the key "" is the module's `__dict__`."""
    own = module.__dict__
    inner = {key: (value, dict(value)) for key, value in own.items() if isinstance(value, dict)}
    return {"": (own, dict(own)), **inner}


@contextmanager
def left_as_found(model: nn.Module | None, arguments: list[Tensor]) -> Iterator[Snapshot]:
    """Restore the model, its arguments and the random generators after the block, also when it raises."""
    snapshot = Snapshot(model, arguments)
    try:
        yield snapshot
    finally:
        snapshot.restore()
