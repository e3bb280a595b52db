"""Which contents a recording keeps: all, none, or what fits a budget."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Literal

from cutaway.recorded import Example, Graph, values_in

Values = Literal["auto", "all", "none"]
_Key = tuple[int, int]  # graph, value


def thin(
    examples: list[Example], graphs: list[Graph], values: Values, named: Sequence[Iterable[str]], budget: int
) -> list[Example]:
    """The examples with the contents that `values` asks for.

    named: for each example, the names of values it keeps whatever their size. budget: bytes that "auto" gives to other
    results and gradients; the smallest fill it, so the largest are left out first. Weights do not count. A value is
    kept in every example that has it, or in none.
    """
    if values == "all":
        return examples
    left_out = _largest(examples, graphs, named, budget) if values == "auto" else None
    thinned = []
    for example in examples:
        kept = [left_out is not None and (example.graph, i) not in left_out for i in range(len(example.tensors))]
        tensors = tuple(tensor if keep else None for tensor, keep in zip(example.tensors, kept, strict=True))
        thinned.append(replace(example, tensors=tensors))
    return thinned


def _largest(examples: list[Example], graphs: list[Graph], named: Sequence[Iterable[str]], budget: int) -> set[_Key]:
    """The values that do not fit, each measured by all its distinct contents."""
    always = {(place, i) for place, graph in enumerate(graphs) for i in _always_kept(graph)}
    for example, names in zip(examples, named, strict=True):
        always |= {(example.graph, graphs[example.graph].ids[name]) for name in names}
    contents: dict[_Key, dict[str, int]] = {}
    for example in examples:
        for i, tensor in enumerate(example.tensors):
            if tensor is not None and (example.graph, i) not in always:
                contents.setdefault((example.graph, i), {})[tensor.digest] = len(tensor.data)
    sizes = {key: sum(lengths.values()) for key, lengths in contents.items()}
    left_out, total = set(), 0
    for key in sorted(sizes, key=lambda key: (sizes[key], key)):
        total += sizes[key]
        if total > budget:
            left_out.add(key)
    return left_out


def _always_kept(graph: Graph) -> set[int]:
    outputs = set(values_in(graph.outputs))
    return outputs | {i for i, value in enumerate(graph.values) if value.kind not in ("result", "gradient")}
