"""The card of the data table: its file, proposals for its columns, Find a value, and the table."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeySequence, QResizeEvent, QShortcut
from PySide6.QtWidgets import QWidget

from anonymizer_gui.perspectives.configure.data_table import DataTable
from anonymizer_gui.theming import scaled, set_icon, theme_manager
from anonymizer_gui.widgets.buttons import make_button
from anonymizer_gui.widgets.card import Card
from anonymizer_gui.widgets.search_field import SearchField

_FIELD_WIDTH, _ROOM_FOR_TEXTS = 168, 600


class TablePanel(Card):
    """Shows the table; what is wished for goes out as signals."""

    suggestions_requested = Signal()
    proposals_requested = Signal()
    find_requested = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(self.tr("Table"), "", parent)
        self.table = DataTable()
        self.suggest_button = make_button(
            self.tr("Suggest roles"),
            icon_name="wand-sparkles",
            small=True,
            tooltip=self.tr("Look at names and values and say which role each column probably has"),
        )
        self.suggest_button.setObjectName("suggestRolesButton")
        self.suggest_button.clicked.connect(self.suggestions_requested)
        self.propose_button = make_button("", small=True)
        self.propose_button.setObjectName("proposeHierarchiesButton")
        self.propose_button.setAccessibleName(self.tr("Propose hierarchies"))
        self.propose_button.clicked.connect(self.proposals_requested)
        self.show_can_propose(False)
        self.find_field = SearchField()
        self.find_field.setObjectName("findField")
        self.find_field.setPlaceholderText(self.tr("Find a value"))
        self.find_field.setAccessibleName(self.tr("Find a value"))
        self.find_field.setToolTip(self.tr("Enter goes to the next cell that contains the text (Ctrl+F)"))
        self.find_field.returnPressed.connect(self._on_find)
        shortcut = QShortcut(QKeySequence(QKeySequence.StandardKey.Find), self)
        shortcut.setContext(Qt.ShortcutContext.WindowShortcut)
        shortcut.activated.connect(self._on_find_wanted)
        self.add_tool(self.suggest_button)
        self.add_tool(self.propose_button)
        self.add_tool(self.find_field)
        self.set_body(self.table, 0)
        theme_manager().theme_changed.connect(self._on_theme_changed)
        self._on_theme_changed()

    def show_facts(self, facts: str) -> None:
        """The caption beside the title."""
        self.set_caption(facts)

    def show_can_propose(self, can: bool) -> None:
        """Whether there is a quasi-identifying column to propose a hierarchy for."""
        self.propose_button.setEnabled(can)
        self.propose_button.setToolTip(
            self.tr("Propose a hierarchy for each quasi-identifying column, from its type and values")
            if can
            else self.tr("No column is quasi-identifying yet")
        )

    def show_found(self, cell: tuple[int, int] | None) -> None:
        """Go to a cell that was found, or say that there is none."""
        self.find_field.setProperty("invalid", "true" if cell is None else "false")
        self.find_field.style().unpolish(self.find_field)
        self.find_field.style().polish(self.find_field)
        if cell is not None:
            self.table.show_cell(*cell)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_texts()

    def _fit_texts(self) -> None:
        """Where there is little room the icon stays, and its tooltip says the rest."""
        has_room = self.width() >= scaled(_ROOM_FOR_TEXTS)
        self.propose_button.setText(self.tr("Propose hierarchies") if has_room else "")
        set_icon(self.propose_button, "layers", 14)

    def _on_find(self) -> None:
        if text := self.find_field.text():
            self.find_requested.emit(text)

    def _on_find_wanted(self) -> None:
        self.find_field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.find_field.selectAll()

    def _on_theme_changed(self) -> None:
        self.find_field.setFixedWidth(scaled(_FIELD_WIDTH))
        self._fit_texts()
