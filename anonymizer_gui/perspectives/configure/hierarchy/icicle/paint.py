"""Paints the rows of an icicle: level names, groups with texts that fit, marks above them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter

from anonymizer_gui.perspectives.configure.hierarchy.icicle.geometry import NARROW, IcicleGeometry
from anonymizer_gui.perspectives.configure.hierarchy.icicle.marks import CutShown, IcicleMarks, running_sum
from anonymizer_gui.perspectives.configure.hierarchy.icicle.words import IcicleWords
from anonymizer_gui.perspectives.configure.hierarchy.values.group_drag import DropTarget
from anonymizer_gui.theming import Text, font, paint_icon, paint_text, scaled
from anonymizer_gui.theming.painter import ThemedPainter
from anonymizer_gui.theming.type_scale import SEMI_BOLD
from engine.kernels.arrays import BoolArray, Counts
from engine.words import _

_SHARE_BAR, _PADDING, _RADIUS = 3.0, 8.0, 4.0
_LEAST_TEXT, _LEAST_GUTTER, _MOST_GUTTER, _FEWEST_LETTERS = 22.0, 44, 180, 2
_Align = Qt.AlignmentFlag


@dataclass(frozen=True)
class GroupTone:
    """Colour tokens of a group."""

    fill: str
    edge: str
    share: str
    edge_width: float = 1.0


# Neighbours differ, so that groups without room for an edge remain distinguishable.
PLAIN = (
    GroupTone("sunken", "border_strong", "series_1"),
    GroupTone("surface_2", "border_strong", "series_1"),
)
SELECTED = GroupTone("accent_soft", "accent", "accent", 2.0)
DROP = GroupTone("accent_soft", "accent", "accent", 3.0)


def level_names_width(words: IcicleWords, height: int) -> float:
    """Return the width in px that shows all names of levels, the longest ones shortened."""
    names, counts = QFontMetricsF(font(Text.CELL_STRONG)), QFontMetricsF(font(Text.CAPTION))
    levels = range(1, height + 1)
    widths = [names.horizontalAdvance(words.level(level)) for level in levels]
    widths += [counts.horizontalAdvance(words.n_groups(level)) for level in levels]
    widest = min(max(widths, default=float(scaled(_LEAST_GUTTER))), float(scaled(_MOST_GUTTER)))
    return widest + scaled(_PADDING) + 6.0 + scaled(_PADDING) + 2.0


def draw_level_names(painter: ThemedPainter, geometry: IcicleGeometry, words: IcicleWords) -> None:
    """Draw the name of each level and its number of groups left of its row, if both fit."""
    names, counts = Text.CELL_STRONG, Text.CAPTION
    name_height, count_height = (QFontMetricsF(font(use)).height() for use in (names, counts))
    left, width = scaled(_PADDING) + 6.0, geometry.frame.left - scaled(_PADDING) - 6
    least = QFontMetricsF(font(names)).capHeight() + 3
    every = max(1, int(np.ceil(least / (geometry.frame.row + geometry.frame.gap))))
    for level in range(geometry.height, 0, -1):
        row = geometry.row_rect(level)
        if (geometry.height - level) % every:
            continue
        is_tall = row.height() >= name_height + count_height
        lines = [(words.level(level), names, "text", name_height)]
        if is_tall:
            lines.append((words.n_groups(level), counts, "text_3", count_height))
        y = row.center().y() - sum(line[3] for line in lines) / 2
        for text, use, token, height in lines:
            paint_text(painter, QRectF(left, y, width, height), text, use, token)
            y += height


def draw_groups(painter: ThemedPainter, geometry: IcicleGeometry, words: IcicleWords) -> None:
    """Draw all visible groups; those too narrow for a box are combined into blocks."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for level in range(geometry.height, 0, -1):
        first, last = geometry.visible(level)
        edges = geometry.group_edges(level)[first : last + 1]
        wide, begins, ends = geometry.runs_of_narrow(edges)
        for begin, end in zip(begins.tolist(), ends.tolist(), strict=True):
            _draw_run(painter, geometry, level, (first + begin, first + end), words)
        for group in (first + np.flatnonzero(wide)).tolist():
            tone = PLAIN[group % 2]
            draw_group(painter, geometry, level, group, tone, words)


