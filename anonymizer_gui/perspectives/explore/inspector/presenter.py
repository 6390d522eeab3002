"""Fills head, words and scores of the inspector; other presenters fill the remaining parts."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QObject, Signal

from anonymizer_gui.perspectives.explore.explore_state import ExploreState
from anonymizer_gui.perspectives.explore.inspector.line_grid import Item
from anonymizer_gui.perspectives.explore.inspector.panel import InspectorPanel
from anonymizer_gui.perspectives.explore.inspector.parts import HeadChip
from anonymizer_gui.perspectives.explore.inspector.record import RecordPresenter
from anonymizer_gui.perspectives.explore.inspector.report_presenter import ReportPresenter
from anonymizer_gui.perspectives.explore.inspector.result_presenter import ResultPresenter
from anonymizer_gui.perspectives.explore.inspector.score_lines import (
    metric_line,
    metric_lines,
    optimized_line,
    step_lines,
    steps_from,
)
from anonymizer_gui.perspectives.explore.inspector.values import StepLine
from anonymizer_gui.perspectives.explore.metric_text import (
    has_unit_scale,
    is_shown_equal,
    metric_change,
    metric_name,
)
from anonymizer_gui.perspectives.explore.prices.rows import kept_detail
from anonymizer_gui.session.words import recoding_title, why_fails, why_not_improved
from engine.monitor import SILENT, Monitor
from engine.numbers import as_exact_count
from engine.words import _

if TYPE_CHECKING:
    from engine.lattice import Node
    from engine.scoring import Evaluation


class InspectorPresenter(QObject):
    """Listener for the selected node and new scores."""

    apply_requested = Signal(object)  # node
    improve_requested = Signal()

    def __init__(self, state: ExploreState, panel: InspectorPanel) -> None:
        super().__init__(panel)
        self._session, self._state, self._panel = state.session, state, panel
        for signal in (state.scores_rested, state.details_changed, state.prices_changed):
            signal.connect(state.in_turn(self._on_scores_changed, panel))
        self._report = ReportPresenter(state.session, panel)
        self._record = RecordPresenter(state, panel.record, panel.result.record)
        self._metrics = MetricsPresenter(state, panel)
        self.result = ResultPresenter(state, panel)
        self._report.inspected.connect(self.result.show_report)
        self._report.class_shown.connect(self._record.show_class)
        panel.head.apply.clicked.connect(self._on_apply)
        panel.improve.clicked.connect(self.improve_requested)
        panel.back.clicked.connect(state.session.selection.back)
        panel.forward.clicked.connect(state.session.selection.forward)
        panel.node_requested.connect(state.session.selection.select)
        panel.room_timer.timeout.connect(self._use_room)
        state.session.selection.changed.connect(lambda _node: self._show())
        state.session.applied.changed.connect(lambda _release: self._show_head())
        state.session.parts.roles_changed.connect(self._show_head)
        for changed in (
            state.session.applied.changed,
            state.session.applied.stale_changed,
            state.session.results.problem_changed,
        ):
            changed.connect(self._show_improving)
        state.session.results.problem_changed.connect(self._on_problem_changed)
        self._show_improving()
        self._show()

    def _use_room(self) -> None:
        if not self._session.runner.is_running(
            "explore.inspect."
        ):  # parts that are still computed change their heights
            self._panel.use_spare_height()

    def _on_scores_changed(self) -> None:
        """Show new scores, and the values of the other metrics when available."""
        if self._session.shown.is_preview:
            self._show_head()  # the remaining parts wait until the knob is released
        else:
            self._show()

    # ------------------------------------------------------------------------------------------

    def _on_problem_changed(self, _problem: object, _error: object) -> None:
        self._report.forget()
        self._record.forget()
        self._metrics.forget()
        self._show()

    def _on_apply(self) -> None:
        if (node := self._state.selected) is not None:
            self.apply_requested.emit(node)

    def _show(self) -> None:
        self._panel.show_history(self._session.selection.can_go_back, self._session.selection.can_go_forward)
        node = self._state.selected
        if node is None:
            self._panel.show_nothing()
            return
        self._show_head()
        self._show_words(node)
        self._show_scores(node)
        if self._state.scores is not None:
            self._report.inspect(node)
        self._record.show()

    def _show_head(self) -> None:
        node, scores, metric = self._state.selected, self._state.scores, self._state.metric
        if node is None:
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
                if is_shown_equal(metric, away):
                    equal = self.tr("equal {metric}").format(metric=metric_name(metric))
                    chips.append(HeadChip(equal, short=self.tr("equal")))
                else:
                    change = metric_change(metric, away)
                    words = self.tr("{change} from the optimum")
                    if self._session.results.is_best_so_far:
                        words = self.tr("{change} from the best so far")
                    chips.append(HeadChip(words.format(change=change), short=change))
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
        self._panel.show_node()
        self._panel.head.show_node(
            self._state.named(node, fails=is_failing),
            chips,
            is_optimum=node == self._session.results.optimum,
            can_apply=not (is_applied or undecided),
            apply_hint=hint,
        )

    def _show_improving(self, *_: object) -> None:
        self._panel.show_improving(why_not_improved(self._session))

    def _show_words(self, node: Node) -> None:
        problem, words = self._state.problem, self._state.words
        if problem is None or words is None:
            return
        lines = [
            (Item(a.name), Item(level=(level, a.hierarchy.height)), Item(words.level(q, level)))
            for q, (a, level) in enumerate(zip(problem.attributes, node, strict=True))
            if level
        ]
        unchanged = [a.name for a, level in zip(problem.attributes, node, strict=True) if not level]
        if unchanged:
            lines.append((Item(self.tr("unchanged")), Item(), Item(", ".join(unchanged))))
        self._panel.words.show_lines(lines)

    def _show_scores(self, node: Node) -> None:
        """Show the values looked up in the scores of all nodes."""
        problem, words, scores = self._state.problem, self._state.words, self._state.scores
        if problem is None or words is None or scores is None:
            return
        self._metrics.show(node)
        optimum = self._session.results.optimum
        steps = steps_from(node, problem, scores, words, self._state.metric, optimum)
        if (number := scores.scored_number(node)) is not None:
            self._panel.sections["why"].figure.setText(as_exact_count(int(scores.suppressed[number])))
        self._panel.steps.show_steps(self._priced(node, step_lines(node, steps, problem, words)))
        self._report.show_scores(node, scores, self._state.details, steps)

    def _priced(self, node: Node, lines: list[StepLine]) -> list[StepLine]:
        """Add what a finer level costs with the other columns free, where the step to it alone fails."""
        priced, evaluation = self._state.priced, self._state.evaluation
        if priced is None or evaluation is None or priced.problem is not self._state.problem:
            return lines
        found = []
        for q, line in enumerate(lines):
            if line.finer is not None and line.finer.is_scored and not line.finer.satisfies:
                detail = kept_detail(priced, evaluation, node, q, line.finer.node[q])
                found.append(replace(line, kept=detail.words, kept_at=detail.node))
            else:
                found.append(line)
        return found


_METRICS_KEY = "explore.inspect.metrics"
Costly = dict[str, float]


class MetricsPresenter(QObject):
    """Shows every metric of the selected node, with bars once all nodes are measured."""

    def __init__(self, state: ExploreState, panel: InspectorPanel) -> None:
        super().__init__(panel)
        self._state, self._runner, self._panel = state, state.session.runner, panel
        self._node: Node | None = None
        self._asked: tuple[Evaluation, Node] | None = None
        self._measured: tuple[Evaluation, Node, Costly] | None = None

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
        lines = metric_lines(node, scores, state.metric, details, where)
        number, measured = scores.scored_number(node), self._measured
        is_complete = details is not None
        if details is not None and evaluation is not None and number is not None:
            if measured is not None and measured[0] is evaluation and measured[1] == node:
                alone = self.tr("of this node only; choose it as the metric to compare all nodes")
                lines += [metric_line(key, value, None, None, alone) for key, value in measured[2].items()]
            else:
                is_complete = False
                self._measure(evaluation, node, number)
        self._panel.metrics.show_lines(lines)
        self._panel.sections["metrics"].figure.setText(as_exact_count(len(lines)))
        self._panel.utility.show_line(optimized_line(node, scores, state.metric))
        words = _scale_words(state.metric) if is_complete else self.tr("{metric} updating")
        best = _("best so far") if state.session.results.is_best_so_far else _("optimum")
        caption = words.format(metric=metric_name(state.metric), best=best)
        self._panel.sections["utility"].caption.setText(caption)

    def _measure(self, evaluation: Evaluation, node: Node, number: int) -> None:
        asked = self._asked
        if asked is not None and asked[0] is evaluation and asked[1] == node:
            return
        self._asked = (evaluation, node)
        show = partial(self._on_measured, evaluation, node)
        self._runner.run(_costly, evaluation, number, self._state.metric, then=show, key=_METRICS_KEY)

    def _on_measured(self, evaluation: Evaluation, node: Node, values: Costly) -> None:
        self._measured = (evaluation, node, values)
        if node == self._node:
            self.show(node)


def _scale_words(metric: str) -> str:
    """Return the scale of the bar of the optimized metric."""
    if metric == "loss":
        return _("{metric}, 0 unchanged to 1 hidden; | = {best}")
    return _("{metric}, 0 to 1; | = {best}") if has_unit_scale(metric) else _("{metric}; | = {best}")


def _costly(evaluation: Evaluation, number: int, chosen: str, monitor: Monitor = SILENT) -> Costly:
    """Return the metrics that are computed from classes, at one node."""
    from engine.utility import utility_metrics

    keys = [key for key, member in utility_metrics.items() if member.costly and key != chosen]
    values = {}
    for done, key in enumerate(keys):
        monitor.step(done, len(keys))
        values[key] = float(evaluation.metric_at(key, np.array([number]))[0])
    return values
