"""Updates the visible sweep with the settings, and turns a chosen cell into an edit."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from anonymizer_gui.perspectives.explore.explore_state import ExploreState
from anonymizer_gui.perspectives.explore.knobs.bar import SUPPRESSION, KnobSpec
from anonymizer_gui.perspectives.explore.knobs.specs import knob_specs, turned
from anonymizer_gui.perspectives.explore.metric_text import metric_name
from anonymizer_gui.perspectives.explore.sweep.budget import BudgetResult, BudgetRun, is_budget
from anonymizer_gui.perspectives.explore.sweep.panel import SweepPanel
from anonymizer_gui.perspectives.explore.sweep.run import SweepResult, SweepRun, Swept
from anonymizer_gui.perspectives.explore.sweep.table import Cell
from anonymizer_gui.session import Session
from anonymizer_gui.session.staleness import made_with_text
from anonymizer_gui.tasks import Task, TaskRunner
from engine.numbers import as_exact_count, as_percent
from engine.project import Project, edits

if TYPE_CHECKING:
    from engine.scoring import Evaluation

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
