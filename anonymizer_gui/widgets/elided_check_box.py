"""Check box whose text is elided to the available room, with the full text in its tooltip."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QCheckBox, QWidget


class ElidedCheckBox(QCheckBox):
    """Check box for data values: an ampersand is a letter, and any length is possible."""

    def __init__(self, text: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._full_text = text
        self._hint = ""
        self.setAccessibleName(text)
        self._show()

    def set_text(self, text: str) -> None:
        """Set the text."""
        if text != self._full_text:
            self._full_text = text
            self.setAccessibleName(text)
            self._show()
            self.updateGeometry()

    def set_hint(self, hint: str) -> None:
        """Set a tooltip shown after the text."""
        self._hint = hint
        self._show()

    def shown_text(self) -> str:
        """Return the text as drawn."""
        return self.text().replace("&&", "&")

    def sizeHint(self) -> QSize:
        return QSize(self._frame() + self._advance(self._full_text) + 2, super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        return QSize(
            self._frame() + self._advance(self._full_text[:3] + "…"), super().minimumSizeHint().height()
        )

    def hitButton(self, pos: QPoint) -> bool:
        """Return whether a click hits the row, which is wider than the text."""
        return self.rect().contains(pos)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._show()

    def _frame(self) -> int:
        """Return the width of the box without its text."""
        return super().sizeHint().width() - self._advance(self.shown_text())

    def _advance(self, text: str) -> int:
        return self.fontMetrics().horizontalAdvance(text)

    def _show(self) -> None:
        room = self.width() - self._frame()
        shown = self.fontMetrics().elidedText(self._full_text, Qt.TextElideMode.ElideRight, room)
        text = shown.replace("&", "&&")
        if text != self.text():
            self.setText(text)
        self.setToolTip("\n".join(filter(None, [self._full_text, self._hint])))
