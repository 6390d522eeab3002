"""Dialogs of hierarchies: the library of the user, and all errors of a file, line by line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeySequence, QShortcut
from PySide6.QtWidgets import QDialog, QFrame, QLineEdit, QStackedLayout, QWidget

from anonymizer_gui.tables.rows_model import Cell, Heading
from anonymizer_gui.tables.table_view import SEVERAL, TableView
from anonymizer_gui.theming import Text, scaled
from anonymizer_gui.widgets.buttons import button_row, make_button
from anonymizer_gui.widgets.error_banner import ErrorBanner
from anonymizer_gui.widgets.fitted_dialog import take_room
from anonymizer_gui.widgets.labels import ElidedLabel, make_label
from anonymizer_gui.widgets.layouts import STRETCH, hbox, named, vbox
from anonymizer_gui.widgets.results_stack import EmptyState
from engine.hierarchies.library import LibraryEntry
from engine.hierarchies.problems import LineProblem
from engine.hierarchies.similar import Fit
from engine.numbers import as_exact_count
from engine.words import N_, _, ngettext

_WIDTHS = (0, 140, 64, 72, 200)  # 0: remaining width
_WIDTH, _HEIGHT = 760, 520
_LEAST_WIDTH, _LEAST_HEIGHT = 640, 360


@dataclass(frozen=True)
class LibraryItem:
    """Library entry with the hierarchy it gives the edited column, as displayed.

    Attributes
    ----------
    fit : Fit or None
        None if it cannot be read.
    sizes : tuple of Cell
        Its levels and values, and values of the edited column that it has.
    words : str
        Its levels, or its error.
    why_not : str
        Why it cannot be used, or empty.
    """

    entry: LibraryEntry
    fit: Fit | None
    sizes: tuple[Cell, Cell, Cell]
    words: str
    why_not: str = ""


class LibraryDialog(QDialog):
    """Asks before it replaces or deletes anything; the presenter replies with `show_items`."""

    keep_requested = Signal(str)
    replace_requested = Signal(str)
    use_requested = Signal(object)  # LibraryItem
    delete_requested = Signal(object)  # Path

    def __init__(self, folder: str, name: str, column: str, parent: QWidget | None = None) -> None:
        """Show the library in a folder; `name` is proposed for the hierarchy of `column`."""
        super().__init__(parent)
        self._items: tuple[LibraryItem, ...] = ()
        self._asked: tuple[str, Path | str] | None = None  # subject of the question in the banner
        self.setObjectName("libraryDialog")
        self.setWindowTitle(self.tr("Library of hierarchies"))
        self.setMinimumSize(scaled(_LEAST_WIDTH), scaled(_LEAST_HEIGHT))
        self._folder = ElidedLabel(folder, Text.CELL, "text_2", mode=Qt.TextElideMode.ElideMiddle)
        self.name_line = named(QLineEdit(name), "libraryName", self.tr("Name of this hierarchy"))
        self.keep_button = make_button(self.tr("Store"), "keepButton", icon_name="save")
        self.keep_button.setToolTip(self.tr("Store this hierarchy in the library under this name"))
        self.banner = ErrorBanner()
        self.table = TableView("libraryTable", self.tr("Hierarchies in the library"), widths=_WIDTHS)
        self.model = self.table.texts
        self._empty = EmptyState(
            self.tr("The library is empty."), self.tr("Store this hierarchy"), icon_name="save"
        )
        self._words = ElidedLabel("", Text.CELL, "text_2")
        self.delete_button = make_button(self.tr("Delete"), "deleteButton", icon_name="trash-2")
        self.close_button = make_button(self.tr("Close"), "closeButton")
        self.use_button = make_button(self.tr("Use for {column}").format(column=column), kind="primary")
        self.use_button.setObjectName("useButton")
        self._stack = QStackedLayout()
        self._headings = tuple(
            Heading(text, is_number)
            for text, is_number in (
                (self.tr("Name"), False),
                (self.tr("Made for"), False),
                (self.tr("Levels"), True),
                (self.tr("Values"), True),
                (self.tr("For {column}").format(column=column), False),
            )
        )
        self._build()
        self._connect()
        self.show_items(())

    def show_items(self, items: Sequence[LibraryItem], current: str = "") -> None:
        """Show the library; the entry called `current` is selected, else the first."""
        self._items = tuple(items)
        rows = [(Cell(i.entry.name, is_strong=True), Cell(i.entry.column or "–"), *i.sizes) for i in items]
        self.model.show(self._headings, rows)
        self._stack.setCurrentIndex(0 if items else 1)
        names = [item.entry.name for item in items]
        if items:
            self.table.selectRow(names.index(current) if current in names else 0)
        self._on_current_changed()

    def ask_to_replace(self, name: str) -> None:
        """Report that the name exists, and offer to replace its entry."""
        self._asked = ("replace", name)
        self._ask(
            self.tr("“{name}” is already in the library.").format(name=name),
            self.tr("Choose another name, or replace it with this hierarchy."),
            self.tr("Replace"),
        )

    def show_error(self, problem: str, hint: str) -> None:
        """Show why the library cannot be read or written."""
        self._asked = None
        self.banner.show_error(problem, hint)

    def current_item(self) -> LibraryItem | None:
        """Return the selected entry."""
        row = self.table.currentIndex().row()
        return self._items[row] if 0 <= row < len(self._items) else None

    def _build(self) -> None:
        label = make_label(self.tr("Store this hierarchy as"), Text.CONTROL)
        label.setBuddy(self.name_line)
        card = QFrame()
        card.setProperty("card", "true")
        self._stack.setContentsMargins(1, 1, 1, 1)
        self._stack.addWidget(self.table)
        self._stack.addWidget(self._empty)
        card.setLayout(self._stack)
        vbox(
            vbox(make_label(self.tr("Library of hierarchies"), Text.HEADING), self._folder, spacing=4),
            hbox(label, (self.name_line, 1), self.keep_button, spacing=12),
            self.banner,
            (card, 1),
            self._words,
            hbox(self.delete_button, STRETCH, self.close_button, self.use_button),
            spacing=12,
            margins=16,
            of=self,
        )
        take_room(self, QSize(scaled(_WIDTH), scaled(_HEIGHT)))

    def _connect(self) -> None:
        self.name_line.returnPressed.connect(self._on_keep)
        self.name_line.textChanged.connect(self._update_keep)
        self.keep_button.clicked.connect(self._on_keep)
        self._empty.action_requested.connect(self._on_keep)
        self.table.selectionModel().currentRowChanged.connect(self._on_current_changed)
        self.table.activated.connect(self._on_use)
        self.use_button.clicked.connect(self._on_use)
        self.delete_button.clicked.connect(self._on_delete)
        delete = QShortcut(QKeySequence(QKeySequence.StandardKey.Delete), self.table)
        delete.setContext(Qt.ShortcutContext.WidgetShortcut)
        delete.activated.connect(self._on_delete)
        self.close_button.clicked.connect(self.reject)
        self.banner.action_requested.connect(self._on_agreed)

    def _ask(self, problem: str, hint: str, action: str) -> None:
        self.banner.show_error(problem, hint, action, tone="warn")
        self.banner.focus_action()

    def _update_keep(self) -> None:
        self.banner.hide()
        for button in (self.keep_button, self._empty.button):
            button.setEnabled(bool(self.name_line.text().strip()))

    def _on_keep(self) -> None:
        if name := self.name_line.text().strip():
            self.banner.hide()
            self.keep_requested.emit(name)

    def _on_current_changed(self) -> None:
        item = self.current_item()
        self._words.setText(item.words if item is not None else "")
        self.delete_button.setEnabled(item is not None)
        self.delete_button.setToolTip("" if item is not None else self.tr("The library is empty"))
        why_not = self.tr("The library is empty") if item is None else item.why_not
        self.use_button.setEnabled(not why_not)
        self.use_button.setToolTip(why_not or self.tr("Use it in the editor; you can undo this"))

    def _on_use(self) -> None:
        item = self.current_item()
        if item is not None and not item.why_not:
            self.use_requested.emit(item)

    def _on_delete(self) -> None:
        if (item := self.current_item()) is not None:
            self._asked = ("delete", item.entry.path)
            self._ask(
                self.tr("Delete “{name}” from the library?").format(name=item.entry.name),
                self.tr("Columns that use it keep their hierarchy. The library entry cannot be restored."),
                self.tr("Delete"),
            )

    def _on_agreed(self) -> None:
        self.banner.hide()
        match self._asked:
            case ("replace", name):
                self.replace_requested.emit(name)
            case ("delete", path):
                self.delete_requested.emit(path)
        self._asked = None


_TITLES = (N_("Line"), N_("Level"), N_("Value"), N_("Problem"), N_("Solution"))
_LINE, _LEVEL = range(2)
_PROBLEM_WIDTHS = (64, 64, 140, 0, 280)  # 0: remaining width
_WIDEST, _ABOVE_AND_BELOW, _ROW, _MOST_ROWS = 960, 190, 24, 16
_LEAST_WIDTH, _LEAST_PROBLEMS = 640, 300


class ProblemsDialog(QDialog):
    """States that nothing was changed, and lists the errors.

    Parameters
    ----------
    name : str
        Name of the file.
    """

    def __init__(self, name: str, problems: Sequence[LineProblem], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("problemsDialog")
        self.setWindowTitle(self.tr("Problems in {name}").format(name=name))
        self.setMinimumSize(scaled(_LEAST_WIDTH), scaled(_LEAST_PROBLEMS))
        self._problems = tuple(problems)
        title = self.tr("Problems, line by line")
        # The dialog copies lines as they are in the file.
        self.table = TableView("problemsTable", title, chooses=SEVERAL, widths=_PROBLEM_WIDTHS, copies=False)
        headings = [Heading(_(title), place in (_LINE, _LEVEL)) for place, title in enumerate(_TITLES)]
        self.table.texts.show_made(
            headings, self._problems, lambda problem, place: _problem_cells(problem)[place]
        )
        self.copy_button = make_button(self.tr("Copy"), "copyProblemsButton", icon_name="copy")
        keys = QKeySequence(QKeySequence.StandardKey.Copy)
        shown_keys = keys.toString(QKeySequence.SequenceFormat.NativeText)
        self.copy_button.setToolTip(
            self.tr("Copy the selected lines, or all lines if none is selected ({shown_keys})").format(
                shown_keys=shown_keys
            )
        )
        self.copy_button.clicked.connect(self.copy)
        QShortcut(keys, self).activated.connect(self.copy)
        close = make_button(self.tr("Close"), "closeButton", kind="primary")
        close.setDefault(True)
        close.clicked.connect(self.reject)
        n = len(problems)
        text = ngettext("{n} problem in {name}", "{n} problems in {name}", n)
        explained = self.tr(
            "The file was not imported and the hierarchy is unchanged. Fix these lines and "
            "import the file again."
        )
        card = QFrame()
        card.setProperty("card", "true")
        vbox(self.table, margins=1, of=card)
        vbox(
            make_label(text.format(n=as_exact_count(n), name=name), Text.HEADING, wraps=True),
            make_label(explained, Text.CELL, "text_2", wraps=True),
            (card, 1),
            button_row(self.copy_button, close),
            spacing=12,
            margins=16,
            of=self,
        )
        self._fit(n)

    def copy(self) -> None:
        """Copy the selected rows, or all of them, to the clipboard."""
        selected = sorted(index.row() for index in self.table.selectionModel().selectedRows())
        chosen = [self._problems[row] for row in selected] or self._problems
        QGuiApplication.clipboard().setText(_copied(chosen))

    def _fit(self, n_problems: int) -> None:
        rows = scaled(_ROW) * min(n_problems, _MOST_ROWS)
        take_room(self, QSize(scaled(_WIDEST), scaled(_ABOVE_AND_BELOW) + rows))


def _problem_cells(problem: LineProblem) -> tuple[Cell, ...]:
    """Return the cells of a row; a line that is wrong as a whole has no level."""
    return (
        Cell(as_exact_count(problem.line) if problem.line else "–"),
        Cell(str(problem.column - 1) if problem.column else "–"),
        Cell(problem.value or _("(empty)"), tone="text" if problem.value else "text_3"),
        Cell(problem.message),
        Cell(problem.hint),
    )


def _copied(problems: Sequence[LineProblem]) -> str:
    """Return problems as tab-separated lines with headings; numbers and values unformatted."""
    lines = [tuple(map(_, _TITLES))]
    for problem in problems:
        level = str(problem.column - 1) if problem.column else ""
        lines.append((str(problem.line), level, problem.value, problem.message, problem.hint))
    return "\n".join("\t".join(" ".join(cell.split()) for cell in line) for line in lines) + "\n"
