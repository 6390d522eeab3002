"""Cards side by side, or one at a time with a switch if there is little room."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtWidgets import QWidget

from anonymizer_gui.widgets.card import Card
from anonymizer_gui.widgets.design_splitter import DesignSplitter
from anonymizer_gui.widgets.drawn import FitsRoom
from anonymizer_gui.widgets.elided_combo_box import ElidedComboBox
from anonymizer_gui.widgets.layouts import hbox
from anonymizer_gui.widgets.segmented import SegmentedControl


class PageSwitch(QWidget):
    """Choice of one of several pages by key."""

    selected = Signal(str)

    def __init__(self, pages: Sequence[tuple[str, str]], name: str, *, letters: int = 11) -> None:
        """Create a switch from pairs of key and text; `name` is its accessible name.

        The combo box has room for at least `letters` letters.
        """
        super().__init__()
        self._room: int | None = None
        self.segments = SegmentedControl(pages, name)
        self.segments.selected.connect(self._on_selected)
        self._box = ElidedComboBox(letters)
        self._box.setAccessibleName(name)
        for key, text in pages:
            self._box.addItem(text, key)
        self._box.setToolTip(name)
        self._box.data_chosen.connect(self._on_selected)
        self._box.hide()
        hbox(self.segments, self._box, margins=0, of=self)

    def add(self, key: str, text: str) -> None:
        """Append a page."""
        self.segments.add(key, text)
        self._box.addItem(text, key)

    def current(self) -> str:
        """Return the key of the chosen page."""
        return self.segments.current()

    def set_current(self, key: str) -> None:
        """Choose a page without a signal."""
        self.segments.set_current(key)
        self._box.setCurrentIndex(self._box.findData(key))

    def fit(self, room: int) -> None:
        """Limit the width."""
        self._room = room
        is_roomy = self.segments.sizeHint().width() <= room
        self.segments.setVisible(is_roomy)
        self._box.setVisible(not is_roomy)

    def minimumSizeHint(self) -> QSize:
        """Segments widen nothing: there is a combo box if they have no room."""
        least = super().minimumSizeHint()
        return QSize(min(least.width(), self._box.minimumSizeHint().width()), least.height())

    def event(self, event: QEvent) -> bool:
        """Choose again if segments need another width, as after a change of the text size."""
        if event.type() is QEvent.Type.LayoutRequest and self._room is not None:
            self.fit(self._room)
        return super().event(event)

    def take_focus(self) -> None:
        """Focus the visible widget."""
        (self.segments if self.segments.isVisible() else self._box).setFocus()

    @property
    def has_focus(self) -> bool:
        return self.segments.hasFocus() or self._box.hasFocus()

    def _on_selected(self, key: str) -> None:
        self.set_current(key)
        self.selected.emit(key)


class CardPlaces(FitsRoom, DesignSplitter):
    """Shows all cards, or one of them with a switch in place of its title."""

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
        """Create places from triples of key, text of the switch, and card.

        `largest_share` limits the width of a switch; a combo box replaces one that needs more.
        """
        super().__init__(orientation, name)
        self._largest_share = largest_share
        self._cards = {key: card for key, _, card in cards}
        self._titles = {key: card.title() for key, _, card in cards}
        self._switches: dict[str, PageSwitch] = {}
        self.is_stacked = False  # true if one card is shown at a time
        self.page = cards[0][0]  # key of the card shown, if one is shown at a time
        everything = [(key, text) for key, text, _ in cards]
        for key, _, card in cards:
            self._switches[key] = self._switch(key, everything, switch_name, card)
            self.addWidget(card)
        self._show()

    def is_in_sight(self, key: str) -> bool:
        """Return whether a card is shown."""
        return not self.is_stacked or key == self.page

    def set_stacked(self, is_stacked: bool) -> None:
        """Show one card at a time, or all of them."""
        if is_stacked == self.is_stacked:
            return
        self.is_stacked = is_stacked
        self._show()
        self.page_shown.emit(self.page)

    def fit(self, width: int) -> None:
        """Choose the form of the switches for a width, before the resize."""
        for switch in self._switches.values():
            switch.fit(round(self._largest_share * width))

    def show_page(self, key: str) -> None:
        """Bring a card to the front, if one is shown at a time."""
        self.page = key
        self._show()
        self.page_shown.emit(key)

    def _fit(self) -> None:
        self.fit(self.width())

    def _show(self) -> None:
        for key, card in self._cards.items():
            switch = self._switches[key]
            switch.setVisible(self.is_stacked)
            switch.set_current(key)
            card.set_title("" if self.is_stacked else self._titles[key])
            card.setVisible(self.is_in_sight(key))
        self._take_design()  # another card takes the place

    def _switch(self, key: str, pages: Sequence[tuple[str, str]], name: str, card: Card) -> PageSwitch:
        made = PageSwitch(pages, name)
        made.setObjectName(f"{key}Switch")
        made.set_current(key)
        made.selected.connect(self._on_selected)
        made.hide()
        card.insert_lead(made)
        return made

    def _on_selected(self, key: str) -> None:
        had_focus = any(switch.has_focus for switch in self._switches.values())
        self.show_page(key)
        if had_focus:
            self._switches[key].take_focus()
