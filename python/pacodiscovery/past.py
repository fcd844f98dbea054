"""The past of a session: its members, samples and pictures (with a journal), and where its categories lie."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any, Sequence

import numpy as np

from . import _paco
from .errors import InputError
from .members import Directions, MapPoint, Near, Sample, check_order, made

_COMPARED = 2000  # newest samples that one is compared with


class Past(Directions, _paco.Session):
    """What can be asked of a session about its samples and categories."""

    def members(self, category: int, *, order: str = "oldest", limit: int | None = None) -> list[Sample]:
        """Samples that belong to a category now, after merges and moves.

        `order`: 'oldest' or 'newest' first; 'middle' begins with those nearest to the category's centroid and 'edge'
        with those farthest from it, both with their `cosine`. Needs a journal.
        """
        check_order(order)
        sequences = self._members(category)
        if order in ("oldest", "newest"):
            chosen = sequences if order == "oldest" else sequences[::-1]
            return self._seen(chosen[:limit])
        if not len(sequences):
            return []
        cosines = self._units(self._embeddings(sequences.tolist())) @ self.centroid(category)
        best = np.argsort(cosines if order == "edge" else -cosines, kind="stable")[:limit]
        return self._seen(sequences[best], cosines[best])

    def exemplars(self, category: int, count: int = 8) -> list[Sample]:
        """The members nearest to a category's centroid. Needs a journal with embeddings."""
        return self.members(category, order="middle", limit=count)

    def sample(self, sequence: int) -> Sample:
        """A sample as it stands today, with evidence and explanation. Needs a journal."""
        found = self._seen([sequence])[0]
        decision = self._decision(sequence)
        return found if decision is None else replace(found, evidence=decision.evidence, explanation=decision.explain())

    def picture(self, sequence: int) -> bytes | None:
        """The bytes of a sample's picture; None if it brought none. Needs a journal."""
        return self._picture(sequence) or None

    def centroids(self) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        """Ids of all categories in force, ascending, and their unit directions (n, d): the mean of their prototypes,
        weighted by size."""
        return self._centroids()

    def nearest(self, category: int, count: int = 8) -> list[Near]:
        """The categories that lie nearest to one, best first."""
        ids, rows = self.centroids()
        cosines = rows @ self.centroid(category)
        order = [i for i in np.argsort(-cosines, kind="stable") if ids[i] != category][:count]
        return [Near(int(ids[i]), self._name(int(ids[i])), float(cosines[i])) for i in order]

    def neighbours(self, sequence: int, count: int = 8) -> list[Sample]:
        """Of the newest 2,000 samples those nearest to one, with their `cosine`. Needs a journal with embeddings."""
        others = [i for i in range(max(0, self.samples - _COMPARED), self.samples) if i != sequence]
        if not others:
            return []
        units = self._units(self._embeddings([sequence, *others]))
        cosines = units[1:] @ units[0]
        best = np.argsort(-cosines, kind="stable")[:count]
        return self._seen([others[i] for i in best], cosines[best])

    def map(self, most: int = 10_000) -> list[MapPoint]:
        """The largest prototypes along their two principal axes."""
        return [made(MapPoint, one) for one in json.loads(self._map(most))]

    def over_time(self, steps: int = 50) -> tuple[np.ndarray[Any, Any], dict[int, np.ndarray[Any, Any]]]:
        """How categories grew: ends of `steps` equal parts of the stream, and for every category with members how many of
        the samples before each end belong to it now. Needs a journal."""
        if steps < 1:
            raise InputError(f"{steps} steps", "1 at least", "bad_argument")
        ends = np.linspace(0, self.samples, steps + 1)[1:].round().astype(np.int64)
        counts = {}
        for category in json.loads(self._categories(False)):
            sequences = self._members(category["id"])
            if len(sequences):
                counts[int(category["id"])] = np.searchsorted(sequences.astype(np.int64), ends)
        return ends, counts

    def _seen(self, sequences: Sequence[int] | np.ndarray[Any, Any], cosines: Any = None) -> list[Sample]:
        numbers = [int(one) for one in sequences]
        if any(one < 0 for one in numbers):
            raise InputError(f"there is no sample {min(numbers)}", "sequence numbers begin with 0", "bad_argument")
        found = [made(Sample, one) for one in json.loads(self._samples(numbers))]
        return found if cosines is None else [replace(one, cosine=float(c)) for one, c in zip(found, cosines)]
