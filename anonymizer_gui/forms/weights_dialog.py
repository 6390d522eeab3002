"""Dialog for the weight of every quasi-identifying column."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QGridLayout, QWidget

from anonymizer_gui.forms.number_spin import NumberSpin
from anonymizer_gui.theming import Text, scaled
from anonymizer_gui.widgets.buttons import make_button
from anonymizer_gui.widgets.fitted_dialog import AskingDialog
from anonymizer_gui.widgets.labels import ElidedLabel, make_label
from anonymizer_gui.widgets.layouts import STRETCH, hbox, named

HEAVIEST = 100.0
_WIDTH = 360


class WeightsDialog(AskingDialog):
    """One numeric field per attribute."""

    weights_chosen = Signal(dict)  # dict of column name to float

    def __init__(self, weights: Mapping[str, float], parent: QWidget | None = None) -> None:
        super().__init__("weightsDialog", self.tr("Column weights"), self.tr("Set weights"), _WIDTH, parent)
        self.boxes: dict[str, NumberSpin] = {}
        grid = QGridLayout()
        grid.setColumnStretch(0, 1)
        grid.setVerticalSpacing(8)
        for row, (name, weight) in enumerate(weights.items()):
            box = named(
                NumberSpin(0.0, HEAVIEST, 1), f"weight.{name}", self.tr("Weight of {name}").format(name=name)
            )
            box.setSingleStep(0.5)
            box.setValue(weight)
            box.setFixedWidth(scaled(96))
            self.boxes[name] = box
            grid.addWidget(ElidedLabel(name), row, 0)
            grid.addWidget(box, row, 1)
        equal = make_button(self.tr("All equal"), kind="quiet")
        equal.clicked.connect(self._on_equal_clicked)
        explained = self.tr("Loss in a column with a higher weight counts more. Only the ratios matter.")
        self.lay_out(
            make_label(self.windowTitle(), Text.HEADING),
            make_label(explained, Text.CELL, "text_2", wraps=True),
            grid,
            hbox(equal, STRETCH),
        )

    def submit(self) -> bool:
        self.weights_chosen.emit({name: box.value() for name, box in self.boxes.items()})
        return True

    def _on_equal_clicked(self) -> None:
        for box in self.boxes.values():
            box.setValue(1.0)
