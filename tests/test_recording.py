"""What a recording holds, and what it refuses."""

import threading

import pytest
import torch
from recorded_whole import through_disk
from torch import nn

import cutaway
from cutaway import recording
from cutaway.errors import RecordingError


class Gate(nn.Module):
    """Takes another way for a negative sum."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(2, 2)

    def forward(self, x):
        h = self.linear(x)
        loss = h.exp().sum() if x.sum() > 0 else h.sum()
        return loss


def test_one_line_records_one_example() -> None:
    record = cutaway.record(nn.Linear(2, 2), torch.ones(1, 2))
    assert [example.name for example in record.examples] == ["example"]
    assert record.name == "Linear"
    assert record.plain_run == {"equal": True, "largest_difference": 0.0}


def test_a_plain_function_is_a_model_without_modules() -> None:
    def double(x):
        return x * 2

    record = cutaway.record(double, torch.ones(2))
    assert record.name == "double"
    assert [(scope.name, scope.class_name) for scope in record.graphs[0].scopes] == [("", "function")]
    assert record.array("example", "output").tolist() == [2, 2]


def test_the_output_is_what_the_model_gives() -> None:
    model, x = Gate(), torch.ones(1, 2)
    assert cutaway.record(model, x).array("example", "loss") == model(x).item()


def test_examples_that_take_one_way_share_a_graph_and_its_weights() -> None:
    with cutaway.Recorder(nn.Linear(2, 2)) as recorder:
        recorder.example("one", torch.ones(1, 2))
        recorder.example("two", torch.zeros(1, 2))
    record = recorder.record
    assert [example.graph for example in record.examples] == [0, 0]
    assert record.tensor("one", "weight") == record.tensor("two", "weight")
    assert record.tensor("one", "output") != record.tensor("two", "output")


def test_examples_that_take_other_ways_have_graphs_of_their_own() -> None:
    with cutaway.Recorder(Gate()) as recorder:
        recorder.example("positive", torch.ones(1, 2))
        recorder.example("negative", -torch.ones(1, 2))
        recorder.example("positive again", torch.ones(1, 2) * 2)
    record = recorder.record
    assert [example.graph for example in record.examples] == [0, 1, 0]
    assert len(record.graphs[0].ops) == len(record.graphs[1].ops) + 1


def test_other_shapes_are_another_graph() -> None:
    with cutaway.Recorder(nn.Linear(2, 2)) as recorder:
        recorder.example("one row", torch.ones(1, 2))
        recorder.example("two rows", torch.ones(2, 2))
    assert len(recorder.record.graphs) == 2


def test_examples_with_and_without_gradients_share_a_graph() -> None:
    with cutaway.Recorder(Gate(), gradients=["loss"]) as recorder:
        recorder.add(cutaway.Example("without", torch.ones(1, 2)).without_gradients())
        recorder.example("with", torch.ones(1, 2))
    record = recorder.record
    assert len(record.graphs) == 1
    gradient = record.graphs[0].ids["grad(loss, linear.weight)"]
    assert [example.tensors[gradient] is None for example in record.examples] == [True, False]


def test_gradients_are_those_of_autograd_and_leave_none_behind() -> None:
    model, x = Gate(), torch.ones(1, 2)
    with cutaway.Recorder(model, gradients=["loss"]) as recorder:
        recorder.example("one", x)
    assert model.linear.weight.grad is None
    model(x).backward()
    assert recorder.record.array("one", "grad(loss, linear.weight)").tolist() == model.linear.weight.grad.tolist()


@pytest.mark.parametrize(
    ("loss", "message"),
    [
        ("missing", "no value is named 'missing'"),
        ("linear.output", "'linear.output' is not a scalar that depends on parameters"),
        ("x", "'x' is not a scalar that depends on parameters"),
    ],
)
def test_a_loss_that_is_none_is_refused(loss: str, message: str) -> None:
    with cutaway.Recorder(Gate(), gradients=[loss]) as recorder, pytest.raises(RecordingError, match=message):
        recorder.example("one", torch.ones(1, 2))


def test_kept_narrows_an_example_to_inputs_weights_and_the_named_values() -> None:
    with cutaway.Recorder(Gate()) as recorder:
        recorder.add(cutaway.Example("one", torch.ones(1, 2)).keep("linear.output"))
    record = recorder.record
    kept = [v.name for v, t in zip(record.graphs[0].values, record.examples[0].tensors, strict=True) if t is not None]
    assert kept == ["x", "linear.weight", "linear.bias", "linear.output"]


def test_kept_must_name_a_value() -> None:
    with cutaway.Recorder(Gate()) as recorder, pytest.raises(RecordingError, match="keeps 'nothing'"):
        recorder.add(cutaway.Example("one", torch.ones(1, 2)).keep("nothing"))


def kinds_kept(record: cutaway.Record) -> set[str]:
    pairs = zip(record.graphs[0].values, record.examples[0].tensors, strict=True)
    return {value.kind for value, tensor in pairs if tensor is not None}


def test_values_none_keeps_the_structure_only() -> None:
    with cutaway.Recorder(Gate(), values="none") as recorder:
        recorder.example("one", torch.ones(1, 2))
    assert kinds_kept(recorder.record) == set()
    statuses = {row.id: row.status for row in cutaway.verify(recorder.record).rows}
    assert {statuses[name] for name in ("ops", "chain", "moved", "replaced")} == {"not run"}


def left_out(record: cutaway.Record) -> list[str]:
    pairs = zip(record.graphs[0].values, record.examples[0].tensors, strict=True)
    return [value.name for value, tensor in pairs if tensor is None]


class Widening(nn.Module):
    """Results of 8, 32 and 4 bytes; weights of more."""

    def __init__(self) -> None:
        super().__init__()
        self.small, self.large = nn.Linear(2, 2, bias=False), nn.Linear(2, 8, bias=False)

    def forward(self, x):
        return self.large(self.small(x)).sum()


@pytest.mark.parametrize(
    ("budget", "names"),
    [(40, []), (39, ["large.output"]), (8, ["large.output"]), (7, ["small.output", "large.output"])],
)
def test_values_auto_leaves_out_the_largest_results_and_weights_do_not_count(
    monkeypatch: pytest.MonkeyPatch, budget: int, names: list[str]
) -> None:
    monkeypatch.setattr(recording, "AUTO_BUDGET", budget)
    record = cutaway.record(Widening(), torch.ones(1, 2))
    assert left_out(record) == names
    assert record.left_out == len(names)
    assert {row.id: row.status for row in cutaway.verify(record).rows}["chain"] == "passed"


def test_values_auto_keeps_what_an_example_names_and_leaves_a_value_out_of_all_examples(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(recording, "AUTO_BUDGET", 8)
    with cutaway.Recorder(Widening()) as recorder:
        recorder.example("one", torch.ones(1, 2))
        recorder.example("two", torch.zeros(1, 2))
        recorder.add(cutaway.Example("three", torch.ones(1, 2)).keep("large.output"))
    assert left_out(recorder.record) == ["small.output"]  # 8 bytes in each of two examples
    assert recorder.record.left_out == 1


def test_values_all_keeps_everything_and_values_none_counts_what_it_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recording, "AUTO_BUDGET", 0)
    counts = []
    for values in ("all", "none"):
        with cutaway.Recorder(Widening(), values=values) as recorder:
            recorder.example("one", torch.ones(1, 2))
        counts.append(recorder.record.left_out)
    assert counts == [0, len(recorder.record.graphs[0].values)]


def test_a_recorder_refuses_what_it_cannot_do() -> None:
    with pytest.raises(RecordingError, match="values='some' is not one of"):
        cutaway.Recorder(Gate(), values="some")  # type: ignore[arg-type]
    recorder = cutaway.Recorder(Gate())
    with pytest.raises(RecordingError, match="nothing was recorded"):
        _ = recorder.record
    with pytest.raises(RecordingError, match="a model of type int cannot be called"):
        cutaway.Recorder(3)  # type: ignore[arg-type]
    with pytest.raises(RecordingError, match="is one text; give a list of names"):
        cutaway.Recorder(Gate(), gradients="loss")
    recorder.example("one", torch.ones(1, 2))
    with pytest.raises(RecordingError, match="two examples are named 'one'"):
        recorder.example("one", torch.ones(1, 2))


@pytest.mark.parametrize("name", ["", " \n", None, 3, b"x", ("a",), "\ud800"])
def test_a_name_is_a_text_that_is_not_blank(name) -> None:
    with pytest.raises(RecordingError, match="cannot name this example"):
        cutaway.Example(name, torch.ones(1))
    if name is not None:
        with pytest.raises(RecordingError, match="cannot name this recording"):
            cutaway.Recorder(Gate(), name=name)


def holding_itself() -> list[object]:
    items: list[object] = []
    items.append({"again": (items,)})
    return items


def nested(depth: int) -> object:
    return [nested(depth - 1)] if depth else torch.ones(1)


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        ((torch.ones(1) for _ in range(2)), "the argument 'y' is or holds a generator, which can be read only once"),
        ({"rows": [iter([1])]}, "the argument 'y' is or holds a list_iterator"),
        (holding_itself(), "the argument 'y' is a container that holds itself"),
        (nested(30), "the argument 'y' is nested deeper than 25 containers"),
        (torch.ones(1, device="meta"), "the value 'y' is on the meta device"),
        (torch.nested.nested_tensor([torch.ones(1)], layout=torch.jagged), "the value 'y' is nested"),
    ],
)
def test_an_argument_that_cannot_be_recorded_is_refused_before_the_run(argument, message: str) -> None:
    with pytest.raises(RecordingError, match=message) as caught:
        cutaway.record(lambda x, y: pytest.fail("it ran"), torch.ones(1), argument)
    assert "\n" not in str(caught.value)


def test_a_result_that_holds_itself_is_refused() -> None:
    with pytest.raises(RecordingError, match="what the model returns is a container that holds itself"):
        cutaway.record(lambda x: holding_itself(), torch.ones(1))


def test_the_deepest_argument_that_is_recorded_can_be_read_back() -> None:
    def deep(depth: int) -> object:
        return {"inside": deep(depth - 1)} if depth else 1

    record = cutaway.record(lambda x, y: x + 1, torch.ones(1), deep(25))
    assert through_disk(record).graphs == record.graphs


def test_a_recording_inside_a_recorded_model_is_refused_and_the_next_one_works() -> None:
    call = nn.Module.__call__

    def outer(x):
        cutaway.record(nn.Linear(1, 1), x)
        return x

    with pytest.raises(RecordingError, match="begun inside a model that is being recorded; record one at a time"):
        cutaway.record(outer, torch.ones(1))
    assert nn.Module.__call__ is call
    assert len(cutaway.record(nn.Linear(1, 1), torch.ones(1)).graphs[0].ops) == 1


@pytest.mark.filterwarnings("ignore:torch.quantize_per_tensor")
@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda x: x.to_sparse(), "only dense tensors"),
        (lambda x: torch.quantize_per_tensor(x, 1.0, 0, torch.quint8), "quantized"),
        (lambda x: x.to("meta"), "on the meta device"),
        (lambda x: torch.nested.nested_tensor([x, x]), "nested"),
        (lambda x: x.to(torch.float8_e4m3fnuz), "has dtype float8_e4m3fnuz, which is not recorded"),
    ],
)
def test_a_tensor_of_an_unknown_form_is_refused_in_one_error(make, message: str) -> None:
    with pytest.raises(RecordingError, match=message):
        cutaway.record(make, torch.ones(2))


def test_a_model_that_runs_in_another_thread_is_not_recorded() -> None:
    other, started, done = nn.Linear(2, 2), threading.Event(), threading.Event()

    def run_other() -> None:
        started.wait(10)
        other(torch.ones(1, 2))
        done.set()

    def model(x):
        started.set()
        assert done.wait(10)
        return x + 1

    thread = threading.Thread(target=run_other)
    thread.start()
    record = cutaway.record(model, torch.ones(2))
    thread.join()
    assert [op.function for op in record.graphs[0].ops] == ["torch.Tensor.add"]
    assert len(record.graphs[0].scopes) == 1


def test_recordings_in_several_threads_do_not_meet_and_leave_torch_as_it_was() -> None:
    call, records = nn.Module.__call__, {}

    def work(width: int) -> None:
        records[width] = cutaway.record(nn.Sequential(nn.Linear(width, 1), nn.Tanh()), torch.ones(1, width))

    threads = [threading.Thread(target=work, args=(width,)) for width in range(1, 7)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert nn.Module.__call__ is call
    for width, record in records.items():
        assert [scope.name for scope in record.graphs[0].scopes] == ["", "0", "1"]
        assert record.tensor("example", "0.weight").shape == (1, width)


def test_a_difference_from_a_plain_run_is_stated() -> None:
    calls = []

    def model(x):
        calls.append(0)
        return x + len(calls) / 8

    record = cutaway.record(model, torch.zeros(2))
    assert record.plain_run == {"equal": False, "largest_difference": 0.125}
