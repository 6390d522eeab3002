"""List of the most exposed records, with an explanation of the chosen one below."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from anonymizer_gui.charts.findings_view import FindingsView
from anonymizer_gui.theming import Text
from anonymizer_gui.widgets.buttons import make_button
from anonymizer_gui.widgets.labels import ElidedLabel
from anonymizer_gui.widgets.layouts import STRETCH, hbox, named, vbox
from anonymizer_gui.widgets.removable_chip import RemovableChip
from anonymizer_gui.widgets.search_field import SearchField
from engine.numbers import as_risk

if TYPE_CHECKING:
    from engine.assessment.risk.exposed_records import ExposedRecordsFound

_KEY = "exposed_records"


class ExposedView(QWidget):
    """A click or the arrow keys choose a record."""

    table_requested = Signal(int)  # record, counted from 0
    usual_requested = Signal()  # the most exposed records again

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("exposedView")
        self._found: ExposedRecordsFound | None = None
        self.chosen: int | None = None  # record, counted from 0
        self.listed = FindingsView(_KEY, as_share=as_risk)
        self.listed.hide_sentence()
        self.listed.row_chosen.connect(self._on_row)
        self.search = named(SearchField(), "exposedSearch", self.tr("Show only records with these words"))
        self.search.setPlaceholderText(self.tr("Values or record numbers"))
        self.search.textChanged.connect(self._on_words)
        self._nothing = ElidedLabel("", Text.CELL, "text_3")
        chip = named(RemovableChip(self.tr("Singled out by unchanged columns")), "singledOutChip")
        chip.removal_requested.connect(self.usual_requested)
        self._chip_row, self._search_row = QWidget(), QWidget()
        hbox(chip, STRETCH, margins=(8, 6, 8, 2), of=self._chip_row)
        hbox((self.search, 1), self._nothing, spacing=8, margins=(8, 6, 8, 6), of=self._search_row)
        self.show_button = make_button(self.tr("Show in table"), small=True, kind="quiet", icon_name="table")
        named(self.show_button, "showInTable").setToolTip(
            self.tr("Show in table: go to this record in Analyze utility, next to its original")
        )
        self.show_button.clicked.connect(lambda: self.table_requested.emit(self.chosen))
        foot = hbox(STRETCH, self.show_button, margins=(8, 0, 8, 6))
        vbox(self._chip_row, self._search_row, (self.listed, 1), foot, spacing=0, margins=0, of=self)
        self._chip_row.hide()
        self._search_row.hide()

    def show_records(self, found: ExposedRecordsFound, *, are_singled_out: bool = False) -> None:
        """Show other records and choose the first, or the one chosen before if it is still listed.

        `are_singled_out` is whether they are those that unchanged columns single out, under a chip.
        """
        before, self._found = self.chosen, found
        self._chip_row.setVisible(are_singled_out)
        self.listed.show_findings(found)
        records = found.records.tolist()
        self.listed.choose(_KEY, records.index(before) if before in records else 0)

    def forget(self) -> None:
        """Forget the record and the words sought in another table."""
        self.search.clear()
        self._found = self.chosen = None

    def show_search(self, visible: bool) -> None:
        """Show the search field, or hide it and show all records."""
        self._search_row.setVisible(visible)
        if visible:
            self.search.setFocus()
        else:
            self.search.clear()

    def _on_row(self, _key: str, place: int) -> None:
        has_record = self._found is not None and 0 <= place < len(self._found)
        self.chosen = int(self._found.records[place]) if self._found is not None and has_record else None
        self.show_button.setEnabled(has_record)

    def _on_words(self, words: str) -> None:
        if self._found is None:
            return
        texts, before = self.listed.list_of(_KEY).texts, self.chosen
        texts.search(words)
        self._nothing.setText("" if texts.rowCount() else self.tr("no listed record matches"))
        records = self._found.records.tolist()
        self.listed.choose(_KEY, records.index(before) if before in records else 0)
