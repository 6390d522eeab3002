"""The drawn header of the data table: role band, name, badge with type and values, a small distribution."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from PySide6.QtCore import QEvent, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QHelpEvent, QPainter
from PySide6.QtWidgets import QHeaderView, QToolTip, QWidget

from anonymizer_gui.models.column_summary import KIND_NAMES, ColumnSummary
from anonymizer_gui.theming import Text, Theme, current_theme, font, scaled, theme_manager
from anonymizer_gui.widgets.numbers import as_count, as_exact_count
from anonymizer_gui.widgets.role_badge import draw_role_badge

HEADER_HEIGHT, _BAND, _PADDING, _BADGE, _BARS = 78, 4, 8, 16, 20
_NARROWEST, _WIDEST = 62, 148
_WIDEST_BAR = 18


class ColumnHeader(QHeaderView):
    """Paints what a `ColumnSummary` holds; clicks select columns as in any table."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._summaries: tuple[ColumnSummary, ...] = ()
        self._chosen: frozenset[int] = frozenset()
        self.setSectionsClickable(True)
        self.setHighlightSections(False)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        theme_manager().theme_changed.connect(self._on_theme_changed)
        self._on_theme_changed()

    def show_columns(self, summaries: Sequence[ColumnSummary]) -> None:
        """Show other roles, types or distributions."""
        self._summaries = tuple(summaries)
        self.viewport().update()

    def summaries(self) -> tuple[ColumnSummary, ...]:
        return self._summaries

    def show_chosen(self, sections: Collection[int]) -> None:
        """Tint the selected columns."""
        self._chosen = frozenset(sections)
        self.viewport().update()

    def section_rect(self, section: int) -> QRect:
        """Where a column's header is, in the viewport."""
        return QRect(self.sectionViewportPosition(section), 0, self.sectionSize(section), self.height())

    def least_width(self, section: int) -> int:
        """A width that shows the name."""
        if section >= len(self._summaries):
            return scaled(_NARROWEST)
        words = QFontMetrics(font(Text.CELL_STRONG)).horizontalAdvance(self._summaries[section].name)
        return max(words + _PADDING + 6, scaled(_NARROWEST))

    def width_for(self, section: int, texts: Sequence[str]) -> int:
        """A width that also shows type and number of values, and the texts if they are not long."""
        least = self.least_width(section)
        if section >= len(self._summaries):
            return least
        cells = QFontMetrics(font(Text.CELL))
        facts = cells.horizontalAdvance(self._summaries[section].short) + scaled(_BADGE) + 6
        longest = max((cells.horizontalAdvance(text) for text in texts), default=0)
        return max(least, facts + 2 * _PADDING + 4, min(longest + 2 * _PADDING + 2, scaled(_WIDEST)))

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), scaled(HEADER_HEIGHT))

    def paintSection(self, painter: QPainter, rect: QRect, logicalIndex: int) -> None:  # noqa: N803  # Qt's name
        if not rect.isValid() or logicalIndex >= len(self._summaries):
            return
        theme, summary = current_theme(), self._summaries[logicalIndex]
        is_chosen = logicalIndex in self._chosen
        painter.save()
        painter.fillRect(rect, QColor(theme.accent_soft if is_chosen else theme.surface_2))
        band = QRect(rect.left(), rect.top(), rect.width(), _BAND)
        painter.fillRect(band, QColor(theme.role(summary.role.value).fill))
        painter.setPen(QColor(theme.border))
        painter.drawLine(rect.topRight(), rect.bottomRight())
        painter.setPen(QColor(theme.border_strong))
        painter.drawLine(rect.bottomLeft(), rect.bottomRight())
        self._draw_words(painter, rect.adjusted(_PADDING, _BAND, -4, 0), theme, summary)
        self._draw_bars(painter, rect.adjusted(_PADDING, 0, -_PADDING, -5), theme, summary, is_chosen)
        painter.restore()

    def _draw_words(self, painter: QPainter, room: QRect, theme: Theme, summary: ColumnSummary) -> None:
        height = scaled(_BADGE) + 4
        line = QRect(room.left(), room.top() + scaled(4), room.width(), height)
        self._draw_text(painter, line, summary.name, Text.CELL_STRONG, theme.text)
        line.translate(0, height)
        side = scaled(_BADGE)
        badge = QRectF(line.left(), line.top() + (height - side) / 2, side, side)
        draw_role_badge(painter, badge, theme, summary.role.value)
        line.setLeft(line.left() + side + 6)
        facts = summary.short
        if QFontMetrics(font(Text.CELL)).horizontalAdvance(facts) > line.width():
            facts = as_count(summary.n_values)  # whole, rather than a part of both
        self._draw_text(painter, line, facts, Text.CELL, theme.text_3)

    @staticmethod
    def _draw_text(painter: QPainter, room: QRect, text: str, use: Text, color: str) -> None:
        painter.setFont(font(use))
        painter.setPen(QColor(color))
        shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, shown)

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
        """What the header says, in words."""
        if not 0 <= section < len(self._summaries):
            return ""
        summary = self._summaries[section]
        kind, n_values = KIND_NAMES[summary.kind].lower(), as_exact_count(summary.n_values)
        values = self.tr("value") if summary.n_values == 1 else self.tr("values")
        words = f"{summary.name}: {summary.role.value}, {kind}, {n_values} {values}"
        return self.tr("{0}, target for classification").format(words) if summary.is_target else words

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), self.tooltip(self.logicalIndexAt(event.pos())), self)
            return True
        return super().viewportEvent(event)

    def sectionSizeFromContents(self, logicalIndex: int) -> QSize:  # noqa: N803  # Qt's name
        return QSize(scaled(_NARROWEST), scaled(HEADER_HEIGHT))

    def _on_theme_changed(self) -> None:
        self.setFixedHeight(scaled(HEADER_HEIGHT))
        self.viewport().update()
