"""Icon in a colour of the theme."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from anonymizer_gui.theming import current_theme, paint_icon, scaled
from anonymizer_gui.widgets.accessible import Accessible, Role


class IconLabel(QWidget):
    """Shows one icon in the colour of a token; painted, so that it is sharp at every pixel ratio."""

    def __init__(
        self, icon_name: str, size: int = 16, token: str = "text_2", parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._icon_name, self._size, self._token = icon_name, size, token
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def as_accessible(self) -> Accessible:
        return Accessible(Role.Graphic)

    def set_icon(self, icon_name: str, token: str) -> None:
        """Set icon and colour token."""
        if (icon_name, token) != (self._icon_name, self._token):
            self._icon_name, self._token = icon_name, token
            self.update()

    @property
    def mark(self) -> tuple[str, str]:
        """Name of the icon, and token of its colour."""
        return self._icon_name, self._token

    def sizeHint(self) -> QSize:
        return QSize(scaled(self._size), scaled(self._size))

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = current_theme()
        color = str(getattr(theme, self._token))
        paint_icon(QPainter(self), QRectF(self.rect()), self._icon_name, color)
