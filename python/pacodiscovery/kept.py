"""A Discoverer that was not fitted here: from a model, a journal, or a file of its own."""

from __future__ import annotations

import json
import os
import zipfile
from typing import Any, Sequence, TypeVar

import numpy as np

from . import _paco
from ._paco import Model
from .errors import InputError, NotFoundError
from .session import Session

Finder = TypeVar("Finder", bound="Kept")


def _labels(model: Model, classes: Sequence[Any] | None) -> np.ndarray[Any, Any]:
    labels = np.asarray(model.class_names if classes is None else classes)
    if labels.shape != (len(model.class_names),):
        raise InputError(f"{labels.size} classes for a model of {len(model.class_names)}", "give one label for each class, in its order",
                         "bad_shape")
    return labels


class Kept:
    """What makes a Discoverer without fit(), and what writes one down."""

    @classmethod
    def from_model(cls: type[Finder], model: Model, method: str = "", *, classes: Sequence[Any] | None = None, threads: int = 1) -> Finder:
        """One that begins with a model of calibrate() or load_model(). `classes`: other labels than the names of the classes."""
        method = method or model.method
        finder = cls(method=method, threads=threads)  # type: ignore[call-arg]
        finder._begin(model, Session(model, method, threads=threads), _labels(model, classes), None)  # type: ignore[attr-defined]
        finder.confidence_ = None  # type: ignore[attr-defined]
        return finder

    @classmethod
    def from_journal(cls: type[Finder], path: str | os.PathLike[str], *, classes: Sequence[Any] | None = None, threads: int = 1) -> Finder:
        """One that goes on where a journal ends."""
        session = Session.open(path, threads=threads)
        model = session.model
        finder = cls(method=session.method, threads=threads, journal=os.fspath(path))  # type: ignore[call-arg]
        finder._begin(model, session, _labels(model, classes), None)  # type: ignore[attr-defined]
        finder.confidence_ = None  # type: ignore[attr-defined]
        return finder

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes model, labels and stream as a file, which load() reads. A stream with a journal is kept there."""
        session: Session = self._fitted()  # type: ignore[attr-defined]
        if session.path:
            raise InputError(f"{session.path}: the stream is kept in a journal already", "Discoverer.from_journal goes on in it", "unsupported")
        classes: np.ndarray[Any, Any] = self.classes_  # type: ignore[attr-defined]
        names = getattr(self, "feature_names_in_", None)
        about = {"method": session.method, "settings": session._settings(), "threads": session.threads,
                 "texts": classes.dtype.kind == "O", "columns": None if names is None else list(names),
                 "numbers": {str(k): v for k, v in self._numbers.items()}}  # type: ignore[attr-defined]
        temporary = f"{os.fspath(path)}.part"
        try:
            with open(temporary, "wb") as file:
                np.savez_compressed(
                    file, about=np.asarray(json.dumps(about)), classes=classes.astype(str) if classes.dtype.kind == "O" else classes,
                    model=np.frombuffer(self.model_._bytes(), np.uint8),  # type: ignore[attr-defined]
                    state=np.frombuffer(session._state(), np.uint8),
                    answered=np.concatenate([np.empty(0, np.int64), *self._answered]))  # type: ignore[attr-defined]
            os.replace(temporary, path)
        except BaseException:
            if os.path.exists(temporary):
                os.unlink(temporary)
            raise

    @classmethod
    def load(cls: type[Finder], path: str | os.PathLike[str]) -> Finder:
        """One from a file of save(): it decides on where that one stood. Confidence is not in the file."""
        try:
            with np.load(path, allow_pickle=False) as file:
                found = {name: file[name] for name in file.files}
            about = json.loads(str(found["about"]))
            model = _paco.model_of(found["model"].tobytes())
            session = Session._make("start", "", model, about["method"], about["settings"], about["threads"], True, None, 0)
            session._restore(found["state"].tobytes(), os.fspath(path))
            classes = found["classes"].astype(object) if about["texts"] else found["classes"]
            finder = cls(method=about["method"], threads=about["threads"])  # type: ignore[call-arg]
            columns = about["columns"]
            finder._begin(  # type: ignore[attr-defined]
                model, session, _labels(model, classes), None if columns is None else np.asarray(columns, dtype=object))
            finder._answered.append(found["answered"])  # type: ignore[attr-defined]
            finder._numbers = {int(k): v for k, v in about["numbers"].items()}  # type: ignore[attr-defined]
            finder.confidence_ = None  # type: ignore[attr-defined]
            return finder
        except FileNotFoundError as error:
            raise NotFoundError(f"{os.fspath(path)}: there is no such file", "", "not_found") from error
        except (ValueError, KeyError, TypeError, AttributeError, EOFError, zipfile.BadZipFile) as error:
            raise InputError(f"{os.fspath(path)}: this is no file of Discoverer.save: {error}", "give what save() wrote",
                             "bad_value") from error
