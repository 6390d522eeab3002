"""Card of pinned nodes and applied releases: a table, notes, and actions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from PySide6.QtCore import QItemSelectionModel, QRect, Qt, Signal, SignalInstance
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QLineEdit, QPushButton

from anonymizer_gui.tables.rows_model import Cell, Heading
from anonymizer_gui.tables.table_view import SEVERAL, TableView
from anonymizer_gui.theming import scaled
from anonymizer_gui.widgets.buttons import fold_text, make_button, make_icon_button
from anonymizer_gui.widgets.card import Card
from anonymizer_gui.widgets.drawn import FitsRoom
from anonymizer_gui.widgets.layouts import hbox, named
from anonymizer_gui.widgets.results_stack import EmptyState

_WIDTHS = (112, 226, 84, 90, 196, 120)
_FOOTER = 34
_FIELDS, _ICON, _BESIDE = 220, 28, 12  # px for name and note, of an icon, and beside the words of a button


class _Table(TableView):
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


class PinnedPanel(FitsRoom, Card):
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

    def __init__(self) -> None:
        super().__init__("")
        self.setObjectName("rememberedCard")
        title = self.tr("Pinned nodes and applied releases")
        self.table = _Table("rememberedTable", title, chooses=SEVERAL, widths=_WIDTHS)
        self.table.horizontalHeader().setStretchLastSection(True)
        self.model = self.table.texts
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
        self.pin_button = make_icon_button("pin", self.tr("Pin the selected node (Ctrl+D)"), "pinSelected")
        self.pin_button.clicked.connect(self.pin_requested)
        self.add_tool(self.pin_button)
        self._make_footer()
        self._on_selection_changed()

    def show_lines(self, headings: Sequence[Heading], rows: Sequence[Sequence[Cell]]) -> None:
        """List other lines; the chosen ones stay chosen if their number is unchanged."""
        self.model.show(headings, rows)
        self.empty.setVisible(not rows)
        self._place_empty()
        self._on_selection_changed()

    def show_words(self, name: str, note: str, *, is_kept: bool) -> None:
        """Show name and note of the chosen line, and whether it is fixed at the top."""
        for field, text in ((self.name, name), (self.note, note)):
            if field.text() != text:
                field.setText(text)
        self._buttons["keep"].setChecked(is_kept)

    def show_reasons(self, reasons: Mapping[str, str], compared: str) -> None:
        """Enable the actions on the chosen line, or show why each is unavailable.

        A reason is empty for an available action; `compared` names the nodes to compare. Lines that can be
        kept at the top have names.
        """
        self.name.setEnabled(not reasons["keep"])
        for key, why_not in reasons.items():
            self._buttons[key].setEnabled(not why_not)
            self._buttons[key].setToolTip(why_not or self._meanings[key])
        if not reasons["compare"]:
            self._buttons["compare"].setToolTip(compared)

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
        self._buttons: dict[str, QPushButton] = {}
        self._meanings: dict[str, str] = {}
        used = self.tr("Use the privacy models, limit and metric it was made with, and select it")
        for key, icon_name, name, meaning, signal in (
            ("show", "crosshair", "showPinned", self.tr("Select this node (Enter)"), self.show_requested),
            ("adopt", "", "adoptPinned", used, self.adopt_requested),
            ("compare", "columns-3", "comparePinned", self.tr("Compare"), None),
            (
                "back",
                "history",
                "goBackToRun",
                self.tr("Restore this release with all its settings"),
                self.back_requested,
            ),
            (
                "keep",
                "pin",
                "keepRun",
                self.tr("Keep this release at the top of the list"),
                self.keep_requested,
            ),
            (
                "remove",
                "trash-2",
                "removePinned",
                self.tr("Remove from the list (Del)"),
                self.remove_requested,
            ),
        ):
            button = make_button(self._words()[key], name, small=True, icon_name=icon_name, tooltip=meaning)
            button.setAccessibleName(meaning if icon_name else "")
            asked = self.compare_requested if signal is None else partial(self._ask, signal)
            button.clicked.connect(asked)
            self._buttons[key], self._meanings[key] = button, meaning
        self._buttons["keep"].setCheckable(True)
        self.set_footer(hbox((self.name, 1), (self.note, 2), *self._buttons.values(), spacing=6))
        assert self._footer is not None
        self._footer.setMinimumWidth(1)  # words give way, and may not keep the card wide

    def _words(self) -> dict[str, str]:
        """Return the words of the actions, the first to lose them in a narrow card last."""
        return {
            "adopt": self.tr("Use"),
            "compare": self.tr("Compare"),
            "show": self.tr("Select"),
            "remove": self.tr("Remove"),
            "back": self.tr("Restore"),
            "keep": self.tr("Keep on top"),
        }

    def _fit(self) -> None:
        """Show words beside the icons of as many actions as have room."""
        room = self.width() - scaled(_FIELDS) - len(self._buttons) * (scaled(_ICON) + 6)
        for key, words in self._words().items():
            room -= self._buttons[key].fontMetrics().horizontalAdvance(words) + scaled(_BESIDE)
            if key != "adopt":  # has no icon
                fold_text(self._buttons[key], words, is_folded=room < 0)

    def _ask(self, signal: SignalInstance, _is_checked: bool = False) -> None:
        if len(lines := self.chosen()) == 1:
            signal.emit(lines[0])

    def _on_selection_changed(self) -> None:
        self.note.setEnabled(len(self.chosen()) == 1)
        self.lines_chosen.emit()

    def _emit_text(self, changed: SignalInstance, text: str) -> None:
        if len(lines := self.chosen()) == 1:
            changed.emit(lines[0], text)

    def _place_empty(self) -> None:
        self.empty.setGeometry(QRect(self.table.viewport().geometry()))
