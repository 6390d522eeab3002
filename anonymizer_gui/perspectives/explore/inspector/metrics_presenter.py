"""Fills the metrics: from the scores of all nodes at once, and for the costly ones of this node in a task."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QObject, Signal

from anonymizer_gui.perspectives.explore.inspector.panel import InspectorPanel
from anonymizer_gui.perspectives.explore.inspector.score_lines import metric_row, metric_rows
from anonymizer_gui.perspectives.explore.showing import Showing
from anonymizer_gui.tasks import Task, TaskRunner
from engine.monitor import SILENT, Monitor

if TYPE_CHECKING:
    from engine.lattice import Node
    from engine.scoring import Evaluation

_KEY = "node-metrics"
Costly = dict[str, float]


class MetricsPresenter(QObject):
    """Shows every metric of the selected node; a bar only where all nodes are measured."""

    error_raised = Signal(object)

    def __init__(
        self, showing: Showing, runner: TaskRunner, panel: InspectorPanel, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._showing, self._runner, self._panel = showing, runner, panel
        self._node: Node | None = None
        self._asked: tuple[Evaluation, Node] | None = None
        self._measured: tuple[Evaluation, Node, Costly] | None = None

    @property
    def is_settled(self) -> bool:
        """Whether all metrics shown are of the present node."""
        return self._runner.running(_KEY) is None

    def forget(self) -> None:
        """Nothing shown before holds any more."""
        self._runner.cancel(_KEY)
        self._node = self._asked = self._measured = None

    def show(self, node: Node) -> None:
        """Show a node; what takes long comes later."""
        self._node = node
        showing = self._showing
        scores, details, evaluation = showing.scores, showing.details, showing.evaluation
        if scores is None:
            return
        where = self.tr("among the nodes scored") if scores.is_part else self.tr("in this lattice")
        rows = metric_rows(node, scores, showing.metric, details, where)
        number, measured = scores.scored_number(node), self._measured
        is_whole = details is not None
        if details is not None and evaluation is not None and number is not None:
            if measured is not None and measured[0] is evaluation and measured[1] == node:
                alone = self.tr("of this node alone; choose it as the metric to compare all")
                rows += [metric_row(key, value, None, None, alone) for key, value in measured[2].items()]
            else:
                is_whole = False
                self._measure(evaluation, node, number)
        self._panel.metrics.show_rows(rows)
        self._panel.show_metrics_caption(self.tr("| = optimum") if is_whole else self.tr("updating"))

    def _measure(self, evaluation: Evaluation, node: Node, number: int) -> None:
        asked = self._asked
        if asked is not None and asked[0] is evaluation and asked[1] == node:
            return
        self._asked = (evaluation, node)
        task = Task(_costly, evaluation, number, self._showing.metric)
        task.succeeded.connect(lambda values: self._on_measured(evaluation, node, values))
        task.failed.connect(self.error_raised)
        self._runner.start(task, key=_KEY)

    def _on_measured(self, evaluation: Evaluation, node: Node, values: Costly) -> None:
        self._measured = (evaluation, node, values)
        if node == self._node:
            self.show(node)


def _costly(evaluation: Evaluation, number: int, chosen: str, monitor: Monitor = SILENT) -> Costly:
    """The metrics that need classes one by one, at one node."""
    from engine.utility import utility_metrics

    keys = [key for key, member in utility_metrics.items() if member.costly and key != chosen]
    values = {}
    for done, key in enumerate(keys):
        monitor.step(done, len(keys))
        values[key] = float(evaluation.metric_at(key, np.array([number]))[0])
    return values
