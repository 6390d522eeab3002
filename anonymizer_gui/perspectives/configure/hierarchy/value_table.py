"""The table of values with its columns fitted to the room: the bars give way first, then long labels."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QFrame, QHeaderView, QVBoxLayout, QWidget

from anonymizer_gui.models.hierarchy_model import RECORDS, VALUE
from anonymizer_gui.perspectives.configure.hierarchy.group_drag import GroupDrag
from anonymizer_gui.perspectives.configure.hierarchy.value_model import ValueModel
from anonymizer_gui.perspectives.configure.hierarchy.value_painter import BAR_GAP, CHEVRON, LONGEST_BAR
from anonymizer_gui.perspectives.configure.hierarchy.value_rows import level_of
from anonymizer_gui.perspectives.configure.hierarchy.value_view import ValueView
from anonymizer_gui.perspectives.configure.hierarchy_table import shared_widths
from anonymizer_gui.theming import Text, font, scaled, theme_manager
from anonymizer_gui.widgets.tables import CELL_PADDING
from engine.hierarchies.outline import Outline
from engine.table import Column

_MEASURED_ROWS = 60
_VALUE_WIDTH, _LEVEL_WIDTH, _SHORTEST_BAR = 80, 64, 20


class ValueTable(QFrame):
    """The view and its model; columns share the width while they can."""

    def __init__(self, drag: GroupDrag, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = ValueModel(self)
        self.view = ValueView(self.model, drag)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.view)
        self.view.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        self.view.viewport().installEventFilter(self)
        theme_manager().theme_changed.connect(self._fit)

    def show_outline(self, column: Column | None, outline: Outline | None) -> None:
        """Show another outline; widths stay where only labels have changed."""
        before = self.model.outline
        is_new = self.view.show_outline(column, outline)
        if is_new or before is None or outline is None or before.hierarchy is not outline.hierarchy:
            self._fit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and watched is self.view.viewport():
            self._fit()
        return super().eventFilter(watched, event)

    def _fit(self) -> None:
        """Give every column what its labels need, or as much of the room as there is for each."""
        columns = [column for column in range(self.model.columnCount()) if column != RECORDS]
        if not columns:
            return
        wanted = [self._wanted(column) for column in columns]
        room = self.view.viewport().width()
        fixed = 2 * CELL_PADDING + self.view.number_width + BAR_GAP
        title = QFontMetrics(font(Text.HEADER)).horizontalAdvance(self._title(RECORDS)) + 2 * CELL_PADDING
        records = min(fixed + scaled(LONGEST_BAR), room - sum(wanted))
        records = max(records, fixed + scaled(_SHORTEST_BAR), title + 2)
        self.view.setColumnWidth(RECORDS, records)
        widths = shared_widths(wanted, room - records)
        for column, width, needed in zip(columns, widths, wanted, strict=True):
            least = scaled(_VALUE_WIDTH if column == VALUE else _LEVEL_WIDTH)
            self.view.setColumnWidth(column, max(width, min(least, needed)))

    def _wanted(self, column: int) -> int:
        """The width of the longest label among the first rows, or the first groups of a level."""
        metrics = QFontMetrics(font(Text.CELL_STRONG))
        rows = list(range(min(self.model.rowCount(), _MEASURED_ROWS)))
        outline = self.model.outline
        if column != VALUE and outline is not None:
            rows = outline.levels[level_of(column)].starts[:-1][:_MEASURED_ROWS].tolist()
        texts = {self.model.text(row, column) for row in rows}
        longest = max((metrics.horizontalAdvance(text) for text in texts), default=0)
        if column == VALUE:
            longest = max(longest, self._wanted_by_closed(rows))
        title = QFontMetrics(font(Text.HEADER)).horizontalAdvance(self._title(column))
        least = self.view.horizontalHeader().minimumSectionSize()
        return max(max(longest, title + 1) + 2 * CELL_PADDING + 2, least)

    def _wanted_by_closed(self, rows: list[int]) -> int:
        """What closed groups need: a chevron, the label, the number of values."""
        metrics = QFontMetrics(font(Text.CELL_STRONG))
        model = self.model
        lines = {
            f"{model.text(row, VALUE)} {model.values_in_words(model.n_values(row))}"
            for row in rows
            if model.closed_level(row)
        }
        beside = scaled(CHEVRON) + CELL_PADDING
        return max((metrics.horizontalAdvance(line) + beside for line in lines), default=0)

    def _title(self, column: int) -> str:
        return str(self.model.headerData(column, Qt.Orientation.Horizontal))
