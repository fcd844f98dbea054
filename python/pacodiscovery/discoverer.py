"""Category discovery in the manners of scikit-learn (fit, predict) and river (learn_one, predict_one)."""

from __future__ import annotations

import inspect
import warnings
from functools import lru_cache
from typing import Any, Callable, Iterable, Iterator

import numpy as np

from . import _paco
from ._arrays import as_classes, as_numbers, class_name, dict_values, wide_type
from ._estimator import Base, NothingFoundWarning, seed_of, threads_of
from ._paco import Decision, Decisions, Model
from ._progress import progress_call
from ._shadow import Shadow
from ._tables import are_texts, check_matrix, checked, column_names, of_dicts, texts_of
from .calibration import Threshold, calibrate
from .confidence import Confidence, calibrate_confidence
from .encoder import Encoder
from .errors import InputError, not_fitted
from .kept import Kept
from .members import Category
from .session import Session


@lru_cache(maxsize=None)
def _option_names() -> frozenset[str]:
    """Options of all methods."""
    return frozenset(option["name"] for name in _paco.method_names() for option in _paco.method_info(name)["options"])


_ENOUGH = 100  # decided samples, after which it is said that nothing was found


class Discoverer(Kept, Base):
    """Learns known classes from a support set, then sorts a stream into them and into categories of its own making.

    `method` is one of paco.methods(): 'mirror' is recommended, 'paco' is the paper's rule (docs/how-to/choose-a-method.md).
    Other parameters: `classifier`, trained weights of the classes (K, d); `reference`, 'auto',
    'prototype' or 'classifier'; `n_jobs` or `threads`, for speed alone; `random_state`, the seed of the calibration;
    `confidence`, True to calibrate confidence_of() and decision_function() too; `encoder`, an Encoder or its name, with
    which texts take the place of rows; `journal`, a path at which fit() makes a journal of the stream; and the method's
    own options by name (paco.method_info).

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

    After fit: `classes_`, `categories_`, `n_categories_`, `labels_`, `cluster_centers_`, `model_`, `session_`,
    `thresholds_`, `n_features_in_`.
    """

    _supervised = True  # in the words of river: learn_one takes a label where there is one

    def __init__(self, method: str = "paco", *, classifier: Any = None, reference: str = "auto", threads: int = 1,
                 n_jobs: int | None = None, random_state: Any = None, confidence: bool = False, encoder: Any = None,
                 journal: Any = None, **options: Any) -> None:
        self.method = method
        self.classifier = classifier
        self.reference = reference
        self.threads = threads
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.confidence = confidence
        self.encoder = encoder
        self.journal = journal
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

    def fit(self, X: Any, y: Any = None, *, progress: Any = None) -> Discoverer:
        """Calibrates on a support set: rows X (n, d) with labels y of any type. Forgets an earlier one.

        `progress`: True for a line on the standard error, or a function of steps done and all steps.
        """
        X = of_dicts(self._embedded(X))
        rows = as_numbers(X)
        check_matrix(rows, type(self).__name__)
        classes, _ = as_classes(y, len(rows))
        threads = threads_of(self.n_jobs, self.threads)
        options = {k: v for k, v in self.get_params().items() if k not in self._own_parameters()}
        seed = seed_of(self.random_state)
        if seed is not None and "seed" in {option["name"] for option in _paco.method_info(self.method)["options"]}:
            options.setdefault("seed", seed)
        common = {"method": self.method, "classifier": self.classifier, "reference": self.reference, "threads": threads, **options}
        model = calibrate(rows, y, progress=progress, **common)
        self.confidence_ = None
        if self.confidence:
            common.pop("classifier")  # its rows are of all classes, some of which are held out
            self.confidence_ = calibrate_confidence(rows, y, **common)
        session = (Session(model, self.method, threads=threads) if self.journal is None else
                   Session.create(self.journal, model, self.method, threads=threads))
        self._begin(model, session, classes, column_names(X))
        return self

    def _begin(self, model: Model, session: Session, classes: np.ndarray[Any, Any], names: np.ndarray[Any, Any] | None) -> None:
        self.classes_ = classes
        self.n_features_in_ = model.dimension
        if names is not None:
            self.feature_names_in_ = names
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        self.model_ = model
        self.session_ = session
        self._answered: list[np.ndarray[Any, Any]] = []  # ids of categories, of all samples so far
        self._numbers: dict[int, int] = {}  # labels of categories that partial_fit gave other numbers than their own
        self._shadow: Shadow | None = None

    def _embedded(self, X: Any) -> Any:
        """Rows of texts where there is an encoder; anything else as it is."""
        if self.encoder is None or not are_texts(X):
            return X
        return self._encoder().encode(X)

    def _encoder(self) -> Encoder:
        if isinstance(self.encoder, Encoder):
            return self.encoder
        made: Encoder | None = self.__dict__.get("encoder_")
        if made is None or made.name != str(self.encoder):
            made = self.encoder_ = Encoder(self.encoder)
        return made

    def _fitted(self) -> Session:
        session: Session | None = self.__dict__.get("session_")
        if session is None:
            raise not_fitted(type(self).__name__)
        return session

    # Batches

    def predict(self, X: Any) -> np.ndarray[Any, Any]:
        """The label of every row, as a stream that begins where this one stands; nothing of it is kept."""
        copy = self._fitted().copy()
        decisions = copy.decide_many(checked(self._rows(X), type(self).__name__))
        self._warn_if_nothing(copy, len(decisions))
        return self._labels(decisions)

    def partial_predict(self, X: Any) -> np.ndarray[Any, Any]:
        """The label of every row, and the stream goes on from there."""
        self._fitted()
        return self._labels(self._decide_rows(checked(self._rows(X), type(self).__name__), None, None, texts_of(X)))

    def _decide_rows(self, rows: Any, keys: Any, ids: Any, texts: Any, progress: Any = None) -> Decisions:
        session = self.session_
        before = session.samples
        try:
            decisions = session.decide_many(rows, keys, ids, texts if session.path else None, progress=progress)
        except BaseException as error:
            made = getattr(error, "decisions", None)
            if made is not None:
                self._answered.append(made.category[made.sequence >= before])
            raise
        self._answered.append(decisions.category[decisions.sequence >= before])  # others were answered by their key
        self._warn_if_nothing(session, len(decisions))
        return decisions

    def _warn_if_nothing(self, session: Session, rows: int) -> None:
        if rows < _ENOUGH or any(c.kind == "discovered" for c in session.categories()):
            return
        advice = "" if self.method == "mirror" else "; with few known classes Discoverer('mirror') may find more"
        warnings.warn(f"no new category was found among {rows} samples: all of them look like known classes{advice}", NothingFoundWarning,
                      stacklevel=3)

    def _rows(self, X: Any) -> Any:
        """Rows in the columns of the support set, or an exception that says they are others."""
        X = self._embedded(X)
        wanted = getattr(self, "feature_names_in_", None)
        if isinstance(X, (list, tuple)) and X and all(isinstance(one, dict) for one in X):
            return np.asarray([self._one(one) for one in X])
        given = column_names(X)
        if wanted is not None and given is not None and list(wanted) != list(given):
            raise InputError("The feature names should match those that were passed during fit",
                             f"they were {', '.join(wanted[:5])}{', ...' if len(wanted) > 5 else ''}", "mismatch")
        return X

    def _one(self, x: Any) -> Any:
        """One sample in the columns of the support set: a row, a dict, or a row of a table."""
        if type(x) is np.ndarray:
            return x
        if isinstance(x, str) and self.encoder is not None:
            return self._encoder().encode(x)
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

    def decide_many(self, X: Any, keys: Any = None, ids: Any = None, *, progress: Any = None) -> Decisions:
        """Decides on every row; the stream goes on from there. See Session.decide_many."""
        self._fitted()
        return self._decide_rows(self._rows(X), keys, ids, texts_of(X), progress_call(progress, "deciding"))

    def partial_fit(self, X: Any, y: Any) -> Discoverer:
        """Labelled samples after fit: each is decided, moved to the category of its label if it is in another, and
        verified. A label that nobody had before names a discovered category, or a new one.

        The stream goes on from there, in memory as with a journal. Thresholds and the references of known classes stay
        those of fit(); categories learn from their new members.
        """
        session = self._fitted()
        rows = checked(self._rows(X), type(self).__name__)
        labels, numbers = as_classes(y, len(rows))
        if not session.path:
            session._keep(len(rows))
        try:
            decisions = self._decide_rows(rows, None, None, texts_of(X))
            for number, label in enumerate(labels.tolist()):
                self._teach(label, decisions[numbers == number])
            shown = session._shown(decisions.sequence.tolist())
            session.verify(decisions.sequence[shown >= 0])
            self._answered[-1] = shown
        finally:
            self._shadow = None
            if not session.path:
                session._keep(0)
        return self

    def _teach(self, label: Any, mine: Decisions) -> None:
        """The samples of one label go to its category."""
        session = self.session_
        target = self._category_of(label, mine)
        if target is None:
            moved = session.move(mine.sequence, name=self._new_name(label))
            target = int(moved.category) if moved.category is not None else -1
        else:
            elsewhere = mine.sequence[session._shown(mine.sequence.tolist()) != target]
            if len(elsewhere):
                session.move(elsewhere, into=target)
        self._claim(target, label)

    def confidence_of(self, decisions: Any) -> np.ndarray[Any, Any]:
        """How sure each decision is, from 0 to 1: the share of answers like it that were right on held-out samples."""
        self._fitted()
        if self.confidence_ is None:
            raise InputError("confidence was not calibrated", "fit with Discoverer(confidence=True)", "unsupported")
        made: Confidence = self.confidence_
        return made(decisions)

    @property
    def decision_function(self) -> Callable[[Any], np.ndarray[Any, Any]]:
        """From -1 to 1: how surely each row belongs to a known class (above 0) or to a discovered category (below 0). The
        size is confidence_of(). Nothing of the rows is kept. Only with `confidence=True`."""
        if not self.confidence:
            raise AttributeError("decision_function is there with Discoverer(confidence=True)")
        return self._surely

    def _surely(self, X: Any) -> np.ndarray[Any, Any]:
        decisions = self._fitted().copy().decide_many(self._rows(X))
        signs: np.ndarray[Any, Any] = np.where(decisions.category < len(self.classes_), 1.0, -1.0)
        surely: np.ndarray[Any, Any] = signs * self.confidence_of(decisions)
        return surely

    def score(self, X: Any, y: Any) -> float:
        """Strict accuracy over all rows of predict(X): clusters are matched to classes once."""
        from .evaluation import evaluate

        copy = self._fitted().copy()
        return float(evaluate(y, copy.decide_many(self._rows(X)), resamples=0)["strict"]["all"])

    # Streams

    def decide(self, x: Any, key: str | None = None, id: str | None = None) -> Decision:
        """Decides on one sample, at once and for good."""
        session = self._fitted()
        decision = session.decide(self._one(x), key, id, x if isinstance(x, str) and session.path else None)
        if decision.sequence == session.samples - 1:
            self._answered.append(np.asarray([decision.category]))
        return decision

    def learn_one(self, x: Any, y: Any = None) -> Discoverer:
        """Decides on one sample (a row, a dict of features, a text) and keeps it; with a label as partial_fit does."""
        session = self._fitted()
        row = self._one(x)
        if y is not None:
            return self.partial_fit(np.asarray(row)[None], [y])
        if self._shadow is not None and not self._shadow.follows(session, row):
            self._shadow = None
        self.decide(row)
        if self._shadow is not None:
            self._shadow.events = session.events
        return self

    def predict_one(self, x: Any) -> Any:
        """The label that one sample would get now; nothing of it is kept.

        Costs as much as a decision where each sample is learned after it was predicted; otherwise the session is copied.
        """
        session = self._fitted()
        row = self._one(x)
        if self._shadow is None or not self._shadow.stands_at(session):
            self._shadow = Shadow(session)
        decision = self._shadow.decide(row)
        return _scalar(self._label(decision.category, decision.name))

    def stream(self, samples: Iterable[Any], block: int = 1) -> Iterator[Decision]:
        """Decides on what an iterator yields, as it comes. See Session.stream."""
        for decision in self._fitted().stream(map(self._one, samples), block):
            self._answered.append(np.asarray([decision.category]))
            yield decision

    # What there is

    @property
    def categories_(self) -> list[Category]:
        """Known classes and categories that are in force."""
        return self._fitted().categories()

    @property
    def n_categories_(self) -> int:
        """How many categories are in force, known classes among them."""
        return len(self._fitted().categories())

    @property
    def labels_(self) -> np.ndarray[Any, Any]:
        """The labels of all samples of the stream so far, as of today: after merges, and with a journal after moves."""
        session = self._fitted()
        if session.path:
            ids = np.zeros(session.samples, np.int64)
            for category in session.categories():
                ids[session._members(category.id).astype(np.int64)] = category.id
        else:
            ids = np.concatenate([np.empty(0, np.int64), *self._answered])
        now = {c.id: c.now for c in session.categories(merged=True)}
        return self._labels_of(np.asarray([now[int(one)] for one in ids], dtype=np.int64), session._name)

    @property
    def cluster_centers_(self) -> np.ndarray[Any, Any]:
        """Unit directions of the categories in force, by ascending id, in the space in which the method compares."""
        return self._fitted().centroids()[1]

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
            return self._numbers.get(category, self._own_number(category))
        return name.encode() if self.classes_.dtype.kind == "S" else name

    def _own_number(self, category: int) -> int:
        """The label that a discovered category has by itself, where labels are numbers: after the largest one."""
        return int(self.classes_.max()) + 1 + category - len(self.classes_)

    def _labels(self, decisions: Decisions) -> np.ndarray[Any, Any]:
        names = dict(zip(decisions.category.tolist(), decisions.name.tolist()))
        return self._labels_of(decisions.category, names.__getitem__)

    def _labels_of(self, ids: np.ndarray[Any, Any], name: Callable[[int], str]) -> np.ndarray[Any, Any]:
        known = len(self.classes_)
        added = ids >= known
        if not added.any():
            return np.asarray(self.classes_[ids])
        found, places = np.unique(ids, return_inverse=True)
        labels = [self._label(one, name(one)) if one >= known else self.classes_[one] for one in found.tolist()]
        if self.classes_.dtype.kind in "iufb":
            kind = self.classes_.dtype if self.classes_.dtype.kind == "f" else wide_type(self.classes_)
            return np.asarray(labels, dtype=kind)[places]
        out = np.empty(len(labels), dtype=object)
        out[:] = labels
        return out[places] if self.classes_.dtype.kind == "O" else out.astype(self.classes_.dtype.kind)[places]

    # Labels that partial_fit brings

    def _category_of(self, label: Any, mine: Decisions) -> int | None:
        """Where samples of a label belong: its class, the category that has it, or the one that most of them are in."""
        session = self.session_
        at = np.flatnonzero(self.classes_ == label)
        live = {c.id: c for c in session.categories(merged=True)}
        if len(at):
            return live[int(at[0])].now
        for category in session.categories():
            if category.kind == "discovered" or category.id >= len(self.classes_):
                has = self._numbers.get(category.id) == label if self.classes_.dtype.kind in "iufb" else category.name == class_name(label)
                if has:
                    return category.id
        free = [live[int(one)].now for one in mine.category if int(one) >= len(self.classes_)]
        free = [one for one in free if one not in self._numbers and not session._is_named(one)]
        return max(set(free), key=free.count) if free else None

    def _new_name(self, label: Any) -> str:
        return "" if self.classes_.dtype.kind in "iufb" else class_name(label)

    def _claim(self, category: int, label: Any) -> None:
        """The category has this label from now on; the one that had the number gets that of the category."""
        if category < len(self.classes_):
            return
        if self.classes_.dtype.kind not in "iufb":
            if self.session_._name(category) != class_name(label):
                self.session_.rename(category, class_name(label))
            return
        before = self._numbers.get(category, self._own_number(category))
        holder = next((one for one, number in self._numbers.items() if number == label), None)
        if holder is None and label > int(self.classes_.max()):
            holder = int(label) - int(self.classes_.max()) - 1 + len(self.classes_)
        if holder is not None and holder != category:
            self._numbers[holder] = before
        self._numbers[category] = int(label)

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
