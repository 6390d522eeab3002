"""Spin boxes for reals, integers and large counts that ignore the wheel while a form scrolls."""

from __future__ import annotations

from decimal import Decimal

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QDoubleSpinBox, QSpinBox

from anonymizer_gui.widgets.typed_entry import TypedEntry
from engine.numbers import MOST_DECIMALS, as_exact_count, as_typed

LONG_RANGE = 100  # over a longer range, numbers show only the decimals they have


class NumberSpin(TypedEntry, QDoubleSpinBox):
    """Spin box for reals: shows 0.20, 0.125 and 10, from `decimals` to nine places unless integer."""

    def __init__(self, minimum: float, maximum: float, decimals: int, unit: str = "") -> None:
        super().__init__()
        self._least = min(decimals, 2)
        self.setDecimals(MOST_DECIMALS)
        self.setRange(minimum, maximum)
        self.setSingleStep(0.01 if maximum - minimum <= 1 else 1.0)
        if unit:
            self.setSuffix(f"\u202f{unit}")
        self.prepare_entry()

    def textFromValue(self, val: float) -> str:
        return as_typed(val, 0 if self.maximum() - self.minimum() > LONG_RANGE else self._least)


class ShareSpin(NumberSpin):
    """Spin box for a share, which people type in percent.

    Decimal arithmetic is used, because 7 % would become 0.07000000000000001, and 0.07 7.000000000000001 %.
    """

    share_chosen = Signal(float)

    def __init__(self, minimum: float, decimals: int, step: float = 1.0) -> None:
        """Create the box; `minimum` and `step` are percentages."""
        super().__init__(minimum, 100.0, decimals, "%")
        self.setSingleStep(step)
        self.valueChanged.connect(lambda percent: self.share_chosen.emit(float(Decimal(repr(percent)) / 100)))

    def show_share(self, share: float) -> None:
        """Show a share without a signal."""
        with QSignalBlocker(self):
            self.setValue(float(Decimal(repr(float(share))) * 100))


class CountSpin(TypedEntry, QDoubleSpinBox):
    """Spin box for counts above the limit of `QSpinBox` (2³¹ − 1), with thousands separators."""

    is_integer = True

    def __init__(self, minimum: int, maximum: int) -> None:
        super().__init__()
        self.setDecimals(0)
        self.setRange(minimum, maximum)
        self.prepare_entry()

    def textFromValue(self, val: float) -> str:
        return as_exact_count(val)


class IntegerSpin(TypedEntry, QSpinBox):
    """Spin box for integers."""

    is_integer = True

    def __init__(self, minimum: int, maximum: int) -> None:
        super().__init__()
        self.setRange(minimum, maximum)
        self.prepare_entry()

    def valueFromText(self, text: str) -> int:
        return int(super().valueFromText(text))
