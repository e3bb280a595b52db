"""What can go wrong, as one tree. Every message says what, where and what to do next.

    CutawayError
    ├── TargetError      what was named is no lesson, no "module:callable", no bundle
    ├── LessonError      lesson.md or run.py does not hold what docs/lesson.md asks
    ├── RecordingError   the model's run could not be recorded
    ├── BundleError      a bundle's files do not hold together (docs/format.md)
    ├── ReplayError      a recorded op cannot be run again
    ├── ServeError       the server cannot start
    └── MissingError     an optional package is not installed

The command line prints the message on one line and exits with 2.
"""


class CutawayError(Exception):
    """Base of all errors that cutaway raises on purpose."""


class TargetError(CutawayError):
    pass


class LessonError(CutawayError):
    pass


class RecordingError(CutawayError):
    pass


class BundleError(CutawayError):
    pass


class ReplayError(CutawayError):
    pass


class ServeError(CutawayError):
    pass


class MissingError(CutawayError):
    pass


def torch_missing(what: str) -> MissingError:
    """The error of something that needs torch where there is none; any torch from 2.13 on will do."""
    return MissingError(f'{what} needs torch; install it with: pip install "torch>=2.13"')
