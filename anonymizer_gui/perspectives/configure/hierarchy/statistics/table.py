"""Statistics table per level: groups, smallest, largest, and the k of the attribute alone as a bar."""

from __future__ import annotations

from math import log

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QHeaderView, QWidget

from anonymizer_gui.perspectives.configure.hierarchy.statistics.level_table import LevelTable
from anonymizer_gui.theming import Text, current_theme, font, scaled
from anonymizer_gui.widgets.layouts import named
from anonymizer_gui.widgets.tables import CELL_PADDING
from anonymizer_gui.widgets.texts_table import Cell, Heading
from engine.hierarchies.statistics import LevelStatistics
from engine.numbers import as_exact_count, as_groups, as_percent, as_records

_LEVEL, _GROUPS, _SMALLEST, _LARGEST, _BELOW, _K = range(6)
_WIDTHS = {_LEVEL: 46, _GROUPS: 58, _SMALLEST: 66, _LARGEST: 64, _BELOW: 64}  # at least
_LEAST_K = 124  # width of the narrowest bar with its number and a word
_SPARED = (_SMALLEST, _LARGEST, _BELOW)  # hidden in this order if space is short; the smallest is also in k
_BAR_HEIGHT = 7
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


class StatisticsTable(LevelTable):
    """Read-only, one row per level. Hides the least important columns if space is short."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        named(self, "statisticsTable", self.tr("Statistics of each level"))
        self._smallest: tuple[int, ...] = ()  # group of each row
        self._required_k: int | None = None
        self._needed: dict[int, int] = {}
        self.horizontalHeader().setTextElideMode(Qt.TextElideMode.ElideRight)  # column names can be long
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
        self.show_cells(
            headings, (self._cells(level, text) for level, text in zip(statistics, words, strict=True))
        )
        header = self.horizontalHeader()
        for section in _WIDTHS:
            header.setSectionResizeMode(section, QHeaderView.ResizeMode.Fixed)
        header.setSectionResizeMode(_K, QHeaderView.ResizeMode.Stretch)

    def paint_cell(self, painter: QPainter, cell: QRect, row: int, column: int) -> None:
        if column == _K:
            self._paint_k(painter, cell, self._smallest[row])
        else:
            super().paint_cell(painter, cell, row, column)

    def measure(self) -> None:
        for section, least in _WIDTHS.items():
            self._needed[section] = max(self.needed_width(section), scaled(least))

    def share_width(self) -> None:
        shown = dict(self._needed)
        if self._required_k is None:
            shown.pop(_BELOW, None)
        for section in _SPARED:
            if sum(shown.values()) + scaled(_LEAST_K) > self.viewport().width():
                shown.pop(section, None)
        for section in _WIDTHS:
            self.setColumnHidden(section, section not in shown)
            if section in shown:
                self.setColumnWidth(section, shown[section])

    def _cells(self, level: LevelStatistics, words: str) -> tuple[Cell, ...]:
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

    def _paint_k(self, painter: QPainter, cell: QRect, k: int) -> None:
        """Paint a logarithmic bar with its number, and a word if it is below the required k."""
        theme = current_theme()
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
        painter.setFont(font(Text.CELL_STRONG))
        painter.setPen(QColor(theme.text))
        place = cell.adjusted(round(CELL_PADDING + bar.width() + 8), 0, 0, 0)
        painter.drawText(place, _LEFT, text)
        if fails:
            place.adjust(painter.fontMetrics().horizontalAdvance(text) + 8, 0, -4, 0)
            painter.setFont(font(Text.CELL))
            painter.setPen(QColor(theme.danger))
            words = self.tr("below {required_k}").format(required_k=as_exact_count(self._required_k))
            shown = painter.fontMetrics().elidedText(words, Qt.TextElideMode.ElideRight, place.width())
            painter.drawText(place, _LEFT, shown)
