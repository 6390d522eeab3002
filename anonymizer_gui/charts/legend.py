"""Legend of a chart: a sample and a name per series, in a row that wraps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from anonymizer_gui.charts.plot import FILL_OPACITY, LINE_WIDTH
from anonymizer_gui.theming import Text, current_theme, follow_theme, font, paint_tint, scaled
from anonymizer_gui.widgets.accessible import Accessible, Role

_SAMPLE, _GAP, _BETWEEN = 16, 6, 16


class Sample(Enum):
    """Shape that a series is drawn with."""

    LINE = "line"
    DASHED = "dashed"
    AREA = "area"
    OUTLINE = "outline"
    BLOCK = "block"  # a filled square, like tinted cells
    POINT = "point"
    RING = "ring"


@dataclass(frozen=True)
class LegendEntry:
    """Name, shape and colour token of one series."""

    sample: Sample
    token: str
    text: str


class Legend(QWidget):
    """Painted legend, as wide as its text but at most as wide as its parent."""

    def __init__(self, entries: Sequence[LegendEntry] = (), parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._entries: tuple[LegendEntry, ...] = ()
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        follow_theme(self.updateGeometry)
        self.show_entries(entries)

    def as_accessible(self) -> Accessible:
        return Accessible(Role.Graphic)

    def show_entries(self, entries: Sequence[LegendEntry]) -> None:
        """Replace all entries."""
        self._entries = tuple(entries)
        self.setAccessibleName(", ".join(entry.text for entry in entries))
        self.setVisible(bool(entries))
        self.updateGeometry()
        self.update()

    def add_entry(self, entry: LegendEntry) -> None:
        """Append one entry."""
        self.show_entries((*self._entries, entry))

    def texts(self) -> tuple[str, ...]:
        """Return the names in their order."""
        return tuple(entry.text for entry in self._entries)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return self._line_height() * (1 + (self._places(width)[-1][1] if self._entries else 0))

    def sizeHint(self) -> QSize:
        width = sum(self._width(entry) + _BETWEEN for entry in self._entries) - _BETWEEN
        # A widget of fixed height is never higher than its hint, whatever it needs for its width.
        height = self.heightForWidth(self.width()) if self.isVisible() else self._line_height()
        return QSize(max(width, 0), height)

    def minimumSizeHint(self) -> QSize:
        widest = max((self._width(entry) for entry in self._entries), default=0)
        return QSize(min(widest, 120), self._line_height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        whole = "\n".join(self.texts())
        if self.height() != self.heightForWidth(self.width()):
            self.updateGeometry()
        is_short = any(self._width(entry) > self.width() for entry in self._entries)
        self.setToolTip(whole if is_short else "")

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = current_theme()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(font(Text.AXIS))
        height = self._line_height()
        for entry, (x, line) in zip(self._entries, self._places(self.width()), strict=True):
            _draw_sample(painter, QRectF(x, line * height, _SAMPLE, height), entry)
            painter.setPen(theme.color("text_2"))
            room = QRectF(x + _SAMPLE + _GAP, line * height, self.width() - x - _SAMPLE - _GAP, height)
            text = painter.fontMetrics().elidedText(
                entry.text, Qt.TextElideMode.ElideRight, int(room.width()) + 1
            )
            painter.drawText(room, int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft), text)

    def _places(self, width: int) -> list[tuple[int, int]]:
        """Return left edge and line number of each entry."""
        places, x, line = [], 0, 0
        for entry in self._entries:
            wide = self._width(entry)
            if x and x + wide > width:
                x, line = 0, line + 1
            places.append((x, line))
            x += wide + _BETWEEN
        return places

    def _width(self, entry: LegendEntry) -> int:
        return _SAMPLE + _GAP + QFontMetrics(font(Text.AXIS)).horizontalAdvance(entry.text) + 2

    def _line_height(self) -> int:
        return scaled(18)


def _draw_sample(painter: QPainter, place: QRectF, entry: LegendEntry) -> None:
    theme = current_theme()
    color, middle = theme.color(entry.token), place.center().y()
    if entry.sample in (Sample.LINE, Sample.DASHED):
        pen = QPen(color, LINE_WIDTH)
        if entry.sample is Sample.DASHED:
            pen.setDashPattern([3, 2])
        painter.setPen(pen)
        painter.drawLine(QPointF(place.left(), middle), QPointF(place.right(), middle))
        return
    if theme.is_high_contrast and entry.token.startswith("change_"):
        paint_tint(painter, QRect(round(place.left()) + 1, round(middle - 6.5), 14, 14), theme, entry.token)
        return
    block = QRectF(place.left() + 2, middle - 5.5, 11, 11)
    painter.setPen(QPen(color if entry.sample is not Sample.BLOCK else theme.color("border_strong"), 1))
    if entry.sample in (Sample.OUTLINE, Sample.RING):
        painter.setBrush(Qt.BrushStyle.NoBrush)
    elif entry.sample is Sample.AREA:
        color.setAlphaF(FILL_OPACITY)
        painter.setBrush(color)
    else:
        painter.setBrush(color)
    if entry.sample in (Sample.POINT, Sample.RING):
        painter.drawEllipse(block.adjusted(2, 2, -2, -2) if entry.sample is Sample.POINT else block)
    else:
        painter.drawRoundedRect(block, 2, 2)
