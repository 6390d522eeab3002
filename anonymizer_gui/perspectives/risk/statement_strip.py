"""The sentence that can be defended, what it rests on, and the risk that is accepted."""

from __future__ import annotations

from decimal import Decimal

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from anonymizer_gui.forms.number_spin import NumberSpin
from anonymizer_gui.theming import Text, scaled, theme_manager
from anonymizer_gui.widgets.chip import Chip
from anonymizer_gui.widgets.icon_label import IconLabel
from anonymizer_gui.widgets.labels import ElidedLabel, make_label

_HEIGHT = 52
_ROOM_FOR_WORDS = 1100  # of the strip; below, the words in front of the field go
_ICONS = {"ok": "shield-check", "warn": "shield", "danger": "circle-alert"}


class StatementStrip(QFrame):
    """Over everything; the threshold is typed here, or dragged in the chart of records by risk."""

    threshold_changed = Signal(float)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("strip", "true")
        self._icon = IconLabel("shield", 24)
        self._sentence = ElidedLabel("", Text.HEADING)
        self._sentence.setObjectName("riskStatement")
        self._detail = ElidedLabel("", Text.CELL, "text_2")
        self._detail.setObjectName("riskDetail")
        self._ask = make_label(self.tr("Records at risk above"), Text.CELL, "text_2")
        self.threshold = NumberSpin(0.1, 100.0, 1, "%")
        self.threshold.setObjectName("riskThreshold")
        self.threshold.setAccessibleName(self.tr("Records at risk above, in percent"))
        self.threshold.setToolTip(
            self.tr(
                "The risk that is accepted: records that can be found with more certainty are at risk.\n"
                "20 % (classes of 5) is common in health research; 9 % where data are made public."
            )
        )
        self.threshold.setKeyboardTracking(False)
        self.threshold.setSingleStep(1.0)
        self.threshold.valueChanged.connect(self._on_typed)
        self.basis = Chip("")
        self.basis.setObjectName("riskBasis")
        words = QVBoxLayout()
        words.setSpacing(0)
        words.addWidget(self._sentence)
        words.addWidget(self._detail)
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 4, 12, 4)
        row.setSpacing(12)
        row.addWidget(self._icon)
        row.addLayout(words, 1)
        row.addWidget(self._ask)
        row.addWidget(self.threshold)
        row.addWidget(self.basis)
        self.show_threshold(0.2)
        theme_manager().theme_changed.connect(self._fit)
        self._fit()

    def show_statement(self, sentence: str, detail: str, tone: str) -> None:
        """The tones are ok, warn and danger; each has a shape of its own."""
        self._sentence.setText(sentence)
        self._detail.setText(detail)
        self._icon.set_icon(_ICONS[tone], tone)
        self._icon.setAccessibleName(sentence)

    def sentence(self) -> str:
        return self._sentence.text()

    def detail(self) -> str:
        return self._detail.text()

    def show_threshold(self, threshold: float) -> None:
        """Show another accepted risk without announcing it."""
        with QSignalBlocker(self.threshold):
            # Decimal, or 7 % would become 7.000000000000001.
            self.threshold.setValue(float(Decimal(repr(threshold)) * 100))

    def edit_threshold(self) -> None:
        """Give the field of the accepted risk the keyboard."""
        self.threshold.setFocus()
        self.threshold.selectAll()

    def show_basis(self, text: str, tone: str, meaning: str) -> None:
        """Say what the figures were computed from."""
        self.basis.show_status(text, tone)
        self.basis.setToolTip(meaning)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._ask.setVisible(self.width() >= scaled(_ROOM_FOR_WORDS))

    def _on_typed(self, percent: float) -> None:
        self.threshold_changed.emit(float(Decimal(repr(percent)) / 100))

    def _fit(self) -> None:
        self.setFixedHeight(scaled(_HEIGHT))
        self.threshold.setFixedWidth(scaled(76))
