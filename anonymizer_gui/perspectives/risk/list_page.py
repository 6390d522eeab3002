"""Page of one analysis: a sentence above one or two lists."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from anonymizer_gui.charts.analysis_pane import About, AnalysisPane
from anonymizer_gui.charts.chart_card import AnalysisCard
from anonymizer_gui.theming import Text
from anonymizer_gui.widgets.design_splitter import DesignSplitter
from anonymizer_gui.widgets.labels import make_label, make_line
from anonymizer_gui.widgets.layouts import named, vbox
from anonymizer_gui.widgets.texts_table import Cell, Heading, TextsTable

Listed = tuple[Sequence[Heading], Sequence[Sequence[Cell]]]


class ListView(QWidget):
    """Sentence, and lists side by side, each with its own caption."""

    def __init__(
        self, key: str, lists: Sequence[tuple[str, str, int]], parent: QWidget | None = None
    ) -> None:
        """Create lists from triples of object name, title, and the column with the remaining width."""
        super().__init__(parent)
        self._sentence = named(make_label("", Text.TITLE, wraps=True), f"{key}.sentence")
        self.tables = [TextsTable(name, words, stretched=place) for name, words, place in lists]
        beside = DesignSplitter(Qt.Orientation.Horizontal, f"risk.{key}")
        for table, (_, words, _) in zip(self.tables, lists, strict=True):
            beside.addWidget(_titled(words, table) if len(lists) > 1 else table)
        head = _inset(self._sentence, 14, 12, 14, 10)
        vbox(head, make_line(), (beside, 1), spacing=0, margins=0, of=self)

    def show_lists(self, sentence: str, lists: Sequence[Listed]) -> None:
        """Show other results."""
        self._sentence.setText(sentence)
        for table, (headings, rows) in zip(self.tables, lists, strict=True):
            table.show_rows(headings, rows)

    def sentence(self) -> str:
        return self._sentence.text()


class ListPage(QWidget):
    """Page of a card with lists."""

    def __init__(
        self,
        key: str,
        title: str,
        lists: Sequence[tuple[str, str, int]],
        parent: QWidget | None = None,
    ) -> None:
        """Create the lists; see `ListView`."""
        super().__init__(parent)
        self.setObjectName(f"page.{key}")
        self.key = key
        self.view = ListView(key, lists)
        self.pane = AnalysisPane(self.view, About(title), key.replace("_", "-"))
        self.card = named(AnalysisCard(title), f"card.{key}")
        self.card.add_panes([(key, title, self.pane)])
        vbox(self.card, margins=0, of=self)


def _titled(words: str, table: TextsTable) -> QWidget:
    holder = QWidget()
    label = make_label(words, Text.SECTION, "text_2")
    vbox(_inset(label, 14, 8, 12, 4), (table, 1), spacing=0, margins=0, of=holder)
    return holder


def _inset(label: QLabel, *margins: int) -> QVBoxLayout:
    """Return a layout with margins around a label; its own margins would be lost with a new style sheet."""
    inside = QVBoxLayout()
    inside.setContentsMargins(*margins)
    inside.addWidget(label)
    return inside
