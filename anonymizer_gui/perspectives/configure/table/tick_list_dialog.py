"""Base of dialogs that change several columns: a list to tick, with the change of each column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import (
    QDialog,
    QFrame,
    QGridLayout,
    QPushButton,
    QWidget,
)

from anonymizer_gui.theming import Text, font, scaled
from anonymizer_gui.widgets.buttons import button_row, make_button
from anonymizer_gui.widgets.dialog_room import take_room
from anonymizer_gui.widgets.elided_check_box import ElidedCheckBox
from anonymizer_gui.widgets.labels import make_label, make_line
from anonymizer_gui.widgets.layouts import named, nest, vbox
from anonymizer_gui.widgets.role_badge import RoleBadge
from anonymizer_gui.widgets.scroll_body import scroll_area
from engine.table import Role, role_key

_NAME_WIDTH = 200
_ABOVE_AND_BELOW, _LINE, _BETWEEN = 200, 16, 21
_BESIDE = 330  # px of a row for everything but the details
_DOWN = 4  # from the top of a check box to that of its text
_LEAST_WIDTH, _LEAST_HEIGHT = 720, 320


@dataclass(frozen=True)
class TickRow:
    """Column to tick.

    Attributes
    ----------
    column : str
    role : Role or None
    title : str
        Its change in two or three words.
    lines : tuple of str
        Details, the most important first.
    is_ticked : bool
        Whether it is preselected.
    why_not : str
        Why it cannot be ticked, or empty.
    """

    column: str
    role: Role | None
    title: str
    lines: tuple[str, ...]
    is_ticked: bool = True
    why_not: str = ""


class TickDialog(QDialog):
    """List of columns to tick, with a button that accepts them."""

    def __init__(self, name: str, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setWindowTitle(title)
        self.setMinimumSize(scaled(_LEAST_WIDTH), scaled(_LEAST_HEIGHT))
        self.boxes: dict[str, ElidedCheckBox] = {}
        self.accept_button = named(make_button("", kind="primary"), "acceptButton")
        self.accept_button.setDefault(True)
        self.accept_button.clicked.connect(lambda: self.accept_columns(self.ticked_columns()))

    def ticked_columns(self) -> tuple[str, ...]:
        """Return the ticked columns."""
        return tuple(column for column, box in self.boxes.items() if box.isChecked())

    def accept_text(self, n_columns: int) -> str:
        """Return the text of the button for that many columns."""
        raise NotImplementedError

    def accept_columns(self, columns: tuple[str, ...]) -> None:
        """Accept columns and close."""
        raise NotImplementedError

    def add_box(self, column: str, name: str, description: str, hint: str) -> ElidedCheckBox:
        """Return the check box of a column, with an object name."""
        box = self.boxes[column] = named(ElidedCheckBox(column), name)
        box.setAccessibleDescription(description)
        box.setMaximumWidth(scaled(_NAME_WIDTH))
        box.set_hint(hint)
        box.toggled.connect(self._update_button)
        return box

    def lay_out(
        self, explained: str, grid: QGridLayout, size: QSize, *further_buttons: QPushButton, reason: str
    ) -> None:
        """Build the layout; called once by the subclass.

        Parameters
        ----------
        explained : str
            One sentence below the title.
        grid : QGridLayout
            One row for each box.
        size : QSize
            Preferred size, at font scale 1.
        *further_buttons : QPushButton
            Placed before the accepting button.
        reason : str
            Why nothing can be ticked, if so.
        """
        grid.setHorizontalSpacing(12)
        grid.setRowMinimumHeight(0, scaled(24))
        inside = QWidget()
        inside.setLayout(grid)
        area = scroll_area(inside)
        card = QFrame()
        card.setProperty("card", "true")
        vbox(area, of=card)
        cancel = make_button(self.tr("Cancel"))
        cancel.clicked.connect(self.reject)
        buttons = button_row(cancel, *further_buttons, self.accept_button)
        can_tick = any(box.isEnabled() for box in self.boxes.values())
        for place, (text, ticked) in enumerate(
            ((self.tr("Select all"), True), (self.tr("Select none"), False))
        ):
            button = named(make_button(text, kind="quiet"), "tickAllButton" if ticked else "tickNoneButton")
            button.clicked.connect(partial(self._tick, ticked))
            button.setEnabled(can_tick)
            button.setToolTip("" if can_tick else reason)
            buttons.insertWidget(place, button)
        title = make_label(self.windowTitle(), Text.HEADING)
        words = make_label(explained, Text.CELL, "text_2", wraps=True)
        vbox(title, words, (card, 1), buttons, spacing=12, margins=16, of=self)
        take_room(self, QSize(scaled(size.width()), scaled(size.height())))
        self._update_button()

    def _tick(self, ticked: bool) -> None:
        for box in self.boxes.values():
            box.setChecked(ticked and box.isEnabled())

    def _update_button(self) -> None:
        n_columns = len(self.ticked_columns())
        self.accept_button.setText(self.accept_text(n_columns))
        self.accept_button.setEnabled(n_columns > 0)
        self.accept_button.setToolTip("" if n_columns else self.none_ticked())

    def none_ticked(self) -> str:
        """Return why nothing can be accepted while nothing is ticked."""
        return self.tr("No column is selected")


class TickListDialog(TickDialog):
    """Emits the ticked columns; others are shown with the reason why they cannot be ticked."""

    columns_accepted = Signal(tuple)  # of str

    def build(
        self,
        rows: Sequence[TickRow],
        explained: str,
        headings: tuple[str, str, str],
        width: int,
        *further_buttons: QPushButton,
    ) -> None:
        """Fill the list; called once by the subclass.

        Parameters
        ----------
        rows : sequence of TickRow
        explained : str
            One sentence below the title.
        headings : tuple of str
            For the columns, their change, and the details.
        width : int
            Preferred width, at font scale 1.
        *further_buttons : QPushButton
            Placed before the accepting button.
        """
        grid = QGridLayout()
        grid.setColumnStretch(3, 1)
        grid.setVerticalSpacing(6)
        for column, heading in zip((0, 2, 3), headings, strict=True):
            grid.addWidget(make_label(heading, Text.HEADER, "text_3"), 0, column)
        for number, row in enumerate(rows):
            grid.addWidget(make_line(), 2 * number + 1, 0, 1, 4)
            self._add_row(grid, 2 * number + 2, row)
        grid.setRowStretch(2 * len(rows) + 1, 1)
        metrics, room = QFontMetrics(font(Text.CELL)), scaled(width - _BESIDE)
        lines = sum(
            _LINE * sum(1 + metrics.horizontalAdvance(line) // room for line in row.lines or ("",)) + _BETWEEN
            for row in rows
        )
        reason = self.tr("No column can be selected")
        self.lay_out(explained, grid, QSize(width, _ABOVE_AND_BELOW + lines), *further_buttons, reason=reason)

    def accept_columns(self, columns: tuple[str, ...]) -> None:
        self.columns_accepted.emit(columns)
        self.accept()

    def _add_row(self, grid: QGridLayout, number: int, row: TickRow) -> None:
        texts = [row.title, *row.lines] if not row.why_not else [row.why_not]
        spoken = ". ".join(text.rstrip(".") for text in texts if text) + "."
        box = self.add_box(row.column, f"tick.{row.column}", spoken, row.why_not)
        box.setEnabled(not row.why_not)
        box.setChecked(row.is_ticked and not row.why_not)
        tones = ["text", *["text_2"] * len(row.lines)]
        lines = [
            make_label(text, Text.CELL, tone, wraps=True)
            for text, tone in zip(row.lines, tones, strict=False)
        ]
        top = Qt.AlignmentFlag.AlignTop
        grid.addWidget(box, number, 0, top)
        badge, title = RoleBadge(role_key(row.role), 16), make_label(row.title, Text.CELL_STRONG)
        for place, widget in ((1, badge), (2, title)):
            nest(grid, vbox(widget, margins=(0, scaled(_DOWN), 0, 0)), number, place, top)
        nest(grid, vbox(*lines, spacing=0, margins=(0, scaled(_DOWN), 0, scaled(_DOWN))), number, 3)
