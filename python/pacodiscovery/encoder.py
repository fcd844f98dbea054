"""Texts to embeddings, by the engine's own text encoder: no torch, no download."""

from __future__ import annotations

import json
import os
import warnings
from typing import Any, Sequence

import numpy as np

from . import _paco
from .errors import InputError, NotFoundError, PacoError


def _folder(name: str) -> str:
    """The folder of an encoder: itself, or by name where the program keeps those that it has fetched."""
    if os.path.isdir(name):
        return name
    try:
        return _paco.find_model(name)
    except PacoError as error:
        hint = error.hint if os.sep not in name and "missing" in error.message else "give a folder in the Hugging Face layout, or a name"
        raise NotFoundError(f"there is no text encoder {name!r}: {error.message}", hint, "not_found") from None


class Encoder:
    """A sentence encoder of the BERT family: a folder in the Hugging Face layout, or the name of one in the cache.

    `threads`: 0 for all cores. `precision`: 'float32', 'bfloat16' or 'int8'; 'auto' is float32. The embedding of a text
    depends on that text alone, bit for bit.
    """

    def __init__(self, name: str | os.PathLike[str], *, threads: int = 0, precision: str = "auto") -> None:
        if threads < 0:
            raise InputError(f"{threads} threads", "0 for all cores, or how many", "bad_argument")
        self.name = os.fspath(name)
        self.threads = threads
        self.precision = precision
        self.folder = _folder(self.name)
        self._encoder = _paco.open_encoder(self.folder, threads, precision)

    @property
    def dimension(self) -> int:
        """Numbers in an embedding."""
        return self._encoder.dimension

    @property
    def record(self) -> dict[str, Any]:
        """What makes an embedding: network, hash of the weights, preprocessing, precision, dimension."""
        out: dict[str, Any] = json.loads(self._encoder.record)
        return out

    def encode(self, texts: str | Sequence[str]) -> np.ndarray[Any, Any]:
        """Rows of float32, one for each text; of a single text one row as an array (d)."""
        if isinstance(texts, str):
            one: np.ndarray[Any, Any] = self.encode([texts])[0]
            return one
        given: list[Any] = np.asarray(texts, dtype=object).tolist()
        for i, text in enumerate(given):
            if not isinstance(text, str):
                raise InputError(f"text {i} is {type(text).__name__}", "give text, e.g. str(value)", "bad_value")
        rows, empty, cut = self._encoder.encode([text.encode("utf-8", "replace").decode() for text in given])
        if empty:
            warnings.warn(f"text {empty[0]} has no word" + (f", as {len(empty) - 1} others" if len(empty) > 1 else ""), stacklevel=2)
        if cut:
            warnings.warn(f"the end of text {cut[0]} does not fit" + (f", nor that of {len(cut) - 1} others" if len(cut) > 1 else ""),
                          stacklevel=2)
        return rows

    def __reduce__(self) -> tuple[Any, ...]:
        return _encoder, (self.name, self.threads, self.precision)

    def __repr__(self) -> str:
        return f"<Encoder {self.name!r}: {self._encoder.network}>"


def _encoder(name: str, threads: int, precision: str) -> Encoder:
    return Encoder(name, threads=threads, precision=precision)
