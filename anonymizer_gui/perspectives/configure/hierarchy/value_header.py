"""The header of the table of values: a click selects a level, a drop makes a new group of it."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, Qt, Signal
from PySide6.QtGui import QColor, QContextMenuEvent, QPainter
from PySide6.QtWidgets import QHeaderView, QWidget

from anonymizer_gui.theming import Text, current_theme, font
from anonymizer_gui.widgets.tables import CELL_PADDING


class ValueHeader(QHeaderView):
    """One section can be pointed out as the place of a drop."""

    menu_requested = Signal(int, QPoint)  # section, place on the screen

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._target: int | None = None
        self.setSectionsClickable(True)

    def show_target(self, section: int | None) -> None:
        """Point out the section where a drop would go."""
        if section != self._target:
            self._target = section
            self.viewport().update()

    def paintSection(self, painter: QPainter, rect: QRect, section: int) -> None:
        if section != self._target:
            super().paintSection(painter, rect, section)
            return
        theme = current_theme()
        painter.save()
        painter.fillRect(rect, QColor(theme.accent_soft))
        painter.fillRect(QRect(rect.left(), rect.bottom() - 1, rect.width(), 2), QColor(theme.accent))
        painter.setFont(font(Text.HEADER))
        painter.setPen(QColor(theme.accent_text))
        room = rect.adjusted(CELL_PADDING, 0, -CELL_PADDING, 0)
        words = painter.fontMetrics().elidedText(
            self.tr("New group"), Qt.TextElideMode.ElideRight, room.width()
        )
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, words)
        painter.restore()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        section = self.logicalIndexAt(event.pos())
        if section >= 0:
            self.menu_requested.emit(section, event.globalPos())
