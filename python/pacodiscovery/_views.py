"""How things look: pandas frames, HTML for notebooks, text. Loaded when somebody looks; pandas only when asked for."""

from __future__ import annotations

import html
import json
from typing import TYPE_CHECKING, Any, Iterable, Sequence

from .calibration import Threshold
from .errors import PacoError

if TYPE_CHECKING:
    from ._paco import Decisions, Model
    from .discoverer import Discoverer
    from .evaluation import Table
    from .session import Session


def _pandas() -> Any:
    try:
        import pandas  # type: ignore[import]
    except ImportError as error:
        raise PacoError("pandas is not installed", "install it, or use the arrays themselves", "unsupported") from error
    return pandas


def frame(rows: Sequence[dict[str, Any]], index: str) -> Any:
    return _pandas().DataFrame(list(rows)).set_index(index)


def table_frame(table: Table) -> Any:
    return _pandas().DataFrame(table.rows, columns=table.columns)


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    return html.escape(f"{value:.4g}" if isinstance(value, float) else str(value))


def _grid(headings: Iterable[str], rows: Iterable[Sequence[Any]], title: str = "") -> str:
    head = "".join(f"<th>{html.escape(text)}</th>" for text in headings)
    body = "".join("<tr>" + "".join(f"<td>{_cell(value)}</td>" for value in row) + "</tr>" for row in rows)
    caption = f"<caption>{html.escape(title)}</caption>" if title else ""
    return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def table_html(table: Table) -> str:
    """Shares in percent, as the other tables for people have them."""
    rows = [[_shown(value, how) for value, how in zip(row, table.shows)] for row in table.rows]
    headings = [f"{text} (%)" if how == "share" else text for text, how in zip(table.headings, table.shows)]
    return _grid(headings, rows, table.title)


def _shown(value: Any, how: str) -> Any:
    return f"{100 * value:.1f}" if how == "share" and value is not None else value


# Decisions

_SHOWN = 10  # of many decisions


def decisions_frame(decisions: Decisions) -> Any:
    """The columns of a decisions file, in its order, the arrival number as index."""
    evidence = decisions.evidence
    choices = {name: values for name, values in evidence.items() if values.dtype.kind == "U"}
    numbers = {name: values for name, values in evidence.items() if values.dtype.kind != "U"}
    columns = {"sample": decisions.sample, "verdict": decisions.verdict, "category": decisions.category, "name": decisions.name, **choices,
               "score": decisions.score, "threshold": decisions.threshold, "runner_up": decisions.runner_up, **numbers,
               "prototype": decisions.prototype}
    pandas = _pandas()
    return pandas.DataFrame({name: values.copy() for name, values in columns.items()},
                            index=pandas.Index(decisions.sequence.copy(), name="sequence"))


def decisions_text(decisions: Decisions) -> str:
    verdicts = decisions.verdict.tolist()
    counts = [f"{verdicts.count(word)} {word}" for word in ("known", "existing", "created", "tentative") if word in verdicts]
    return f"<{len(decisions)} Decisions: {', '.join(counts) or 'none'}>"


def decisions_html(decisions: Decisions) -> str:
    rows = [(d.sequence, d.verdict, d.category, d.name, d.score, d.threshold, d.runner_up) for d in decisions[:_SHOWN]]
    more = f"<p>{len(decisions) - _SHOWN} more</p>" if len(decisions) > _SHOWN else ""
    headings = ("sequence", "verdict", "category", "name", "score", "threshold", "runner-up")
    return _grid(headings, rows, decisions_text(decisions).strip("<>")) + more


# Models

def model_thresholds(model: Model) -> dict[str, Threshold]:
    return {name: Threshold._of(parts) for name, parts in model._section(model.method)["thresholds"].items()}


def model_summary(model: Model) -> dict[str, Any]:
    out: dict[str, Any] = json.loads(model._summary())
    return out


def model_html(model: Model) -> str:
    rows = [(name, t.value, t.balanced_accuracy, *t.interval) for name, t in model_thresholds(model).items()]
    return _grid(("threshold", "value", "balanced accuracy", "from", "to"), rows, repr(model).strip("<>"))


# Streams

def session_html(session: Session) -> str:
    largest = sorted(session.categories(), key=lambda c: -c.size)[:_SHOWN]
    return _grid(("id", "name", "kind", "size"), [(c.id, c.name, c.kind, c.size) for c in largest], repr(session).strip("<>"))


def discoverer_html(finder: Discoverer) -> str:
    session = finder.__dict__.get("session_")
    if session is None:
        return f"<pre>{html.escape(repr(finder))}</pre>"
    return f"<pre>{html.escape(repr(finder))}</pre>{model_html(finder.model_)}{session_html(session)}"
