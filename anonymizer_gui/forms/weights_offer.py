"""Access to attribute weights: a summary of them, and the dialog that changes them."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from anonymizer_gui.forms.weights_dialog import WeightsDialog
from anonymizer_gui.session import Session
from engine.numbers import as_decimal
from engine.project import edits
from engine.words import _


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
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _on_weights_chosen(self, weights: dict[str, float]) -> None:
        if (project := self._session.project) is not None:
            # Weights of columns that currently have another role are kept in case the role changes back.
            merged = {**project.search.weights, **weights}
            kept = {name: weight for name, weight in merged.items() if weight != 1.0}
            self._session.edit(self.tr("Set column weights"), edits.set_weights(project, kept))
