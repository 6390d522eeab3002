"""Card of pinned nodes and applied releases: a table, notes, and actions."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QItemSelectionModel, QRect, Qt, Signal, SignalInstance
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QLineEdit,
    QPushButton,
    QTableView,
    QWidget,
)

from anonymizer_gui.theming import scaled, theme_manager
from anonymizer_gui.widgets.buttons import make_button, make_icon_button
from anonymizer_gui.widgets.card import Card
from anonymizer_gui.widgets.empty_state import EmptyState
from anonymizer_gui.widgets.layouts import hbox, named
from anonymizer_gui.widgets.tables import prepare_table
from anonymizer_gui.widgets.texts_table import Cell, Heading, TextsModel

_WIDTHS = (112, 226, 84, 90, 196, 120)
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


class PinnedPanel(Card):
    """Lists entries by line; requests refer to lines."""

    lines_chosen = Signal()
    name_changed = Signal(int, str)
    note_changed = Signal(int, str)
    keep_requested = Signal(int)  # fix the line at the top, or release it
    back_requested = Signal(int)  # restore the release with all its settings
    show_requested = Signal(int)  # select the node with the current settings
    adopt_requested = Signal(int)  # use its settings and select the node
    compare_requested = Signal()
    remove_requested = Signal(int)
    pin_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("", parent=parent)
        self.setObjectName("rememberedCard")
        self.model = TextsModel(parent=self)
        self.table = named(_Table(), "rememberedTable", self.tr("Pinned nodes and applied releases"))
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
            self.tr("Pinned nodes and applied releases appear here with their settings."),
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
        """List other lines; the chosen ones stay chosen if their number is unchanged."""
        fresh = self.model.columnCount() != len(headings)
        self.model.show(headings, rows)
        if fresh:
            self._fit_columns()
        self.empty.setVisible(not rows)
        self._place_empty()
        self._on_selection_changed()

    def show_words(self, name: str, note: str, *, is_kept: bool) -> None:
        """Show name and note of the chosen line, and whether it is fixed at the top."""
        for field, text in ((self.name, name), (self.note, note)):
            if field.text() != text:
                field.setText(text)
        self._keep.setChecked(is_kept)

    def show_wishes(
        self,
        *,
        can_show: str,
        can_adopt: str,
        can_compare: str,
        can_remove: str,
        compared: str,
        can_name: str,
        can_go_back: str,
    ) -> None:
        """Enable the actions on the chosen line, or show why each is unavailable.

        A reason is empty for an available action; `compared` names the nodes to compare. Lines that can be
        named can also be fixed at the top.
        """
        self.name.setEnabled(not can_name)
        for button, why_not in (
            (self._show, can_show),
            (self._adopt, can_adopt),
            (self._compare, can_compare),
            (self._remove, can_remove),
            (self._keep, can_name),
            (self._back, can_go_back),
        ):
            button.setEnabled(not why_not)
            button.setToolTip(why_not or str(button.property("says")))
        if not can_compare:
            self._compare.setToolTip(compared)

    def chosen(self) -> list[int]:
        """Return the chosen lines, from the top."""
        return sorted({index.row() for index in self.table.selectionModel().selectedRows()})

    def choose(self, line: int) -> None:
        """Choose one line."""
        flags = QItemSelectionModel.SelectionFlag
        index = self.model.index(line, 0)
        self.table.selectionModel().setCurrentIndex(index, flags.ClearAndSelect | flags.Rows)
        self.table.scrollTo(index)

    # ------------------------------------------------------------------------------------------

    def _make_footer(self) -> None:
        self.name = named(QLineEdit(), "runName", self.tr("Name of the selected release"))
        self.name.setPlaceholderText(self.tr("Name"))
        self.name.editingFinished.connect(lambda: self._emit_text(self.name_changed, self.name.text()))
        self.note = named(QLineEdit(), "pinNote", self.tr("Note on the selected line"))
        self.note.setPlaceholderText(self.tr("Note"))
        self.note.editingFinished.connect(lambda: self._emit_text(self.note_changed, self.note.text()))
        self._show = self._button("crosshair", "showPinned", self.tr("Select this node (Enter)"))
        self._adopt = named(make_button(self.tr("Use"), small=True), "adoptPinned")
        self._adopt.setProperty(
            "says", self.tr("Use the privacy models, limit and metric it was made with, and select it")
        )
        self._compare = self._button("columns-3", "comparePinned", self.tr("Compare"))
        self._remove = self._button("trash-2", "removePinned", self.tr("Remove from the list (Del)"))
        self._keep = self._button("pin", "keepRun", self.tr("Keep this release at the top of the list"))
        self._keep.setCheckable(True)
        self._keep.clicked.connect(lambda: self._ask(self.keep_requested))
        self._back = self._button(
            "history",
            "goBackToRun",
            self.tr("Restore this release with all its settings"),
        )
        self._back.clicked.connect(lambda: self._ask(self.back_requested))
        self._show.clicked.connect(lambda: self._ask(self.show_requested))
        self._adopt.clicked.connect(lambda: self._ask(self.adopt_requested))
        self._compare.clicked.connect(self.compare_requested)
        self._remove.clicked.connect(lambda: self._ask(self.remove_requested))
        footer = hbox(
            (self.name, 1),
            (self.note, 2),
            self._show,
            self._adopt,
            self._compare,
            self._back,
            self._keep,
            self._remove,
            spacing=6,
        )
        self.set_footer(footer)

    def _button(self, icon_name: str, name: str, tooltip: str) -> QPushButton:
        button = named(make_icon_button(icon_name, tooltip), name)
        button.setProperty("says", tooltip)
        return button

    def _ask(self, signal: SignalInstance) -> None:
        if len(lines := self.chosen()) == 1:
            signal.emit(lines[0])

    def _on_selection_changed(self) -> None:
        self.note.setEnabled(len(self.chosen()) == 1)
        self.lines_chosen.emit()

    def _emit_text(self, changed: SignalInstance, text: str) -> None:
        if len(lines := self.chosen()) == 1:
            changed.emit(lines[0], text)

    def _fit_columns(self) -> None:
        for column, width in enumerate(_WIDTHS[: self.model.columnCount()]):
            self.table.setColumnWidth(column, scaled(width))
        self.table.horizontalHeader().setStretchLastSection(True)

    def _place_empty(self) -> None:
        self.empty.setGeometry(QRect(self.table.viewport().geometry()))
