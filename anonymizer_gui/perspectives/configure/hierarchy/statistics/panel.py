"""Panel with the statistics of each level."""

from __future__ import annotations

from math import log

from PySide6.QtCore import QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QKeyEvent, QPainter
from PySide6.QtWidgets import QFrame, QHeaderView, QSizePolicy, QStyleOptionViewItem

from anonymizer_gui.tables.rows_model import Cell, Heading, Index
from anonymizer_gui.tables.table_view import CELL_PADDING, RowDelegate, TableView
from anonymizer_gui.theming import Text, current_theme, font, paint_text, scaled
from anonymizer_gui.widgets.card import Card
from anonymizer_gui.widgets.drawn import FitsRoom
from anonymizer_gui.widgets.layouts import STRETCH, vbox
from anonymizer_gui.widgets.scroll_body import ScrollBody
from engine.hierarchies.statistics import LevelStatistics
from engine.numbers import as_exact_count, as_groups, as_percent, as_records
from engine.words import _

_LEVEL, _GROUPS, _SMALLEST, _LARGEST, _BELOW, _K = range(6)
_WIDTHS = {_LEVEL: 46, _GROUPS: 58, _SMALLEST: 66, _LARGEST: 64, _BELOW: 64}  # at least
_LEAST_K = 124  # width of the narrowest bar with its number and a word
_SPARED = (_SMALLEST, _LARGEST, _BELOW)  # hidden in this order if space is short; the smallest is also in k
_BAR_HEIGHT = 7


class BarDelegate(RowDelegate):
    """Draws k as a bar, over the row."""

    def __init__(self, view: StatisticsTable) -> None:
        super().__init__(view)
        self._view = view

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        super().initStyleOption(option, index)
        if index.column() == _K:
            option.text = ""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        super().paint(painter, option, index)
        if index.column() == _K:
            self._view.paint_bar(painter, QRect(option.rect), index.row())


