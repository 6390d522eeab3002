"""Rows of controls that lose the texts of their buttons, or take a second row, while they are too narrow."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QSize, QTimer
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QFrame, QLineEdit, QPushButton, QWidget

from anonymizer_gui.theming import scaled
from anonymizer_gui.widgets.buttons import fold_text
from anonymizer_gui.widgets.drawn import FitsRoom
from anonymizer_gui.widgets.layouts import hbox, vbox


class FoldingStrip(FitsRoom, QFrame):
    """Strip that never makes its window wider than the window wants to be.

    A folded button keeps its icon, its tooltip and, for screen readers, its text as its name.
    """

    def __init__(self) -> None:
        super().__init__()
        self._texts: dict[QPushButton, str] = {}  # the first one loses its text first
        self._savings: dict[QPushButton, int] = {}  # px that a button is narrower without its text

    def fold(self, *buttons: QPushButton) -> None:
        """Let buttons with icon and text lose their texts, in this order."""
        for button in buttons:
            self._texts[button] = button.text()
            button.setAccessibleName(button.text())
        self.updateGeometry()

    def set_text(self, button: QPushButton, text: str) -> None:
        """Change the text of a button that may be folded."""
        if text != self._texts[button]:
            self._texts[button] = text
            button.setAccessibleName(text)
            self._savings = {}
            self._fit()

    def minimumSizeHint(self) -> QSize:
        hint = super().minimumSizeHint()
        return QSize(0, hint.height()) if self._texts else hint

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._savings = {}  # buttons get their style when they are shown
        self._fit()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            self._fit()
        return super().event(event)

    def _refit(self) -> None:
        self._savings = {}
        self._fit()
        QTimer.singleShot(0, self, self._fit_again)  # widgets get their style only after this event

    def _fit_again(self) -> None:
        self._savings = {}
        self._fit()

    def _fit(self) -> None:
        """Fold as many buttons as needed; the outcome depends on the texts and the width only."""
        row = self.layout()
        if not self._texts or row is None or not self.isVisible():
            return
        if not self._savings:
            self._measure()
        row.invalidate()
        needed = row.minimumSize().width()
        needed += sum(
            saved
            for button, saved in self._savings.items()
            if not button.isHidden() and self._is_folded(button)
        )
        for button, text in self._texts.items():
            is_folded = not button.isHidden() and needed > self.width()
            if is_folded:
                needed -= self._savings[button]
            if is_folded != self._is_folded(button) or (not is_folded and button.text() != text):
                fold_text(button, text, is_folded=is_folded)

    def _is_folded(self, button: QPushButton) -> bool:
        return bool(self._texts[button]) and not button.text()

    def _measure(self) -> None:
        for button, text in self._texts.items():
            was_folded = self._is_folded(button)
            fold_text(button, text, is_folded=False)
            wide = button.minimumSizeHint().width()
            fold_text(button, text, is_folded=True)
            self._savings[button] = wide - button.minimumSizeHint().width()
            fold_text(button, text, is_folded=was_folded)


_SPACING, _LEAST_FIELD = 8, 64  # px; a field at scale 1

Stretched = tuple[QWidget, int]


class WrappingRow(FitsRoom, QWidget):
    """`parts` and `last` stay in the first row; `movable` ones are between them, or below."""

    def __init__(
        self, parts: Sequence[Stretched], movable: Sequence[Stretched], last: Sequence[Stretched] = ()
    ) -> None:
        super().__init__()
        self._movable = tuple(movable)
        self._place = len(parts)
        self._all = [widget for widget, _stretch in (*parts, *movable, *last)]
        self._is_wrapped = False
        self._first, self._second = hbox(*parts, *movable, *last, spacing=_SPACING), hbox(spacing=_SPACING)
        vbox(self._first, self._second, spacing=4, margins=0, of=self)

    def minimumSizeHint(self) -> QSize:
        return QSize(0, super().minimumSizeHint().height())

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            self._fit()
        return super().event(event)

    def _fit(self) -> None:
        shown = [widget for widget in self._all if not widget.isHidden()]
        needed = sum(map(_least, shown)) + _SPACING * (len(shown) - 1)
        is_wrapped = needed > self.width()
        if is_wrapped == self._is_wrapped:
            return
        self._is_wrapped = is_wrapped
        for number, (widget, stretch) in enumerate(self._movable):
            (self._first if is_wrapped else self._second).removeWidget(widget)
            if is_wrapped:
                self._second.addWidget(widget, stretch)
            else:
                self._first.insertWidget(self._place + number, widget, stretch)


def _least(widget: QWidget) -> int:
    least = max(widget.minimumSizeHint().width(), widget.minimumWidth())
    is_free = isinstance(widget, QLineEdit) and not widget.minimumWidth()
    return max(least, scaled(_LEAST_FIELD)) if is_free else least
