"""Spin boxes for reals, integers and large counts that ignore the wheel while a form scrolls."""

from __future__ import annotations

from PySide6.QtCore import QLocale, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QDoubleSpinBox, QSpinBox, QWidget

from anonymizer_gui.widgets.typed_entry import TypedEntry
from engine.numbers import MOST_DECIMALS, as_exact_count, as_typed

LONG_RANGE = 100  # over a longer range, numbers show only the decimals they have


class NumberSpin(TypedEntry, QDoubleSpinBox):
    """Spin box for reals: shows 0.20, 0.125 and 10, from `decimals` to nine places unless integer."""

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
        return as_typed(val, 0 if self.maximum() - self.minimum() > LONG_RANGE else self._least)

    def wheelEvent(self, event: QWheelEvent) -> None:
        _scroll_only_with_focus(self, event, super().wheelEvent)


class CountSpin(TypedEntry, QDoubleSpinBox):
    """Spin box for counts above the limit of `QSpinBox` (2³¹ − 1), with thousands separators."""

    is_integer = True

    def __init__(self, minimum: int, maximum: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setLocale(QLocale.c())
        self.setDecimals(0)
        self.setRange(minimum, maximum)
        _prepare(self)

    def textFromValue(self, val: float) -> str:
        return as_exact_count(val)

    def wheelEvent(self, event: QWheelEvent) -> None:
        _scroll_only_with_focus(self, event, super().wheelEvent)


class IntegerSpin(TypedEntry, QSpinBox):
    """Spin box for integers."""

    is_integer = True

    def __init__(self, minimum: int, maximum: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setLocale(QLocale.c())
        self.setRange(minimum, maximum)
        _prepare(self)

    def valueFromText(self, text: str) -> int:
        return int(super().valueFromText(text))

    def wheelEvent(self, event: QWheelEvent) -> None:
        _scroll_only_with_focus(self, event, super().wheelEvent)


def _prepare(box: TypedEntry) -> None:
    box.setAlignment(Qt.AlignmentFlag.AlignRight)
    box.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    box.prepare_entry()


def _scroll_only_with_focus(box: QWidget, event: QWheelEvent, scroll: object) -> None:
    if box.hasFocus() and callable(scroll):
        scroll(event)
    else:
        event.ignore()
