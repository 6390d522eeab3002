"""Explains the suppressed records of the selected node on request, and applies the chosen remedy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QObject

from anonymizer_gui.perspectives.explore.explore_state import ExploreState
from anonymizer_gui.perspectives.explore.inspector.panel import InspectorPanel
from anonymizer_gui.perspectives.explore.inspector.suppression_part import (
    RemedyRow,
    SuppressionPart,
    cause_lines,
    remedy_rows,
    summary,
    value_lines,
)
from anonymizer_gui.tasks import Task
from engine.monitor import SILENT, Monitor

if TYPE_CHECKING:
    from engine.advice.remedies import Remedy
    from engine.lattice import Node
    from engine.project import Project
    from engine.scoring import Evaluation
    from engine.scoring.nodes.suppression_causes import SuppressionCauses

_KEY = "explore.suppression"


@dataclass(frozen=True, eq=False)
class _Explanation:
    """Causes of suppression for one node of a project under its requirement."""

    project: Project
    evaluation: Evaluation
    metric: str
    causes: SuppressionCauses
    remedies: tuple[Remedy, ...]
    best: float | None  # loss of the current optimum; None if there is none or it is unknown


class SuppressionPresenter(QObject):
    """Fills the part while its section is unfolded and no knob is dragged."""

    def __init__(self, state: ExploreState, inspector: InspectorPanel) -> None:
        super().__init__(inspector)
        self._session, self._runner, self._state = state.session, state.session.runner, state
        self._part = part = SuppressionPart()
        title = self.tr("Suppression by column")
        self._section = section = inspector.add_section(title, part, name="section.stars")
        section.set_shown(False)  # its content takes a second, and longer for large tables
        self._wanted: tuple[object, ...] | None = None  # what the part shows or is computing
        self._shown: _Explanation | None = None
        self._rows: list[RemedyRow] = []
        self._next: Node | None = None  # selected as soon as a lattice contains it
        section.fold_changed.connect(lambda _is_shown: self._refresh())
        state.settled.connect(lambda _evaluation: self._refresh())
        state.scores_changed.connect(self._on_scores_changed)
        state.forgotten.connect(self._on_forgotten)
        state.session.selection.changed.connect(lambda _node: self._refresh())
        state.session.results.problem_changed.connect(lambda _problem, _error: self._select_next())
        part.remedies.requested.connect(self._on_remedy_requested)

    def _on_forgotten(self) -> None:
        self._runner.cancel(_KEY)
        self._wanted = self._shown = None
        self._part.show_sentence(self.tr("Available once the lattice is scored."))

    def _on_scores_changed(self) -> None:
        if self._session.shown.is_preview:
            self._show_updating()

    def _refresh(self) -> None:
        """Explain the selected node if the section is visible and shows another one."""
        session, evaluation = self._session, self._state.evaluation
        project, node = session.project, self._state.selected
        if not self._section.is_shown or session.shown.is_preview:
            return
        if project is None or node is None or evaluation is None or not session.results.is_problem_current:
            return
        if evaluation.requirement != project.requirement:
            return
        number = evaluation.lattice.find(node)
        if number is None or not evaluation.scored[number]:
            self._part.show_sentence(self.tr("Available once this node is scored."))
            self._wanted = self._shown = None
            return
        is_complete = evaluation.n_scored == evaluation.problem.lattice.n_nodes
        wanted = (project, evaluation.problem, node, session.shown.metric, is_complete)
        if wanted == self._wanted:
            if self._runner.running(_KEY) is None:  # a knob was moved back
                self._section.caption.setText("")
            return
        self._wanted = wanted
        self._show_updating()
        task = Task(_explain, project, evaluation, node, session.shown.metric)
        task.succeeded.connect(self._on_explained)
        task.failed.connect(self._on_failed)
        self._runner.start(task, key=_KEY)

    def _show_updating(self) -> None:
        self._section.caption.setText(self.tr("updating"))

    def _on_explained(self, found: _Explanation) -> None:
        words = self._state.words
        if words is None or found.evaluation.problem is not self._state.problem:
            return
        self._section.caption.setText("")
        self._shown = found
        self._rows = remedy_rows(found.remedies, found.project, words, found.metric, found.best)
        causes = found.causes
        self._part.show_found(
            summary(causes), cause_lines(causes), value_lines(causes.rare_values, causes), self._rows
        )

    def _on_failed(self, error: Exception) -> None:
        self._wanted = None
        self._section.caption.setText("")
        self._runner.error_raised.emit(error)

    def _on_remedy_requested(self, place: int) -> None:
        """Apply a remedy as one undo step; if it is only another node, select that."""
        found = self._shown
        if found is None or found.project is not self._session.project:
            return  # the settings have changed; new remedies are being computed
        remedy = found.remedies[place]
        if remedy.project is not None:
            self._session.edit(self._rows[place].step, remedy.project)
        self._next = remedy.effect.node
        self._select_next()

    def _select_next(self) -> None:
        """Select the node of a remedy in the lattice that contains it: this one, or the next."""
        problem, node = self._session.results.problem, self._next
        if node is None or problem is None or node not in problem.lattice:
            return
        self._next = None
        self._session.selection.select(node)


def _explain(
    project: Project, evaluation: Evaluation, node: Node, metric: str, monitor: Monitor = SILENT
) -> _Explanation:
    from engine.advice.remedies import find_remedies
    from engine.scoring.nodes.suppression_causes import suppression_causes

    causes = suppression_causes(evaluation.profile, node, evaluation.requirement, monitor)
    remedies = find_remedies(project, evaluation, node, metric, monitor)
    number = None
    if any(remedy.effect.knows_optimum for remedy in remedies):
        number = evaluation.optimum(metric)
    best = None if number is None else float(evaluation.metric_at(metric, np.array([number]))[0])
    return _Explanation(project, evaluation, metric, causes, remedies, best)
