"""scikit-learn's base class where scikit-learn is installed, so that its tools know an estimator; an empty one elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:

    class Base:
        """As much as a type checker has to know."""
else:
    try:
        from sklearn.base import BaseEstimator as Base
    except ImportError:

        class Base:
            """Nothing."""


class NothingFoundWarning(UserWarning):
    """Many samples were decided and no new category was found among them."""


def seed_of(random_state: Any) -> int | None:
    """The seed of a random_state as scikit-learn has them: None, a whole number, or a generator, which is drawn from."""
    if random_state is None:
        return None
    if hasattr(random_state, "randint"):
        return int(random_state.randint(2**31))
    if hasattr(random_state, "integers"):
        return int(random_state.integers(2**31))
    return int(random_state)


def threads_of(n_jobs: int | None, threads: int) -> int:
    """The number of threads: n_jobs as scikit-learn has it (-1: all cores) before threads (0: all cores)."""
    if n_jobs is None:
        return threads
    return 0 if n_jobs < 0 else max(1, n_jobs)
