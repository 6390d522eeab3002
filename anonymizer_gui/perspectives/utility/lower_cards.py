"""The three cards below the tables; in small windows one of them, chosen at the left of its header."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from anonymizer_gui.charts.chart_card import AnalysisCard
from anonymizer_gui.theming import scaled, theme_manager
from anonymizer_gui.widgets.design_splitter import DesignSplitter
from anonymizer_gui.widgets.segmented import SegmentedControl

ROOM_FOR_ALL = 1340  # at font scale 1
_SHARES = (0.25, 0.38, 0.37)


class LowerCards(QWidget):
    """Side by side, or one at a time."""

    changed = Signal()  # which cards are in sight

    def __init__(self, cards: Sequence[tuple[str, str, AnalysisCard]], parent: QWidget | None = None) -> None:
        """`cards` are triples of key, words of the switch and card."""
        super().__init__(parent)
        self._cards = {key: card for key, _, card in cards}
        self._shown = next(iter(self._cards))
        self._is_narrow = False
        self._switches: dict[str, SegmentedControl] = {}
        self.splitter = DesignSplitter(Qt.Orientation.Horizontal, "utility.lower")
        for key, _, card in cards:
            switch = SegmentedControl([(k, text) for k, text, _ in cards], self.tr("Lower cards"))
            switch.setObjectName(f"{key}Switch")
            switch.set_current(key)
            switch.selected.connect(self._on_selected)
            switch.hide()
            card.insert_lead(switch)
            self._switches[key] = switch
            self.splitter.addWidget(card)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.splitter)
        # Where there is no room for all three there is room for one, so that the window may be as small.
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Expanding)
        theme_manager().theme_changed.connect(self._take_room)

    def is_in_sight(self, key: str) -> bool:
        """Whether a card is shown."""
        return not self._is_narrow or key == self._shown

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._take_room()

    def _take_room(self) -> None:
        is_narrow = self.width() < scaled(ROOM_FOR_ALL)
        if is_narrow != self._is_narrow:
            self._is_narrow = is_narrow
            self._arrange()
        if not is_narrow:
            room = self.width() - 16
            self.splitter.set_design_sizes([int(share * room) for share in _SHARES])

    def _on_selected(self, key: str) -> None:
        had_focus = self._switches[self._shown].hasFocus()
        for own, switch in self._switches.items():
            switch.set_current(own)
        self._shown = key
        self._arrange()
        if had_focus:
            self._switches[key].setFocus()

    def _arrange(self) -> None:
        for key, card in self._cards.items():
            card.setVisible(self.is_in_sight(key))
            self._switches[key].setVisible(self._is_narrow)
        self.changed.emit()
