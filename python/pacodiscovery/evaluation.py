"""How good a finished stream is: Strict and Greedy accuracy with intervals, NMI, ARI, tables; and methods side by side."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Iterator, Mapping, Sequence

import numpy as np

from . import _paco
from ._paco import Decisions, Model
from .calibration import calibrate
from .errors import InputError
from .session import Session


@dataclass(frozen=True)
class Table:
    """Rows under headings. Shares are fractions; None is undefined."""

    key: str
    title: str
    columns: list[str]
    headings: list[str]
    rows: list[list[Any]]

    def to_pandas(self) -> Any:
        """A pandas DataFrame."""
        from ._views import table_frame

        return table_frame(self)

    def _repr_html_(self) -> str:
        from ._views import table_html

        return table_html(self)


class Evaluation(Mapping[str, Any]):
    """The object of 'paco evaluate --json' as a mapping, and its tables.

    >>> result = evaluate([0, 0, 1, 2, 2], [0, 0, 1, 2, 2], known=2)
    >>> result["strict"]["all"], result["strict"]["new"]
    (1.0, 1.0)
    >>> result.interval("strict", "all")
    (1.0, 1.0)
    """

    def __init__(self, values: dict[str, Any], text: str, tables: Sequence[Table]) -> None:
        self._values = values
        self._text = text
        self.tables = {table.key: table for table in tables}

    def __getitem__(self, key: str) -> Any:
        return self._values[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def interval(self, protocol: str, split: str = "all") -> tuple[float, float] | None:
        """Ends of the bootstrap interval of an accuracy; None where there is none."""
        ends = (self._values["interval"] or {}).get(protocol, {}).get(split)
        return None if ends is None else (ends[0], ends[1])

    def to_pandas(self) -> Any:
        """Accuracies one by one with counts and intervals, as a pandas DataFrame."""
        return self.tables["accuracy"].to_pandas()

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        shares = self._values["strict"]
        shown = " / ".join("-" if shares[k] is None else f"{100 * shares[k]:.1f}" for k in ("all", "old", "new"))
        return f"<Evaluation: Strict {shown} (all / old / new)>"

    def _repr_html_(self) -> str:
        return self.tables["accuracy"]._repr_html_()


def truth_numbers(truth: Any, classes: Sequence[Any] | np.ndarray[Any, Any] | None) -> tuple[np.ndarray[Any, Any], list[str]]:
    """True classes as the engine has them: known ones by their place in `classes`, others after them in sorted order,
    -1 where nobody knows (None, nan, ''). Without `classes` they are class numbers already. With names by number."""
    labels = np.asarray(truth)
    if labels.ndim != 1:
        raise InputError(f"truth has the shape {labels.shape}", "give one true class for every sample", "bad_shape")
    if classes is None:
        if labels.dtype.kind not in "iu":
            raise InputError("truth holds no class numbers", "give `classes`, the known labels in the order of the model",
                             "bad_argument")
        return labels.astype(np.int64), []
    known = list(np.asarray(classes).tolist())
    numbers = {label: i for i, label in enumerate(known)}
    given = labels.tolist()
    unknown = {None, ""}
    fresh = {x for x in given if x not in numbers and x not in unknown and x == x}
    try:
        ordered = sorted(fresh)
    except TypeError:
        raise InputError("true classes of different types cannot be ordered", "make them all numbers or all text",
                         "bad_value") from None
    for label in ordered:
        numbers[label] = len(numbers)
    out = [-1 if x in unknown or x != x else numbers[x] for x in given]
    return np.asarray(out, dtype=np.int64), [str(label) for label in numbers]


def evaluate(predicted: Decisions | Any, truth: Any, *, known: int | None = None,
             classes: Sequence[Any] | np.ndarray[Any, Any] | None = None, closed: Any = None, keep: str = "top",
             resamples: int = 1000, seed: int = 0, confidence: float = 0.95) -> Evaluation:
    """How good decisions are, where the truth is known for all samples or some.

    `predicted`: Decisions, or category ids. `truth`: class numbers (below the number of known classes: old; -1:
    unknown), or labels of any type where `classes` says which are known, in the order of the model; Decisions know
    their names. `closed`: predictions without discovery, to compare with.

    >>> evaluate([0, 1, 2], [0, 1, 1], known=2)
    <Evaluation: Strict 66.7 / 66.7 / - (all / old / new)>
    """
    names: list[str] = []
    if isinstance(predicted, Decisions):
        ids = predicted.category
        if known is None and classes is None:
            known = len(predicted.classes)
            if np.asarray(truth).dtype.kind not in "iu":
                classes = predicted.classes
        names = _names_by_id(predicted)
    else:
        ids = np.asarray(predicted)
    if ids.ndim != 1 or (ids.dtype.kind not in "iu" and ids.size):
        raise InputError("predicted holds no category ids", "give decisions, or an array of whole numbers", "bad_value")
    numbers, class_names = truth_numbers(truth, classes)
    if known is None:
        if classes is None:
            raise InputError("how many classes are known is not given", "give known=N or classes=[...]", "bad_argument")
        known = len(classes)
    others = np.empty(0, np.int64) if closed is None else np.asarray(closed.category if isinstance(closed, Decisions) else closed)
    values, text, tables = _paco.evaluate(ids.astype(np.int64), numbers, known, others.astype(np.int64), class_names, names,
                                          keep, resamples, seed, confidence)
    return Evaluation(json.loads(values), text, [Table(*table) for table in tables])


def _names_by_id(decisions: Decisions) -> list[str]:
    names = [""] * (int(decisions.category.max(initial=-1)) + 1)
    for id, name in zip(decisions.category.tolist(), decisions.name.tolist()):
        names[id] = name
    return names


def compare(X: Any, y: Any, stream: Any, truth: Any, *, methods: Sequence[str], threads: int = 1,
            **common: Any) -> dict[str, Evaluation]:
    """Methods side by side: each calibrated on (X, y), run over the stream, and evaluated against the truth.

    `truth` has labels as `y` has them. Options in `common` go to every calibration that has them.
    """
    classes = np.unique(np.asarray(y))
    out = {}
    for method in methods:
        takes = {option["name"] for option in _paco.method_info(method)["options"]}
        model: Model = calibrate(X, y, method=method, threads=threads,
                                 **{k: v for k, v in common.items() if k in takes or k in ("classifier", "reference")})
        with Session(model, method, threads=threads) as session:
            out[method] = evaluate(session.decide_many(stream), truth, classes=classes)
    return out
