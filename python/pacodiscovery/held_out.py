"""Splits that hold classes out, so that a score says how well new ones are found; for cross_val_score and GridSearchCV."""

from __future__ import annotations

from typing import Any, Iterator

import numpy as np

from ._arrays import as_classes
from .errors import InputError


class HeldOutClasses:
    """Each split keeps some classes out of the training part: they play new ones in the test part, beside samples of the
    classes that stay.

    `n_splits`: how many; every class is held out as often as another, or nearly. `held_out`: the share of classes that
    is held out, or with a whole number how many; three classes always stay. `test_size`: the share of samples that the
    classes which stay give to the test part. The order of the test part is random, as a stream's is.

    >>> y = np.repeat(["crow", "jay", "rook", "tit", "wren"], 10)
    >>> for train, test in HeldOutClasses(2, held_out=1, random_state=0).split(y, y):
    ...     print(len(train), len(test), sorted(set(y[test]) - set(y[train])))
    28 22 ['rook']
    28 22 ['wren']
    """

    def __init__(self, n_splits: int = 5, *, held_out: float | int = 0.3, test_size: float = 0.3, random_state: int | None = 0) -> None:
        self.n_splits = n_splits
        self.held_out = held_out
        self.test_size = test_size
        self.random_state = random_state

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """How many splits there are."""
        return self.n_splits

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]]:
        """Numbers of the rows to train on and of those to test on, for each split."""
        classes, numbers = as_classes(y, len(y) if y is not None else 0)
        count = round(self.held_out * len(classes)) if isinstance(self.held_out, float) else int(self.held_out)
        count = min(max(1, count), len(classes) - 3)
        if count < 1:
            raise InputError(f"{len(classes)} classes", "give four or more: one is held out and three stay", "bad_value")
        if self.n_splits < 1 or not 0 < self.test_size < 1:
            raise InputError(f"{self.n_splits} splits with a test size of {self.test_size}", "1 split or more, a share between 0 and 1",
                             "bad_argument")
        random = np.random.default_rng(self.random_state)
        turn = np.empty(0, np.int64)
        for _ in range(self.n_splits):
            while len(turn) < count:
                rest = np.setdiff1d(np.arange(len(classes)), turn)
                turn = np.concatenate([turn, random.permutation(rest)])
            out, turn = turn[:count], turn[count:]
            train, test = [], [np.flatnonzero(np.isin(numbers, out))]
            for number in np.setdiff1d(np.arange(len(classes)), out):
                rows = random.permutation(np.flatnonzero(numbers == number))
                cut = min(round(self.test_size * len(rows)), len(rows) - 2) if len(rows) > 2 else 0
                test.append(rows[:cut])
                train.append(rows[cut:])
            yield np.sort(np.concatenate(train)), random.permutation(np.concatenate(test))

    def __repr__(self) -> str:
        return (f"HeldOutClasses({self.n_splits}, held_out={self.held_out!r}, test_size={self.test_size!r}, "
                f"random_state={self.random_state!r})")
