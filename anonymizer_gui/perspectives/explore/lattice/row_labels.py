"""Row labels of the lattice, as pictures of which only changed texts are drawn again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import ceil, floor

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QImage, QPainter

from anonymizer_gui.perspectives.explore.lattice.geometry import LatticeGeometry
from anonymizer_gui.theming import Text, Theme, font, font_scale, scaled

_BESIDE = 8  # pixels between a count and the right edge, with the space around its text
_AT_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
_Label = tuple[QRectF, str]


class RowLabels:
    """Draws the sum of levels left of each row, its satisfying nodes at the right, and a line below.

    A turned knob changes few of these texts. While all else stays, those that fit into the margins are kept
    as pictures on the surface; longer ones overlap nodes and are drawn each time.
    """

    def __init__(self) -> None:
        self._geometry: LatticeGeometry | None = None
        self._shown: tuple[object, ...] = ()
        self._lines: list[QRectF] = []
        self._half = 0.0  # height of a label
        self._middles: dict[int, float] = {}  # of the labels, by row
        self._margins: tuple[QImage, QImage] | None = None  # None if labels or pixels would overlap
        self._texts: list[str] = []  # in the right margin, by row
        self._widths: dict[str, float] = {}

    def draw(
        self,
        painter: QPainter,
        geometry: LatticeGeometry,
        canvas: QRectF,
        gutters: tuple[int, int],
        texts: Sequence[str],
        theme: Theme,
    ) -> None:
        """Draw lines and labels; the margins of a zoomed lattice are covered first."""
        shown = canvas, gutters, theme, font_scale()
        # A geometry is compared by identity, because comparing its layout would take longer.
        if self._geometry is not geometry or self._shown != shown:
            self._geometry, self._shown = geometry, shown
            self._lay_out(geometry, canvas, gutters, theme)
        left, right = gutters
        widest = max(map(self._width, texts), default=0.0)
        if geometry.zoom > 1:
            counts, surface = max(widest + 12, right), theme.color("surface")
            painter.fillRect(QRectF(0, 0, left, canvas.height()), surface)
            painter.fillRect(QRectF(canvas.width() - counts, 0, counts, canvas.height()), surface)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.color("grid"))
        painter.drawRects(self._lines)
        start = canvas.width() - _BESIDE - widest

        def label(row: int) -> _Label:
            return QRectF(start, self._middles[row] - self._half, widest + 2, 2 * self._half), texts[row]

        counted = [row for row in self._middles if row < len(texts)]
        if self._margins is None:
            _write(painter, [*self._sums(left), *map(label, counted)], theme)
            return
        room, beside = right - _BESIDE, round(canvas.width()) - right
        if changed := [row for row in counted if texts[row] != self._texts[row]]:
            labels = [(box, text if self._width(text) <= room else "") for box, text in map(label, changed)]
            _write_into(self._margins[1], beside, labels, theme)
            for row in changed:
                self._texts[row] = texts[row]
        painter.drawImage(0, 0, self._margins[0])
        painter.drawImage(beside, 0, self._margins[1])
        _write(painter, [label(row) for row in counted if self._width(texts[row]) > room], theme)

    def _lay_out(
        self, geometry: LatticeGeometry, canvas: QRectF, gutters: tuple[int, int], theme: Theme
    ) -> None:
        """Find the places of lines and labels, and draw the sums of levels."""
        left, right = gutters
        height, ratio, half = geometry.band_height, geometry.ratio, max(7.0, scaled(7))
        # Digits have no descenders, so lines may be closer than the font's spacing.
        every = max(1, ceil(QFontMetricsF(font(Text.AXIS)).capHeight() * 1.5 / height))
        self._half, self._lines, self._middles = half, [], {}
        for row in range(geometry.layout.n_rows):
            top = geometry.row_top(row)
            if top + height < 0 or top > canvas.height():
                continue
            self._lines.append(QRectF(left, round(top + height), canvas.width() - left - right, 1))
            if row % every:
                continue
            middle = top + height / 2
            if height > 2 * half:  # the label of a row higher than the window stays visible
                middle = min(max(middle, half + 1), canvas.height() - half - 1)
                middle = min(max(middle, top + half), top + height - half)
            self._middles[row] = middle
        self._margins, self._widths = None, {}
        if every * height >= 2 * half + 2 and ratio == round(ratio):
            size = canvas.height(), ratio
            self._margins = _blank(left, *size, theme), _blank(right, *size, theme)
            self._texts = [""] * geometry.layout.n_rows
            _write_into(self._margins[0], 0, self._sums(left), theme)

    def _sums(self, left: int) -> list[_Label]:
        """Return the sums of levels, clear of the frame of a focused view."""
        assert self._geometry is not None, "laid out before"
        sums, half = self._geometry.layout.sums, self._half
        return [
            (QRectF(0, middle - half, left - 3, 2 * half), str(sums[row]))
            for row, middle in self._middles.items()
        ]

    def _width(self, text: str) -> float:
        if text not in self._widths:
            self._widths[text] = QFontMetricsF(font(Text.AXIS)).horizontalAdvance(text)
        return self._widths[text]


def _blank(width: int, height: float, ratio: float, theme: Theme) -> QImage:
    picture = QImage(round(width * ratio), round(height * ratio), QImage.Format.Format_RGB32)
    picture.setDevicePixelRatio(ratio)
    picture.fill(QColor(theme.surface))
    return picture


def _write_into(picture: QImage, left: int, labels: Sequence[_Label], theme: Theme) -> None:
    """Write labels into a picture that starts at a column of the canvas, instead of those at their places."""
    painter, surface = QPainter(picture), theme.color("surface")
    painter.translate(-left, 0)
    for box, _text in labels:
        top = floor(box.top())
        painter.fillRect(QRectF(left, top, picture.width(), ceil(box.bottom()) - top), surface)
    _write(painter, labels, theme)
    painter.end()


def _write(painter: QPainter, labels: Iterable[_Label], theme: Theme) -> None:
    painter.setFont(font(Text.AXIS))
    painter.setPen(theme.color("text_3"))
    for box, text in labels:
        painter.drawText(box, _AT_RIGHT, text)
