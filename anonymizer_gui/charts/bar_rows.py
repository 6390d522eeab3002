"""Named horizontal bars on one scale, one row per value; two bars if a row compares before and after."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from PySide6.QtCore import QEvent, QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QHelpEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from anonymizer_gui.theming import Text, current_theme, font, paint_text, paint_track, scaled, theme_manager
from anonymizer_gui.widgets.accessible import Accessible, Role
from anonymizer_gui.widgets.drawn import FitsRoom

_SIDE, _GAP, _NAME_SHARE, _WIDEST_NAME = 12, 10, 0.42, 210
_AXIS_HEIGHT, _ROW, _ROW_WITH_CAPTION, _HEADING = 20, 22, 36, 24
_NARROW, _NARROW_ROW = 320, 38  # px of width, and of height where there is less
_Align = Qt.AlignmentFlag


@dataclass(frozen=True, slots=True)
class Bar:
    """Length as a fraction of the scale, the token of its colour, and the ends of the value's interval."""

    share: float
    token: str = "series_2"
    ends: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class BarRow:
    """One row of bars.

    Attributes
    ----------
    name, caption : str
        At the left, the caption below the name.
    bars : tuple of Bar
        From top to bottom; empty for a heading.
    text : str
        Value or values at the right.
    """

    name: str
    caption: str = ""
    bars: tuple[Bar, ...] = ()
    text: str = ""
    tooltip: str = ""


@dataclass(frozen=True, slots=True)
class BarScale:
    """Labels of both ends of the scale and the name of its unit, drawn above the bars."""

    low: str = "0"
    high: str = "1"
    name: str = ""


