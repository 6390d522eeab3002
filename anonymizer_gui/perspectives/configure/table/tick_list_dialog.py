"""Columns to tick, each with what would happen to it; the frame of dialogs that change several at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import (
    QDialog,
    QFrame,
    QGridLayout,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from anonymizer_gui.theming import Text, scaled
from anonymizer_gui.widgets.buttons import button_row, make_button
from anonymizer_gui.widgets.dialog_room import take_room
from anonymizer_gui.widgets.elided_check_box import ElidedCheckBox
from anonymizer_gui.widgets.labels import ElidedLabel, make_label, make_line
from anonymizer_gui.widgets.layouts import named, vbox
from anonymizer_gui.widgets.role_badge import RoleBadge
from engine.table import Role, role_word

_NAME_WIDTH = 200
_ABOVE_AND_BELOW, _LINE, _BETWEEN = 200, 16, 21
_DOWN = 4  # from the top of a check box to that of its text
_LEAST_WIDTH, _LEAST_HEIGHT = 720, 320


@dataclass(frozen=True)
class TickRow:
    """A column to tick.

    Attributes
    ----------
    column : str
    role : Role or None
    title : str
        What it would get, in two or three words.
    lines : tuple of str
        More of it, the most telling first; shortened to the room with the whole in tooltips.
    is_ticked : bool
        Whether it is proposed.
    why_not : str
        Why it cannot be ticked; empty where it can.
    """

    column: str
    role: Role | None
    title: str
    lines: tuple[str, ...]
    is_ticked: bool = True
    why_not: str = ""


class TickListDialog(QDialog):
    """Emits the columns ticked; those that cannot be are shown with their reason."""

    columns_accepted = Signal(tuple)  # of str

    def __init__(self, rows: Sequence[TickRow], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rows = tuple(rows)
        self.setMinimumSize(scaled(_LEAST_WIDTH), scaled(_LEAST_HEIGHT))
        self.boxes: dict[str, ElidedCheckBox] = {}
        self.accept_button = named(make_button("", kind="primary"), "acceptButton")
        self.accept_button.setDefault(True)
        self.accept_button.clicked.connect(lambda: self.accept_columns(self.ticked_columns()))

    def build(
        self,
        title: str,
        explained: str,
        headings: tuple[str, str, str],
        width: int,
        *further_buttons: QPushButton,
    ) -> None:
        """Put the rows in; once, by the subclass.

        Parameters
        ----------
        title, explained : str
            Heading, and one sentence below it.
        headings : tuple of str
            Of the columns, of what they would get, and of what is said about it.
        width : int
            Preferred, at font scale 1.
        *further_buttons : QPushButton
            They stand before the one that accepts.
        """
        self.setWindowTitle(title)
        self._lay_out(title, explained, self._make_grid(headings), further_buttons)
        self._fit(width)
        self._update_button()

    def ticked_columns(self) -> tuple[str, ...]:
        """The columns ticked now."""
        return tuple(row.column for row in self._rows if self.boxes[row.column].isChecked())

    def accept_text(self, n_columns: int) -> str:
        """The words of the button that accepts so many."""
        raise NotImplementedError

    def accept_columns(self, columns: tuple[str, ...]) -> None:
        """Take some of the columns and close."""
        self.columns_accepted.emit(columns)
        self.accept()

    def _make_grid(self, headings: tuple[str, str, str]) -> QGridLayout:
        grid = QGridLayout()
        grid.setColumnStretch(3, 1)
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(6)
        grid.setRowMinimumHeight(0, scaled(24))
        for column, heading in zip((0, 2, 3), headings, strict=True):
            grid.addWidget(make_label(heading, Text.HEADER, "text_3"), 0, column)
        for number, row in enumerate(self._rows):
            grid.addWidget(make_line(), 2 * number + 1, 0, 1, 4)
            self._add_row(grid, 2 * number + 2, row)
        grid.setRowStretch(2 * len(self._rows) + 1, 1)
        return grid

    def _add_row(self, grid: QGridLayout, number: int, row: TickRow) -> None:
        box = named(ElidedCheckBox(row.column), f"tick.{row.column}")
        said = [row.title, *row.lines] if not row.why_not else [row.why_not]
        box.setAccessibleDescription(". ".join(text.rstrip(".") for text in said if text) + ".")
        box.setMaximumWidth(scaled(_NAME_WIDTH))
        box.setEnabled(not row.why_not)
        box.set_hint(row.why_not)
        box.setChecked(row.is_ticked and not row.why_not)
        box.toggled.connect(self._update_button)
        self.boxes[row.column] = box
        lines = vbox(spacing=0, margins=(0, scaled(_DOWN), 0, scaled(_DOWN)))
        for text in row.lines:
            lines.addWidget(ElidedLabel(text, Text.CELL, "text" if text == row.lines[0] else "text_2"))
        top = Qt.AlignmentFlag.AlignTop
        grid.addWidget(box, number, 0, top)
        badge, title = RoleBadge(role_word(row.role), 16), make_label(row.title, Text.CELL_STRONG)
        for place, widget in ((1, badge), (2, title)):
            beside = vbox(widget, margins=(0, scaled(_DOWN), 0, 0))
            grid.addLayout(beside, number, place, top)
        grid.addLayout(lines, number, 3)

    def _lay_out(
        self, title: str, explained: str, grid: QGridLayout, further_buttons: Sequence[QPushButton]
    ) -> None:
        inside = QWidget()
        inside.setProperty("scrolled", "true")
        inside.setLayout(grid)
        area = QScrollArea()
        area.setWidget(inside)
        area.setWidgetResizable(True)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        card = QFrame()
        card.setProperty("card", "true")
        QVBoxLayout(card).addWidget(area)
        cancel = make_button(self.tr("Cancel"))
        cancel.clicked.connect(self.reject)
        buttons = button_row(cancel, *further_buttons, self.accept_button)
        can_tick = any(box.isEnabled() for box in self.boxes.values())
        for place, (text, ticked) in enumerate(((self.tr("Tick all"), True), (self.tr("Tick none"), False))):
            button = named(make_button(text, kind="quiet"), "tickAllButton" if ticked else "tickNoneButton")
            button.clicked.connect(partial(self._tick, ticked))
            button.setEnabled(can_tick)
            button.setToolTip("" if can_tick else self.tr("No column can be ticked"))
            buttons.insertWidget(place, button)
        vbox(
            make_label(title, Text.HEADING),
            make_label(explained, Text.CELL, "text_2", wraps=True),
            (card, 1),
            buttons,
            spacing=12,
            margins=16,
            of=self,
        )

    def _fit(self, width: int) -> None:
        """Take the room that lines need, as far as the window behind has it."""
        lines = sum(_LINE * max(1, len(row.lines)) + _BETWEEN for row in self._rows)
        take_room(self, QSize(scaled(width), scaled(_ABOVE_AND_BELOW + lines)))

    def _tick(self, ticked: bool) -> None:
        for box in self.boxes.values():
            box.setChecked(ticked and box.isEnabled())

    def _update_button(self) -> None:
        n_columns = len(self.ticked_columns())
        self.accept_button.setText(self.accept_text(n_columns))
        self.accept_button.setEnabled(n_columns > 0)
        self.accept_button.setToolTip("" if n_columns else self.tr("No column is ticked"))
