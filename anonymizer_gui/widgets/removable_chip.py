"""Chip for an active setting, removed by a click, with a cross at its end."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from anonymizer_gui.theming import Text, current_theme, font, paint_icon, scaled, theme_manager
from anonymizer_gui.widgets.chip import CHIP_HEIGHT

_HIT, _SIDE, _CROSS, _GAP, _WIDEST, _RADIUS = 24, 7, 12, 5, 200, 4


class RemovableChip(QAbstractButton):
    """Chip that is one button: click, Space, Enter, Delete and Backspace request its removal."""

    removal_requested = Signal()

    def __init__(self, text: str, explanation: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setText(text)
        words = self.tr("Remove the filter {text}").format(text=text)
        self.setAccessibleName(words)
        self.setToolTip("\n".join(filter(None, (words, explanation))))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.clicked.connect(self.removal_requested)
        theme_manager().theme_changed.connect(self.updateGeometry)

    def sizeHint(self) -> QSize:
        room = QFontMetrics(font(Text.CHIP)).horizontalAdvance(self.text()) + 2
        return QSize(min(room, scaled(_WIDEST)) + 2 * _SIDE + _GAP + scaled(_CROSS), scaled(_HIT))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        keys = (Qt.Key.Key_Delete, Qt.Key.Key_Backspace, Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if event.key() in keys:
            self.click()
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, height, cross = current_theme(), scaled(CHIP_HEIGHT), scaled(_CROSS)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.color("hover" if self.isDown() else "accent_soft"))
        ground = QRectF(0, (self.height() - height) / 2, self.width(), height)
        painter.drawRoundedRect(ground, _RADIUS, _RADIUS)
        painter.setFont(font(Text.CHIP))
        painter.setPen(theme.color("accent_text"))
        words = ground.adjusted(_SIDE, 0, -_SIDE - cross - _GAP, 0)
        shown = painter.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, int(words.width()))
        painter.drawText(words, int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter), shown)
        place = QRectF(ground.right() - _SIDE - cross, (self.height() - cross) / 2, cross, cross)
        paint_icon(painter, place, "x", theme.text if self.underMouse() else theme.accent_text)
