"""Classification: predicted column, accuracies, and the ROC curves of one value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtWidgets import QWidget

from anonymizer_gui.charts.axis_titles import AxisTitles
from anonymizer_gui.charts.bar_rows import Bar, BarRow, BarRows, BarScale
from anonymizer_gui.charts.legend import Legend, LegendEntry, Sample
from anonymizer_gui.charts.plot import ThemedPlot, as_percent_tick
from anonymizer_gui.theming import Text, scaled
from anonymizer_gui.widgets.elided_combo_box import ElidedComboBox
from anonymizer_gui.widgets.labels import ElidedLabel, make_label
from anonymizer_gui.widgets.layouts import STRETCH, hbox, named, vbox
from anonymizer_gui.widgets.scroll_body import scrolled
from anonymizer_gui.widgets.tables import HEADER_HEIGHT, ROW_HEIGHT
from anonymizer_gui.widgets.texts_table import Cell, Heading, TextsTable
from engine.kernels.arrays import FloatArray
from engine.numbers import DASH, as_decimal, as_exact_count, as_percent
from engine.words import _

if TYPE_CHECKING:
    from engine.assessment.utility.classification import ClassFigures, ClassificationFound, ModelFigures


_LINES = 4


class ClassificationView(QWidget):
    """Values at the left, curves at the right."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._found: ClassificationFound | None = None
        self.statement = make_label("", Text.CELL_STRONG, "text", wraps=True)
        self.statement.setObjectName("classificationStatement")
        self.note = ElidedLabel("", Text.CAPTION, "text_3")
        self.rows = named(BarRows(self.tr("Accuracy")), "classificationRows")
        self.table = TextsTable(
            "classificationTable",
            self.tr("Results of classification"),
            stretched=0,
            gives_way=True,
            chooses=False,
        )
        self.label_box = named(
            ElidedComboBox(),
            "classificationLabel",
            self.tr("Value of the target"),
            self.tr("Value of the target whose curves are shown"),
        )
        self.label_box.setProperty("compact", "true")
        self.label_box.activated.connect(lambda _place: self._show_class())
        self.plot = named(ThemedPlot(self.tr("ROC curves")), "rocPlot")
        self.legend = Legend(
            [
                LegendEntry(Sample.DASHED, "series_1", self.tr("input")),
                LegendEntry(Sample.LINE, "series_2", self.tr("release")),
            ]
        )
        left = vbox(
            vbox(self.statement, self.note, spacing=2, margins=(12, 0, 8, 0)),
            self.rows,
            self.table,
            STRETCH,
            spacing=4,
            margins=(0, 6, 0, 4),
        )
        hbox(
            (scrolled(left), 11),
            (vbox(self.label_box, self.legend, (self.plot, 1), spacing=4, margins=(4, 6, 8, 4)), 10),
            spacing=0,
            margins=0,
            of=self,
        )

    def show_findings(self, found: ClassificationFound) -> None:
        """Show other results; the value of the curves stays chosen if it still exists."""
        label = str(self.label_box.currentData() or "")
        self._found = found
        self.statement.setText(found.statement().sentence)
        self.note.setText(note_of(found))
        self.rows.show_rows(rows_of(found), scale_of())
        self.label_box.clear()
        for one in found.classes:
            self.label_box.addItem(self.tr("{label} against the rest").format(label=one.label), one.label)
        self.label_box.setCurrentIndex(max(self.label_box.findData(label), 0))
        self._show_class()

    def _show_class(self) -> None:
        found = self._found
        if found is None:
            return
        label = str(self.label_box.currentData() or "")
        lines = lines_of(found, label)
        self.table.show_rows(headings(), lines)
        self.table.setFixedHeight(scaled(HEADER_HEIGHT) + len(lines) * scaled(ROW_HEIGHT) + 2)
        drawing = drawing_of(found, label)
        if drawing is not None:
            titles = AxisTitles(self.tr("false positive rate"), self.tr("true positive rate"))
            self.plot.show_drawing(lambda plot: _draw(plot, drawing), titles, drawing.label)


def _draw(plot: ThemedPlot, drawing: RocDrawing) -> None:
    for axis in ("bottom", "left"):
        plot.set_tick_text(axis, as_percent_tick)
    plot.set_range((-0.02, 1.06), (0.0, 1.04))
    plot.add_line([0, 1], [0, 1], "border_strong", dashed=True, width=1)
    plot.add_line(*drawing.original, "series_1", dashed=True, width=2)
    plot.add_line(*drawing.released, "series_2", width=2)
    plot.set_tooltip(drawing.words_at)


