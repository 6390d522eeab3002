"""Card with unsaved work of windows that ended abnormally, each to be opened or discarded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from anonymizer_gui.theming import Text
from anonymizer_gui.widgets.buttons import make_button
from anonymizer_gui.widgets.card import Card
from anonymizer_gui.widgets.icon_label import IconLabel
from anonymizer_gui.widgets.labels import ElidedLabel
from anonymizer_gui.widgets.layouts import hbox, named, vbox


class RecoveryEntry(NamedTuple):
    """Recoverable project in words: name, time and file."""

    name: str
    facts: str


class RecoveryCard(Card):
    """Hidden while empty; its signals carry the number of the row."""

    open_requested = Signal(int)
    discard_requested = Signal(int)
    filled = Signal(bool)  # whether there is recovered work

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self.setObjectName("recoveryCard")
        self.set_title(self.tr("Recovered"))
        self.set_caption(self.tr("these were open when the program ended unexpectedly"))
        self.add_lead(IconLabel("triangle-alert", 16, "warn"))
        self._rows = vbox(spacing=0)
        self.set_body(self._rows, 4)
        self.hide()

    def show_entries(self, entries: Sequence[RecoveryEntry]) -> None:
        """Replace the list."""
        while (item := self._rows.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        for number, entry in enumerate(entries):
            self._rows.addWidget(self._row(entry, number))
        self.setVisible(bool(entries))
        self.filled.emit(bool(entries))

    def _row(self, entry: RecoveryEntry, number: int) -> QWidget:
        holder = QWidget()
        kind = "" if number else "primary"  # one highlight, for the latest
        recover = named(make_button(self.tr("Open"), kind=kind, small=True), f"recover.{number}")
        recover.setAccessibleName(self.tr("Open the recovered project {name}").format(name=entry.name))
        recover.clicked.connect(lambda: self.open_requested.emit(number))
        discard = named(make_button(self.tr("Discard"), small=True), f"discard.{number}")
        discard.setAccessibleName(self.tr("Discard the recovered project {name}").format(name=entry.name))
        discard.clicked.connect(lambda: self.discard_requested.emit(number))
        hbox(
            IconLabel("file-text", 16),
            (ElidedLabel(entry.name, Text.CONTROL), 1),
            (ElidedLabel(entry.facts, Text.CELL, "text_3"), 1),
            discard,
            recover,
            spacing=8,
            margins=(8, 4, 8, 4),
            of=holder,
        )
        return holder
