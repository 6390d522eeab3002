"""Icicle and histogram as one painted widget, with the view functions used by keys and mouse."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum, auto
from functools import partial

import numpy as np
from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter
from PySide6.QtWidgets import QLineEdit, QWidget

from anonymizer_gui.perspectives.configure.hierarchy.drafts import NOTHING, Selection
from anonymizer_gui.perspectives.configure.hierarchy.icicle.geometry import (
    FrameSizes,
    IcicleFrame,
    IcicleGeometry,
    WidthMeaning,
    axis_of,
    frame_for,
)
from anonymizer_gui.perspectives.configure.hierarchy.icicle.histogram import (
    AxisText,
    below_height,
    draw_bars,
    draw_cut,
    draw_records_axis,
    draw_values_axis,
    records_scale,
)
from anonymizer_gui.perspectives.configure.hierarchy.icicle.marks import (
    CutShown,
    IcicleMarks,
    cut_words,
    cuts_shown,
    drop_target,
    marks_of,
    running_sum,
    selection_of,
)
from anonymizer_gui.perspectives.configure.hierarchy.icicle.paint import (
    GroupSpan,
    chevron_rect,
    draw_band,
    draw_drop,
    draw_groups,
    draw_level_names,
    draw_moved,
    draw_selected,
    draw_spot,
    draw_tag,
    level_names_width,
    selected_running,
)
from anonymizer_gui.perspectives.configure.hierarchy.icicle.words import IcicleWords
from anonymizer_gui.perspectives.configure.hierarchy.values.group_drag import DropTarget
from anonymizer_gui.theming import Text, font, scaled
from anonymizer_gui.theming.painter import ThemedPainter
from anonymizer_gui.widgets.accessible import Accessible, Role
from anonymizer_gui.widgets.drawn import CachedPicture
from anonymizer_gui.widgets.painted_view import PaintedView
from engine.hierarchies.hierarchy import SUPPRESSED
from engine.hierarchies.outline import DateCuts, Outline, date_cuts
from engine.hierarchies.words import describe_level
from engine.kernels.arrays import Counts, IntArray
from engine.numbers import as_count
from engine.records import Column
from engine.records.types import Kind

_CUT_REACH = 3.5
_DRAG_FROM = 4
_USUAL_GUTTER, _MARGIN, _TALL_ROW, _LOW_ROW, _TITLE, _LEAST_BARS = 78, 12, 42, 35, 22, 36
_NAMES_FROM, _NAMES_TO = 13, 36  # px per value between which names are rotated
_NAME_LEFT = 8  # px left and right of the line edit over the name of a level
_LOW = 220  # px of the widget's height, below which space is saved


class MouseAction(Enum):
    """Action of the pressed mouse button."""

    GROUPS = auto()  # on the selection: a click, or a drag once it moves
    BAND = auto()
    CUT = auto()
    PAN = auto()


@dataclass
class Gesture:
    """Pressed mouse button with the path of the pointer."""

    press: MouseAction
    start: QPointF
    at: QPointF
    spot: GroupSpan | None = None
    adds: bool = False
    narrows: bool = False  # select only the clicked group if released without moving
    place: int = 0  # of a cut

    @property
    def has_moved(self) -> bool:
        """True if the pointer moved far enough for a drag."""
        return (self.at - self.start).manhattanLength() >= _DRAG_FROM

    @property
    def rect(self) -> QRectF:
        """Rectangle from the press to the pointer."""
        return QRectF(self.start, self.at).normalized()


class IcicleFace(PaintedView):
    """Display of an outline with its records; input is handled by the keys and mouse classes."""

    selection_requested = Signal(object)  # Selection
    rename_requested = Signal(int, str, str)  # level, label, new label
    name_requested = Signal(int, str)  # level, its new name, perhaps empty
    toggle_requested = Signal(int, str)  # level, label
    cut_requested = Signal(int, int, int)  # level, boundary, place
    menu_requested = Signal(QPoint)  # on the screen
    view_changed = Signal()

    def __init__(self) -> None:
        super().__init__("icicle", self.tr("Groups of every level, and records per value"))
        self._column: Column | None = None
        self._words: IcicleWords | None = None
        self._dates: DateCuts | None = None
        self.geometry_shown: IcicleGeometry | None = None
        self._marks: IcicleMarks | None = None
        self._running: Counts = np.zeros(1, dtype=np.int64)
        self._meaning = WidthMeaning.VALUE
        self.cursor_spot = GroupSpan(1, 0, 1)
        self.anchor = 0  # group of the current level from which a selection is extended
        self.cut: tuple[int, int] | None = None  # level and boundary of the cut moved by keys
        self._cuts: tuple[CutShown, ...] = ()
        self._cuts_asked: tuple[IcicleGeometry, int, int | None, int | None] | None = None
        self._hovered: GroupSpan | None = None
        self._drop: DropTarget | None = None
        self._groups = CachedPicture()
        self.gesture: Gesture | None = None
        self.typed = ""  # search text
        self._is_panning_key_down = False  # while the space bar is held, dragging pans
        self._line = RenameLine(self)
        self._line.closed.connect(self.setFocus)

    # Display ------------------------------------------------------------------------------------

    def show_outline(self, column: Column | None, outline: Outline | None) -> None:
        """Show a hierarchy; zoom and position are unchanged if the column is the same."""
        self._line.cancel()
        is_same = column is not None and column is self._column
        self._column = column
        self.setEnabled(column is not None and outline is not None and outline.n_places > 0)
        if column is None or outline is None or not outline.n_places:
            self.geometry_shown = self._words = self._marks = None
            self.cut = self._hovered = None
            self.update()
            self.view_changed.emit()
            return
        before, selection = self.geometry_shown, self.selection
        self._dates = date_cuts(outline, column)
        self._words = IcicleWords(outline, self._dates)
        self._running = running_sum(outline.records)
        self._marks = marks_of(outline, selection)
        self._hovered = None
        self.geometry_shown = IcicleGeometry(outline, axis_of(outline, self._meaning), self._frame(outline))
        if is_same and before is not None:
            zoom = min(before.zoom, self.geometry_shown.largest_zoom)
            self.geometry_shown = replace(self.geometry_shown, zoom=zoom, start=before.start).clamped()
        else:
            self.cursor_spot, self.anchor, self.cut = (
                GroupSpan(min(1, self.geometry_shown.height), 0, 1),
                0,
                None,
            )
        if self.cut is not None and not self.geometry_shown.can_cut(*self.cut):
            self.cut = None
        self._settle_cursor()
        self._describe()
        self.update()
        self.view_changed.emit()

    def show_selection(self, selection: Selection) -> None:
        """Show a selection; the current group moves into it if it is outside."""
        geometry = self.geometry_shown
        if geometry is None or (self._marks is not None and self._marks.selection is selection):
            return
        self._marks = marks_of(geometry.outline, selection)
        if self.cut is not None and selection.labels and selection.level != self.cut[0]:
            self.cut = None
        before = self.cursor_spot
        self._settle_cursor()
        if self.cursor_spot != before:  # selected in another view
            self.set_geometry(geometry.showing(self.cursor_spot.level, self.cursor_spot.first))
        self._describe()
        self.update()

    def show_meaning(self, meaning: WidthMeaning) -> None:
        """Set whether widths mean values or records."""
        if meaning is not self._meaning:
            self._meaning = meaning
            if self.geometry_shown is not None:
                axis = axis_of(self.geometry_shown.outline, meaning)
                self.geometry_shown = replace(self.geometry_shown, axis=axis).fitted()
            self.refit()

    def begin_rename(self, level: int, label: str) -> None:
        """Open a line edit over the label of a group."""
        geometry = self.placed
        if not 1 <= level <= geometry.height:
            return
        code = geometry.outline.hierarchy.levels[level].index.get(label)
        found = np.flatnonzero(geometry.outline.levels[level].codes == code)
        if code is None or not len(found):
            return
        group = int(found[0])
        self.set_geometry(geometry.showing(level, group))
        box, name = self.placed.group_rect(level, group), self.tr("New label of {label}").format(label=label)

        def rename(text: str) -> None:
            if text:
                self.rename_requested.emit(level, label, text)

        self._line.begin(name, label, box.toAlignedRect(), rename)

    def begin_naming(self, level: int) -> None:
        """Open a line edit over the name of a level that has groups."""
        geometry, column = self.placed, self._column
        if column is None or not 1 <= level <= geometry.height:
            return
        hierarchy = geometry.outline.hierarchy
        if hierarchy.levels[level].labels == (SUPPRESSED,):
            return
        proposal = describe_level(hierarchy, level, column.data_type, column.name)
        box = geometry.row_rect(level)
        box.setLeft(scaled(_NAME_LEFT))
        box.setWidth(geometry.frame.left - 2 * scaled(_NAME_LEFT))
        name, before = self.tr("Name of level {level}").format(level=level), hierarchy.levels[level].name
        then = partial(self.name_requested.emit, level)
        self._line.begin(name, before, box.toAlignedRect(), then, proposal)

    def show_drop_target(self, target: DropTarget | None) -> None:
        """Highlight the target of a drop."""
        if target != self._drop:
            self._drop = target
            self.update()

    def drop_target_at(self, position: QPoint, dragged: Selection) -> DropTarget | None:
        """Return the target of a drop at a position on the screen."""
        here = self.mapFromGlobal(position)
        if self.geometry_shown is None or not self.isVisible() or not self.rect().contains(here):
            return None
        return drop_target(self.geometry_shown, QPointF(here), dragged)

    # Positions ----------------------------------------------------------------------------------

    @property
    def placed(self) -> IcicleGeometry:
        """Groups of the outline shown, in pixels."""
        assert self.geometry_shown is not None, "no outline is shown"
        return self.geometry_shown

    def place_of(self, level: int, group: int) -> int:
        """Return the first place of a group."""
        return int(self.placed.outline.levels[level].starts[group])

    @property
    def words(self) -> IcicleWords:
        """Texts of the outline shown."""
        assert self._words is not None, "no outline is shown"
        return self._words

    @property
    def selection(self) -> Selection:
        """Selection shown."""
        return self._marks.selection if self._marks is not None else NOTHING

    def group_rect(self, level: int, label: str) -> QRectF:
        """Return the rectangle of a group; on level 0 the value's part of the histogram."""
        outline = self.placed.outline
        code = outline.hierarchy.levels[level].index[label]
        return self.placed.group_rect(level, int(np.flatnonzero(outline.levels[level].codes == code)[0]))

    def handle_rect(self, boundary: int) -> QRectF:
        """Return the rectangle of the handle of a cut of the current level."""
        return next(cut.handle for cut in self.cuts() if cut.boundary == boundary)

    def spot_at(self, position: QPointF) -> GroupSpan | None:
        """Return the groups under a point; a closed group extends down to the histogram."""
        geometry = self.placed
        if not geometry.frame.left <= position.x() <= geometry.frame.right:
            return None
        level = geometry.level_at(position.y())
        if level is None:
            return None
        outline = geometry.outline
        closed = int(outline.closed[geometry.place_at(position.x())])
        level = max(level, closed)
        return GroupSpan(level, *geometry.groups_at(level, position.x()))

    def level_named_at(self, position: QPointF) -> int | None:
        """Return the level whose name is at a point."""
        is_name = position.x() < self.placed.frame.left
        return self.placed.level_at(position.y()) or None if is_name else None

    def is_marked(self, spot: GroupSpan) -> bool:
        """Return whether all of the groups are selected."""
        return self._marks is not None and self._marks.is_marked(spot.level, spot.first, spot.last)

    def chevron_at(self, position: QPointF) -> GroupSpan | None:
        """Return the closed group whose chevron is under a point."""
        spot, geometry = self.spot_at(position), self.placed
        if spot is None or spot.level < 1 or geometry.level_at(position.y()) == 0:
            return None
        is_closed = int(geometry.outline.closed[self.place_of(spot.level, spot.first)]) == spot.level
        inside = chevron_rect(geometry, spot.level, spot.first).contains(position)
        return spot if is_closed and inside else None

    def cut_at(self, position: QPointF) -> tuple[int, int] | None:
        """Return the cut of the current level under a point, by its line or its handle."""
        geometry, level = self.placed, self.cursor_spot.level
        if level < 1:
            return None
        for cut in self.cuts():
            if cut.handle.adjusted(-3, -2, 3, 2).contains(position):
                return level, cut.boundary
        reaches = geometry.row_top(level) <= position.y() <= geometry.frame.bars_bottom
        if not reaches:
            return None
        near = [cut for cut in self.cuts() if abs(cut.x - position.x()) <= _CUT_REACH]
        found = min(near, key=lambda cut: abs(cut.x - position.x()), default=None)
        return (level, found.boundary) if found is not None else None

    def cuts(self) -> tuple[CutShown, ...]:
        """Return the visible cuts of the current level."""
        gesture, boundary = self.gesture, self.cut[1] if self.cut is not None else None
        moved = gesture.place if gesture is not None and gesture.press is MouseAction.CUT else None
        asked = (self.placed, self.cursor_spot.level, boundary, moved)
        if self._cuts_asked != asked:  # called at every mouse move
            self._cuts_asked = asked
            self._cuts = cuts_shown(self.placed, self.words, self._running, *asked[1:])
        return self._cuts

    def _cut_words(self, level: int, boundary: int) -> tuple[str, str]:
        place = self.place_of(level, boundary)
        return cut_words(self.placed, self.words, self._running, level, boundary, place)

    def banded(self, gesture: Gesture) -> GroupSpan:
        """Return the groups touched by a rubber band, of the level closest to its start."""
        geometry, rect = self.placed, gesture.rect
        if gesture.spot is not None:
            level = gesture.spot.level
        else:
            down = gesture.at.y() >= gesture.start.y()
            rows = range(geometry.height, -1, -1) if down else range(geometry.height + 1)
            touched = [row for row in rows if geometry.row_rect(row).intersects(rect)]
            level = touched[0] if touched else geometry.level_near(gesture.start.y())
        return GroupSpan(level, *geometry.groups_between(level, rect.left(), rect.right()))

    # Changes of the view ------------------------------------------------------------------------

    def set_geometry(self, geometry: IcicleGeometry) -> None:
        """Zoom or pan."""
        if geometry is not self.geometry_shown:
            self.geometry_shown = geometry
            self._hovered = None
            self.update()
            self.view_changed.emit()

    def fit(self) -> None:
        """Show the complete outline."""
        self.set_geometry(self.placed.fitted())

    def zoom_by(self, factor: float, x: float | None = None) -> None:
        """Zoom around a pixel, or around the current group."""
        geometry = self.placed
        if x is None:
            rect = geometry.group_rect(self.cursor_spot.level, self.cursor_spot.first)
            x = min(max(rect.center().x(), geometry.frame.left), geometry.frame.right)
        self.set_geometry(geometry.zoomed(geometry.zoom * factor, x))

    def set_cut(self, cut: tuple[int, int] | None) -> None:
        """Choose the cut moved by keys."""
        if cut != self.cut:
            self.cut = cut
            self._describe()
            self.update()

    def place_of_cut(self, x: float, *, is_free: bool) -> int:
        """Return the place of the chosen cut dragged to a pixel; dates snap to periods unless `is_free`."""
        assert self.cut is not None, "only asked for a chosen cut"
        stops = self._stops(self.cut, is_free=is_free)
        if not len(stops):
            return self.place_of(*self.cut)
        edges = self.placed.axis.edges[stops]
        return int(stops[np.abs(edges - self.placed.unit_at(x)).argmin()])

    def next_of_cut(self, step: int, *, is_free: bool) -> int | None:
        """Return the place of the chosen cut after one step; None if it cannot move."""
        assert self.cut is not None, "only asked for a chosen cut"
        here, stops = self.place_of(*self.cut), self._stops(self.cut, is_free=is_free)
        found = stops[stops > here] if step > 0 else stops[stops < here][::-1]
        return int(found[0]) if len(found) else None

    def _stops(self, cut: tuple[int, int], *, is_free: bool) -> IntArray:
        """Return the allowed places of a cut."""
        low, high = self.placed.cut_range(*cut)
        stops = None if is_free or self._dates is None else self._dates.stops(cut[0])
        if stops is None:
            return np.arange(low, high + 1)
        inside = stops[(stops >= low) & (stops <= high)]
        return np.union1d(inside, [self.place_of(*cut)]).astype(np.int64)

    def set_hovered(self, spot: GroupSpan | None) -> None:
        """Highlight the group under the pointer."""
        if spot is not None and spot.level == 0:
            spot = None
        if spot != self._hovered:
            self._hovered = spot
            self.update()

    def go_to(self, spot: GroupSpan, *, keeps_anchor: bool = False) -> None:
        """Make a group the current one."""
        geometry = self.placed
        changes_level = spot.level != self.cursor_spot.level
        self.cursor_spot = spot
        if not keeps_anchor or changes_level:
            self.anchor = spot.first
        if changes_level:
            self.cut = None
        if spot.last - spot.first == 1 and geometry.zoom > 1:
            self.set_geometry(geometry.showing(spot.level, spot.first))
        self._describe()
        self.update()

    def select_spot(self, spot: GroupSpan) -> None:
        """Request that only these groups are selected."""
        self.cut = None
        self.go_to(spot)
        self.request(spot.level, spot.first, spot.last)

    def extend_to(self, spot: GroupSpan) -> None:
        """Request the groups from the anchor to a group of the same level."""
        if spot.level != self.cursor_spot.level:
            self.select_spot(spot)
            return
        self.go_to(spot, keeps_anchor=True)
        self.request(spot.level, min(self.anchor, spot.first), max(self.anchor + 1, spot.last))

    def select_level(self, level: int) -> None:
        """Request all groups of a level."""
        self.go_to(GroupSpan(level, 0, 1))
        self.request(level, 0, len(self.placed.outline.levels[level].codes))

    def request(self, level: int, first: int, last: int) -> None:
        """Request a range of groups."""
        self.selection_requested.emit(selection_of(self.placed.outline, level, first, last))

    def escape(self) -> bool:
        """Release the cut, then clear the selection; return False if there was neither."""
        if self.cut is not None:
            self.set_cut(None)
            return True
        if self.selection.labels:
            self.selection_requested.emit(NOTHING)
            return True
        return False

    def _settle_cursor(self) -> None:
        """Keep the current group among existing groups and, if there is a selection, within it."""
        geometry, marks = self.placed, self._marks
        assert marks is not None, "an outline is shown"
        level = min(self.cursor_spot.level, geometry.height)
        n_groups = len(geometry.outline.levels[level].codes)
        first = min(self.cursor_spot.first, n_groups - 1)
        self.cursor_spot = GroupSpan(level, first, min(max(self.cursor_spot.last, first + 1), n_groups))
        self.anchor = min(self.anchor, n_groups - 1)
        chosen = np.flatnonzero(marks.groups)
        if not len(chosen) or not marks.selection.labels:
            return
        level = marks.selection.level
        if self.cursor_spot.level != level or not marks.groups[first]:
            self.cursor_spot = GroupSpan(level, int(chosen[0]), int(chosen[0]) + 1)
            self.anchor = self.cursor_spot.first

    def _describe(self) -> None:
        """Set the accessible text to the current group, or to the cut moved by keys."""
        if self.cut is not None:
            text = ": ".join(self._cut_words(*self.cut))
        else:
            text = self.words.group(self.cursor_spot.level, self.cursor_spot.first, self.cursor_spot.last)
            if len(self.selection.labels) > 1:
                text = self.tr("{text}; {selection} selected").format(
                    text=text, selection=self.selection.words
                )
        self.describe(text)

    def as_accessible(self) -> Accessible:
        """Return the current group, or the cut moved by keys, as value."""
        return Accessible(Role.Canvas, self.accessibleDescription())

    # Drawing ------------------------------------------------------------------------------------

    def draw(self, painter: ThemedPainter) -> None:
        if self.geometry_shown is None:
            painter.fill(self.rect(), "surface")
            painter.style(Text.CELL, "text_3")
            text = self.tr("Build the hierarchy to see its groups.")
            painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, text)
        else:
            # Handles of cuts, which are those of one level, cover ticks.
            shown = self.geometry_shown, self.cursor_spot.level
            self._groups.paint(painter, self, shown, self._draw_groups)
            self._draw_marks(painter, self.placed, self.words)

    def _draw_groups(self, painter: ThemedPainter) -> None:
        painter.fill(self.rect(), "surface")
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        geometry, words, text = self.placed, self.words, self._axis_text()
        scale = records_scale(geometry, self._running)
        draw_records_axis(painter, geometry, scale, text)
        draw_bars(painter, geometry, self._running, scale, "series_1")
        draw_level_names(painter, geometry, words)
        painter.setClipRect(self._plot)
        draw_groups(painter, geometry, words)
        painter.setClipping(False)
        taken = [cut.handle for cut in self.cuts() if cut.text and not cut.is_active]
        draw_values_axis(painter, geometry, words, text, taken, self.height())

    def _draw_marks(self, painter: ThemedPainter, geometry: IcicleGeometry, words: IcicleWords) -> None:
        """Draw the selection, the cuts, and what happens under the pointer."""
        marks, cuts, bounds = self._marks, self.cuts(), QRectF(self.rect()).adjusted(2, 2, -2, -2)
        assert marks is not None, "an outline is shown"
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        moved = next((cut for cut in cuts if cut.tag is not None), None)
        selected = selected_running(geometry, marks, moved)
        if selected[-1]:
            draw_bars(painter, geometry, selected, records_scale(geometry, self._running), "accent")
        painter.setClipRect(self._plot)
        draw_selected(painter, geometry, words, marks)
        if moved is not None:
            draw_moved(painter, geometry, words, marks, self._running, moved)
        if self._hovered is not None:
            draw_spot(painter, geometry, self._hovered, "border_strong")
        is_many = len(self.selection.labels) > 1 or not self.is_marked(self.cursor_spot)
        if self.hasFocus() and is_many and self.cut is None:
            draw_spot(painter, geometry, self.cursor_spot, "ink")
        painter.setClipping(False)
        for cut in sorted(cuts, key=lambda cut: cut.is_active):  # the dragged cut last, on top
            draw_cut(painter, geometry, cut.level, cut.x, cut.handle, cut.text, is_active=cut.is_active)
        if moved is not None and moved.tag is not None:
            fonts = font(Text.CELL_STRONG), font(Text.CAPTION)
            anchor = QPointF(moved.x, geometry.frame.bars_top - 8)
            draw_tag(painter, list(zip(moved.tag, fonts, strict=True)), anchor, bounds)
        if self._drop is not None:
            draw_drop(painter, geometry, words, self._drop, bounds)
        gesture = self.gesture
        if gesture is not None and gesture.press is MouseAction.BAND and gesture.has_moved:
            spot = self.banded(gesture)
            draw_band(painter, gesture.rect, words.groups(spot.level, spot.last - spot.first), bounds)
        if self.typed:
            line = self.tr("Find: {typed}").format(typed=self.typed), font(Text.CELL)
            draw_tag(painter, [line], QPointF(geometry.frame.left, self.height()), bounds)

    @property
    def _plot(self) -> QRectF:
        """The part of the view between the names of levels and the right edge."""
        frame = self.placed.frame
        return QRectF(frame.left - 1, 0, frame.width + 2, self.height())

    def _axis_text(self) -> AxisText:
        column, bars = self._column, self.placed.bars
        name, kind = (column.name, column.data_type.kind) if column is not None else ("", None)
        each = int(np.median(bars.lasts - bars.firsts)) if bars.is_shared else 1
        if each > 1:
            name = self.tr("{name}, about {each} values per bar").format(name=name, each=as_count(each))
        roots = self.tr("Records (square-root scale)")
        return AxisText(name, self.tr("Records"), roots, kind is Kind.DATE, kind is Kind.INTEGER)

    def _frame(self, outline: Outline) -> IcicleFrame:
        room = (self.width() - scaled(_USUAL_GUTTER) - _MARGIN) / outline.n_places
        are_names = self._meaning is WidthMeaning.RECORDS or not outline.has_number_line
        is_turned = are_names and scaled(_NAMES_FROM) <= room < scaled(_NAMES_TO)
        names = [self.words.place(place) for place in range(outline.n_places)] if is_turned else []
        sizes = FrameSizes(
            level_names_width(self.words, outline.hierarchy.height),
            _MARGIN,
            scaled(_TALL_ROW),
            scaled(_LOW_ROW),
            scaled(_TITLE),
            scaled(_LEAST_BARS),
            below_height(names, is_low=self.height() < scaled(_LOW)),
        )
        return frame_for(self.width(), self.height(), outline.hierarchy.height, sizes)

    def refit(self) -> None:
        self._line.cancel()
        if self.geometry_shown is not None:
            self.geometry_shown = replace(self.geometry_shown, frame=self._frame(self.geometry_shown.outline))
            self.view_changed.emit()
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(800, 360)

    def minimumSizeHint(self) -> QSize:
        return QSize(320, 160)


