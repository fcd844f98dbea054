"""What can go wrong, as exceptions.

Every exception of the engine is a PacoError with a `hint` that says what to do, and one of Python's own kinds besides:
`except ValueError` catches values that cannot be used, `except OSError` a disk that refuses.
"""

from __future__ import annotations

import re
import sys
from typing import Any, Callable


class PacoError(Exception):
    """Anything the engine refuses. `message` says what, `hint` what to do, `code` is a short stable name.

    Where some samples of a call were decided before the one that was refused, `decisions` holds theirs.
    """

    def __init__(self, message: str = "", hint: str = "", code: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.code = code
        self.decisions: Any = None

    def __str__(self) -> str:
        return f"{self.message}\n  hint: {self.hint}" if self.hint else self.message

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.message, self.hint, self.code)


class InputError(PacoError, ValueError):
    """A value, shape or option that cannot be used."""


class InputTypeError(PacoError, TypeError):
    """Something that is no numbers at all."""


class NotFoundError(PacoError, FileNotFoundError, LookupError):
    """A file, category or sample that is not there."""


class DiskError(PacoError, OSError):
    """The operating system refused."""


class OutOfMemoryError(PacoError, MemoryError):
    """There is not enough memory."""


class ClosedError(PacoError, ValueError):
    """A session that has been closed."""


class ServerError(PacoError, ConnectionError):
    """A server that cannot be reached, is busy, or does not let one in."""


class NotFittedError(PacoError, ValueError, AttributeError):
    """A Discoverer that has not seen a support set yet."""


class InterruptError(PacoError):
    """Stopped before its end."""


_CLASSES: dict[str, type[PacoError]] = {
    "not_found": NotFoundError,
    "io": DiskError,
    "out_of_memory": OutOfMemoryError,
    "interrupted": InterruptError,
    **dict.fromkeys(("unauthorized", "forbidden", "timeout", "too_many", "unavailable", "internal"), ServerError),
}


# What the engine tells people to type, as calls here.
_CALLS: list[tuple[str, str | Callable[[re.Match[str]], str]]] = [
    (r"paco discover --out decisions\.csv", "session.export('decisions.csv')"),
    (r"'paco discover --journal'", "Session.create(path, model)"),
    (r"'paco calibrate --method ([\w{}-]+)'", r"calibrate(X, y, method='\1')"),
    (r"'paco calibrate'", "calibrate()"),
    (r"'paco category (list|history)'", lambda found: f"session.{'categories' if found[1] == 'list' else 'history'}()"),
    (r"'paco category (revive|undo) (\d+)'", r"session.\1(\2)"),
    (r"'paco replay'", "replay()"),
    (r"'--set (\w+)=(\w*)'", r"\1=\2"),
    (r"--set (\w+)=(\w*)", r"\1=\2"),
]


def in_python(text: str) -> str:
    """Words of the engine without those of its command line. Commands that only the program has stay as they are."""
    for pattern, call in _CALLS:
        text = re.sub(pattern, call, text)
    parts: list[str] = re.split(r"('paco [^']*')", text)
    return "".join(part if part.startswith("'paco ") else re.sub(r"--([a-z][a-z-]+)", _parameter, part) for part in parts)


def _parameter(option: re.Match[str]) -> str:
    return option[1].replace("-", "_")


def exception_of(code: str, message: str, hint: str) -> PacoError:
    """The exception for an error of the engine."""
    return exception_for(code, in_python(message), in_python(hint))


def exception_for(code: str, message: str, hint: str) -> PacoError:
    """The exception for a code, in the words given."""
    return _CLASSES.get(code, InputError)(message, hint, code)


def not_fitted(name: str) -> NotFittedError:
    """A NotFittedError, which is scikit-learn's as well where that is in use."""
    kind: type[NotFittedError] = NotFittedError
    theirs = sys.modules.get("sklearn.exceptions")
    if theirs is not None:
        kind = type("NotFittedError", (NotFittedError, theirs.NotFittedError), {"__doc__": NotFittedError.__doc__})
    return kind(f"This {name} instance is not fitted yet", "call fit(X, y) with a support set first", "not_fitted")
