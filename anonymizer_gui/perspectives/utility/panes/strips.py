"""What is chosen about an analysis: rows of boxes above its view."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from anonymizer_gui.perspectives.utility.column_box import ColumnBox
from anonymizer_gui.perspectives.utility.panes.contingency_values import AFTER, BEFORE, CHANGE, PAIRS
from anonymizer_gui.widgets.buttons import make_button
from anonymizer_gui.widgets.elided_check_box import ElidedCheckBox
from anonymizer_gui.widgets.elided_combo_box import ElidedComboBox
from anonymizer_gui.widgets.segmented import SegmentedControl

Columns = Sequence[tuple[str, str]]  # names and roles


class ColumnStrip(QWidget):
    """A column, and whether suppressed records count."""

    column_chosen = Signal(str)
    suppressed_toggled = Signal(bool)

    def __init__(self, name: str, *, has_suppressed: bool = False, parent: QWidget | None = None) -> None:
        """`name` is the beginning of the names of its controls."""
        super().__init__(parent)
        self.box = ColumnBox(self.tr("Column"))
        self.box.setObjectName(f"{name}Column")
        self.box.chosen.connect(self.column_chosen)
        self.suppressed = ElidedCheckBox(self.tr("With suppressed records"))
        self.suppressed.setObjectName(f"{name}Suppressed")
        self.suppressed.toggled.connect(self.suppressed_toggled)
        self.suppressed.setVisible(has_suppressed)
        row = _row(self)
        row.addWidget(self.box)
        row.addStretch(1)
        row.addWidget(self.suppressed)


class PairStrip(QWidget):
    """Two columns, and which of their tables."""

    columns_chosen = Signal(str, str)
    which_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.row_box = ColumnBox(self.tr("Rows"))
        self.row_box.setObjectName("contingencyRow")
        self.column_box = ColumnBox(self.tr("Columns"))
        self.column_box.setObjectName("contingencyColumn")
        for box in (self.row_box, self.column_box):
            box.chosen.connect(self._on_chosen)
        self.which = SegmentedControl(
            [
                (CHANGE, self.tr("Change")),
                (BEFORE, self.tr("Input")),
                (AFTER, self.tr("Release")),
                (PAIRS, self.tr("Pairs")),
            ],
            self.tr("What the cells tell"),
        )
        self.which.setObjectName("contingencyWhich")
        self.which.selected.connect(self.which_chosen)
        row = _row(self)
        row.addWidget(self.row_box)
        row.addWidget(self.column_box)
        row.addStretch(1)
        row.addWidget(self.which)

    def show_columns(self, columns: Columns, row: str, column: str) -> None:
        """Offer other columns."""
        self.row_box.show_columns(columns, row)
        self.column_box.show_columns(columns, column)

    def _on_chosen(self, _name: str) -> None:
        self.columns_chosen.emit(self.row_box.column, self.column_box.column)


class ClassificationStrip(QWidget):
    """What is predicted, and what learns it."""

    target_chosen = Signal(str)
    classifier_chosen = Signal(str)
    measure_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.target_box = ColumnBox(self.tr("Target"))
        self.target_box.setObjectName("classificationTarget")
        self.target_box.chosen.connect(self.target_chosen)
        self.classifier_box = ElidedComboBox()
        self.classifier_box.setObjectName("classifier")
        self.classifier_box.setAccessibleName(self.tr("Classifier"))
        self.classifier_box.setProperty("compact", "true")
        self.classifier_box.setToolTip(self.tr("Classifier: what learns from the input and from the release"))
        for key, text in (
            ("logistic_regression", self.tr("Logistic regression")),
            ("naive_bayes", self.tr("Naive Bayes")),
            ("random_forest", self.tr("Random forest")),
        ):
            self.classifier_box.addItem(text, key)
        self.classifier_box.activated.connect(
            lambda place: self.classifier_chosen.emit(self.classifier_box.itemData(place))
        )
        self.measure = make_button(self.tr("Measure"), small=True, icon_name="play")
        self.measure.setObjectName("measureClassification")
        self.measure.clicked.connect(self.measure_requested)
        row = _row(self)
        row.addWidget(self.target_box)
        row.addWidget(self.classifier_box)
        row.addStretch(1)
        row.addWidget(self.measure)


def _row(strip: QWidget) -> QHBoxLayout:
    row = QHBoxLayout(strip)
    row.setContentsMargins(10, 6, 10, 0)
    row.setSpacing(6)
    return row
