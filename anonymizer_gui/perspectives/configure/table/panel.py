"""Card of the data table: file, proposals for columns, search, and the table."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QItemSelection, QItemSelectionModel, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import QHeaderView, QWidget

from anonymizer_gui.perspectives.configure.table.data_table import ROLE_KEYS, DataTable
from anonymizer_gui.perspectives.configure.table.filter_bar import FilterBar, ReplaceBar
from anonymizer_gui.tables.rows_model import Cell, Heading
from anonymizer_gui.tables.table_view import CELL_PADDING, SEVERAL, TableView
from anonymizer_gui.theming import Text
from anonymizer_gui.widgets.buttons import make_button, make_icon_button
from anonymizer_gui.widgets.card import Card
from anonymizer_gui.widgets.error_banner import ErrorBanner
from anonymizer_gui.widgets.labels import ElidedLabel, set_style_property
from anonymizer_gui.widgets.layouts import flexible, hbox, named, stacked, vbox
from anonymizer_gui.widgets.search_field import SearchField
from engine.records import Role
from engine.words import N_, _

_SEARCH_WIDTH = 168
_ROLES = (None, *Role)  # unassigned columns first


_HEADINGS = (  # of the list of columns, each with whether it has numbers
    (N_("Column"), False),
    (N_("Role"), False),
    (N_("Type"), False),
    (N_("Values"), True),
    (N_("Missing"), False),
    (N_("Levels"), False),
    (N_("Weight"), True),
)
_SEARCHED = (0, 1, 2)  # columns of that list


class _Lines(TableView):
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

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("columnsTable")
        self._n_columns = 0
        self._is_showing = False
        self._selected: tuple[str, ...] = ()
        self.search_field = named(SearchField(), "columnSearch", self.tr("Find a column"))
        self.search_field.setPlaceholderText(self.tr("Find a column"))
        self.search_field.setToolTip(self.tr("Show columns with the text in name, role or type"))
        self.search_field.textEdited.connect(self._on_search)
        self._words = ElidedLabel("", Text.CELL, "text_2")
        self.set_button = make_button(self.tr("Set…"), "setColumns", icon_name="pencil", small=True)
        self.view = _Lines("columnLines", self.tr("Columns"), chooses=SEVERAL)
        self.model = self.view.texts
        header = self.view.horizontalHeader()
        header.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        header.setSortIndicatorClearable(True)
        self.view.setSortingEnabled(True)
        header.setSortIndicatorShown(False)
        self.show_columns(())
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.view.selectionModel().selectionChanged.connect(self._on_selection_changed)
        vbox(
            hbox(self.search_field, (self._words, 1), self.set_button, spacing=8, margins=(12, 4, 8, 4)),
            (self.view, 1),
            spacing=0,
            margins=0,
            of=self,
        )
        flexible(self.search_field, least=96, most=_SEARCH_WIDTH)
        self._show_counts()

    def selected_columns(self) -> tuple[str, ...]:
        """Return the names of the selected columns, from top to bottom."""
        return self._selected

    def show_columns(self, rows: Sequence[Sequence[Cell]]) -> None:
        """Show columns with their settings, the name first; the selection is unchanged."""
        self._n_columns, kept = len(rows), self._selected
        self.model.show([Heading(_(title), is_number) for title, is_number in _HEADINGS], rows)
        self.select_columns(kept)

    def select_columns(self, names: Sequence[str]) -> None:
        """Select columns by name."""
        self._is_showing = True
        selection, last = QItemSelection(), self.model.columnCount() - 1
        rows = [row for row in range(self.model.rowCount()) if self._name(row) in names]
        for row in rows:
            selection.select(self.model.index(row, 0), self.model.index(row, last))
        flags = QItemSelectionModel.SelectionFlag
        if rows:
            self.view.selectionModel().setCurrentIndex(self.model.index(rows[0], 0), flags.NoUpdate)
        self.view.selectionModel().select(selection, flags.ClearAndSelect)
        self._is_showing = False
        self._selected = tuple(map(self._name, rows))
        self._show_counts()

    def _name(self, row: int) -> str:
        return self.model.cell(row, 0).text

    def _on_search(self, text: str) -> None:
        kept = self._selected
        self.model.search(text, _SEARCHED)
        self.select_columns(kept)

    def _on_selection_changed(self, *_: object) -> None:
        if self._is_showing:
            return
        rows = sorted(index.row() for index in self.view.selectionModel().selectedRows())
        self._selected = tuple(map(self._name, rows))
        self._show_counts()
        self.columns_selected.emit(self._selected)

    def _show_counts(self) -> None:
        n = len(self._selected)
        self._words.setText(
            self.tr("{n} of {n_columns} columns selected").format(n=n, n_columns=self._n_columns)
        )
        self.set_button.setEnabled(n > 0)
        self.set_button.setToolTip(
            self.tr("Set role, type, levels, weight and hierarchy of all selected columns (Enter)")
            if n
            else self.tr("Select columns first")
        )


_FIELD_WIDTH, _LEAST_FIELD = 168, 96  # px


class TablePanel(Card):
    """Shows the table and emits requests."""

    columns_shown = Signal()
    find_requested = Signal(str, bool)  # the text, and whether to search backwards

    def __init__(self) -> None:
        super().__init__(self.tr("Table"), "")
        self.table = DataTable()
        self.suggest_button = make_button(
            self.tr("Suggest roles"),
            "suggestRolesButton",
            icon_name="wand-sparkles",
            small=True,
            tooltip=self.tr("Suggest a role for each column from its name and values"),
        )
        self.propose_button = make_button(
            self.tr("Suggest hierarchies"), "proposeHierarchiesButton", icon_name="layers", small=True
        )
        self.find_field = named(SearchField(), "findField", self.tr("Find a value"))
        self.find_field.setPlaceholderText(self.tr("Find a value"))
        self.find_field.setToolTip(
            self.tr("Enter goes to the next matching cell, Shift+Enter to the previous one (Ctrl+F)")
        )
        self.find_field.installEventFilter(self)
        self.filter_button = make_icon_button("funnel", self.tr("Show only some records, or go to one"))
        self.filter_button.setObjectName("filterButton")
        self.filter_button.setCheckable(True)
        self.filter_button.clicked.connect(self._on_filter_clicked)
        self.filter_bar = FilterBar()
        self.filter_bar.closed.connect(self._on_filter_closed)
        self.columns = ColumnsTable()
        self._pages = stacked(self.table, self.columns)
        self.columns_button = make_icon_button("columns-3", self.tr("Show the columns as a list (F6)"))
        self.columns_button.setObjectName("columnsButton")
        self.columns_button.setCheckable(True)
        self.columns_button.clicked.connect(self.show_columns)
        self.replace_bar = ReplaceBar()
        self.replace_bar.closed.connect(self.table.setFocus)
        self.error = ErrorBanner()
        shortcut = QShortcut(QKeySequence(QKeySequence.StandardKey.Find), self)
        shortcut.setContext(Qt.ShortcutContext.WindowShortcut)
        shortcut.activated.connect(self._on_find_wanted)
        self.add_tool(self.suggest_button)
        self.add_tool(self.propose_button)
        self.add_tool(self.columns_button)
        self.add_tool(self.filter_button)
        self.add_tool(self.find_field)
        self.fold_tools(self.propose_button, self.suggest_button)
        self.set_body(vbox(self.filter_bar, self.replace_bar, self.error, (self._pages, 1), spacing=0), 0)
        self._tooltips = {w: w.toolTip() for w in (self.suggest_button, self.filter_button, self.find_field)}
        self._is_provisional = False
        self.show_can_propose(False)
        flexible(self.find_field, least=_LEAST_FIELD, most=_FIELD_WIDTH)

    def show_facts(self, facts: str) -> None:
        """Show the caption next to the title."""
        self.set_caption(facts)

    def show_reading(self, is_provisional: bool) -> None:
        """While the file is being read, offer only what works on its first records."""
        self._is_provisional = is_provisional
        for widget, words in self._tooltips.items():
            widget.setToolTip(self._still_read() if is_provisional else words)
            widget.setEnabled(not is_provisional)

    def _still_read(self) -> str:
        return self.tr("The table is still being read: this requires the complete table")

    def show_can_propose(self, can: bool) -> None:
        """Enable proposals if a quasi-identifying column can have a hierarchy."""
        self.propose_button.setEnabled(can and not self._is_provisional)
        self.propose_button.setToolTip(
            self._still_read()
            if self._is_provisional
            else self.tr(
                "Suggest a hierarchy for each quasi-identifying column, based on its type and values"
            )
            if can
            else self.tr("No column is quasi-identifying yet")
        )

    @property
    def shows_columns(self) -> bool:
        """True if rows are columns instead of records."""
        return self._pages.currentWidget() is self.columns

    def show_columns(self, are_lines: bool) -> None:
        """Show one row per column, or the records."""
        self.columns_button.setChecked(are_lines)
        self._pages.setCurrentWidget(self.columns if are_lines else self.table)
        if are_lines:
            self.columns_shown.emit()
        (self.columns.view if are_lines else self.table).setFocus()

    def show_filter_bar(self, *, goes_to_record: bool = False) -> None:
        """Show the filter strip and focus the filter, or the record number."""
        self.show_columns(False)
        self.filter_bar.show()
        self.filter_button.setChecked(True)
        self.filter_bar.take_focus(goes_to_record=goes_to_record)

    def show_found(self, cell: tuple[int, int] | None) -> None:
        """Go to a found cell, or report that there is none."""
        set_style_property(self.find_field, "invalid", "true" if cell is None else "false")
        if cell is not None:
            if self.shows_columns:
                self.show_columns(False)
                self.find_field.setFocus()
            self.table.show_cell(*cell)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if (
            watched is self.find_field
            and isinstance(event, QKeyEvent)
            and event.type() == QEvent.Type.KeyPress
        ):
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and (text := self.find_field.text()):
                self.find_requested.emit(text, bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier))
                return True
            if event.key() == Qt.Key.Key_Escape:
                self.table.setFocus()
                return True
        return super().eventFilter(watched, event)

    def _on_filter_clicked(self, is_shown: bool) -> None:
        if is_shown:
            self.show_filter_bar()
        else:
            self.filter_bar.close_bar()

    def _on_filter_closed(self) -> None:
        self.filter_button.setChecked(False)
        self.table.setFocus()

    def _on_find_wanted(self) -> None:
        self.find_field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.find_field.selectAll()
