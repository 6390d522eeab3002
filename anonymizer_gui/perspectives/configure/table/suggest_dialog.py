"""Dialog with a suggested role for every column, its confidence and reason."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QSize, Signal
from PySide6.QtWidgets import QGridLayout, QWidget

from anonymizer_gui.perspectives.configure.table.data_table import ROLE_TITLES
from anonymizer_gui.perspectives.configure.table.tick_list_dialog import TickDialog
from anonymizer_gui.theming import Text
from anonymizer_gui.widgets.labels import make_label
from anonymizer_gui.widgets.meter import Meter
from anonymizer_gui.widgets.role_badge import RoleBadge
from engine.numbers import as_decimal
from engine.qi_detection.suggest import RoleSuggestion
from engine.table import Role
from engine.words import N_, _

CONFIDENCE_TITLES = {"sure": N_("Sure"), "likely": N_("Likely"), "guess": N_("Guess")}
_METER_WIDTH = 40
_WIDTH, _ABOVE_AND_BELOW, _ROW = 1080, 220, 28  # preferred size, at font scale 1
_REASON = 5  # column of the grid


class SuggestDialog(TickDialog):
    """Preselects the columns whose role would change; `now` has only columns with a role.

    A weak suggestion does not replace an existing role unless the user ticks it.
    """

    suggestions_accepted = Signal(tuple)  # of RoleSuggestion

    def __init__(
        self, suggestions: Sequence[RoleSuggestion], now: Mapping[str, Role], parent: QWidget | None = None
    ) -> None:
        super().__init__("suggestDialog", self.tr("Suggested roles"), parent)
        self._suggestions = tuple(suggestions)
        grid = QGridLayout()
        grid.setColumnStretch(_REASON, 1)
        grid.setVerticalSpacing(4)
        titles = {
            0: self.tr("Column"),
            1: self.tr("Role"),
            3: self.tr("Confidence"),
            _REASON: self.tr("Reason"),
        }
        for column, title in titles.items():
            grid.addWidget(
                make_label(title, Text.HEADER, "text_3"), 0, column, 1, 2 if column in (1, 3) else 1
            )
        for row, suggestion in enumerate(self._suggestions, start=1):
            self._add_row(grid, row, suggestion, now.get(suggestion.column))
        grid.setRowStretch(len(self._suggestions) + 1, 1)
        self.lay_out(
            self.tr("Suggestions based on names and values. You know the data: untick what does not fit."),
            grid,
            QSize(_WIDTH, _ABOVE_AND_BELOW + _ROW * len(self._suggestions)),
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
        box = self.add_box(suggestion.column, name, f"{role}. {word}. {why}", hint)
        box.setChecked(changes and (now is None or suggestion.confidence_word != "guess"))
        box.setEnabled(changes)
        trust = make_label(word, Text.CELL)
        trust.setToolTip(
            self.tr("Confidence: {value} (0 to 1)").format(value=as_decimal(suggestion.confidence, 2))
        )
        meter = Meter(self.tr("Confidence"), _METER_WIDTH)
        meter.show_share(suggestion.confidence)
        badge, title = RoleBadge(suggestion.role.value, 16), make_label(role, Text.CELL_STRONG)
        reason = make_label(why, Text.CELL, "text_2", wraps=True)
        for place, widget in enumerate((box, badge, title, meter, trust, reason)):
            grid.addWidget(widget, row, place)

    def accept_text(self, n_columns: int) -> str:
        """Return the text of the button that sets the ticked roles."""
        return (
            self.tr("Set 1 role")
            if n_columns == 1
            else self.tr("Set {n_columns} roles").format(n_columns=n_columns)
        )

    def none_ticked(self) -> str:
        return self.tr("No role would change")

    def accept_columns(self, columns: tuple[str, ...]) -> None:
        self.suggestions_accepted.emit(tuple(s for s in self._suggestions if s.column in columns))
        self.accept()