class BarRows(FitsRoom, QWidget):
    """Painted rows of bars, as tall as all rows; place it in a scrolling body.

    If there is little room, or with a mark, the bars are below their names and numbers.
    """

    def __init__(self, name: str) -> None:
        super().__init__()
        self._mark: float | None = None
        self._rows: tuple[BarRow, ...] = ()
        self._scale = BarScale()
        self._name_width = self._text_width = 0
        self._tops: list[int] = []
        self._is_narrow = False
        self.setAccessibleName(name)
        self.setMinimumWidth(150)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme_manager().theme_changed.connect(self._measure)

    def show_rows(self, rows: Sequence[BarRow], scale: BarScale, mark: float | None = None) -> None:
        """Replace the rows; a line across all bars marks a place on the scale.

        Raises
        ------
        ValueError
            If the scale of bars has no name, because they cannot be read without it.
        """
        if not scale.name.strip() and any(row.bars for row in rows):
            raise ValueError(f"the scale of the bars has no name: {scale!r}")
        self._rows, self._scale, self._mark = tuple(rows), scale, mark
        self._is_narrow = self._is_stacked()
        spoken = (f"{row.name} {row.text}" for row in self._rows if row.bars)
        self.setAccessibleDescription("; ".join(spoken))
        self._measure()

    def as_accessible(self) -> Accessible:
        return Accessible(Role.Chart)

    def texts(self) -> list[tuple[str, str, str]]:
        """Return name, caption and value text of each row."""
        return [(row.name, row.caption, row.text) for row in self._rows]

    def row_at(self, point: QPoint) -> BarRow | None:
        """Return the row at a point, or None."""
        for row, top in zip(self._rows, self._tops, strict=True):
            if top <= point.y() < top + self._height(row):
                return row
        return None

    def row_rect(self, name: str) -> QRect:
        """Return the rectangle of a row by its name."""
        place = next(i for i, row in enumerate(self._rows) if row.name == name)
        return QRect(0, self._tops[place], self.width(), self._height(self._rows[place]))

    def sizeHint(self) -> QSize:
        bottom = self._tops[-1] + self._height(self._rows[-1]) if self._rows else scaled(_AXIS_HEIGHT)
        return QSize(280, bottom + 4)

    def _fit(self) -> None:
        is_narrow = self._is_stacked()
        if is_narrow != self._is_narrow:
            self._is_narrow = is_narrow
            self._measure()

    def _is_stacked(self) -> bool:
        return self._mark is not None or self.width() < scaled(_NARROW)

    def _measure(self) -> None:
        names, numbers = QFontMetrics(font(Text.CELL)), QFontMetrics(font(Text.CELL_STRONG))
        captions = QFontMetrics(font(Text.TICK))
        self._name_width = self._text_width = 0
        for row in self._rows:
            if row.bars:
                wide = max(names.horizontalAdvance(row.name), captions.horizontalAdvance(row.caption))
                self._name_width = max(self._name_width, wide + 2)
            self._text_width = max(self._text_width, numbers.horizontalAdvance(row.text) + 2)
        heights = map(self._height, self._rows[:-1])
        self._tops = list(accumulate(heights, initial=scaled(_AXIS_HEIGHT)))[: len(self._rows)]
        self.setFixedHeight(self.sizeHint().height())
        self.updateGeometry()
        self.update()

    def _height(self, row: BarRow) -> int:
        if not row.bars:
            return scaled(_HEADING)
        if self._is_narrow:
            return scaled(_NARROW_ROW)
        return scaled(_ROW_WITH_CAPTION if row.caption else _ROW)

    def track(self) -> tuple[int, int]:
        """Return the left and right end of the longest possible bar."""
        if self._is_narrow:
            return _SIDE, self.width() - _SIDE
        most = min(int(self.width() * _NAME_SHARE), scaled(_WIDEST_NAME))
        left = _SIDE + min(self._name_width, most) + _GAP
        return left, max(self.width() - _SIDE - self._text_width - _GAP, left + 8)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        left, right = self.track()
        self._draw_scale(painter, left, right)
        for row, top in zip(self._rows, self._tops, strict=True):
            place = QRect(0, top, self.width(), self._height(row))
            if event.rect().intersects(place):
                self._draw_row(painter, row, place, left, right)

    def _draw_scale(self, painter: QPainter, left: int, right: int) -> None:
        theme, scale = current_theme(), self._scale
        painter.setFont(font(Text.TICK))
        painter.setPen(theme.color("text_3"))
        room = QRect(left - 20, 0, right - left + 40, scaled(_AXIS_HEIGHT) - 4)
        ends = painter.fontMetrics()
        taken = ends.horizontalAdvance(scale.low) + ends.horizontalAdvance(scale.high) + 16
        at_left, at_right = _Align.AlignLeft | _Align.AlignVCenter, _Align.AlignRight | _Align.AlignVCenter
        if right - left >= taken - 10:
            painter.drawText(room.adjusted(20, 0, 0, 0), int(at_left), scale.low)
        painter.drawText(room.adjusted(0, 0, -20, 0), int(at_right), scale.high)
        if scale.name and right - left - taken >= ends.horizontalAdvance(scale.name):
            painter.drawText(room, int(_Align.AlignCenter), scale.name)
        elif scale.name:  # next to the names if there is no room between the ends
            beside = QRect(_SIDE, 0, left - _SIDE - 12, room.height())
            paint_text(painter, beside, scale.name, Text.TICK, "text_3")

    def _draw_row(self, painter: QPainter, row: BarRow, place: QRect, left: int, right: int) -> None:
        theme = current_theme()
        named = place.adjusted(_SIDE, 0, 0, 0)
        named.setRight(left - _GAP if row.bars else place.right() - _SIDE)
        if not row.bars:
            painter.setFont(font(Text.SECTION))
            painter.setPen(theme.color("text_2"))
            self._write(painter, named, row.name, _Align.AlignLeft | _Align.AlignBottom)
            self._write(painter, named, row.text, _Align.AlignRight | _Align.AlignBottom)
            return
        middle = place
        numbers = QRect(right + _GAP, place.top(), place.right() - _SIDE - right - _GAP + 1, place.height())
        if self._is_narrow:
            numbers = QRect(left, place.top(), right - left, scaled(17))
            taken = QFontMetrics(font(Text.CELL_STRONG)).horizontalAdvance(row.text) + _GAP
            named = numbers.adjusted(0, 0, -taken, 0)
            paint_text(painter, named, f"{row.name} {row.caption}".strip(), Text.CELL, "text_2")
            middle = place.adjusted(0, numbers.height(), 0, -4)
        elif row.caption:
            upper = QRect(named.left(), named.top(), named.width(), scaled(17))
            paint_text(painter, upper, row.name, Text.CELL)
            lower = QRect(named.left(), upper.bottom(), named.width(), scaled(13))
            paint_text(painter, lower, row.caption, Text.TICK, "text_3")
        else:
            paint_text(painter, named, row.name, Text.CELL)
        room = QRect(left, middle.top(), right - left, middle.height())
        self._draw_bars(painter, row, room)
        if self._mark is not None:
            across = QRectF(left + self._mark * room.width() - 0.75, room.top() - 2, 1.5, room.height() + 4)
            painter.fillRect(across, theme.color("danger"))
        painter.setFont(font(Text.CELL_STRONG))
        painter.setPen(theme.color("text"))
        painter.drawText(numbers, int(_Align.AlignRight | _Align.AlignVCenter), row.text)

    def _draw_bars(self, painter: QPainter, row: BarRow, room: QRect) -> None:
        theme = current_theme()
        high = 12.0 if len(row.bars) == 1 else 7.0
        top = room.center().y() + 1 - (high * len(row.bars) + len(row.bars) - 1) / 2
        for bar in row.bars:
            track = QRectF(room.left(), top, room.width(), high)
            paint_track(painter, track, theme, "sunken")
            painter.setPen(Qt.PenStyle.NoPen)
            if bar.share > 0:
                wide = max(min(bar.share, 1.0) * track.width(), 1.0)
                painter.setBrush(theme.color(bar.token))
                painter.drawRoundedRect(QRectF(track.left(), top, wide, high), min(2.0, wide / 2), 2)
            if bar.ends is not None:
                self._draw_interval(painter, bar.ends, track)
            top += high + 1

    @staticmethod
    def _draw_interval(painter: QPainter, ends: tuple[float, float], track: QRectF) -> None:
        painter.setBrush(current_theme().color("ink"))
        first, last = (track.left() + end * (track.width() - 2) for end in ends)
        painter.drawRect(QRectF(first, track.center().y() - 1, last - first + 2, 2))
        for end in (first, last):
            painter.drawRect(QRectF(end, track.top(), 2, track.height()))

    @staticmethod
    def _write(painter: QPainter, room: QRect, text: str, flags: Qt.AlignmentFlag) -> None:
        shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(room, int(flags), shown)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            row = self.row_at(event.pos())
            words = "" if row is None else row.tooltip or f"{row.name} {row.caption} {row.text}".strip()
            QToolTip.showText(event.globalPos(), words, self)
            return True
        return super().event(event)
