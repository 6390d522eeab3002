"""The card that appears beside the pointer over a node; the same in lattice, map and slices."""

from __future__ import annotations

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QToolTip, QWidget


def show_hover_card(view: QWidget, position: QPoint, text: str) -> None:
    """Show a node in words at a global position; empty words hide it."""
    if text:
        QToolTip.showText(position, text, view)
    else:
        QToolTip.hideText()
