"""Overlays of a plot: the readout beside the pointer, the button that resets the zoom, and the menu."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtWidgets import QLabel, QPushButton, QWidget

from anonymizer_gui.widgets.buttons import make_button
from anonymizer_gui.widgets.layouts import named
from anonymizer_gui.widgets.picture_saving import LEFT_OUT_OF_PICTURES
from engine.words import _

_BESIDE = 12  # px between the pointer and the readout
_EDGE = 4


def make_readout(plot: QWidget) -> QLabel:
    """Return the hidden label that describes the point under the pointer."""
    readout = named(QLabel(plot), "plotReadout")
    readout.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
    readout.setProperty(LEFT_OUT_OF_PICTURES, True)
    readout.hide()
    return readout


def show_readout(readout: QLabel, text: str, pointer: QPoint, area: QRect) -> None:
    """Show a text beside the pointer, on the side with room in the area; an empty text hides it."""
    readout.setText(text)
    readout.setVisible(bool(text))
    if not text:
        return
    readout.adjustSize()
    x, y = pointer.x() + _BESIDE, pointer.y() + _BESIDE
    if x + readout.width() > area.right() - _EDGE:
        x = pointer.x() - _BESIDE - readout.width()
    if y + readout.height() > area.bottom() - _EDGE:
        y = pointer.y() - _BESIDE - readout.height()
    readout.move(max(x, _EDGE), max(y, _EDGE))
    readout.raise_()


def make_reset(plot: QWidget) -> QPushButton:
    """Return the hidden button that shows all of a zoomed plot again."""
    button = named(make_button(_("Reset zoom"), small=True), "plotReset")
    button.setParent(plot)
    button.setProperty(LEFT_OUT_OF_PICTURES, True)
    button.hide()
    return button


def place_reset(button: QPushButton, area: QRect) -> None:
    """Move the button to the upper right corner of an area of its plot."""
    button.adjustSize()
    button.move(area.right() - button.width() - _EDGE, area.top() + _EDGE)
    button.raise_()
