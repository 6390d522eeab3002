"""Badge of a column's role: a coloured square with a glyph, so that colour is not the only sign.

Without a role it is hollow and dashed and has no glyph.
"""

from __future__ import annotations

from functools import lru_cache
from math import ceil

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QIcon, QPainter, QPen, QPixmap
from PySide6.QtWidgets import QAbstractButton, QSizePolicy

from anonymizer_gui.theming import (
    ROLE_ICONS,
    Text,
    Theme,
    current_theme,
    font,
    paint_icon,
    paint_text,
    scaled,
)
from anonymizer_gui.theming.painter import ThemedPainter
from anonymizer_gui.theming.type_scale import MEDIUM, SEMI_BOLD
from anonymizer_gui.widgets.drawn import Drawn, Picture
from engine.words import _

BADGE_SIZE = 20
_DASHES, _DASH_WIDTH = (2.2, 1.8), 1.2


def draw_role_badge(painter: QPainter, rect: QRectF, theme: Theme, role: str) -> None:
    """Draw the badge of a role given by key as the largest square centred in `rect`."""
    tone = theme.role(role)
    side = min(rect.width(), rect.height())
    square = QRectF(0, 0, side, side)
    square.moveCenter(rect.center())
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    if role not in ROLE_ICONS:
        pen = QPen(QColor(theme.border_strong), _DASH_WIDTH)
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        pen.setDashPattern([dash / _DASH_WIDTH for dash in _DASHES])
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        inset = _DASH_WIDTH / 2
        painter.drawRoundedRect(square.adjusted(inset, inset, -inset, -inset), side * 0.2, side * 0.2)
        painter.restore()
        return
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(tone.fill))
    painter.drawRoundedRect(square, side * 0.2, side * 0.2)
    inset = side * 0.15
    paint_icon(painter, square.adjusted(inset, inset, -inset, -inset), ROLE_ICONS[role], tone.glyph)
    painter.restore()


@lru_cache(maxsize=128)
def _pixmap(role: str, size: int, ratio: float, theme: Theme) -> QPixmap:
    pixmap = QPixmap(round(size * ratio), round(size * ratio))
    pixmap.setDevicePixelRatio(ratio)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    draw_role_badge(painter, QRectF(0, 0, size, size), theme, role)
    painter.end()
    return pixmap


def role_badge_pixmap(role: str, size: int = BADGE_SIZE, ratio: float = 1.0) -> QPixmap:
    """Return the badge as a picture in the current theme, for headers and delegates."""
    return _pixmap(role, size, ratio, current_theme())


def role_icon(role: str, size: int = BADGE_SIZE) -> QIcon:
    """Return the badge as an icon for menus, buttons and combo boxes."""
    icon = QIcon()
    for ratio in (1.0, 2.0):
        icon.addPixmap(role_badge_pixmap(role, size, ratio))
    return icon


class RoleBadge(Picture):
    """Badge as a widget."""

    def __init__(self, role: str, size: int = BADGE_SIZE) -> None:
        super().__init__(size, size)
        self.set_role(role)

    def set_role(self, role: str) -> None:
        self._role = role
        self.setAccessibleName(_(role))
        self.setToolTip(_(role).capitalize())
        self.update()

    def draw(self, painter: ThemedPainter) -> None:
        draw_role_badge(painter, QRectF(self.rect()), painter.theme, self._role)


_HEIGHT, _BADGE, _PADDING, _GAP = 24, 16, 6, 5


class RoleButton(Drawn, QAbstractButton):
    """Painted button of constant width, so that checking one of four does not move the others."""

    def __init__(self, role: str, text: str) -> None:
        super().__init__()
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

    def draw(self, painter: ThemedPainter) -> None:
        theme, chosen = painter.theme, self.isChecked()
        hover = theme.hover if self.underMouse() and self.isEnabled() else theme.surface
        painter.setBrush(QColor(theme.role(self.role).soft if chosen else hover))
        painter.ink("ink" if chosen else "border_strong", 1.5 if chosen else 1)
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.75, 0.75, -0.75, -0.75), 6, 6)
        badge = QRectF(_PADDING, (self.height() - scaled(_BADGE)) / 2, scaled(_BADGE), scaled(_BADGE))
        if not self.isEnabled():
            painter.setOpacity(0.5)
        draw_role_badge(painter, badge, theme, self.role)
        painter.setOpacity(1)
        words = self.rect().adjusted(_PADDING + scaled(_BADGE) + _GAP, 0, -_PADDING + 2, 0)
        token, weight = "text" if self.isEnabled() else "text_disabled", SEMI_BOLD if chosen else MEDIUM
        paint_text(painter, words, self.text(), Text.CELL, token, weight=weight)
