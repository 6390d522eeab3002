"""Updates the visible sweep with the settings, and turns a chosen cell into an edit."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, QTimer, Signal

from anonymizer_gui.models.node_name import LevelWords, own_name
from anonymizer_gui.perspectives.explore.explore_state import ExploreState
from anonymizer_gui.perspectives.explore.knobs.bar import SUPPRESSION, KnobSpec
from anonymizer_gui.perspectives.explore.knobs.specs import knob_specs, turned
from anonymizer_gui.perspectives.explore.metric_text import metric_name
from anonymizer_gui.perspectives.explore.sweep.panel import SweepPanel
from anonymizer_gui.perspectives.explore.sweep.run import SweepResult, SweepRun, Swept
from anonymizer_gui.perspectives.explore.sweep.table import Cell, SweepTable
from anonymizer_gui.session import Session
from anonymizer_gui.session.staleness import made_with_text
from anonymizer_gui.tasks import Task, TaskRunner
from engine.monitor import SILENT, Monitor
from engine.numbers import as_exact_count, as_percent, as_typed, localized
from engine.privacy import Requirement
from engine.privacy.differential_privacy import DifferentialPrivacy
from engine.project import Project, edits
from engine.words import _, english

if TYPE_CHECKING:
    from engine.lattice import Node
    from engine.project import Project
    from engine.scoring import Evaluation


@dataclass(frozen=True, eq=False)
class BudgetRun(SweepRun):
    """Sweep whose thresholds are values of epsilon, and whose limits are shares of the largest beta.

    Attributes
    ----------
    project : Project
    node : tuple of int
        The node whose records are expected.
    """

    project: Project
    node: Node

    @classmethod
    def at(
        cls, evaluation: Evaluation, spec: KnobSpec, metric: str, project: Project, node: Node
    ) -> BudgetRun:
        """Return a sweep around the settings of an evaluation, at a node."""
        from engine.project.trade_off import EPSILONS, SHARES

        model = _model(evaluation.requirement)
        epsilons = tuple(sorted({*EPSILONS, model.epsilon}))
        shares = tuple(sorted({*SHARES, model.share}))
        return cls(evaluation, spec, metric, epsilons, shares, project, node)

    def requirement(self, cell: Cell) -> Requirement:
        from engine.project.trade_off import with_budget

        return with_budget(
            self.evaluation.requirement, self.thresholds[cell.threshold], self.limits[cell.limit]
        )

    def cell_of(self, requirement: Requirement) -> Cell | None:
        from engine.project.trade_off import with_budget

        model, own = requirement.sampling, _model(self.evaluation.requirement)
        if model is None or model.epsilon not in self.thresholds or model.share not in self.limits:
            return None
        if with_budget(requirement, own.epsilon, own.share).models != self.evaluation.requirement.models:
            return None
        return Cell(self.thresholds.index(model.epsilon), self.limits.index(model.share))

    def has_settings_of(self, other: SweepRun) -> bool:
        return (
            isinstance(other, BudgetRun)
            and (self.node, self.spec.key) == (other.node, other.spec.key)
            and self.project.table is other.project.table
            and self.project.hierarchies is other.project.hierarchies
            and self.evaluation.problem.names == other.evaluation.problem.names
            and self.cell_of(other.evaluation.requirement) is not None
        )

    def answers(self, other: SweepRun) -> bool:
        return self.has_settings_of(other)

    def swept(self, monitor: Monitor = SILENT) -> BudgetResult:
        from engine.project.trade_off import complete_problem, kept_by_settings

        problem = complete_problem(self.project)
        kept = kept_by_settings(problem, self.node, self.evaluation.requirement, self.thresholds, self.limits)
        return BudgetResult(self, 1 - kept, problem.n_records)


@dataclass(frozen=True, eq=False)
class BudgetResult:
    """Results of a run.

    Attributes
    ----------
    run : BudgetRun
    values : ndarray of float64, shape (n_epsilons, n_shares)
        Expected share of the records that are not released.
    n_records : int
        Records of the whole table.
    """

    run: BudgetRun
    values: NDArray[np.float64]
    n_records: int

    def node(self, cell: Cell) -> Node:
        """Return the node, which is the same in all cells."""
        return self.run.node

    def table(self, model_words: str) -> SweepTable:
        """Return the values for the views; `model_words` is the name of the threshold."""
        run = self.run
        return SweepTable(
            threshold_name=run.spec.name,
            limit_name=_("share of the largest β"),
            value_name=_("not released, expected"),
            thresholds=run.thresholds,
            threshold_texts=tuple(as_typed(value, 0) for value in run.thresholds),
            limit_texts=tuple(as_percent(share) for share in run.limits),
            values=self.values,
            value_text=lambda share: as_percent(share, 0),
            is_logarithmic=True,
        )

    def line(self, cell: Cell) -> str:
        """Return a cell in one line."""
        return f"{self.settings(cell)}: {self._value(cell)}"

    def lines(self, cell: Cell, words: LevelWords | None) -> str:
        """Return a cell with its probability and class size."""
        requirement = self.run.requirement(cell)
        sizes = _("β = {beta}, k = {k}").format(
            beta=localized(f"{_model(requirement).beta:.4g}"), k=as_exact_count(requirement.k)
        )
        name = own_name(self.run.node, self.run.evaluation.problem)
        return "\n".join([self.settings(cell), sizes, self._value(cell), name])

    def settings(self, cell: Cell) -> str:
        """Return epsilon and share of a cell."""
        return _("ε = {epsilon}, {share} of the largest β").format(
            epsilon=as_typed(self.run.thresholds[cell.threshold], 0),
            share=as_percent(self.run.limits[cell.limit]),
        )

    def _value(self, cell: Cell) -> str:
        kept = round((1 - float(self.values[cell])) * self.n_records)
        return _("{n} of {total} records expected to be released").format(
            n=as_exact_count(kept), total=as_exact_count(self.n_records)
        )


def _model(requirement: Requirement) -> DifferentialPrivacy:
    model = requirement.sampling
    assert model is not None, "only records that are drawn have a budget"
    return model


def is_budget(spec: KnobSpec, requirement: Requirement) -> bool:
    """Return whether a knob is that of differential privacy."""
    return requirement.sampling is not None and spec.key == english(requirement.sampling, "symbol")


_KEY = "sweep"


class SweepPresenter(QObject):
    """Sweeps only while the card is visible; a result stays until it is replaced."""

    error_raised = Signal(object)  # exception

    def __init__(
        self, session: Session, runner: TaskRunner, state: ExploreState, panel: SweepPanel, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._session, self._runner, self._state, self._panel = session, runner, state, panel
        self._evaluation: Evaluation | None = None
        self._chosen = ""  # key of the swept knob
        self._result: Swept | None = None
        self._swept: Project | None = None  # project of the result
        self._running: SweepRun | None = None
        self._was_cancelled = False
        self._waits_for_node = False
        state.forgotten.connect(self._on_forgotten)
        state.settled.connect(self._on_settled)
        state.scores_changed.connect(state.in_turn(self._show_present))
        session.selection.changed.connect(self._on_selection_changed)
        panel.shown.connect(self._refresh)
        panel.threshold_requested.connect(self._on_threshold_requested)
        panel.cell_requested.connect(self._on_cell_requested)
        panel.action_requested.connect(self._on_action_requested)
        panel.error_raised.connect(self.error_raised)

    @property
    def is_settled(self) -> bool:
        """True if the visible sweep belongs to the current settings."""
        return not self._runner.running(_KEY)

    # -- updates -------------------------------------------------------------------------------

    def _on_forgotten(self) -> None:
        self._runner.cancel(_KEY)
        self._evaluation = self._result = self._running = self._swept = None
        self._was_cancelled = False
        self._panel.set_caption("")
        self._panel.show_outdated("")
        self._panel.show_empty("", "")

    def _on_settled(self, evaluation: Evaluation) -> None:
        self._evaluation, self._was_cancelled = evaluation, False
        self._refresh()

    def _on_selection_changed(self, _node: object) -> None:
        """Follow the selected node, which only the trade-off of differential privacy depends on."""
        if isinstance(self._result, BudgetResult) or self._waits_for_node:
            self._refresh()

    def _on_threshold_requested(self, key: str) -> None:
        self._chosen, self._was_cancelled = key, False
        self._refresh()

    def _on_action_requested(self) -> None:
        if self._runner.running(_KEY):
            self._runner.cancel(_KEY)
        else:
            self._was_cancelled = False
            self._refresh()

    def _refresh(self) -> None:
        """Start a sweep, unless the requested one is shown or running."""
        if not self._panel.isVisible():
            return
        wanted = self._wanted()
        if wanted is None:
            return
        if self._result is not None and self._result.run.answers(wanted):
            self._show_result()
        elif not (self._was_cancelled or (self._running and self._running.has_settings_of(wanted))):
            self._start(wanted)

    def _wanted(self) -> SweepRun | None:
        """Return the sweep of the current settings; if there is none, the card shows the reason."""
        evaluation, profile = self._evaluation, self._session.results.profile
        if (
            evaluation is None
            or profile is None
            or not (profile.is_complete or self._session.results.is_explored)
        ):
            self._panel.show_empty(self.tr("Score the lattice to see the sweep."), "")
            return None
        specs = knob_specs(evaluation.requirement, evaluation.problem)
        requirement = evaluation.requirement
        specs = [
            spec
            for spec in specs
            if spec.key != SUPPRESSION and (spec.meaning_at is None or is_budget(spec, requirement))
        ]
        if not specs:
            self._panel.show_thresholds([], "")
            self._panel.show_empty(self.tr("A sweep varies a threshold. Add a privacy model first."), "")
            return None
        usual = next((spec for spec in specs if is_budget(spec, requirement)), specs[0])
        spec = next((spec for spec in specs if spec.key == self._chosen), usual)
        self._panel.show_thresholds([(s.key, _threshold_words(s)) for s in specs], spec.key)
        metric, project = self._session.shown.metric, self._session.project
        if project is None or not is_budget(spec, requirement):
            return SweepRun.of(evaluation, spec, metric)
        node = self._session.selection.node
        self._waits_for_node = node is None
        if node is None:
            self._panel.show_empty(self.tr("Select a node to see its trade-off of ε and records."), "")
            return None
        return BudgetRun.at(evaluation, spec, metric, project, node)

    def _start(self, wanted: SweepRun) -> None:
        self._running = wanted
        project = self._session.project
        self._panel.show_outdated("")
        if self._result is not None and self._panel.shows_sweep:
            self._panel.set_caption(self.tr("updating"))
        else:
            self._show_progress(0, 1, "")
        task = Task(wanted.swept)
        task.progressed.connect(self._show_progress)
        task.succeeded.connect(lambda result: self._on_swept(result, project))
        task.failed.connect(self._on_failed)
        task.cancelled.connect(self._on_cancelled)
        words = self.tr("Varying {name} and the suppression limit")
        if isinstance(wanted, BudgetRun):
            words = self.tr("Varying {name} and β")
        label = words.format(name=wanted.spec.name)
        self._runner.start(task, label=label, key=_KEY)

    def _show_progress(self, done: int, total: int, _text: str) -> None:
        if not self._panel.shows_sweep:
            text = self.tr("Finding the optimum for every pair of settings: {done}")
            self._panel.show_empty(text.format(done=as_percent(done / max(total, 1), 0)), self.tr("Cancel"))

    def _on_swept(self, result: Swept, project: Project | None) -> None:
        self._result, self._running, self._swept = result, None, project
        self._show_result()
        # Nodes scored meanwhile are included, once this task has ended.
        QTimer.singleShot(0, self, self._refresh)

    def _on_failed(self, error: Exception) -> None:
        self._running, self._was_cancelled = None, True
        self._show_stopped(self.tr("The sweep failed."))
        self.error_raised.emit(error)

    def _on_cancelled(self) -> None:
        if self._runner.running(_KEY) is None and self._running is not None:
            self._running, self._was_cancelled = None, True
            self._show_stopped(self.tr("The sweep was cancelled."))

    def _show_stopped(self, sentence: str) -> None:
        if self._panel.shows_sweep:
            self._panel.set_caption(self.tr("of earlier settings"))
            self._panel.show_outdated(self._outdated_words())
        else:
            self._panel.show_empty(sentence, self.tr("Sweep"))

    def _outdated_words(self) -> str:
        """Return how the sweep shown differs from the current settings."""
        result, made_with, now = self._result, self._swept, self._session.project
        if result is None or made_with is None or now is None:
            return ""
        run = result.run
        made_with = replace(made_with, requirement=run.evaluation.requirement)
        text = made_with_text(made_with, now)
        if not text and self._chosen not in ("", run.spec.key):
            text = self.tr("This sweep varies {name}").format(name=run.spec.name)
        return text or self.tr("Computed when fewer nodes were scored")

    # -- display -------------------------------------------------------------------------------

    def _show_result(self) -> None:
        result = self._result
        if result is None:
            return
        self._panel.show_outdated("")
        words = self._state.words
        hint = self.tr("Click a cell, or move to it and press Enter, to use its settings.")
        if isinstance(result, BudgetResult):
            hint = self.tr("For the owner only: settings chosen here are not covered by the guarantee.")
            self._panel.set_caption(self.tr("of the selected node"))
        elif isinstance(result, SweepResult) and self._session.results.is_explored:
            rests_on = self.tr("Best of the {n_nodes} nodes scored so far.")
            hint = f"{rests_on.format(n_nodes=as_exact_count(result.nodes.n_nodes))} {hint}"
        if isinstance(result, SweepResult):
            self._panel.set_caption(
                self.tr("{metric} of the optimum").format(metric=metric_name(result.run.metric))
            )
        self._panel.show_sweep(
            result.table(_threshold_words(result.run.spec)),
            result.line,
            lambda cell: result.lines(cell, words),
            hint,
        )
        self._show_present()

    def _show_present(self) -> None:
        result, requirement = self._result, self._session.shown.requirement
        if result is not None and requirement is not None and self._panel.isVisible():
            self._panel.show_present(result.run.cell_of(requirement))

    def _on_cell_requested(self, threshold: int, limit: int) -> None:
        """Use the settings of a cell as one undo step, and select its optimum."""
        project, result = self._session.project, self._result
        if project is None or result is None:
            return
        run, cell = result.run, Cell(threshold, limit)
        node = result.node(cell)
        if isinstance(run, BudgetRun):
            requirement = run.requirement(cell)
            text = self.tr("Use settings of the sweep: {cell}").format(cell=result.settings(cell))
            self._session.edit(text, edits.set_requirement(project, requirement))
            return
        try:
            requirement = turned(project.requirement, run.spec.key, run.thresholds[threshold])
        except KeyError:  # its model was removed from the requirement, and the sweep is about to follow
            return
        requirement = replace(requirement, suppression_limit=run.limits[limit])
        text = self.tr("Use settings of the sweep: {cell}").format(cell=result.settings(cell))
        self._session.edit(text, edits.set_requirement(project, requirement))
        self._session.selection.select(node)


def _threshold_words(spec: KnobSpec) -> str:
    return f"{spec.name}, {spec.meaning}" if spec.meaning else spec.name
