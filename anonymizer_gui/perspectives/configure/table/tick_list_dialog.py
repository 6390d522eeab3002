"""Dialogs that change several columns: a list to tick, with the change of each column."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QDialog, QFrame, QGridLayout, QPushButton, QWidget

from anonymizer_gui.perspectives.configure.table.data_table import ROLE_TITLES
from anonymizer_gui.theming import Text, font, scaled
from anonymizer_gui.widgets.buttons import button_row, make_button
from anonymizer_gui.widgets.elided_combo_box import ElidedCheckBox, ElidedComboBox
from anonymizer_gui.widgets.fitted_dialog import take_room
from anonymizer_gui.widgets.labels import make_label, make_line
from anonymizer_gui.widgets.layouts import gridbox, named, nest, vbox
from anonymizer_gui.widgets.meter import Meter
from anonymizer_gui.widgets.role_badge import RoleBadge, role_icon
from anonymizer_gui.widgets.scroll_body import SteadyArea
from engine.numbers import as_decimal
from engine.qi_detection.suggest import RoleSuggestion
from engine.records import Role, role_key
from engine.words import N_, _, ngettext

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
    title : str
        Its change in two or three words.
    lines : tuple of str
        Details, the most important first.
    is_ticked : bool
        Whether it is preselected.
    why_not : str
        Why it cannot be ticked, or empty.
    change : object
        What the column gets if it is accepted.
    """

    column: str
    role: Role | None
    title: str
    lines: tuple[str, ...]
    is_ticked: bool = True
    why_not: str = ""
    change: object = None


