"""Classification: what is predicted and how, then accuracies beside the ROC curves of one value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from anonymizer_gui.charts.bar_rows import BarRows
from anonymizer_gui.charts.legend import Legend, LegendEntry, Sample
from anonymizer_gui.charts.plot import ThemedPlot, as_percent_tick
from anonymizer_gui.perspectives.utility.figures_table import FiguresTable
from anonymizer_gui.perspectives.utility.panes import classification_values as values
from anonymizer_gui.theming import Text, scaled
from anonymizer_gui.widgets.elided_combo_box import ElidedComboBox
from anonymizer_gui.widgets.labels import ElidedLabel, make_label
from anonymizer_gui.widgets.scroll_body import scrolled
from anonymizer_gui.widgets.tables import HEADER_HEIGHT, ROW_HEIGHT

if TYPE_CHECKING:
    from engine.assessment.utility.classification import ClassificationFound

_LINES = 4


class ClassificationView(QWidget):
    """Figures at the left, curves at the right."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._found: ClassificationFound | None = None
        self.statement = make_label("", Text.CELL_STRONG, "text", wraps=True)
        self.statement.setObjectName("classificationStatement")
        self.note = ElidedLabel("", Text.CAPTION, "text_3")
        self.rows = BarRows(self.tr("Accuracy"))
        self.rows.setObjectName("classificationRows")
        self.table = FiguresTable(self.tr("Figures of classification"))
        self.table.setObjectName("classificationTable")
        self.label_box = ElidedComboBox()
        self.label_box.setObjectName("classificationLabel")
        self.label_box.setAccessibleName(self.tr("Value of the target"))
        self.label_box.setToolTip(self.tr("Value of the target whose curves are drawn"))
        self.label_box.setProperty("compact", "true")
        self.label_box.activated.connect(lambda _place: self._show_class())
        self.plot = ThemedPlot(self.tr("ROC curves"))
        self.plot.setObjectName("rocPlot")
        self.legend = Legend(
            [
                LegendEntry(Sample.DASHED, "series_1", self.tr("input")),
                LegendEntry(Sample.LINE, "series_2", self.tr("release")),
            ]
        )
        words = QVBoxLayout()
        words.setContentsMargins(12, 0, 8, 0)
        words.setSpacing(2)
        words.addWidget(self.statement)
        words.addWidget(self.note)
        left = QVBoxLayout()
        left.setContentsMargins(0, 6, 0, 4)
        left.setSpacing(4)
        left.addLayout(words)
        left.addWidget(self.rows)
        left.addWidget(self.table)
        left.addStretch(1)
        right = QVBoxLayout()
        right.setContentsMargins(4, 6, 8, 4)
        right.setSpacing(4)
        right.addWidget(self.label_box)
        right.addWidget(self.legend)
        right.addWidget(self.plot, 1)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(scrolled(left), 11)
        row.addLayout(right, 10)

    def show_findings(self, found: ClassificationFound) -> None:
        """Show what was found; the value whose curves are drawn stays where it is still there."""
        label = str(self.label_box.currentData() or "")
        self._found = found
        self.statement.setText(found.told().sentence)
        self.note.setText(values.note_of(found))
        self.rows.show_rows(values.rows_of(found), values.scale_of())
        self.label_box.clear()
        for one in found.classes:
            self.label_box.addItem(self.tr("{0} against the rest").format(one.label), one.label)
        self.label_box.setCurrentIndex(max(self.label_box.findData(label), 0))
        self._show_class()

    def _show_class(self) -> None:
        found = self._found
        if found is None:
            return
        label = str(self.label_box.currentData() or "")
        lines = values.lines_of(found, label)
        self.table.show_figures(values.headings(), lines)
        self.table.setFixedHeight(scaled(HEADER_HEIGHT) + len(lines) * scaled(ROW_HEIGHT) + 2)
        drawing = values.drawing_of(found, label)
        if drawing is not None:
            self.plot.show_drawing(lambda plot: _draw(plot, drawing), drawing.label)


def _draw(plot: ThemedPlot, drawing: values.RocDrawing) -> None:
    plot.name_axes(plot.tr("others taken for it"), plot.tr("its records found"))
    for axis in ("bottom", "left"):
        plot.set_tick_text(axis, as_percent_tick)
    plot.set_range((-0.02, 1.06), (0.0, 1.04))
    plot.add_line([0, 1], [0, 1], "border_strong", dashed=True, width=1)
    plot.add_line(*drawing.original, "series_1", dashed=True, width=2)
    plot.add_line(*drawing.released, "series_2", width=2)
