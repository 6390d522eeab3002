"""Paints the histogram of records below the icicle: bars, axes, and cuts with handles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, log10
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter

from anonymizer_gui.charts.axes import date_ticks
from anonymizer_gui.perspectives.configure.hierarchy.icicle.geometry import IcicleGeometry
from anonymizer_gui.perspectives.configure.hierarchy.icicle.words import IcicleWords
from anonymizer_gui.theming import Text, font, scaled
from anonymizer_gui.theming.painter import ThemedPainter
from anonymizer_gui.theming.type_scale import SEMI_BOLD
from engine.kernels.arrays import Counts, FloatArray
from engine.numbers import as_count, as_decimal, as_significant

PILL_HEIGHT, _PILL_PADDING, _PILL_MOST, _GRIP = 20, 7.0, 130.0, (8.0, 14.0)
_STEP_HEIGHT, _TICK_ROOM = 40, 44
_MEDIANS = 50  # of the bars: a higher one would make the others invisible
_NAMES_FROM, _TURNED_FROM, _TURNED_MOST = 36, 13, 72
_Align = Qt.AlignmentFlag


@dataclass(frozen=True)
class AxisText:
    """Names of the axes, and whether values are dates or integers."""

    values: str
    records: str
    roots: str  # name of a square-root axis of records
    are_dates: bool = False
    are_whole: bool = False


class RecordsScale(NamedTuple):
    """Round counts of an axis of records; heights are square roots if a bar would dwarf all others."""

    counts: tuple[int, ...]
    is_root: bool = False

    def shares(self, counts: ArrayLike) -> FloatArray:
        """Return the heights of counts as shares of that of the last round one."""
        shares = np.asarray(counts, dtype=np.float64) / max(self.counts[-1], 1)
        return np.sqrt(shares) if self.is_root else shares


def draw_bars(
    painter: ThemedPainter, geometry: IcicleGeometry, running: Counts, scale: RecordsScale, token: str
) -> None:
    """Draw the visible bars; `running` is the cumulative sum of records per place, starting with 0."""
    bars = geometry.bars
    sums = bars.sums(running)
    frame = geometry.frame
    height = frame.bars_bottom - frame.bars_top
    heights = np.where(sums > 0, np.clip(scale.shares(sums) * height, 1.0, height), 0.0)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, not bars.is_shared)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.tint(token)
    painter.setClipRect(QRectF(frame.left, 0, frame.width, frame.bars_bottom))
    shown = np.flatnonzero(heights > 0)
    lefts, widths = bars.lefts[shown].tolist(), (bars.rights - bars.lefts)[shown].tolist()
    rects = [
        QRectF(x, frame.bars_bottom - tall, width, tall)
        for x, width, tall in zip(lefts, widths, heights[shown].tolist(), strict=True)
    ]
    painter.drawRects(rects)
    for bar in np.flatnonzero(sums > scale.counts[-1]).tolist():
        _tear(painter, QRectF(bars.lefts[bar], frame.bars_top, bars.rights[bar] - bars.lefts[bar], height))
    painter.setClipping(False)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)


def records_scale(geometry: IcicleGeometry, running: Counts) -> RecordsScale:
    """Return round counts for the axis of records, up to the highest visible bar."""
    height = geometry.frame.bars_bottom - geometry.frame.bars_top
    steps = min(max(int(height / scaled(_STEP_HEIGHT)), 1), 4)
    sums, is_open = geometry.bars.sums(running), geometry.outline.closed[geometry.bars.firsts] == 0
    # Closed groups hold many values: their bars would make those of single values invisible.
    measured = sums[is_open] if 2 * is_open.sum() >= len(is_open) else sums
    counts = count_scale(int(measured.max(initial=1)), steps)
    some = measured[measured > 0]
    if len(some) and some.max() > _MEDIANS * np.median(some):
        top = counts[-1]
        return RecordsScale(tuple(sorted({0, top // 100, top // 4, top})), is_root=True)
    return RecordsScale(counts)


def _tear(painter: ThemedPainter, bar: QRectF) -> None:
    """Draw a break mark: the bar continues beyond the axis."""
    painter.ink("surface", 2.5)
    y = bar.top() + min(8.0, bar.height() / 3)
    for shift in (0.0, 5.0):
        painter.drawLine(QPointF(bar.left(), y + shift + 2), QPointF(bar.right(), y + shift - 2))
    painter.setPen(Qt.PenStyle.NoPen)


def draw_records_axis(
    painter: ThemedPainter, geometry: IcicleGeometry, scale: RecordsScale, text: AxisText
) -> None:
    """Draw lines at round counts with their numbers and the name of the axis."""
    frame, used = geometry.frame, font(Text.AXIS)
    painter.setFont(used)
    metrics = QFontMetricsF(used)
    width = frame.left - 8
    for count, share in zip(scale.counts, scale.shares(scale.counts).tolist(), strict=True):
        y = round(frame.bars_bottom - (frame.bars_bottom - frame.bars_top) * share)
        token = "border_strong" if count == 0 else "grid"
        painter.fill(QRectF(frame.left, y, frame.width, 1), token)
        painter.ink("text_3")
        line = QRectF(0, y - metrics.height() / 2, width, metrics.height())
        painter.drawText(line, int(_Align.AlignRight | _Align.AlignVCenter), as_count(count))
    top = QRectF(0, frame.bars_top - 1.4 * metrics.height() - 2, width, metrics.height())
    if scale.is_root:  # longer than the room before the bars
        painter.drawText(top.adjusted(12, 0, frame.width, 0), int(_Align.AlignVCenter), text.roots)
    else:
        painter.drawText(top, int(_Align.AlignRight | _Align.AlignVCenter), text.records)


def below_height(turned: Sequence[str], *, is_low: bool) -> float:
    """Return the height in px of the axis of values; if height is scarce, its name goes above.

    Parameters
    ----------
    turned : sequence of str
        Names that would be rotated by 90 degrees.
    is_low : bool
        Whether height is scarce.
    """
    if is_low:
        return scaled(PILL_HEIGHT + 2)
    metrics = QFontMetricsF(font(Text.AXIS))
    longest = max((metrics.horizontalAdvance(name) for name in turned), default=0.0)
    return float(scaled(PILL_HEIGHT + 16)) + max(min(longest, scaled(_TURNED_MOST)) - scaled(12), 0.0)


def draw_values_axis(
    painter: ThemedPainter,
    geometry: IcicleGeometry,
    words: IcicleWords,
    text: AxisText,
    taken: list[QRectF],
    bottom: float,
) -> None:
    """Draw round numbers or names of values above `bottom`, and the axis name; none under handles."""
    frame, used = geometry.frame, font(Text.AXIS)
    metrics = QFontMetricsF(used)
    painter.setFont(used)
    painter.ink("text_3")
    shown = metrics.elidedText(text.values, Qt.TextElideMode.ElideMiddle, frame.width / 2)
    width, top = metrics.horizontalAdvance(shown) + 2, frame.bars_bottom + 5
    is_low = bottom - frame.bars_bottom < 2 * metrics.height() + 4
    name_top = frame.bars_top - 1.4 * metrics.height() - 2 if is_low else bottom - metrics.height() - 3
    name = QRectF(frame.right - width, name_top, width, metrics.height())
    painter.drawText(name, int(_Align.AlignRight | _Align.AlignVCenter), shown)
    if geometry.axis.numbers is None:
        room = QRectF(frame.left, top, frame.width, (bottom if is_low else name_top) - top)
        _draw_names(painter, geometry, words, room)
        return
    n_most = max(int(frame.width / scaled(_TICK_ROOM + (30 if text.are_dates else 0))), 2)
    places = _ticks(geometry, words, text, n_most)
    used_up = [*taken, name]
    for x, tick in places:
        if not frame.left <= x <= frame.right:
            continue
        painter.fill(QRectF(round(x), frame.bars_bottom, 1, 4), "border_strong")
        width = metrics.horizontalAdvance(tick) + 2
        left = min(max(x - width / 2, frame.left), frame.right - width)
        place = QRectF(left, frame.bars_bottom + 5, width, metrics.height())
        if any(place.adjusted(-4, 0, 4, 0).intersects(other) for other in used_up):
            continue
        used_up.append(place)
        painter.drawText(place, int(_Align.AlignCenter), tick)


def _ticks(
    geometry: IcicleGeometry, words: IcicleWords, text: AxisText, n_most: int
) -> list[tuple[float, str]]:
    """Return pixels and texts on a number line: the values if they are few, else round numbers."""
    first, last = geometry.visible(0)
    n_known = int(np.isfinite(geometry.outline.numbers).sum())
    centers = geometry.xs_of(geometry.axis.centers[first:last]).tolist()
    if min(last, n_known) - first <= n_most:
        return [(x, words.value(place)) for x, place in zip(centers, range(first, last), strict=True)]
    axis = geometry.axis
    low, high = axis.number_at(geometry.start), axis.number_at(min(geometry.end, axis.numbers_end))
    if text.are_dates:
        ticks = date_ticks(low, high, n_most)
    else:
        ticks = number_ticks(low, high, n_most, are_whole=text.are_whole)
    shown = [(geometry.x_of(axis.unit_of(number)), tick) for number, tick in ticks]
    others = range(max(n_known, first), min(last, max(n_known, first) + n_most))
    return [*shown, *((centers[place - first], words.value(place)) for place in others)]


def _draw_names(painter: ThemedPainter, geometry: IcicleGeometry, words: IcicleWords, room: QRectF) -> None:
    """Draw names below their bars: horizontal, rotated if bars are narrow, or only some of them."""
    frame, metrics = geometry.frame, QFontMetricsF(painter.font())
    first, last = geometry.visible(0)
    rooms = np.diff(geometry.group_edges(0)[first : last + 1])
    usual = float(np.median(rooms))
    painter.ink("text_2")
    is_turned = scaled(_TURNED_FROM) <= usual < scaled(_NAMES_FROM) and room.height() >= scaled(30)
    free_from = frame.left
    for place in range(first, last) if last - first <= frame.width else _spread(geometry, first, last):
        left, right = (
            min(max(geometry.edge_x(edge), frame.left), frame.right) for edge in (place, place + 1)
        )
        width, x = right - left, (left + right) / 2
        if is_turned and width < scaled(_NAMES_FROM):
            if width >= metrics.height() - 2:
                shown = metrics.elidedText(words.place(place), Qt.TextElideMode.ElideMiddle, room.height())
                painter.save()
                painter.translate(x, room.top())
                painter.rotate(90)
                line = QRectF(0, -metrics.height() / 2, room.height(), metrics.height())
                painter.drawText(line, int(_Align.AlignLeft | _Align.AlignVCenter), shown)
                painter.restore()
            continue
        if width < scaled(_NAMES_FROM):
            width = min(float(scaled(_PILL_MOST / 2)), metrics.horizontalAdvance(words.place(place)) + 4)
        shown = metrics.elidedText(words.place(place), Qt.TextElideMode.ElideRight, width - 2)
        begin = min(max(x - width / 2, frame.left), frame.right - width)
        if begin < free_from - 0.5:
            continue
        free_from = begin + width + (0 if width == right - left else 8)
        painter.drawText(QRectF(begin, room.top(), width, metrics.height()), int(_Align.AlignCenter), shown)


def _spread(geometry: IcicleGeometry, first: int, last: int) -> list[int]:
    """Return places far enough apart for names."""
    step = max(int((last - first) / geometry.frame.width * scaled(_PILL_MOST / 2)), 1)
    return list(range(first, last, step))


# Cuts -------------------------------------------------------------------------------------------


def handle_rect(geometry: IcicleGeometry, x: float, text: str) -> QRectF:
    """Return the rectangle of the handle of a cut; without text only a grip."""
    if not text:
        return QRectF(x - _GRIP[0] / 2, geometry.frame.bars_bottom - _GRIP[1] / 2, *_GRIP)
    metrics = QFontMetricsF(font(Text.AXIS, SEMI_BOLD))
    width = min(metrics.horizontalAdvance(text), scaled(_PILL_MOST)) + 2 * _PILL_PADDING
    height = scaled(PILL_HEIGHT)
    return QRectF(x - width / 2, geometry.frame.bars_bottom - 2, width, height)


def draw_cut(
    painter: ThemedPainter,
    geometry: IcicleGeometry,
    level: int,
    x: float,
    handle: QRectF,
    text: str,
    *,
    is_active: bool = False,
) -> None:
    """Draw a cut through its level and the histogram, with its handle."""
    if is_active:
        painter.ink("accent", 2)
    else:
        painter.ink("text_2", dashes=(2, 2))
    top = geometry.row_top(level) + (0 if is_active else geometry.frame.row)
    shift = 0.0 if is_active else 0.5
    line = round(x) + shift
    painter.drawLine(QPointF(line, top), QPointF(line, geometry.frame.bars_bottom))
    edge, filled = ("accent", "accent") if is_active else ("border_strong", "surface")
    box = handle.adjusted(0.5, 0.5, -0.5, -0.5)
    painter.outline(box, edge, radius=4 if text else 3, filled=filled)
    if text:
        painter.style(Text.AXIS, "on_accent" if is_active else "text", SEMI_BOLD)
        shown = QFontMetricsF(painter.font()).elidedText(
            text, Qt.TextElideMode.ElideRight, handle.width() - 2 * _PILL_PADDING + 2
        )
        painter.drawText(handle, int(_Align.AlignCenter), shown)


_COUNT_STEPS = (1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)
_NUMBER_STEPS = (1.0, 2.0, 5.0, 10.0)
_SHORTENED_FROM = 1e6


def count_scale(most: int, n_steps: int) -> tuple[int, ...]:
    """Return round counts from 0 up to at least `most`, in about `n_steps` steps at most.

    Parameters
    ----------
    most : int
        The largest count, at least 0.
    n_steps : int
        At least 1.
    """
    step = max(round(_round_up(max(most, 1) / n_steps, _COUNT_STEPS)), 1)
    return tuple(range(0, step * (ceil(most / step) or 1) + 1, step))


def number_ticks(low: float, high: float, n_most: int, *, are_whole: bool = False) -> list[tuple[float, str]]:
    """Return about `n_most` round numbers in an interval, integers only if all values are integers."""
    if not high > low:
        return []
    step = _round_up((high - low) / max(n_most, 1), _NUMBER_STEPS)
    if are_whole:
        step = max(step, 1.0)
    decimals = max(-floor(log10(step) + 1e-9), 0)
    first, last = ceil(low / step - 1e-9), floor(high / step + 1e-9)
    return [(i * step, _written(i * step, decimals)) for i in range(first, last + 1)]


def _round_up(value: float, steps: tuple[float, ...]) -> float:
    power = 10.0 ** floor(log10(value))
    return next((step * power for step in steps if step * power >= value * (1 - 1e-9)), 10 * power)


def _written(number: float, decimals: int) -> str:
    """Return a number without thousands separators for years and codes, abbreviated if large."""
    if abs(number) >= _SHORTENED_FROM:
        return as_significant(number)
    if decimals == 0 and abs(number) < 10_000:
        return as_decimal(number, 0).replace("\u202f", "")
    return as_decimal(number, decimals)
