"""Painting with colours by their tokens, and fonts by their use."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPaintDevice, QPainter, QPen

from anonymizer_gui.theming.manager import current_theme
from anonymizer_gui.theming.tokens import Theme
from anonymizer_gui.theming.type_scale import Text, font

Pixels = NDArray[np.uint32]
Shape = NDArray[np.bool_]
_RIGHT, _LEFT = Qt.AlignmentFlag.AlignRight, Qt.AlignmentFlag.AlignLeft


class ThemedPainter(QPainter):
    """Painter of a view or picture in a theme, by default the current one."""

    def __init__(self, device: QPaintDevice, theme: Theme | None = None) -> None:
        super().__init__(device)
        self.theme = theme or current_theme()

    def ink(self, token: str, width: float = 1.0, dashes: Sequence[float] = ()) -> None:
        """Draw lines, outlines and texts in a colour; `dashes` are lengths in widths of the line."""
        pen = QPen(self.theme.color(token), width)
        if dashes:
            pen.setDashPattern(dashes)
        self.setPen(pen)

    def tint(self, token: str, opacity: float = 1.0) -> None:
        """Fill shapes with a colour, or with none."""
        self.setBrush(self._colour(token, opacity) if token else Qt.BrushStyle.NoBrush)

    def fill(self, rect: QRectF | QRect, token: str, opacity: float = 1.0, *, radius: float = 0.0) -> None:
        """Fill a rectangle without an outline, with round corners if they have a radius."""
        if not radius:
            self.fillRect(rect, self._colour(token, opacity))
            return
        self.setPen(Qt.PenStyle.NoPen)
        self.tint(token, opacity)
        self.drawRoundedRect(rect, radius, radius)

    def _colour(self, token: str, opacity: float) -> QColor:
        colour = self.theme.color(token)
        if opacity < 1.0:
            colour.setAlphaF(opacity)
        return colour

    def outline(
        self, rect: QRectF, token: str, width: float = 1.0, radius: float = 0.0, filled: str = ""
    ) -> None:
        """Draw the outline of a rectangle, with round corners if they have a radius, perhaps filled."""
        self.ink(token, width)
        self.tint(filled)
        if radius:
            self.drawRoundedRect(rect, radius, radius)
        else:
            self.drawRect(rect)

    def style(self, use: Text, token: str, weight: int | None = None) -> None:
        """Write texts of a use in a colour."""
        self.setFont(font(use, weight))
        self.ink(token)

    def elided(self, text: str, width: float) -> str:
        """Return a text shortened to a width in the present font."""
        return self.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, int(width))


def paint_text(
    painter: QPainter,
    room: QRect | QRectF,
    text: str,
    use: Text,
    token: str = "text",
    *,
    is_right: bool = False,
    weight: int | None = None,
) -> None:
    """Draw a text in the middle of the height, elided to the width, at the left or at the right."""
    painter.setFont(font(use, weight))
    painter.setPen(current_theme().color(token))
    metrics, width, shown = painter.fontMetrics(), int(room.width()), text
    if metrics.horizontalAdvance(text) > width:  # measured faster than shortened
        shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, width)
    painter.drawText(room, int((_RIGHT if is_right else _LEFT) | Qt.AlignmentFlag.AlignVCenter), shown)


def pixels_of(image: QImage) -> Pixels:
    """Return the pixels of a picture; the array uses its memory, so that nothing is copied."""
    return np.frombuffer(image.bits(), dtype=np.uint32).reshape(image.height(), image.width())


def filled(width: int, height: int) -> Shape:
    """Return all pixels of a rectangle."""
    return np.ones((height, width), dtype=np.bool_)


def stamp(
    pixels: Pixels,
    left: NDArray[np.int64],
    top: NDArray[np.int64],
    shape: Shape,
    inks: NDArray[np.uint32] | np.uint32,
) -> None:
    """Draw a shape at many positions, in one ink each or one for all, clipped to the array."""
    height, width = pixels.shape
    down, across = np.nonzero(shape)
    if not len(left) or not len(down):
        return
    inks = np.broadcast_to(inks, left.shape)
    whole = (left >= 0) & (top >= 0) & (left + shape.shape[1] <= width) & (top + shape.shape[0] <= height)
    first = top[whole] * width + left[whole]
    pixels.reshape(-1)[first[:, None] + (down * width + across)] = inks[whole][:, None]
    if not whole.all():
        x, y = left[~whole][:, None] + across, top[~whole][:, None] + down
        seen = (x >= 0) & (x < width) & (y >= 0) & (y < height)
        pixels[y[seen], x[seen]] = np.broadcast_to(inks[~whole][:, None], x.shape)[seen]
