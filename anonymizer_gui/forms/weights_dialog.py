"""Dialog for the weight of every quasi-identifying column."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from anonymizer_gui.forms.number_spin import NumberSpin
from anonymizer_gui.session import Session
from anonymizer_gui.theming import Text, scaled
from anonymizer_gui.widgets.buttons import make_button
from anonymizer_gui.widgets.fitted_dialog import AskingDialog
from anonymizer_gui.widgets.labels import ElidedLabel, make_label
from anonymizer_gui.widgets.layouts import STRETCH, gridbox, hbox, named
from engine.numbers import as_decimal
from engine.project import edits
from engine.words import _

HEAVIEST = 100.0
_WIDTH = 360


class WeightsDialog(AskingDialog):
    """One numeric field per attribute."""

    weights_chosen = Signal(dict)  # dict of column name to float

    def __init__(self, weights: Mapping[str, float], parent: QWidget | None = None) -> None:
        super().__init__("weightsDialog", self.tr("Column weights"), self.tr("Set weights"), _WIDTH, parent)
        self.boxes: dict[str, NumberSpin] = {}
        grid = gridbox(spacing=(None, 8), stretched=0)
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


class WeightsOffer(QObject):
    """Opens the dialog over a widget; new weights are one undo step."""

    def __init__(self, session: Session, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session

    def words(self) -> tuple[str, str]:
        """Return the summary of the weights and the reason why they cannot be changed; one is empty."""
        from engine.utility import utility_metrics

        project = self._session.project
        metric = utility_metrics[self._session.shown.metric]
        if project is None or not project.quasi_identifying:
            return "", self.tr("Weights need a quasi-identifying column")
        if not metric.weighted:
            return "", self.tr("{title} does not use weights").format(title=_(metric.title))
        weights = {name: project.search.weights.get(name, 1.0) for name in project.quasi_identifying}
        if len(set(weights.values())) == 1:
            return self.tr("all equal"), ""
        heaviest = max(weights, key=lambda name: weights[name])
        return self.tr("heaviest: {heaviest}, {weight}").format(
            heaviest=heaviest, weight=as_decimal(weights[heaviest], 1)
        ), ""

    def ask(self, over: QWidget) -> None:
        """Open the dialog."""
        project = self._session.project
        if project is None:
            return
        weights = {name: project.search.weights.get(name, 1.0) for name in project.quasi_identifying}
        dialog = WeightsDialog(weights, over)
        dialog.weights_chosen.connect(self._on_weights_chosen)
        dialog.ask()

    def _on_weights_chosen(self, weights: dict[str, float]) -> None:
        if (project := self._session.project) is not None:
            # Weights of columns that currently have another role are kept in case the role changes back.
            merged = {**project.search.weights, **weights}
            kept = {name: weight for name, weight in merged.items() if weight != 1.0}
            self._session.edit(self.tr("Set column weights"), edits.set_weights(project, kept))
