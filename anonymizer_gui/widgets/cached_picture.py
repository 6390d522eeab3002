"""Part of a widget that is drawn once, for widgets that are painted often."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter, QPixmap
from PySide6.QtWidgets import QWidget

from anonymizer_gui.theming import current_theme, font_scale


class CachedPicture:
    """Picture of the size of a widget, drawn again if its content, the size or the theme has changed."""

    def __init__(self) -> None:
        self._picture = QPixmap()
        self._shown: object = None

    def paint(
        self, painter: QPainter, widget: QWidget, content: object, draw: Callable[[QPainter], object]
    ) -> None:
        """Paint the picture of some content over a widget.

        Parameters
        ----------
        painter : QPainter
        widget : QWidget
        content : object
            What the picture shows; compared by equality.
        draw : callable
            Draws the picture, if it has changed.
        """
        ratio = widget.devicePixelRatioF()
        wanted = (content, widget.size().toTuple(), ratio, current_theme(), font_scale())
        if wanted != self._shown:
            self._picture, self._shown = QPixmap(widget.size() * ratio), wanted
            self._picture.setDevicePixelRatio(ratio)
            self._picture.fill(Qt.GlobalColor.transparent)
            own = QPainter(self._picture)
            own.setFont(widget.font())
            draw(own)
            own.end()
        painter.drawPixmap(0, 0, self._picture)
