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
    figure, made = plt.subplots(1, count, figsize=(5.5 * count, 4.2), squeeze=False, constrained_layout=True)
    return list(made[0])


def _plane(axes: Any, decisions: Decisions, x: str, y: str, vertical: dict[str, float], horizontal: dict[str, float]) -> None:
    """Samples by two numbers of their evidence, and thresholds as lines that the legend names with their values."""
    evidence = decisions.evidence
    verdict = decisions.verdict
    for word, colour in _COLOURS.items():
        rows = (verdict == word) & np.isfinite(evidence[x]) & np.isfinite(evidence[y])
        if rows.any():
            axes.scatter(evidence[x][rows], evidence[y][rows], s=8, alpha=0.6, color=colour, label=f"{word} ({rows.sum()})")
    styles = iter(("--", ":", "-."))
    for lines, draw in ((vertical, axes.axvline), (horizontal, axes.axhline)):
        for name, value in lines.items():
            draw(value, color="0.3", linewidth=1.2, linestyle=next(styles), label=f"{name} = {value:.3g}")
    axes.set_xlabel(x.replace("_", " "))
    axes.set_ylabel(y.replace("_", " "))
    axes.legend(fontsize=8, loc="upper center", bbox_to_anchor=(0.5, -0.14), ncol=3, frameon=False)


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
    _plane(left, decisions, "top_cosine", "margin", {"tau_lo": section["numbers"]["tau_lo"]}, {"tau_hi": thresholds["tau_hi"]})
    left.set_title("How sure the known classes are")
    _plane(right, decisions, "birth_score", "attach_score", {"tau_birth": section["numbers"]["tau_birth_sup"]},
           {"tau_create": thresholds["tau_create"]})
    right.set_title("How well a category explains the rest")
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
    ax.set_ylabel("categories")
    ax.set_title("Categories along the stream")
    ax.legend(fontsize=8, loc="lower right")
    return ax


def threshold(one: Threshold, axes: Any = None, bins: int = 40) -> Any:
    """The scores that a threshold was chosen from, and where it stands."""
    (ax, *_) = _axes(axes, 1)
    edges = np.histogram_bin_edges(np.concatenate([one.positives, one.negatives]), bins)
    ax.hist(one.positives, edges, alpha=0.6, label=f"should pass ({len(one.positives)})", density=True)
    ax.hist(one.negatives, edges, alpha=0.6, label=f"should not ({len(one.negatives)})", density=True)
    ax.axvline(one.value, color="0.2", label=f"threshold {one.value:.3g}")
    ax.axvspan(*one.interval, color="0.8", alpha=0.6, label="as good")
    ax.set_xlabel("score")
    ax.set_ylabel("density")
    ax.set_title(f"Balanced accuracy {one.balanced_accuracy:.1%}")
    ax.legend(fontsize=8)
    return ax


def growth(session: Any, axes: Any = None, steps: int = 50, most: int = 10) -> Any:
    """How the largest discovered categories grew along the stream. Needs a session with a journal."""
    (ax, *_) = _axes(axes, 1)
    ends, counts = session.over_time(steps)
    found = {c.id: c.name for c in session.categories() if c.kind == "discovered" and c.id in counts}
    for id in sorted(found, key=lambda one: -int(counts[one][-1]))[:most]:
        ax.plot(ends, counts[id], label=found[id])
    ax.set_xlabel("samples")
    ax.set_ylabel("members")
    ax.set_title("Discovered categories over time")
    if found:
        ax.legend(fontsize=8, loc="upper left", bbox_to_anchor=(1, 1), frameon=False)
    return ax


def map(session: Any, axes: Any = None, names: int = 12) -> Any:
    """The prototypes of a session in two dimensions, known classes apart from discovered ones; the largest have names."""
    (ax, *_) = _axes(axes, 1)
    points = session.map()
    for known, colour, marker in ((True, "tab:blue", "s"), (False, "tab:green", "o")):
        some = [p for p in points if p.known == known]
        if some:
            ax.scatter([p.x for p in some], [p.y for p in some], s=[20 + 4 * p.size ** 0.5 for p in some], alpha=0.6, color=colour,
                       marker=marker, label="known" if known else "discovered")
    taken: list[tuple[float, float]] = []
    for p in sorted(points, key=lambda one: -int(one.size)):
        if len(taken) < names and all(abs(p.x - x) > 0.25 or abs(p.y - y) > 0.08 for x, y in taken):
            taken.append((p.x, p.y))
            ax.annotate(p.name, (p.x, p.y), textcoords="offset points", xytext=(0, 7), ha="center", fontsize=8)
    ax.margins(0.12)
    ax.set_xlabel("first axis")
    ax.set_ylabel("second axis")
    ax.set_title("Where categories lie")
    ax.legend(fontsize=8, loc="upper center", bbox_to_anchor=(0.5, -0.14), ncol=2, frameon=False)
    return ax