def draw_group(
    painter: ThemedPainter,
    geometry: IcicleGeometry,
    level: int,
    group: int,
    tone: GroupTone,
    words: IcicleWords,
    rect: QRectF | None = None,
    records: int | None = None,
) -> None:
    """Draw a group: label, number of records, and a bar relative to the largest group of the level.

    A closed group extends down to level 1; nothing is drawn within it.
    """
    spans, closed = geometry.outline.levels[level], geometry.outline.closed
    closed_level = int(closed[spans.starts[group]])
    if closed_level > level:
        return
    box = geometry.group_rect(level, group) if rect is None else rect
    if closed_level == level and level > 1:
        box.setBottom(geometry.row_rect(1).bottom())
    box = box.adjusted(1, 0.5, -0.5, -0.5) if box.width() > 4 else box.adjusted(0.5, 0.5, 0, -0.5)
    if box.width() <= 0:
        return
    radius = min(_RADIUS, box.width() / 3, box.height() / 3)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.tint(tone.fill)
    painter.drawRoundedRect(box, radius, radius)
    count = int(spans.records[group]) if records is None else records
    _draw_share(painter, box, count / geometry.largest[level], tone)
    painter.ink(tone.edge, tone.edge_width)
    painter.tint("")
    inset = (tone.edge_width - 1) / 2
    painter.drawRoundedRect(box.adjusted(inset, inset, -inset, -inset), radius, radius)
    inner = box.adjusted(min(_PADDING, box.width() * 0.1), 0, -2, 0)
    if inner.width() < scaled(_LEAST_TEXT) - _PADDING:
        return
    if closed_level == level:
        inner = _draw_chevron(painter, inner)
    row = geometry.row_rect(level)
    inner.setTop(row.top())
    inner.setBottom(row.bottom())
    if closed_level == level and level > 1:
        inner.setBottom(min(box.bottom(), row.bottom() + geometry.frame.row))
    texts = words.closed_counts(level, group) if closed_level == level else words.counts(count)
    _draw_words(painter, inner, words.label(level, group), texts)


def chevron_rect(geometry: IcicleGeometry, level: int, group: int) -> QRectF:
    """Return the rectangle of the chevron that opens a closed group."""
    box = geometry.group_rect(level, group)
    side = min(scaled(14), box.width())
    return QRectF(box.left() + 2, box.top(), side + 8, box.height())


def draw_narrow_marks(
    painter: ThemedPainter, geometry: IcicleGeometry, level: int, marked: BoolArray
) -> None:
    """Mark groups too narrow for boxes, pixel by pixel."""
    first, last = geometry.visible(level)
    edges = geometry.group_edges(level)[first : last + 1]
    wide, _, _ = geometry.runs_of_narrow(edges)
    chosen = marked[first:last] & ~wide
    if not chosen.any():
        return
    columns = np.unique(np.floor((edges[:-1][chosen] + edges[1:][chosen]) / 2).astype(np.int64))
    row = geometry.row_rect(level)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    for x in columns.tolist():
        painter.fill(QRectF(x, row.top() + 1, 1.5, row.height() - 1), "accent")
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)


def draw_ring(painter: ThemedPainter, rect: QRectF, token: str, *, is_dashed: bool = False) -> None:
    """Draw a ring within a group: current, under the pointer, or room for a new one."""
    painter.ink(token, 1.5, (3, 2) if is_dashed else ())
    painter.tint("")
    painter.drawRoundedRect(rect.adjusted(1.5, 1.5, -1.5, -1.5), 3, 3)


def draw_tag(painter: ThemedPainter, lines: list[tuple[str, QFont]], anchor: QPointF, bounds: QRectF) -> None:
    """Draw a few lines in a box next to a point, on its other side if there is no room."""
    sizes = [(QFontMetricsF(used).horizontalAdvance(text), QFontMetricsF(used)) for text, used in lines]
    width = max(size[0] for size in sizes) + 24
    height = sum(size[1].height() for size in sizes) + 12
    left = anchor.x() + 12 if anchor.x() + 12 + width <= bounds.right() else anchor.x() - 12 - width
    box = QRectF(max(left, bounds.left()), anchor.y(), width, height)
    box.moveTop(min(max(box.top(), bounds.top()), bounds.bottom() - height))
    painter.outline(box.adjusted(0.5, 0.5, -0.5, -0.5), "accent", radius=6, filled="surface")
    y = box.top() + 6
    for i, ((text, used), (_width, metrics)) in enumerate(zip(lines, sizes, strict=True)):
        painter.setFont(used)
        painter.ink("text" if i == 0 else "text_2")
        painter.drawText(
            QRectF(box.left() + 12, y, width - 14, metrics.height()), int(_Align.AlignVCenter), text
        )
        y += metrics.height()


