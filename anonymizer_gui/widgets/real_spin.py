"""A spin box for real numbers that takes a comma for what it means to whoever types it."""

from __future__ import annotations

from typing import Any

from PySide6.QtWidgets import QDoubleSpinBox


class RealSpin(QDoubleSpinBox):
    """Takes a comma for the decimal point, and turns it into one while it is typed.

    Qt would take it for a separator of thousands, so that a limit of 2,5 percent became one of 25.
    """

    def validate(self, input: str, pos: int) -> Any:
        return super().validate(input.replace(",", "."), pos)
