"""Raw events of one forward pass -> a graph of scopes, values and ops, and the content of each value.

Tensors are followed by identity: `current` says which value a live tensor is now. An in-place call gives every alias of
the written memory a new value, so a value never changes and has at most one maker.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

import torch
from torch import nn
from torch.overrides import resolve_name

from cutaway.errors import RecordingError
from cutaway.functions import known_name
from cutaway.recorded import Gradient, Graph, Op, Outside, Scope, Tree, Value, values_in
from cutaway.recording.capture import Call, Capture, Unseen
from cutaway.recording.contents import Seen, has_content
from cutaway.recording.naming import names_at
from cutaway.recording.scopes import module_paths, name_scopes, source_at
from cutaway.tree import encode, holds_opaque

HANDED_OVER = "handed to Python by {}; what Python did with it is not replayed"
NOT_KNOWN = "made by {}, which replay does not call"
NOT_SEEN_INSIDE = "made inside {}, whose calls are not seen (a scripted module, or another library)"
FILLED_BY_BACKWARD = "filled by backward() inside the run, or before it, neither of which replay does again"
CUSTOM_GRADIENT = "flows through {}, whose own backward replay does not call"
CHANGED_UNSEEN = "changed by something that was not seen (Python through shared memory, or another library)"
NOT_SEEN = "met without a known origin (another library, vmap, a scripted function, or made before the run)"
# Factories that wrap memory owned by Python: what filled it was not seen.
WRAPPING = frozenset({"torch.from_numpy", "torch.frombuffer", "torch.as_tensor", "torch.asarray", "torch.from_dlpack"})
# Factories whose result depends on the form of what they are given, and on nothing in it.
_FACTORIES = ("zeros", "ones", "empty", "empty_strided", "empty_like", "rand", "randn", "rand_like", "randn_like")
FACTORIES = frozenset(f"torch.{name}" for name in (*_FACTORIES, "randint_like", "Tensor.new_empty"))


@dataclass
class Assembly:
    """Builds the graph of one pass. Then `contents[i]` is value i's tensor, `live[i]` the object itself."""

    capture: Capture
    model: Callable[..., Any]
    values: list[Value] = field(default_factory=list)
    contents: list[torch.Tensor] = field(default_factory=list)
    live: list[torch.Tensor] = field(default_factory=list)
    ops: list[Op] = field(default_factory=list)
    outside: list[Outside] = field(default_factory=list)
    gradients: list[Gradient] = field(default_factory=list)
    _current: dict[int, int] = field(default_factory=dict)
    _overwritten: set[int] = field(default_factory=set)
    _taken: dict[str, int] = field(default_factory=dict)
    _memories: dict[int, int] = field(default_factory=dict)
    _scope_names: list[str] = field(default_factory=list)
    _inputs: dict[str, dict[str, Tree]] = field(default_factory=dict)

    def add_inputs(self, inputs: dict[str, dict[str, Any]]) -> None:
        """Before the pass: {"args": {name: object}, "kwargs": {name: object}}, as they are now."""
        for part, named in inputs.items():
            self._inputs[part] = {name: self._encode_inputs(name, item) for name, item in named.items()}

    def build(self, result: Any) -> Graph:
        """After the pass; result: what the model returned."""
        scopes = name_scopes(self.capture, self.model)
        owned = self._add_owned(scopes)
        scopes = [replace(scope, parameters=owned.get(scope.path, {})) for scope in scopes]
        self._scope_names = [scope.name for scope in scopes]
        for call in self.capture.calls:
            if isinstance(call, Unseen):
                self._add_unseen(call)
            else:
                self._add_call(call)
        outputs = encode(result, lambda tensor, path: self._value_of(tensor, 0))
        self._add_output_names(outputs)
        self._forget_lone_memories()
        return Graph(
            tuple(scopes),
            tuple(self.values),
            tuple(self.ops),
            {"args": list(self._inputs["args"].values()), "kwargs": self._inputs["kwargs"]},
            outputs,
            (),
            tuple(self.outside),
        )

    # values

    def add(self, seen: Seen, name: str, kind: str, op: int | None, scope: int) -> int:
        """A new value for a tensor as it was seen; the name gains `#2` when it is taken."""
        tensor, content = seen.tensor, seen.content
        if not has_content(tensor):
            oddity = _oddity(tensor)
            raise RecordingError(f"the value {name!r} is {oddity}; only dense tensors with a content are recorded")
        memory = self._memories.setdefault(seen.memory, len(self.values))
        value = Value(
            self._free_name(name),
            kind,
            str(content.dtype).removeprefix("torch."),
            tuple(content.shape),
            seen.strides,
            seen.offset,
            op,
            scope,
            memory=memory,
            requires_grad=seen.requires_grad,
        )
        self.values.append(value)
        self.contents.append(content)
        self.live.append(tensor)
        self._current[id(tensor)] = len(self.values) - 1
        return len(self.values) - 1

    def _forget_lone_memories(self) -> None:
        """Keep `memory` only where several tensors share one."""
        tenants: dict[int | None, set[int]] = {}
        for value, tensor in zip(self.values, self.live, strict=True):
            tenants.setdefault(value.memory, set()).add(id(tensor))
        for i, value in enumerate(self.values):
            if len(tenants[value.memory]) == 1:
                self.values[i] = replace(value, memory=None)

    def _free_name(self, name: str) -> str:
        self._taken[name] = count = self._taken.get(name, 0) + 1
        return name if count == 1 else self._free_name(f"{name}#{count}")

    def _first_name(self, i: int) -> str:
        """The name of a value without the number it has as a later version."""
        return re.sub(r"#\d+$", "", self.values[i].name)

    def _encode_inputs(self, name: str, item: Any) -> Tree:
        def place(tensor: torch.Tensor, path: str) -> int:
            if id(tensor) not in self._current:
                self.add(self.capture.met[id(tensor)], path, "input", None, 0)
            return self._current[id(tensor)]

        return encode(item, place, name)

    def _add_owned(self, scopes: list[Scope]) -> dict[str, dict[str, int]]:
        """Parameters and buffers under their first name; returns, for each module path, local name -> value id."""
        owned: dict[str, dict[str, int]] = {}
        owners = module_paths(self.model, self.capture, scopes)
        for kind, store in (("parameter", "_parameters"), ("buffer", "_buffers")):
            for path, module in owners:
                for local, tensor in getattr(module, store).items():
                    if tensor is not None:
                        name = f"{path}.{local}" if path else local
                        owned.setdefault(path, {})[local] = self._add_own(tensor, name, kind)
        return owned

    def _add_own(self, tensor: torch.Tensor, name: str, kind: str) -> int:
        known = self._current.get(id(tensor))
        if known is None:
            return self.add(self._first(tensor), name, kind, None, 0)
        value = self.values[known]
        if value.name != name and name not in value.also:
            self.values[known] = replace(value, also=(*value.also, name))
        return known

    def _value_of(self, tensor: torch.Tensor, scope: int, path: str = "") -> int:
        """The value a tensor is now; one never seen before becomes a constant, listed as coming from outside."""
        known = self._current.get(id(tensor))
        if known is not None:
            return known
        if isinstance(tensor, nn.Parameter):
            return self.add(self._first(tensor), self._name("parameter", scope), "parameter", None, scope)
        value = self.add(self._first(tensor), self._name("constant", scope), "constant", None, scope)
        self.outside.append(Outside(value, NOT_SEEN))
        return value

    def _first(self, tensor: torch.Tensor) -> Seen:
        """A tensor as it was when first seen, or, if the run did not meet it, as it is."""
        return self.capture.met.get(id(tensor)) or Seen(tensor)

    def _name(self, local: str, scope: int) -> str:
        prefix = self._scope_names[scope]
        return f"{prefix}.{local}" if prefix else local

    # ops

    def _add_call(self, call: Call) -> None:
        short = short_name(call.function)
        if not call.outputs and not call.wrote:
            self.outside.extend(Outside(i, HANDED_OVER.format(short)) for i in self._read(call))
            return
        names = names_at(call.code, call.instruction) if call.code is not None else ()
        name = known_name(call.function)
        factory = full_name(call.function) in FACTORIES or (name is None and not self._read(call))
        if factory and not call.wrote:
            self._add_constants(call, names, short)
            return
        args, kwargs = self._encode_arguments(call)
        note = None
        if name is None:
            name = full_name(call.function)
            note = (NOT_SEEN_INSIDE if isinstance(call.function, nn.Module) else NOT_KNOWN).format(name)
        elif name == "torch.Tensor.grad.__get__":
            note = FILLED_BY_BACKWARD
        elif holds_opaque([args, kwargs]):
            note = "takes an argument that cannot be written down"
        random = self._add_generator(call, short)
        before = {id(seen.tensor): self._current.get(id(seen.tensor)) for seen in call.wrote}
        made = self._add_results(call, names, short, before)
        if note is not None:
            self.outside.extend(Outside(i, note) for i in made)
        writes = tuple((old, self._current[key]) for key, old in before.items() if old is not None)
        self._overwritten.update(old for old, _ in writes)
        outputs = encode(call.result, lambda tensor, path: self._current[id(tensor)])
        source = source_at(call.user_code, call.user_line)
        grad = None if call.grad else False
        self.ops.append(Op(name, call.scope, args, kwargs, outputs, writes, source, note, call.autocast, random, grad))

    def _add_generator(self, call: Call, short: str) -> int | None:
        if call.generator is None:
            return None
        name = self._name(f"{short}.generator", call.scope)
        return self.add(Seen(call.generator), name, "constant", None, call.scope)

    def _add_results(self, call: Call, names: tuple[str, ...], short: str, before: dict[int, int | None]) -> list[int]:
        """The values that the next op makes: what the call returned, then what it wrote in place."""
        written = {id(seen.tensor): seen for seen in call.wrote}
        op, made = len(self.ops), []
        for i, seen in enumerate(call.outputs):
            local, old = _local_name(names, i, len(call.outputs)), before.get(id(seen.tensor))
            name = self._name(local or short, call.scope) if local or old is None else self._first_name(old)
            seen = written.pop(id(seen.tensor), seen)
            made.append(self.add(seen, name, "result", op, call.scope))
        for key, seen in written.items():
            old = before[key]
            if old is not None:
                made.append(self.add(seen, self._first_name(old), "result", op, call.scope))
        return made

    def _add_unseen(self, change: Unseen) -> None:
        """Tensors that changed behind the recording's back go on as constants without a known origin."""
        for memory in {seen.memory for seen in change.wrote}:
            self._memories.pop(memory, None)  # replay starts them anew, in a memory of their own
        for seen in change.wrote:
            old = self._current.get(id(seen.tensor))
            if old is not None:
                self._overwritten.add(old)
                value = self.add(seen, self._first_name(old), "constant", None, change.scope)
                self.outside.append(Outside(value, CHANGED_UNSEEN))

    def _add_constants(self, call: Call, names: tuple[str, ...], short: str) -> None:
        """A factory's result. Where it wraps foreign memory, its origin is lost."""
        full = full_name(call.function)
        for i, seen in enumerate(call.outputs):
            local = _local_name(names, i, len(call.outputs)) or short
            value = self.add(seen, self._name(local, call.scope), "constant", None, call.scope)
            if full in WRAPPING:
                self.outside.append(Outside(value, NOT_KNOWN.format(full)))

    def _encode_arguments(self, call: Call) -> tuple[list[Tree], dict[str, Tree]]:
        def value_of(tensor: torch.Tensor, path: str) -> int:
            return self._value_of(tensor, call.scope)

        return encode(list(call.args), value_of), {key: encode(item, value_of) for key, item in call.kwargs.items()}

    def _read(self, call: Call) -> list[int]:
        """The values among a call's arguments, each once."""
        return list(dict.fromkeys(values_in(list(self._encode_arguments(call)))))

    def _add_output_names(self, outputs: Tree) -> None:
        """The keys of a returned dict or dataclass are names too."""
        if isinstance(outputs, dict):
            for key, item in [*outputs.get("dict", ()), *outputs.get("fields", ())]:
                if isinstance(item, dict) and "value" in item and isinstance(key, str):
                    value = self.values[item["value"]]
                    if key != value.name and key not in self._taken and key not in value.also:
                        self.values[item["value"]] = replace(value, also=(*value.also, key))

    # gradients

    def differentiate(self, graph: Graph, losses: list[str]) -> Graph:
        """The gradient of each named loss with respect to every parameter and result it depends on, as values."""
        for name in losses:
            if name not in graph.ids:
                raise RecordingError(f"gradients: no value is named {name!r}; name a scalar that the model computes")
            loss = graph.ids[name]
            target = self.live[loss]
            if target.numel() != 1 or not target.requires_grad:
                raise RecordingError(
                    f"gradients: {name!r} is not a scalar that depends on parameters with gradients on"
                )
            wanted = [i for i in range(len(graph.values)) if i != loss and self._differentiable(i)]
            found = torch.autograd.grad(target, [self.live[i] for i in wanted], retain_graph=True, allow_unused=True)
            custom = custom_function(target)
            for of, gradient in zip(wanted, found, strict=True):
                if gradient is not None:
                    label, scope = f"grad({name}, {graph.values[of].name})", graph.values[of].scope
                    value = self.add(Seen(gradient), label, "gradient", None, scope)
                    self.gradients.append(Gradient(loss, of, value))
                    if custom is not None:
                        self.outside.append(Outside(value, CUSTOM_GRADIENT.format(custom)))
        self._forget_lone_memories()
        return replace(graph, values=tuple(self.values), gradients=tuple(self.gradients), outside=tuple(self.outside))

    def _differentiable(self, i: int) -> bool:
        return self.live[i].requires_grad and i not in self._overwritten


