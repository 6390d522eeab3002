"""Note below a field about an error in its input."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtWidgets import QLabel, QWidget

from anonymizer_gui.theming import Text, scaled

_STAYS_MS, _WIDEST, _GAP = 12_000, 320, 4


class FieldNote(QLabel):
    """Visible for some seconds, regardless of the mouse; a tooltip would disappear with the next click."""

    def __init__(self, field: QWidget) -> None:
        super().__init__(field, Qt.WindowType.ToolTip | Qt.WindowType.FramelessWindowHint)
        self.setObjectName("fieldNote")
        self.setAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setProperty("use", Text.CELL.value)
        self.setWordWrap(True)
        self._field = field
        self._end = QTimer(self, singleShot=True, interval=_STAYS_MS)
        self._end.timeout.connect(self.hide)

    @property
    def visible_text(self) -> str:
        """Text shown; empty while hidden."""
        return "" if self.isHidden() else self.text()

    def show_text(self, text: str) -> None:
        """Show a text below the field."""
        self.setText(text)
        self.setFixedWidth(scaled(_WIDEST))
        self.adjustSize()
        room = self._field.screen().availableGeometry()
        at = self._field.mapToGlobal(QPoint(0, self._field.height() + _GAP))
        x = max(min(at.x(), room.right() - self.width()), room.left())
        self.move(x, min(at.y(), room.bottom() - self.height()))
        self.show()
        self._end.start()
