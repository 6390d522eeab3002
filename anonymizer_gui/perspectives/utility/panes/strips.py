"""Choices of an analysis: rows of combo boxes above its view."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from PySide6.QtCore import QSize, Signal
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QWidget

from anonymizer_gui.theming import follow_theme, scaled
from anonymizer_gui.widgets.buttons import make_button
from anonymizer_gui.widgets.drawn import FitsRoom
from anonymizer_gui.widgets.elided_combo_box import ElidedCheckBox, ElidedComboBox
from anonymizer_gui.widgets.layouts import hbox, named
from anonymizer_gui.widgets.role_badge import role_icon
from anonymizer_gui.widgets.segmented import SegmentedControl
from anonymizer_gui.widgets.staying_menu import StayingMenu

_LEAST, _MOST = 84, 150
BEFORE, AFTER, CHANGE, PAIRS = "before", "after", "change", "pairs"


class ColumnBox(ElidedComboBox):
    """Emits a signal for user input only."""

    chosen = Signal(str)

    def __init__(self, name: str) -> None:
        super().__init__()
        self._name = name
        self._columns: tuple[tuple[str, str], ...] = ()
        self.setAccessibleName(name)
        self.setProperty("compact", "true")
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.data_chosen.connect(self._on_data_chosen)
        follow_theme(self._on_theme_changed)

    @property
    def column(self) -> str:
        """Chosen column; empty if there is none."""
        return str(self.currentData() or "")

    def show_columns(self, columns: Sequence[tuple[str, str]], chosen: str) -> None:
        """Offer columns as pairs of name and role."""
        if tuple(columns) != self._columns:
            self._columns = tuple(columns)
            self.clear()
            for name, role in columns:
                self.addItem(role_icon(role, _BADGE), name, name)
        self.setCurrentIndex(self.findData(chosen))
        self.setToolTip(f"{self._name}: {self.column}")

    def sizeHint(self) -> QSize:
        hint = super().sizeHint()
        return QSize(max(scaled(_MOST), hint.width()), hint.height())

    def choose(self, name: str) -> None:
        """Choose a column without a signal."""
        self.setCurrentIndex(self.findData(name))
        self.setToolTip(f"{self._name}: {name}")

    def _on_data_chosen(self, name: str) -> None:
        self.setToolTip(f"{self._name}: {name}")
        self.chosen.emit(name)

    def _on_theme_changed(self) -> None:
        self.setMinimumWidth(scaled(_LEAST))
        self.updateGeometry()
        self.setIconSize(QSize(scaled(_BADGE), scaled(_BADGE)))


Columns = Sequence[tuple[str, str]]  # names and roles
_BADGE = 14


class Strip(QWidget):
    """Choices of an analysis; each is a parameter with its value."""

    chosen = Signal(str, object)  # parameter, value

    def _choose(self, parameter: str) -> Callable[[object], None]:
        """Return a slot that emits the value of a parameter."""
        return lambda value: self.chosen.emit(parameter, value)


class ColumnStrip(Strip):
    """Column, and whether suppressed records count."""

    def __init__(self, name: str, *, has_suppressed: bool = False) -> None:
        """Create the strip; `name` is the prefix of its object names."""
        super().__init__()
        self.box = named(ColumnBox(self.tr("Column")), f"{name}Column")
        self.box.chosen.connect(self._choose("column"))
        self.suppressed = named(ElidedCheckBox(self.tr("With suppressed records")), f"{name}Suppressed")
        self.suppressed.toggled.connect(self._choose("with_suppressed"))
        self.suppressed.setVisible(has_suppressed)
        row = _row(self)
        row.addWidget(self.box)
        row.addStretch(1)
        row.addWidget(self.suppressed)


class PairStrip(Strip):
    """Two columns, and the kind of table."""

    which_chosen = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.row_box = named(ColumnBox(self.tr("Rows")), "contingencyRow")
        self.column_box = named(ColumnBox(self.tr("Columns")), "contingencyColumn")
        for parameter, box in (("row", self.row_box), ("column", self.column_box)):
            box.chosen.connect(self._choose(parameter))
        self.which = named(
            SegmentedControl(
                [
                    (CHANGE, self.tr("Change", "noun")),
                    (BEFORE, self.tr("Input")),
                    (AFTER, self.tr("Release")),
                    (PAIRS, self.tr("Pairs")),
                ],
                self.tr("Meaning of the cells"),
            ),
            "contingencyWhich",
        )
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


class ClassificationStrip(FitsRoom, Strip):
    """Target, features, and classifier."""

    measure_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.target_box = named(ColumnBox(self.tr("Target")), "classificationTarget")
        self.target_box.chosen.connect(self._choose("target"))
        self.classifier_box = named(ElidedComboBox(9), "classifier", self.tr("Classifier"))
        self.features = make_button("", "classificationFeatures", small=True, icon_name="columns-3")
        self._menu = named(StayingMenu(self.features), "classificationFeaturesMenu")
        self.features.setMenu(self._menu)
        for key, text in (
            ("logistic_regression", self.tr("Logistic regression")),
            ("naive_bayes", self.tr("Naive Bayes")),
            ("random_forest", self.tr("Random forest")),
        ):
            self.classifier_box.addItem(text, key)
        self.classifier_box.currentTextChanged.connect(self._name_classifier)
        self._name_classifier(self.classifier_box.currentText())
        self.classifier_box.data_chosen.connect(self._choose("classifier"))
        self.measure = make_button(self.tr("Measure"), "measureClassification", small=True)
        self.measure.clicked.connect(self.measure_requested)
        self._row = row = _row(self)
        row.addWidget(self.target_box)
        row.addWidget(self.features)
        row.addWidget(self.classifier_box)
        row.addStretch(1)
        row.addWidget(self.measure)
        self._words = ""

    def _fit(self) -> None:
        """Show the number of predictors without words if there is no room for them."""
        self.features.setText(self._words)
        if self._row.sizeHint().width() > self.width():
            self.features.setText("".join(filter(str.isdigit, self._words)))

    def show_features(self, columns: Columns, chosen: Collection[str]) -> None:
        """Offer the features; chosen ones have a check mark."""
        self._menu.clear()
        for name, role in columns:
            action = self._menu.addAction(role_icon(role, _BADGE), name.replace("&", "&&"))
            action.setData(name)
            action.setCheckable(True)
            action.setChecked(name in chosen)
            action.toggled.connect(self._on_toggled)
        self._count(len(chosen))

    def _name_classifier(self, text: str) -> None:
        words = self.tr("{text}: the classifier trained on the input and on the release")
        self.classifier_box.setToolTip(words.format(text=text))

    def _on_toggled(self) -> None:
        chosen = tuple(action.data() for action in self._menu.actions() if action.isChecked())
        self._count(len(chosen))
        self.chosen.emit("features", chosen)

    def _count(self, n_chosen: int) -> None:
        words = (
            self.tr("From 1 column")
            if n_chosen == 1
            else self.tr("From {n_chosen} columns").format(n_chosen=n_chosen)
        )
        self._words = words
        self._fit()
        self.features.setAccessibleName(self.tr("{words}: the predictors").format(words=words))
        self.features.setToolTip(self.tr("Choose the columns from which the target is predicted"))


def _row(strip: QWidget) -> QHBoxLayout:
    return hbox(spacing=6, margins=(10, 6, 10, 0), of=strip)
