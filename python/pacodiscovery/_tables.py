"""Rows as people bring them: tables with named columns, lists of dicts, matrices; checked in scikit-learn's words."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._arrays import as_numbers, dict_values
from .errors import InputError


def check_matrix(rows: np.ndarray[Any, Any], name: str) -> None:
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


def checked(X: Any, name: str) -> np.ndarray[Any, Any]:
    rows = as_numbers(X)
    check_matrix(rows, name)
    return rows


def column_names(X: Any) -> np.ndarray[Any, Any] | None:
    """Of a table with named columns."""
    columns = getattr(X, "columns", None)
    if columns is None or not all(isinstance(name, str) for name in columns):
        return None
    return np.asarray(columns, dtype=object)


def of_dicts(X: Any) -> Any:
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


def are_texts(X: Any) -> bool:
    if isinstance(X, np.ndarray):
        return X.ndim == 1 and (X.dtype.kind == "U" or (X.dtype.kind == "O" and all(isinstance(one, str) for one in X)))
    if hasattr(X, "to_numpy") and getattr(X, "ndim", 0) == 1:
        return are_texts(X.to_numpy())
    return isinstance(X, (list, tuple)) and bool(X) and all(isinstance(one, str) for one in X)


def texts_of(X: Any) -> list[str] | None:
    return [str(one) for one in X] if are_texts(X) else None
