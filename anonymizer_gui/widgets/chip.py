"""Chips: at most four words on a soft tone, with an icon or a link, or removed by a click."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent
from PySide6.QtWidgets import QAbstractButton, QFrame, QPushButton, QSizePolicy, QWidget

from anonymizer_gui.theming import Text, follow_theme, font, paint_icon, paint_text, scaled
from anonymizer_gui.theming.painter import ThemedPainter
from anonymizer_gui.widgets.buttons import make_button
from anonymizer_gui.widgets.drawn import Drawn, IconLabel
from anonymizer_gui.widgets.labels import make_label, set_style_property, set_tone
from anonymizer_gui.widgets.layouts import fixed, hbox

CHIP_HEIGHT = 20
_TEXT_TONES = {"neutral": "text_2", "ok": "ok", "warn": "warn", "danger": "danger", "accent": "accent_text"}
_STATUS_ICONS = {"ok": "check", "warn": "triangle-alert", "danger": "circle-alert", "accent": "info"}
FROM_TONE = "from tone"


class Chip(QFrame):
    """Text on a soft tone; `link_text` adds an underlined action at its end."""

    link_clicked = Signal()

    def __init__(
        self, text: str = "", tone: str = "neutral", *, icon_name: str = FROM_TONE, link_text: str = ""
    ) -> None:
        super().__init__()
        self._icon = IconLabel("info", 13)
        self._label = make_label("", Text.CHIP)
        self.tone = ""
        self._link: QPushButton | None = None
        row = hbox(self._icon, self._label, spacing=5, margins=(7, 0, 7, 0), of=self)
        if link_text:
            self._link = make_button(link_text, kind="link", small=True)
            self._link.clicked.connect(self.link_clicked)
            row.addWidget(self._link)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        fixed(self, height=CHIP_HEIGHT if self._link is None else CHIP_HEIGHT + 4)
        self.show_status(text, tone, icon_name=icon_name)

    def text(self) -> str:
        return self._label.text()

    def set_text(self, text: str) -> None:
        self._label.setText(text)
        self.setAccessibleName(text)

    def show_status(self, text: str, tone: str, *, icon_name: str = FROM_TONE) -> None:
        """Set text and tone (neutral, ok, warn, danger or accent) with the icon of the tone."""
        self.tone = tone
        icon_name = _STATUS_ICONS.get(tone, "") if icon_name == FROM_TONE else icon_name
        self.set_text(text)
        set_style_property(self, "chip", tone)
        set_tone(self._label, _TEXT_TONES[tone])
        if self._link is not None:
            set_style_property(self._link, "tone", tone)
        self._icon.setVisible(bool(icon_name))
        if icon_name:
            self._icon.set_icon(icon_name, _TEXT_TONES[tone])
        # A text changed while its page was hidden would keep the size of the previous one.
        layout = self.layout()
        assert layout is not None
        layout.invalidate()
        self.updateGeometry()


_HIT, _SIDE, _CROSS, _GAP, _WIDEST, _RADIUS = 24, 7, 12, 5, 200, 4


class RemovableChip(Drawn, QAbstractButton):
    """Chip that is one button: click, Space, Enter, Delete and Backspace request its removal."""

    removal_requested = Signal()

    def __init__(self, text: str, explanation: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setText(text)
        words = self.tr("Remove the filter {text}").format(text=text)
        self.setAccessibleName(words)
        self.setToolTip("\n".join(filter(None, (words, explanation))))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.clicked.connect(self.removal_requested)
        follow_theme(self.updateGeometry)

    def sizeHint(self) -> QSize:
        room = QFontMetrics(font(Text.CHIP)).horizontalAdvance(self.text()) + 2
        return QSize(min(room, scaled(_WIDEST)) + 2 * _SIDE + _GAP + scaled(_CROSS), scaled(_HIT))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        keys = (Qt.Key.Key_Delete, Qt.Key.Key_Backspace, Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if event.key() in keys:
            self.click()
        else:
            super().keyPressEvent(event)

    def draw(self, painter: ThemedPainter) -> None:
        theme, height, cross = painter.theme, scaled(CHIP_HEIGHT), scaled(_CROSS)
        ground = QRectF(0, (self.height() - height) / 2, self.width(), height)
        painter.fill(ground, "hover" if self.isDown() else "accent_soft", radius=_RADIUS)
        words = ground.adjusted(_SIDE, 0, -_SIDE - cross - _GAP, 0)
        paint_text(painter, words, self.text(), Text.CHIP, "accent_text")
        place = QRectF(ground.right() - _SIDE - cross, (self.height() - cross) / 2, cross, cross)
        paint_icon(painter, place, "x", theme.text if self.underMouse() else theme.accent_text)
