"""Painted header of the data table: role, name, type and values, and a small distribution."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from PySide6.QtCore import QEvent, QPoint, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QHelpEvent, QMouseEvent, QPainter
from PySide6.QtWidgets import QHeaderView, QToolTip, QWidget

from anonymizer_gui.models.column_summary import KIND_NAMES, ColumnSummary
from anonymizer_gui.theming import Text, Theme, current_theme, font, paint_icon, paint_text, scaled
from anonymizer_gui.widgets.layouts import fixed
from anonymizer_gui.widgets.role_badge import draw_role_badge
from engine.numbers import as_count, as_values
from engine.records import role_key, role_word
from engine.words import _, within_sentence

HEADER_HEIGHT, _BAND, _PADDING, _BADGE, _BARS = 78, 4, 8, 16, 20
_NARROWEST, _WIDEST, _WIDEST_NAME = 62, 148, 240
_WIDEST_BAR = 18
_MARK = 12


class ColumnHeader(QHeaderView):
    """Paints column summaries; clicks select columns, the arrow opens a menu."""

    menu_requested = Signal(int, QPoint)  # section, position on the screen
    toggled = Signal(int)  # section clicked with Ctrl

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self.summaries: tuple[ColumnSummary, ...] = ()
        self._chosen: frozenset[int] = frozenset()
        self._hovered = -1
        self._sorted_by: tuple[str, bool] | None = None
        self.setSectionsClickable(True)
        self.setHighlightSections(False)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.viewport().setMouseTracking(True)
        fixed(self, height=HEADER_HEIGHT)

    def show_columns(self, summaries: Sequence[ColumnSummary]) -> None:
        """Show columns with their roles, types and distributions."""
        self.summaries = tuple(summaries)
        self.viewport().update()

    def show_chosen(self, sections: Collection[int]) -> None:
        """Tint the selected columns."""
        self._chosen = frozenset(sections)
        self.viewport().update()

    def show_sorted(self, sorted_by: tuple[str, bool] | None) -> None:
        """Mark the column that the records are sorted by, and the direction."""
        self._sorted_by = sorted_by
        self.viewport().update()

    def menu_rect(self, section: int) -> QRect:
        """Return the rectangle of the arrow that opens a column's menu, in the viewport."""
        room, side = self.section_rect(section), scaled(_MARK)
        return QRect(room.right() - side - 3, room.bottom() - scaled(_BARS) - side - 9, side, side)

    def section_rect(self, section: int) -> QRect:
        """Return the rectangle of a column's header, in the viewport."""
        return QRect(self.sectionViewportPosition(section), 0, self.sectionSize(section), self.height())

    def least_width(self, section: int) -> int:
        """Return the width that shows the name, unless that is very long, and the number of values."""
        if section >= len(self.summaries):
            return scaled(_NARROWEST)
        summary = self.summaries[section]
        words = QFontMetrics(font(Text.CELL_STRONG)).horizontalAdvance(summary.name) + 2
        count = QFontMetrics(font(Text.CELL)).horizontalAdvance(as_count(summary.n_values))
        needed = max(words, scaled(_BADGE) + 6 + count) + _PADDING + 4
        return min(max(needed, scaled(_NARROWEST)), scaled(_WIDEST_NAME))

    def width_for(self, section: int, texts: Sequence[str]) -> int:
        """Return the width that also shows type, number of values, and cell texts unless long."""
        least = self.least_width(section)
        if section >= len(self.summaries):
            return least
        cells = QFontMetrics(font(Text.CELL))
        facts = cells.horizontalAdvance(self.summaries[section].short) + scaled(_BADGE) + 6
        longest = max((cells.horizontalAdvance(text) for text in texts), default=0)
        return max(least, facts + 2 * _PADDING + 4, min(longest + 2 * _PADDING + 2, scaled(_WIDEST)))

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), scaled(HEADER_HEIGHT))

    def paintSection(self, painter: QPainter, rect: QRect, logicalIndex: int) -> None:  # noqa: N803  # Qt's name
        if not rect.isValid() or logicalIndex >= len(self.summaries):
            return
        theme, summary = current_theme(), self.summaries[logicalIndex]
        is_chosen = logicalIndex in self._chosen
        painter.save()
        painter.fillRect(rect, QColor(theme.accent_soft if is_chosen else theme.surface_2))
        band = QRect(rect.left(), rect.top(), rect.width(), _BAND)
        painter.fillRect(band, QColor(theme.role(role_key(summary.role)).fill))
        painter.setPen(QColor(theme.border))
        painter.drawLine(rect.topRight(), rect.bottomRight())
        painter.setPen(QColor(theme.border_strong))
        painter.drawLine(rect.bottomLeft(), rect.bottomRight())
        self._draw_words(painter, rect.adjusted(_PADDING, _BAND, -4, 0), theme, summary)
        self._draw_bars(painter, rect.adjusted(_PADDING, 0, -_PADDING, -5), theme, summary, is_chosen)
        self._draw_mark(painter, logicalIndex, theme, summary.name, is_chosen)
        painter.restore()

    def _draw_mark(self, painter: QPainter, section: int, theme: Theme, name: str, is_chosen: bool) -> None:
        """Draw the arrow of the menu under the mouse, else the sort direction of a sorted column."""
        is_sorted = self._sorted_by is not None and self._sorted_by[0] == name
        if not is_sorted and section != self._hovered:
            return
        place = self.menu_rect(section)
        painter.fillRect(
            place.adjusted(-2, -2, 2, 2), QColor(theme.accent_soft if is_chosen else theme.surface_2)
        )
        icon_name = "chevron-down"
        if self._sorted_by is not None and is_sorted:
            icon_name = "arrow-down" if self._sorted_by[1] else "arrow-up"
        paint_icon(painter, QRectF(place), icon_name, theme.accent if is_sorted else theme.text_2)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        section = self.logicalIndexAt(event.position().toPoint())
        is_left = event.button() == Qt.MouseButton.LeftButton
        if (
            is_left
            and section >= 0
            and self.menu_rect(section).adjusted(-3, -3, 3, 3).contains(event.position().toPoint())
        ):
            self.menu_requested.emit(section, event.globalPosition().toPoint())
            return
        if is_left and section >= 0 and event.modifiers() == Qt.KeyboardModifier.ControlModifier:
            self.toggled.emit(section)  # Qt would ask for every record of the selected columns
            return
        super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._hover(self.logicalIndexAt(event.position().toPoint()))
        super().mouseMoveEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        self._hover(-1)
        super().leaveEvent(event)

    def _hover(self, section: int) -> None:
        if section != self._hovered:
            self._hovered = section
            self.viewport().update()

    def _draw_words(self, painter: QPainter, room: QRect, theme: Theme, summary: ColumnSummary) -> None:
        height = scaled(_BADGE) + 4
        line = QRect(room.left(), room.top() + scaled(4), room.width(), height)
        paint_text(painter, line, summary.name, Text.CELL_STRONG)
        line.translate(0, height)
        side = scaled(_BADGE)
        badge = QRectF(line.left(), line.top() + (height - side) / 2, side, side)
        draw_role_badge(painter, badge, theme, role_key(summary.role))
        line.setLeft(line.left() + side + 6)
        facts = summary.short
        if QFontMetrics(font(Text.CELL)).horizontalAdvance(facts) > line.width():
            facts = as_count(summary.n_values)  # one of the two in full instead of both elided
        paint_text(painter, line, facts, Text.CELL, "text_3")

    @staticmethod
    def _draw_bars(
        painter: QPainter, room: QRect, theme: Theme, summary: ColumnSummary, is_chosen: bool
    ) -> None:
        if not summary.bars:
            return
        height, pitch = scaled(_BARS), min(room.width() / len(summary.bars), _WIDEST_BAR)
        gap = 1 if pitch >= 3 else 0
        color = QColor(theme.accent if is_chosen else theme.series_1)
        for i, share in enumerate(summary.bars):
            left, right = room.left() + round(i * pitch), room.left() + round((i + 1) * pitch)
            tall = max(round(share * height), 1) if share > 0 else 0
            painter.fillRect(QRect(left, room.bottom() - tall, max(right - left - gap, 1), tall), color)

    def tooltip(self, section: int) -> str:
        """Return the content of the header as text."""
        if not 0 <= section < len(self.summaries):
            return ""
        summary = self.summaries[section]
        kind = within_sentence(_(KIND_NAMES[summary.kind]))
        words = f"{summary.name}: {role_word(summary.role)}, {kind}, {as_values(summary.n_values)}"
        return (
            self.tr("{words}, target of classification").format(words=words) if summary.is_target else words
        )

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), self.tooltip(self.logicalIndexAt(event.pos())), self)
            return True
        return super().viewportEvent(event)

    def sectionSizeFromContents(self, logicalIndex: int) -> QSize:  # noqa: N803  # Qt's name
        return QSize(scaled(_NARROWEST), scaled(HEADER_HEIGHT))
