"""The checks that need torch: replay and compare, each as a function of a record that returns (passed, measured)."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from cutaway.environment import differences
from cutaway.errors import ReplayError
from cutaway.functions import find_function
from cutaway.recorded import Example, Graph, Record
from cutaway.replay import Made, bits_of, chain, rebuild, replay_gradients, replay_op, replay_record
from cutaway.replay.comparison import Comparison, compare, nudge
from cutaway.replay.structure import contradictions
from cutaway.replay.substitutes import insensitive_reason, substitutes
from cutaway.tensor import Array, Tensor
from cutaway.verdict import Found


def conditions(record: Record) -> tuple[bool, str]:
    """Whether bits must agree, and how a claim says so."""
    different = differences(record.capture.get("fingerprint", {}))
    if not different:
        return True, "to the bit"
    return False, f"within 1e-5 relative plus 1e-6 of the largest (this machine differs in {', '.join(different)})"


def replay_of(record: Record) -> Callable[..., dict[str, Array]]:
    """replay(example, {name: array}) -> {name: array} for a lesson's checks."""

    def replay(example: str, replaced: Mapping[str, Any] | None = None) -> dict[str, Array]:
        return replay_record(record, example, replaced or {})

    return replay


def check_functions(record: Record) -> None:
    """Raise ReplayError, naming the op, unless every op that can be replayed calls a function that replay may call."""
    for place, graph in enumerate(record.graphs):
        for index, op in enumerate(graph.ops):
            if op.note is None:
                try:
                    find_function(op.function)
                except ReplayError as error:
                    raise ReplayError(f"graph.json, graph {place}, op {index}: {error}") from error


def check_producers(record: Record) -> Found:
    """Links were checked when the record was read; here is where the graphs contradict themselves, and what came from
    outside, counted and named."""
    for place, graph in enumerate(record.graphs):
        found = list(contradictions(graph))
        if found:
            more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
            return False, f"graph {place}: {found[0]}{more}"
    total = sum(len(graph.values) for graph in record.graphs)
    lost: dict[str, list[str]] = {}
    for graph in record.graphs:
        for item in graph.outside:
            lost.setdefault(item.why, []).append(graph.values[item.value].name)
    if lost:
        count = sum(map(len, lost.values()))
        named = [f"{_first(names)}: {why}" for why, names in lost.items()]
        shown = "; ".join(named[:3]) + ("; ..." if len(named) > 3 else "")
        return False, f"{count} of {total} values are not covered ({shown})"
    return True, f"{total} values, 0 without a producer"


