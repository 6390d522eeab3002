"""Several cards in one place: each has the switch that leads to the others at the left of its header."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QStackedWidget, QWidget

from anonymizer_gui.theming import Text
from anonymizer_gui.widgets.card import Card
from anonymizer_gui.widgets.labels import make_label
from anonymizer_gui.widgets.segmented import SegmentedControl


class Pages(QStackedWidget):
    """Shows one of several cards; the person chooses, or the program with `show_page`."""

    def __init__(
        self, pages: Sequence[tuple[str, str, Card]], name: str, parent: QWidget | None = None
    ) -> None:
        """`pages` are triples of key, title and card; `name` is what assistive tools call the switch."""
        super().__init__(parent)
        self._cards = {key: card for key, _, card in pages}
        self._switches: dict[str, SegmentedControl] = {}
        for key, title, card in pages:
            if len(pages) > 1:
                switch = SegmentedControl([(k, t) for k, t, _ in pages], name)
                switch.setObjectName(f"{key}Switch")
                switch.set_current(key)
                switch.selected.connect(self._on_chosen)
                self._switches[key] = switch
                card.insert_lead(switch)
            else:
                card.insert_lead(make_label(title, Text.TITLE))
            self.addWidget(card)

    @property
    def page(self) -> str:
        """Key of the page shown."""
        return next(key for key, card in self._cards.items() if card is self.currentWidget())

    def show_page(self, key: str) -> None:
        """Show a page."""
        self.setCurrentWidget(self._cards[key])

    def _on_chosen(self, key: str) -> None:
        had_focus = self._switches[self.page].hasFocus()
        for own, switch in self._switches.items():
            switch.set_current(own)
        self.show_page(key)
        if had_focus:
            self._switches[key].setFocus()
