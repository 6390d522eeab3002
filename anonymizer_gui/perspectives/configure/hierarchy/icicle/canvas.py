"""Paints icicle and histogram: static parts into a cached pixmap, markers above it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QPainter, QPen, QPixmap

from anonymizer_gui.perspectives.configure.hierarchy.icicle.cuts import CutShown
from anonymizer_gui.perspectives.configure.hierarchy.icicle.geometry import NARROW, IcicleGeometry
from anonymizer_gui.perspectives.configure.hierarchy.icicle.histogram import (
    AxisText,
    draw_bars,
    draw_cut,
    draw_records_axis,
    draw_values_axis,
    records_scale,
)
from anonymizer_gui.perspectives.configure.hierarchy.icicle.marks import IcicleMarks, running_sum
from anonymizer_gui.perspectives.configure.hierarchy.icicle.paint import (
    DROP,
    PLAIN,
    SELECTED,
    draw_group,
    draw_groups,
    draw_level_names,
    draw_narrow_marks,
    draw_ring,
    draw_tag,
)
from anonymizer_gui.perspectives.configure.hierarchy.icicle.words import IcicleWords
from anonymizer_gui.perspectives.configure.hierarchy.values.group_drag import DropTarget
from anonymizer_gui.theming import Text, Theme, font
from engine.kernels.arrays import Counts


@dataclass(frozen=True)
class GroupSpan:
    """Adjacent groups of a level, from `first` to before `last`; several if they are very narrow."""

    level: int
    first: int
    last: int


@dataclass(frozen=True, eq=False)
class Scene:
    """Everything that is painted."""

    geometry: IcicleGeometry
    words: IcicleWords
    text: AxisText
    running: Counts
    marks: IcicleMarks
    cuts: tuple[CutShown, ...] = ()
    cursor: GroupSpan | None = None
    hovered: GroupSpan | None = None
    band: QRectF | None = None
    band_text: str = ""
    drop: DropTarget | None = None
    drop_text: str = ""
    search: str = ""


class IcicleCanvas:
    """Painter with a cached pixmap of groups and bars, valid until view or hierarchy changes."""

    def __init__(self) -> None:
        self._layer: QPixmap | None = None

    def forget(self) -> None:
        """Discard the cached pixmap."""
        self._layer = None

    def paint(self, painter: QPainter, scene: Scene, size: QSize, ratio: float, theme: Theme) -> None:
        """Paint a scene on a widget of that size."""
        if self._layer is None or self._layer.devicePixelRatio() != ratio:
            self._layer = self._drawn(scene, size, ratio, theme)
        painter.drawPixmap(0, 0, self._layer)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        geometry = scene.geometry
        moved = next((cut for cut in scene.cuts if cut.tag is not None), None)
        selected = _selected_running(scene, moved)
        if selected[-1]:
            top = records_scale(geometry, scene.running)[-1]
            draw_bars(painter, geometry, selected, top, "accent", theme)
        frame = geometry.frame
        plot = QRectF(frame.left - 1, 0, frame.width + 2, size.height())
        painter.setClipRect(plot)
        _draw_selected(painter, scene, theme)
        if moved is not None:
            _draw_moved(painter, scene, moved, theme)
        for spot, token in ((scene.hovered, "border_strong"), (scene.cursor, "ink")):
            if spot is not None:
                _draw_spot(painter, geometry, spot, token, theme)
        painter.setClipping(False)
        self._draw_cuts(painter, scene, QRectF(0, 0, size.width(), size.height()), theme)
        _draw_drop(painter, scene, size, theme)
        bounds = QRectF(2, 2, size.width() - 4, size.height() - 4)
        if scene.band is not None:
            _draw_band(painter, scene, bounds, theme)
        if scene.search:
            line = [(scene.search, font(Text.CELL))]
            draw_tag(painter, line, QPointF(frame.left, size.height()), bounds, theme)

    def _drawn(self, scene: Scene, size: QSize, ratio: float, theme: Theme) -> QPixmap:
        layer = QPixmap(round(size.width() * ratio), round(size.height() * ratio))
        layer.setDevicePixelRatio(ratio)
        layer.fill(theme.color("surface"))
        painter = QPainter(layer)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        geometry = scene.geometry
        scale = records_scale(geometry, scene.running)
        draw_records_axis(painter, geometry, scale, scene.text, theme)
        draw_bars(painter, geometry, scene.running, scale[-1], "series_1", theme)
        draw_level_names(painter, geometry, scene.words, theme)
        frame = geometry.frame
        painter.setClipRect(QRectF(frame.left - 1, 0, frame.width + 2, size.height()))
        draw_groups(painter, geometry, scene.words, theme)
        painter.setClipping(False)
        taken = [cut.handle for cut in scene.cuts if cut.text and not cut.is_active]
        draw_values_axis(painter, geometry, scene.words, scene.text, taken, size.height(), theme)
        painter.end()
        return layer

    def _draw_cuts(self, painter: QPainter, scene: Scene, bounds: QRectF, theme: Theme) -> None:
        geometry = scene.geometry
        for cut in sorted(scene.cuts, key=lambda cut: cut.is_active):  # the dragged cut last, on top
            draw_cut(
                painter, geometry, cut.level, cut.x, cut.handle, cut.text, theme, is_active=cut.is_active
            )
        for cut in scene.cuts:
            if cut.tag is not None:
                lines: list[tuple[str, QFont]] = [
                    (cut.tag[0], font(Text.CELL_STRONG)),
                    (cut.tag[1], font(Text.CAPTION)),
                ]
                anchor = QPointF(cut.x, geometry.frame.bars_top - 8)
                draw_tag(painter, lines, anchor, bounds.adjusted(2, 2, -2, -2), theme)


def _selected_running(scene: Scene, moved: CutShown | None) -> Counts:
    """Return the cumulative selected records per place, with a dragged cut at its new place."""
    marks, spans = scene.marks, scene.geometry.outline.levels
    if moved is None or moved.level != marks.selection.level:
        return marks.running
    starts, right = spans[moved.level].starts, moved.boundary
    is_left, is_right = bool(marks.groups[right - 1]), bool(marks.groups[right])
    if is_left == is_right:
        return marks.running
    selected = np.diff(marks.running)
    records = scene.geometry.outline.records
    low, high = int(starts[right - 1]), int(starts[right + 1])
    selected[low:high] = 0
    part = slice(low, moved.place) if is_left else slice(moved.place, high)
    selected[part] = records[part]
    return running_sum(selected)


def _draw_selected(painter: QPainter, scene: Scene, theme: Theme) -> None:
    geometry, marks = scene.geometry, scene.marks
    level = marks.selection.level
    if level < 1 or not marks.selection.labels:
        return
    draw_narrow_marks(painter, geometry, level, marks.groups, theme)
    first, last = geometry.visible(level)
    edges = geometry.group_edges(level)[first : last + 1]
    chosen = first + np.flatnonzero(marks.groups[first:last] & (np.diff(edges) >= NARROW))
    largest = int(geometry.outline.levels[level].records.max(initial=1))
    for group in chosen.tolist():
        draw_group(painter, geometry, level, group, SELECTED, largest, scene.words, theme)


def _draw_moved(painter: QPainter, scene: Scene, cut: CutShown, theme: Theme) -> None:
    """Paint the two groups next to a dragged cut at their new widths."""
    geometry = scene.geometry
    spans = geometry.outline.levels[cut.level]
    row = geometry.group_rect(cut.level, cut.boundary - 1, cut.boundary + 1)
    painter.fillRect(row, theme.color("surface"))
    largest = int(spans.records.max(initial=1))
    begins, ends = int(spans.starts[cut.boundary - 1]), int(spans.starts[cut.boundary + 1])
    for group, low, high in ((cut.boundary - 1, begins, cut.place), (cut.boundary, cut.place, ends)):
        is_marked = scene.marks.is_marked(cut.level, group, group + 1)
        tone = SELECTED if is_marked and scene.marks.selection.labels else PLAIN[group % 2]
        rect = QRectF(row)
        rect.setLeft(max(geometry.edge_x(low), geometry.frame.left))
        rect.setRight(min(geometry.edge_x(high), geometry.frame.right))
        records = int(scene.running[high] - scene.running[low])
        draw_group(
            painter, geometry, cut.level, group, tone, largest, scene.words, theme, rect=rect, records=records
        )


def _draw_spot(
    painter: QPainter, geometry: IcicleGeometry, spot: GroupSpan, token: str, theme: Theme
) -> None:
    if spot.last > len(geometry.outline.levels[spot.level].codes):
        return
    rect = geometry.group_rect(spot.level, spot.first, spot.last)
    if spot.level > 1 and int(
        geometry.outline.closed[geometry.outline.levels[spot.level].starts[spot.first]]
    ) == (spot.level):
        rect.setBottom(geometry.row_rect(1).bottom())
    if rect.width() < NARROW:
        rect.adjust(-1.5, 0, 1.5, 0)
    draw_ring(painter, rect, token, theme)


def _draw_drop(painter: QPainter, scene: Scene, size: QSize, theme: Theme) -> None:
    """Paint the target group of a drop, or the row in which it would create a group."""
    drop, geometry = scene.drop, scene.geometry
    if drop is None:
        return
    level = min(drop.level, geometry.height)
    spans = geometry.outline.levels[level]
    if drop.label is None:
        row = geometry.row_rect(level)
        row.setLeft(4)
        row.setRight(size.width() - 4)
        draw_ring(painter, row.adjusted(0, -2, 0, 2), "accent", theme, is_dashed=True)
        tag = [(scene.drop_text, font(Text.CELL_STRONG))]
        bounds = QRectF(2, 2, size.width() - 4, size.height() - 4)
        draw_tag(painter, tag, QPointF(geometry.frame.left, row.bottom() + 4), bounds, theme)
        return
    code = geometry.outline.hierarchy.levels[level].index.get(drop.label, -1)
    largest = int(spans.records.max(initial=1))
    for group in np.flatnonzero(spans.codes == code)[:1].tolist():
        if geometry.group_rect(level, group).width() >= NARROW:
            draw_group(painter, geometry, level, group, DROP, largest, scene.words, theme)
        else:
            _draw_spot(painter, geometry, GroupSpan(level, group, group + 1), "accent", theme)


def _draw_band(painter: QPainter, scene: Scene, bounds: QRectF, theme: Theme) -> None:
    assert scene.band is not None
    fill = theme.color("accent")
    fill.setAlphaF(0.12)
    painter.setPen(QPen(theme.color("accent"), 1))
    painter.setBrush(fill)
    painter.drawRect(scene.band)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    if scene.band_text:
        draw_tag(painter, [(scene.band_text, font(Text.CELL))], scene.band.bottomRight(), bounds, theme)
