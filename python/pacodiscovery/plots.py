"""Pictures of a stream by matplotlib, where that is there. Every function draws on given axes or makes a figure."""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np

from ._paco import Decisions, Model
from ._truth import truth_numbers
from .calibration import Threshold
from .decisions import need_decisions
from .errors import InputError, PacoError

_COLOURS = {"known": "tab:blue", "existing": "tab:green", "created": "tab:red", "tentative": "tab:orange"}


def _axes(axes: Any, count: int) -> Sequence[Any]:
    if axes is not None:
        return list(np.ravel(np.asarray(axes, dtype=object)))
    try:
        import matplotlib.pyplot as plt  # type: ignore[import]
    except ImportError as error:
        raise PacoError("matplotlib is not installed", "install it, or plot the arrays yourself", "unsupported") from error
    figure, made = plt.subplots(1, count, figsize=(5 * count, 4), squeeze=False)
    return list(made[0])


def _plane(axes: Any, decisions: Decisions, x: str, y: str, lines: dict[str, float]) -> None:
    evidence = decisions.evidence
    verdict = decisions.verdict
    for word, colour in _COLOURS.items():
        rows = verdict == word
        if rows.any():
            axes.scatter(evidence[x][rows], evidence[y][rows], s=8, alpha=0.6, color=colour, label=word)
    for name, value in lines.items():
        draw = axes.axvline if name.startswith("|") else axes.axhline
        draw(value, color="0.3", linewidth=1, linestyle="--")
        axes.annotate(name.lstrip("|"), (1, value) if draw == axes.axhline else (value, 1), fontsize=8,
                      xycoords=axes.get_yaxis_transform() if draw == axes.axhline else axes.get_xaxis_transform())
    axes.set_xlabel(x.replace("_", " "))
    axes.set_ylabel(y.replace("_", " "))
    axes.legend(fontsize=8)


def planes(decisions: Decisions, model: Model, axes: Any = None) -> Sequence[Any]:
    """The two planes in which PACO decides: how sure the known classes are, and how well a sample is explained.

    Left: best cosine and margin, with tau_lo and tau_hi. Right: birth and attach score, with where the birth boundary
    starts and tau_create; samples that needed no attach score are not in it.
    """
    decisions = need_decisions(decisions)
    if decisions.fingerprint != model.fingerprint:
        raise InputError("the decisions were made with another model", "give the model of the session that decided", "mismatch")
    wanted = ("top_cosine", "margin", "birth_score", "attach_score")
    missing = [name for name in wanted if name not in decisions.evidence]
    if missing:
        raise InputError(f"these decisions have no {missing[0]}", "the planes are those of the method paco", "unsupported")
    left, right = _axes(axes, 2)[:2]
    section = model._section("paco")
    thresholds = {name: Threshold._of(parts).value for name, parts in section["thresholds"].items()}
    _plane(left, decisions, "top_cosine", "margin", {"|tau_lo": section["numbers"]["tau_lo"], "tau_hi": thresholds["tau_hi"]})
    _plane(right, decisions, "birth_score", "attach_score",
           {"|tau_birth": section["numbers"]["tau_birth_sup"], "tau_create": thresholds["tau_create"]})
    return [left, right]


def categories(decisions: Decisions, truth: Any = None, axes: Any = None) -> Any:
    """Categories found so far along the stream, and the true new classes met so far where there is `truth`, as in evaluate()."""
    decisions = need_decisions(decisions)
    (ax, *_) = _axes(axes, 1)
    ax.plot(decisions.sequence, decisions.categories_after, label="categories found")
    if truth is not None:
        numbers, _names = truth_numbers(truth, decisions.classes)
        if len(numbers) != len(decisions):
            raise InputError(f"{len(numbers)} true classes for {len(decisions)} decisions", "give one for every decision", "bad_shape")
        _, first = np.unique(numbers, return_index=True)
        new = np.zeros(len(numbers), dtype=int)
        new[first[numbers[first] >= len(decisions.classes)]] = 1
        ax.plot(decisions.sequence, np.cumsum(new), linestyle="--", label="new classes met")
    ax.set_xlabel("samples")
    ax.legend(fontsize=8)
    return ax


def threshold(one: Threshold, axes: Any = None, bins: int = 40) -> Any:
    """The scores that a threshold was chosen from, and where it stands."""
    (ax, *_) = _axes(axes, 1)
    edges = np.histogram_bin_edges(np.concatenate([one.positives, one.negatives]), bins)
    ax.hist(one.positives, edges, alpha=0.6, label="should pass", density=True)
    ax.hist(one.negatives, edges, alpha=0.6, label="should not", density=True)
    ax.axvline(one.value, color="0.2")
    ax.axvspan(*one.interval, color="0.8", alpha=0.6)
    ax.legend(fontsize=8)
    return ax
