"""The head of the inspector, which does not scroll: the node, its status, and Apply."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Signal
from PySide6.QtGui import QFontMetrics, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from anonymizer_gui.theming import Text, font, scaled, theme_manager
from anonymizer_gui.widgets.buttons import make_button
from anonymizer_gui.widgets.chip import Chip
from anonymizer_gui.widgets.labels import ElidedLabel
from anonymizer_gui.widgets.layouts import named

_MARGINS = (14, 10, 12, 8)


@dataclass(frozen=True, slots=True)
class HeadChip:
    """A chip under the vector; `short` stands in where the whole text has no room."""

    text: str
    tone: str = "neutral"
    short: str = ""


class NodeHead(QWidget):
    """Vector, status, rank, distance to the optimum, and the button that applies the node."""

    apply_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._head_chips: tuple[HeadChip, ...] = ()
        self._vector = named(ElidedLabel("", Text.HEADING), "inspectorVector")
        self.apply = make_button(self.tr("Apply"), kind="primary", icon_name="flag")
        self.apply.setObjectName("applyButton")
        self.apply.setAccessibleName(self.tr("Apply the selected node"))
        self.apply.clicked.connect(self.apply_requested)
        self._recoded = named(ElidedLabel("", Text.CAPTION, "accent_text"), "recodedBy")
        self._recoded.hide()
        self.chips = [Chip() for _ in range(3)]
        for chip, name in zip(self.chips, ("chip.status", "chip.rank", "chip.distance"), strict=True):
            chip.setObjectName(name)
        top, bottom = QHBoxLayout(), QHBoxLayout()
        top.addWidget(self._vector, 1)
        top.addWidget(self.apply)
        bottom.setSpacing(4)
        for chip in self.chips:
            bottom.addWidget(chip)
        bottom.addStretch(1)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(*_MARGINS)
        self._column.setSpacing(6)
        self._column.addLayout(top)
        self._column.addLayout(bottom)
        self._column.addWidget(self._recoded)
        theme_manager().theme_changed.connect(self._show_chips)

    def show_node(self, vector: str, chips: Sequence[HeadChip], *, can_apply: bool, apply_hint: str) -> None:
        """Vector, status and whether it can be applied."""
        self._head_chips = tuple(chips)
        self._vector.setText(vector)
        self.apply.setEnabled(can_apply)
        self.apply.setToolTip(apply_hint)
        self._show_chips()

    def show_recoded(self, text: str) -> None:
        """Say what the release of this node became; an empty text says nothing."""
        self._recoded.setText(text)
        self._recoded.setVisible(bool(text))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show_chips()

    def _show_chips(self) -> None:
        """Whole texts where they fit beside one another, else the short ones."""
        metrics = QFontMetrics(font(Text.CHIP))
        # 14 around each text and 4 between, the icon of the first with its gap, a pixel of rounding each.
        whole = sum(metrics.horizontalAdvance(chip.text) + 19 for chip in self._head_chips) + scaled(13) + 1
        fits = whole <= self.width() - _MARGINS[0] - _MARGINS[2]
        for place, chip in zip(self.chips, self._head_chips, strict=False):
            icon = {"ok": "check", "danger": "x"}.get(chip.tone, "")
            tone = "neutral" if chip.tone == "danger" else chip.tone
            place.show_status(chip.text if fits else chip.short or chip.text, tone, icon_name=icon)
            place.setToolTip("" if fits else chip.text)
        for i, place in enumerate(self.chips):
            place.setVisible(i < len(self._head_chips))
        # Texts that change while the panel is laid out would keep the width of those before.
        self._column.invalidate()
        self._column.activate()
