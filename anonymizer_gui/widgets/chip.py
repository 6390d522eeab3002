"""Chip: at most four words on a soft tone, with an icon if it shows a status."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QPushButton, QSizePolicy, QWidget

from anonymizer_gui.theming import Text, scaled, theme_manager
from anonymizer_gui.widgets.buttons import make_button
from anonymizer_gui.widgets.icon_label import IconLabel
from anonymizer_gui.widgets.labels import make_label, set_style_property, set_tone
from anonymizer_gui.widgets.layouts import hbox

CHIP_HEIGHT = 20
_TEXT_TONES = {"neutral": "text_2", "ok": "ok", "warn": "warn", "danger": "danger", "accent": "accent_text"}
_STATUS_ICONS = {"ok": "check", "warn": "triangle-alert", "danger": "circle-alert", "accent": "info"}
FROM_TONE = "from tone"


class Chip(QFrame):
    """Text on a soft tone; `link_text` adds an underlined action at its end."""

    link_clicked = Signal()

    def __init__(
        self,
        text: str = "",
        tone: str = "neutral",
        *,
        icon_name: str = FROM_TONE,
        link_text: str = "",
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._icon = IconLabel("info", 13)
        self._label = make_label("", Text.CHIP)
        self._icon_name = ""
        self._tone = ""
        self._link: QPushButton | None = None
        row = hbox(self._icon, self._label, spacing=5, margins=(7, 0, 7, 0), of=self)
        if link_text:
            self._link = make_button(link_text, kind="link", small=True)
            self._link.clicked.connect(self.link_clicked)
            row.addWidget(self._link)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        theme_manager().theme_changed.connect(self._redraw)
        self.show_status(text, tone, icon_name=icon_name)

    def text(self) -> str:
        return self._label.text()

    def tone(self) -> str:
        return self._tone

    def set_text(self, text: str) -> None:
        self._label.setText(text)
        self.setAccessibleName(text)

    def show_status(self, text: str, tone: str, *, icon_name: str = FROM_TONE) -> None:
        """Set text and tone (neutral, ok, warn, danger or accent) with the icon of the tone."""
        self._tone = tone
        self._icon_name = _STATUS_ICONS.get(tone, "") if icon_name == FROM_TONE else icon_name
        self.set_text(text)
        set_style_property(self, "chip", tone)
        set_tone(self._label, _TEXT_TONES[tone])
        if self._link is not None:
            set_style_property(self._link, "tone", tone)
        self._redraw()
        # A text changed while its page was hidden would keep the size of the previous one.
        layout = self.layout()
        assert layout is not None
        layout.invalidate()
        self.updateGeometry()

    def _redraw(self) -> None:
        self.setFixedHeight(scaled(CHIP_HEIGHT if self._link is None else CHIP_HEIGHT + 4))
        self._icon.setVisible(bool(self._icon_name))
        if self._icon_name:
            self._icon.set_icon(self._icon_name, _TEXT_TONES[self._tone])
