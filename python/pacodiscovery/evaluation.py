"""How good a finished stream is: Strict and Greedy accuracy with intervals, NMI, ARI, tables; and methods side by side."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Iterator, Mapping, Sequence

import numpy as np

from . import _paco
from ._paco import Decisions, Model
from ._truth import check_classes, class_numbers, label_numbers, truth_numbers
from .calibration import calibrate
from .decisions import as_decisions
from .errors import InputError
from .session import Session


@dataclass(frozen=True)
class Table:
    """Rows under headings. Shares are fractions in `rows` and percent where the table is shown; None is undefined."""

    key: str
    title: str
    columns: list[str]
    headings: list[str]
    shows: list[str]
    """how each column is shown: 'text', 'integer', 'share' or 'number'"""
    rows: list[list[Any]]

    def to_pandas(self) -> Any:
        """A pandas DataFrame, with shares as fractions."""
        from ._views import table_frame

        return table_frame(self)

    def _repr_html_(self) -> str:
        from ._views import table_html

        return table_html(self)


class Evaluation(Mapping[str, Any]):
    """Figures by name as a mapping, and the tables they stand in.

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

    @property
    def text(self) -> str:
        """All tables as text, some pages."""
        return self._text

    def __str__(self) -> str:
        return "\n".join(f"{name:6} {self._shares(name)}" for name in ("strict", "greedy"))

    def __repr__(self) -> str:
        return f"<Evaluation: Strict {self._shares('strict')}>"

    def _shares(self, protocol: str) -> str:
        shares = self._values[protocol]
        shown = " / ".join("-" if shares[k] is None else f"{100 * shares[k]:.1f}" for k in ("all", "old", "new"))
        return f"{shown} (all / old / new)"

    def _repr_html_(self) -> str:
        return self.tables["accuracy"]._repr_html_()


def _known_numbers(predicted: Any, known: int | None) -> tuple[np.ndarray[Any, Any], int]:
    if known is None:
        raise InputError("which classes are known is not given",
                         "give Decisions, or classes=[...] with the known labels, or known=N with class numbers", "bad_argument")
    ids = np.asarray(predicted)
    if ids.ndim != 1 or (ids.dtype.kind not in "iu" and ids.size):
        raise InputError("predicted holds no category ids", "with known=N predictions are whole numbers", "bad_value")
    return ids.astype(np.int64), known


def _closed_ids(closed: Any, classes: Sequence[str]) -> np.ndarray[Any, Any]:
    if closed is None:
        return np.empty(0, np.int64)
    decisions = as_decisions(closed)
    if decisions is None:
        return np.asarray(closed).astype(np.int64)
    if classes and decisions.classes != list(classes):
        raise InputError("the decisions without discovery know other classes", "use one model for both", "mismatch")
    return decisions.category


def evaluate(truth: Any, predicted: Any, *, known: int | None = None, classes: Sequence[Any] | np.ndarray[Any, Any] | None = None,
             closed: Any = None, keep: str = "top", resamples: int = 1000, seed: int = 0,
             confidence: float = 0.95) -> Evaluation:
    """How good predictions are, where the truth is known for all samples or some.

    `predicted`: Decisions, a list of Decision, or labels as Discoverer.predict gives them, with the known ones in
    `classes`. `truth`: the true labels as fit() had them. None, nan, '', masked and negative numbers: unknown. Whole
    numbers where the model's classes have names, and everything with `known=N`, are class numbers: below N known.
    `closed`: predictions without discovery, to compare with.

    >>> evaluate([0, 1, 1], [0, 1, 2], known=2)
    <Evaluation: Strict 66.7 / 66.7 / - (all / old / new)>
    >>> evaluate(["owl", "jay", "tit"], ["owl", "jay", "category 2"], classes=["jay", "owl"])
    <Evaluation: Strict 100.0 / 100.0 / 100.0 (all / old / new)>
    """
    if as_decisions(truth) is not None:
        raise InputError("the first argument is the truth", "evaluate(truth, decisions)", "bad_argument")
    decisions = as_decisions(predicted)
    names: list[str] = []
    class_names: list[str] = []
    if decisions is not None and known is None:
        check_classes(classes, decisions.classes)
        known = len(decisions.classes)
        ids, names = decisions.category, _names_by_id(decisions)
        numbers, class_names = truth_numbers(truth, decisions.classes)
    elif classes is not None:
        known = len(classes)
        numbers, class_names, ids, names = label_numbers(truth, predicted, classes)
    else:
        ids, known = _known_numbers(predicted if decisions is None else decisions.category, known)
        numbers = class_numbers(truth)
    others = _closed_ids(closed, class_names[:known])
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
    out = {}
    for method in methods:
        takes = {option["name"] for option in _paco.method_info(method)["options"]}
        model: Model = calibrate(X, y, method=method, threads=threads,
                                 **{k: v for k, v in common.items() if k in takes or k in ("classifier", "reference")})
        with Session(model, method, threads=threads) as session:
            out[method] = evaluate(truth, session.decide_many(stream))
    return out