@dataclass(frozen=True, eq=False)
class RocDrawing:
    """ROC curves of one value of the target."""

    label: str
    original: tuple[FloatArray, FloatArray]
    released: tuple[FloatArray, FloatArray]

    def words_at(self, x: float, _y: float) -> str:
        """Return the true positive rates at a false positive rate."""
        if not 0.0 <= x <= 1.0:
            return ""
        before, after = (
            as_percent(float(np.interp(x, *curve)), 1) for curve in (self.original, self.released)
        )
        words = _(
            "False positive rate {rate}: true positive rate {before} by the input, {after} by the release"
        )
        return words.format(rate=as_percent(x, 1), before=before, after=after)


def rows_of(found: ClassificationFound) -> list[BarRow]:
    """Return the accuracies on one scale."""
    return [
        _row(_("input"), found.original, "series_1"),
        _row(_("release"), found.released, "series_2"),
        BarRow(
            _("baseline"),
            _("most frequent value"),
            (Bar(found.baseline.accuracy, "series_1"),),
            as_percent(found.baseline.accuracy, keep_zeros=True),
            _("Accuracy of always predicting the most frequent value"),
        ),
    ]


def scale_of() -> BarScale:
    """Return the scale of the bars."""
    return BarScale(as_percent(0.0), as_percent(1.0), _("correctly predicted records"))


def _row(name: str, model: ModelFigures, token: str) -> BarRow:
    folds = ", ".join(as_percent(accuracy) for accuracy in model.by_fold)
    tooltip = _("{name}: {accuracy} ± {deviation} over {folds} folds").format(
        name=name, accuracy=as_percent(model.accuracy), deviation=as_percent(model.deviation), folds=folds
    )
    spread = f"± {as_percent(model.deviation, keep_zeros=True)}"
    accuracy = as_percent(model.accuracy, keep_zeros=True)
    return BarRow(name, spread, (Bar(model.accuracy, token),), accuracy, tooltip)


def headings() -> tuple[Heading, ...]:
    """Return the headings of the columns."""
    return (Heading(_("Value")), Heading(_("Input"), True), Heading(_("Release"), True))


def lines_of(found: ClassificationFound, label: str) -> list[tuple[Cell, ...]]:
    """Return the Brier score, and the measures of one value."""
    one = class_of(found, label)
    brier = _("Mean squared difference between the probabilities and the truth: 0 certain and right, 2 wrong")
    area = _("Area under the ROC curve: 1 separates the value perfectly, 0.5 is guessing")
    lines: list[tuple[Cell, ...]] = [
        (
            Cell(_("Brier score"), brier),
            Cell(as_decimal(found.original.brier, 3)),
            Cell(as_decimal(found.released.brier, 3)),
        )
    ]
    if one is None:
        return lines
    lines += [
        (
            Cell(_("Area under the curve"), area),
            Cell(as_decimal(one.original.area, 3)),
            Cell(as_decimal(one.released.area, 3)),
        ),
        (
            Cell(_("Sensitivity"), _("Share of its records that are predicted correctly")),
            Cell(_share(one.sensitivity_original)),
            Cell(_share(one.sensitivity_released)),
        ),
        (
            Cell(_("Specificity"), _("Share of other records that are not predicted as it")),
            Cell(_share(one.specificity_original)),
            Cell(_share(one.specificity_released)),
        ),
    ]
    return lines


def drawing_of(found: ClassificationFound, label: str) -> RocDrawing | None:
    """Return the curves of one value."""
    one = class_of(found, label)
    if one is None:
        return None
    return RocDrawing(
        label,
        (one.original.false_positives, one.original.true_positives),
        (one.released.false_positives, one.released.true_positives),
    )


def class_of(found: ClassificationFound, label: str) -> ClassFigures | None:
    """Return one value of the target; the first if there is none of that name."""
    return next((c for c in found.classes if c.label == label), found.classes[0] if found.classes else None)


def note_of(found: ClassificationFound) -> str:
    """Return the basis of the results."""
    parts = [found.sample.words(), _("{folds} folds").format(folds=found.folds)]
    parts.append(_("from {features}").format(features=", ".join(found.features)))
    if found.n_suppressed:
        words = _("{n_suppressed} suppressed records are predicted, but not used for training")
        parts.append(words.format(n_suppressed=as_exact_count(found.n_suppressed)))
    return " · ".join([*parts, *([found.note] if found.note else [])])


def _share(value: float) -> str:
    return DASH if value != value else as_percent(value, keep_zeros=True)
