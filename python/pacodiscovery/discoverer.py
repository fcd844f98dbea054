"""Category discovery in the manners of scikit-learn (fit, predict) and river (learn_one, predict_one)."""

from __future__ import annotations

import inspect
from functools import lru_cache
from typing import Any, Iterable, Iterator

import numpy as np

from . import _paco
from ._arrays import as_classes, as_numbers, dict_values, wide_type
from ._paco import Decision, Decisions, Model
from .calibration import Threshold, calibrate
from .errors import InputError, not_fitted
from .members import Category
from .session import Session


@lru_cache(maxsize=None)
def _option_names() -> frozenset[str]:
    """Options of all methods."""
    return frozenset(option["name"] for name in _paco.method_names() for option in _paco.method_info(name)["options"])


class Discoverer:
    """Learns known classes from a support set, then sorts a stream into them and into categories of its own making.

    Parameters: `method`, one of paco.methods(); `classifier`, trained weights of the classes (K, d); `reference`, 'auto',
    'prototype' or 'classifier'; `threads`, for speed alone; and the method's own options by name (paco.method_info).

    >>> import pacodiscovery as paco
    >>> X = [[9, 1, 0], [8, 0, 1], [9, 0, 2], [1, 9, 0], [0, 8, 1], [2, 9, 0], [0, 1, 9], [1, 0, 8], [0, 2, 9]]
    >>> finder = paco.Discoverer().fit(X, ["red"] * 3 + ["green"] * 3 + ["blue"] * 3)
    >>> finder.predict([[1, 9, 1], [9, 9, 9], [9, 8, 9]]).tolist()
    ['green', 'category 3', 'category 3']
    >>> finder.decide([9, 9, 9])
    <Decision 0: created 3 'category 3'>

    `predict` works on a copy: it may find new categories among the rows it is given, and forgets them. `decide`,
    `decide_many` and `learn_one` go on: what they find stays. Labels come back as they were given; categories that the
    stream added have their names where labels are text, and the numbers after the largest label where they are
    numbers.

    After fit: `classes_`, `categories_`, `model_`, `session_`, `thresholds_`, `n_features_in_`.
    """

    def __init__(self, method: str = "paco", *, classifier: Any = None, reference: str = "auto", threads: int = 1,
                 **options: Any) -> None:
        self.method = method
        self.classifier = classifier
        self.reference = reference
        self.threads = threads
        for name, value in options.items():
            self._check_option(name)
            setattr(self, name, value)

    @staticmethod
    def _check_option(name: str) -> None:
        if name not in _option_names():
            raise TypeError(f"Discoverer has no parameter {name!r} and no method has an option of that name\n"
                            f"  hint: one of {', '.join(sorted(_option_names()))}")

    @classmethod
    def _own_parameters(cls) -> list[str]:
        parameters = inspect.signature(cls.__init__).parameters.values()
        return [p.name for p in parameters if p.name != "self" and p.kind != p.VAR_KEYWORD]

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Parameters by name, options of the method among them where they were given."""
        options = sorted(name for name in vars(self) if name in _option_names())
        return {name: getattr(self, name) for name in [*self._own_parameters(), *options]}

    def set_params(self, **params: Any) -> Discoverer:
        """Changes parameters; they take effect at the next fit."""
        for name, value in params.items():
            if name not in self._own_parameters() and name not in _option_names():
                raise InputError(f"Invalid parameter {name!r} for estimator {self!r}",
                                 f"valid are {', '.join([*self._own_parameters(), *sorted(_option_names())])}",
                                 "bad_argument")
            setattr(self, name, value)
        return self

    def fit(self, X: Any, y: Any = None) -> Discoverer:
        """Calibrates on a support set: rows X (n, d) with labels y of any type. Forgets an earlier one."""
        X = _of_dicts(X)
        rows = as_numbers(X)
        _check_matrix(rows, type(self).__name__)
        classes, _ = as_classes(y, len(rows))
        options = {k: v for k, v in self.get_params().items() if k not in self._own_parameters()}
        model = calibrate(rows, y, method=self.method, classifier=self.classifier, reference=self.reference,
                          threads=self.threads, **options)
        self.classes_ = classes
        self.n_features_in_ = model.dimension
        names = _column_names(X)
        if names is not None:
            self.feature_names_in_ = names
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        self.model_ = model
        self.session_ = Session(model, self.method, threads=self.threads)
        return self

    def _fitted(self) -> Session:
        session: Session | None = self.__dict__.get("session_")
        if session is None:
            raise not_fitted(type(self).__name__)
        return session

    # Batches

    def predict(self, X: Any) -> np.ndarray[Any, Any]:
        """The label of every row, as a stream that begins where this one stands; nothing of it is kept."""
        copy = self._fitted().copy()
        return self._labels(copy.decide_many(_checked(self._rows(X), type(self).__name__)))

    def partial_predict(self, X: Any) -> np.ndarray[Any, Any]:
        """The label of every row, and the stream goes on from there."""
        session = self._fitted()
        return self._labels(session.decide_many(_checked(self._rows(X), type(self).__name__)))

    def _rows(self, X: Any) -> Any:
        """Rows in the columns of the support set, or an exception that says they are others."""
        wanted = getattr(self, "feature_names_in_", None)
        if isinstance(X, (list, tuple)) and X and all(isinstance(one, dict) for one in X):
            return np.asarray([self._one(one) for one in X])
        given = _column_names(X)
        if wanted is not None and given is not None and list(wanted) != list(given):
            raise InputError("The feature names should match those that were passed during fit",
                             f"they were {', '.join(wanted[:5])}{', ...' if len(wanted) > 5 else ''}", "mismatch")
        return X

    def _one(self, x: Any) -> Any:
        """One sample in the columns of the support set: a row, a dict, or a row of a table."""
        if type(x) is np.ndarray:
            return x
        names = getattr(self, "feature_names_in_", None)
        if isinstance(x, dict):
            return as_numbers(dict_values(x, range(self.n_features_in_) if names is None else names))
        index = getattr(x, "index", None)
        if names is None or not hasattr(x, "to_numpy") or index is None or getattr(x, "ndim", 0) != 1:
            return self._rows(x)
        if not all(isinstance(name, str) for name in index):
            return x
        return as_numbers(dict_values(dict(zip(index, x)), names))

    def fit_predict(self, X: Any, y: Any = None, stream: Any = None) -> np.ndarray[Any, Any]:
        """fit(X, y), then partial_predict(stream): support set and stream in one go."""
        return self.fit(X, y).partial_predict(X if stream is None else stream)

    def decide_many(self, X: Any, keys: Any = None, ids: Any = None) -> Decisions:
        """Decides on every row; the stream goes on from there. See Session.decide_many."""
        return self._fitted().decide_many(self._rows(X), keys, ids)

    def score(self, X: Any, y: Any) -> float:
        """Strict accuracy over all rows of predict(X): clusters are matched to classes once."""
        from .evaluation import evaluate

        copy = self._fitted().copy()
        return float(evaluate(y, copy.decide_many(self._rows(X)), resamples=0)["strict"]["all"])

    # Streams

    def decide(self, x: Any, key: str | None = None, id: str | None = None) -> Decision:
        """Decides on one sample, at once and for good."""
        return self._fitted().decide(self._one(x), key, id)

    def learn_one(self, x: Any, y: Any = None) -> Discoverer:
        """Decides on one sample (a row, or a dict of features) and keeps it. Labels teach in fit alone."""
        if y is not None:
            raise InputError("a label after fit() would not be learned", "leave it out; labelled samples belong into fit(X, y)",
                             "unsupported")
        self.decide(x)
        return self

    def predict_one(self, x: Any) -> Any:
        """The label that one sample would get now; nothing of it is kept."""
        copy = self._fitted().copy()
        decision = copy.decide(self._one(x))
        return _scalar(self._label(decision.category, decision.name))

    def stream(self, samples: Iterable[Any], block: int = 1) -> Iterator[Decision]:
        """Decides on what an iterator yields, as it comes. See Session.stream."""
        return self._fitted().stream(map(self._one, samples), block)

    # What there is

    @property
    def categories_(self) -> list[Category]:
        """Known classes and categories that are in force."""
        return self._fitted().categories()

    @property
    def thresholds_(self) -> dict[str, Threshold]:
        """The calibrated thresholds by name, each with its evidence."""
        self._fitted()
        model: Model = self.model_
        return model.thresholds

    def label(self, category: int) -> Any:
        """The label of a class or category by its id."""
        return _scalar(self._label(category, self._fitted()._name(category)))

    def _label(self, category: int, name: str) -> Any:
        if category < len(self.classes_):
            return self.classes_[category]
        if self.classes_.dtype.kind in "iufb":
            return self._first_number() + category - len(self.classes_)
        return name.encode() if self.classes_.dtype.kind == "S" else name

    def _first_number(self) -> int:
        """The label of the first category that the stream adds, where labels are numbers."""
        return int(self.classes_.max()) + 1

    def _labels(self, decisions: Decisions) -> np.ndarray[Any, Any]:
        ids = decisions.category
        known = len(self.classes_)
        added = ids >= known
        if not added.any():
            return np.asarray(self.classes_[ids])
        if self.classes_.dtype.kind in "iufb":
            kind = wide_type(self.classes_)
            new = np.arange(ids.max() + 1 - known).astype(kind) + kind(self._first_number())
            numbers = np.concatenate([self.classes_.astype(kind), new])
            return np.asarray(numbers[ids], dtype=self.classes_.dtype if self.classes_.dtype.kind == "f" else kind)
        out = np.empty(len(ids), dtype=object)
        out[~added] = self.classes_[ids[~added]]
        names = decisions.name[added]
        out[added] = np.char.encode(names) if self.classes_.dtype.kind == "S" else names
        return out if self.classes_.dtype.kind == "O" else out.astype(self.classes_.dtype.kind)

    def __repr__(self) -> str:
        defaults = {p.name: p.default for p in inspect.signature(type(self).__init__).parameters.values()}
        changed = [f"{k}={v!r}" for k, v in self.get_params().items() if k not in defaults or v is not defaults[k]]
        return f"{type(self).__name__}({', '.join(changed)})"

    def _repr_html_(self) -> str:
        from ._views import discoverer_html

        return discoverer_html(self)

    def _more_tags(self) -> dict[str, Any]:
        """What scikit-learn asks before its checks."""
        return {"requires_y": True, "requires_fit": True, "allow_nan": False, "X_types": ["2darray"]}

    def __sklearn_tags__(self) -> Any:
        """The same for scikit-learn 1.6 and later."""
        from sklearn.utils import Tags, TargetTags  # type: ignore[import]

        return Tags(estimator_type=None, target_tags=TargetTags(required=True))


def _scalar(label: Any) -> Any:
    return label.item() if isinstance(label, np.generic) else label


def _check_matrix(rows: np.ndarray[Any, Any], name: str) -> None:
    if rows.ndim != 2:
        raise InputError(f"Expected 2D array, got {rows.ndim}D array instead", "Reshape your data: one sample a row",
                         "bad_shape")
    if len(rows) == 0:
        raise InputError(f"Found array with 0 sample(s) (shape={rows.shape}) while a minimum of 1 is required by {name}",
                         "give some", "bad_shape")
    if rows.shape[1] < 2:
        raise InputError(f"Found array with {rows.shape[1]} feature(s) (shape={rows.shape}) while a minimum of 2 is required "
                         f"by {name}", "a direction needs two numbers at least", "bad_shape")
    # A sum is not finite where one of its numbers is not; only then is it worth to look for the row.
    if rows.dtype.kind == "f" and not np.isfinite(rows.sum(dtype=np.float64)):
        bad = np.flatnonzero(~np.isfinite(rows).all(axis=1))
        if len(bad):
            what = "NaN" if np.isnan(rows[bad[0]]).any() else "infinity"
            raise InputError(f"Input X contains {what}, first in row {bad[0]}", "leave out or embed those samples again",
                             "bad_value")


def _checked(X: Any, name: str) -> np.ndarray[Any, Any]:
    rows = as_numbers(X)
    _check_matrix(rows, name)
    return rows


def _column_names(X: Any) -> np.ndarray[Any, Any] | None:
    """Of a table with named columns."""
    columns = getattr(X, "columns", None)
    if columns is None or not all(isinstance(name, str) for name in columns):
        return None
    return np.asarray(columns, dtype=object)


def _of_dicts(X: Any) -> Any:
    """A list of dicts as a table of the columns of the first one; anything else as it is."""
    if not isinstance(X, (list, tuple)) or not X or not all(isinstance(one, dict) for one in X):
        return X
    return _Table(list(X[0]), np.asarray([dict_values(one, X[0]) for one in X]))


class _Table:
    """Rows with names of columns."""

    def __init__(self, columns: list[Any], rows: np.ndarray[Any, Any]) -> None:
        self.columns = columns
        self.rows = rows

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray[Any, Any]:
        return self.rows if dtype is None else self.rows.astype(dtype)
