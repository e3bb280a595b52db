"""What a recording costs beside a plain forward pass of the same model in the same process, in turns, by medians.

`watched` is the pass itself with every call and value kept; it may take 5 times as long as the plain pass, on a model
this small. `record` is the whole of cutaway.record: a plain pass to compare with, the watched one, and the writing down
of scopes, ops and values, which does not grow with the model's widths.
"""

import importlib
import statistics
import sys
import time
from collections.abc import Callable
from importlib import resources

import torch

import cutaway
from cutaway.recording.capture import Capture
from cutaway.recording.contents import tensors_in

LIMIT = 5.0
ROUNDS = 300


def seconds(action: Callable[[], object]) -> float:
    begin = time.perf_counter()
    action()
    return time.perf_counter() - begin


def main() -> int:
    sys.path.insert(0, str(resources.files("cutaway") / "lessons" / "bert-pretraining"))
    recipe = importlib.import_module("run")
    model: torch.nn.Module = recipe.model()
    example = next(item for item in recipe.run(model) if isinstance(item, cutaway.Example))
    known = [*tensors_in((example.args, example.kwargs)), *model.parameters(), *model.buffers()]

    def plain() -> object:
        return model(*example.args, **example.kwargs)

    def watched() -> object:
        capture = Capture()
        for tensor in known:
            capture.know(tensor)
        with capture.watching(model):
            return plain()

    def record() -> object:
        return cutaway.record(model, *example.args, **example.kwargs)

    actions = {"plain": plain, "watched": watched, "record": record}
    times: dict[str, list[float]] = {name: [] for name in actions}
    for round_number in range(ROUNDS + 10):
        for name, action in actions.items():
            taken = seconds(action)
            if round_number >= 10:  # the first rounds fill caches
                times[name].append(taken)
    median = {name: statistics.median(taken) for name, taken in times.items()}
    for name, taken in median.items():
        print(f"{taken * 1000:9.3f} ms  {name:8} {taken / median['plain']:6.2f}x")
    ratio = median["watched"] / median["plain"]
    print(f"recording costs {ratio:.2f}x a plain forward pass (at most {LIMIT:.0f}x)")
    return 0 if ratio <= LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
