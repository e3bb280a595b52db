"""cutaway: look into a model, down to its last number.

    record(model, *args, **kwargs)   one forward pass of any PyTorch model -> Record
    Recorder                         several named examples, gradients
    verify(record)                   recompute it from what it holds -> Verdict
    read(folder), write(...)         bundles on disk
    Example, Check, Measured         what a lesson's run.py yields

Importing cutaway needs no torch; only record, Recorder and verify load it.
"""

from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

try:
    __version__ = version("cutaway")
except PackageNotFoundError:  # run from a source tree that is not installed
    __version__ = "0+source"

if TYPE_CHECKING:
    from cutaway.bundle import Bundle, read, write
    from cutaway.errors import CutawayError
    from cutaway.recipe import Check, Example, Measured
    from cutaway.recorded import Record
    from cutaway.recording import Recorder, record
    from cutaway.verdict import Verdict, verify

_HOMES = {
    "Bundle": "bundle", "read": "bundle", "write": "bundle",
    "CutawayError": "errors",
    "Check": "recipe", "Example": "recipe", "Measured": "recipe",
    "Record": "recorded",
    "Recorder": "recording", "record": "recording",
    "Verdict": "verdict", "verify": "verdict",
}  # fmt: skip

__all__ = [
    "Bundle", "Check", "CutawayError", "Example", "Measured", "Record", "Recorder", "Verdict",
    "read", "record", "verify", "write",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'cutaway' has no attribute {name!r}")
    try:
        home = import_module(f"cutaway.{_HOMES[name]}")
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        from cutaway.errors import torch_missing

        raise torch_missing(f"cutaway.{name}") from None
    found = getattr(home, name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
