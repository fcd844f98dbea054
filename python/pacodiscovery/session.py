"""A stream that lives: samples in, decisions out; operations in, outcomes out; in memory or in a journal."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import Any, Iterable, Iterator, Mapping

import numpy as np

from . import _paco
from ._arrays import as_numbers
from ._paco import Decision, Model
from .calibration import _settings
from .errors import InputError
from .members import Category, Suggestion, made
from .operations import Operations, Outcome, plain
from .past import Past


@dataclass(frozen=True)
class Replay:
    """A recorded stream decided anew. `equal`: every decision and the state are as recorded."""

    samples: int
    operations: int
    equal: bool
    first_difference: int | None
    digest: str
    differences: int
    events: int
    method: str
    model: str
    categories: int


def replay(path: str | os.PathLike[str], *, until: int | None = None, method: str = "", model: Model | None = None,
           threads: int = 1) -> Replay:
    """Decides everything in a journal anew and compares, with another method or model where one is named."""
    return Replay(**json.loads(_paco.replay(os.fspath(path), method, model, until, threads)))


class Session(Past, Operations):
    """A stream: decides on samples one after the other, at once and for good, and carries out operations.

    `Session(model)` lives in memory. `Session.create(path, model)` keeps a journal, `Session.open(path)` goes on in
    one, `Session.look(path)` looks at one beside its writer. Options of the method that belong to deciding are given
    by name. In memory the last `embeddings` samples can be moved and verified; with a journal all that it keeps. Any
    number of threads may hold a session; it works for one at a time.

    >>> import pacodiscovery as paco
    >>> X = [[9, 1, 0], [8, 0, 1], [9, 0, 2], [1, 9, 0], [0, 8, 1], [2, 9, 0], [0, 1, 9], [1, 0, 8], [0, 2, 9]]
    >>> model = paco.calibrate(X, ["red"] * 3 + ["green"] * 3 + ["blue"] * 3)
    >>> with paco.Session(model) as session:
    ...     session.decide([1, 9, 1])
    ...     session.decide_many([[9, 9, 9], [9, 8, 9]]).name.tolist()
    <Decision 0: known 1 'green'>
    ['category 3', 'category 3']
    """

    def __init__(self, model: Model, method: str = "", *, threads: int = 1, embeddings: int = 0, **options: Any) -> None:
        if not isinstance(model, Model):
            raise TypeError(f"a Session is made from a Model of paco.calibrate or paco.load_model, not {type(model).__name__}")
        _check_count("embeddings", embeddings)
        self._start("start", "", model, method, _settings(options), threads, True, embeddings, 0)

    @classmethod
    def _make(cls, *arguments: Any) -> Session:
        session = cls.__new__(cls)
        session._start(*arguments)
        return session

    @classmethod
    def create(cls, path: str | os.PathLike[str], model: Model, method: str = "", *, threads: int = 1,
               durable: bool = True, embeddings: int | None = None, snapshot_samples: int = 100_000,
               **options: Any) -> Session:
        """A new journal; refuses where there is a file.

        `durable`: a decision is handed out when it is on the disk; otherwise events are synced a few times a second.
        `embeddings`: keep those of the last so many samples, 0 for none, None for all; moving samples needs them.
        """
        _check_count("embeddings", embeddings)
        _check_count("snapshot_samples", snapshot_samples)
        return cls._make("create", os.fspath(path), model, method, _settings(options), threads, durable, embeddings,
                         snapshot_samples)

    @classmethod
    def open(cls, path: str | os.PathLike[str], *, threads: int = 1, durable: bool = True) -> Session:
        """Goes on where a journal ends. Model, method and options are the journal's."""
        return cls._make("open", os.fspath(path), None, "", {}, threads, durable, None, 0)

    @classmethod
    def look(cls, path: str | os.PathLike[str], *, threads: int = 1) -> Session:
        """The state at the end of a journal, beside whoever writes it; decides nothing."""
        return cls._make("look", os.fspath(path), None, "", {}, threads, True, None, 0)

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def stream(self, samples: Iterable[Any], block: int = 1) -> Iterator[Decision]:
        """Decides on what an iterator yields, as it comes: rows, or matrices that are decided as blocks.

        `block`: rows that are collected before they are decided. More is faster; an endless source then waits for
        its answers. No decision depends on it. If the source raises, what it gave until then is decided first.
        """
        if block < 1:
            raise InputError(f"a block of {block} samples", "1 at least", "bad_argument")
        dimension = self.model.dimension
        waiting: list[np.ndarray[Any, Any]] = []
        source = iter(samples)
        while True:
            try:
                array = as_numbers(next(source))
            except StopIteration:
                break
            except BaseException:
                yield from self._decide_waiting(waiting)
                raise
            single = array.ndim != 2
            if waiting and not (single and array.shape == waiting[0].shape):
                # Those before it are decided; a row of another shape is refused by itself.
                yield from self._decide_waiting(waiting)
            if not single:
                yield from self.decide_many(array)
            elif block == 1 or array.ndim != 1 or len(array) != dimension:
                yield self.decide(array)
            else:
                waiting.append(array)
                if len(waiting) == block:
                    yield from self._decide_waiting(waiting)
        yield from self._decide_waiting(waiting)

    def _decide_waiting(self, waiting: list[np.ndarray[Any, Any]]) -> Iterator[Decision]:
        if waiting:
            rows = np.stack(waiting)
            waiting.clear()
            yield from self.decide_many(rows)

    def decision(self, sequence: int) -> Decision | None:
        """The decision that a sample had, from the journal; None where there is no such sample."""
        return self._decision(sequence)

    # Operations

    def apply(self, operation: Mapping[str, Any], *, actor: str = "") -> Outcome:
        """Carries out an operation as the server takes it: {"kind": "rename", "category": 7, "name": "heron"}."""
        request = dict(operation)
        if actor:
            request["actor"] = actor
        try:
            text = json.dumps(request, default=plain)
        except TypeError as error:
            raise InputError(f"an operation is made of numbers and text: {error}", "", "bad_argument") from error
        return Outcome._of(json.loads(self._apply(text)))

    def history(self) -> list[Outcome]:
        """All operations so far, oldest first."""
        return [Outcome._of(past) for past in json.loads(self._history())]

    # What there is

    def categories(self, *, merged: bool = False, notes: bool = False) -> list[Category]:
        """Known classes and categories that are in force; with `merged` also those that were merged away.

        With `notes` also what else is known of each: keywords and a suggested name from the texts of its members (with a
        journal), and of discovered ones the known class that they are like.
        """
        found = json.loads(self._categories(merged))
        said = json.loads(self._notes()) if notes else {}
        return [made(Category, {**one, **said.get(str(one["id"]), {})}) for one in found]

    def suggestions(self) -> list[Suggestion]:
        """Questions about the stream, first merges, then names, then close decisions, of each the strongest first;
        `apply(suggestion.operation)` does what one proposes.

        With a journal all its samples are read once. Without one no sample is suggested.
        """
        return [made(Suggestion, one) for one in json.loads(self._suggestions())["suggestions"]]

    def categories_to_pandas(self) -> Any:
        """The same as a pandas DataFrame with the id as index."""
        from ._views import frame

        return frame([vars(category) for category in self.categories()], "id")

    @property
    def summary(self) -> dict[str, Any]:
        """Counts and figures of the method so far, by name."""
        out: dict[str, Any] = json.loads(self._summary())
        return out

    # States

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the state as a file, which restore() and the program read."""
        self._save(os.fspath(path))

    def restore(self, path: str | os.PathLike[str]) -> None:
        """The state of a file into a session in memory that has decided nothing yet."""
        self._restore_file(os.fspath(path))

    def export(self, path: str | os.PathLike[str]) -> None:
        """All decisions of the journal as a file, csv, jsonl or npy by its ending."""
        self._export(os.fspath(path))

    def copy(self) -> Session:
        """Another session in memory that stands where this one does; they go their own ways from here."""
        other = Session._make("start", "", self.model, self.method, self._settings(), self.threads, True, None, 0)
        other._restore(self._state(), "the copied state")
        return other

    def __copy__(self) -> Session:
        return self.copy()

    def __deepcopy__(self, memo: object) -> Session:
        return self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        if self.path:
            raise TypeError(f"{self.path}: a session with a journal cannot be pickled\n  hint: send its path and open it there")
        return _unpickle, (self.model, self.method, self._settings(), self.threads, self._state())

    def __repr__(self) -> str:
        where = f"in {self.path!r}" if self.path else "in memory"
        state = "closed" if self.closed else f"{self.samples} samples"
        return f"<Session of {self.method} {where}, {state}>"

    def _repr_html_(self) -> str:
        from ._views import session_html

        return session_html(self)


def _check_count(what: str, count: int | None) -> None:
    if count is not None and count < 0:
        raise InputError(f"{what} is {count}", "a number of samples, 0 or more", "bad_argument")


def _unpickle(model: Model, method: str, settings: dict[str, str], threads: int, state: bytes) -> Session:
    session = Session._make("start", "", model, method, settings, threads, True, None, 0)
    session._restore(state, "the pickled state")
    return session
