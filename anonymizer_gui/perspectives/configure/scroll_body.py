"""Lets the body of a card scroll where a window is too low for it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLayout, QScrollArea, QWidget


def scrolled(layout: QLayout) -> QScrollArea:
    """A scroll area that is as wide as its content may be, and scrolls up and down only."""
    inside = QWidget()
    inside.setProperty("scrolled", "true")
    inside.setLayout(layout)
    area = QScrollArea()
    area.setWidget(inside)
    area.setWidgetResizable(True)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    return area
