"""What people do to categories, for whatever carries operations out: a session here, or a stream of a server."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any, Mapping, Sequence

import numpy as np


@dataclass(frozen=True)
class Outcome:
    """What an operation did. `event` is what undo() takes."""

    event: int
    sequence: int
    kind: str
    category: int | None
    text: str
    time: float
    actor: str
    request: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def _of(cls, values: Mapping[str, Any]) -> Outcome:
        names = {one.name for one in fields(cls)}
        return cls(**{name: value for name, value in values.items() if name in names})


class Operations:
    """The operations by name, over one that takes any of them."""

    def apply(self, operation: Mapping[str, Any], *, actor: str = "") -> Outcome:
        """Carries out an operation as the server takes it: {"kind": "rename", "category": 7, "name": "heron"}."""
        raise NotImplementedError

    def rename(self, category: int, name: str, *, actor: str = "") -> Outcome:
        """Gives a category a name that no other has."""
        return self.apply({"kind": "rename", "category": category, "name": name}, actor=actor)

    def merge(self, categories: Sequence[int] | np.ndarray[Any, Any], into: int, *, actor: str = "") -> Outcome:
        """All prototypes of some categories go to one of them."""
        return self.apply({"kind": "merge", "categories": list(categories), "into": into}, actor=actor)

    def separate(self, category: int, prototypes: Sequence[int], name: str = "", *, actor: str = "") -> Outcome:
        """Named prototypes of a category become one of their own."""
        request = {"kind": "separate", "category": category, "prototypes": list(prototypes)}
        return self.apply({**request, "name": name} if name else request, actor=actor)

    def move(self, samples: Sequence[int] | np.ndarray[Any, Any], into: int | None = None, name: str = "", *, actor: str = "") -> Outcome:
        """Samples, by sequence number, join another category, or a new one where `into` is None. Their embeddings must be
        kept, in a journal or by Session(model, embeddings=N)."""
        request = {"kind": "move", "samples": list(samples), "into": "new" if into is None else into}
        return self.apply({**request, "name": name} if name else request, actor=actor)

    def promote(self, category: int, name: str = "", *, actor: str = "") -> Outcome:
        """A discovered category becomes a known class."""
        request = {"kind": "promote", "category": category}
        return self.apply({**request, "name": name} if name else request, actor=actor)

    def demote(self, category: int, *, actor: str = "") -> Outcome:
        """The inverse, of what was promoted."""
        return self.apply({"kind": "demote", "category": category}, actor=actor)

    def retire(self, category: int, *, actor: str = "") -> Outcome:
        """A category stops competing for samples."""
        return self.apply({"kind": "retire", "category": category}, actor=actor)

    def revive(self, category: int, *, actor: str = "") -> Outcome:
        """A retired category competes again."""
        return self.apply({"kind": "revive", "category": category}, actor=actor)

    def verify(self, samples: Sequence[int] | np.ndarray[Any, Any], *, actor: str = "") -> Outcome:
        """A person has confirmed that samples, by sequence number, belong where they are. Needs what move() needs."""
        return self.apply({"kind": "verify", "samples": list(samples)}, actor=actor)

    def undo(self, operation: int | Outcome, *, actor: str = "") -> Outcome:
        """Takes an operation back; undoing an undo is redoing."""
        event = operation.event if isinstance(operation, Outcome) else operation
        return self.apply({"kind": "undo", "event": event}, actor=actor)


def plain(value: Any) -> Any:
    """NumPy's numbers as Python's, for JSON."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{value!r}")
