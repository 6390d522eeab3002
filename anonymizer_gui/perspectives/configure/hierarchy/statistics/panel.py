"""Panel with the statistics of each level and its effect on the optimum."""

from __future__ import annotations

from collections.abc import Sequence
from math import log

from PySide6.QtCore import QRect, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QHeaderView, QWidget

from anonymizer_gui.perspectives.configure.hierarchy.statistics.effects import EffectRow
from anonymizer_gui.perspectives.configure.hierarchy.statistics.level_table import LevelTable
from anonymizer_gui.theming import Text, current_theme, font, ramp_colors, scaled
from anonymizer_gui.widgets.card import Card
from anonymizer_gui.widgets.labels import ElidedLabel, make_label
from anonymizer_gui.widgets.layouts import STRETCH, hbox, named, vbox
from anonymizer_gui.widgets.meter import draw_meter
from anonymizer_gui.widgets.scroll_body import scrolled
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


class StatisticsPanel(Card):
    """Shows prepared values; choosing a row selects the level."""

    level_requested = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(self.tr("Statistics"), self.tr("this column alone"), parent)
        self.table = StatisticsTable()
        self.effects = EffectsTable()
        self._heading = ElidedLabel(self.tr("If the optimum used this level"), Text.SECTION, "text_2")
        self._updating = make_label(self.tr("updating"), Text.CAPTION, "text_3")
        self._reason = named(make_label("", Text.CELL, "text_2", wraps=True), "effectsReason")
        self._reason.setContentsMargins(12, 0, 12, 8)
        column = vbox(
            self.table,
            hbox((self._heading, 1), self._updating, spacing=8, margins=(12, 8, 12, 4)),
            self._reason,
            vbox(self.effects, margins=(4, 0, 4, 0)),
            STRETCH,
            spacing=0,
            margins=0,
        )
        self._scroll = scrolled(column)
        self.set_body(self._scroll, 0)
        for table in (self.table, self.effects):
            table.level_requested.connect(self.level_requested)
            table.row_reached.connect(self._keep_in_view)
        self.show_effects(())

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

    def show_effects(self, rows: Sequence[EffectRow], metric: str = "", *, is_updating: bool = False) -> None:
        """Show the effects of the levels from 0 on; no rows hide the table."""
        words = self.tr("If the optimum used this level")
        self._heading.setText(f"{words} · {metric}" if metric else words)
        self._heading.setVisible(bool(rows))
        self._updating.setVisible(is_updating)
        self._reason.hide()
        self.effects.show_rows(rows)
        self.effects.setVisible(bool(rows))

    def show_no_effects(self, reason: str) -> None:
        """Show why there are no effects."""
        self.show_effects(())
        self._heading.show()
        self._reason.setText(reason)
        self._reason.show()

    def reason(self) -> str:
        """Return why there are no effects, or an empty text."""
        return "" if self._reason.isHidden() else self._reason.text()

    def is_updating(self) -> bool:
        """Return whether effects of the draft are being computed."""
        return not self._updating.isHidden()

    def show_level(self, level: int | None) -> None:
        """Highlight the level of the selected groups."""
        for table in (self.table, self.effects):
            table.show_level(level)

    def _keep_in_view(self, row: int) -> None:
        table = self.sender()
        if isinstance(table, LevelTable):
            place = table.visualRect(table.model().index(row, 0)).center()
            inside = self._scroll.widget()
            assert inside is not None
            point = table.viewport().mapTo(inside, place)
            self._scroll.ensureVisible(point.x(), point.y(), 0, table.rowHeight(row))


_WORDS, _BAR, _VALUE, _OUTCOME = range(4)
_HEADINGS = (Heading(""), Heading(""), Heading(""), Heading("", is_number=True))  # not shown
_LEAST_WORDS, _LEAST_BAR, _MOST_BAR = 84, 32, 120


class EffectsTable(LevelTable):
    """Read-only table without headings: every cell is self-explanatory."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        named(self, "effectsTable", self.tr("The optimum with each level"))
        self._rows: tuple[EffectRow, ...] = ()
        self._needed = dict.fromkeys((_WORDS, _VALUE, _OUTCOME), 0)
        self.horizontalHeader().hide()

    def show_rows(self, rows: Sequence[EffectRow]) -> None:
        """Show the effects of the levels from 0 on."""
        self._rows = tuple(reversed(rows))
        self.show_cells(_HEADINGS, map(_cells, rows))
        header = self.horizontalHeader()
        for section in (_BAR, _VALUE, _OUTCOME):
            header.setSectionResizeMode(section, QHeaderView.ResizeMode.Fixed)
        header.setSectionResizeMode(_WORDS, QHeaderView.ResizeMode.Stretch)

    def paint_cell(self, painter: QPainter, cell: QRect, row: int, column: int) -> None:
        if column != _BAR:
            super().paint_cell(painter, cell, row, column)
            return
        effect, theme = self._rows[row], current_theme()
        colour = theme.fail_line if effect.colour is None else ramp_colors(theme)[effect.colour].name()
        place = QRectF(cell).adjusted(CELL_PADDING, 0, -CELL_PADDING, -1)
        draw_meter(painter, place, theme, effect.share or 0.0, color=colour)

    def measure(self) -> None:
        for section, use in ((_WORDS, Text.CELL_STRONG), (_VALUE, Text.CELL), (_OUTCOME, Text.CELL)):
            self._needed[section] = self.needed_width(section, use)

    def share_width(self) -> None:
        value, outcome = self._needed[_VALUE], self._needed[_OUTCOME]
        room = self.viewport().width() - value - outcome
        bar = min(max(room - self._needed[_WORDS], scaled(_LEAST_BAR)), scaled(_MOST_BAR))
        self.setColumnWidth(_BAR, max(min(bar, room - scaled(_LEAST_WORDS)), 0))
        self.setColumnWidth(_VALUE, value)
        self.setColumnWidth(_OUTCOME, outcome)


def _cells(row: EffectRow) -> tuple[Cell, ...]:
    """Return the cells of a level; the bar is painted."""
    hint = row.details or row.words
    outcome = Cell(row.outcome, hint, "danger" if row.fails else "text_2")
    return Cell(row.words, hint, is_strong=row.is_best), Cell("", hint), Cell(row.value, hint), outcome
