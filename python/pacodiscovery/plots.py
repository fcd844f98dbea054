"""Pictures of a stream by matplotlib, where that is there. Every function draws on given axes or makes a figure."""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np

from ._paco import Decisions, Model
from ._truth import truth_numbers
from .calibration import Threshold
from .confidence import right_answers
from .decisions import need_decisions
from .errors import InputError, PacoError
from .members import MapPoint

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


def _count_on(axis: Any) -> None:
    """Ticks at whole numbers."""
    from matplotlib.ticker import MaxNLocator  # type: ignore[import]

    axis.set_major_locator(MaxNLocator(integer=True))


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
    _count_on(ax.yaxis)
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


def reliability(confidence: Any, decisions: Decisions, truth: Any, axes: Any = None, bins: int = 10) -> Any:
    """Whether answers are right as often as their confidence says: groups of equally many answers, by ascending confidence of
    Discoverer.confidence_of(), and the share of right ones in each. Truth as in evaluate(); unknown samples are left out."""
    decisions = need_decisions(decisions)
    sure = np.asarray(confidence, dtype=float)
    numbers, _names = truth_numbers(truth, decisions.classes)
    if not len(sure) == len(numbers) == len(decisions):
        raise InputError(f"{len(sure)} confidences and {len(numbers)} true classes for {len(decisions)} decisions",
                         "give one for every decision", "bad_shape")
    if bins < 1:
        raise InputError(f"{bins} bins", "1 at least", "bad_argument")
    right = right_answers(decisions, numbers)
    order = np.argsort(sure, kind="stable")
    order = order[numbers[order] >= 0]
    groups = [group for group in np.array_split(order, bins) if len(group)]
    said = np.asarray([sure[group].mean() for group in groups])
    seen = np.asarray([right[group].mean() for group in groups])
    (ax, *_) = _axes(axes, 1)
    ax.plot([0, 1], [0, 1], color="0.6", linewidth=1, linestyle="--", label="as it says")
    ax.plot(said, seen, marker="o", label=f"{len(order)} answers in {len(groups)} groups")
    ax.set_xlabel("confidence")
    ax.set_ylabel("share of right answers")
    if groups:
        off = np.average(np.abs(said - seen), weights=[len(group) for group in groups])
        ax.set_title(f"Off by {100 * off:.1f} points on average")
    ax.legend(fontsize=8, loc="upper left")
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
    _count_on(ax.yaxis)
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
            ax.scatter([p.x for p in some], [p.y for p in some], s=[_diameter(p)**2 for p in some], alpha=0.6, color=colour,
                       marker=marker, label="known" if known else "discovered")
    ax.margins(0.12)
    ax.set_xlabel("first axis")
    ax.set_ylabel("second axis")
    ax.set_title("Where categories lie")
    ax.legend(fontsize=8, loc="upper center", bbox_to_anchor=(0.5, -0.14), ncol=2, frameon=False)
    _name_points(ax, points, names)
    return ax


# Beside a point: the direction from it, and how the text is aligned.
_SIDES = (((0, 1), "center", "bottom"), ((0, -1), "center", "top"), ((1, 0), "left", "center"), ((-1, 0), "right", "center"))


def _name_points(ax: Any, points: Sequence[MapPoint], names: int) -> None:
    """Names beside the largest points, at sides where they cover no point and no other name; left out if there is none."""
    from matplotlib.transforms import Bbox  # type: ignore[import]

    if not points:
        return
    ax.figure.canvas.draw()  # from now on places on the paper are known
    dots = ax.figure.dpi / 72
    taken = [Bbox.from_bounds(x - r, y - r, 2 * r, 2 * r) for (x, y), r in zip(
        ax.transData.transform([(p.x, p.y) for p in points]), [dots * _diameter(p) / 2 for p in points])]
    named = 0
    for p in sorted(points, key=lambda one: -int(one.size))[:4 * names]:
        for (right, up), horizontal, vertical in _SIDES:
            away = _diameter(p) / 2 + 2
            text = ax.annotate(p.name, (p.x, p.y), textcoords="offset points", xytext=(right * away, up * away), ha=horizontal,
                               va=vertical, fontsize=8)
            box = text.get_window_extent()
            if not any(box.overlaps(other) for other in taken):
                taken.append(box)
                named += 1
                break
            text.remove()
        if named == names:
            return


def _diameter(point: MapPoint) -> float:
    """Of its mark, in points."""
    return float((20 + 4 * point.size**0.5) ** 0.5)
