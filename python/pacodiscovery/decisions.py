"""Decisions as files and lists: saving, loading, and one way to take what somebody calls decisions."""

from __future__ import annotations

import json
import os
import zipfile
from typing import Any, Iterable

import numpy as np

from . import _paco
from ._paco import Decision, Decisions
from .errors import InputError, NotFoundError


def _assemble(columns: dict[str, Any], about: dict[str, Any]) -> Decisions:
    """What a pickle calls: functions of the module itself cannot be pickled."""
    return _paco.assemble(columns, about)


def _save(decisions: Decisions, path: str | os.PathLike[str]) -> None:
    """An .npz file: one array for each column, and one of text that describes them. Whole or not at all."""
    columns, about = decisions._parts()
    temporary = f"{os.fspath(path)}.part"
    try:
        with open(temporary, "wb") as file:
            np.savez_compressed(file, about=np.asarray(json.dumps(about)), **columns)
        os.replace(temporary, path)
    except BaseException:
        if os.path.exists(temporary):
            os.unlink(temporary)
        raise


def load_decisions(path: str | os.PathLike[str]) -> Decisions:
    """Decisions from a file of Decisions.save. They have everything but explanations, which their session has."""
    try:
        with np.load(path, allow_pickle=False) as file:
            columns = {name: file[name] for name in file.files}
            about = json.loads(str(columns.pop("about")))
        about["names"] = {int(id): name for id, name in about["names"].items()}
        return _paco.assemble(columns, about)
    except FileNotFoundError as error:
        raise NotFoundError(f"{os.fspath(path)}: there is no such file", "", "not_found") from error
    except (ValueError, KeyError, TypeError, AttributeError, EOFError, zipfile.BadZipFile) as error:
        raise InputError(f"{os.fspath(path)}: this is no file of decisions: {error}",
                         "give what Decisions.save wrote", "bad_value") from error


def concatenate(parts: Iterable[Decisions]) -> Decisions:
    """Decisions of one model one after the other, as `first + second` does it with two.

    Those of one session can still be explained; those of several cannot.
    """
    return _paco.concatenate(list(parts))


def as_decisions(given: Any) -> Decisions | None:
    """Decisions out of what people have: themselves, or a list of Decision. None of anything else."""
    if isinstance(given, Decisions):
        return given
    if isinstance(given, (list, tuple)) and given and all(isinstance(one, Decision) for one in given):
        return _paco.collect(list(given))
    return None


def need_decisions(given: Any) -> Decisions:
    """The same where nothing else will do."""
    decisions = as_decisions(given)
    if decisions is None:
        raise InputError(f"these are no decisions but {type(given).__name__}", "give Decisions, or a list of Decision",
                         "bad_argument")
    return decisions
