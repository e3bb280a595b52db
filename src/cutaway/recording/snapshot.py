"""Leave a model as it was found: buffers, parameters, attributes, train flags and random generators."""

import random
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.utils.hooks import RemovableHandle

from cutaway.recording.contents import copy_of, own_tensors, same_bits


class Snapshot:
    """The state of a model, its arguments and all random generators at one moment; `restore` brings it back.

    A model may run modules that it does not own, and write to tensors that nobody announced: `meet` and `hold` add them
    when they turn up. A tensor's content is written back only where it changed. An attribute that a forward pass
    replaced (a cached tensor, a counter) is the old object again, and its lists, sets and dicts hold what they held.
    """

    def __init__(self, model: nn.Module | None, arguments: Iterable[Tensor]) -> None:
        self._containers: dict[int, tuple[Any, Any]] = {}
        self._tensors: dict[int, tuple[Tensor, Tensor]] = {}
        self._hooks: list[RemovableHandle] = []
        self._torch = torch.get_rng_state()
        self._cuda = torch.cuda.get_rng_state_all() if torch.cuda.is_initialized() else None
        self._python = random.getstate()
        self._numpy = np.random.get_state()
        self.hold((tensor, copy_of(tensor)) for tensor in arguments)
        for module in [] if model is None else model.modules():
            if is_lazy(module):  # it has a state from its first call on, just before which it is met
                self._meet_once_shaped(module)
            else:
                self.meet(module)

    def meet(self, module: nn.Module) -> None:
        """Keep the state of a module, unless it is kept already or the module has none yet."""
        if id(module.__dict__) in self._containers or is_lazy(module):
            return
        own = module.__dict__
        for container in [own, *(item for item in own.values() if isinstance(item, (dict, list, set)))]:
            self._containers[id(container)] = container, container.copy()
        with torch._C.DisableTorchFunction():  # it may be met while it is being recorded
            self.hold((tensor, copy_of(tensor)) for tensor in own_tensors(module))

    def _meet_once_shaped(self, module: nn.Module) -> None:
        def meet(module: nn.Module, arguments: Any) -> None:
            hook.remove()
            self.meet(module)

        hook = module.register_forward_pre_hook(meet)  # runs after the one that gives the module its shapes
        self._hooks.append(hook)

    def hold(self, contents: Iterable[tuple[Tensor, Tensor]]) -> None:
        """Keep the content that each of these tensors has, or had, before the model ran."""
        for tensor, content in contents:
            if tensor.layout == torch.strided:
                self._tensors.setdefault(id(tensor), (tensor, content))

    def restore(self) -> None:
        """Bring everything back as it was."""
        for container, content in self._containers.values():
            container.clear()
            container.extend(content) if isinstance(container, list) else container.update(content)
        for tensor, content in self._tensors.values():
            if not same_bits(tensor, content):
                _write(tensor, content)
        self.restore_generators()
        for hook in self._hooks:
            hook.remove()

    def restore_generators(self) -> None:
        """Bring back the random generators alone, so that a second pass draws what the first one drew."""
        torch.set_rng_state(self._torch)
        if self._cuda is not None:
            torch.cuda.set_rng_state_all(self._cuda)
        random.setstate(self._python)
        np.random.set_state(self._numpy)


def is_lazy(module: nn.Module) -> bool:
    """Whether a module of its own has parameters or buffers that take their shape from its first call."""
    owned = [*vars(module).get("_parameters", {}).values(), *vars(module).get("_buffers", {}).values()]
    return any(map(torch.nn.parameter.is_lazy, owned))


def _write(tensor: Tensor, content: Tensor) -> None:
    if tensor.shape != content.shape or tensor.dtype != content.dtype:
        tensor.data = content.clone()  # the model gave it another form
        return
    with torch.inference_mode(tensor.is_inference()), torch.no_grad():
        tensor.detach().copy_(content)


@contextmanager
def left_as_found(model: nn.Module | None, arguments: Iterable[Tensor]) -> Iterator[Snapshot]:
    """Restore the model, its arguments and the random generators after the block, also when it raises."""
    snapshot = Snapshot(model, arguments)
    try:
        yield snapshot
    finally:
        snapshot.restore()
