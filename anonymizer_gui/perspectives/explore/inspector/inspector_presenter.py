"""Fills the inspector: what is looked up at once, what a task computes, and what leads on from it."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import QObject, Signal

from anonymizer_gui.perspectives.explore.inspector.inspector_panel import HeadChip, InspectorPanel
from anonymizer_gui.perspectives.explore.inspector.inspector_values import (
    Examples,
    MetricRow,
    StepRow,
    WordRow,
    example_records,
    furthest,
    requirement_rows,
    why_it_fails,
)
from anonymizer_gui.perspectives.explore.inspector.model_lines import model_lines
from anonymizer_gui.perspectives.explore.knobs.knob_specs import model_variant
from anonymizer_gui.perspectives.explore.metric_text import (
    metric_change,
    metric_exact,
    metric_name,
    metric_text,
    metric_title,
)
from anonymizer_gui.perspectives.explore.node_scores import NodeScores
from anonymizer_gui.perspectives.explore.node_words import LevelWords
from anonymizer_gui.perspectives.explore.showing import Showing
from anonymizer_gui.session import Session
from anonymizer_gui.session.release_words import recoding_title, why_not_improved
from anonymizer_gui.tasks import Task, TaskRunner
from anonymizer_gui.widgets.numbers import as_decimal, as_exact_count, as_vector
from anonymizer_gui.widgets.size_histogram import histogram_of
from engine.privacy import Requirement

if TYPE_CHECKING:
    from engine.frequency import Problem
    from engine.lattice import Node
    from engine.project import Project
    from engine.scoring.inspection import NodeReport
    from engine.scoring.scored import Profile

_DIRECT_SECONDS = 0.03  # longer inspections go to a task
_DIRECT_RECORDS = 100_000  # those of larger tables always


class InspectorPresenter(QObject):
    """Listens for the selected node and for new scores."""

    apply_requested = Signal(object)  # node
    improve_requested = Signal()
    error_raised = Signal(object)

    def __init__(
        self,
        session: Session,
        runner: TaskRunner,
        showing: Showing,
        panel: InspectorPanel,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._session, self._runner, self._showing, self._panel = session, runner, showing, panel
        for signal in (showing.scores_changed, showing.details_changed):
            signal.connect(self._on_scores_changed)
        self._scores: NodeScores | None = None
        self._metric = "loss"
        self._details: Mapping[str, Any] | None = None
        self._words: tuple[Problem, LevelWords] | None = None
        self._seconds = 0.0
        self._inspected: tuple[Problem, Node, Requirement] | None = None
        self._exemplified: tuple[Project, Node, Requirement] | None = None
        panel.apply_requested.connect(self._on_apply)
        panel.improve_requested.connect(self.improve_requested)
        panel.back_requested.connect(session.back)
        panel.forward_requested.connect(session.forward)
        panel.node_requested.connect(session.select_node)
        session.node_selected.connect(lambda _node: self._show())
        session.release_changed.connect(lambda _release: self._show_head())
        for changed in (session.release_changed, session.stale_changed, session.problem_changed):
            changed.connect(self._show_improving)
        session.problem_changed.connect(self._on_problem_changed)
        self._show_improving()
        self._show()

    @property
    def is_settled(self) -> bool:
        return not (self._runner.running("inspect") or self._runner.running("examples"))

    def _on_scores_changed(self) -> None:
        """Take other scores, and the values of the other metrics once they are there."""
        showing = self._showing
        self._scores, self._metric, self._details = showing.scores, showing.metric, showing.details
        if self._session.is_previewing:
            self._show_head()  # the rest waits until the knob is let go
        else:
            self._show()

    # ------------------------------------------------------------------------------------------

    def _on_problem_changed(self, _problem: object, _error: object) -> None:
        self._scores, self._details = None, None
        self._inspected = self._exemplified = None
        self._show()

    def _node(self) -> Node | None:
        problem, selected = self._session.problem, self._session.selected
        if problem is None or selected is None or selected not in problem.lattice:
            return None
        return selected

    def _on_apply(self) -> None:
        if (node := self._node()) is not None:
            self.apply_requested.emit(node)

    def _show(self) -> None:
        self._panel.show_history(self._session.can_go_back, self._session.can_go_forward)
        node = self._node()
        if node is None:
            self._panel.show_nothing()
            return
        self._show_head()
        self._show_words(node)
        self._show_metrics(node)
        self._show_steps(node)
        self._inspect(node)
        self._find_examples(node)

    def _show_head(self) -> None:
        node, problem, scores = self._node(), self._session.problem, self._scores
        if node is None or problem is None:
            return
        number = None if scores is None else scores.scored_number(node)
        chips: list[HeadChip] = []
        if scores is None or number is None:
            chips.append(HeadChip(self.tr("Not scored yet")))
        elif scores.satisfies[number]:
            chips.append(HeadChip(self.tr("Satisfies"), "ok"))
            rank = as_exact_count(int(scores.ranks[number]))
            whole = self.tr("Rank {0} of {1} scored") if scores.is_part else self.tr("Rank {0} of {1}")
            whole = whole.format(rank, as_exact_count(scores.n_satisfying))
            chips.append(HeadChip(whole, short=self.tr("Rank {0}").format(rank)))
            if scores.optimum == number:
                is_known = scores.is_part and not self._session.is_optimum_proved
                chips.append(HeadChip(self.tr("Best known") if is_known else self.tr("Optimum")))
            elif scores.optimum is not None:
                away = float(scores.values[number] - scores.values[scores.optimum])
                change = metric_change(self._metric, away)
                chips.append(HeadChip(self.tr("{0} to optimum").format(change), short=change))
        else:
            chips.append(HeadChip(self.tr("Fails"), "danger"))
        release = self._session.release
        project = self._session.project
        is_current = (
            release is not None
            and project is not None
            and release.node == node
            and release.requirement == project.requirement
            and not self._session.stale_text
        )
        recoded = recoding_title(release)
        is_applied = is_current and not recoded
        hint = self.tr("Make its release the current one (Enter)")
        if is_applied:
            hint = self.tr("This node is applied")
        elif is_current:
            hint = self.tr("Go back to its release with one level per column (Enter)")
        words = self.tr("Applied, improved by {0}").format(recoded)
        self._panel.show_recoded(words if is_current and recoded else "")
        self._panel.show_head(as_vector(node), chips, can_apply=not is_applied, apply_hint=hint)

    def _show_improving(self, *_: object) -> None:
        self._panel.show_improving(why_not_improved(self._session))

    def _show_words(self, node: Node) -> None:
        problem = self._session.problem
        assert problem is not None
        words = self._level_words(problem)
        self._panel.show_words(
            [
                WordRow(a.name, level, a.hierarchy.height, words.level(q, level))
                for q, (a, level) in enumerate(zip(problem.attributes, node, strict=True))
            ]
        )

    def _level_words(self, problem: Problem) -> LevelWords:
        if self._words is None or self._words[0] is not problem:
            self._words = (problem, LevelWords(problem))
        return self._words[1]

    def _show_metrics(self, node: Node) -> None:
        problem, scores = self._session.problem, self._scores
        if problem is None or scores is None:
            return
        from engine.utility import utility_metrics

        number = scores.scored_number(node)
        where = self.tr("among the nodes scored") if scores.is_part else self.tr("in this lattice")
        arrays: dict[str, Any] = {self._metric: scores.values}
        arrays |= {k: v for k, v in (self._details or {}).items() if k in utility_metrics}
        rows = []
        for key, values in arrays.items():
            known = values[np.isfinite(values)]
            value = float("nan") if number is None else float(values[number])
            low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 1.0)
            span = high - low

            def share(of: float, low: float = low, span: float = span) -> float:
                return (of - low) / span if span > 0 and of == of else 0.0

            tick = None if scores.optimum is None else share(float(values[scores.optimum]))
            text = metric_text(key)
            detail = self.tr("{0}: {1}; {2} {3} to {4}").format(
                metric_title(key), metric_exact(key, value), where, text(low), text(high)
            )
            rows.append(MetricRow(metric_name(key), text(value), share(value), tick, detail))
        self._panel.show_metrics(rows, updating=self._details is None)

    def _show_steps(self, node: Node) -> None:
        problem, scores = self._session.problem, self._scores
        if problem is None or scores is None:
            return
        lattice, words = problem.lattice, self._level_words(problem)
        here = scores.value(node)
        rows: list[tuple[tuple[bool, bool, float], StepRow]] = []
        for is_up, around in ((False, lattice.predecessors(node)), (True, lattice.successors(node))):
            for other in around:
                number = scores.scored_number(other)
                q = next(i for i, (a, b) in enumerate(zip(node, other, strict=True)) if a != b)
                difference = scores.value(other) - here
                scored = number is not None
                satisfies = number is not None and bool(scores.satisfies[number])
                suppressed = self.tr("not scored")
                if number is not None:
                    suppressed = as_exact_count(int(scores.suppressed[number]))
                row = StepRow(
                    other,
                    is_up,
                    f"{problem.attributes[q].name} {_to(words.level(q, other[q]))}",
                    metric_change(self._metric, difference),
                    suppressed,
                    satisfies,
                    scored,
                )
                rows.append(((is_up, not satisfies, np.nan_to_num(difference, nan=np.inf)), row))
        rows.sort(key=lambda entry: entry[0])
        self._panel.show_steps([row for _, row in rows], metric_name(self._metric))

    # -- what the classes of the node say ------------------------------------------------------

    def _inspect(self, node: Node) -> None:
        profile, requirement, problem = (
            self._session.profile,
            self._session.requirement,
            self._session.problem,
        )
        if profile is None or requirement is None or problem is None or self._scores is None:
            return
        wanted = (problem, node, requirement)
        if wanted == self._inspected:
            return
        self._inspected = wanted
        is_quick = problem.n_records <= _DIRECT_RECORDS and self._seconds < _DIRECT_SECONDS
        if is_quick and profile.n_scored:
            started = time.perf_counter()
            report = _inspect(profile, node, requirement)
            self._runner.cancel("inspect")
            self._show_report(report)
            self._seconds = time.perf_counter() - started
            return
        task = Task(_inspect, profile, node, requirement)
        task.succeeded.connect(self._show_report)
        task.failed.connect(self.error_raised)
        self._runner.start(task, key="inspect")

    def _show_report(self, report: NodeReport) -> None:
        problem, requirement = self._session.problem, self._session.requirement
        if problem is None or requirement is None or report.node != self._session.selected:
            return
        if tuple(found.model for found in report.models) != requirement.models:
            return
        variants = [model_variant(model, problem) for model in requirement.models]
        rows = requirement_rows(report, requirement, variants)
        self._panel.show_requirement(rows, why_it_fails(report))
        self._panel.show_models(model_lines(report))
        shown = []
        for found in sorted(report.furthest, key=lambda entry: -entry.distance):
            size = as_exact_count(int(found.class_counts.sum()))
            text = self.tr("{0} records, t\u00a0=\u00a0{1}").format(size, as_decimal(found.distance, 3))
            if not found.is_kept:
                text += self.tr(", suppressed")
            shown.append(furthest(found, text))
        self._panel.show_classes(histogram_of(report.sizes, requirement.k), shown)

    def _find_examples(self, node: Node) -> None:
        project, problem, requirement = (
            self._session.project,
            self._session.problem,
            self._session.requirement,
        )
        if project is None or problem is None or requirement is None or self._session.is_previewing:
            return
        wanted = (project, node, requirement)
        if self._exemplified is not None and (
            self._exemplified[0] is project and self._exemplified[1:] == wanted[1:]
        ):
            return
        if not self._session.is_problem_current:
            return
        self._exemplified = wanted
        self._panel.show_examples(None)
        task = Task(example_records, project, problem, node, requirement)
        task.succeeded.connect(self._on_examples_found)
        task.failed.connect(self.error_raised)
        self._runner.start(task, key="examples")

    def _on_examples_found(self, examples: Examples) -> None:
        self._panel.show_examples(examples)


def _inspect(profile: Profile, node: Node, requirement: Requirement) -> NodeReport:
    from engine.scoring.inspection import inspect_node

    return inspect_node(profile, node, requirement)


def _to(words: str) -> str:
    return words if words in ("kept", "hidden") else f"to {words}"
