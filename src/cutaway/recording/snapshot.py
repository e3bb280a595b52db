"""Leave everything as it was found: the model, its arguments, train flags, gradients and random generators."""

import random
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.utils.hooks import RemovableHandle

from cutaway.recording.contents import PLAIN, copy_of, has_content, same_bits
from cutaway.recording.reachable import Restore, state_of


class Snapshot:
    """The state of a model, its arguments and all random generators at one moment; `restore` brings it back.

    model: a module, or any other callable; arguments: any nest of objects. Kept is what can be reached from them
    through modules, containers and attributes. A model may run modules that it does not own, and write to tensors that
    nobody announced: `meet` and `hold` add them when they turn up. A tensor's content is written back only where it
    changed. An attribute that a forward pass replaced (a cached tensor, a counter) is the old object again, and its
    lists, sets and dicts hold what they held.
    """

    def __init__(self, model: Any, arguments: Any) -> None:
        self._kept: dict[int, tuple[Any, list[Restore]]] = {}
        self._tensors: dict[int, tuple[Tensor, Tensor]] = {}
        self._gradients: list[tuple[Tensor, bool, Tensor | None]] = []
        self._unshaped: dict[int, tuple[nn.Module, RemovableHandle]] = {}
        self._torch = torch.get_rng_state()
        self._cuda = torch.cuda.get_rng_state_all() if torch.cuda.is_initialized() else None
        self._python = random.getstate()
        self._numpy = np.random.get_state()
        self._keep(model, arguments)

    def meet(self, module: nn.Module) -> None:
        """Keep the state of a module, unless it is kept already or has no shapes yet."""
        if id(module) not in self._kept:
            with torch._C.DisableTorchFunction():  # it may be met while it is being recorded
                self._keep(module)

    def _keep(self, *roots: Any) -> None:
        """Keep everything that can be reached from these objects, each once."""
        ahead = list(roots)
        while ahead:
            item = ahead.pop()
            if item.__class__ in PLAIN or id(item) in self._kept:
                continue
            if isinstance(item, Tensor):
                ahead += self._keep_tensor(item)
            elif isinstance(item, nn.Module) and is_lazy(item):
                self._meet_once_shaped(item)
            else:
                restores, parts = state_of(item)
                self._kept[id(item)] = item, restores
                ahead += parts

    def _keep_tensor(self, tensor: Tensor) -> list[Tensor]:
        """Keep a tensor's content and whether it requires a gradient; returns the gradient it has, to be kept too."""
        if id(tensor) in self._tensors or not has_content(tensor):
            return []
        self.hold([(tensor, copy_of(tensor))])
        gradient = tensor.grad if tensor.is_leaf else None
        self._gradients.append((tensor, tensor.requires_grad, gradient))
        return [] if gradient is None else [gradient]

    def _meet_once_shaped(self, module: nn.Module) -> None:
        """A lazy module has a state from its first call on, just before which it is met."""
        if id(module) in self._unshaped:
            return

        def meet(module: nn.Module, arguments: Any) -> None:
            hook.remove()
            self.meet(module)

        hook = module.register_forward_pre_hook(meet)  # runs after the one that gives the module its shapes
        self._unshaped[id(module)] = module, hook

    def hold(self, contents: Iterable[tuple[Tensor, Tensor]]) -> None:
        """Keep the content that each of these tensors has, or had, before the model ran."""
        for tensor, content in contents:
            if has_content(tensor):
                self._tensors.setdefault(id(tensor), (tensor, content))

    def restore(self) -> None:
        """Bring everything back as it was."""
        for _, restores in self._kept.values():
            for restore in restores:
                restore()
        for tensor, required, gradient in self._gradients:
            _restore_gradient(tensor, required, gradient)
        for tensor, content in self._tensors.values():
            if not same_bits(tensor, content):
                _write(tensor, content)
        self.restore_generators()
        for _, hook in self._unshaped.values():
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


def _restore_gradient(tensor: Tensor, required: bool, gradient: Tensor | None) -> None:
    if tensor.requires_grad != required:
        if tensor.is_leaf:
            tensor.requires_grad_(required)
        else:  # it was written to in place; of a view, torch lets only the base be detached
            (tensor if tensor._base is None else tensor._base).detach_()
    if tensor.is_leaf and tensor.grad is not gradient:
        tensor.grad = gradient


def _write(tensor: Tensor, content: Tensor) -> None:
    if tensor.shape != content.shape or tensor.dtype != content.dtype:
        tensor.data = content.clone()  # the model gave it another form
        return
    with torch.inference_mode(tensor.is_inference()), torch.no_grad():
        tensor.detach().copy_(content)


@contextmanager
def left_as_found(model: Any, arguments: Any) -> Iterator[Snapshot]:
    """Restore the model, its arguments and the random generators after the block, also when it raises."""
    snapshot = Snapshot(model, arguments)
    try:
        yield snapshot
    finally:
        snapshot.restore()
