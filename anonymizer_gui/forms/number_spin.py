"""A spin box for real numbers that shows no more decimals than the number has."""

from __future__ import annotations

from PySide6.QtCore import QLocale, Qt
from PySide6.QtGui import QValidator, QWheelEvent
from PySide6.QtWidgets import QAbstractSpinBox, QDoubleSpinBox, QSpinBox, QWidget

from anonymizer_gui.widgets.numbers import MOST_DECIMALS, as_exact_count, plain_number
from anonymizer_gui.widgets.real_spin import RealSpin

LONG_RANGE = 100  # numbers over a longer range are written without decimals they do not have


class NumberSpin(RealSpin):
    """Writes 0.20 and 0.125 and 10: at least `decimals` places if the number has any, at most nine."""

    def __init__(
        self, minimum: float, maximum: float, decimals: int, unit: str = "", parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._least = min(decimals, 2)
        self.setLocale(QLocale.c())
        self.setDecimals(MOST_DECIMALS)
        self.setRange(minimum, maximum)
        self.setSingleStep(0.01 if maximum - minimum <= 1 else 1.0)
        if unit:
            self.setSuffix(f"\u202f{unit}")
        _prepare(self)

    def textFromValue(self, val: float) -> str:
        return plain_number(val, 0 if self.maximum() - self.minimum() > LONG_RANGE else self._least)

    def wheelEvent(self, event: QWheelEvent) -> None:
        _scroll_only_with_focus(self, event, super().wheelEvent)


class CountSpin(QDoubleSpinBox):
    """A spin box for large counts, thousands apart; a `QSpinBox` ends at two thousand millions."""

    def __init__(self, minimum: int, maximum: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setLocale(QLocale.c())
        self.setDecimals(0)
        self.setRange(minimum, maximum)
        _prepare(self)

    def textFromValue(self, val: float) -> str:
        return as_exact_count(val)

    def valueFromText(self, text: str) -> float:
        return float("".join(text.split()) or 0)

    def validate(self, input: str, pos: int) -> tuple[QValidator.State, str, int]:
        digits = "".join(input.split())
        if not digits.isascii() or (digits and not digits.isdigit()):
            return QValidator.State.Invalid, input, pos
        is_inside = digits and self.minimum() <= float(digits) <= self.maximum()
        state = QValidator.State.Acceptable if is_inside else QValidator.State.Intermediate
        return state, input, pos

    def wheelEvent(self, event: QWheelEvent) -> None:
        _scroll_only_with_focus(self, event, super().wheelEvent)


class WholeSpin(QSpinBox):
    """A spin box for whole numbers that a scrolling form does not change by accident."""

    def __init__(self, minimum: int, maximum: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setLocale(QLocale.c())
        self.setRange(minimum, maximum)
        _prepare(self)

    def wheelEvent(self, event: QWheelEvent) -> None:
        _scroll_only_with_focus(self, event, super().wheelEvent)


def _prepare(box: QAbstractSpinBox) -> None:
    box.setAlignment(Qt.AlignmentFlag.AlignRight)
    box.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    box.setCorrectionMode(QAbstractSpinBox.CorrectionMode.CorrectToNearestValue)


def _scroll_only_with_focus(box: QWidget, event: QWheelEvent, scroll: object) -> None:
    if box.hasFocus() and callable(scroll):
        scroll(event)
    else:
        event.ignore()
