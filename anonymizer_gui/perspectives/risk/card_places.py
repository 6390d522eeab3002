"""Cards that stand beside or below one another, and take one place with a switch where room is short."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent

from anonymizer_gui.perspectives.risk.page_switch import PageSwitch
from anonymizer_gui.widgets.card import Card
from anonymizer_gui.widgets.design_splitter import DesignSplitter


class CardPlaces(DesignSplitter):
    """Shows all cards, or one of them; each has the switch to the others where its title was."""

    page_shown = Signal(str)

    def __init__(
        self,
        orientation: Qt.Orientation,
        name: str,
        cards: Sequence[tuple[str, str, Card]],
        switch_name: str,
        *,
        largest_share: float,
    ) -> None:
        """`cards` are triples of key, words of the switch, and card.

        `largest_share` is what a switch may take of the width; where its segments need more it is a box.
        """
        super().__init__(orientation, name)
        self._largest_share = largest_share
        self._cards = {key: card for key, _, card in cards}
        self._titles = {key: card.title() for key, _, card in cards}
        self._switches: dict[str, PageSwitch] = {}
        self._is_stacked = False
        self._page = cards[0][0]
        for key, _, card in cards:
            switch = PageSwitch([(other, text) for other, text, _ in cards], switch_name)
            switch.setObjectName(f"{key}Switch")
            switch.set_current(key)
            switch.selected.connect(self._on_selected)
            switch.hide()
            card.insert_lead(switch)
            self._switches[key] = switch
            self.addWidget(card)

    @property
    def is_stacked(self) -> bool:
        """Whether one card is shown at a time."""
        return self._is_stacked

    @property
    def page(self) -> str:
        """Key of the card shown, where one is shown at a time."""
        return self._page

    def switch(self, key: str) -> PageSwitch:
        """The switch in the header of a card."""
        return self._switches[key]

    def set_stacked(self, is_stacked: bool) -> None:
        """Show one card at a time, or all of them."""
        if is_stacked == self._is_stacked:
            return
        self._is_stacked = is_stacked
        self._show()

    def fit(self, width: int) -> None:
        """Choose the form of the switches for a width, before it is given."""
        for switch in self._switches.values():
            switch.fit(round(self._largest_share * width))

    def title_card(self, key: str, title: str) -> None:
        """Call a card something else, once it has a title again."""
        self._titles[key] = title
        if not self._is_stacked:
            self._cards[key].set_title(title)

    def show_page(self, key: str) -> None:
        """Bring a card to the front, where one is shown at a time."""
        self._page = key
        self._show()
        self.page_shown.emit(key)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit(self.width())

    def _show(self) -> None:
        for key, card in self._cards.items():
            card.set_title("" if self._is_stacked else self._titles[key])
            self._switches[key].setVisible(self._is_stacked)
            self._switches[key].set_current(key)
            card.setVisible(not self._is_stacked or key == self._page)

    def _on_selected(self, key: str) -> None:
        had_focus = self._switches[self._page].has_focus
        self.show_page(key)
        if had_focus:
            self._switches[key].take_focus()
