"""What a recipe (run.py) yields: examples to record and checks to make. Readable without torch."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from cutaway.errors import RecordingError

if TYPE_CHECKING:
    from cutaway.recorded import Record
    from cutaway.tensor import Array

Replay = Callable[..., dict[str, "Array"]]


class Example:
    """One named case: the arguments of one forward pass.

    `keep` narrows what is stored to inputs, weights and the named values; `without_gradients` skips the recipe's
    gradients for this case. Both return the example, so that a recipe can yield it in one expression.
    Raises RecordingError for a name that is no text, is blank, or cannot be written as UTF-8.
    """

    def __init__(self, name: str, /, *args: Any, **kwargs: Any) -> None:
        check_name(name, "example")
        self.name = name
        self.args = args
        self.kwargs = kwargs
        self.kept: tuple[str, ...] | None = None
        self.gradients = True

    def keep(self, *names: str) -> Self:
        self.kept = names
        self.gradients = False
        return self

    def without_gradients(self) -> Self:
        self.gradients = False
        return self


def check_name(name: object, what: str) -> None:
    """Raise RecordingError unless this can name an example or a recording."""
    if not isinstance(name, str) or not name.strip():
        raise RecordingError(f"{name!r} cannot name this {what}; give it a text that is not blank")
    try:
        name.encode()
    except UnicodeEncodeError:
        raise RecordingError(f"{name!r} cannot name this {what}: UTF-8 has no such character; leave it out") from None


@dataclass(frozen=True)
class Measured:
    """What a check found: whether the claim holds, the figure it rests on, and what that figure is."""

    passed: bool
    figure: float | int | str
    words: str


@dataclass(frozen=True)
class Check:
    """A claim and the function that measures it.

    measure(record, replay) returns Measured. `replay(example, {value name: array}) -> {value name: array}` runs the
    recorded graph again from its inputs and parameters, with the named values replaced where they arise.
    """

    id: str
    claim: str
    measure: Callable[["Record", Replay], Measured]