class TickDialog(QDialog):
    """Columns to tick, with a button that accepts their changes; `accept_text` is its text for a number."""

    changes_accepted = Signal(object)  # change by column

    def __init__(
        self, name: str, title: str, accept_text: Callable[[int], str], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setWindowTitle(title)
        self.setMinimumSize(scaled(_LEAST_WIDTH), scaled(_LEAST_HEIGHT))
        self._accept_text = accept_text
        self._none_ticked = self.tr("No column is selected")
        self.changes: dict[str, object] = {}
        self.explained = make_label("", Text.CELL, "text_2", wraps=True)
        self.cancel_button = make_button(self.tr("Cancel"))
        self.boxes: dict[str, ElidedCheckBox] = {}
        self.accept_button = make_button("", "acceptButton", kind="primary")
        self.accept_button.setDefault(True)
        self.accept_button.clicked.connect(lambda: self.accept_columns(self.ticked_columns()))

    def ticked_columns(self) -> tuple[str, ...]:
        """Return the ticked columns."""
        return tuple(column for column, box in self.boxes.items() if box.isChecked())

    def accept_columns(self, columns: Sequence[str]) -> None:
        """Accept the changes of columns and close."""
        self.changes_accepted.emit({column: self.changes[column] for column in columns})
        self.accept()

    def add_box(self, column: str, change: object, name: str, spoken: str, hint: str) -> ElidedCheckBox:
        """Return the check box of a column, with an object name."""
        self.changes[column] = change
        box = self.boxes[column] = named(ElidedCheckBox(column), name)
        box.setAccessibleDescription(spoken)
        box.setMaximumWidth(scaled(_NAME_WIDTH))
        box.set_hint(hint)
        box.toggled.connect(self._update_button)
        return box

    def lay_out(
        self, explained: str, grid: QGridLayout, size: QSize, *further_buttons: QPushButton, reason: str
    ) -> None:
        """Build the layout; called once.

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
        area = SteadyArea(inside)
        card = QFrame()
        card.setProperty("card", "true")
        vbox(area, of=card)
        self.cancel_button.clicked.connect(self.reject)
        buttons = button_row(self.cancel_button, *further_buttons, self.accept_button)
        can_tick = any(box.isEnabled() for box in self.boxes.values())
        for place, (text, ticked) in enumerate(
            ((self.tr("Select all"), True), (self.tr("Select none"), False))
        ):
            button = make_button(text, "tickAllButton" if ticked else "tickNoneButton", kind="quiet")
            button.clicked.connect(partial(self._tick, ticked))
            button.setEnabled(can_tick)
            button.setToolTip("" if can_tick else reason)
            buttons.insertWidget(place, button)
        title = make_label(self.windowTitle(), Text.HEADING)
        self.explained.setText(explained)
        vbox(title, self.explained, (card, 1), buttons, spacing=12, margins=16, of=self)
        take_room(self, QSize(scaled(size.width()), scaled(size.height())))
        self._update_button()

    def _tick(self, ticked: bool) -> None:
        for box in self.boxes.values():
            box.setChecked(ticked and box.isEnabled())

    def _update_button(self) -> None:
        n_columns = len(self.ticked_columns())
        self.accept_button.setText(self._accept_text(n_columns))
        self.accept_button.setEnabled(n_columns > 0)
        self.accept_button.setToolTip("" if n_columns else self._none_ticked)


class TickListDialog(TickDialog):
    """A row per column; those that cannot be ticked have the reason."""

    def show_rows(
        self,
        rows: Sequence[TickRow],
        explained: str,
        headings: tuple[str, str, str],
        width: int,
        *further_buttons: QPushButton,
    ) -> None:
        """Fill and open the dialog.

        Parameters
        ----------
        explained : str
            One sentence below the title.
        headings : tuple of str
            For the columns, their change, and the details.
        width : int
            Preferred width, at font scale 1.
        *further_buttons : QPushButton
            Placed before the accepting button.
        """
        grid = gridbox(spacing=(None, 6), stretched=3)
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
        self.finished.connect(self.deleteLater)
        self.open()

    def _add_row(self, grid: QGridLayout, number: int, row: TickRow) -> None:
        texts = [row.title, *row.lines] if not row.why_not else [row.why_not]
        spoken = ". ".join(text.rstrip(".") for text in texts if text) + "."
        box = self.add_box(row.column, row.change, f"tick.{row.column}", spoken, row.why_not)
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


CONFIDENCE_TITLES = {"sure": N_("Sure"), "likely": N_("Likely"), "guess": N_("Guess")}
_METER_WIDTH = 40
_SUGGESTIONS, _ROW = QSize(1080, 220), 28  # preferred size, at font scale 1
_REASON = 4  # column of the grid


class SuggestDialog(TickDialog):
    """Preselects the columns whose role would change; `now` has only columns with a role.

    A weak suggestion does not replace an existing role unless the user ticks it. Another role than the
    suggested one can be chosen for each; it is accepted as a `Role` instead of the `RoleSuggestion`.
    """

    def __init__(
        self, suggestions: Sequence[RoleSuggestion], now: Mapping[str, Role], parent: QWidget | None = None
    ) -> None:
        super().__init__("suggestDialog", self.tr("Suggested roles"), self._button_text, parent)
        self._none_ticked = self.tr("No role would change")
        grid = gridbox(spacing=(None, 4), stretched=_REASON)
        titles = {
            0: self.tr("Column"),
            1: self.tr("Role"),
            2: self.tr("Confidence"),
            _REASON: self.tr("Reason"),
        }
        for column, title in titles.items():
            grid.addWidget(make_label(title, Text.HEADER, "text_3"), 0, column, 1, 2 if column == 2 else 1)
        for row, suggestion in enumerate(suggestions, start=1):
            self._add_row(grid, row, suggestion, now.get(suggestion.column))
        grid.setRowStretch(len(suggestions) + 1, 1)
        self.lay_out(
            "",
            grid,
            _SUGGESTIONS + QSize(0, _ROW * len(suggestions)),
            reason=self.tr("Every column already has its role"),
        )

    def _add_row(self, grid: QGridLayout, row: int, suggestion: RoleSuggestion, now: Role | None) -> None:
        role = _(ROLE_TITLES[suggestion.role])
        word = _(CONFIDENCE_TITLES[suggestion.confidence_word])
        why = suggestion.reason
        if suggestion.hipaa is not None:
            why += self.tr(" HIPAA: {text}.").format(text=suggestion.hipaa.text)
        changes = suggestion.role is not now
        hint = (
            ""
            if now is None
            else self.tr("Current: {ROLE_TITLES}").format(ROLE_TITLES=_(ROLE_TITLES[now]).lower())
        )
        if not changes:
            hint = self.tr("Already has this role")
        name = f"suggestion.{suggestion.column}"
        box = self.add_box(suggestion.column, suggestion, name, f"{role}. {word}. {why}", hint)
        box.setProperty("ink", "true")  # a role that stays is no less legible
        box.setChecked(changes and (now is None or suggestion.confidence_word != "guess"))
        box.setEnabled(changes)
        roles = named(ElidedComboBox(), f"role.{suggestion.column}")
        roles.setAccessibleName(self.tr("Role of {column}").format(column=suggestion.column))
        for own, title in ROLE_TITLES.items():
            roles.addItem(role_icon(own.value, 16), _(title), own)
        roles.setCurrentIndex(roles.findData(suggestion.role))
        roles.data_chosen.connect(lambda chosen: self._choose(suggestion, now, chosen))
        trust = make_label(word, Text.CELL)
        trust.setToolTip(
            self.tr("Confidence: {value} (0 to 1)").format(value=as_decimal(suggestion.confidence, 2))
        )
        meter = Meter(self.tr("Confidence"), _METER_WIDTH)
        meter.show_share(suggestion.confidence)
        reason = make_label(why, Text.CELL, "text_2", wraps=True)
        for place, widget in enumerate((box, roles, meter, trust, reason)):
            grid.addWidget(widget, row, place)

    def _choose(self, suggestion: RoleSuggestion, now: Role | None, role: Role) -> None:
        """Take another role than the suggested one for a column."""
        box = self.boxes[suggestion.column]
        self.changes[suggestion.column] = suggestion if role is suggestion.role else role
        box.setEnabled(role is not now)
        box.setChecked(role is not now)
        self._update_button()

    def _update_button(self) -> None:
        super()._update_button()
        changes = any(box.isEnabled() for box in self.boxes.values())
        self.cancel_button.setVisible(changes)
        n = len(self.boxes)
        self.explained.setText(
            self.tr("Suggestions based on names and values. You know the data: change what does not fit.")
            if changes
            else ngettext("The role is as suggested.", "All {n} roles are as suggested.", n).format(n=n)
        )
        if not changes:
            self.accept_button.setText(self.tr("Close"))
            self.accept_button.setEnabled(True)
            self.accept_button.setToolTip("")

    def _button_text(self, n_columns: int) -> str:
        return (
            self.tr("Set 1 role")
            if n_columns == 1
            else self.tr("Set {n_columns} roles").format(n_columns=n_columns)
        )
