"""A page of one analysis as a sentence over one or two lists."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QAbstractItemModel, Qt
from PySide6.QtGui import QFontMetrics, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QLabel, QTableView, QVBoxLayout, QWidget

from anonymizer_gui.charts.analysis_pane import About, AnalysisPane
from anonymizer_gui.charts.chart_card import AnalysisCard
from anonymizer_gui.models.texts_model import Cell, Heading, TextsModel
from anonymizer_gui.theming import Text, font, scaled, theme_manager
from anonymizer_gui.widgets.design_splitter import DesignSplitter
from anonymizer_gui.widgets.labels import make_label, make_line
from anonymizer_gui.widgets.tables import CELL_PADDING, prepare_table

Listed = tuple[Sequence[Heading], Sequence[Sequence[Cell]]]


class ListPage(QWidget):
    """Lists stand beside one another, each under its own words."""

    def __init__(
        self,
        key: str,
        title: str,
        lists: Sequence[tuple[str, str, int]],
        parent: QWidget | None = None,
    ) -> None:
        """`lists` are triples of object name, title, and the column that takes the room left over."""
        super().__init__(parent)
        self.setObjectName(f"page.{key}")
        self.key = key
        self._sentence = make_label("", Text.TITLE, wraps=True)
        self._sentence.setObjectName(f"{key}.sentence")
        self.tables = [TextsTable(name, words, stretched=place) for name, words, place in lists]
        beside = DesignSplitter(Qt.Orientation.Horizontal, f"risk.{key}")
        for table, (_, words, _) in zip(self.tables, lists, strict=True):
            beside.addWidget(_titled(words, table) if len(lists) > 1 else table)
        view = QWidget()
        column = QVBoxLayout(view)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(_inset(self._sentence, 14, 12, 14, 10))
        column.addWidget(make_line())
        column.addWidget(beside, 1)
        self.pane = AnalysisPane(view, About(title), key.replace("_", "-"))
        self.card = AnalysisCard(title)
        self.card.setObjectName(f"card.{key}")
        self.card.add_panes([(key, title, self.pane)])
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(self.card)

    def show_lists(self, sentence: str, lists: Sequence[Listed]) -> None:
        """Show what was found."""
        self._sentence.setText(sentence)
        for table, (headings, rows) in zip(self.tables, lists, strict=True):
            table.show_rows(headings, rows)

    def sentence(self) -> str:
        return self._sentence.text()


def _titled(words: str, table: TextsTable) -> QWidget:
    holder = QWidget()
    label = make_label(words, Text.SECTION, "text_2")
    column = QVBoxLayout(holder)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(0)
    column.addLayout(_inset(label, 14, 8, 12, 4))
    column.addWidget(table, 1)
    return holder


def _inset(label: QLabel, *margins: int) -> QVBoxLayout:
    """A label within margins; those of its own would go when a style sheet is put on anew."""
    inside = QVBoxLayout()
    inside.setContentsMargins(*margins)
    inside.addWidget(label)
    return inside


_WIDEST = 320


class TextsTable(QTableView):
    """Shows cells as they are given."""

    def __init__(self, name: str, title: str, *, stretched: int, parent: QWidget | None = None) -> None:
        """`name` is the object's name, `title` what assistive technology calls the list."""
        super().__init__(parent)
        self.texts = TextsModel(parent=self)
        self.setObjectName(name)
        self.setAccessibleName(title)
        self.setModel(self.texts)
        prepare_table(self)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self._stretched = stretched
        self._headings: tuple[Heading, ...] = ()
        self._widths: list[int] = []
        theme_manager().theme_changed.connect(self._fit_columns)

    def show_rows(self, headings: Sequence[Heading], rows: Sequence[Sequence[Cell]]) -> None:
        """Show other lines."""
        self._headings = tuple(headings)
        self.texts.show(headings, rows)
        self._fit_columns()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._stretch()

    def _fit_columns(self) -> None:
        widest = scaled(_WIDEST)
        self._widths = [min(column_width(self.texts, i), widest) for i in range(len(self._headings))]
        for place, width in enumerate(self._widths):
            self.horizontalHeader().resizeSection(place, width)
        self._stretch()

    def _stretch(self) -> None:
        """Give one column what the others leave, at least what it needs."""
        if 0 <= self._stretched < len(self._widths):
            header = self.horizontalHeader()
            others = sum(header.sectionSize(i) for i in range(len(self._widths)) if i != self._stretched)
            rest = self.viewport().width() - others
            header.resizeSection(self._stretched, max(rest, self._widths[self._stretched]))


_MEASURED = 40  # rows that are looked at; asking a view for all of them takes as long as painting them
_SORTED = " ↓"


def column_width(model: QAbstractItemModel, place: int) -> int:
    """Pixels for the title of a column, sorted or not, and for its first texts."""
    title = str(model.headerData(place, Qt.Orientation.Horizontal) or "").rstrip(" ↓↑")
    in_header = QFontMetrics(font(Text.HEADER)).horizontalAdvance(title + _SORTED)
    metrics = QFontMetrics(font(Text.CELL_STRONG))
    texts = (str(model.index(row, place).data() or "") for row in range(min(model.rowCount(), _MEASURED)))
    in_cells = max(map(metrics.horizontalAdvance, texts), default=0)
    return max(in_header, in_cells) + 2 * CELL_PADDING + 4
