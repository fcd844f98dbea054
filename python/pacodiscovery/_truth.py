"""True labels, as people have them, to the class numbers that the engine evaluates.

A known class has the number of its place in the model, other classes come after them in sorted order, and -1 is
unknown. Labels are compared as what a model calls them: the label 3 is the class '3', wherever it stands.
"""

from __future__ import annotations

import re
from typing import Any, Sequence

import numpy as np

from ._arrays import class_name
from .errors import InputError

UNKNOWN = -1


def plain_labels(truth: Any, what: str = "truth") -> list[Any]:
    """Labels as plain Python values, whole floats as integers; None where nobody knows."""
    if hasattr(truth, "detach"):
        truth = truth.detach()
    mask = np.broadcast_to(truth.mask, truth.shape) if isinstance(truth, np.ma.MaskedArray) else None
    labels = np.asarray(truth)
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels[:, 0]
    if labels.ndim != 1:
        raise InputError(f"{what} has the shape {labels.shape}", "give one class for every sample", "bad_shape")
    out = [_plain(label) for label in labels.tolist()]
    if mask is not None:
        out = [None if hidden else label for label, hidden in zip(out, mask.ravel().tolist())]
    return out


def _plain(label: Any) -> Any:
    if label is None or type(label).__name__ in ("NAType", "NaTType") or (isinstance(label, str) and label == ""):
        return None
    if isinstance(label, np.generic):
        label = label.item()
    if isinstance(label, float):
        if label != label:
            return None
        if label != int(label):
            raise InputError(f"{label} is no class", "classes are whole numbers or names", "bad_value")
        return int(label)
    return label


def _are_numbers(labels: Sequence[Any]) -> bool:
    return all(isinstance(label, int) for label in labels)


def class_numbers(truth: Any) -> np.ndarray[Any, Any]:
    """Truth that holds class numbers already."""
    labels = plain_labels(truth)
    if not _are_numbers([label for label in labels if label is not None]):
        raise InputError("truth holds no class numbers", "give classes=[...] with the known labels, or decisions",
                         "bad_argument")
    return np.asarray([UNKNOWN if label is None or label < 0 else label for label in labels], dtype=np.int64)


def _sorted(labels: set[Any]) -> list[Any]:
    try:
        return sorted(labels)
    except TypeError:
        raise InputError("true classes of different types cannot be ordered", "make them all numbers or all text",
                         "bad_value") from None


def truth_numbers(truth: Any, names: Sequence[str]) -> tuple[np.ndarray[Any, Any], list[str]]:
    """True labels as numbers, given what the model calls its classes; and the names of all classes by number.

    Whole numbers are labels where the classes are called by numbers, and class numbers where they have names.
    """
    labels = plain_labels(truth)
    given = [label for label in labels if label is not None]
    if _are_numbers(given) and not all(re.fullmatch(r"-?\d+", name) for name in names):
        return class_numbers(truth), list(names)
    numbers = {name: i for i, name in enumerate(names)}
    unknown = {label for label in given if isinstance(label, int) and label < 0 and class_name(label) not in numbers}
    for label in _sorted({label for label in given if class_name(label) not in numbers and label not in unknown}):
        numbers.setdefault(class_name(label), len(numbers))
    out = [UNKNOWN if label is None or label in unknown else numbers[class_name(label)] for label in labels]
    return np.asarray(out, dtype=np.int64), list(numbers)


def label_numbers(truth: Any, predicted: Any, classes: Sequence[Any] | np.ndarray[Any, Any],
                  ) -> tuple[np.ndarray[Any, Any], list[str], np.ndarray[Any, Any], list[str]]:
    """True and predicted labels as numbers, with names of true classes and of predicted categories by number."""
    known = [_plain(label) for label in np.asarray(classes).tolist()]
    names = [class_name(label) for label in known]
    if len(set(names)) < len(names):
        raise InputError("classes has a label twice", "give every known label once", "bad_value")
    numbers, class_names = truth_numbers(truth, names)
    answers = plain_labels(predicted, "predicted")
    if None in answers:
        raise InputError(f"prediction {answers.index(None)} is missing", "every sample needs one", "bad_value")
    fresh = {label for label in answers if class_name(label) not in names}
    if _are_numbers(known):
        # What predict() gives new categories lies behind the largest label: anything else are no labels.
        wrong = [label for label in fresh if not isinstance(label, int) or label <= max(known)]
        if wrong:
            raise InputError(f"{wrong[0]!r} is predicted, which is neither a label in classes nor behind the largest of them",
                             "give labels as predict() returns them, or Decisions", "bad_value")
    elif fresh and all(isinstance(label, int) for label in answers):
        raise InputError("classes are names and predictions are numbers", "give labels as predict() returns them, or Decisions",
                         "bad_value")
    places = {name: i for i, name in enumerate(names)}
    for label in _sorted(fresh):
        places[class_name(label)] = len(places)
    return numbers, class_names, np.asarray([places[class_name(label)] for label in answers], dtype=np.int64), list(places)


def check_classes(classes: Any, names: Sequence[str]) -> None:
    """`classes` that come with decisions are those of their model, in any order."""
    if classes is None:
        return
    given = [class_name(_plain(label)) for label in np.asarray(classes).tolist()]
    if sorted(given) != sorted(names):
        raise InputError("classes are not those of the model that decided", "leave them out: decisions know theirs", "mismatch")
