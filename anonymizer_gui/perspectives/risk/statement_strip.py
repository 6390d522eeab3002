"""Strip with the main statement, its basis, and the accepted risk."""

from __future__ import annotations

from decimal import Decimal

from PySide6.QtCore import QRect, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QFontMetrics, QResizeEvent
from PySide6.QtWidgets import QFrame, QWidget

from anonymizer_gui.forms.number_spin import NumberSpin
from anonymizer_gui.theming import Text, font, scaled, theme_manager
from anonymizer_gui.widgets.chip import Chip
from anonymizer_gui.widgets.icon_label import IconLabel
from anonymizer_gui.widgets.labels import ElidedLabel, make_label, set_style_property
from anonymizer_gui.widgets.layouts import STRETCH, hbox, named, vbox
from engine.frequency.counted import RECORDS, Noun, either

_HEIGHT, _MARGIN = 52, 4
_ROOM_FOR_WORDS = 1100  # px of the strip; narrower ones hide the label of the field
_ICONS = {"ok": "shield-check", "warn": "shield", "danger": "circle-alert"}


class _Words(QWidget):
    """Complete sentence, in smaller letters and on several lines if space is short."""

    height_changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.sentence = named(make_label("", Text.HEADING, wraps=True), "riskStatement")
        self.detail = named(ElidedLabel("", Text.CELL, "text_2"), "riskDetail")
        vbox(STRETCH, self.sentence, self.detail, STRETCH, spacing=0, margins=0, of=self)
        self.needed = 0

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.fit()

    def fit(self) -> None:
        """Choose the font size by the width, and return the height of both lines of text."""
        text, room = self.sentence.text(), self.width()
        is_short = QFontMetrics(font(Text.HEADING)).horizontalAdvance(text) + 2 <= room
        use = Text.HEADING if is_short else Text.TITLE
        set_style_property(self.sentence, "use", use.value)
        wraps = int(Qt.TextFlag.TextWordWrap)
        high = QFontMetrics(font(use)).boundingRect(QRect(0, 0, room, 1_000), wraps, text).height() + 2
        self.sentence.setFixedHeight(high)
        needed = high + QFontMetrics(font(Text.CELL)).height() + 2  # before the label takes that font
        if needed != self.needed:
            self.needed = needed
            self.height_changed.emit()


class StatementStrip(QFrame):
    """Always visible; the threshold is typed here, or dragged in the chart of records by risk."""

    threshold_changed = Signal(float)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("strip", "true")
        self.tone = ""
        self._icon = IconLabel("shield", 24)
        self._words = _Words()
        self._words.height_changed.connect(self._fit_height)
        self._ask = make_label("", Text.CELL, "text_2")
        self.threshold = named(NumberSpin(0.1, 100.0, 1, "%"), "riskThreshold")
        self.threshold.setKeyboardTracking(False)
        self.threshold.setSingleStep(1.0)
        self.threshold.valueChanged.connect(self._on_typed)
        self.basis = named(Chip(""), "riskBasis")
        hbox(
            self._icon,
            (self._words, 1),
            self._ask,
            self.threshold,
            self.basis,
            spacing=12,
            margins=(16, _MARGIN, 12, _MARGIN),
            of=self,
        )
        self.show_counted(RECORDS)
        self.show_threshold(0.2)
        theme_manager().theme_changed.connect(self._fit)
        self._fit()

    def show_statement(self, sentence: str, detail: str, tone: str) -> None:
        """Show the statement; the tones ok, warn and danger have different icons."""
        self._words.sentence.setText(sentence)
        self._words.detail.setText(detail)
        self._words.fit()
        self.tone = tone
        self._icon.set_icon(_ICONS[tone], tone)
        self._icon.setAccessibleName(sentence)

    def sentence(self) -> str:
        return self._words.sentence.text()

    def detail(self) -> str:
        return self._words.detail.text()

    def show_threshold(self, threshold: float) -> None:
        """Set the accepted risk without a signal."""
        with QSignalBlocker(self.threshold):
            # Decimal arithmetic: 7 % would become 7.000000000000001.
            self.threshold.setValue(float(Decimal(repr(threshold)) * 100))

    def show_counted(self, counted: Noun) -> None:
        """Show whether records or people are at risk."""
        self._ask.setText(self.tr("Accepted risk"))
        self.threshold.setAccessibleName(self.tr("Accepted risk, in percent"))
        self.threshold.setToolTip(
            either(
                counted,
                self.tr(
                    "Accepted risk: records with a higher risk are at risk.\n20 % (classes of 5) is "
                    "common in health research; 9 % for public data."
                ),
                self.tr(
                    "Accepted risk: people with a higher risk are at risk.\n20 % (classes of 5) is "
                    "common in health research; 9 % for public data."
                ),
            )
        )

    def edit_threshold(self) -> None:
        """Focus the field of the accepted risk."""
        self.threshold.setFocus()
        self.threshold.selectAll()

    def show_basis(self, text: str, tone: str, meaning: str) -> None:
        """Show the basis of the values."""
        self.basis.show_status(text, tone)
        self.basis.setToolTip(meaning)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._ask.setVisible(self.width() >= scaled(_ROOM_FOR_WORDS))

    def _on_typed(self, percent: float) -> None:
        self.threshold_changed.emit(float(Decimal(repr(percent)) / 100))

    def _fit(self) -> None:
        self.threshold.setFixedWidth(scaled(76))
        self._words.fit()
        self._fit_height()

    def _fit_height(self) -> None:
        self.setFixedHeight(max(scaled(_HEIGHT), self._words.needed + 2 * _MARGIN))
