"""Table of values and their labels per level, with the number of groups below each level."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QEvent, QRect, QRectF
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QSizePolicy, QWidget

from anonymizer_gui.perspectives.configure.hierarchy.values.rows import FIRST_LEVEL, RECORDS, VALUE
from anonymizer_gui.tables.rows_model import Cell, Heading
from anonymizer_gui.tables.table_view import CELL_PADDING, TableView
from anonymizer_gui.theming import Text, current_theme, font, paint_text, scaled
from anonymizer_gui.widgets.drawn import FitsRoom
from anonymizer_gui.widgets.layouts import fixed, vbox
from engine.hierarchies import Hierarchy
from engine.hierarchies.statistics import level_codes
from engine.kernels.arrays import Codes
from engine.numbers import as_exact_count, as_groups, as_values
from engine.records import Column

_ABSENT = "–"
_FOOTER_FROM = 100
_MEASURED_ROWS = 60
_FOOTER, _RECORDS_WIDTH = 24, 76


class HierarchyTable(QFrame):
    """Read-only; columns share the width if possible."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.view = LabelView(name, self.tr("Values and their labels on each level"))
        self.model = self.view.texts
        self._footer = GroupCounts(self.view)
        vbox((self.view, 1), self._footer, spacing=0, margins=1, of=self)

    def show_hierarchy(self, column: Column | None, hierarchy: Hierarchy | None) -> None:
        """Show the values of a column with their labels."""
        self.view.scrollToTop()
        codes: Codes = np.zeros((0, 0), dtype=np.int32)
        if column is not None and hierarchy is not None:
            codes = level_codes(hierarchy, column)
        self._footer.n_groups = [len(np.unique(level[level >= 0])) for level in codes[1:]]
        n_values = 0 if column is None else len(column.labels)

        def cell(row: int, place: int) -> Cell:
            assert column is not None, "it has rows"
            if place == RECORDS:
                return Cell(as_exact_count(int(column.counts[row])), tone="text_2")
            if place == VALUE or hierarchy is None:
                return Cell(column.labels[row])
            level = place - FIRST_LEVEL + 1
            if (code := int(codes[level][row])) < 0:
                return Cell(_ABSENT, self.tr("This value is not in the hierarchy."), "danger")
            return Cell(hierarchy.levels[level].labels[code])

        first = (Heading(self.tr("0 original")), Heading(self.tr("Records"), is_number=True))
        levels = (Heading(str(level)) for level in range(1, len(codes)))
        self.model.show_made(() if column is None else (*first, *levels), range(n_values), cell)
        self.view.fit_columns()
        self._footer.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        # With little room, the values come first.
        self._footer.setVisible(self.height() >= scaled(_FOOTER_FROM))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QColor(current_theme().border))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)


class LabelView(FitsRoom, TableView):
    """Columns of labels share the width left by the column of records."""

    least_widths = 96, 72  # px at font scale 1: of values, and of the labels of a level

    def _fit(self) -> None:
        self.fit_columns()

    def records_width(self, free: int) -> int:
        """Return the width of the records if the labels leave some."""
        return scaled(_RECORDS_WIDTH)

    def wanted_width(self, column: int) -> int:
        """Return the width of the longest label among the first rows."""
        return max(self.width_of(column, range(self.model().rowCount())), self.least_width(column))

    def width_of(self, column: int, rows: Sequence[int], use: Text = Text.CELL) -> int:
        """Return the width of the longest label among the first of some rows."""
        metrics = QFontMetrics(font(use))
        texts = {str(self.model().index(row, column).data()) for row in rows[:_MEASURED_ROWS]}
        return max(map(metrics.horizontalAdvance, texts), default=0) + 2 * CELL_PADDING + 2

    def least_width(self, column: int) -> int:
        """Return the width below which labels cannot be read."""
        return scaled(self.least_widths[0 if column == VALUE else 1])

    def fit_columns(self) -> None:
        """Set the width of every column to its labels, or share the available width."""
        columns = [column for column in range(self.model().columnCount()) if column != RECORDS]
        if not columns:
            return
        wanted = [self.wanted_width(column) for column in columns]
        room = self.viewport().width()
        records = self.records_width(room - sum(wanted))
        self.setColumnWidth(RECORDS, records)
        for column, width, needed in zip(columns, shared_widths(wanted, room - records), wanted, strict=True):
            self.setColumnWidth(column, max(width, min(self.least_width(column), needed)))


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

    def __init__(self, view: TableView) -> None:
        super().__init__()
        self._view = view
        self.n_groups: Sequence[int] = ()  # of each level above the values
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        header = view.horizontalHeader()
        header.sectionResized.connect(self.update)
        header.geometriesChanged.connect(self.update)
        view.horizontalScrollBar().valueChanged.connect(self.update)
        view.model().modelReset.connect(self._on_reset)
        fixed(self, height=_FOOTER)

    def texts(self) -> list[str]:
        """Return one text per column of the table."""
        return [as_values(self._view.model().rowCount()), "", *map(as_groups, self.n_groups)]

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, painter = current_theme(), QPainter(self)
        painter.fillRect(self.rect(), QColor(theme.surface_2))
        painter.setPen(QColor(theme.border))
        painter.drawLine(0, 0, self.width(), 0)
        header = self._view.horizontalHeader()
        for section, text in enumerate(self.texts()):
            left = header.sectionViewportPosition(section) + CELL_PADDING
            room = QRect(left, 1, header.sectionSize(section) - CELL_PADDING, self.height() - 1)
            paint_text(painter, room, text, Text.CELL, "text_3")

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip:
            self.setToolTip(", ".join(text for text in self.texts() if text))
        return super().event(event)

    def _on_reset(self) -> None:
        self.setAccessibleName(", ".join(text for text in self.texts() if text))
        self.update()