def _oddity(tensor: torch.Tensor) -> str:
    """In which way a tensor is not dense."""
    ways = {"on the meta device": tensor.is_meta, "nested": tensor.is_nested, "quantized": tensor.is_quantized}
    return next((way for way, found in ways.items() if found), str(tensor.layout))


def custom_function(loss: torch.Tensor) -> str | None:
    """The name of a custom autograd function that gradients of a loss flow through, if there is one."""
    ahead, seen = [loss.grad_fn], set()
    while ahead:
        node = ahead.pop()
        if node is None or node in seen:
            continue
        if isinstance(node, torch.autograd.function.BackwardCFunction):
            return type(node).__name__.removesuffix("Backward")
        seen.add(node)
        ahead += [next_node for next_node, _ in node.next_functions]
    return None


def _local_name(names: tuple[str, ...], i: int, count: int) -> str | None:
    """What the source calls the i-th of several results."""
    if len(names) == count:
        return names[i]
    return f"{names[0]}[{i}]" if len(names) == 1 else None


def short_name(function: Callable[..., Any]) -> str:
    """`torch.Tensor.__getitem__` -> `getitem`, `torch.Tensor.T.__get__` -> `T`."""
    parts = full_name(function).split(".")
    last = parts[-2] if parts[-1] == "__get__" else parts[-1]
    return last.strip("_") or last


def full_name(function: Callable[..., Any]) -> str:
    """The name under which torch lists a function; a module's class; else what Python calls it."""
    if isinstance(function, nn.Module):
        return str(getattr(function, "original_name", type(function).__name__))
    return _listed_name(function)


@cache
def _listed_name(function: Callable[..., Any]) -> str:
    return str(resolve_name(function) or getattr(function, "__name__", "call"))
