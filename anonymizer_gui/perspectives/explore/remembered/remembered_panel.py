"""The card of pinned nodes and applied releases: a table, a note on a line, and what to do with it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QItemSelectionModel, QRect, Qt, Signal, SignalInstance
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QLineEdit,
    QPushButton,
    QTableView,
    QWidget,
)

from anonymizer_gui.models.texts_model import Cell, Heading, TextsModel
from anonymizer_gui.theming import scaled, theme_manager
from anonymizer_gui.widgets.buttons import make_button, make_icon_button
from anonymizer_gui.widgets.card import Card
from anonymizer_gui.widgets.empty_state import EmptyState
from anonymizer_gui.widgets.tables import prepare_table

_WIDTHS = (132, 172, 196, 84, 96, 120)
_FOOTER = 34


class _Table(QTableView):
    show_requested = Signal()
    remove_requested = Signal()
    resized = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.show_requested.emit()
        elif event.key() == Qt.Key.Key_Delete:
            self.remove_requested.emit()
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.resized.emit()


class RememberedPanel(Card):
    """Lists what it is given by line; wishes name lines."""

    lines_chosen = Signal()
    note_changed = Signal(int, str)
    show_requested = Signal(int)  # select the node under the settings of now
    adopt_requested = Signal(int)  # take over its settings and select the node
    compare_requested = Signal()
    remove_requested = Signal(int)
    pin_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("", parent=parent)
        self.setObjectName("rememberedCard")
        self.model = TextsModel(parent=self)
        self.table = _Table()
        self.table.setObjectName("rememberedTable")
        self.table.setAccessibleName(self.tr("Pinned nodes and applied releases"))
        self.table.setModel(self.model)
        prepare_table(self.table)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        self.table.selectionModel().selectionChanged.connect(lambda *_: self._on_selection_changed())
        self.table.doubleClicked.connect(lambda index: self.show_requested.emit(index.row()))
        self.table.show_requested.connect(lambda: self._ask(self.show_requested))
        self.table.remove_requested.connect(lambda: self._ask(self.remove_requested))
        self.table.resized.connect(self._place_empty)
        self.set_body(self.table, 0)
        self.empty = EmptyState(
            self.tr("Nodes you pin and releases you apply are listed here, each with its settings."),
            self.tr("Pin the selected node"),
            icon_name="pin",
            parent=self.table,
        )
        self.empty.action_requested.connect(self.pin_requested)
        self.pin_button = make_icon_button("pin", self.tr("Pin the selected node (Ctrl+D)"))
        self.pin_button.setObjectName("pinSelected")
        self.pin_button.clicked.connect(self.pin_requested)
        self.add_tool(self.pin_button)
        self._make_footer()
        self._fit_columns()
        self._on_selection_changed()
        theme_manager().theme_changed.connect(self._fit_columns)

    def show_lines(self, headings: Sequence[Heading], rows: Sequence[Sequence[Cell]]) -> None:
        """List other lines; the chosen ones stay chosen where there are as many as before."""
        fresh = self.model.columnCount() != len(headings)
        self.model.show(headings, rows)
        if fresh:
            self._fit_columns()
        self.empty.setVisible(not rows)
        self._place_empty()
        self._on_selection_changed()

    def show_note(self, note: str) -> None:
        """The note of the one chosen line."""
        if self.note.text() != note:
            self.note.setText(note)

    def show_wishes(
        self, *, can_show: str, can_adopt: str, can_compare: str, can_remove: str, compared: str
    ) -> None:
        """Why the chosen line cannot be shown, adopted, compared or removed; empty if it can.

        `compared` says what would be put side by side.
        """
        for button, why_not in (
            (self._show, can_show),
            (self._adopt, can_adopt),
            (self._compare, can_compare),
            (self._remove, can_remove),
        ):
            button.setEnabled(not why_not)
            button.setToolTip(why_not or str(button.property("says")))
        if not can_compare:
            self._compare.setToolTip(compared)

    def chosen(self) -> list[int]:
        """The chosen lines, from the top."""
        return sorted({index.row() for index in self.table.selectionModel().selectedRows()})

    def choose(self, line: int) -> None:
        """Choose one line."""
        flags = QItemSelectionModel.SelectionFlag
        index = self.model.index(line, 0)
        self.table.selectionModel().setCurrentIndex(index, flags.ClearAndSelect | flags.Rows)
        self.table.scrollTo(index)

    # ------------------------------------------------------------------------------------------

    def _make_footer(self) -> None:
        self.note = QLineEdit()
        self.note.setObjectName("pinNote")
        self.note.setPlaceholderText(self.tr("Note"))
        self.note.setAccessibleName(self.tr("Note on the chosen line"))
        self.note.editingFinished.connect(self._on_note_edited)
        self._show = self._button(self.tr("Show"), "showPinned", self.tr("Select this node (Enter)"))
        self._adopt = self._button(
            self.tr("Adopt settings"),
            "adoptPinned",
            self.tr("Take over what it was made with, and select it"),
        )
        self._compare = self._button(self.tr("Compare…"), "comparePinned", "")
        self._remove = make_icon_button("trash-2", self.tr("Remove from the list (Del)"))
        self._remove.setObjectName("removePinned")
        self._remove.setProperty("says", self._remove.toolTip())
        self._show.clicked.connect(lambda: self._ask(self.show_requested))
        self._adopt.clicked.connect(lambda: self._ask(self.adopt_requested))
        self._compare.clicked.connect(self.compare_requested)
        self._remove.clicked.connect(lambda: self._ask(self.remove_requested))
        footer = QHBoxLayout()
        footer.setSpacing(6)
        footer.addWidget(self.note, 1)
        for button in (self._show, self._adopt, self._compare, self._remove):
            footer.addWidget(button)
        self.set_footer(footer)

    def _button(self, text: str, name: str, tooltip: str) -> QPushButton:
        button = make_button(text, small=True, tooltip=tooltip)
        button.setObjectName(name)
        button.setProperty("says", tooltip)
        return button

    def _ask(self, wish: SignalInstance) -> None:
        if len(lines := self.chosen()) == 1:
            wish.emit(lines[0])

    def _on_selection_changed(self) -> None:
        self.note.setEnabled(len(self.chosen()) == 1)
        self.lines_chosen.emit()

    def _on_note_edited(self) -> None:
        if len(lines := self.chosen()) == 1:
            self.note_changed.emit(lines[0], self.note.text())

    def _fit_columns(self) -> None:
        for column, width in enumerate(_WIDTHS[: self.model.columnCount()]):
            self.table.setColumnWidth(column, scaled(width))
        self.table.horizontalHeader().setStretchLastSection(True)

    def _place_empty(self) -> None:
        self.empty.setGeometry(QRect(self.table.viewport().geometry()))
