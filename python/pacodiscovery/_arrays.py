"""From whatever holds numbers to NumPy arrays, without a copy where there is a way; and labels to class numbers.

The engine itself reads arrays of bool, integers and floats of 16 to 64 bits in any order of memory. Here is what comes
before that: tensors, lists, tables, and the refusal of everything else in words.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .errors import InputError, InputTypeError


def as_numbers(x: Any) -> np.ndarray[Any, Any]:
    """An array of numbers that the engine can read, or an exception that says why there is none."""
    if hasattr(x, "toarray") and hasattr(x, "nnz"):
        raise InputTypeError("A sparse matrix was passed, but dense data is required", "use X.toarray()", "bad_value")
    array = _as_array(x)
    if array.dtype.kind in "biuf" and array.dtype.itemsize <= 8:
        return array
    if array.dtype.kind == "c":
        raise InputError("Complex data not supported", "give real numbers, e.g. X.real", "bad_value")
    if array.dtype.kind in "OfUS":
        try:
            return array.astype(np.float64)
        except (TypeError, ValueError) as error:
            kind = InputTypeError if isinstance(error, TypeError) else InputError
            raise kind(f"embeddings are numbers: {error}", "give an array of numbers", "bad_value") from error
    raise InputTypeError(f"an array of {array.dtype} holds no embeddings", "give an array of numbers", "bad_value")


def _as_array(x: Any) -> np.ndarray[Any, Any]:
    if isinstance(x, np.ndarray):
        return x
    if isinstance(x, dict):
        return np.asarray(list(x.values()), dtype=np.float64)
    if hasattr(x, "detach"):  # a tensor with its gradient is refused by every way out of torch
        x = x.detach()
    if hasattr(x, "__dlpack__"):
        try:
            return np.from_dlpack(x)
        except (BufferError, RuntimeError, TypeError) as error:
            if not hasattr(x, "__array__"):
                raise InputTypeError(f"cannot read this tensor: {error}", "move it to the processor, e.g. x.cpu()",
                                     "bad_value") from error
    try:
        return np.asarray(x)
    except (TypeError, ValueError, RuntimeError) as error:
        uneven = isinstance(error, ValueError)
        kind = InputError if uneven else InputTypeError
        hint = "give rows of equal length" if uneven else "give an array of numbers; of a tensor x.float().cpu()"
        raise kind(f"this is no array of numbers: {error}", hint, "bad_value") from error


def as_classes(y: Any, rows: int) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Sorted distinct labels, and for each row the number of its own among them."""
    if y is None:
        raise InputError("requires y to be passed, but the target y is None", "give the label of every support sample",
                         "bad_argument")
    if hasattr(y, "detach"):
        y = y.detach()
    labels = np.asarray(y)
    if labels.ndim == 2 and labels.shape[1] == 1:
        _warn_of_column()
        labels = labels[:, 0]
    if labels.ndim != 1:
        raise InputError(f"y should be a 1d array, got an array of shape {labels.shape} instead",
                         "give one label for every row of X", "bad_shape")
    if len(labels) != rows:
        raise InputError(f"X has {rows} rows and y has {len(labels)} labels", "give one label for every row of X",
                         "bad_shape")
    if labels.dtype.kind == "f":
        if not np.isfinite(labels).all():
            raise InputError("Input y contains NaN or infinity", "every support sample needs a class", "bad_value")
        if (labels != np.floor(labels)).any():
            raise InputError("Unknown label type: continuous", "labels are classes: whole numbers or names", "bad_value")
    try:
        classes, numbers = np.unique(labels, return_inverse=True)
    except TypeError:
        raise InputError("labels of different types cannot be told apart", "make them all numbers or all text",
                         "bad_value") from None
    return classes, numbers.astype(np.int64).reshape(-1)


def _warn_of_column() -> None:
    import sys
    import warnings

    category: type[Warning] = UserWarning
    theirs = sys.modules.get("sklearn.exceptions")
    if theirs is not None:
        category = theirs.DataConversionWarning
    warnings.warn("A column-vector y was passed when a 1d array was expected", category, stacklevel=4)


def class_name(label: Any) -> str:
    """What a label is called in models, journals and files."""
    if isinstance(label, bytes):
        return label.decode("utf-8", "replace")
    if isinstance(label, float) and label == int(label):
        return str(int(label))
    return str(label)
