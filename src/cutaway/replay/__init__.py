"""Run recorded ops again: one alone from its recorded operands, or the whole graph from inputs and parameters.

Only functions on torch's own list of overridable functions are called (functions.py). Operands are rebuilt with their
recorded strides and alignment, since a CPU kernel's choice, and so its last bits, depends on both.
"""

import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from cutaway.errors import CutawayError, ReplayError
from cutaway.functions import find_function
from cutaway.recorded import Example, Graph, Op, Record, Value, values_in
from cutaway.recording.contents import bytes_of
from cutaway.tensor import Array, Tensor
from cutaway.tree import decode

ALIGNMENT = 64  # bytes; torch's CPU allocator aligns storages to this


@dataclass(frozen=True)
class Made:
    """A value that a replayed op made."""

    value: int
    tensor: torch.Tensor


def rebuild(content: Tensor, value: Value) -> torch.Tensor:
    """A torch tensor with a value's content, strides, alignment within 64 bytes, and need of a gradient."""
    tensor = _rebuild_shared({0: (content, value)})[0]
    return tensor.requires_grad_() if value.requires_grad else tensor


def _rebuild_shared(members: Mapping[int, tuple[Tensor, Value]]) -> dict[int, torch.Tensor]:
    """Torch tensors that lie in one memory, each with its content, strides and place there (modulo 64 bytes)."""
    spans = [_span(value, content.item_size) for content, value in members.values() if content.count]
    start = min((first for first, _ in spans), default=0) // ALIGNMENT * ALIGNMENT
    end = max((last for _, last in spans), default=0) + ALIGNMENT
    storage = torch.zeros((end - start) // ALIGNMENT * ALIGNMENT, dtype=torch.uint8)
    memory = storage.numpy()
    tensors = {}
    for i, (content, value) in members.items():
        bits, size = content.bits(), content.item_size
        offset = value.offset - start // size if content.count else 0
        strides = tuple(stride * size for stride in value.strides)
        np.ndarray(bits.shape, bits.dtype, memory, offset * size, strides)[...] = bits
        tensors[i] = storage.view(torch_dtype(value.dtype)).as_strided(value.shape, value.strides, offset)
    return tensors


def _span(value: Value, size: int) -> tuple[int, int]:
    """Where in its storage a value with elements of this size begins and ends, in bytes."""
    reach = sum((length - 1) * stride for length, stride in zip(value.shape, value.strides, strict=True))
    return value.offset * size, (value.offset + reach + 1) * size


def torch_dtype(name: str) -> torch.dtype:
    found = getattr(torch, name, None)
    if not isinstance(found, torch.dtype):
        raise ReplayError(f"this torch ({torch.__version__}) has no dtype {name}; use the version that recorded it")
    return found


def replay_op(
    graph: Graph, index: int, example: Example, replaced: Mapping[int, torch.Tensor] | None = None
) -> list[Made]:
    """Run one op from its recorded operands; returns what it made, in the order of `op.makes`.

    replaced: other tensors to use for some operands. Raises ReplayError when an operand was not kept or the call fails.
    """
    op = graph.ops[index]
    needed = dict.fromkeys([*op.reads, *(before for before, _ in op.writes)])
    tensors = _together(graph, example, needed)
    tensors.update({i: tensor for i, tensor in (replaced or {}).items() if i in needed})
    written = {before for before, _ in op.writes}
    for i in needed:  # a written tensor was no leaf, which it would be here
        tensors[i] = tensors[i].requires_grad_(graph.values[i].requires_grad and i not in written)
    generator = None if op.random is None else rebuild(_kept(graph, example, op.random), graph.values[op.random])
    result = _call(op, index, tensors, generator)
    return _made(op, result, tensors)


def _together(graph: Graph, example: Example, wanted: Iterable[int]) -> dict[int, torch.Tensor]:
    """These values, rebuilt; those that lay in one memory do so again."""
    families: dict[tuple[str, int], dict[int, tuple[Tensor, Value]]] = {}
    for i in wanted:
        value = graph.values[i]
        key = ("alone", i) if value.memory is None else ("memory", value.memory)
        families.setdefault(key, {})[i] = _kept(graph, example, i), value
    return {i: tensor for family in families.values() for i, tensor in _rebuild_shared(family).items()}


def _kept(graph: Graph, example: Example, i: int) -> Tensor:
    content = example.tensors[i]
    if content is None:
        raise ReplayError(f"the value {graph.values[i].name!r} was not kept in example {example.name!r}")
    return content


def _call(op: Op, index: int, tensors: Mapping[int, torch.Tensor], generator: torch.Tensor | None) -> Any:
    if op.note is not None:
        raise ReplayError(f"op {index} ({op.function}) cannot be replayed: it {op.note}")
    function = find_function(op.function)
    args = decode(op.args, tensors.__getitem__)
    kwargs = decode({"dict": [[key, item] for key, item in op.kwargs.items()]}, tensors.__getitem__)
    with _modes(op, generator), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return function(*args, **kwargs)
        except CutawayError:
            raise
        except Exception as error:
            raise ReplayError(
                f"op {index} ({op.function}) raised {type(error).__name__} when replayed: {error}"
            ) from error


@contextmanager
def _modes(op: Op, generator: torch.Tensor | None) -> Iterator[None]:
    """The state an op ran under: gradients, autocast, and the random generator where it drew from it."""
    with ExitStack() as stack:
        stack.enter_context(torch.set_grad_enabled(op.grad is not False))
        dtype = torch_dtype(op.autocast) if op.autocast else torch.bfloat16
        stack.enter_context(torch.autocast("cpu", dtype=dtype, enabled=op.autocast is not None))
        if generator is not None:
            stack.enter_context(torch.random.fork_rng(devices=[]))
            torch.set_rng_state(generator)
        yield


def _made(op: Op, result: Any, tensors: Mapping[int, torch.Tensor]) -> list[Made]:
    made: dict[int, torch.Tensor] = {}
    _match(op.outputs, result, made, op.function)
    for before, after in op.writes:
        made[after] = tensors[before]
    return [Made(value, made[value]) for value in op.makes]


def _match(tree: Any, result: Any, made: dict[int, torch.Tensor], function: str) -> None:
    """Pair the value leaves of an output tree with the tensors of a result of the same form."""
    if isinstance(tree, dict) and "value" in tree:
        if not isinstance(result, torch.Tensor):
            raise ReplayError(f"{function} gave {type(result).__name__} where a tensor was recorded")
        made[tree["value"]] = result
    elif isinstance(tree, (list, dict)):
        leaves = list(values_in(tree))
        found = list(_tensors(result))
        if len(leaves) != len(found):
            raise ReplayError(f"{function} gave {len(found)} tensors, {len(leaves)} were recorded")
        made.update(zip(leaves, found, strict=True))


def _tensors(result: Any) -> Iterator[torch.Tensor]:
    if isinstance(result, torch.Tensor):
        yield result
    elif isinstance(result, Mapping):
        for item in result.values():
            yield from _tensors(item)
    elif isinstance(result, (tuple, list)):
        for item in result:
            yield from _tensors(item)


def chain(
    graph: Graph,
    example: Example,
    replaced: Mapping[int, torch.Tensor] | None = None,
) -> Iterator[tuple[int, list[Made], dict[int, torch.Tensor]]]:
    """Run the whole graph from inputs, parameters, buffers and constants, op by op.

    Yields (op index, what it made, all tensors so far by value id). `replaced` takes the place of values where they
    arise.
    """
    replaced = replaced or {}
    given = [i for i, value in enumerate(graph.values) if value.op is None and value.kind != "gradient"]
    tensors = _together(graph, example, given)
    tensors.update({i: replaced[i] for i in given if i in replaced})
    for i in given:
        tensors[i].requires_grad_(graph.values[i].requires_grad)
    for index, op in enumerate(graph.ops):
        if op.note is not None:
            made = _recorded(graph, op, example)
        else:
            generator = None if op.random is None else tensors[op.random]
            made = _made(op, _call(op, index, tensors, generator), tensors)
        for item in made:
            tensors[item.value] = replaced.get(item.value, item.tensor)
        yield index, made, tensors


def _recorded(graph: Graph, op: Op, example: Example) -> list[Made]:
    """What an op that cannot be replayed made, from the recording; the graph lists these values as not covered."""
    tensors = _together(graph, example, op.makes)
    return [Made(i, tensors[i]) for i in op.makes]


def replay_gradients(graph: Graph, example: Example) -> dict[int, torch.Tensor]:
    """The covered gradients, computed again from inputs and parameters: gradient value id -> tensor."""
    outside = {o.value for o in graph.outside}
    covered = [g for g in graph.gradients if g.value not in outside]
    *_, (_, _, tensors) = chain(graph, example)
    found: dict[int, torch.Tensor] = {}
    for loss in dict.fromkeys(g.loss for g in covered):
        wanted = [g for g in covered if g.loss == loss]
        gradients = torch.autograd.grad(tensors[loss], [tensors[g.of] for g in wanted], retain_graph=True)
        found.update({g.value: gradient for g, gradient in zip(wanted, gradients, strict=True)})
    return found


def replay_record(record: Record, example: str, replaced: Mapping[str, Any]) -> dict[str, Array]:
    """Run one example again with some values replaced, by name, where they arise; returns every value by name.

    replaced: arrays of the value's shape (they are cast to its dtype). Raises ReplayError on an unknown name or shape.
    """
    graph, case = record.graph(example), record.example(example)
    given: dict[int, torch.Tensor] = {}
    for name, content in replaced.items():
        if name not in graph.ids:
            raise ReplayError(f"replay: no value is named {name!r}; `cutaway show` lists the names")
        value = graph.values[graph.ids[name]]
        array = np.asarray(content)
        if array.shape != value.shape:
            raise ReplayError(f"replay: {name!r} has shape {list(value.shape)}, the replacement {list(array.shape)}")
        fresh = torch.from_numpy(np.array(array)).to(torch_dtype(value.dtype)).contiguous()
        given[graph.ids[name]] = rebuild(Tensor(value.dtype, value.shape, bytes_of(fresh)), value)
    arrays: dict[int, Array] = {}
    for _, made, tensors in chain(graph, case, given):
        if not arrays:
            arrays = {i: _array(tensor, graph.values[i]) for i, tensor in tensors.items() if graph.values[i].op is None}
        for item in made:  # at once: a later in-place op may write this memory
            arrays[item.value] = _array(tensors[item.value], graph.values[item.value])
    return {name: arrays[i] for name, i in graph.ids.items() if i in arrays}


def _array(tensor: torch.Tensor, value: Value) -> Array:
    return Tensor(value.dtype, tuple(tensor.shape), bytes_of(tensor)).array()


def bits_of(tensor: torch.Tensor, value: Value) -> Tensor:
    """A replayed tensor as plain bytes; raises ReplayError when its dtype or shape is not the recorded one."""
    dtype = str(tensor.dtype).removeprefix("torch.")
    if dtype != value.dtype or tuple(tensor.shape) != value.shape:
        raise ReplayError(
            f"{value.name!r} came out as {dtype} {list(tensor.shape)}, recorded was {value.dtype} {list(value.shape)}"
        )
    return Tensor(dtype, value.shape, bytes_of(tensor))
