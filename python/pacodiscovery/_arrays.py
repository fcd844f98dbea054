"""From whatever holds numbers to NumPy arrays, without a copy where there is a way; and labels to class numbers.

The engine itself reads arrays of bool, integers and floats of 16 to 64 bits in any order of memory. Here is what comes
before that: tensors, lists, tables, and the refusal of everything else in words.
"""

from __future__ import annotations

from typing import Any, Iterable, Mapping

import numpy as np

from .errors import InputError, InputTypeError


def as_numbers(x: Any) -> np.ndarray[Any, Any]:
    """An array of numbers that the engine can read, or an exception that says why there is none."""
    if hasattr(x, "toarray") and hasattr(x, "nnz"):
        raise InputTypeError("A sparse matrix was passed, but dense data is required", "use X.toarray()", "bad_value")
    if isinstance(x, np.ma.MaskedArray):
        x = _without_mask(x)
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


def _without_mask(x: Any) -> Any:
    hidden = np.argwhere(np.ma.getmaskarray(x))  # type: ignore[no-untyped-call]
    if len(hidden):
        raise InputError(f"a masked value at {', '.join(map(str, hidden[0].tolist()))}", "fill it, or leave that sample out",
                         "bad_value")
    return x.data


def dict_values(x: Mapping[Any, Any], columns: Iterable[Any]) -> list[Any]:
    """The numbers of a sample that comes as a dict, in the order of the columns that it must have."""
    wanted = list(columns)
    if len(x) != len(wanted) or any(name not in x for name in wanted):
        odd = next((name for name in x if name not in wanted), None)
        what = f"a dict with the key {odd!r}" if odd is not None else f"a dict with {len(x)} of {len(wanted)} columns"
        raise InputError(f"{what} does not fit the columns of the support set",
                         "fit on a table or on dicts with the same names, or give the numbers of columns from 0 as keys", "mismatch")
    return [x[name] for name in wanted]


def _as_array(x: Any) -> np.ndarray[Any, Any]:
    if isinstance(x, np.ndarray):
        return x
    if isinstance(x, dict):
        return np.asarray(dict_values(x, range(len(x))))
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
    missing = isinstance(y, np.ma.MaskedArray) and bool(np.any(y.mask))
    labels = np.asarray(y)
    if labels.ndim == 2 and labels.shape[1] == 1:
        _warn_of_column()
        labels = labels[:, 0]
    if labels.dtype.kind == "O" and labels.ndim == 1:
        missing = missing or any(one is None or type(one).__name__ in ("NAType", "NaTType") or one != one for one in labels)
        if not missing and all(isinstance(one, (int, np.integer)) and not isinstance(one, bool) for one in labels):
            labels = np.asarray(labels.tolist())  # as of a pandas column of whole numbers
    if missing:
        raise InputError("Input y contains NaN or missing labels", "every support sample needs a class", "bad_value")
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
    if classes.dtype.kind in "iu" and len(classes) and int(classes.max()) > np.iinfo(wide_type(classes)).max - 2**31:
        raise InputError(f"label {classes.max()} leaves no numbers for new categories", "number the classes from 0, or name them",
                         "bad_value")
    return classes, numbers.astype(np.int64).reshape(-1)


def wide_type(labels: np.ndarray[Any, Any]) -> Any:
    """The type of whole numbers that holds these labels and those of new categories."""
    return np.uint64 if labels.dtype == np.uint64 else np.int64


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
