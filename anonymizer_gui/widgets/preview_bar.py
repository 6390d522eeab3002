"""Bar over a page that describes the selected node before it is applied."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame

from anonymizer_gui.theming import Text
from anonymizer_gui.widgets.buttons import make_button
from anonymizer_gui.widgets.icon_label import IconLabel
from anonymizer_gui.widgets.labels import ElidedLabel, make_label
from anonymizer_gui.widgets.layouts import fixed, hbox, named
from anonymizer_gui.widgets.level_glyph import SMALL, Glyph, LevelGlyph

_HEIGHT = 36


class PreviewBar(QFrame):
    """Name of the node, what a preview is, and the button that applies it."""

    apply_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("previewBar")
        self.setProperty("strip", "note")
        self._name = named(ElidedLabel("", Text.CELL_STRONG), "previewName")
        self._glyph = LevelGlyph(SMALL)
        self._note = ElidedLabel(
            self.tr("Nothing is applied, so nothing can be exported yet."), Text.CELL, "text_2"
        )
        self._note.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        self.button = make_button(self.tr("Apply"), "applyPreview", small=True)
        self.button.clicked.connect(self.apply_requested)
        hbox(
            IconLabel("eye", 16, "text_2"),
            make_label(self.tr("Preview of the selected node:"), Text.CELL, "text_2"),
            self._name,
            self._glyph,
            (self._note, 1),
            self.button,
            spacing=8,
            margins=(12, 0, 8, 0),
            of=self,
        )
        fixed(self, height=_HEIGHT)
        self.hide()

    def show_node(self, name: str, glyph: Glyph, details: str) -> None:
        """Show which node is previewed."""
        self._name.setText(name)
        self._name.set_hint(details)
        self._name.updateGeometry()
        self._glyph.show_glyph(glyph)
        self._glyph.setToolTip(details)
        self.show()

    def set_can_apply(self, why_not: str) -> None:
        """Set the reason why the node cannot be applied; empty if it can."""
        self.button.setEnabled(not why_not)
        self.button.setToolTip(why_not or self.tr("Make the release of this node the current one"))
