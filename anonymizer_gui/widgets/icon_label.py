"""Icon in a colour of the theme."""

from __future__ import annotations

from PySide6.QtCore import QRectF

from anonymizer_gui.theming import paint_icon
from anonymizer_gui.theming.painter import ThemedPainter
from anonymizer_gui.widgets.drawn import Picture


class IconLabel(Picture):
    """Shows one icon in the colour of a token; painted, so that it is sharp at every pixel ratio."""

    def __init__(self, icon_name: str, size: int = 16, token: str = "text_2") -> None:
        super().__init__(size, size)
        self.mark = icon_name, token  # name of the icon, and token of its colour

    def set_icon(self, icon_name: str, token: str) -> None:
        """Set icon and colour token."""
        if (icon_name, token) != self.mark:
            self.mark = icon_name, token
            self.update()

    def draw(self, painter: ThemedPainter) -> None:
        icon_name, token = self.mark
        paint_icon(painter, QRectF(self.rect()), icon_name, str(getattr(painter.theme, token)))
