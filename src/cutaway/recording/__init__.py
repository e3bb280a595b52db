"""Run a model once and keep everything: `record(model, *args)`, or `Recorder` for several named examples."""

import inspect
import math
import sys
import types
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Literal, Self

import torch
from torch import nn

from cutaway.environment import capture_facts
from cutaway.errors import RecordingError
from cutaway.recipe import Example
from cutaway.recorded import Example as RecordedExample
from cutaway.recorded import Graph, Record, values_in
from cutaway.recording.assembly import Assembly
from cutaway.recording.capture import Capture
from cutaway.recording.contents import bytes_of, copy_of, same_bits, tensors_in
from cutaway.recording.snapshot import Snapshot, is_lazy, left_as_found
from cutaway.tensor import DTYPES, Tensor

AUTO_BUDGET = 32 * 2**20  # bytes of values that "auto" keeps whole
Values = Literal["auto", "all", "none"]


def record(model: Callable[..., Any], *args: Any, **kwargs: Any) -> Record:
    """Record one forward pass of a model.

    model: an nn.Module or any function of tensors; args and kwargs are what it is called with. Returns a Record with
    one example named "example". The model, its arguments and the random generators are left as they were.
    Raises RecordingError when the model raises, or when a value is not a dense tensor.
    """
    with Recorder(model) as recorder:
        recorder.example("example", *args, **kwargs)
    return recorder.record


class Recorder:
    """Records several named examples of one model.

        with cutaway.Recorder(model, gradients=["loss"]) as recorder:
            recorder.example("short", input_ids)
            recorder.example("long", other_ids)
        recorder.record

    values: "all" keeps every tensor, "none" the structure only, "auto" every tensor up to 32 MB in all and beyond that
    inputs, parameters, buffers and outputs. gradients: names of scalar values to differentiate.
    """

    def __init__(
        self,
        model: Callable[..., Any],
        *,
        values: Values = "auto",
        gradients: Iterable[str] = (),
        name: str | None = None,
    ) -> None:
        if values not in ("auto", "all", "none"):
            raise RecordingError(f'values={values!r} is not one of "auto", "all", "none"')
        self._model = getattr(model, "_orig_mod", model)  # a compiled model is recorded through its eager module
        self._module = self._model if isinstance(self._model, nn.Module) else None
        self._values = values
        self._losses = list(gradients)
        named = type(self._model) if self._module is not None else self._model
        self._name = name or str(getattr(named, "__name__", "function"))
        self._seed = torch.initial_seed()
        self._passes: list[_Pass] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: types.TracebackType | None
    ) -> None:
        return None

    def example(self, name: str, *args: Any, **kwargs: Any) -> None:
        """Run the model on these arguments and keep the run under this name."""
        self.add(Example(name, *args, **kwargs))

    def add(self, example: Example) -> None:
        """Run one Example: its arguments, and which values to keep."""
        if example.name in self.names:
            raise RecordingError(f"two examples are named {example.name!r}; give each its own name")
        arguments = tensors_in((example.args, example.kwargs))
        modules = [] if self._module is None else self._module.modules()
        with left_as_found(self._module, arguments) as snapshot, _eagerly():
            if any(map(is_lazy, modules)):
                self._call(example)  # from this call on, the model has parameters to record
                snapshot.restore()
            done = self._watch(example, arguments, snapshot)
            snapshot.restore()
            plain = self._call(example)
            done.equal, done.difference = _compare(plain, done.returned)
            self._passes.append(done)

    @property
    def names(self) -> list[str]:
        """Names of the examples recorded so far."""
        return [done.example.name for done in self._passes]

    @property
    def record(self) -> Record:
        """Everything recorded so far."""
        if not self._passes:
            raise RecordingError("nothing was recorded: call recorder.example(name, *args) first")
        graphs, places = _shared_graphs(self._passes)
        examples = [
            RecordedExample(done.example.name, place, _padded(done.contents, graphs[place]))
            for done, place in zip(self._passes, places, strict=True)
        ]
        worst = max(done.difference for done in self._passes)
        return Record(
            graphs=tuple(graphs),
            examples=tuple(self._thinned(examples, graphs)),
            name=self._name,
            seed=self._seed,
            capture=capture_facts(),
            plain_run={"equal": all(done.equal for done in self._passes), "largest_difference": worst},
        )

    def _call(self, example: Example) -> Any:
        try:
            return self._model(*example.args, **example.kwargs)
        except Exception as error:
            raise RecordingError(
                f"the model raised {type(error).__name__} in example {example.name!r}: {error}; "
                "call the model on the same arguments to see where"
            ) from error

    def _watch(self, example: Example, arguments: list[torch.Tensor], snapshot: Snapshot) -> "_Pass":
        capture = Capture(snapshot.meet)
        owned = [] if self._module is None else [*self._module.parameters(), *self._module.buffers()]
        for tensor in [*arguments, *owned]:
            capture.know(tensor)
        try:
            with capture.watching(self._module):
                result = self._call(example)
        finally:
            snapshot.hold(capture.foreign())
        assembly = Assembly(capture, self._model)
        graph = assembly.build(_named_arguments(self._model, example), result)
        if self._losses and example.gradients:
            graph = assembly.differentiate(graph, self._losses)
        kept = _kept(graph, example)
        contents = [to_tensor(content) if i in kept else None for i, content in enumerate(assembly.contents)]
        return _Pass(example, graph, contents, [copy_of(tensor) for tensor in tensors_in(result)])

    def _thinned(self, examples: list[RecordedExample], graphs: list[Graph]) -> list[RecordedExample]:
        total = sum(len(t.data) for t in {t.digest: t for e in examples for t in e.tensors if t is not None}.values())
        if self._values == "all" or (self._values == "auto" and total <= AUTO_BUDGET):
            return examples
        thinned = []
        for example in examples:
            graph = graphs[example.graph]
            outputs = set(values_in(graph.outputs)) if self._values == "auto" else set()
            kinds = ("input", "parameter", "buffer", "constant") if self._values == "auto" else ()
            keep = [value.kind in kinds or i in outputs for i, value in enumerate(graph.values)]
            tensors = tuple(t if k else None for t, k in zip(example.tensors, keep, strict=True))
            thinned.append(replace(example, tensors=tensors))
        return thinned


