"""What can be asked of a stream besides decisions: categories, their members, what lies near what. The same classes for a
session here and a stream of a server."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any, Mapping, TypeVar

import numpy as np

from .errors import InputError

T = TypeVar("T")
ORDERS = ("oldest", "newest", "middle", "edge")


def made(cls: type[T], values: Mapping[str, Any]) -> T:
    """A dataclass out of a JSON object: keys that it does not know are left out, lists are tuples."""
    names = {one.name for one in fields(cls)}
    return cls(**{name: tuple(value) if isinstance(value, list) else value for name, value in values.items() if name in names})


def check_order(order: str) -> None:
    if order not in ORDERS:
        raise InputError(f"there is no order {order!r}", f"one of {', '.join(ORDERS)}", "bad_argument")


@dataclass(frozen=True)
class Category:
    """A known class or a discovered category, as it is now."""

    id: int
    name: str
    kind: str
    """'known' or 'discovered'"""
    now: int
    """where it leads today: itself, or what it was merged into"""
    retired: bool
    size: int
    """samples of its prototypes"""
    answered: int
    """samples that were answered with it"""
    birth: int | None
    """sequence number of the sample that started it"""
    resultant_length: float | None
    """1 when all members point the same way; None where that is not kept"""
    prototypes: tuple[int, ...]
    verified: int = 0
    """members that a person has confirmed"""
    keywords: tuple[str, ...] = ()
    """words that stand out in the texts of its members"""
    suggested_name: str | None = None
    like: Mapping[str, Any] | None = None
    """the nearest known class of a discovered category: category, name, cosine"""


@dataclass(frozen=True)
class Sample:
    """A sample of the past: what it was answered, and where it belongs now."""

    sequence: int
    category: int
    name: str
    verdict: str
    now: int
    now_name: str
    key: str | None = None
    id: str | None = None
    score: float | None = None
    threshold: float | None = None
    runner_up: int | None = None
    attributes: Mapping[str, Any] = field(default_factory=dict)
    picture: bool = False
    """whether there is one"""
    verified: bool = False
    cosine: float | None = None
    """with what it was looked for by: the middle of its category, or another sample"""
    evidence: Mapping[str, Any] = field(default_factory=dict)
    explanation: str = ""

    @property
    def text(self) -> str | None:
        """The text that the sample brought."""
        found = self.attributes.get("text")
        return found if isinstance(found, str) else None


@dataclass(frozen=True)
class Near:
    """A category that lies near."""

    category: int
    name: str
    cosine: float


class Directions:
    """Where categories lie, for a session here or a stream of a server."""

    def centroids(self) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        """Ids of all categories in force, ascending, and their unit directions (n, d)."""
        raise NotImplementedError

    def centroid(self, category: int) -> np.ndarray[Any, Any]:
        """The unit direction of a category in the space in which its method compares, (d) of float32."""
        ids, rows = self.centroids()
        at = np.flatnonzero(ids == category)
        if not len(at):
            raise InputError(f"category {category} has no direction", "it was merged away, retired, or is not there", "not_found")
        out: np.ndarray[Any, Any] = rows[at[0]]
        return out


@dataclass(frozen=True)
class MapPoint:
    """A prototype in two dimensions, each within -1 and 1."""

    prototype: int
    category: int
    name: str
    x: float
    y: float
    size: int
    known: bool


@dataclass(frozen=True)
class Suggestion:
    """A question about the stream that a person might answer: two categories that look like one, one without a name, a
    close decision."""

    id: str
    kind: str
    """'merge', 'name' or 'look'"""
    reason: str
    strength: float
    """from 0 to 1"""
    operation: Mapping[str, Any] | None
    """what apply() takes; None if there is only something to look at"""
    categories: tuple[int, ...]
    samples: tuple[int, ...]
    """sequence numbers"""
