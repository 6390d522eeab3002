"""Widgets that draw themselves in the current theme, or whose contents depend on it and on their size."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, QSize, Qt, QTimer
from PySide6.QtGui import QPainter, QPaintEvent, QPixmap, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from anonymizer_gui.theming import current_theme, font_scale, paint_icon, scaled, theme_manager
from anonymizer_gui.theming.painter import ThemedPainter
from anonymizer_gui.widgets.accessible import Accessible, Role

if TYPE_CHECKING:
    _Widget = QWidget
else:
    _Widget = object  # the class of Qt follows as a second base class


class Drawn(_Widget):
    """Base class before the one of Qt, whose own drawing stays below if `is_over` is true."""

    is_over = False

    def draw(self, painter: ThemedPainter) -> None:
        """Draw the widget with smooth lines, which the method may switch off."""

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.is_over:
            super().paintEvent(event)
        painter = ThemedPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self.draw(painter)


class Picture(Drawn, QWidget):
    """Small drawing of a constant size, in px at font scale 1, that answers nothing."""

    def __init__(self, width: int, height: int) -> None:
        super().__init__()
        self._extent = width, height
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def as_accessible(self) -> Accessible:
        return Accessible(Role.Graphic)

    def sizeHint(self) -> QSize:
        return QSize(*map(scaled, self._extent))


class CachedPicture:
    """Picture of the size of a widget, drawn again if its content, the size or the theme has changed."""

    def __init__(self) -> None:
        self._picture = QPixmap()
        self._shown: object = None

    def paint(
        self, painter: QPainter, widget: QWidget, content: object, draw: Callable[[ThemedPainter], object]
    ) -> None:
        """Paint the picture of some content over a widget.

        Parameters
        ----------
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
            own = ThemedPainter(self._picture)
            own.setFont(widget.font())
            draw(own)
            own.end()
        painter.drawPixmap(0, 0, self._picture)


class FitsRoom(_Widget):
    """Base class before the one of Qt: fits the contents whenever size or theme change."""

    _follows_theme = False

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if not self._follows_theme:  # not before the parts of the widget, which exist now, do so
            self._follows_theme = True
            theme_manager().theme_changed.connect(self._refit)
        self._fit()

    def _refit(self) -> None:
        self._fit()
        QTimer.singleShot(0, self, self._fit)  # widgets get their style only after this event

    def _fit(self) -> None:
        raise NotImplementedError


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