def _first(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"


def check_ops(record: Record, exact: bool) -> Found:
    done, skipped = 0, 0
    worst = 0.0
    for graph, example, index in _op_cases(record):
        if not _whole(graph, example, index):
            skipped += 1
            continue
        for made in replay_op(graph, index, example):
            recorded = example.tensors[made.value]
            if recorded is not None:
                found = compare(_bits(graph, index, made), recorded, exact)
                worst = max(worst, found.difference)
                if not found.equal:
                    return False, _place(graph, example, index, made.value, found)
        done += 1
    return _counted(done, skipped, "op runs", "without all their values", exact, worst)


def check_chain(record: Record, exact: bool) -> Found:
    done, skipped = 0, 0
    worst = 0.0
    for example in record.examples:
        graph = record.graphs[example.graph]
        if any(example.tensors[i] is None for i, v in enumerate(graph.values) if v.op is None and v.kind != "gradient"):
            skipped += 1
            continue
        for index, made, _ in chain(graph, example):
            for item in made:
                recorded = example.tensors[item.value]
                if recorded is None:
                    continue
                found = compare(_bits(graph, index, item), recorded, exact)
                worst = max(worst, found.difference)
                if not found.equal:
                    return False, _place(graph, example, index, item.value, found)
                done += 1
    return _counted(done, skipped, "values", "without their inputs", exact, worst, "examples")


def check_gradients(record: Record, exact: bool) -> Found:
    done, skipped = 0, 0
    worst = 0.0
    for example in record.examples:
        graph = record.graphs[example.graph]
        if not graph.gradients or all(example.tensors[g.value] is None for g in graph.gradients):
            skipped += 1
            continue
        for i, tensor in replay_gradients(graph, example).items():
            recorded = example.tensors[i]
            if recorded is not None:
                found = compare(bits_of(tensor, graph.values[i]), recorded, exact)
                worst = max(worst, found.difference)
                if not found.equal:
                    return (
                        False,
                        f"{graph.values[i].name} of example {example.name!r} differs by {found.difference:.3g}",
                    )
                done += 1
    return _counted(done, skipped, "gradients", "without gradients", exact, worst, "examples")


def check_moved(record: Record, exact: bool) -> Found:
    """Every stored result of an op, one element moved: the comparison must notice."""
    caught, missed = 0, []
    for graph, example, index in _op_cases(record):
        if not _whole(graph, example, index):
            continue
        for made in replay_op(graph, index, example):
            recorded = example.tensors[made.value]
            if recorded is not None and recorded.count:
                found = bits_of(made.tensor, graph.values[made.value])
                if compare(found, nudge(recorded, exact), exact).equal:
                    missed.append(graph.values[made.value].name)
                else:
                    caught += 1
    if missed:
        return False, f"{len(missed)} moved results went unnoticed, first {missed[0]}"
    return (True, f"{caught} moved, {caught} caught") if caught else (None, "no result was kept to move")


def check_replaced(record: Record) -> Found:
    """Each operand of each op, in the first whole example of each graph: changed, insensitive, or not applicable."""
    counts: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    for place, graph in enumerate(record.graphs):
        for index, op in enumerate(graph.ops):
            whole = (e for e in record.examples if e.graph == place and _whole(graph, e, index))
            example = next(whole, None)
            if example is None or op.note is not None:
                continue
            for operand in dict.fromkeys(op.reads):
                outcome, reason = _replace_one(graph, example, index, operand)
                counts[outcome] += 1
                if outcome == "unexplained":
                    what = f"op {index} ({op.function}) does not depend on {graph.values[operand].name!r}"
                    return False, f"{what}, and no reason is known"
                if reason:
                    reasons[reason] += 1
    if not counts:
        return None, "no op has all its values"
    counted = [f"{counts[outcome]} {outcome}" for outcome in ("changed", "insensitive", "not applicable")]
    why = [f"{count} x {reason}" for reason, count in sorted(reasons.items())]
    return True, ", ".join(counted) + "".join(f"; {reason}" for reason in why)


def _replace_one(graph: Graph, example: Example, index: int, operand: int) -> tuple[str, str]:
    """Replace one operand by other valid contents until the op's result changes."""
    op = graph.ops[index]
    content = example.tensors[operand]
    assert content is not None  # _whole said so
    if content.count == 0:
        return "not applicable", "an empty tensor has no other content"
    before = [bits_of(made.tensor, graph.values[made.value]).data for made in replay_op(graph, index, example)]
    tried = False
    for other in substitutes(content):
        try:
            made = replay_op(graph, index, example, {operand: rebuild(other, graph.values[operand])})
            after = [bits_of(item.tensor, graph.values[item.value]).data for item in made]
        except ReplayError:
            continue  # not a valid operand for this op
        tried = True
        if after != before:
            return "changed", ""
    if not tried:
        return "not applicable", "no other content is valid"
    reason = insensitive_reason(op, operand, graph, example)
    return ("insensitive", reason) if reason else ("unexplained", "")


def _op_cases(record: Record) -> Iterator[tuple[Graph, Example, int]]:
    for example in record.examples:
        graph = record.graphs[example.graph]
        for index, op in enumerate(graph.ops):
            if op.note is None:
                yield graph, example, index


def _whole(graph: Graph, example: Example, index: int) -> bool:
    """Whether an example kept every operand and some result of an op."""
    op = graph.ops[index]
    needed = [*op.reads, *(before for before, _ in op.writes), *([] if op.random is None else [op.random])]
    return all(example.tensors[i] is not None for i in needed) and any(example.tensors[i] is not None for i in op.makes)


def _bits(graph: Graph, index: int, made: Made) -> Tensor:
    """What a replayed op made, as bytes; an error names the op."""
    try:
        return bits_of(made.tensor, graph.values[made.value])
    except ReplayError as error:
        raise ReplayError(f"op {index} ({graph.ops[index].function}): {error}") from error


def _place(graph: Graph, example: Example, index: int, value: int, found: Comparison) -> str:
    op = graph.ops[index]
    cell = "" if not found.cell else f"[{','.join(map(str, found.cell))}]"
    return (
        f"op {index} ({op.function}): {graph.values[value].name}{cell} in example {example.name!r} "
        f"differs by {found.difference:.3g} from the recorded value"
    )


def _counted(done: int, skipped: int, what: str, why: str, exact: bool, worst: float, of: str = "") -> Found:
    """of: what was skipped, where it is not of the kind that was counted."""
    if not done:
        return None, f"nothing to check: {skipped} {of or what} {why}" if skipped else f"nothing to check: no {what}"
    how = "all bit-equal" if exact else f"largest difference {worst:.3g}"
    left = f"{of} {why}" if of else why
    return True, f"{done} {what}, {how}" + (f"; {skipped} {left}, not checked" if skipped else "")
