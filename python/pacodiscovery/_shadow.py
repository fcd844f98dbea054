"""Predictions that keep nothing, without a copy of the session for each."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._paco import Decision
from .session import Session


class Shadow:
    """A copy of a session that runs ahead of it by the sample that was predicted last. Where the session then learns that
    very sample, both stand at the same place again, and nothing has to be copied."""

    def __init__(self, session: Session) -> None:
        self.copy = session.copy()
        self.events = session.events
        self.ahead: bytes | None = None

    def stands_at(self, session: Session) -> bool:
        return self.ahead is None and self.events == session.events

    def decide(self, row: Any) -> Decision:
        decision = self.copy.decide(row)
        self.ahead = _bytes_of(row)
        return decision

    def follows(self, session: Session, row: Any) -> bool:
        """Whether the session stands at the same place once it has decided on this row."""
        if self.events != session.events or self.ahead != _bytes_of(row):
            return False
        self.ahead = None
        return True


def _bytes_of(row: Any) -> bytes:
    array = np.asarray(row)
    return array.dtype.str.encode() + array.tobytes()
