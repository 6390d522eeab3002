"""Card of the data table: file, proposals for columns, search, and the table."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import QStackedWidget, QWidget

from anonymizer_gui.perspectives.configure.table.columns_table import ColumnsTable
from anonymizer_gui.perspectives.configure.table.data_table import DataTable
from anonymizer_gui.perspectives.configure.table.filter_bar import FilterBar
from anonymizer_gui.perspectives.configure.table.replace_bar import ReplaceBar
from anonymizer_gui.widgets.buttons import make_button, make_icon_button
from anonymizer_gui.widgets.card import Card
from anonymizer_gui.widgets.error_banner import ErrorBanner
from anonymizer_gui.widgets.labels import set_style_property
from anonymizer_gui.widgets.layouts import flexible, named, vbox
from anonymizer_gui.widgets.search_field import SearchField

_FIELD_WIDTH, _LEAST_FIELD = 168, 96  # px


class TablePanel(Card):
    """Shows the table and emits requests."""

    suggestions_requested = Signal()
    proposals_requested = Signal()
    columns_shown = Signal()
    find_requested = Signal(str, bool)  # the text, and whether to search backwards

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(self.tr("Table"), "", parent)
        self.table = DataTable()
        self.suggest_button = named(
            make_button(
                self.tr("Suggest roles"),
                icon_name="wand-sparkles",
                small=True,
                tooltip=self.tr("Suggest a role for each column from its name and values"),
            ),
            "suggestRolesButton",
        )
        self.suggest_button.clicked.connect(self.suggestions_requested)
        self.propose_button = named(
            make_button(self.tr("Suggest hierarchies"), icon_name="layers", small=True),
            "proposeHierarchiesButton",
        )
        self.propose_button.clicked.connect(self.proposals_requested)
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
        self._pages = QStackedWidget()
        self._pages.addWidget(self.table)
        self._pages.addWidget(self.columns)
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
