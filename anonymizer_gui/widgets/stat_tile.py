"""Value with its caption above and its unit or comparison next to it."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QSizePolicy, QWidget

from anonymizer_gui.theming import Text
from anonymizer_gui.widgets.labels import CaptionLabel, ElidedLabel, make_label, set_tone
from anonymizer_gui.widgets.layouts import hbox, vbox

_SIDE, _GAP = 12, 6


class StatTile(QWidget):
    """Caption, value and unit; adjacent tiles have separators, never boxes."""

    def __init__(self, caption: str, value: str = "", unit: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._caption = ElidedLabel(caption, Text.CAPTION, "text_3")
        self._value = make_label(value, Text.STAT)
        self._unit = CaptionLabel(unit, Text.CELL, "text_2")
        row = hbox(
            (self._value, 0, Qt.AlignmentFlag.AlignBaseline),
            (self._unit, 1, Qt.AlignmentFlag.AlignBaseline),
            spacing=_GAP,
        )
        vbox(self._caption, row, spacing=0, margins=(_SIDE, 6, _SIDE, 6), of=self)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def minimumSizeHint(self) -> QSize:
        """Return the room for caption and value; the unit gives way."""
        value = self._value.sizeHint().width() + _GAP  # before the unit, even without room for it
        width = max(self._caption.sizeHint().width(), value) + 2 * _SIDE
        return QSize(width, super().minimumSizeHint().height())

    def show_value(self, value: str, unit: str = "", tone: str = "text", exact: str = "") -> None:
        """Set the value; `exact` is the tooltip of an abbreviated one."""
        self._value.setText(value)
        self._value.setToolTip(exact)
        self._unit.setText(unit)
        set_tone(self._value, tone)

    def value(self) -> str:
        return self._value.text()
