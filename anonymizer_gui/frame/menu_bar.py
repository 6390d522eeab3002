"""Menu bar without underlined letters; Alt still opens the menus."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QMenuBar, QWidget

from anonymizer_gui.theming import Text, current_theme, font

_RADIUS = 6


class MenuBar(QMenuBar):
    """Menu bar that paints its titles.

    Qt asks the application style whether to underline letters. A Python style would be asked so often while a
    window is built that building would take half as long again.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setNativeMenuBar(False)  # a system menu has no place for the text at the right end

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = current_theme()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), theme.color("surface"))
        painter.setFont(font(Text.CONTROL))
        align = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextHideMnemonic | Qt.TextFlag.TextSingleLine
        active = self.activeAction()
        for action in self.actions():
            place = self.actionGeometry(action)
            is_active = action is active
            if is_active:
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(theme.color("hover"))
                painter.drawRoundedRect(QRectF(place).adjusted(0, 1, 0, -1), _RADIUS, _RADIUS)
            painter.setPen(theme.color("text" if is_active else "text_2"))
            painter.drawText(place, align, action.text())
