"""Runs of the sweep with their results as text, and the presenter that follows the settings."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, QTimer

from anonymizer_gui.models.node_name import LevelWords, own_name
from anonymizer_gui.perspectives.explore.explore_state import ExploreState
from anonymizer_gui.perspectives.explore.knobs.bar import SUPPRESSION, KnobSpec
from anonymizer_gui.perspectives.explore.knobs.specs import knob_grid, knob_specs, turned
from anonymizer_gui.perspectives.explore.metric_text import metric_name, metric_text
from anonymizer_gui.perspectives.explore.sweep.panel import SweepPanel
from anonymizer_gui.perspectives.explore.sweep.view import Cell, SweepTable
from anonymizer_gui.session.applied import made_with_text
from anonymizer_gui.tasks import Task
from engine.monitor import SILENT, Monitor
from engine.numbers import as_decimal, as_exact_count, as_percent, as_typed, localized
from engine.privacy import Requirement
from engine.privacy.differential_privacy import DifferentialPrivacy
from engine.project import Project
from engine.words import _, english

if TYPE_CHECKING:
    from engine.lattice import Node, Nodes
    from engine.project import Project
    from engine.scoring import Evaluation
    from engine.scoring.sweep import Sweep


@dataclass(frozen=True, eq=False)
class SweepRun:
    """Input of a sweep.

    Attributes
    ----------
    evaluation : Evaluation
        Evaluation of the initial settings, whose nodes are compared.
    spec : KnobSpec
        Knob of the threshold.
    """

    evaluation: Evaluation
    spec: KnobSpec
    metric: str
    thresholds: tuple[float, ...]
    limits: tuple[float, ...]

    @classmethod
    def of(cls, evaluation: Evaluation, spec: KnobSpec, metric: str) -> SweepRun:
        """Return a sweep around the settings of an evaluation."""
        limits = swept_limits(evaluation.requirement.suppression_limit)
        return cls(evaluation, spec, metric, swept_thresholds(spec), limits)

    def requirement(self, cell: Cell) -> Requirement:
        """Return the requirement of a cell."""
        at = turned(self.evaluation.requirement, self.spec.key, self.thresholds[cell.threshold])
        return replace(at, suppression_limit=self.limits[cell.limit])

    def cell_of(self, requirement: Requirement) -> Cell | None:
        """Return the cell of a requirement, if this sweep has one."""
        for place, threshold in enumerate(self.thresholds):
            if turned(self.evaluation.requirement, self.spec.key, threshold).models == requirement.models:
                if requirement.suppression_limit in self.limits:
                    return Cell(place, self.limits.index(requirement.suppression_limit))
                return None
        return None

    def swept(self, monitor: Monitor = SILENT) -> Swept:
        """Compute the sweep; takes seconds, so run it in a task."""
        from engine.scoring.sweep import sweep

        requirements = [self.requirement(Cell(place, 0)) for place in range(len(self.thresholds))]
        evaluation = self.evaluation
        found = sweep(
            evaluation.profile, requirements, self.limits, self.metric, evaluation.objective, monitor
        )
        return SweepResult(self, found)

    def has_settings_of(self, other: SweepRun) -> bool:
        """Return whether another run starts in a cell of this one, and differs by new nodes at most."""
        mine, wanted = self.evaluation, other.evaluation
        return (
            mine.problem is wanted.problem
            and (self.metric, self.spec.key) == (other.metric, other.spec.key)
            and mine.objective.index(self.metric) == wanted.objective.index(self.metric)
            and self.cell_of(wanted.requirement) is not None
        )

    def answers(self, other: SweepRun) -> bool:
        """Return whether the results apply to another run too."""
        mine, wanted = self.evaluation, other.evaluation
        is_same = mine.profile is wanted.profile and mine.lattice is wanted.lattice
        return is_same and mine.n_scored == wanted.n_scored and self.has_settings_of(other)


@dataclass(frozen=True, eq=False)
class SweepResult:
    """Results of a run."""

    run: SweepRun
    sweep: Sweep

    @property
    def nodes(self) -> Nodes:
        """Nodes by index."""
        return self.run.evaluation.lattice

    def node(self, cell: Cell) -> Node | None:
        """Return the optimum of a cell."""
        number = int(self.sweep.numbers[cell])
        return None if number < 0 else self.nodes.node(number)

    def table(self) -> SweepTable:
        """Return the values for the views."""
        run = self.run
        return SweepTable(
            threshold_name=_threshold_words(run.spec),
            limit_name=_("suppression limit"),
            value_name=metric_name(run.metric),
            thresholds=run.thresholds,
            threshold_texts=tuple(self._threshold(value) for value in run.thresholds),
            limit_texts=tuple(as_percent(limit) for limit in run.limits),
            values=self.sweep.values,
            value_text=metric_text(run.metric),
            is_logarithmic=run.spec.scale.is_logarithmic,
        )

    def line(self, cell: Cell) -> str:
        """Return a cell in one line."""
        settings = self.settings(cell)
        node = self.node(cell)
        if node is None:
            return _("{settings}: no node satisfies").format(settings=settings)
        return f"{settings}: {self._value(cell)}, {self._suppressed(cell)}, {self._name(node)}"

    def lines(self, cell: Cell, words: LevelWords | None) -> str:
        """Return a cell with the description of its optimum."""
        node, settings = self.node(cell), self.settings(cell)
        if node is None:
            return "\n".join([settings, _("No node satisfies")])
        satisfying = _("{satisfying} of {n_nodes} nodes satisfy").format(
            satisfying=as_exact_count(int(self.sweep.satisfying[cell])),
            n_nodes=as_exact_count(self.nodes.n_nodes),
        )
        found = [
            settings,
            _("Optimum {node} · {cell}").format(node=self._name(node), cell=self._value(cell)),
        ]
        found += [self._suppressed(cell), satisfying]
        found += [f"{name}: {text}" for name, text in words.node(node)] if words is not None else []
        return "\n".join(found)

    def _name(self, node: Node) -> str:
        return own_name(node, self.run.evaluation.problem)

    def settings(self, cell: Cell) -> str:
        """Return threshold and limit of a cell."""
        run = self.run
        threshold, limit = self._threshold(run.thresholds[cell.threshold]), as_percent(run.limits[cell.limit])
        return _("{name} = {threshold}, limit {limit}").format(
            name=run.spec.name, threshold=threshold, limit=limit
        )

    def _threshold(self, value: float) -> str:
        spec = self.run.spec
        return f"{as_decimal(value * spec.scale.factor, spec.scale.decimals)}{spec.suffix}"

    def _value(self, cell: Cell) -> str:
        value = float(self.sweep.values[cell])
        return f"{metric_name(self.run.metric)} {metric_text(self.run.metric)(value)}"

    def _suppressed(self, cell: Cell) -> str:
        count, n_records = int(self.sweep.suppressed[cell]), self.run.evaluation.profile.problem.n_records
        share = as_percent(count / max(n_records, 1))
        return _("{count} records suppressed ({share})").format(count=as_exact_count(count), share=share)


@dataclass(frozen=True, eq=False)
class BudgetRun(SweepRun):
    """Sweep whose thresholds are values of epsilon, and whose limits are shares of the largest beta.

    Attributes
    ----------
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

    def table(self) -> SweepTable:
        """Return the values for the views."""
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


