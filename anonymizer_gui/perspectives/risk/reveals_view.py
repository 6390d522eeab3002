"""View of the sensitive values of a class compared with the table, the worst class first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QComboBox, QWidget

from anonymizer_gui.charts.legend import Legend, LegendEntry, Sample
from anonymizer_gui.perspectives.risk.class_chart import ClassBars
from anonymizer_gui.perspectives.risk.class_view import ClassView
from anonymizer_gui.theming import Text
from anonymizer_gui.widgets.elided_combo_box import ElidedComboBox
from anonymizer_gui.widgets.labels import make_label, set_tone
from anonymizer_gui.widgets.layouts import hbox, named, vbox


@dataclass(frozen=True)
class Choice:
    """Entry of a combo box: key, text, and tooltip."""

    key: str
    text: str
    meaning: str = ""


@dataclass(frozen=True)
class ClassWords:
    """One class: its bars, size, measured value, and released cells."""

    bars: ClassBars
    n_records: str
    value: str
    value_tone: str
    meaning: str
    sentence: str
    cells: str


class RevealsView(QWidget):
    """Combo boxes choose the measure and the class; the sensitive column is chosen in the header."""

    measure_chosen = Signal(str)
    class_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("revealsView")
        self.measures = self._box("revealMeasure", self.tr("Measure that defines the worst class"))
        self.classes = self._box("revealClass", self.tr("Class of the release"))
        self.measures.activated.connect(lambda place: self.measure_chosen.emit(self.measures.itemData(place)))
        self.classes.activated.connect(lambda place: self.class_chosen.emit(self.classes.itemData(place)))
        self._value = named(make_label("", Text.CELL_STRONG), "revealValue")
        self.legend = Legend()
        self.chart = ClassView()
        self._sentence = named(make_label("", Text.CELL, "text_2", wraps=True), "revealSentence")
        vbox(
            hbox((self.measures, 2), (self.classes, 3), spacing=8),
            hbox((self.legend, 1), self._value, spacing=12),
            (self.chart, 1),
            self._sentence,
            spacing=6,
            margins=(12, 8, 12, 8),
            of=self,
        )

    def show_measures(self, choices: Sequence[Choice], chosen: str) -> None:
        """Offer measures."""
        _fill(self.measures, choices, chosen)

    def show_classes(self, choices: Sequence[Choice], chosen: str) -> None:
        """Offer classes, the worst first."""
        _fill(self.classes, choices, chosen)

    def show_class(self, words: ClassWords) -> None:
        """Show another class."""
        self.chart.show_bars(words.bars)
        self.legend.show_entries(
            [
                LegendEntry(Sample.BLOCK, "series_2", words.n_records),
                LegendEntry(Sample.BLOCK, "series_1", self.tr("whole table"))
                if self.chart.has_rows
                else LegendEntry(Sample.OUTLINE, "text_2", self.tr("whole table")),
            ]
        )
        self._value.setText(words.value)
        set_tone(self._value, words.value_tone)
        self._value.setToolTip(words.meaning)
        self._sentence.setText(words.sentence)
        self._sentence.setToolTip(words.cells)
        self.chart.plot.setToolTip(words.cells)

    def value(self) -> str:
        return self._value.text()

    def sentence(self) -> str:
        return self._sentence.text()

    def _box(self, name: str, words: str) -> ElidedComboBox:
        box = named(ElidedComboBox(), name, words, words)
        box.setProperty("compact", "true")
        box.setMinimumContentsLength(6)
        box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        return box


def _fill(box: QComboBox, choices: Sequence[Choice], chosen: str) -> None:
    with QSignalBlocker(box):
        box.clear()
        for choice in choices:
            box.addItem(choice.text, choice.key)
        place = max(box.findData(chosen), 0)
        box.setCurrentIndex(place)
    if choices:
        shown = choices[place]
        box.setToolTip(f"{shown.text}\n{shown.meaning}".strip())