_LEAST_WIDTH, _HEIGHT = 120, 26


class RenameLine(QLineEdit):
    """Enter or loss of focus accepts another text; Escape cancels."""

    closed = Signal()

    def __init__(self, host: QWidget) -> None:
        super().__init__(host)
        self._host, self._before = host, ""
        self._then: Callable[[str], object] = str
        self.setObjectName("groupRename")
        self.setProperty("overlay", True)
        self.setProperty("compact", "true")
        self.setProperty("focus_ring", "none")  # its frame serves as the focus ring
        self.editingFinished.connect(self._finish)
        self.hide()

    def begin(
        self, name: str, text: str, box: QRect, then: Callable[[str], object], placeholder: str = ""
    ) -> None:
        """Show the line edit over a box, with its text selected; `then` is called with another text."""
        self._before, self._then = text, then
        self.setAccessibleName(name)
        self.setPlaceholderText(placeholder)
        self.setFont(font(Text.CELL))
        self.setText(text)
        place, host = QRect(box.topLeft(), box.size()), self._host.rect()
        place.setWidth(max(box.width(), scaled(_LEAST_WIDTH)))
        place.setHeight(scaled(_HEIGHT))
        place.moveLeft(min(max(place.left(), 2), host.width() - place.width() - 2))
        place.moveTop(min(max(box.top(), 2), host.height() - place.height() - 2))
        self.setGeometry(place)
        self.show()
        self.raise_()
        self.setFocus(Qt.FocusReason.OtherFocusReason)
        self.selectAll()

    def cancel(self) -> None:
        """Hide the line edit without a change."""
        if self.isVisible():
            had_focus, self._then = self.hasFocus(), str
            self.hide()
            if had_focus:
                self.closed.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.cancel()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._finish()  # Qt would pass the key on to the host
        else:
            super().keyPressEvent(event)

    def _finish(self) -> None:
        text, then = self.text().strip(), self._then
        self.cancel()
        if text != self._before:
            then(text)
