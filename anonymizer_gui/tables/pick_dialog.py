"""Popup with a search field and the rows found for its words, one of which is picked."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtGui import QKeyEvent, QPainter
from PySide6.QtWidgets import QApplication, QDialog, QStyleOptionViewItem, QWidget

from anonymizer_gui.tables.rows_model import Index
from anonymizer_gui.tables.table_view import CELL_PADDING, RowDelegate, TableView
from anonymizer_gui.theming import Text, paint_text, scaled
from anonymizer_gui.widgets.fitted_dialog import take_room
from anonymizer_gui.widgets.labels import make_label
from anonymizer_gui.widgets.layouts import named, vbox
from anonymizer_gui.widgets.search_field import SearchField

_WIDTH, _HEIGHT = 760, 460
_EDGE = 4  # px above and below two lines
_MOVES = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)


class PickDialog(QDialog):
    """Arrows move through the rows while the field has the focus; Enter or a click picks one."""

    def __init__(
        self, name: str, title: str, listed: TableView, parent: QWidget | None = None, *, width: int = _WIDTH
    ) -> None:
        """Create the popup; subclasses give the field its hint and search for no words first."""
        super().__init__(parent)
        self.setObjectName(name)
        self.setWindowTitle(title)
        self.field = SearchField()
        self.field.textChanged.connect(self.search)
        self.field.installEventFilter(self)
        self.list = listed
        listed.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the search field moves the selection
        listed.horizontalHeader().hide()
        listed.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        listed.clicked.connect(lambda index: self.pick(index.row()))
        self._nothing = make_label(self.tr("No matches."), Text.CELL, "text_2")
        vbox(self.field, self._nothing, (listed, 1), spacing=8, margins=12, of=self)
        take_room(self, QSize(scaled(width), scaled(_HEIGHT)))
        self.field.setFocus()

    def search(self, words: str) -> None:
        """Show the rows found for the words, and select the first."""
        raise NotImplementedError

    def pick(self, row: int) -> None:
        """Close the popup and act; a row that cannot be picked leaves it open."""
        raise NotImplementedError

    def name_field(self, name: str, title: str, hint: str) -> None:
        """Set object name and title of the field, and what can be typed."""
        named(self.field, name, title).setPlaceholderText(hint)

    def show_found(self, n_rows: int) -> None:
        """Select the first row, or say that there is none."""
        self.list.setVisible(n_rows > 0)
        self._nothing.setVisible(not n_rows)
        if n_rows:
            self.list.selectRow(0)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.field and isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() in _MOVES:
                QApplication.sendEvent(self.list, event)
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self.pick(self.list.currentIndex().row())
                return True
        return super().eventFilter(watched, event)


def rank_of(words: str, text: str, *, loosely: bool = True) -> int | None:
    """Return how far a text is from the typed words, or None if one of them is not found.

    Each must begin a word of the text, or occur in it, or `loosely` have its letters in it in this order.
    """
    ranks = [_rank(needle, text.casefold(), loosely) for needle in words.casefold().split()]
    return None if None in ranks else sum(rank or 0 for rank in ranks)


def _rank(needle: str, text: str, loosely: bool) -> int | None:
    if text.startswith(needle):
        return 0
    if f" {needle}" in text:
        return 1
    if needle in text:
        return 2
    letters = iter(text)
    return 3 if loosely and len(needle) > 1 and all(letter in letters for letter in needle) else None


class TwoLines(RowDelegate):
    """Draws what follows a line break on a quieter second line."""

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        super().initStyleOption(option, index)
        title, line_break, _below = str(index.data()).partition("\n")
        if line_break:
            option.text = title
            option.rect = option.rect.adjusted(0, _EDGE, 0, -option.rect.height() // 2)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        super().paint(painter, option, index)
        if below := str(index.data()).partition("\n")[2]:
            cell = option.rect
            half = cell.adjusted(CELL_PADDING, cell.height() // 2, -CELL_PADDING, -_EDGE)
            paint_text(painter, half, below, Text.CELL, "text_3")
