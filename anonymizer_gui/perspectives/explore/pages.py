"""Several cards in one place: each has the switch that leads to the others at the left of its header."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QWidget

from anonymizer_gui.theming import Text
from anonymizer_gui.widgets.card import Card
from anonymizer_gui.widgets.elided_combo_box import ElidedComboBox
from anonymizer_gui.widgets.labels import make_label
from anonymizer_gui.widgets.segmented import SegmentedControl

_LARGEST_SHARE = 0.45  # of the width that the switch may take; a box does where it would take more


class Pages(QStackedWidget):
    """Shows one of several cards; the person chooses, or the program with `show_page`."""

    def __init__(
        self, pages: Sequence[tuple[str, str, Card]], name: str, parent: QWidget | None = None
    ) -> None:
        """`pages` are triples of key, title and card; `name` is what assistive tools call the switch."""
        super().__init__(parent)
        self._cards = {key: card for key, _, card in pages}
        self._switches: dict[str, SegmentedControl] = {}
        self._boxes: dict[str, ElidedComboBox] = {}
        for key, title, card in pages:
            if len(pages) > 1:
                switch = SegmentedControl([(k, t) for k, t, _ in pages], name)
                switch.setObjectName(f"{key}Switch")
                switch.set_current(key)
                switch.selected.connect(self._on_chosen)
                self._switches[key] = switch
                self._boxes[key] = self._box(key, pages, name)
                lead = QWidget()
                row = QHBoxLayout(lead)
                row.setContentsMargins(0, 0, 0, 0)
                row.addWidget(switch)
                row.addWidget(self._boxes[key])
                card.insert_lead(lead)
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

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        for key, switch in self._switches.items():
            is_roomy = switch.sizeHint().width() <= _LARGEST_SHARE * self.width()
            switch.setVisible(is_roomy)
            self._boxes[key].setVisible(not is_roomy)

    def _box(self, key: str, pages: Sequence[tuple[str, str, Card]], name: str) -> ElidedComboBox:
        """The same choice where there is little room."""
        box = ElidedComboBox()
        box.setObjectName(f"{key}Box")
        box.setAccessibleName(name)
        box.setToolTip(name)
        box.setProperty("compact", "true")
        for other, title, _ in pages:
            box.addItem(title, other)
        box.setCurrentIndex(box.findData(key))
        box.activated.connect(lambda place: self._on_chosen(box.itemData(place)))
        box.hide()
        return box

    def _on_chosen(self, key: str) -> None:
        before = self.page
        had_focus = self._switches[before].hasFocus() or self._boxes[before].hasFocus()
        for own, switch in self._switches.items():
            switch.set_current(own)
            self._boxes[own].setCurrentIndex(self._boxes[own].findData(own))
        self.show_page(key)
        if had_focus:
            shown = self._switches[key]
            (shown if shown.isVisible() else self._boxes[key]).setFocus()
