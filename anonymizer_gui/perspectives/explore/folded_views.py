"""Strip in place of map and list, folded while the lattice itself shows every node as a card."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QWidget

from anonymizer_gui.theming import Text
from anonymizer_gui.widgets.buttons import make_button, make_icon_button
from anonymizer_gui.widgets.card import HEADER_HEIGHT, Card
from anonymizer_gui.widgets.labels import make_label
from anonymizer_gui.widgets.layouts import fixed, named
from anonymizer_gui.widgets.segmented import SegmentedControl


class FoldedViews(Card):
    """Card of one line; each view named in it unfolds all of them."""

    unfold_requested = Signal(str)  # key of the page to show, or empty

    def __init__(self, pages: Sequence[tuple[str, str]], parent: QWidget | None = None) -> None:
        """Create the strip from pairs of key and title of the pages."""
        super().__init__("", parent=parent)
        self.setObjectName("foldedViews")
        unfold = named(make_icon_button("chevron-right", self.tr("Unfold map and list")), "unfoldViews")
        unfold.clicked.connect(lambda: self.unfold_requested.emit(""))
        self._switch = named(SegmentedControl(pages, self.tr("View of nodes")), "foldedSwitch")
        self._switch.selected.connect(self.unfold_requested)
        shown_map = named(make_button(self.tr("Map"), small=True), "unfoldMap")
        shown_map.clicked.connect(lambda: self.unfold_requested.emit(""))
        for widget in (unfold, self._switch, shown_map):
            self.add_lead(widget)
        self.set_caption(self.tr("folded: every node is in the picture above"))
        self._count = named(make_label("", Text.CELL, "text_2"), "foldedCount")
        self.add_tool(self._count)
        self.body.hide()
        fixed(self, height=HEADER_HEIGHT)

    def show_count(self, text: str) -> None:
        """Show how many nodes satisfy."""
        self._count.setText(text)

    def show_page(self, key: str) -> None:
        """Mark the page that unfolding shows."""
        with QSignalBlocker(self._switch):
            self._switch.set_current(key)
