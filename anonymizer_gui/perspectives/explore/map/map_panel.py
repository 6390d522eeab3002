"""The map card: the nodes by two scores, and which scores these are."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from anonymizer_gui.widgets.card import Card


class MapPanel(Card):
    """Holds the view; the presenter talks to it and to this card."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("", parent=parent)
        self.set_title(self.tr("Map"))
        self.setObjectName("mapCard")
