"""Fills head, words and scores of the inspector; other presenters fill the remaining parts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import QObject, Signal

from anonymizer_gui.models.node_name import LevelWords, NamedNode, named_node
from anonymizer_gui.perspectives.explore.explore_state import ExploreState
from anonymizer_gui.perspectives.explore.inspector.examples import (
    OF_CLASS,
    ExampleChoice,
    Examples,
    example_records,
)
from anonymizer_gui.perspectives.explore.inspector.examples_part import ExamplesPart
from anonymizer_gui.perspectives.explore.inspector.panel import InspectorPanel
from anonymizer_gui.perspectives.explore.inspector.parts import HeadChip
from anonymizer_gui.perspectives.explore.inspector.report_presenter import ReportPresenter
from anonymizer_gui.perspectives.explore.inspector.score_lines import (
    metric_row,
    metric_rows,
    optimized_row,
    step_lines,
    step_row,
    steps_from,
)
from anonymizer_gui.perspectives.explore.inspector.values import WordRow
from anonymizer_gui.perspectives.explore.metric_text import (
    has_unit_scale,
    is_shown_equal,
    metric_change,
    metric_name,
)
from anonymizer_gui.perspectives.explore.node_scores import NodeScores
from anonymizer_gui.session import Session
from anonymizer_gui.session.words import recoding_title, why_fails, why_not_improved
from anonymizer_gui.tasks import Task, TaskRunner
from engine.monitor import SILENT, Monitor
from engine.numbers import as_exact_count
from engine.words import _

if TYPE_CHECKING:
    from engine.frequency import Problem
    from engine.lattice import Node
    from engine.privacy import Requirement
    from engine.project import Project
    from engine.scoring import Evaluation
    from engine.scoring.nodes.class_table import ClassTable


class InspectorPresenter(QObject):
    """Listener for the selected node and new scores."""

    apply_requested = Signal(object)  # node
    improve_requested = Signal()
    error_raised = Signal(object)

    def __init__(
        self,
        session: Session,
        runner: TaskRunner,
        state: ExploreState,
        panel: InspectorPanel,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._session, self._state, self._panel = session, state, panel
        for signal in (state.scores_rested, state.details_changed):
            signal.connect(state.in_turn(self._on_scores_changed))
        self._scores: NodeScores | None = None
        self._metric = "loss"
        self._details: Mapping[str, Any] | None = None
        self._words: tuple[Problem, LevelWords] | None = None
        self._report = ReportPresenter(session, runner, panel, self)
        self._examples = ExamplesPresenter(session, runner, panel.examples, self)
        self._metrics = MetricsPresenter(state, runner, panel, self)
        for part in (self._report, self._examples, self._metrics):
            part.error_raised.connect(self.error_raised)
        self._report.class_shown.connect(self._examples.show_class)
        panel.apply_requested.connect(self._on_apply)
        panel.improve_requested.connect(self.improve_requested)
        panel.back_requested.connect(session.selection.back)
        panel.forward_requested.connect(session.selection.forward)
        panel.node_requested.connect(session.selection.select)
        panel.room_changed.connect(self._use_room)
        session.selection.changed.connect(lambda _node: self._show())
        session.applied.changed.connect(lambda _release: self._show_head())
        session.parts.roles_changed.connect(self._show_head)
        for changed in (
            session.applied.changed,
            session.applied.stale_changed,
            session.results.problem_changed,
        ):
            changed.connect(self._show_improving)
        session.results.problem_changed.connect(self._on_problem_changed)
        self._show_improving()
        self._show()

    @property
    def is_settled(self) -> bool:
        return self._report.is_settled and self._examples.is_settled and self._metrics.is_settled

    def _use_room(self) -> None:
        if self.is_settled:  # parts that are still computed change their heights
            self._panel.use_spare_height()

    def _on_scores_changed(self) -> None:
        """Use new scores, and the values of the other metrics when available."""
        state = self._state
        self._scores, self._metric, self._details = state.scores, state.metric, state.details
        if self._session.shown.is_preview:
            self._show_head()  # the remaining parts wait until the knob is released
        else:
            self._show()

    # ------------------------------------------------------------------------------------------

    def _on_problem_changed(self, _problem: object, _error: object) -> None:
        self._scores, self._details, self._words = None, None, None
        self._report.forget()
        self._examples.forget()
        self._metrics.forget()
        self._show()

    def _node(self) -> Node | None:
        problem, selected = self._session.results.problem, self._session.selection.node
        if problem is None or selected is None or selected not in problem.lattice:
            return None
        return selected

    def _on_apply(self) -> None:
        if (node := self._node()) is not None:
            self.apply_requested.emit(node)

    def _show(self) -> None:
        self._panel.show_history(self._session.selection.can_go_back, self._session.selection.can_go_forward)
        node = self._node()
        if node is None:
            self._panel.show_nothing()
            return
        self._show_head()
        self._show_words(node)
        self._show_scores(node)
        if self._scores is not None:
            self._report.inspect(node)
        self._examples.show(node)

    def _show_head(self) -> None:
        node, problem, scores = self._node(), self._session.results.problem, self._scores
        if node is None or problem is None:
            return
        number = None if scores is None else scores.scored_number(node)
        chips: list[HeadChip] = []
        is_failing = False
        if scores is None or number is None:
            chips.append(HeadChip(self.tr("Not scored yet")))
        elif scores.satisfies[number]:
            chips.append(HeadChip(self.tr("Satisfies"), "ok"))
            rank = as_exact_count(int(scores.ranks[number]))
            whole = (
                self.tr("Rank {rank} of {n_satisfying} scored")
                if scores.is_part
                else self.tr("Rank {rank} of {n_satisfying}")
            )
            whole = whole.format(rank=rank, n_satisfying=as_exact_count(scores.n_satisfying))
            chips.append(HeadChip(whole, short=self.tr("Rank {rank}").format(rank=rank)))
            if scores.optimum is not None and scores.optimum != number:
                away = float(scores.values[number] - scores.values[scores.optimum])
                if is_shown_equal(self._metric, away):
                    equal = self.tr("equal {metric}").format(metric=metric_name(self._metric))
                    chips.append(HeadChip(equal, short=self.tr("equal")))
                else:
                    change = metric_change(self._metric, away)
                    chips.append(
                        HeadChip(self.tr("{change} from the optimum").format(change=change), short=change)
                    )
        else:
            is_failing = True
            why = why_fails(self._session, node).removesuffix(".")
            words = self.tr("Fails: {why}").format(why=why) if why else self.tr("Fails")
            chips.append(HeadChip(words, "danger", short=self.tr("Fails")))
        release = self._session.applied.release
        project = self._session.project
        is_current = (
            release is not None
            and project is not None
            and release.node == node
            and release.requirement == project.requirement
            and not self._session.applied.stale_text
        )
        recoded = recoding_title(release)
        is_applied = is_current and not recoded
        hint = self.tr("Make its release the current one (Enter)")
        if why := why_fails(self._session, node):
            hint = self.tr("{why} Its release could not be exported.").format(why=why)
        if is_applied:
            hint = self.tr("This node is applied")
        elif is_current:
            hint = self.tr("Return to its release with one level per column (Enter)")
        undecided = self._session.applied.why_undecided
        if undecided:
            hint = self.tr("Apply: {undecided}").format(undecided=undecided)
        words = self.tr("Applied, improved by {recoded}").format(recoded=recoded)
        self._panel.head.show_recoded(words if is_current and recoded else "")
        self._panel.show_head(
            self._named(node, fails=is_failing),
            chips,
            is_optimum=node == self._session.results.optimum,
            can_apply=not (is_applied or undecided),
            apply_hint=hint,
        )

    def _named(self, node: Node, *, fails: bool) -> NamedNode:
        results = self._session.results
        assert results.problem is not None
        words = self._level_words(results.problem)
        is_proved = results.is_optimum_proved
        return named_node(node, results.problem, results.optimum, words, is_proved=is_proved, fails=fails)

    def _show_improving(self, *_: object) -> None:
        self._panel.show_improving(why_not_improved(self._session))

    def _show_words(self, node: Node) -> None:
        problem = self._session.results.problem
        assert problem is not None
        words = self._level_words(problem)
        rows = [
            WordRow(a.name, level, a.hierarchy.height, words.level(q, level))
            for q, (a, level) in enumerate(zip(problem.attributes, node, strict=True))
            if level
        ]
        kept = [a.name for a, level in zip(problem.attributes, node, strict=True) if not level]
        if kept:
            rows.append(WordRow(self.tr("kept"), 0, 0, ", ".join(kept)))
        self._panel.words.show_rows(rows)

    def _level_words(self, problem: Problem) -> LevelWords:
        if self._words is None or self._words[0] is not problem:
            self._words = (problem, LevelWords(problem))
        return self._words[1]

    def _show_scores(self, node: Node) -> None:
        """Show the values looked up in the scores of all nodes."""
        problem, scores = self._session.results.problem, self._scores
        if problem is None or scores is None:
            return
        self._metrics.show(node)
        words = self._level_words(problem)
        steps = steps_from(node, problem, scores)
        if (number := scores.scored_number(node)) is not None:
            self._panel.show_figures(suppressed=as_exact_count(int(scores.suppressed[number])))
        optimum = self._session.results.optimum
        rows = [step_row(step, problem, words, self._metric, optimum) for step in steps]
        self._panel.steps.show_steps(step_lines(node, steps, rows, problem, words))
        self._report.show_scores(node, scores, self._details, list(zip(steps, rows, strict=True)))


_KEY = "examples"


class ExamplesPresenter(QObject):
    """Updates the example records with the selected node."""

    error_raised = Signal(object)

    def __init__(
        self, session: Session, runner: TaskRunner, part: ExamplesPart, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._session, self._runner, self._part = session, runner, part
        self._choice = ExampleChoice()
        self._of_class: tuple[ClassTable, int] | None = None
        self._node: Node | None = None
        self._shown: tuple[Project, Node, Requirement, ExampleChoice] | None = None
        part.kind_chosen.connect(lambda kind: self._choose(replace(self._choice, kind=kind)))
        part.again_requested.connect(lambda: self._choose(replace(self._choice, seed=self._choice.seed + 1)))

    @property
    def is_settled(self) -> bool:
        """True if the records belong to the current node."""
        return self._runner.running(_KEY) is None

    def forget(self) -> None:
        """Discard everything shown before."""
        self._runner.cancel(_KEY)
        self._shown, self._node, self._of_class = None, None, None

    def show(self, node: Node) -> None:
        """Show records of a node, unless they are shown already."""
        self._node = node
        session = self._session
        project, problem, requirement = session.project, session.results.problem, session.shown.requirement
        if project is None or problem is None or requirement is None or session.shown.is_preview:
            return
        if not session.results.is_problem_current:
            return
        choice = self._choice
        if choice.kind == OF_CLASS:
            choice = replace(choice, of_class=self._of_class)
        wanted = (project, node, requirement, choice)
        if self._shown is not None and self._shown[0] is project and self._shown[1:] == wanted[1:]:
            return
        self._shown = wanted
        self._part.show_examples(None)
        task = Task(example_records, project, problem, node, requirement, choice)
        task.succeeded.connect(self._on_found)
        task.failed.connect(self.error_raised)
        self._runner.start(task, key=_KEY)

    def show_class(self, table: ClassTable, number: int) -> None:
        """Show records of another class."""
        self._of_class = table, number
        if self._choice.kind == OF_CLASS and self._node is not None:
            self.show(self._node)

    def _choose(self, choice: ExampleChoice) -> None:
        self._choice = choice
        self._part.show_choice(choice.kind, choice.seed)
        if self._node is not None:
            self.show(self._node)

    def _on_found(self, examples: Examples) -> None:
        self._part.show_examples(examples)


_METRICS_KEY = "node-metrics"
Costly = dict[str, float]


class MetricsPresenter(QObject):
    """Shows every metric of the selected node, with bars once all nodes are measured."""

    error_raised = Signal(object)

    def __init__(
        self, state: ExploreState, runner: TaskRunner, panel: InspectorPanel, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._state, self._runner, self._panel = state, runner, panel
        self._node: Node | None = None
        self._asked: tuple[Evaluation, Node] | None = None
        self._measured: tuple[Evaluation, Node, Costly] | None = None

    @property
    def is_settled(self) -> bool:
        """True if all displayed metrics belong to the current node."""
        return self._runner.running(_METRICS_KEY) is None

    def forget(self) -> None:
        """Discard everything shown before."""
        self._runner.cancel(_METRICS_KEY)
        self._node = self._asked = self._measured = None

    def show(self, node: Node) -> None:
        """Show a node; slow values follow later."""
        self._node = node
        state = self._state
        scores, details, evaluation = state.scores, state.details, state.evaluation
        if scores is None:
            return
        where = self.tr("among the scored nodes") if scores.is_part else self.tr("in this lattice")
        rows = metric_rows(node, scores, state.metric, details, where)
        number, measured = scores.scored_number(node), self._measured
        is_complete = details is not None
        if details is not None and evaluation is not None and number is not None:
            if measured is not None and measured[0] is evaluation and measured[1] == node:
                alone = self.tr("of this node only; choose it as the metric to compare all nodes")
                rows += [metric_row(key, value, None, None, alone) for key, value in measured[2].items()]
            else:
                is_complete = False
                self._measure(evaluation, node, number)
        self._panel.metrics.show_rows(rows)
        self._panel.show_figures(metrics=as_exact_count(len(rows)))
        self._panel.utility.show_row(optimized_row(node, scores, state.metric))
        words = _scale_words(state.metric) if is_complete else self.tr("{metric} updating")
        self._panel.show_metrics_caption(words.format(metric=metric_name(state.metric)))

    def _measure(self, evaluation: Evaluation, node: Node, number: int) -> None:
        asked = self._asked
        if asked is not None and asked[0] is evaluation and asked[1] == node:
            return
        self._asked = (evaluation, node)
        task = Task(_costly, evaluation, number, self._state.metric)
        task.succeeded.connect(lambda values: self._on_measured(evaluation, node, values))
        task.failed.connect(self.error_raised)
        self._runner.start(task, key=_METRICS_KEY)

    def _on_measured(self, evaluation: Evaluation, node: Node, values: Costly) -> None:
        self._measured = (evaluation, node, values)
        if node == self._node:
            self.show(node)


def _scale_words(metric: str) -> str:
    """Return the scale of the bar of the optimized metric."""
    if metric == "loss":
        return _("{metric}, 0 kept to 1 hidden; | = optimum")
    return _("{metric}, 0 to 1; | = optimum") if has_unit_scale(metric) else _("{metric}; | = optimum")


def _costly(evaluation: Evaluation, number: int, chosen: str, monitor: Monitor = SILENT) -> Costly:
    """Return the metrics that are computed from classes, at one node."""
    from engine.utility import utility_metrics

    keys = [key for key, member in utility_metrics.items() if member.costly and key != chosen]
    values = {}
    for done, key in enumerate(keys):
        monitor.step(done, len(keys))
        values[key] = float(evaluation.metric_at(key, np.array([number]))[0])
    return values
