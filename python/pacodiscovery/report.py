"""The page of 'paco report' in Python: one HTML document of a finished stream."""

from __future__ import annotations

import html
import os
from typing import Any, Sequence

import numpy as np

from . import _paco
from ._paco import Decisions, Model
from .evaluation import truth_numbers


class Report:
    """An HTML page that needs nothing else. A notebook shows it in a frame; save() writes it."""

    def __init__(self, page: str) -> None:
        self.page = page

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the page as a file for a browser."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.page)

    def _repr_html_(self) -> str:
        return f'<iframe srcdoc="{html.escape(self.page)}" width="100%" height="800" style="border:0"></iframe>'

    def __repr__(self) -> str:
        return f"<Report of {len(self.page)} characters>"


def report(decisions: Decisions, model: Model, *, truth: Any = None, classes: Sequence[Any] | None = None,
           ids: Sequence[str] | None = None, title: str = "paco") -> Report:
    """What was decided, why and how well, as a page. `truth` and `classes` as in evaluate(); `ids` name the samples."""
    numbers, names = np.empty(0, np.int64), list(model.class_names)
    if truth is not None:
        if classes is None and np.asarray(truth).dtype.kind not in "iu":
            classes = model.class_names
        numbers, given = truth_numbers(truth, classes)
        names = given or names
    return Report(_paco.report(decisions, model, decisions.method, decisions.settings, title, list(ids or []), numbers, names))
