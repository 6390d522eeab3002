"""View of the findings of an analysis: its sentence, and its blocks in their order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from math import isfinite
from typing import TypeAlias

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QShortcut
from PySide6.QtWidgets import QBoxLayout, QLabel, QSizePolicy, QWidget

from anonymizer_gui.charts.drawn_chart import ChosenChart, DrawnChart, DrawnRows, drawn
from anonymizer_gui.tables.rows_model import Cell, Heading, headings_of
from anonymizer_gui.tables.table_view import TextsTable
from anonymizer_gui.theming import Text, scaled
from anonymizer_gui.widgets.drawn import FitsRoom
from anonymizer_gui.widgets.labels import make_label, set_tone
from anonymizer_gui.widgets.layouts import hbox, named, nest, vbox
from anonymizer_gui.widgets.scroll_body import ScrollBody
from engine.findings.blocks import (
    Block,
    Chart,
    Fact,
    Facts,
    Figure,
    FigureColumn,
    FigureTable,
    Findings,
    Fold,
    Paragraph,
)
from engine.findings.format_value import decimals_of, format_value
from engine.numbers import as_decimal, as_percent
from engine.words import _

_MOST_ROWS = 1000  # shown; files and the clipboard have all rows
_FEW, _LEAST_HEIGHT = 8, 160  # rows of a list that is seen as a whole; height of a longer one
_MOST_WRAPPED, _NARROW = 60, 4  # rows whose words are wrapped, each being measured; columns that leave room
_WIDE, _CHART = 900, 220  # px; in narrower views two blocks, or charts narrower than this, are stacked
_MOST_BESIDE = 6  # columns of a table next to another block
_ICONS = {"ok": "circle-check", "warn": "circle", "danger": "circle-alert-filled"}  # of a verdict in a row
_DETAILS = 54  # px of height for what is said of the chosen row

_Place: TypeAlias = tuple[str, str]  # kind and key of a block


def _as_share(fraction: float) -> str:
    return as_percent(fraction, keep_zeros=True)


class FindingsView(FitsRoom, QWidget):
    """Sentence, lists and charts; two blocks, or several charts, are side by side if there is room."""

    row_chosen = Signal(str, int)  # key of a table, and place of the row, -1 for none

    def __init__(
        self, key: str, *, as_share: Callable[[float], str] = _as_share, is_small: bool = False
    ) -> None:
        """Create the view; `as_share` writes a fraction as the other pages around it do.

        With `is_small` the sentence is not a title, for a card among others.
        """
        super().__init__()
        self._key, self._as_share = key, as_share
        self.setObjectName(f"{key}View")
        self._sentence = named(
            make_label("", Text.CELL if is_small else Text.TITLE, wraps=True), f"{key}.sentence"
        )
        self._parts: dict[_Place, QWidget] = {}
        self._columns: dict[QWidget, QBoxLayout] = {}  # around each list
        self._notes: dict[QWidget, QLabel] = {}  # how a chart is read, or what is said of the chosen row
        self._shown: dict[_Place, list[Block]] = {}  # charts of one key are alternatives
        self._made: list[tuple[_Place, bool]] = []  # places, and whether each has alternatives
        self._lines: dict[QWidget, list[int | Fold]] = {}  # rows of each table, and its folds
        self._aligned: dict[str, list[int | None]] = {}  # decimals of the columns of each table
        self._opened: set[str] = set()  # keys of tables whose folds are open
        self._body = QWidget()
        self._blocks: QBoxLayout = vbox(of=self._body)
        self._charts: QBoxLayout = self._blocks
        self._column = vbox(self._sentence, (self._body, 1), spacing=6, margins=(12, 8, 12, 8))
        vbox(ScrollBody(self._column), margins=0, of=self)

    def hide_sentence(self) -> None:
        """Leave the sentence to what is around the view."""
        self._sentence.hide()

    def sentence(self) -> QLabel:
        return self._sentence

    def part(self, key: str) -> QWidget:
        """Return the widget of a block."""
        return next(part for (_kind, own), part in self._parts.items() if own == key)

    def list_of(self, key: str) -> TextsTable:
        """Return the widget of a table or of facts."""
        part = self.part(key)
        assert isinstance(part, TextsTable)
        return part

    def note(self, key: str) -> str:
        """Return what is said below the title of a chart, or of the chosen row of a table."""
        return self._notes[self.part(key)].text()

    def show_findings(self, found: Findings) -> None:
        """Show the findings of another release; blocks that it has too keep their widgets."""
        statement = found.statement()
        self._sentence.setText(statement.sentence)
        set_tone(self._sentence, statement.tone)
        self.show_blocks(found.blocks())

    def show_blocks(self, blocks: Sequence[Block]) -> None:
        """Show blocks, without another sentence."""
        self._shown = {}
        for number, block in enumerate(_listed(blocks)):
            self._shown.setdefault(_place(number, block), []).append(block)
        made = [(place, len(alike) > 1) for place, alike in self._shown.items()]
        if made != self._made:
            self._made = made
            self._make()
        for place, part in self._parts.items():
            self._fill(part, self._shown[place])
        for part, column in self._columns.items():  # what follows a short list is right below it
            is_short = part.sizePolicy().verticalPolicy() is QSizePolicy.Policy.Fixed
            column.setStretchFactor(part, int(not is_short))
            column.setStretch(column.count() - 1, int(is_short))
        self._fit()

    def _fit(self) -> None:
        directions = QBoxLayout.Direction
        shown = [block for alike in self._shown.values() for block in alike]
        most = max((_n_listed(block) for block in shown if isinstance(block, FigureTable)), default=0)
        is_beside = self._blocks.count() == 2 and most <= _MOST_BESIDE and self.width() >= scaled(_WIDE)
        self._blocks.setDirection(directions.LeftToRight if is_beside else directions.TopToBottom)
        if self._charts is not self._blocks:
            is_abreast = self.width() >= self._charts.count() * scaled(_CHART)
            self._charts.setDirection(directions.LeftToRight if is_abreast else directions.TopToBottom)

    def forget(self) -> None:
        """Let go of the blocks, which may belong to a release; the widgets stay for the next ones."""
        self._shown = {}

    def _make(self) -> None:
        """Make the widgets of other blocks."""
        self._column.removeWidget(self._body)
        self._body.hide()
        self._body.deleteLater()
        self._body = QWidget()
        self._blocks = self._charts = vbox(spacing=6, margins=0, of=self._body)
        self._column.addWidget(self._body, 1)
        self._parts, self._notes, self._columns, self._lines = {}, {}, {}, {}
        first = [alike[0] for alike in self._shown.values()]
        are_several = sum(isinstance(block, Chart) for block in first) > 1
        is_alone = sum(not isinstance(block, Paragraph) for block in first) < 2
        for place, alike in self._shown.items():
            part = self._parts[place] = self._part_of(alike, has_legend=not are_several)
            match block := alike[0]:
                case Chart() if are_several:
                    self._add_beside(block, part)
                case FigureTable() | Facts():
                    self._add_list(block, part, "" if is_alone else block.title)
                case _:
                    self._blocks.addWidget(part, int(not isinstance(block, Paragraph)))

    def _add_beside(self, chart: Chart, part: QWidget) -> None:
        """Add one of several charts, with its title and how it is read."""
        if self._charts is self._blocks:
            self._charts = hbox(spacing=20, margins=0)
            nest(self._blocks, self._charts, 1)
        note = self._notes[part] = make_label("", Text.CAPTION, "text_3", wraps=True)
        nest(self._charts, vbox(make_label(chart.title, Text.TITLE), note, (part, 1), spacing=2), 1)

    def _add_list(self, block: FigureTable | Facts, part: QWidget, title: str) -> None:
        column = vbox((part, 1), spacing=4)
        if title:
            column.insertWidget(0, make_label(title, Text.SECTION, "text_2"))
        if isinstance(block, FigureTable) and block.details:
            note = self._notes[part] = make_label("", Text.CELL, "text_2", wraps=True)
            named(note, f"{self._key}.{block.key}.details").setMinimumHeight(scaled(_DETAILS))
            column.addWidget(note)
        column.addStretch(0)
        self._columns[part] = column
        nest(self._blocks, column, 1)

    def _part_of(self, alike: list[Block], *, has_legend: bool) -> QWidget:
        match block := alike[0]:
            case Chart() if len(alike) > 1:
                return ChosenChart(block, self._key)
            case Chart():
                return drawn(block, self._key, has_legend=has_legend)
            case Paragraph():
                return make_label("", Text.CELL, "text_2", wraps=True)
            case FigureTable() | Facts():
                made = TextsTable(
                    f"{self._key}.{block.key}",
                    block.title or _("Values"),
                    stretched=-1 if _ends_in_words(block) else 0,
                    gives_way=True,
                    sorts=isinstance(block, FigureTable),
                )
                key = block.key  # the block itself belongs to the release, and the list outlives that
                made.row_chosen.connect(lambda place: self._on_row_chosen(made, key, place))
                made.clicked.connect(lambda index: self._turn_fold(made, key, index.row()))
                enter = QShortcut(Qt.Key.Key_Return, made, context=Qt.ShortcutContext.WidgetShortcut)
                enter.activated.connect(lambda: self._turn_fold(made, key, made.currentIndex().row()))
                return made
        raise TypeError(f"{type(block).__name__} is a block of reports only")

    def _fill(self, part: QWidget, alike: list[Block]) -> None:
        match part, alike[0]:
            case ChosenChart(), _unused:
                part.show_charts([block for block in alike if isinstance(block, Chart)])
            case ((DrawnChart() | DrawnRows()), Chart() as block):
                part.show_chart(block)
                if (note := self._notes.get(part)) is not None:
                    note.setText(block.reading)
            case QLabel(), Paragraph() as block:
                part.setText(block.text)
                set_tone(part, "warn" if block.tone == "warn" else "text_2")
            case TextsTable(), FigureTable() as block:
                places = [place for place, column in enumerate(block.columns) if column.is_listed]
                most = _largest(block) if block.is_shaded else 0.0
                lines = self._lines[part] = self._lines_of(block)
                self._aligned[block.key] = [
                    decimals_of(row[place] for row in block.rows[:_MOST_ROWS])
                    for place in range(len(block.columns))
                ]
                rows = [
                    self._cells(block, line, places, most)
                    if isinstance(line, int)
                    else self._fold_cells(block, line, places)
                    for line in lines
                ]
                headings = headings_of(block, [block.columns[place].key for place in places])
                has_room = len(places) <= _NARROW and len(rows) <= _MOST_WRAPPED
                _show_rows(part, headings, rows, wraps=has_room and _ends_in_words(block))
                if part in self._notes:
                    self.choose(block.key, max(part.texts.place(part.currentIndex().row()), 0))
            case TextsTable(), Facts() as block:
                cells = [
                    [
                        Cell(fact.title, fact.explanation),
                        Cell(self._text(fact.value, fact), fact.explanation, fact.tone),
                    ]
                    for fact in block.facts
                ]
                has_numbers = any(isinstance(fact.value, int | float) for fact in block.facts)
                _show_rows(part, [Heading(_("Name")), Heading(_("Value"), has_numbers)], cells)

    def choose(self, key: str, place: int) -> None:
        """Choose a row of a table by its place among those of the findings, or the first that is shown."""
        listed = self.list_of(key)
        row = max(listed.texts.row_of(place), 0)
        with QSignalBlocker(listed.selectionModel()):
            listed.setCurrentIndex(listed.texts.index(row, 0))
        listed.scrollTo(listed.currentIndex())
        listed.viewport().update()
        self._on_row_chosen(listed, key, listed.texts.place(row))

    def open_folds(self, key: str, *, are_open: bool = True) -> None:
        """Show the rows of a table that are folded, or hide them, now or once it is filled."""
        self._opened = self._opened | {key} if are_open else self._opened - {key}
        for block in self._shown.get((FigureTable.__name__, key), ()):
            self._fill(self.part(key), [block])

    def _turn_fold(self, listed: TextsTable, key: str, row: int) -> None:
        """Open the folds of a table, or close them, by the line of one."""
        if isinstance(self._line(listed, listed.texts.place(row)), Fold):
            self.open_folds(key, are_open=key not in self._opened)
            listed.setCurrentIndex(listed.texts.index(row, 0))

    def _line(self, listed: TextsTable, place: int) -> int | Fold:
        lines = self._lines.get(listed, [])
        return lines[place] if 0 <= place < len(lines) else place

    def _lines_of(self, table: FigureTable) -> list[int | Fold]:
        """Return the rows of a table; a fold with figures is in the place of its last row, others follow."""
        n_rows = min(len(table.rows), _MOST_ROWS)
        folds = [fold for fold in table.folds if fold.rows]
        places = {n_rows - 1 if fold.shown is None else fold.rows[-1]: fold for fold in folds}
        folded = {row for fold in table.folds for row in fold.rows}
        lines: list[int | Fold] = []
        for row in range(n_rows):
            lines += [row] * (row not in folded)
            if (fold := places.get(row)) is not None:
                lines += [fold, *(fold.rows if table.key in self._opened else ())]
        return lines

    def _fold_cells(self, table: FigureTable, fold: Fold, places: list[int]) -> list[Cell]:
        """Return the line of a fold: its figures while it is closed, else only a heading."""
        is_open = table.key in self._opened
        words = _("{title}, {n} lines are shown below") if is_open else _("{title}, {n} lines are hidden")
        spoken, cells = words.format(title=fold.title, n=len(fold.rows)), [Cell("")] * len(places)
        icon, text = "chevron-down" if is_open else "chevron-right", f"{fold.title} ({len(fold.rows)})"
        if fold.shown is not None and not is_open:
            cells = self._cells(table, fold.shown, places, 0.0)
            icon, text = cells[0].icon, f"{text} ›"
        return [replace(cells[0], text=text, tooltip=spoken, spoken=spoken, icon=icon), *cells[1:]]

    def _on_row_chosen(self, listed: TextsTable, key: str, place: int) -> None:
        line = self._line(listed, place)
        rows = [line] if isinstance(line, int) else list(line.rows)
        for block in self._shown.get((FigureTable.__name__, key), ()):
            if isinstance(block, FigureTable) and listed in self._notes:
                self._notes[listed].setText("\n".join(block.details[row] for row in rows if row >= 0))
        self.row_chosen.emit(key, rows[0])

    def _cells(self, table: FigureTable, row: int, places: list[int], most: float) -> list[Cell]:
        """Return the listed cells of a row; its rating colours the first one; `most` is shaded most."""
        tones = [table.tones[row] if table.tones else "text", *["text"] * len(places)]
        return [
            Cell(
                self._text(figure, column, self._aligned[table.key][place]),
                tone=tone,
                value=figure,
                icon=_ICONS.get(tone, "") if table.are_verdicts else "",
                shade=_share(figure, most),
                bar=_bar(table, place, figure),
            )
            for figure, column, place, tone in (
                (table.rows[row][place], table.columns[place], place, tone)
                for place, tone in zip(places, tones, strict=False)
            )
        ]

    def _text(self, figure: Figure, column: FigureColumn | Fact, aligned: int | None = None) -> str:
        if column.is_share and isinstance(figure, int | float):
            decimals = column.decimals if isinstance(column, FigureColumn) else None
            return (
                self._as_share(figure) if decimals is None else as_percent(figure, decimals, keep_zeros=True)
            )
        if isinstance(column, FigureColumn) and column.look == "times" and isinstance(figure, float):
            return f"× {as_decimal(figure, 1)}"
        if aligned is not None and isinstance(figure, float):
            return as_decimal(figure, aligned)
        return format_value(figure)


def _bar(table: FigureTable, place: int, figure: Figure) -> float:
    """Return the length of a bar: of a share itself, of a multiple from 1 to the largest of its column."""
    look = table.columns[place].look
    if not isinstance(figure, float) or look not in ("bar", "times"):
        return 0.0
    most = max(_numbers(row[place] for row in table.rows), default=0.0)
    return figure if look == "bar" else max(figure - 1, 0.0) / (most - 1) if most > 1 else 0.0


def _n_listed(table: FigureTable) -> int:
    return sum(column.is_listed for column in table.columns)


def _largest(table: FigureTable) -> float:
    return max(map(abs, _numbers(figure for row in table.rows for figure in row)), default=0.0)


def _numbers(figures: Iterable[Figure]) -> Iterator[float]:
    return (figure for figure in figures if isinstance(figure, int | float) and isfinite(figure))


def _share(figure: Figure, most: float) -> float:
    return figure / most if most and isinstance(figure, int | float) else 0.0


def _ends_in_words(block: FigureTable | Facts) -> bool:
    """Return whether the last column of a list explains the others, and gives way to them."""
    return isinstance(block, FigureTable) and bool(block.rows) and isinstance(block.rows[0][-1], str)


def _listed(blocks: Sequence[Block]) -> list[Block]:
    return [block for block in blocks if not isinstance(block, FigureTable) or block.is_listed]


def _place(number: int, block: Block) -> _Place:
    kind = block.kind if isinstance(block, Chart) else type(block).__name__
    return kind, getattr(block, "key", str(number))


def _show_rows(
    listed: TextsTable, headings: list[Heading], rows: list[list[Cell]], *, wraps: bool = False
) -> None:
    """Fill a list; a short one is as high as its rows."""
    is_short = len(rows) <= _FEW
    listed.show_rows(headings, rows, wraps=wraps or is_short)
    policies = TextsTable.SizeAdjustPolicy
    listed.setSizeAdjustPolicy(policies.AdjustToContents if is_short else policies.AdjustIgnored)
    expanding, fixed = QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed
    listed.setSizePolicy(expanding, fixed if is_short else expanding)
    listed.setMinimumHeight(0 if is_short else scaled(_LEAST_HEIGHT))
