"""Button that sets the role of the selected columns: badge, name, soft tone if checked."""

from __future__ import annotations

from math import ceil

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from anonymizer_gui.theming import Text, current_theme, font, scaled
from anonymizer_gui.theming.type_scale import MEDIUM, SEMI_BOLD
from anonymizer_gui.widgets.role_badge import draw_role_badge

_HEIGHT, _BADGE, _PADDING, _GAP = 24, 16, 6, 5


class RoleButton(QAbstractButton):
    """Painted button of constant width, so that checking one of four does not move the others."""

    def __init__(self, role: str, text: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.role = role  # key of the role that the button sets
        self.setText(text)
        self.setAccessibleName(text)
        self.setCheckable(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setSizePolicy(QSizePolicy.Policy.Minimum, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        # Rounded up: a text that is a fraction of a pixel too wide is elided.
        words = ceil(QFontMetricsF(font(Text.CELL, SEMI_BOLD)).horizontalAdvance(self.text()))
        return QSize(words + scaled(_BADGE) + 2 * _PADDING + _GAP - 2, scaled(_HEIGHT))

    def minimumSizeHint(self) -> QSize:
        return QSize(scaled(_BADGE) + 2 * _PADDING, scaled(_HEIGHT))

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = current_theme()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        chosen = self.isChecked()
        hover = theme.hover if self.underMouse() and self.isEnabled() else theme.surface
        painter.setBrush(QColor(theme.role(self.role).soft if chosen else hover))
        painter.setPen(QPen(QColor(theme.ink if chosen else theme.border_strong), 1.5 if chosen else 1))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.75, 0.75, -0.75, -0.75), 6, 6)
        badge = QRectF(_PADDING, (self.height() - scaled(_BADGE)) / 2, scaled(_BADGE), scaled(_BADGE))
        if not self.isEnabled():
            painter.setOpacity(0.5)
        draw_role_badge(painter, badge, theme, self.role)
        painter.setOpacity(1)
        painter.setFont(font(Text.CELL, SEMI_BOLD if chosen else MEDIUM))
        painter.setPen(theme.color("text" if self.isEnabled() else "text_disabled"))
        words = self.rect().adjusted(_PADDING + scaled(_BADGE) + _GAP, 0, -_PADDING + 2, 0)
        shown = painter.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, words.width())
        painter.drawText(words, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, shown)
