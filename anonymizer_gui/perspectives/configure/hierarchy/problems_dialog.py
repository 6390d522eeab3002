"""Dialog that lists all errors of a hierarchy file, line by line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QObject, QSize, Qt
from PySide6.QtGui import QColor, QGuiApplication, QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QFrame,
    QHeaderView,
    QTableView,
    QWidget,
)

from anonymizer_gui.theming import Text, current_theme, scaled
from anonymizer_gui.widgets.buttons import button_row, make_button
from anonymizer_gui.widgets.dialog_room import take_room
from anonymizer_gui.widgets.labels import make_label
from anonymizer_gui.widgets.layouts import named, vbox
from anonymizer_gui.widgets.tables import NOWHERE, Index, prepare_table
from engine.hierarchies.problems import LineProblem
from engine.numbers import as_exact_count
from engine.words import N_, _, ngettext

_Role = Qt.ItemDataRole
_TITLES = (N_("Line"), N_("Level"), N_("Value"), N_("Problem"), N_("Solution"))
_LINE, _LEVEL, _VALUE = range(3)
_WIDTHS = (64, 64, 140, 0, 280)  # 0: remaining width
_WIDTH, _ABOVE_AND_BELOW, _ROW, _MOST_ROWS = 960, 190, 24, 16
_LEAST_WIDTH, _LEAST_HEIGHT = 640, 300


class ProblemsModel(QAbstractTableModel):
    """One row per error; there may be as many as lines."""

    def __init__(self, problems: Sequence[LineProblem], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._problems = tuple(problems)

    def rowCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() else len(self._problems)

    def columnCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() else len(_TITLES)

    def data(self, index: Index, role: int = _Role.DisplayRole) -> Any:
        if not index.isValid():
            return None
        match role:
            case _Role.DisplayRole | _Role.ToolTipRole:
                return self.texts(index.row())[index.column()]
            case _Role.TextAlignmentRole:
                return _alignment(index.column())
            case _Role.ForegroundRole if index.column() == _VALUE and not self._problems[index.row()].value:
                return QColor(current_theme().text_3)
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = _Role.DisplayRole) -> Any:
        if orientation == Qt.Orientation.Vertical:
            return None
        if role == _Role.TextAlignmentRole:
            return _alignment(section)
        return _(_TITLES[section]) if role == _Role.DisplayRole else None

    def texts(self, row: int) -> tuple[str, ...]:
        """Return the texts of a row; a line that is wrong as a whole has no level."""
        problem = self._problems[row]
        return (
            as_exact_count(problem.line) if problem.line else "–",
            str(problem.column - 1) if problem.column else "–",
            problem.value or self.tr("(empty)"),
            problem.message,
            problem.hint,
        )

    def as_text(self, rows: Sequence[int]) -> str:
        """Return rows as tab-separated lines with headings; numbers and values unformatted."""
        lines = [tuple(map(_, _TITLES))]
        for row in rows:
            problem = self._problems[row]
            level = str(problem.column - 1) if problem.column else ""
            lines.append((str(problem.line), level, problem.value, problem.message, problem.hint))
        return "\n".join("\t".join(" ".join(cell.split()) for cell in line) for line in lines) + "\n"


class ProblemsDialog(QDialog):
    """States that nothing was changed, and lists the errors.

    Parameters
    ----------
    name : str
        Name of the file.
    problems : sequence of LineProblem
    """

    def __init__(self, name: str, problems: Sequence[LineProblem], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("problemsDialog")
        self.setWindowTitle(self.tr("Problems in {name}").format(name=name))
        self.setMinimumSize(scaled(_LEAST_WIDTH), scaled(_LEAST_HEIGHT))
        self.model = ProblemsModel(problems, self)
        self.table = self._make_table()
        self.copy_button = named(make_button(self.tr("Copy"), icon_name="copy"), "copyProblemsButton")
        keys = QKeySequence(QKeySequence.StandardKey.Copy)
        shown_keys = keys.toString(QKeySequence.SequenceFormat.NativeText)
        self.copy_button.setToolTip(
            self.tr("Copy the selected lines, or all lines if none is selected ({shown_keys})").format(
                shown_keys=shown_keys
            )
        )
        self.copy_button.clicked.connect(self.copy)
        QShortcut(keys, self).activated.connect(self.copy)
        close = named(make_button(self.tr("Close"), kind="primary"), "closeButton")
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
        rows = selected or range(self.model.rowCount())
        QGuiApplication.clipboard().setText(self.model.as_text(rows))

    def _make_table(self) -> QTableView:
        table = named(QTableView(), "problemsTable", self.tr("Problems, line by line"))
        table.setModel(self.model)
        prepare_table(table, copies=False)  # the dialog copies lines as they are in the file
        table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        table.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        header = table.horizontalHeader()
        for section, width in enumerate(_WIDTHS):
            if width:
                header.resizeSection(section, scaled(width))
            else:
                header.setSectionResizeMode(section, QHeaderView.ResizeMode.Stretch)
        return table

    def _fit(self, n_problems: int) -> None:
        rows = scaled(_ROW) * min(n_problems, _MOST_ROWS)
        take_room(self, QSize(scaled(_WIDTH), scaled(_ABOVE_AND_BELOW) + rows))


def _alignment(column: int) -> Qt.AlignmentFlag:
    side = Qt.AlignmentFlag.AlignRight if column in (_LINE, _LEVEL) else Qt.AlignmentFlag.AlignLeft
    return side | Qt.AlignmentFlag.AlignVCenter
