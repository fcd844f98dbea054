"""How sure an answer is, from 0 to 1 and with one meaning whatever branch it took: the share of answers like it that were
right on held-out samples of the support set.

Classes of the support set are held out in turns and play new ones, with samples of the others beside them; a model of the
rest decides on them. In each branch the answers are put in order by how far their score lies from the threshold it was
compared with, and the share of right ones is made to rise with that distance (isotonic regression).
"""

from __future__ import annotations

from typing import Any, Mapping

import numpy as np

from ._arrays import as_classes, as_numbers
from ._paco import Decisions
from .calibration import calibrate
from .decisions import need_decisions
from .errors import InputError
from .held_out import HeldOutClasses
from .session import Session

_PRIOR = 4  # answers of the branch's average that stand beside every group


def _branches(decisions: Decisions) -> np.ndarray[Any, Any]:
    """The way by which each was decided."""
    branch = decisions.evidence.get("branch")
    if branch is None or branch.dtype.kind != "U":
        return decisions.verdict
    return np.char.add(np.char.add(decisions.verdict, " "), branch)


def _distances(decisions: Decisions) -> np.ndarray[Any, Any]:
    """How clearly each was decided: away from its threshold, or where nothing was compared, by its margin."""
    distance = np.abs(decisions.score - decisions.threshold)
    margin = decisions.evidence.get("margin")
    if margin is not None and margin.dtype.kind == "f":
        distance = np.where(np.isfinite(distance), distance, np.abs(margin))
    return np.where(np.isfinite(distance), distance, 0.0)


def _rising(values: np.ndarray[Any, Any], weights: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The nearest sequence that never falls: neighbours that fall are pooled."""
    pools: list[list[float]] = []  # mean, weight, how many
    for value, weight in zip(values.tolist(), weights.tolist()):
        pools.append([value, weight, 1])
        while len(pools) > 1 and pools[-2][0] >= pools[-1][0]:
            mean, more, count = pools.pop()
            last = pools[-1]
            last[0] = (last[0] * last[1] + mean * more) / (last[1] + more)
            last[1] += more
            last[2] += count
    return np.repeat([pool[0] for pool in pools], [int(pool[2]) for pool in pools])


class Confidence:
    """Calibrated confidence: call it with decisions of the method that it was made for."""

    def __init__(self, method: str, curves: Mapping[str, tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]], average: float,
                 samples: int) -> None:
        self.method = method
        self.average = average
        """share of right answers over all held-out samples"""
        self.samples = samples
        """how many held-out samples it was made from"""
        self._curves = dict(curves)

    def __call__(self, decisions: Any) -> np.ndarray[Any, Any]:
        """For each decision the share of answers like it that were right."""
        given = need_decisions(decisions)
        if given.method != self.method:
            raise InputError(f"these are decisions of {given.method}, the confidence is of {self.method}", "calibrate it for that method",
                             "mismatch")
        branches, distances = _branches(given), _distances(given)
        out = np.full(len(given), self.average)
        for branch, (edges, shares) in self._curves.items():
            rows = branches == branch
            out[rows] = np.interp(distances[rows], edges, shares)
        return out

    def __repr__(self) -> str:
        return f"<Confidence of {self.method}: {self.samples} held-out samples, {100 * self.average:.1f} % right>"


def right_answers(decisions: Decisions, truth: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Which answers are right, given true classes as numbers: the known class itself, or a category in which the sample's
    class is new and has the majority. Of an unknown class (-1) none is."""
    known = len(decisions.classes)
    out = np.zeros(len(truth), bool)
    for category in np.unique(decisions.category):
        rows = decisions.category == category
        if category < known:
            out[rows] = truth[rows] == category
            continue
        classes, counts = np.unique(truth[rows & (truth >= 0)], return_counts=True)
        if len(classes):
            most = classes[counts.argmax()]
            out[rows] = (truth[rows] == most) & (most >= known)
    return out


def _renumbered(numbers: np.ndarray[Any, Any], known: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Class numbers as the model of a part has them: `known` first, all others after."""
    places = np.searchsorted(known, numbers)
    held = known[np.minimum(places, len(known) - 1)] != numbers
    return np.where(held, numbers + len(known), places)


def _curve(distances: np.ndarray[Any, Any], right: np.ndarray[Any, Any]) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    order = np.argsort(distances, kind="stable")
    groups = np.array_split(order, max(1, min(20, len(order) // 15)))
    average = right.mean()
    edges = np.asarray([distances[group].mean() for group in groups])
    shares = np.asarray([(right[group].sum() + _PRIOR * average) / (len(group) + _PRIOR) for group in groups])
    return edges, _rising(shares, np.asarray([len(group) + _PRIOR for group in groups], dtype=float))


def calibrate_confidence(X: Any, y: Any, *, method: str = "paco", held_out: HeldOutClasses | None = None, threads: int = 1,
                         **options: Any) -> Confidence:
    """Confidence for the decisions of a method that is calibrated on (X, y), from held-out parts of them.

    It calibrates once more for every split of `held_out` (8 by default, three tenths of the classes each) and needs four classes.
    Two groups of answers with the confidences 0.9 and 0.6 were right nine and six times in ten, whichever branches they
    took. A stream with more new classes than were held out is decided worse than that, and so is one whose network was
    trained on the support set: there the held-out samples are easier than those to come.
    """
    rows = as_numbers(X)
    classes, numbers = as_classes(y, len(rows) if rows.ndim else 0)
    if len(classes) < 4:
        raise InputError(f"{len(classes)} classes", "confidence needs four: one to be held out, and three for a calibration", "bad_value")
    found: list[tuple[np.ndarray[Any, Any], np.ndarray[Any, Any], np.ndarray[Any, Any]]] = []
    for train, test in (held_out or HeldOutClasses(8, test_size=0.2)).split(rows, numbers):
        model = calibrate(rows[train], numbers[train], method=method, threads=threads, **options)
        decisions = Session(model, method, threads=threads).decide_many(rows[test])
        found.append((_branches(decisions), _distances(decisions), right_answers(decisions, _renumbered(numbers[test], np.unique(numbers[train])))))
    branches, distances, right = (np.concatenate([part[i] for part in found]) for i in range(3))
    curves = {str(branch): _curve(distances[branches == branch], right[branches == branch]) for branch in np.unique(branches)}
    return Confidence(method, curves, float(right.mean()), len(right))