def _draw_run(
    painter: ThemedPainter, geometry: IcicleGeometry, level: int, groups: tuple[int, int], words: IcicleWords
) -> None:
    """Draw groups too narrow for boxes as one block with their number."""
    box = geometry.group_rect(level, *groups)
    painter.fill(box, "sunken")
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    painter.ink("border", 1)
    lines = np.arange(box.left() + 3, box.right() - 1, 3).tolist()
    painter.drawLines([QLineF(x, box.top() + 1, x, box.bottom() - 1) for x in lines])
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.outline(box.adjusted(0.5, 0.5, -0.5, -0.5), "border_strong", 1)
    text, used = words.groups(level, groups[1] - groups[0]), font(Text.CAPTION)
    metrics = QFontMetricsF(used)
    width = metrics.horizontalAdvance(text) + 12
    if width <= box.width() - 4 and metrics.height() <= box.height() - 2:
        pill = QRectF(
            box.center().x() - width / 2, box.center().y() - metrics.height() / 2, width, metrics.height()
        )
        painter.setPen(Qt.PenStyle.NoPen)
        painter.tint("surface")
        painter.drawRoundedRect(pill, 3, 3)
        painter.setFont(used)
        painter.ink("text_2")
        painter.drawText(pill, int(_Align.AlignCenter), text)


def _draw_share(painter: ThemedPainter, box: QRectF, share: float, tone: GroupTone) -> None:
    thickness = min(_SHARE_BAR, box.height() / 6)
    length = (box.width() - 2) * min(share, 1.0)
    if length > 0:
        bar = QRectF(box.left() + 1, box.bottom() - thickness - 0.5, max(length, 1.0), thickness)
        painter.fill(bar, tone.share)


def _draw_chevron(painter: ThemedPainter, inner: QRectF) -> QRectF:
    side = float(scaled(12))
    if inner.width() < side or inner.height() < side:
        return inner
    middle = inner.top() + min(inner.height() / 2, scaled(18))
    paint_icon(
        painter,
        QRectF(inner.left() - 3, middle - side / 2, side, side),
        "chevron-right",
        painter.theme.text_2,
    )
    return inner.adjusted(side - 1, 0, 0, 0)


def _draw_words(painter: ThemedPainter, inner: QRectF, label: str, counts: tuple[str, ...]) -> None:
    """Draw the label, elided if needed, and next to or below it the longest count that fits."""
    strong, small = font(Text.CELL_STRONG), font(Text.AXIS)
    label_height, count_height = _line_height(strong), _line_height(small)
    metrics, small_metrics = QFontMetricsF(strong), QFontMetricsF(small)
    if inner.height() < metrics.capHeight() + 5:
        return
    is_low = inner.height() < label_height + _SHARE_BAR + 1
    room = inner.adjusted(0, 0, 0, -1 if is_low else -_SHARE_BAR - 1)
    for smaller in (font(Text.AXIS, SEMI_BOLD), font(Text.TICK)):
        if metrics.horizontalAdvance(label) > room.width():  # an elided number would be another number
            strong, metrics = smaller, QFontMetricsF(smaller)
    shown = metrics.elidedText(label, Qt.TextElideMode.ElideRight, room.width() + 0.5)
    if shown != label and len(shown) <= _FEWEST_LETTERS:
        return
    is_tall = room.height() >= label_height + count_height
    beside = 0.0 if is_tall else metrics.horizontalAdvance(shown) + 8
    count = next(
        (text for text in counts if small_metrics.horizontalAdvance(text) <= room.width() - beside), ""
    )
    y = room.center().y() - (label_height + (count_height if is_tall and count else 0)) / 2
    painter.setFont(strong)
    painter.ink("text")
    line = QRectF(room.left(), y, room.width() + 1, label_height)
    painter.drawText(line, int(_Align.AlignVCenter), shown)
    if not count:
        return
    painter.setFont(small)
    painter.ink("text_2")
    if is_tall:
        line = QRectF(room.left(), y + label_height, room.width() + 1, count_height)
        painter.drawText(line, int(_Align.AlignVCenter), count)
    else:
        painter.drawText(line.adjusted(0, 0, -3, 0), int(_Align.AlignVCenter | _Align.AlignRight), count)


def _line_height(used: QFont) -> float:
    metrics = QFontMetricsF(used)
    return metrics.capHeight() + metrics.descent() + 2


@dataclass(frozen=True)
class GroupSpan:
    """Adjacent groups of a level, from `first` to before `last`; several if they are very narrow."""

    level: int
    first: int
    last: int


