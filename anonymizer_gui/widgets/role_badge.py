"""Badge of a column's role: a coloured square with a glyph, so that colour is not the only sign.

Without a role it is hollow and dashed and has no glyph.
"""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPaintEvent, QPen, QPixmap
from PySide6.QtWidgets import QSizePolicy, QWidget

from anonymizer_gui.theming import ROLE_ICONS, Theme, current_theme, paint_icon, scaled
from anonymizer_gui.widgets.accessible import Accessible, Role
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


class RoleBadge(QWidget):
    """Badge as a widget."""

    def __init__(self, role: str, size: int = BADGE_SIZE, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._size = size
        self._role = role
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.set_role(role)

    def as_accessible(self) -> Accessible:
        return Accessible(Role.Graphic)

    def role(self) -> str:
        return self._role

    def set_role(self, role: str) -> None:
        self._role = role
        self.setAccessibleName(_(role))
        self.setToolTip(_(role).capitalize())
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(scaled(self._size), scaled(self._size))

    def paintEvent(self, event: QPaintEvent) -> None:
        draw_role_badge(QPainter(self), QRectF(self.rect()), current_theme(), self._role)
