"""Raw events of one forward pass -> a graph of scopes, values and ops, and the content of each value.

Tensors are followed by identity: `current` says which value a live tensor is now. An in-place call gives every alias of
the written memory a new value, so a value never changes and has at most one maker.
"""

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from types import CodeType
from typing import Any

import torch
from torch import nn
from torch.overrides import resolve_name

from cutaway.capture import Call, Capture
from cutaway.errors import RecordingError
from cutaway.functions import known_name
from cutaway.naming import names_at, shown_path
from cutaway.recorded import Gradient, Graph, Op, Outside, Scope, Source, Tree, Value, values_in
from cutaway.tree import encode, holds_opaque

HANDED_OVER = "handed to Python by {}; what Python did with it is not replayed"
NOT_KNOWN = "made by {}, which replay does not call"
NOT_SEEN = "met without a known origin (another library, a scripted module, or made before the run)"
# Factories that wrap memory owned by Python: what filled it was not seen.
WRAPPING = frozenset({"torch.from_numpy", "torch.frombuffer", "torch.as_tensor", "torch.asarray", "torch.from_dlpack"})


@dataclass
class Assembly:
    """Builds the graph of one pass. Then `contents[i]` is value i's tensor, `live[i]` the object itself."""

    capture: Capture
    model: nn.Module | None
    values: list[Value] = field(default_factory=list)
    contents: list[torch.Tensor] = field(default_factory=list)
    live: list[torch.Tensor] = field(default_factory=list)
    ops: list[Op] = field(default_factory=list)
    outside: list[Outside] = field(default_factory=list)
    gradients: list[Gradient] = field(default_factory=list)
    _current: dict[int, int] = field(default_factory=dict)
    _taken: dict[str, int] = field(default_factory=dict)
    _scope_names: list[str] = field(default_factory=list)

    def build(self, inputs: dict[str, Any], result: Any) -> Graph:
        """inputs: {"args": {name: object}, "kwargs": {name: object}}; result: what the model returned."""
        scopes = name_scopes(self.capture, self.model)
        input_trees = {
            part: {name: self._encode_inputs(name, item) for name, item in named.items()}
            for part, named in inputs.items()
        }
        owned = self._add_owned()
        scopes = [replace(scope, parameters=owned.get(scope.path, {})) for scope in scopes]
        self._scope_names = [scope.name for scope in scopes]
        for call in self.capture.calls:
            self._add_call(call)
        outputs = encode(result, lambda tensor, path: self._value_of(tensor, 0))
        self._add_output_names(outputs)
        return Graph(
            tuple(scopes),
            tuple(self.values),
            tuple(self.ops),
            {"args": list(input_trees["args"].values()), "kwargs": input_trees["kwargs"]},
            outputs,
            (),
            tuple(self.outside),
        )

    # values

    def add(self, tensor: torch.Tensor, content: torch.Tensor, name: str, kind: str, op: int | None, scope: int) -> int:
        """A new value for a tensor as it is now; the name gains `#2` when it is taken."""
        if tensor.layout != torch.strided or tensor.is_quantized:
            raise RecordingError(f"the value {name!r} is {tensor.layout} or quantized; only dense tensors are recorded")
        self._taken[name] = count = self._taken.get(name, 0) + 1
        value = Value(
            name if count == 1 else f"{name}#{count}",
            kind,
            str(tensor.dtype).removeprefix("torch."),
            tuple(tensor.shape),
            tuple(tensor.stride()),
            int(tensor.storage_offset()),
            op,
            scope,
        )
        self.values.append(value)
        self.contents.append(content)
        self.live.append(tensor)
        self._current[id(tensor)] = len(self.values) - 1
        return len(self.values) - 1

    def _encode_inputs(self, name: str, item: Any) -> Tree:
        def place(tensor: torch.Tensor, path: str) -> int:
            if id(tensor) not in self._current:
                self.add(tensor, self.capture.met[id(tensor)], path, "input", None, 0)
            return self._current[id(tensor)]

        return encode(item, place, name)

    def _add_owned(self) -> dict[str, dict[str, int]]:
        """Parameters and buffers under their first name; returns, for each module path, local name -> value id."""
        owned: dict[str, dict[str, int]] = {}
        if self.model is None:
            return owned
        parameters = list(self.model.named_parameters(remove_duplicate=False))
        for kind, named in (("parameter", parameters), ("buffer", self.model.named_buffers(remove_duplicate=False))):
            for name, tensor in named:
                known = self._current.get(id(tensor))
                if known is None:
                    known = self.add(tensor, self.capture.met[id(tensor)], name, kind, None, 0)
                elif self.values[known].name != name:
                    value = self.values[known]
                    self.values[known] = replace(value, also=(*value.also, name))
                path, _, local = name.rpartition(".")
                owned.setdefault(path, {})[local] = known
        return owned

    def _value_of(self, tensor: torch.Tensor, scope: int, path: str = "") -> int:
        """The value a tensor is now; one never seen before becomes a constant, listed as coming from outside."""
        known = self._current.get(id(tensor))
        if known is not None:
            return known
        content = self.capture.met.get(id(tensor))
        content = tensor.detach().clone() if content is None else content
        if isinstance(tensor, nn.Parameter):
            module = self.capture.entries[scope].module if self.capture.entries else None
            local = next((n for n, p in getattr(module, "_parameters", {}).items() if p is tensor), "parameter")
            return self.add(tensor, content, self._name(local, scope), "parameter", None, scope)
        value = self.add(tensor, content, self._name("constant", scope), "constant", None, scope)
        self.outside.append(Outside(value, NOT_SEEN))
        return value

    def _name(self, local: str, scope: int) -> str:
        prefix = self._scope_names[scope]
        return f"{prefix}.{local}" if prefix else local

    # ops

    def _add_call(self, call: Call) -> None:
        where, name = call.scope, known_name(call.function)
        if not call.copies and not call.wrote:
            short = getattr(call.function, "__name__", "a call")
            self.outside.extend(Outside(i, HANDED_OVER.format(short)) for i in self._read(call))
            return
        names = names_at(call.code, call.instruction) if call.code is not None else ()
        short = short_name(call.function)
        if name is None and not call.wrote:
            self._add_constants(call, names, short)
            return
        args, kwargs = self._encode_arguments(call)
        random = None
        if call.generator is not None:
            random = self.add(
                call.generator, call.generator, self._name(f"{short}.generator", where), "constant", None, where
            )
        before = {id(tensor): self._current.get(id(tensor)) for tensor, _ in call.wrote}
        written = {id(tensor): content for tensor, content in call.wrote}
        op = len(self.ops)
        for i, (tensor, content) in enumerate(call.copies):
            local = names[i] if len(names) == len(call.copies) else f"{names[0]}[{i}]" if len(names) == 1 else short
            self.add(tensor, written.pop(id(tensor), content), self._name(local, where), "result", op, where)
        for tensor, content in call.wrote:
            old = before[id(tensor)]
            if id(tensor) in written and old is not None:
                self.add(tensor, content, self.values[old].name.partition("#")[0], "result", op, where)
        writes = tuple((old, self._current[key]) for key, old in before.items() if old is not None)
        outputs = encode(call.result, lambda tensor, path: self._current[id(tensor)])
        note = None
        if name is None:
            name, note = resolve_name(call.function) or short, NOT_KNOWN.format(short)
        elif holds_opaque([args, kwargs]):
            note = "takes an argument that cannot be written down"
        source = source_at(call.user_code, call.user_line)
        self.ops.append(Op(name, where, args, kwargs, outputs, writes, source, note, call.autocast, random))

    def _add_constants(self, call: Call, names: tuple[str, ...], short: str) -> None:
        """A factory's result. Where the factory was given tensors, or wraps foreign memory, its origin is lost."""
        full = resolve_name(call.function) or short
        fed = bool(self._read(call))
        for i, (tensor, content) in enumerate(call.copies):
            local = names[i] if len(names) == len(call.copies) else short
            value = self.add(tensor, content, self._name(local, call.scope), "constant", None, call.scope)
            if fed or full in WRAPPING:
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
            for of, gradient in zip(wanted, found, strict=True):
                if gradient is not None:
                    label = f"grad({name}, {graph.values[of].name})"
                    value = self.add(
                        gradient, gradient.detach().clone(), label, "gradient", None, graph.values[of].scope
                    )
                    self.gradients.append(Gradient(loss, of, value))
        return replace(graph, values=tuple(self.values), gradients=tuple(self.gradients))

    def _differentiable(self, i: int) -> bool:
        tensor = self.live[i]
        return tensor.requires_grad and self._current[id(tensor)] == i