@dataclass
class _Pass:
    """One recorded run, before graphs are shared."""

    example: Example
    graph: Graph
    contents: list[Tensor | None]
    returned: list[torch.Tensor]
    equal: bool = True
    difference: float = 0.0


def to_tensor(content: torch.Tensor) -> Tensor:
    """A torch tensor's content as plain bytes, exactly."""
    dtype = str(content.dtype).removeprefix("torch.")
    if dtype not in DTYPES:
        raise RecordingError(
            f"a value has dtype {dtype}, which is not recorded; the known ones are {', '.join(DTYPES)}"
        )
    return Tensor(dtype, tuple(content.shape), bytes_of(content))


@contextmanager
def _eagerly() -> Iterator[None]:
    """Run compiled models and functions as they are written, since a recording follows the calls in the source."""
    if "torch._dynamo" not in sys.modules:  # then nothing is compiled, and loading the compiler takes seconds
        yield
        return
    with torch.compiler.set_stance("force_eager"):
        yield


def _named_arguments(model: Callable[..., Any], example: Example) -> dict[str, dict[str, Any]]:
    """Positional and keyword arguments under the names that the model's signature gives them."""
    function = model.forward if isinstance(model, nn.Module) else model
    names: list[str] = []
    try:
        for parameter in inspect.signature(function).parameters.values():
            if parameter.kind is parameter.VAR_POSITIONAL:
                names += [f"{parameter.name}[{i}]" for i in range(len(example.args) - len(names))]
                break
            if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
                names.append(parameter.name)
    except (TypeError, ValueError):  # built-in functions have no signature
        pass
    names += [f"args[{i}]" for i in range(len(names), len(example.args))]
    return {"args": dict(zip(names, example.args, strict=False)), "kwargs": dict(example.kwargs)}


def _kept(graph: Graph, example: Example) -> set[int]:
    """Ids of the values an example stores: all of them, or its inputs and weights and the ones it names."""
    if example.kept is None:
        return set(range(len(graph.values)))
    for name in example.kept:
        if name not in graph.ids:
            raise RecordingError(f"example {example.name!r} keeps {name!r}, but no value has that name")
    kept = {i for i, value in enumerate(graph.values) if value.kind not in ("result", "gradient")}
    return kept | {graph.ids[name] for name in example.kept}


def _compare(plain: Any, watched: list[torch.Tensor]) -> tuple[bool, float]:
    """Whether a plain run and the recorded run returned the same bits, and their largest absolute difference."""
    returned = tensors_in(plain)
    if len(returned) != len(watched):
        return False, math.inf
    gaps = [_gap(left, right) for left, right in zip(returned, watched, strict=True)]
    return all(gap is None for gap in gaps), max((gap for gap in gaps if gap is not None), default=0.0)


def _gap(left: torch.Tensor, right: torch.Tensor) -> float | None:
    """The largest absolute difference of two tensors; None where every bit agrees."""
    if same_bits(left, right):
        return None
    if left.shape != right.shape or left.dtype != right.dtype:
        return math.inf
    wide = torch.complex128 if left.is_complex() else torch.float64
    left, right = left.detach().to(wide), right.detach().to(wide)
    gap = (left - right).abs().nan_to_num(nan=math.inf, posinf=math.inf)
    return float(gap.where(left != right, 0.0).max())


def _shared_graphs(passes: list[_Pass]) -> tuple[list[Graph], list[int]]:
    """Graphs that differ only in whether gradients were taken are one; the fuller one stands for both."""
    graphs: list[Graph] = []
    places: list[int] = []
    for done in passes:
        for place, graph in enumerate(graphs):
            if _without_gradients(graph) == _without_gradients(done.graph):
                if len(done.graph.values) > len(graph.values):
                    graphs[place] = done.graph
                places.append(place)
                break
        else:
            graphs.append(done.graph)
            places.append(len(graphs) - 1)
    return graphs, places


def _without_gradients(graph: Graph) -> Graph:
    return replace(graph, values=tuple(v for v in graph.values if v.kind != "gradient"), gradients=())


def _padded(contents: list[Tensor | None], graph: Graph) -> tuple[Tensor | None, ...]:
    return (*contents, *[None] * (len(graph.values) - len(contents)))
