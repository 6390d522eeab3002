"""Two nodes side by side as lines of tables: settings, levels, scores, records."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from math import isfinite, nan
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from anonymizer_gui.models.measured_text import limit_text, named, value_text
from anonymizer_gui.models.texts_model import Cell, Heading
from anonymizer_gui.perspectives.explore.metric_text import metric_change, metric_text, metric_title
from anonymizer_gui.perspectives.explore.node_words import LevelWords
from anonymizer_gui.widgets.numbers import DASH, as_change, as_count, as_decimal, as_exact_count, as_percent
from engine.frequency.counted import RECORDS

if TYPE_CHECKING:
    from engine.project import Project
    from engine.project.remembered import Run
    from engine.project.side_by_side import Side, SideBySide

MOST_RECORDS = 200

_tr = partial(QCoreApplication.translate, "CompareRows")
_COUNTS = {
    "records": "Records",
    "suppressed": "Suppressed records",
    "classes": "Kept classes",
    "k": "Smallest kept class (k)",
}


def figure_headings() -> list[Heading]:
    """The columns of the table of settings, levels and scores."""
    return [
        Heading(""),
        Heading(_tr("Left")),
        Heading(_tr("Right")),
        Heading(_tr("Right minus left"), True),
    ]


def figure_rows(found: SideBySide, words: LevelWords) -> list[list[Cell]]:
    """Settings, then levels in words, then scores; what differs stands out."""
    left, right = found.left, found.right
    rows = [
        _row(
            _tr("Suppression limit"),
            as_percent(left.choice.requirement.suppression_limit),
            as_percent(right.choice.requirement.suppression_limit),
        )
    ]
    rows += [_row(name, one, other) for name, one, other in _thresholds(left, right)]
    for q, name in enumerate(left.choice.columns):
        rows.append(_row(name, words.level(q, left.node[q]), words.level(q, right.node[q])))
    rows.append(_row(_tr("Its requirement"), _status(left), _status(right)))
    rows.append(
        _row(
            _tr("Suppressed records"),
            _suppressed(left),
            _suppressed(right),
            _difference(left.report.suppressed, right.report.suppressed),
        )
    )
    counted = left.report.table.problem.counted
    smallest = _tr("Smallest kept class (k)")
    smallest = smallest if counted is RECORDS else f"{smallest}, {counted.many}"
    counts: list[tuple[str, int | None, int | None]] = [
        (_tr("Kept classes"), left.report.kept_classes, right.report.kept_classes),
        (smallest, left.report.kept_k or None, right.report.kept_k or None),
    ]
    for name, one, other in counts:
        rows.append(_row(name, as_exact_count(one), as_exact_count(other), _difference(one, other)))
    rows += _measured(left, right)
    for key in left.metrics:
        text, pair = metric_text(key), (left.metrics[key], right.metrics[key])
        before, after = (DASH if value != value else text(value) for value in pair)
        rows.append(_row(metric_title(key), before, after, metric_change(key, pair[1] - pair[0])))
    return rows


def kept_rows(left: Run, right: Run) -> list[list[Cell]]:
    """What was measured of two releases when they were applied."""
    limits = [as_percent(run.choice.requirement.suppression_limit) for run in (left, right)]
    rows = [_row(_tr("Suppression limit"), *limits)]
    names: dict[str, list[str]] = {}
    for place, run in enumerate((left, right)):
        for model in run.choice.requirement.models:
            name = _tr("Required {0}").format(" · ".join([model.title, *model.columns]))
            names.setdefault(name, [_tr("not required")] * 2)[place] = f"{model.symbol} = {limit_text(model)}"
    rows += [_row(name, one, other) for name, (one, other) in names.items()]
    for key in dict.fromkeys((*left.figures, *right.figures)):
        if (kind := _figure_kind(key)) is None:
            continue
        title, text = kind
        pair = [run.figures.get(key) for run in (left, right)]
        shown = [DASH if value is None else text(value) for value in pair]
        change = ""
        if pair[0] is not None and pair[1] is not None:
            difference, is_count = pair[1] - pair[0], key in _COUNTS or key.startswith("l.")
            is_metric = not is_count and not key.startswith("t.")
            change = (
                metric_change(key, difference) if is_metric else as_change(difference, 0 if is_count else 3)
            )
        rows.append(_row(title, shown[0], shown[1], change))
    return rows


def _figure_kind(key: str) -> tuple[str, Callable[[float], str]] | None:
    """How a figure of an applied release is called and written; None for one that is not known any more."""
    from engine.utility import utility_metrics

    if key in _COUNTS:
        return _tr(_COUNTS[key]), as_exact_count
    measure, _, column = key.partition(".")
    if column and measure == "l":
        return _tr("Fewest distinct values (l) · {0}").format(column), as_exact_count
    if column and measure == "t":
        return _tr("Largest distance (t) · {0}").format(column), lambda value: as_decimal(value, 3)
    return (metric_title(key), metric_text(key)) if key in utility_metrics else None


def record_headings(columns: Sequence[str]) -> list[Heading]:
    """The record, then every quasi-identifier."""
    return [Heading(_tr("Record"), True), Heading(""), *(Heading(name) for name in columns)]


def record_rows(found: SideBySide, project: Project) -> list[list[Cell]]:
    """Three lines a record: the original cells, those of the left release and of the right one."""
    columns, rows = found.left.choice.columns, []
    originals = [project.table.column(name) for name in columns]
    released = [[side.release.column(name) for name in columns] for side in (found.left, found.right)]
    for record in found.records[:MOST_RECORDS].tolist():
        cells = [[column.text(record) for column in originals]]
        cells += [[c.text(record) if c is not None else "" for c in side] for side in released]
        differs = [bool(found.differing[name][record]) for name in columns]
        for number, (who, texts) in enumerate(
            zip((_tr("original"), _tr("left"), _tr("right")), cells, strict=True)
        ):
            head = Cell(as_exact_count(record + 1) if number == 0 else "", tone="text_2")
            line = [
                Cell(text, tone="text_3" if number == 0 else "text", is_strong=number > 0 and differing)
                for text, differing in zip(texts, differs, strict=True)
            ]
            rows.append([head, Cell(who, tone="text_2"), *line])
    return rows


def differing_words(found: SideBySide) -> str:
    """How many records differ, and in which columns most."""
    n_records, n_all = len(found.records), found.left.release.n_records
    if not n_records:
        return _tr("Both releases write every record alike.")
    counts = sorted(((int(mask.sum()), name) for name, mask in found.differing.items()), reverse=True)
    most = ", ".join(f"{name} {as_count(count)}" for count, name in counts[:4] if count)
    text = _tr("{0} of {1} records differ ({2}): {3}.")
    words = text.format(as_exact_count(n_records), as_exact_count(n_all), as_percent(n_records / n_all), most)
    if n_records > MOST_RECORDS:
        words += " " + _tr("The first {0} are listed.").format(as_exact_count(MOST_RECORDS))
    return words


def _status(side: Side) -> str:
    return _tr("satisfies") if side.report.satisfies else _tr("fails")


def _suppressed(side: Side) -> str:
    share = as_percent(side.report.suppressed / max(side.release.n_records, 1))
    return f"{as_exact_count(side.report.suppressed)} ({share})"


def _thresholds(left: Side, right: Side) -> list[tuple[str, str, str]]:
    """Every model that either side requires, with its threshold."""
    limits: dict[str, list[str]] = {}
    for place, side in enumerate((left, right)):
        for model in side.choice.requirement.models:
            title = side.report.table.problem.counted.worded(model.title)
            name = _tr("Required {0}").format(" · ".join([title, *model.columns]))
            limits.setdefault(name, [_tr("not required")] * 2)[place] = (
                f"{model.symbol} = {limit_text(model)}"
            )
    return [(name, one, other) for name, (one, other) in limits.items()]


def _measured(left: Side, right: Side) -> list[list[Cell]]:
    """What every model measures of the kept classes of both sides."""
    shown: dict[str, list[str]] = {}
    values: dict[str, list[float]] = {}
    for place, side in enumerate((left, right)):
        for found in side.report.values:
            name = " · ".join([named(found), *([found.column] if found.column else [])])
            shown.setdefault(name, [DASH, DASH])[place] = value_text(found)
            values.setdefault(name, [nan, nan])[place] = nan if found.value is None else float(found.value)
    return [
        _row(name, texts[0], texts[1], _difference(values[name][0], values[name][1], decimals=3))
        for name, texts in shown.items()
    ]


def _difference(one: float | None, other: float | None, decimals: int = 0) -> str:
    if one is None or other is None or not isfinite(other - one):
        return DASH
    return as_change(other - one, decimals)


def _row(name: str, left: str, right: str, difference: str = "") -> list[Cell]:
    differs = left != right
    tone = "text" if differs else "text_2"
    return [
        Cell(name, tone="text_2"),
        Cell(left, tone=tone, is_strong=differs),
        Cell(right, tone=tone, is_strong=differs),
        Cell(difference if differs else "", tone="text_2"),
    ]
