"""Shows a suggested role for every column, how far to trust it, and why; the person takes all or some."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QCheckBox, QDialog, QFrame, QGridLayout, QScrollArea, QVBoxLayout, QWidget

from anonymizer_gui.perspectives.configure.table.data_table import ROLE_TITLES
from anonymizer_gui.theming import Text, scaled
from anonymizer_gui.widgets.buttons import button_row, make_button
from anonymizer_gui.widgets.dialog_room import take_room
from anonymizer_gui.widgets.elided_check_box import ElidedCheckBox
from anonymizer_gui.widgets.labels import ElidedLabel, make_label
from anonymizer_gui.widgets.layouts import named, vbox
from anonymizer_gui.widgets.meter import Meter
from anonymizer_gui.widgets.role_badge import RoleBadge
from engine.qi_detection.suggest import RoleSuggestion
from engine.table import Role

CONFIDENCE_TITLES = {"sure": "Sure", "likely": "Likely", "guess": "A guess"}
_NAME_WIDTH, _METER_WIDTH = 200, 40
_WIDTH, _ABOVE_AND_BELOW, _ROW = 1080, 220, 28  # preferred, at font scale 1
_REASON = 5  # column of the grid


class SuggestDialog(QDialog):
    """Ticked at first are the columns whose role would change; `now` leaves out those without one.

    A mere guess does not overturn a role that a column has: it is there to be ticked.
    """

    suggestions_accepted = Signal(tuple)  # of RoleSuggestion

    def __init__(
        self, suggestions: Sequence[RoleSuggestion], now: Mapping[str, Role], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._suggestions = tuple(suggestions)
        self.setObjectName("suggestDialog")
        self.setWindowTitle(self.tr("Suggested roles"))
        self.setMinimumSize(scaled(720), scaled(320))
        self.boxes: dict[str, QCheckBox] = {}
        grid = QGridLayout()
        grid.setColumnStretch(_REASON, 1)
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(4)
        titles = {0: self.tr("Column"), 1: self.tr("Role"), 3: self.tr("Confidence"), _REASON: self.tr("Why")}
        for column, title in titles.items():
            grid.addWidget(
                make_label(title, Text.HEADER, "text_3"), 0, column, 1, 2 if column in (1, 3) else 1
            )
        for row, suggestion in enumerate(self._suggestions, start=1):
            self._add_row(grid, row, suggestion, now.get(suggestion.column))
        grid.setRowMinimumHeight(0, scaled(24))
        grid.setRowStretch(len(self._suggestions) + 1, 1)
        self.accept_button = named(make_button("", kind="primary"), "acceptButton")
        self.accept_button.setDefault(True)
        self.accept_button.clicked.connect(self._on_accept_clicked)
        self._build(grid)
        self._update_button()
        self._fit()

    def _add_row(self, grid: QGridLayout, row: int, suggestion: RoleSuggestion, now: Role | None) -> None:
        role = self.tr(ROLE_TITLES[suggestion.role])
        word = self.tr(CONFIDENCE_TITLES[suggestion.confidence_word])
        why = self._why(suggestion)
        box = named(ElidedCheckBox(suggestion.column), f"suggestion.{suggestion.column}")
        box.setAccessibleDescription(f"{role}. {word}. {why}")
        box.setMaximumWidth(scaled(_NAME_WIDTH))
        changes = suggestion.role is not now
        box.setChecked(changes and (now is None or suggestion.confidence_word != "guess"))
        box.setEnabled(changes)
        if not changes:
            box.set_hint(self.tr("It has this role already"))
        elif now is not None:
            box.set_hint(self.tr("Now: {0}").format(self.tr(ROLE_TITLES[now]).lower()))
        box.toggled.connect(self._update_button)
        self.boxes[suggestion.column] = box
        trust = make_label(word, Text.CELL)
        trust.setToolTip(
            self.tr("How far rules of this kind can be trusted: {0} of 1").format(
                f"{suggestion.confidence:.2f}"
            )
        )
        meter = Meter(self.tr("Confidence"), _METER_WIDTH)
        meter.show_share(suggestion.confidence)
        grid.addWidget(box, row, 0)
        grid.addWidget(RoleBadge(suggestion.role.value, 16), row, 1)
        grid.addWidget(make_label(role, Text.CELL_STRONG), row, 2)
        grid.addWidget(meter, row, 3)
        grid.addWidget(trust, row, 4)
        grid.addWidget(ElidedLabel(why, Text.CELL, "text_2"), row, _REASON)

    def _why(self, suggestion: RoleSuggestion) -> str:
        """The reason, and which identifier of HIPAA it is."""
        if suggestion.hipaa is None:
            return suggestion.reason
        named = self.tr("HIPAA: {0}.").format(suggestion.hipaa.text)
        return f"{suggestion.reason} {named}"

    def _build(self, grid: QGridLayout) -> None:
        inside = QWidget()
        inside.setProperty("scrolled", "true")
        inside.setLayout(grid)
        area = QScrollArea()
        area.setWidget(inside)
        area.setWidgetResizable(True)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        cancel = make_button(self.tr("Cancel"))
        cancel.clicked.connect(self.reject)
        explained = self.tr(
            "Rules of thumb, from names and values. You know the data: untick what does not fit."
        )
        card = QFrame()
        card.setProperty("card", "true")
        QVBoxLayout(card).addWidget(area)
        row = button_row(cancel, self.accept_button)
        for place, (text, ticked) in enumerate(((self.tr("Tick all"), True), (self.tr("Tick none"), False))):
            button = named(make_button(text, kind="quiet"), "tickAllButton" if ticked else "tickNoneButton")
            button.clicked.connect(partial(self._tick, ticked))
            if not any(box.isEnabled() for box in self.boxes.values()):
                button.setEnabled(False)
                button.setToolTip(self.tr("Every column has its role already"))
            row.insertWidget(place, button)
        vbox(
            make_label(self.tr("Suggested roles"), Text.HEADING),
            make_label(explained, Text.CELL, "text_2", wraps=True),
            (card, 1),
            row,
            spacing=12,
            margins=16,
            of=self,
        )

    def _fit(self) -> None:
        """Take the room that reasons need, as far as the window behind has it."""
        take_room(self, QSize(scaled(_WIDTH), scaled(_ABOVE_AND_BELOW + _ROW * len(self._suggestions))))

    def accepted_suggestions(self) -> tuple[RoleSuggestion, ...]:
        """The suggestions ticked now."""
        return tuple(s for s in self._suggestions if self.boxes[s.column].isChecked())

    def _tick(self, ticked: bool) -> None:
        for box in self.boxes.values():
            box.setChecked(ticked and box.isEnabled())

    def _update_button(self) -> None:
        n_roles = len(self.accepted_suggestions())
        text = self.tr("Set 1 role") if n_roles == 1 else self.tr("Set {0} roles").format(n_roles)
        self.accept_button.setText(text)
        self.accept_button.setEnabled(n_roles > 0)
        self.accept_button.setToolTip("" if n_roles else self.tr("No role would change"))

    def _on_accept_clicked(self) -> None:
        self.suggestions_accepted.emit(self.accepted_suggestions())
        self.accept()
