"""A finished stream as one HTML document."""

from __future__ import annotations

import html
import os
from typing import Any, Sequence

import numpy as np

from . import _paco
from ._paco import Decisions, Model
from ._truth import check_classes, truth_numbers
from .decisions import need_decisions
from .errors import InputError


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
    """What was decided, why and how well, as a page. `truth` as in evaluate(); `ids` name the samples where the decisions
    do not; `classes`, where it is given, must be the labels of the model's classes."""
    decided = need_decisions(decisions)
    numbers, names = np.empty(0, np.int64), list(model.class_names)
    check_classes(classes, names)
    if truth is not None:
        numbers, names = truth_numbers(truth, names)
        if len(numbers) != len(decided):
            raise InputError(f"{len(numbers)} true classes for {len(decided)} decisions", "give one for every decision", "bad_shape")
    return Report(_paco.report(decided, model, decided.method, decided.settings, title, list(ids or []), numbers, names))
