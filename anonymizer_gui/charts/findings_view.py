"""View of the findings of an analysis: its sentence, and its blocks in their order."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QLabel, QSizePolicy, QWidget

from anonymizer_gui.charts.drawn_chart import ChosenChart, DrawnChart, DrawnRows, drawn
from anonymizer_gui.theming import Text, scaled
from anonymizer_gui.widgets.labels import make_label, set_tone
from anonymizer_gui.widgets.layouts import STRETCH, named, nest, vbox
from anonymizer_gui.widgets.scroll_body import scrolled
from anonymizer_gui.widgets.texts_table import Cell, Heading, TextsTable, headings_of
from engine.findings.blocks import (
    Block,
    Chart,
    Fact,
    Facts,
    Figure,
    FigureColumn,
    FigureTable,
    Findings,
    Paragraph,
)
from engine.findings.format_value import format_value
from engine.numbers import as_percent
from engine.words import _

_MOST_ROWS = 1000  # shown; files and the clipboard have all rows
_FEW, _LEAST_HEIGHT = 8, 160  # rows of a list that is seen as a whole; height of a longer one
_WIDE = 900  # px; in narrower views two blocks are stacked


def _as_share(fraction: float) -> str:
    return as_percent(fraction, keep_zeros=True)


class FindingsView(QWidget):
    """Sentence, lists and charts; two blocks are side by side where there is room."""

    def __init__(
        self, key: str, parent: QWidget | None = None, *, as_share: Callable[[float], str] = _as_share
    ) -> None:
        """Create the view; `as_share` writes a fraction as the other pages around it do."""
        super().__init__(parent)
        self._key, self._as_share = key, as_share
        self._sentence = named(make_label("", Text.TITLE, wraps=True), f"{key}.sentence")
        self._parts: dict[_Place, QWidget] = {}
        self._made: list[tuple[_Place, bool]] = []  # places, and whether each has alternatives
        self._blocks = QBoxLayout(QBoxLayout.Direction.TopToBottom)
        self._blocks.setSpacing(6)
        column = vbox(self._sentence, (self._blocks, 1), spacing=6, margins=(12, 8, 12, 8))
        vbox(scrolled(column), margins=0, of=self)

    def sentence(self) -> QLabel:
        return self._sentence

    def part(self, key: str) -> QWidget:
        """Return the widget of a block."""
        return next(part for (_kind, own), part in self._parts.items() if own == key)

    def show_findings(self, found: Findings) -> None:
        """Show the findings of another release; blocks that it has too keep their widgets."""
        statement = found.statement()
        self._sentence.setText(statement.sentence)
        set_tone(self._sentence, statement.tone)
        blocks: dict[_Place, list[Block]] = {}
        for number, block in enumerate(_shown(found.blocks())):
            blocks.setdefault(_place(number, block), []).append(block)
        made = [(place, len(alike) > 1) for place, alike in blocks.items()]
        if made != self._made:
            self._made = made
            self._make(blocks)
        for place, part in self._parts.items():
            self._fill(part, blocks[place])
        self._arrange()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        directions = QBoxLayout.Direction
        is_beside = self._blocks.count() == 2 and self.width() >= scaled(_WIDE)
        self._blocks.setDirection(directions.LeftToRight if is_beside else directions.TopToBottom)

    def _make(self, blocks: dict[_Place, list[Block]]) -> None:
        """Make the widgets of other blocks."""
        for part in self._parts.values():
            part.hide()
            part.deleteLater()
        while self._blocks.takeAt(0) is not None:
            pass
        self._parts = {}
        for place, alike in blocks.items():
            block = alike[0]
            part = self._part_of(alike)
            self._parts[place] = part
            if isinstance(block, FigureTable | Facts) and block.title:
                title = make_label(block.title, Text.SECTION, "text_2")
                nest(self._blocks, vbox(title, (part, 1), STRETCH, spacing=4), 1)
            else:
                self._blocks.addWidget(part, int(not isinstance(block, Paragraph)))

    def _part_of(self, alike: list[Block]) -> QWidget:
        match block := alike[0]:
            case Chart():
                return drawn(block, self._key) if len(alike) == 1 else ChosenChart(block, self._key)
            case Paragraph():
                return make_label("", Text.CELL, "text_2", wraps=True)
            case FigureTable() | Facts():
                return TextsTable(
                    f"{self._key}.{block.key}", block.title or _("Values"), stretched=0, gives_way=True
                )
        raise TypeError(f"{type(block).__name__} is a block of reports only")

    def _fill(self, part: QWidget, alike: list[Block]) -> None:
        match part, alike[0]:
            case ChosenChart(), _unused:
                part.show_charts([block for block in alike if isinstance(block, Chart)])
            case ((DrawnChart() | DrawnRows()), Chart() as block):
                part.show_chart(block)
            case QLabel(), Paragraph() as block:
                part.setText(block.text)
            case TextsTable(), FigureTable() as block:
                rows = [self._cells(block, place) for place in range(min(len(block.rows), _MOST_ROWS))]
                listed = [column.key for column in block.columns if column.is_listed]
                _show_rows(part, headings_of(block, listed), rows)
            case TextsTable(), Facts() as block:
                cells = [
                    [Cell(fact.title, fact.explanation), Cell(self._text(fact.value, fact))]
                    for fact in block.facts
                ]
                has_numbers = any(isinstance(fact.value, int | float) for fact in block.facts)
                _show_rows(part, [Heading(_("Name")), Heading(_("Value"), has_numbers)], cells)

    def _cells(self, table: FigureTable, place: int) -> list[Cell]:
        """Return one row; its rating colours the first cell."""
        texts = [
            self._text(figure, column)
            for figure, column in zip(table.rows[place], table.columns, strict=True)
            if column.is_listed
        ]
        first = table.tones[place] if table.tones else "text"
        return [Cell(text, tone="text" if i else first) for i, text in enumerate(texts)]

    def _text(self, figure: Figure, column: FigureColumn | Fact) -> str:
        if column.is_share and isinstance(figure, int | float):
            return self._as_share(figure)
        return format_value(figure)


_Place: TypeAlias = tuple[type, str]


def _shown(blocks: tuple[Block, ...]) -> list[Block]:
    return [block for block in blocks if not isinstance(block, FigureTable) or block.is_listed]


def _place(number: int, block: Block) -> _Place:
    return type(block), getattr(block, "key", str(number))


def _show_rows(listed: TextsTable, headings: list[Heading], rows: list[list[Cell]]) -> None:
    """Fill a list; a short one is as high as its rows."""
    listed.show_rows(headings, rows)
    is_short = len(rows) <= _FEW
    policies = TextsTable.SizeAdjustPolicy
    listed.setSizeAdjustPolicy(policies.AdjustToContents if is_short else policies.AdjustIgnored)
    expanding, fixed = QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed
    listed.setSizePolicy(expanding, fixed if is_short else expanding)
    listed.setMinimumHeight(0 if is_short else scaled(_LEAST_HEIGHT))
