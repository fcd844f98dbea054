"""Models out of support sets, the methods there are, and thresholds for methods that are not here."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any, Callable, Mapping, Sequence

import numpy as np

from . import _paco
from ._arrays import as_classes, as_numbers, class_name
from ._paco import Model
from ._progress import progress_call


@dataclass(frozen=True)
class Threshold:
    """A calibrated threshold with the evidence for it.

    >>> t = Threshold(3.5, 1.0, (2.0, 5.0))
    >>> float(t)
    3.5
    """

    value: float
    balanced_accuracy: float
    interval: tuple[float, float]
    """Every threshold above the first and up to the second is as good."""
    positives: np.ndarray[Any, Any] = field(default_factory=lambda: np.empty(0, np.float32), repr=False, compare=False)
    negatives: np.ndarray[Any, Any] = field(default_factory=lambda: np.empty(0, np.float32), repr=False, compare=False)

    def __float__(self) -> float:
        return self.value

    @classmethod
    def _of(cls, parts: tuple[Any, ...]) -> Threshold:
        return cls(parts[0], parts[1], (parts[2], parts[3]), parts[4], parts[5])


def _settings(options: Mapping[str, Any]) -> dict[str, str]:
    """Options as the engine has them: text by name."""
    out = {}
    for name, value in options.items():
        if isinstance(value, (bool, np.bool_)):
            out[name] = "on" if value else "off"
        elif isinstance(value, (int, np.integer)):
            out[name] = str(int(value))
        elif isinstance(value, (float, np.floating)):
            out[name] = repr(float(value))
        else:
            out[name] = str(value)
    return out


def calibrate(X: Any, y: Any, *, method: str = "paco", classifier: Any = None, class_names: Sequence[str] | None = None,
              reference: str = "auto", epsilon: float = 1e-5, threads: int = 1, progress: Any = None, **options: Any) -> Model:
    """A model from a support set: rows `X` with labels `y` of any type, and options of the method by name.

    Classes are numbered in the order of their sorted labels; `class_names` gives other names than the labels.
    `classifier` is (K, d), the trained weights of the classes where there are any. `threads` changes the speed alone.
    `progress`: True for a line on the standard error, or a function of steps done and all steps.

    >>> X = [[9, 1, 0], [8, 0, 1], [9, 0, 2], [1, 9, 0], [0, 8, 1], [2, 9, 0], [0, 1, 9], [1, 0, 8], [0, 2, 9]]
    >>> model = calibrate(X, ["red"] * 3 + ["green"] * 3 + ["blue"] * 3)
    >>> model
    <Model of paco: 3 classes, dimension 3>
    >>> model.class_names
    ['blue', 'green', 'red']
    """
    X = as_numbers(X)
    classes, numbers = as_classes(y, len(X) if X.ndim else 0)
    names = [class_name(label) for label in classes.tolist()] if class_names is None else list(class_names)
    return _paco.calibrate(X, numbers, names, None if classifier is None else as_numbers(classifier), method,
                           _settings(options), epsilon, reference, threads, progress_call(progress, "calibrating"))


def load_model(path: str | os.PathLike[str]) -> Model:
    """A model from a file of Model.save, or of the program."""
    return _paco.load_model(os.fspath(path))


def _model_of(data: bytes) -> Model:
    """What a pickle calls: functions of the module itself cannot be pickled."""
    return _paco.model_of(data)


def methods() -> list[str]:
    """Names of the methods, the default first.

    >>> methods()[0]
    'paco'
    """
    return _paco.method_names()


def method_info(name: str) -> dict[str, Any]:
    """What a method is, its options, the evidence it gives and the operations it supports.

    >>> [option["name"] for option in method_info("paco")["options"]][:2]
    ['temperature', 'alpha']
    """
    return _paco.method_info(name)


def calibrate_threshold(positives: Any, negatives: Any, tie: str = "mid") -> Threshold:
    """The threshold of best balanced accuracy between scores that should pass and scores that should not.

    >>> calibrate_threshold([5, 7, 6], [1, 2])
    Threshold(value=3.5, balanced_accuracy=1.0, interval=(2.0, 5.0))
    """
    return Threshold._of(_paco.calibrate_threshold(as_numbers(positives).ravel(), as_numbers(negatives).ravel(), tie))


class _Memory:
    """The samples of a replay by class, as `score` sees them: views that grow."""

    def __init__(self, X: np.ndarray[Any, Any], classes: np.ndarray[Any, Any], numbers: np.ndarray[Any, Any]) -> None:
        self.X = X
        self.labels = classes.tolist()
        sizes = np.bincount(numbers, minlength=len(self.labels))
        self.rows = [np.empty((size, X.shape[1]), X.dtype) for size in sizes]
        self.seen: dict[Any, np.ndarray[Any, Any]] = {}

    def forget(self) -> None:
        self.seen.clear()

    def add(self, sample: int, number: int) -> None:
        label = self.labels[number]
        count = len(self.seen[label]) if label in self.seen else 0
        self.rows[number][count] = self.X[sample]
        self.seen[label] = self.rows[number][: count + 1]


def calibrate_by_replay(X: Any, y: Any, score: Callable[[np.ndarray[Any, Any], Mapping[Any, np.ndarray[Any, Any]]], float],
                        *, passes: int = 3, seed: int = 0, tie: str = "mid") -> Threshold:
    """The threshold for joining a category, for any method that can score: PACO's calibration inside another host.

    The support set is streamed in random order with its classes given. `score(x, memory)` says how well `x` fits the
    best of what is there, larger is better; `memory` maps each label to the samples (n, d) of it so far. What it raises
    is raised here.

    >>> rng = np.random.default_rng(0)
    >>> y = np.arange(60) % 3
    >>> X = np.eye(3)[y] * 4 + rng.normal(size=(60, 3))
    >>> nearest = lambda x, memory: -min(np.linalg.norm(x - rows.mean(axis=0)) for rows in memory.values())
    >>> t = calibrate_by_replay(X, y, nearest)
    >>> t.balanced_accuracy > 0.9
    True
    """
    X = as_numbers(X)
    classes, numbers = as_classes(y, len(X) if X.ndim else 0)
    memory = _Memory(np.atleast_2d(X), classes, numbers)
    return Threshold._of(_paco.calibrate_by_replay(
        numbers, memory.forget, lambda sample: score(memory.X[sample], memory.seen), memory.add, passes, seed, tie))
