"""Table of values and their labels per level, with the number of groups below each level."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QSizePolicy,
    QTableView,
    QWidget,
)

from anonymizer_gui.models.hierarchy_model import RECORDS, VALUE, HierarchyModel
from anonymizer_gui.theming import Text, current_theme, font, scaled, theme_manager
from anonymizer_gui.widgets.layouts import fixed, named, vbox
from anonymizer_gui.widgets.tables import CELL_PADDING, prepare_table
from engine.hierarchies import Hierarchy
from engine.numbers import as_groups, as_values
from engine.table import Column

_FOOTER_FROM = 100
_MEASURED_ROWS = 60
_FOOTER, _VALUE_WIDTH, _RECORDS_WIDTH, _LEVEL_WIDTH = 24, 96, 76, 72


class HierarchyTable(QFrame):
    """Read-only; columns share the width if possible."""

    def __init__(self, name: str, *, has_frame: bool = False, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._has_frame = has_frame
        self.model = HierarchyModel(self)
        self.view = named(QTableView(), name, self.tr("Values and their labels on each level"))
        self.view.setModel(self.model)
        prepare_table(self.view)
        self.view.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.view.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self._footer = GroupCounts(self.view, self.model)
        edge = 1 if has_frame else 0
        vbox((self.view, 1), self._footer, spacing=0, margins=edge, of=self)
        self.view.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        self.view.viewport().installEventFilter(self)
        theme_manager().theme_changed.connect(self._fit)

    def show_hierarchy(self, column: Column | None, hierarchy: Hierarchy | None) -> None:
        """Show the values of a column with their labels."""
        self.view.scrollToTop()
        self.model.show_hierarchy(column, hierarchy)
        self._fit()
        self._footer.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        # With little room, the values come first.
        self._footer.setVisible(self.height() >= scaled(_FOOTER_FROM))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and watched is self.view.viewport():
            self._fit()
        return super().eventFilter(watched, event)

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._has_frame:
            painter = QPainter(self)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QColor(current_theme().border))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)

    def _fit(self) -> None:
        """Set the width of every column to its labels, or share the available width."""
        n_columns = self.model.columnCount()
        columns = [column for column in range(n_columns) if column != RECORDS]
        wanted = [self._wanted(column) for column in columns]
        room = self.view.viewport().width() - scaled(_RECORDS_WIDTH)
        self.view.setColumnWidth(RECORDS, scaled(_RECORDS_WIDTH))
        for column, width in zip(columns, shared_widths(wanted, room), strict=True):
            least = scaled(_VALUE_WIDTH if column == VALUE else _LEVEL_WIDTH)
            self.view.setColumnWidth(column, max(width, least))

    def _wanted(self, column: int) -> int:
        """Return the width of the longest label among the first rows."""
        metrics = QFontMetrics(font(Text.CELL))
        rows = range(min(self.model.rowCount(), _MEASURED_ROWS))
        texts = {str(self.model.index(row, column).data()) for row in rows}
        longest = max((metrics.horizontalAdvance(text) for text in texts), default=0)
        least = scaled(_VALUE_WIDTH if column == VALUE else _LEVEL_WIDTH)
        return max(longest + 2 * CELL_PADDING + 2, least)


def shared_widths(wanted: Sequence[int], room: int) -> list[int]:
    """Divide a width: a column above the fair share never takes width that another one needs.

    The remainder is divided equally.
    """
    if not wanted:
        return []
    spare = room - sum(wanted)
    if spare >= 0:
        return [width + spare // len(wanted) for width in wanted]
    given = [0] * len(wanted)
    waiting = sorted(range(len(wanted)), key=wanted.__getitem__)
    while waiting:
        fair = room // len(waiting)
        place = waiting.pop(0)
        given[place] = min(wanted[place], fair)
        room -= given[place]
    return given


class GroupCounts(QWidget):
    """Line below a hierarchy table, aligned with its columns."""

    def __init__(self, view: QTableView, model: HierarchyModel) -> None:
        super().__init__()
        self._view, self._model = view, model
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        header = view.horizontalHeader()
        header.sectionResized.connect(self.update)
        header.geometriesChanged.connect(self.update)
        view.horizontalScrollBar().valueChanged.connect(self.update)
        model.modelReset.connect(self._on_reset)
        fixed(self, height=_FOOTER)

    def texts(self) -> list[str]:
        """Return one text per column of the table."""
        n_values = self._model.rowCount()
        values = as_values(n_values)
        groups = [as_groups(n) for n in self._model.n_groups[1:]]
        return [values, "", *groups]

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, painter = current_theme(), QPainter(self)
        painter.fillRect(self.rect(), QColor(theme.surface_2))
        painter.setPen(QColor(theme.border))
        painter.drawLine(0, 0, self.width(), 0)
        painter.setFont(font(Text.CELL))
        painter.setPen(QColor(theme.text_3))
        header = self._view.horizontalHeader()
        for section, text in enumerate(self.texts()):
            left = header.sectionViewportPosition(section) + CELL_PADDING
            room = QRect(left, 1, header.sectionSize(section) - CELL_PADDING, self.height() - 1)
            shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, room.width())
            painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, shown)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip:
            self.setToolTip(", ".join(text for text in self.texts() if text))
        return super().event(event)

    def _on_reset(self) -> None:
        self.setAccessibleName(", ".join(text for text in self.texts() if text))
        self.update()
