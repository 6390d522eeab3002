"""The slider of the coding model, with what each of its ends means below it."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from anonymizer_gui.perspectives.configure.limit_slider import LimitSlider
from anonymizer_gui.theming import Text
from anonymizer_gui.widgets.labels import make_label
from anonymizer_gui.widgets.numbers import as_decimal


class CodingSlider(QWidget):
    """From suppression, which counts less towards the left, to generalization at the right."""

    value_changed = Signal(float)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.slider = _Slider(self.tr("Coding model"))
        self.slider.setObjectName("codingSlider")
        self.slider.value_moved.connect(self.value_changed)
        self.slider.value_chosen.connect(self.value_changed)
        ends = QHBoxLayout()
        ends.addWidget(make_label(self.tr("Suppression counts less"), Text.CAPTION, "text_3"))
        ends.addStretch(1)
        ends.addWidget(make_label(self.tr("Generalization counts less"), Text.CAPTION, "text_3"))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.slider)
        column.addLayout(ends)

    def set_value(self, value: float) -> None:
        """Show another value without announcing it."""
        self.slider.set_value(value)


class _Slider(LimitSlider):
    """The whole scale from 0 to 1."""

    @property
    def largest(self) -> float:
        return 1.0

    def _set(self, value: float) -> None:
        self._value = value
        self.setAccessibleDescription(as_decimal(value, 2))
        self.setToolTip(self.tr("0 to 1; type any value beside it"))
        self.update()
