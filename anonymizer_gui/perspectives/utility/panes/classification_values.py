"""What a classifier still learns: accuracies as bars, the other figures as lines, and ROC curves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from anonymizer_gui.charts.bar_rows import Bar, BarRow, BarScale
from anonymizer_gui.models.texts_model import Cell, Heading
from anonymizer_gui.widgets.numbers import DASH, as_decimal, as_exact_count, as_percent
from engine.kernels.arrays import Reals

if TYPE_CHECKING:
    from engine.assessment.utility.classification import ClassFigures, ClassificationFound, ModelFigures


@dataclass(frozen=True, eq=False)
class RocDrawing:
    """The curves of one value of the target."""

    label: str
    original: tuple[Reals, Reals]
    released: tuple[Reals, Reals]


def rows_of(found: ClassificationFound) -> list[BarRow]:
    """Accuracies on one scale."""
    return [
        _row(_tr("input"), found.original, "series_1"),
        _row(_tr("release"), found.released, "series_2"),
        BarRow(
            _tr("baseline"),
            _tr("most frequent value"),
            (Bar(found.baseline.accuracy, "series_1"),),
            as_percent(found.baseline.accuracy),
            _tr("What naming the most frequent value every time would get right"),
        ),
    ]


def scale_of() -> BarScale:
    """What the bars count."""
    return BarScale(as_percent(0.0), as_percent(1.0), _tr("records named rightly"))


def _row(name: str, model: ModelFigures, token: str) -> BarRow:
    folds = ", ".join(as_percent(accuracy) for accuracy in model.by_fold)
    tooltip = _tr("{0}: {1} ± {2} over the folds ({3})").format(
        name, as_percent(model.accuracy), as_percent(model.deviation), folds
    )
    spread = f"± {as_percent(model.deviation)}"
    return BarRow(name, spread, (Bar(model.accuracy, token),), as_percent(model.accuracy), tooltip)


def headings() -> tuple[Heading, ...]:
    """The titles of the columns."""
    return (Heading(_tr("Figure")), Heading(_tr("Input"), True), Heading(_tr("Release"), True))


def lines_of(found: ClassificationFound, label: str) -> list[tuple[Cell, ...]]:
    """The Brier score, and the figures of one value."""
    one = class_of(found, label)
    brier = _tr("Mean squared distance of the probabilities from the truth: 0 certain and right, 2 wrong")
    area = _tr("Under the ROC curve: 1 tells the value apart, 0.5 guesses")
    lines: list[tuple[Cell, ...]] = [
        (
            Cell(_tr("Brier score"), brier),
            Cell(as_decimal(found.original.brier, 3)),
            Cell(as_decimal(found.released.brier, 3)),
        )
    ]
    if one is None:
        return lines
    lines += [
        (
            Cell(_tr("Area under the curve"), area),
            Cell(as_decimal(one.original.area, 3)),
            Cell(as_decimal(one.released.area, 3)),
        ),
        (
            Cell(_tr("Sensitivity"), _tr("Share of its records that are named rightly")),
            Cell(_share(one.sensitivity_original)),
            Cell(_share(one.sensitivity_released)),
        ),
        (
            Cell(_tr("Specificity"), _tr("Share of other records that are not taken for it")),
            Cell(_share(one.specificity_original)),
            Cell(_share(one.specificity_released)),
        ),
    ]
    return lines


def drawing_of(found: ClassificationFound, label: str) -> RocDrawing | None:
    """The curves of one value."""
    one = class_of(found, label)
    if one is None:
        return None
    return RocDrawing(
        label,
        (one.original.false_positives, one.original.true_positives),
        (one.released.false_positives, one.released.true_positives),
    )


def class_of(found: ClassificationFound, label: str) -> ClassFigures | None:
    """One value of the target; the first where there is none of that name."""
    return next((c for c in found.classes if c.label == label), found.classes[0] if found.classes else None)


def note_of(found: ClassificationFound) -> str:
    """What the figures rest on."""
    records = as_exact_count(found.n_records)
    sampled = _tr("a sample of {0} records") if found.is_sampled else _tr("{0} records")
    parts = [sampled.format(records), _tr("{0} folds").format(found.folds)]
    parts.append(_tr("from {0}").format(", ".join(found.features)))
    if found.n_suppressed:
        words = _tr("{0} suppressed records are predicted, never learned from")
        parts.append(words.format(as_exact_count(found.n_suppressed)))
    return " · ".join([*parts, *([found.note] if found.note else [])])


def _share(value: float) -> str:
    return DASH if value != value else as_percent(value)


def _tr(text: str) -> str:
    return QCoreApplication.translate("ClassificationValues", text)
