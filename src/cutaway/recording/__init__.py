"""Run a model once and keep everything: `record(model, *args)`, or `Recorder` for several named examples."""

import math
import sys
import threading
import types
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Self

import torch
from torch import nn

from cutaway.environment import capture_facts
from cutaway.errors import CutawayError, RecordingError
from cutaway.recipe import Example, check_name
from cutaway.recorded import Example as RecordedExample
from cutaway.recorded import Graph, Record
from cutaway.recording.arguments import check_arguments, check_nest, named_arguments
from cutaway.recording.assembly import Assembly
from cutaway.recording.capture import Capture
from cutaway.recording.contents import bytes_of, copy_of, same_bits, tensors_in
from cutaway.recording.snapshot import Snapshot, is_lazy, left_as_found
from cutaway.recording.thinning import Values, thin
from cutaway.tensor import DTYPES, Tensor

AUTO_BUDGET = 32 * 2**20  # bytes of results and gradients that "auto" keeps
_AT_WORK = threading.local()


def record(model: Callable[..., Any], *args: Any, **kwargs: Any) -> Record:
    """Record one forward pass of a model.

    model: an nn.Module or any function of tensors; args and kwargs are what it is called with. Returns a Record with
    one example named "example". The model, its arguments (containers and plain objects too) and the random generators
    are left as they were; what a function keeps in its closure or in global variables is not.
    Raises RecordingError when the model raises, when a value is not a dense tensor, when an argument is an iterator,
    which could be read only once, and inside a model that is being recorded.
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

    values: "all" keeps every tensor, "none" the structure only. "auto" keeps inputs, parameters, buffers, constants,
    outputs and what an example names to keep; of other results and gradients, counted over all examples, the smallest
    up to 32 MB in all. gradients: names of scalar values to differentiate. name: of the recording; the model's class or
    function, where none is given.
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
        if not callable(model):
            kind = type(model).__name__
            raise RecordingError(f"a model of type {kind} cannot be called; record an nn.Module or a function")
        if isinstance(gradients, str):
            raise RecordingError(f"gradients={gradients!r} is one text; give a list of names, [{gradients!r}]")
        if name is not None:
            check_name(name, "recording")
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
        named = named_arguments(self._model, example)
        check_arguments(named)
        modules = [] if self._module is None else self._module.modules()
        with _alone(), left_as_found(self._model, (example.args, example.kwargs)) as snapshot, _eagerly():
            if any(map(is_lazy, modules)):
                self._call(example)  # from this call on, the model has parameters to record
                snapshot.restore()
            done = self._watch(example, named, snapshot)
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
        named = [done.example.kept or () for done in self._passes]
        worst = max(done.difference for done in self._passes)
        return Record(
            graphs=tuple(graphs),
            examples=tuple(thin(examples, graphs, self._values, named, AUTO_BUDGET)),
            name=self._name,
            seed=self._seed,
            capture=capture_facts(),
            plain_run={"equal": all(done.equal for done in self._passes), "largest_difference": worst},
        )

    def _call(self, example: Example) -> Any:
        try:
            return self._model(*example.args, **example.kwargs)
        except CutawayError:
            raise
        except Exception as error:
            raise RecordingError(
                f"the model raised {type(error).__name__} in example {example.name!r}: {error}; "
                "call the model on the same arguments to see where"
            ) from error

    def _watch(self, example: Example, named: dict[str, dict[str, Any]], snapshot: Snapshot) -> "_Pass":
        capture = Capture(snapshot.meet)
        owned = [] if self._module is None else [*self._module.parameters(), *self._module.buffers()]
        for tensor in [*tensors_in(named), *owned]:
            capture.know(tensor)
        assembly = Assembly(capture, self._model)
        assembly.add_inputs(named)  # now: the model may change what its arguments hold
        try:
            with capture.watching(self._module):
                result = self._call(example)
        finally:
            snapshot.hold(capture.foreign())
        check_nest(result, "what the model returns")
        graph = assembly.build(result)
        if self._losses and example.gradients:
            graph = assembly.differentiate(graph, self._losses)
        kept = _kept(graph, example)
        contents = [to_tensor(content) if i in kept else None for i, content in enumerate(assembly.contents)]
        return _Pass(example, graph, contents, [copy_of(tensor) for tensor in tensors_in(result)])


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


@contextmanager
def _alone() -> Iterator[None]:
    """Refuse to record inside a model that this thread is recording."""
    if getattr(_AT_WORK, "busy", False):
        raise RecordingError("a recording was begun inside a model that is being recorded; record one at a time")
    _AT_WORK.busy = True
    try:
        yield
    finally:
        _AT_WORK.busy = False


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
