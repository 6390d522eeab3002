"""The usual values of a number as buttons beside its field."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from anonymizer_gui.forms.number_spin import LONG_RANGE
from anonymizer_gui.theming import Text
from anonymizer_gui.widgets.buttons import make_button
from anonymizer_gui.widgets.labels import make_label
from anonymizer_gui.widgets.numbers import plain_number
from engine.params import Integer, Param, Real


class UsualValues(QWidget):
    """One button per value that people commonly choose."""

    value_chosen = Signal(object)

    def __init__(self, descriptor: Param, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(4)
        row.addWidget(make_label(self.tr("usual"), Text.CAPTION, "text_3"))
        for value in descriptor.usual:
            text = usual_text(descriptor, value)
            button = make_button(text, small=True)
            button.setObjectName(f"usual.{descriptor.name}.{text}")
            button.setAccessibleName(self.tr("Set {0} to {1}").format(descriptor.label, text))
            button.clicked.connect(lambda _=False, chosen=value: self.value_chosen.emit(chosen))
            row.addWidget(button)
        row.addStretch(1)


def usual_text(descriptor: Param, value: float) -> str:
    """A value as its field writes it."""
    if isinstance(descriptor, Integer):
        return str(value)
    assert isinstance(descriptor, Real), "usual values are numbers"
    is_wide = descriptor.maximum - descriptor.minimum > LONG_RANGE
    return plain_number(value, 0 if is_wide else min(descriptor.decimals, 2))
