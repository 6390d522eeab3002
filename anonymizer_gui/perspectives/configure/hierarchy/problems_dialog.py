"""Dialog that lists all errors of a hierarchy file, line by line."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize
from PySide6.QtGui import QGuiApplication, QKeySequence, QShortcut
from PySide6.QtWidgets import QDialog, QFrame, QWidget

from anonymizer_gui.tables.rows_model import Cell, Heading
from anonymizer_gui.tables.table_view import SEVERAL, TableView
from anonymizer_gui.theming import Text, scaled
from anonymizer_gui.widgets.buttons import button_row, make_button
from anonymizer_gui.widgets.fitted_dialog import take_room
from anonymizer_gui.widgets.labels import make_label
from anonymizer_gui.widgets.layouts import vbox
from engine.hierarchies.problems import LineProblem
from engine.numbers import as_exact_count
from engine.words import N_, _, ngettext

_TITLES = (N_("Line"), N_("Level"), N_("Value"), N_("Problem"), N_("Solution"))
_LINE, _LEVEL = range(2)
_WIDTHS = (64, 64, 140, 0, 280)  # 0: remaining width
_WIDTH, _ABOVE_AND_BELOW, _ROW, _MOST_ROWS = 960, 190, 24, 16
_LEAST_WIDTH, _LEAST_HEIGHT = 640, 300


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
        self.setMinimumSize(scaled(_LEAST_WIDTH), scaled(_LEAST_HEIGHT))
        self._problems = tuple(problems)
        title = self.tr("Problems, line by line")
        # The dialog copies lines as they are in the file.
        self.table = TableView("problemsTable", title, chooses=SEVERAL, widths=_WIDTHS, copies=False)
        headings = [Heading(_(title), place in (_LINE, _LEVEL)) for place, title in enumerate(_TITLES)]
        self.table.texts.show_made(headings, self._problems, lambda problem, place: _cells(problem)[place])
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
        take_room(self, QSize(scaled(_WIDTH), scaled(_ABOVE_AND_BELOW) + rows))


def _cells(problem: LineProblem) -> tuple[Cell, ...]:
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