class StatisticsTable(FitsRoom, TableView):
    """Read-only, one row per level from the highest to 0; choosing a row requests the level.

    Its container scrolls. Hides the least important columns if space is short.
    """

    level_requested = Signal(int)
    row_reached = Signal(int)  # by keys, so that the container can scroll to it

    def __init__(self) -> None:
        super().__init__("statisticsTable", _("Statistics of each level"))
        self.setItemDelegate(BarDelegate(self))
        self._cells: tuple[tuple[Cell, ...], ...] = ()  # of each row
        self._smallest: tuple[int, ...] = ()  # group of each row
        self._required_k: int | None = None
        self._level: int | None = None
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.horizontalHeader().setTextElideMode(Qt.TextElideMode.ElideRight)  # column names can be long
        self.clicked.connect(lambda index: self.level_requested.emit(self._level_of(index.row())))
        self.texts.modelReset.connect(self._on_reset)
        self.texts.dataChanged.connect(self._fit)
        self.show_statistics("", (), (), None)

    def show_statistics(
        self,
        name: str,
        statistics: tuple[LevelStatistics, ...],
        words: tuple[str, ...],
        required_k: int | None,
    ) -> None:
        """Show the levels of another column or draft; `words` describes each level."""
        self._required_k, k = required_k, as_exact_count(required_k)
        self._smallest = tuple(level.smallest for level in reversed(statistics))
        below = self.tr("Records in groups of fewer than {k}, and their share of all records").format(k=k)
        alone = self.tr(
            "k of {name} alone: smallest class if it were the only quasi-identifying column; logarithmic bars"
        )
        headings = (
            Heading(self.tr("Level")),
            Heading(self.tr("Groups"), is_number=True),
            Heading(self.tr("Smallest"), is_number=True),
            Heading(self.tr("Largest"), is_number=True),
            Heading(self.tr("Below {k}").format(k=k), is_number=True, tooltip=below),
            Heading(self.tr("k of {name} alone").format(name=name), tooltip=alone.format(name=name)),
        )
        rows = [self._row(level, text) for level, text in zip(statistics, words, strict=True)]
        self._cells = tuple(rows[::-1])
        self.texts.show(headings, self._cells)
        header = self.horizontalHeader()
        for section in _WIDTHS:
            header.setSectionResizeMode(section, QHeaderView.ResizeMode.Fixed)
        header.setSectionResizeMode(_K, QHeaderView.ResizeMode.Stretch)

    def show_level(self, level: int | None) -> None:
        """Highlight the row of a level."""
        self._level = level
        n_rows = self.model().rowCount()
        if level is None or level >= n_rows:
            self.clearSelection()
        else:
            self.selectRow(n_rows - 1 - level)

    def sizeHint(self) -> QSize:
        header = self.horizontalHeader()
        height = 0 if header.isHidden() else header.height()
        return QSize(super().sizeHint().width(), height + self.verticalHeader().length())

    def minimumSizeHint(self) -> QSize:
        return QSize(0, self.sizeHint().height())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        before = self.currentIndex().row()
        super().keyPressEvent(event)
        row = self.currentIndex().row()
        chosen = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)
        if row != before:
            self.row_reached.emit(row)
        if row >= 0 and (row != before or chosen):
            self.level_requested.emit(self._level_of(row))

    def paint_bar(self, painter: QPainter, cell: QRect, row: int) -> None:
        """Draw a logarithmic bar with its number, and a word if it is below the required k."""
        theme, k = current_theme(), self._smallest[row]
        fails = self._required_k is not None and k < self._required_k
        longest = max((cell.width() - 2 * CELL_PADDING) * 0.4, 4.0)
        share = log(k + 1) / log(max(*self._smallest, 1) + 1)
        bar = QRectF(
            cell.left() + CELL_PADDING,
            cell.center().y() - _BAR_HEIGHT // 2,
            max(longest * share, 4),
            _BAR_HEIGHT,
        )
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QColor(theme.fail_line) if fails else Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme.surface if fails else theme.ramp[2]))
        painter.drawRoundedRect(bar, 2, 2)
        painter.restore()
        text = as_exact_count(k)
        place = cell.adjusted(round(CELL_PADDING + bar.width() + 8), 1, 0, 1)  # on the line of other cells
        paint_text(painter, place, text, Text.CELL_STRONG)
        if fails:
            place.adjust(painter.fontMetrics().horizontalAdvance(text) + 8, 0, -4, 0)
            words = self.tr("below {required_k}").format(required_k=as_exact_count(self._required_k))
            paint_text(painter, place, words, Text.CELL, "danger")

    def _level_of(self, row: int) -> int:
        return self.model().rowCount() - 1 - row

    def _on_reset(self) -> None:
        self.show_level(self._level)
        self._fit()
        self.updateGeometry()

    def _fit(self) -> None:
        metrics, shown = QFontMetrics(font(Text.CELL)), {}
        for section, least in _WIDTHS.items():
            longest = max((metrics.horizontalAdvance(row[section].text) for row in self._cells), default=0)
            shown[section] = max(longest + 2 * CELL_PADDING + 2, scaled(least))
        if self._required_k is None:
            shown.pop(_BELOW, None)
        for section in _SPARED:
            if sum(shown.values()) + scaled(_LEAST_K) > self.viewport().width():
                shown.pop(section, None)
        for section in _WIDTHS:
            self.setColumnHidden(section, section not in shown)
            if section in shown:
                self.setColumnWidth(section, shown[section])

    def _row(self, level: LevelStatistics, words: str) -> tuple[Cell, ...]:
        hint, below = self._description(level, words), self.tr("none")
        if level.n_below:
            below = f"{as_exact_count(level.n_records_below)} · {as_percent(level.share_below)}"
        counts = map(as_exact_count, (level.n_groups, level.smallest, level.largest))
        texts = (*counts, below, as_exact_count(level.smallest))
        return Cell(str(level.level), hint, is_strong=True), *(Cell(text, hint) for text in texts)

    def _description(self, level: LevelStatistics, words: str) -> str:
        lines = [
            self.tr("Level {level}: {words}").format(level=level.level, words=words),
            self.tr(
                "{n_groups} of {smallest} to {largest} records; the largest is {share_largest} of all"
            ).format(
                n_groups=as_groups(level.n_groups),
                smallest=as_exact_count(level.smallest),
                largest=as_exact_count(level.largest),
                share_largest=as_percent(level.share_largest),
            ),
        ]
        if self._required_k is not None and level.n_below:
            lines.append(
                self.tr("{n_below} of fewer than {required_k}: {records}, {share_below} of all").format(
                    n_below=as_groups(level.n_below),
                    required_k=as_exact_count(self._required_k),
                    records=as_records(level.n_records_below),
                    share_below=as_percent(level.share_below),
                )
            )
        return "\n".join(lines)


class StatisticsPanel(Card):
    """Shows prepared values; choosing a row selects the level."""

    level_requested = Signal(int)

    def __init__(self) -> None:
        super().__init__(self.tr("Statistics"), self.tr("this column alone"))
        self.table = StatisticsTable()
        self._scroll = ScrollBody(vbox(self.table, STRETCH, spacing=0, margins=0))
        self.set_body(self._scroll, 0)
        self.table.level_requested.connect(self.level_requested)
        self.table.row_reached.connect(self._keep_in_view)

    def show_statistics(
        self,
        name: str,
        statistics: tuple[LevelStatistics, ...],
        words: tuple[str, ...],
        required_k: int | None,
    ) -> None:
        """Show the statistics of the draft of a column."""
        self.set_caption(self.tr("this column alone"))
        self.table.show_statistics(name, statistics, words, required_k)

    def show_statistics_updating(self) -> None:
        """Show that the statistics of the draft are being computed."""
        self.set_caption(self.tr("updating"))

    def show_level(self, level: int | None) -> None:
        """Highlight the level of the selected groups."""
        self.table.show_level(level)

    def _keep_in_view(self, row: int) -> None:
        place = self.table.visualRect(self.table.model().index(row, 0)).center()
        inside = self._scroll.widget()
        assert inside is not None
        point = self.table.viewport().mapTo(inside, place)
        self._scroll.ensureVisible(point.x(), point.y(), 0, self.table.rowHeight(row))
