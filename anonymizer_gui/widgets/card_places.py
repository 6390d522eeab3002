"""Cards side by side, or one at a time with a switch if there is little room."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from PySide6.QtCore import Qt, Signal

from anonymizer_gui.widgets.card import Card
from anonymizer_gui.widgets.design_splitter import DesignSplitter
from anonymizer_gui.widgets.fits_room import FitsRoom
from anonymizer_gui.widgets.page_switch import PageSwitch


class CardPlaces(FitsRoom, DesignSplitter):
    """Shows all cards, or one of them with a switch in place of its title.

    Of cards that share a place one is shown always, with a switch between them.
    """

    page_shown = Signal(str)

    def __init__(
        self,
        orientation: Qt.Orientation,
        name: str,
        cards: Sequence[tuple[str, str, Card]],
        switch_name: str,
        *,
        largest_share: float,
        sharing: Collection[str] = (),
    ) -> None:
        """Create places from triples of key, text of the switch, and card.

        `largest_share` limits the width of a switch; a combo box replaces one that needs more. `sharing` are
        the cards of one place.
        """
        super().__init__(orientation, name)
        self._largest_share = largest_share
        self._cards = {key: card for key, _, card in cards}
        self._titles = {key: card.title() for key, _, card in cards}
        self._switches: dict[str, PageSwitch] = {}
        self.is_stacked = False  # true if one card is shown at a time
        self.page = cards[0][0]  # key of the card shown, if one is shown at a time
        self._sharing = tuple(key for key, _, _ in cards if key in sharing)
        self._front = self._sharing[0] if self._sharing else ""
        self._shared_switches: dict[str, PageSwitch] = {}
        everything = [(key, text) for key, text, _ in cards]
        for key, _, card in cards:
            self._switches[key] = self._switch(key, everything, switch_name, card)
            if key in self._sharing:
                shared = [(other, text) for other, text in everything if other in self._sharing]
                self._shared_switches[key] = self._switch(key, shared, switch_name, card)
            self.addWidget(card)
        self._show()

    def is_in_sight(self, key: str) -> bool:
        """Return whether a card is shown."""
        if self.is_stacked:
            return key == self.page
        return key not in self._sharing or key == self._front

    def set_stacked(self, is_stacked: bool) -> None:
        """Show one card at a time, or all of them."""
        if is_stacked == self.is_stacked:
            return
        self.is_stacked = is_stacked
        self._show()
        self.page_shown.emit(self.page)

    def fit(self, width: int) -> None:
        """Choose the form of the switches for a width, before the resize."""
        for switch in (*self._switches.values(), *self._shared_switches.values()):
            switch.fit(round(self._largest_share * width))

    def title_card(self, key: str, title: str) -> None:
        """Change the title of a card, used when all cards are shown."""
        self._titles[key] = title
        if not self.is_stacked and key not in self._sharing:
            self._cards[key].set_title(title)

    def show_page(self, key: str) -> None:
        """Bring a card to the front, if one is shown at a time."""
        self.page = key
        if key in self._sharing:
            self._front = key
        self._show()
        self.page_shown.emit(key)

    def _fit(self) -> None:
        self.fit(self.width())

    def _show(self) -> None:
        for key, card in self._cards.items():
            switch, shared = self._switches[key], self._shared_switches.get(key)
            switch.setVisible(self.is_stacked)
            switch.set_current(key)
            if shared is not None:
                shared.setVisible(not self.is_stacked)
                shared.set_current(key)
            card.set_title("" if self.is_stacked or shared is not None else self._titles[key])
            card.setVisible(self.is_in_sight(key))
        self._take_design()  # another card takes the place

    def _switch(self, key: str, pages: Sequence[tuple[str, str]], name: str, card: Card) -> PageSwitch:
        made = PageSwitch(pages, name)
        made.setObjectName(f"{key}Switch" if len(pages) == len(self._cards) else f"{key}SharedSwitch")
        made.set_current(key)
        made.selected.connect(self._on_selected)
        made.hide()
        card.insert_lead(made)
        return made

    def _on_selected(self, key: str) -> None:
        switches = self._switches if self.is_stacked else self._shared_switches
        had_focus = any(switch.has_focus for switch in switches.values())
        self.show_page(key)
        if had_focus:
            switches[key].take_focus()
