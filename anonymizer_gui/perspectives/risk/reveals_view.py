"""View of the sensitive values of a class compared with the table, the worst class first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import QComboBox, QWidget

from anonymizer_gui.charts.findings_view import FindingsView
from anonymizer_gui.widgets.elided_combo_box import ElidedComboBox
from anonymizer_gui.widgets.layouts import hbox, named, vbox
from engine.numbers import as_risk

if TYPE_CHECKING:
    from engine.assessment.risk.attribute_disclosure import AttributeDisclosureFound

_MOST_CLASSES = 20
Key = TypeVar("Key", int, str)


class RevealsView(QWidget):
    """Combo boxes choose the measure and the class; the sensitive column is chosen in the header."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("revealsView")
        self._found: AttributeDisclosureFound | None = None
        self._measure, self._class = "t", -1
        self._measures = self._box("revealMeasure", self.tr("Measure that defines the worst class"))
        self._classes = self._box("revealClass", self.tr("Class of the release"))
        self._measures.activated.connect(lambda place: self.choose(self._measures.itemData(place)))
        self._classes.activated.connect(lambda place: self._show_class(self._classes.itemData(place)))
        self.compared = FindingsView("class", as_share=as_risk, is_small=True)
        boxes = hbox((self._measures, 2), (self._classes, 3), spacing=8, margins=(12, 8, 12, 0))
        vbox(boxes, (self.compared, 1), spacing=0, margins=0, of=self)

    def show_findings(self, found: AttributeDisclosureFound) -> None:
        """Show the findings of another release or column."""
        self._found = found
        self._show_measure()

    def forget(self) -> None:
        """Forget the class of another release."""
        self._found, self._class = None, -1

    def choose(self, measure: str) -> None:
        """Rank the classes by a measure."""
        self._measure, self._class = measure, -1
        if self._found is not None:
            self._show_measure()

    def _show_measure(self) -> None:
        assert self._found is not None, "a measure is chosen of what is shown"
        measure = self._measure
        titles = {each.key: f"{each.title} ({each.symbol})" for each in self._found.measures}
        _fill(self._measures, titles, measure, self._found.meaning(measure))
        classes = self._found.named(measure, _MOST_CLASSES)
        self._show_class(self._class if self._class in classes else next(iter(classes)))

    def _show_class(self, number: int) -> None:
        assert self._found is not None, "a class is chosen of what is shown"
        self._class = number
        _fill(self._classes, self._found.named(self._measure, _MOST_CLASSES), number)
        self.compared.show_findings(self._found.compare(number, self._measure))
        self.compared.sentence().setToolTip(self._found.meaning(self._measure))

    def _box(self, name: str, words: str) -> ElidedComboBox:
        box = named(ElidedComboBox(), name, words, words)
        box.setProperty("compact", "true")
        box.setMinimumContentsLength(6)
        box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        return box


def _fill(box: QComboBox, texts: Mapping[Key, str], chosen: Key, meaning: str = "") -> None:
    with QSignalBlocker(box):
        box.clear()
        for key, text in texts.items():
            box.addItem(text, key)
        box.setCurrentIndex(box.findData(chosen))
    box.setToolTip(f"{texts[chosen]}\n{meaning}".strip())
