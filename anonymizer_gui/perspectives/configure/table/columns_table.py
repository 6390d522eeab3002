"""Table of columns with one row each; selected rows are edited together."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QItemSelection, QItemSelectionModel, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from anonymizer_gui.models.columns_model import ColumnLine, ColumnsModel
from anonymizer_gui.perspectives.configure.table.data_table import ROLE_KEYS
from anonymizer_gui.theming import Text
from anonymizer_gui.widgets.buttons import make_button
from anonymizer_gui.widgets.labels import ElidedLabel
from anonymizer_gui.widgets.layouts import flexible, hbox, named, vbox
from anonymizer_gui.widgets.search_field import SearchField
from anonymizer_gui.widgets.tables import CELL_PADDING, prepare_table

_FIELD_WIDTH = 168


class _Lines(QTableView):
    """Keys 1 to 4 set the role, Enter opens the dialog for several columns."""

    role_requested = Signal(object)
    setting_requested = Signal()

    def sizeHintForColumn(self, column: int) -> int:
        return super().sizeHintForColumn(column) + 2 * CELL_PADDING

    def keyPressEvent(self, event: QKeyEvent) -> None:
        plain = event.modifiers() in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier)
        role = ROLE_KEYS.get(Qt.Key(event.key()))
        if role is not None and plain and self.selectionModel().hasSelection():
            self.role_requested.emit(role)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.selectionModel().hasSelection():
            self.setting_requested.emit()
        else:
            super().keyPressEvent(event)


class ColumnsTable(QWidget):
    """Shows rows and emits selection and requests."""

    columns_selected = Signal(tuple)  # of str
    role_requested = Signal(object)  # Role
    setting_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("columnsTable")
        self.model = ColumnsModel(self)
        self._is_showing = False
        self._selected: tuple[str, ...] = ()
        self.search_field = named(SearchField(), "columnSearch", self.tr("Find a column"))
        self.search_field.setPlaceholderText(self.tr("Find a column"))
        self.search_field.setToolTip(self.tr("Show columns with the text in name, role or type"))
        self.search_field.textEdited.connect(self._on_search)
        self._words = ElidedLabel("", Text.CELL, "text_2")
        self.set_button = named(make_button(self.tr("Set…"), icon_name="pencil", small=True), "setColumns")
        self.set_button.clicked.connect(self.setting_requested)
        self.view = named(_Lines(), "columnLines", self.tr("Columns"))
        prepare_table(self.view)
        self.view.setModel(self.model)
        self.view.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.view.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.view.setSortingEnabled(False)
        header = self.view.horizontalHeader()
        header.setSectionsClickable(True)
        header.setSortIndicatorShown(True)
        header.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        header.setSortIndicatorClearable(True)
        header.sortIndicatorChanged.connect(self._on_sorted)
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.view.role_requested.connect(self.role_requested)
        self.view.setting_requested.connect(self.setting_requested)
        self.view.selectionModel().selectionChanged.connect(self._on_selection_changed)
        vbox(
            hbox(self.search_field, (self._words, 1), self.set_button, spacing=8, margins=(12, 4, 8, 4)),
            (self.view, 1),
            spacing=0,
            margins=0,
            of=self,
        )
        flexible(self.search_field, least=96, most=_FIELD_WIDTH)
        self._show_counts()

    def selected_columns(self) -> tuple[str, ...]:
        """Return the names of the selected columns, from top to bottom."""
        return self._selected

    def show_lines(self, lines: Sequence[ColumnLine]) -> None:
        """Show columns with their settings; the selection is unchanged."""
        self._keep_selected(lambda: self.model.show_lines(lines))

    def select_columns(self, names: Sequence[str]) -> None:
        """Select columns by name."""
        self._is_showing = True
        selection, last = QItemSelection(), self.model.columnCount() - 1
        rows = self.model.rows_of(names)
        for row in rows:
            selection.select(self.model.index(row, 0), self.model.index(row, last))
        flags = QItemSelectionModel.SelectionFlag
        if rows:
            self.view.selectionModel().setCurrentIndex(self.model.index(rows[0], 0), flags.NoUpdate)
        self.view.selectionModel().select(selection, flags.ClearAndSelect)
        self._is_showing = False
        self._selected = self.model.names(rows)
        self._show_counts()

    def _keep_selected(self, change: Callable[[], None]) -> None:
        kept = self._selected
        change()
        self.select_columns(kept)

    def _on_search(self, text: str) -> None:
        self._keep_selected(lambda: self.model.set_needle(text))

    def _on_sorted(self, section: int, order: Qt.SortOrder) -> None:
        self._keep_selected(lambda: self.model.sort(section, order))

    def _on_selection_changed(self, *_: object) -> None:
        if self._is_showing:
            return
        rows = sorted(index.row() for index in self.view.selectionModel().selectedRows())
        self._selected = self.model.names(rows)
        self._show_counts()
        self.columns_selected.emit(self._selected)

    def _show_counts(self) -> None:
        n = len(self._selected)
        self._words.setText(
            self.tr("{n} of {n_columns} columns selected").format(n=n, n_columns=self.model.n_columns)
        )
        self.set_button.setEnabled(n > 0)
        self.set_button.setToolTip(
            self.tr("Set role, type, levels, weight and hierarchy of all selected columns (Enter)")
            if n
            else self.tr("Select columns first")
        )