Swept = SweepResult | BudgetResult

_SIZES = (1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 15, 20, 30, 50)
_LIMITS = (0.0, 0.01, 0.02, 0.03, 0.05, 0.075, 0.1, 0.15, 0.2)
_MOST = 14  # values of a linear axis


def swept_thresholds(spec: KnobSpec) -> tuple[float, ...]:
    """Return ascending values over the range of a knob: usual sizes or equal steps, and the present one."""
    scale = spec.scale
    if scale.is_logarithmic:
        decades = [size * factor for factor in (1, 100, 10_000, 1_000_000) for size in _SIZES]
        values = {float(size) for size in decades if scale.minimum <= size < scale.maximum}
        values |= {scale.minimum, scale.maximum}
    else:
        grid = knob_grid(scale)
        steps = min(len(grid), _MOST) - 1
        values = {grid[round(step * (len(grid) - 1) / max(steps, 1))] for step in range(steps + 1)}
    return tuple(sorted(values | {spec.value}))


def swept_limits(present: float) -> tuple[float, ...]:
    """Return usual limits and the present one, ascending."""
    return tuple(sorted({*_LIMITS, present}))


_KEY = "explore.sweep"


class SweepPresenter(QObject):
    """Sweeps only while the card is visible; a result stays until it is replaced."""

    def __init__(self, state: ExploreState, panel: SweepPanel) -> None:
        super().__init__(panel)
        self._session, self._runner = state.session, state.session.runner
        self._state, self._panel = state, panel
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
        state.session.selection.changed.connect(self._on_selection_changed)
        panel.shown.connect(self._refresh)
        panel.thresholds.data_chosen.connect(self._on_threshold_requested)
        panel.cell_requested.connect(self._on_cell_requested)
        panel.action_requested.connect(self._on_action_requested)
        panel.picture.error_raised.connect(state.session.runner.error_raised)

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
        self._runner.error_raised.emit(error)

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
        else:
            words_of_metric = metric_name(result.run.metric)
            self._panel.set_caption(self.tr("{metric} of the optimum").format(metric=words_of_metric))
            if self._session.results.is_explored:
                rests_on = self.tr("Best of the {n_nodes} nodes scored so far.")
                hint = f"{rests_on.format(n_nodes=as_exact_count(result.nodes.n_nodes))} {hint}"
        self._panel.show_sweep(
            result.table(),
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
            self._session.edit(text, replace(project, requirement=requirement))
            return
        try:
            requirement = turned(project.requirement, run.spec.key, run.thresholds[threshold])
        except KeyError:  # its model was removed from the requirement, and the sweep is about to follow
            return
        requirement = replace(requirement, suppression_limit=run.limits[limit])
        text = self.tr("Use settings of the sweep: {cell}").format(cell=result.settings(cell))
        self._session.edit(text, replace(project, requirement=requirement))
        self._session.selection.select(node)


def _threshold_words(spec: KnobSpec) -> str:
    return f"{spec.name}, {spec.meaning}" if spec.meaning else spec.name
