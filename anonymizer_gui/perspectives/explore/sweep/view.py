"""Base of heat map and curves: cells under mouse and keys."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from anonymizer_gui.perspectives.explore.hover_card import show_hover_card
from anonymizer_gui.perspectives.explore.sweep.table import Cell, SweepTable
from anonymizer_gui.theming import Text, Theme, current_theme, font, scaled, theme_manager
from anonymizer_gui.widgets.accessible import PRESS, Accessible, Role, value_changed
from anonymizer_gui.widgets.marks import draw_focus

_LINE = 13  # px, line of an axis label
_STEPS = {
    Qt.Key.Key_Left: (-1, 0),
    Qt.Key.Key_Right: (1, 0),
    Qt.Key.Key_Up: (0, 1),
    Qt.Key.Key_Down: (0, -1),
}


class SweepView(QWidget):
    """Painted sweep; subclasses place and paint its cells."""

    cell_requested = Signal(int, int)  # use this cell
    cell_pointed = Signal(int, int)  # show its description; -1, -1 for none

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.describe: Callable[[Cell], str] = lambda _cell: ""
        self.table: SweepTable | None = None
        self.present: Cell | None = None  # cell of the current settings
        self.cursor_cell: Cell | None = None  # current cell of the keyboard
        self._hovered: Cell | None = None
        self.setAccessibleName(name)
        self.setProperty("focus_ring", "none")  # painted around the current cell
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        theme_manager().theme_changed.connect(self.update)

    # -- display -------------------------------------------------------------------------------

    def show_table(self, table: SweepTable | None) -> None:
        """Show another sweep."""
        self.table, self._hovered, self.present = table, None, None
        if table is not None and self.cursor_cell is not None:
            self.cursor_cell = table.moved(self.cursor_cell, 0, 0)
        self.update()

    def as_accessible(self) -> Accessible:
        """Return the current cell as value."""
        cell = self.cursor_cell
        if cell is None:
            return Accessible(Role.Canvas)
        return Accessible(Role.Canvas, self.describe(cell), actions={PRESS: lambda: self._adopt(cell)})

    def show_present(self, cell: Cell | None) -> None:
        """Frame the cell of the current settings."""
        if cell != self.present:
            self.present = cell
            if not self.hasFocus():
                self.cursor_cell = cell
            self.update()

    # -- for subclasses ------------------------------------------------------------------------

    def cell_at(self, point: QPointF) -> Cell | None:
        """Return the cell drawn at a point."""
        raise NotImplementedError

    def place(self, cell: Cell) -> QRectF:
        """Return the rectangle of a cell."""
        raise NotImplementedError

    def draw(self, painter: QPainter, table: SweepTable, theme: Theme) -> None:
        """Draw axes and cells."""
        raise NotImplementedError

    # -- events --------------------------------------------------------------------------------

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._hover(self.cell_at(event.position()))

    def leaveEvent(self, event: QEvent) -> None:
        self._hover(None)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        cell = self.cell_at(event.position())
        if event.button() == Qt.MouseButton.LeftButton and cell is not None:
            self.cursor_cell = cell
            self._adopt(cell)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, table, cursor = Qt.Key(event.key()), self.table, self.cursor_cell
        if table is None:
            super().keyPressEvent(event)
        elif key in _STEPS:
            self.cursor_cell = Cell(0, 0) if cursor is None else table.moved(cursor, *_STEPS[key])
            self._announce(self.cursor_cell)
            self.update()
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space) and cursor is not None:
            self._adopt(cursor)
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            cell = self.cell_at(QPointF(event.pos()))
            show_hover_card(self, event.globalPos(), "" if cell is None else self.describe(cell))
            return True
        return super().event(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        if self.table is not None and self.cursor_cell is None:
            self.cursor_cell = self.present or Cell(0, 0)
        if self.cursor_cell is not None:
            self._announce(self.cursor_cell)
        self.update()

    def minimumSizeHint(self) -> QSize:
        return QSize(240, 100)

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, painter = current_theme(), QPainter(self)
        painter.fillRect(self.rect(), theme.color("surface"))
        if self.table is not None:
            self.draw(painter, self.table, theme)
        if self.hasFocus():
            draw_focus(painter, QRectF(self.rect()), theme)

    # ------------------------------------------------------------------------------------------

    def _hover(self, cell: Cell | None) -> None:
        if cell != self._hovered:
            self._hovered = cell
            self._announce(cell if cell is not None else self.cursor_cell if self.hasFocus() else None)
            self.update()

    def _announce(self, cell: Cell | None) -> None:
        self.setAccessibleDescription("" if cell is None else self.describe(cell))
        value_changed(self)
        self.cell_pointed.emit(*(cell if cell is not None else (-1, -1)))

    def _adopt(self, cell: Cell) -> None:
        self._announce(cell)
        if self.table is not None and self.table.has_node(cell):
            self.cell_requested.emit(*cell)
        self.update()

    # -- painting ------------------------------------------------------------------------------

    def _plot(self, left: float, right: float) -> QRectF:
        """Return the area between the margins, above two lines of text."""
        room = QRectF(self.rect()).adjusted(left, 8, -right, -(2 * scaled(_LINE) + 6))
        return room if room.isValid() else QRectF(left, 8, 1, 1)

    def _draw_name_below(self, painter: QPainter, plot: QRectF, text: str, theme: Theme) -> None:
        painter.setFont(font(Text.AXIS))
        painter.setPen(theme.color("text_3"))
        row = QRectF(plot.left(), plot.bottom() + scaled(_LINE) + 4, plot.width(), scaled(_LINE))
        shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, int(row.width()))
        painter.drawText(row, int(Qt.AlignmentFlag.AlignCenter), shown)

    def _draw_name_beside(self, painter: QPainter, plot: QRectF, text: str, theme: Theme) -> None:
        """Draw the name of the vertical axis, rotated."""
        painter.save()
        painter.setFont(font(Text.AXIS))
        painter.setPen(theme.color("text_3"))
        painter.translate(4, plot.bottom())
        painter.rotate(-90)
        shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, int(plot.height()))
        row = QRectF(0, 0, plot.height(), scaled(_LINE))
        painter.drawText(row, int(Qt.AlignmentFlag.AlignCenter), shown)
        painter.restore()

    def _draw_texts_below(
        self, painter: QPainter, plot: QRectF, texts: list[tuple[float, str]], theme: Theme
    ) -> None:
        """Draw labels centred at positions, omitting those that would touch the previous one."""
        painter.setFont(font(Text.TICK))
        painter.setPen(theme.color("text_3"))
        taken = -10.0
        for x, text in texts:
            width = painter.fontMetrics().horizontalAdvance(text)
            if x - width / 2 > taken + 4:
                place = QRectF(x - width / 2, plot.bottom() + 3, width + 1, scaled(_LINE))
                painter.drawText(place, int(Qt.AlignmentFlag.AlignCenter), text)
                taken = x + width / 2