def selected_running(geometry: IcicleGeometry, marks: IcicleMarks, moved: CutShown | None) -> Counts:
    """Return the cumulative selected records per place, with a dragged cut at its new place."""
    spans = geometry.outline.levels
    if moved is None or moved.level != marks.selection.level:
        return marks.running
    starts, right = spans[moved.level].starts, moved.boundary
    is_left, is_right = bool(marks.groups[right - 1]), bool(marks.groups[right])
    if is_left == is_right:
        return marks.running
    selected = np.diff(marks.running)
    records = geometry.outline.records
    low, high = int(starts[right - 1]), int(starts[right + 1])
    selected[low:high] = 0
    part = slice(low, moved.place) if is_left else slice(moved.place, high)
    selected[part] = records[part]
    return running_sum(selected)


def draw_selected(
    painter: ThemedPainter, geometry: IcicleGeometry, words: IcicleWords, marks: IcicleMarks
) -> None:
    """Draw the selected groups over the others."""
    level = marks.selection.level
    if level < 1 or not marks.selection.labels:
        return
    draw_narrow_marks(painter, geometry, level, marks.groups)
    first, last = geometry.visible(level)
    edges = geometry.group_edges(level)[first : last + 1]
    chosen = first + np.flatnonzero(marks.groups[first:last] & (np.diff(edges) >= NARROW))
    for group in chosen.tolist():
        draw_group(painter, geometry, level, group, SELECTED, words)


def draw_moved(
    painter: ThemedPainter,
    geometry: IcicleGeometry,
    words: IcicleWords,
    marks: IcicleMarks,
    running: Counts,
    cut: CutShown,
) -> None:
    """Draw the two groups next to a dragged cut at their new widths."""
    spans = geometry.outline.levels[cut.level]
    row = geometry.group_rect(cut.level, cut.boundary - 1, cut.boundary + 1)
    painter.fill(row, "surface")
    begins, ends = int(spans.starts[cut.boundary - 1]), int(spans.starts[cut.boundary + 1])
    for group, low, high in ((cut.boundary - 1, begins, cut.place), (cut.boundary, cut.place, ends)):
        is_marked = marks.is_marked(cut.level, group, group + 1)
        tone = SELECTED if is_marked and marks.selection.labels else PLAIN[group % 2]
        rect = QRectF(row)
        rect.setLeft(max(geometry.edge_x(low), geometry.frame.left))
        rect.setRight(min(geometry.edge_x(high), geometry.frame.right))
        records = int(running[high] - running[low])
        draw_group(painter, geometry, cut.level, group, tone, words, rect=rect, records=records)


def draw_spot(painter: ThemedPainter, geometry: IcicleGeometry, spot: GroupSpan, token: str) -> None:
    """Draw a ring around groups; a closed group reaches down to level 1."""
    if spot.last > len(geometry.outline.levels[spot.level].codes):
        return
    rect = geometry.group_rect(spot.level, spot.first, spot.last)
    if spot.level > 1 and int(
        geometry.outline.closed[geometry.outline.levels[spot.level].starts[spot.first]]
    ) == (spot.level):
        rect.setBottom(geometry.row_rect(1).bottom())
    if rect.width() < NARROW:
        rect.adjust(-1.5, 0, 1.5, 0)
    draw_ring(painter, rect, token)


def draw_drop(
    painter: ThemedPainter, geometry: IcicleGeometry, words: IcicleWords, drop: DropTarget, bounds: QRectF
) -> None:
    """Draw the target group of a drop, or the row in which it would create a group."""
    level = min(drop.level, geometry.height)
    spans = geometry.outline.levels[level]
    if drop.label is None:
        row = geometry.row_rect(level)
        row.setLeft(bounds.left() + 2)
        row.setRight(bounds.right() - 2)
        draw_ring(painter, row.adjusted(0, -2, 0, 2), "accent", is_dashed=True)
        tag = [(_("New group on level {level}").format(level=drop.level), font(Text.CELL_STRONG))]
        draw_tag(painter, tag, QPointF(geometry.frame.left, row.bottom() + 4), bounds)
        return
    code = geometry.outline.hierarchy.levels[level].index.get(drop.label, -1)
    for group in np.flatnonzero(spans.codes == code)[:1].tolist():
        if geometry.group_rect(level, group).width() >= NARROW:
            draw_group(painter, geometry, level, group, DROP, words)
        else:
            draw_spot(painter, geometry, GroupSpan(level, group, group + 1), "accent")


def draw_band(painter: ThemedPainter, band: QRectF, text: str, bounds: QRectF) -> None:
    """Draw the rubber band with the number of groups in it."""
    painter.ink("accent")
    painter.tint("accent", 0.12)
    painter.drawRect(band)
    painter.tint("")
    draw_tag(painter, [(text, font(Text.CELL))], band.bottomRight(), bounds)