def name_scopes(capture: Capture, model: nn.Module | None) -> list[Scope]:
    """One scope a module call, named by the module's path, with `#2` for a second call under the same parent."""
    paths: dict[int, str] = {}
    if model is not None:
        for path, module in model.named_modules(remove_duplicate=False):
            paths.setdefault(id(module), path)
    scopes: list[Scope] = []
    counts: dict[tuple[int | None, str], int] = {}
    for entry in capture.entries:
        module, parent = entry.module, entry.parent
        if module is None or parent is None:
            callee = type(module).__name__ if module is not None else "function"
            scopes.append(Scope("", "", callee, None, 1, {}, _source_of(module)))
            continue
        above = scopes[parent]
        path = paths.get(id(module))
        if path is None:
            path = _unregistered(capture.entries[parent].module, above.path, module)
            paths[id(module)] = path
        inner = path.removeprefix(above.path + ".") if above.path else path
        count = counts[parent, inner] = counts.get((parent, inner), 0) + 1
        local = inner if count == 1 else f"{inner}#{count}"
        name = f"{above.name}.{local}" if above.name else local
        scopes.append(Scope(name, path, type(module).__name__, parent, count, {}, _source_of(module)))
    return scopes


def _unregistered(holder: nn.Module | None, above: str, module: nn.Module) -> str:
    """A name for a module that its parent does not own: where the parent keeps it, else its class."""
    local = type(module).__name__
    for key, item in vars(holder).items() if holder is not None else ():
        if item is module:
            local = key
        elif isinstance(item, (list, tuple)) and any(entry is module for entry in item):
            local = f"{key}[{next(i for i, entry in enumerate(item) if entry is module)}]"
        elif isinstance(item, dict) and not key.startswith("_") and any(entry is module for entry in item.values()):
            local = f"{key}[{next(k for k, entry in item.items() if entry is module)!r}]"
    return f"{above}.{local}" if above else local


def _source_of(module: nn.Module | None) -> Source | None:
    code = getattr(inspect.unwrap(type(module).forward), "__code__", None) if module is not None else None
    return source_at(code, code.co_firstlineno) if code is not None else None


def source_at(code: CodeType | None, line: int) -> Source | None:
    return None if code is None else Source(shown_path(code.co_filename), code.co_qualname, line)


def short_name(function: Callable[..., Any]) -> str:
    """`torch.Tensor.__getitem__` -> `getitem`, `torch.Tensor.T.__get__` -> `T`."""
    parts = str(resolve_name(function) or getattr(function, "__name__", "call")).split(".")
    last = parts[-2] if parts[-1] == "__get__" else parts[-1]
    return last.strip("_") or last
