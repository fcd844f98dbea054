"""A line that says how far a long call is, where somebody asked for it."""

from __future__ import annotations

import sys
from typing import Any, Callable

Call = Callable[[int, int], None]


def progress_call(progress: Any, doing: str) -> Call | None:
    """What the engine calls: nothing, the caller's own function, or with True a line on the standard error."""
    if not progress:
        return None
    if callable(progress):
        return progress  # type: ignore[no-any-return]

    def show(done: int, total: int) -> None:
        share = 100 * done // max(1, total)
        sys.stderr.write(f"\r{doing} {share:3d} %" + ("\n" if done >= total else ""))
        sys.stderr.flush()

    return show
