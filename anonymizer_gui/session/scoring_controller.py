"""Keeps problem, profile and evaluation up to date with the project: compiles, scores, evaluates."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from anonymizer_gui.session.preferences import Preferences
from anonymizer_gui.session.results import Box, ExplorationRun, Exploring, score_around
from anonymizer_gui.session.session import Session
from anonymizer_gui.tasks import Task
from engine.errors import AnonymizerError, InvariantError
from engine.lattice import Node
from engine.monitor import SILENT, Monitor, StretchMonitor
from engine.privacy import Requirement
from engine.project import Project

if TYPE_CHECKING:
    from engine.frequency import Problem
    from engine.scoring import Evaluation, LatticeProfile
    from engine.scoring.explored import ExploredProfile
    from engine.scoring.scored import Profile

POLLS_PER_SECOND = 15
# Largest share of the time for evaluations while a scoring runs.
SHARE_FOR_EVALUATION = 0.1
SHORTEST_PAUSE = 0.4  # seconds between two evaluations while scoring
AT_ONCE = 0.012  # seconds of an evaluation up to which the next turn is evaluated without a task
PAUSE_OF_KNOB = 200  # milliseconds without a turn, after which values of failing nodes are computed
COMPLETE = "complete"  # key of the task
_COUNTED = 0.7  # about the share of the time of compiling in which records of files are counted
_MEGABYTE = 1 << 20


class ScoringController(QObject):
    """Recompiles and scores after a change of table, roles or hierarchies.

    A lattice too large to score completely is searched best first under the current requirement, until the
    optimum is proven or `NODES_AT_ONCE` nodes are scored.
    """

    state_changed = Signal()  # is_scoring, can_continue or failure
    scoring_failed = Signal(object)  # the exception

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._runner = session.runner
        self._memory = Preferences().score_memory * _MEGABYTE
        self._scoring: Task | None = None
        self._run: ExplorationRun | None = None
        self.was_stopped = False  # whether the user stopped the scoring, or compiling before it
        self._offered: Node | None = None  # selected automatically; replaced by a better one
        self._has_just_ended = False  # a run whose last evaluation is pending
        self._evaluating: Task | None = None
        self._evaluated: Requirement | None = None  # of the evaluation started last
        self._evaluation_wanted = False
        self._evaluation_started = 0.0
        self._evaluation_seconds = 0.0
        self._turn_seconds = inf  # processor time of the last evaluation
        self._complete_soon = QTimer(self, singleShot=True)
        self._complete_soon.timeout.connect(self._complete)
        self._poll = QTimer(self, interval=1000 // POLLS_PER_SECOND)
        self._poll.timeout.connect(self._on_poll)
        # One edit can change several parts: compile once, after the last signal.
        self._compile_soon = QTimer(self, singleShot=True, interval=0)
        self._compile_soon.timeout.connect(self._compile)
        session.project_opened.connect(self._on_project_opened)
        session.selection.changed.connect(self._on_node_selected)
        for signal in (
            session.parts.table_changed,
            session.parts.roles_changed,
            session.parts.hierarchies_changed,
            session.parts.rules_changed,
        ):
            signal.connect(self._compile_soon.start)
        for signal in (
            session.parts.requirement_changed,
            session.parts.search_changed,
            session.shown.changed,
        ):
            signal.connect(self._on_requirement_changed)

    @property
    def is_scoring(self) -> bool:
        return self._scoring is not None

    @property
    def is_settled(self) -> bool:
        """Return whether nothing is being compiled, scored or evaluated, or about to be."""
        return not (
            self._compile_soon.isActive()
            or self._runner.running("compile")
            or self._runner.running("score node")
            or self._scoring is not None
            or self._evaluating is not None
            or self._complete_soon.isActive()
            or self._runner.running(COMPLETE)
        )

    @property
    def can_continue(self) -> bool:
        """Return whether more can be scored: it was stopped, or the optimum is not yet proven."""
        profile = self._session.results.profile
        if not self._session.results.is_problem_current:
            return self.was_stopped
        if profile is None or self.is_scoring or profile.is_complete:
            return False
        exploring = self._session.results.exploring
        return exploring is None or not (exploring.is_proved or exploring.is_full)

    def set_memory(self, megabytes: int) -> None:
        """Set the memory limit for scores; a partly scored lattice may continue within it."""
        self._memory = megabytes * _MEGABYTE
        exploring = self._session.results.exploring
        if exploring is not None and exploring.is_full and not self.is_scoring:
            self._session.results.set_exploring(replace(exploring, is_full=False))
            self.state_changed.emit()

    def continue_scoring(self) -> None:
        """Score the remaining nodes, or continue the best-first search; compile first if that was stopped."""
        if not self.can_continue:
            return
        if not self._session.results.is_problem_current:
            self._compile()
        elif self._session.results.profile is not None:
            self._score(self._session.results.profile)

    def score_boxes(self, boxes: Sequence[Box]) -> None:
        """Search boxes of a partly scored lattice for their best nodes, unless it is being scored."""
        from engine.scoring.explored import ExploredProfile

        profile, exploring = self._session.results.profile, self._session.results.exploring
        if not self.is_scoring and isinstance(profile, ExploredProfile) and exploring is not None:
            self._run = self._new_run(profile, exploring, boxes)
            self._start(Task(self._run.run_boxes), self.tr("Scoring the best nodes of levels"))

    def score_again(self) -> None:
        """Compile and score from the beginning."""
        if self._session.project is not None:
            self._compile()

    # -- compiling -----------------------------------------------------------------------------

    def _on_project_opened(self, project: Project | None) -> None:
        self._stop_all()
        if project is not None:
            self._compile_soon.start()

    def _stop_all(self) -> None:
        self._compile_soon.stop()
        self._complete_soon.stop()
        for key in ("compile", "score", "score node", "evaluate", COMPLETE):
            self._runner.cancel(key)
        self._scoring = self._evaluating = self._run = None
        self.was_stopped = self._evaluation_wanted = False
        self._turn_seconds = inf
        self._poll.stop()
        self.state_changed.emit()

    def _compile(self) -> None:
        project = self._session.project
        self._stop_all()
        if project is None or self._session.reading.is_provisional:
            return
        task = Task(_compile, project, self._memory, self._session.results.profile)
        task.succeeded.connect(self._on_compiled)
        task.failed.connect(lambda error: self._on_compile_failed(project, error))
        task.cancelled.connect(self._on_compile_cancelled)
        self._runner.start(task, key="compile")

    def _on_compiled(self, result: tuple[Project, Problem, LatticeProfile | ExploredProfile]) -> None:
        from engine.scoring.explored import ExploredProfile

        project, problem, profile = result
        self._session.results.set_problem(problem, made_from=project)
        exploring = None
        if isinstance(profile, ExploredProfile):
            exploring = Exploring.of(project)
        self._session.results.set_profile(profile, exploring)
        if self._session.project is not None and self._session.project.requirement != project.requirement:
            self._on_requirement_changed()  # while the old one was compiled
            if self._compile_soon.isActive():
                return
        self._score(profile)
        self._on_node_selected(self._session.selection.node)

    def _on_compile_failed(self, project: Project, error: Exception) -> None:
        if not isinstance(error, AnonymizerError):
            raise error
        self._session.results.set_problem(None, error, made_from=project)
        self.state_changed.emit()

    def _on_compile_cancelled(self) -> None:
        # A replaced compilation ends here too and is ignored.
        if self._session.project is not None and not self._runner.running("compile"):
            self.was_stopped = True
            self.state_changed.emit()

    # -- scoring -------------------------------------------------------------------------------

    def _score(self, profile: Profile) -> None:
        from engine.scoring.explored import ExploredProfile

        self.was_stopped, self._has_just_ended, self._run = False, False, None
        if isinstance(profile, ExploredProfile):
            assert self._session.project is not None, "there is no profile without a project"
            wanted, known = Exploring.of(self._session.project), self._session.results.exploring
            self._run = self._new_run(
                profile, wanted if known is None else replace(wanted, proved=known.proved)
            )
            self._start(Task(self._run.run), self.tr("Scoring best nodes first"))
        else:
            self._start(Task(_score, profile), self.tr("Scoring the lattice"))

    def _start(self, task: Task, label: str) -> None:
        task.succeeded.connect(self._on_scored)
        task.failed.connect(self._on_score_failed)
        task.cancelled.connect(self._on_score_cancelled)
        self._scoring = task
        self._runner.start(task, label=label, key="score")
        self._poll.start()
        self.state_changed.emit()

    def _new_run(
        self, profile: ExploredProfile, wanted: Exploring, boxes: Sequence[Box] = ()
    ) -> ExplorationRun:
        from engine.project.compile import objective_of

        project = self._session.project
        assert project is not None, "there is no profile without a project"
        objective = objective_of(project, profile.problem)
        run = ExplorationRun(profile, wanted, objective, self._memory, boxes)
        self._session.results.set_exploring(run.state)
        return run

    def _on_scored(self, _result: object) -> None:
        if self.sender() is self._scoring:
            self._end_scoring()

    def _on_score_failed(self, error: Exception) -> None:
        self._end_scoring()
        self.scoring_failed.emit(error)
        if not isinstance(error, AnonymizerError | MemoryError | InvariantError):
            raise error

    def _on_score_cancelled(self) -> None:
        # A replaced scoring ends here too and is ignored.
        if self.sender() is self._scoring:
            self.was_stopped = True
            self._end_scoring()

    def _end_scoring(self) -> None:
        self._scoring = None
        self._has_just_ended = True
        self._poll.stop()
        self._show_progress()
        self._evaluate()
        self.state_changed.emit()

    def _on_poll(self) -> None:
        self._show_progress()
        pause = max(self._evaluation_seconds / SHARE_FOR_EVALUATION, SHORTEST_PAUSE)
        if self._evaluating is None and time.monotonic() - self._evaluation_started > pause:
            self._evaluate()

    def _show_progress(self) -> None:
        if self._run is not None:
            self._session.results.set_exploring(self._run.state)
        self._session.results.scoring_progressed.emit()

    def _on_node_selected(self, node: Node | None) -> None:
        """Score the selected node soon, and in a partly scored lattice then its neighbours."""
        profile = self._session.results.profile
        if node != self._offered:
            self._offered = None
        if node is None or profile is None:
            return
        from engine.scoring import LatticeProfile

        if isinstance(profile, LatticeProfile):
            profile.prefer(node)
            return
        task = Task(_score_node, profile, node)
        task.succeeded.connect(self._on_node_scored)
        task.failed.connect(self.scoring_failed)
        self._runner.start(task, key="score node")

    def _on_node_scored(self, result: tuple[ExploredProfile, Node, bool]) -> None:
        profile, node, is_new = result
        if profile is not self._session.results.profile:
            return
        if is_new:
            self._session.results.scoring_progressed.emit()
            self._evaluate()
        if node == self._session.selection.node:
            task = Task(score_around, profile, node)
            task.succeeded.connect(self._on_surroundings_scored)
            task.failed.connect(self.scoring_failed)
            self._runner.start(task, key="score node")

    def _on_surroundings_scored(self, result: tuple[ExploredProfile, int]) -> None:
        profile, n_new = result
        if profile is self._session.results.profile and n_new:
            self._session.results.scoring_progressed.emit()
            self._evaluate()

    # -- evaluating ----------------------------------------------------------------------------

    def _on_requirement_changed(self) -> None:
        profile, requirement = self._session.results.profile, self._session.shown.requirement
        if not self._session.results.is_problem_current:
            return  # the columns of the requirement are still to be compiled
        if profile is not None and requirement is not None and _can_evaluate(profile, requirement):
            self._announce_bound(profile, requirement)
            self._evaluate()
            self._explore_under_new_settings()
        elif profile is not None or self._session.results.problem_error is not None:
            # The new requirement needs values that were not measured or compiled before, so compile again.
            self._compile_soon.start()

    def _announce_bound(self, profile: Profile, requirement: Requirement) -> None:
        """Announce the nodes that may satisfy, and that surely do, if known before the exact evaluation."""
        if not self._session.shown.is_preview or not requirement.has_attackers or self.is_scoring:
            return
        from engine.scoring.evaluate import may_satisfy, surely_satisfy

        possible = may_satisfy(profile, requirement)
        if possible is not None:
            self._session.results.bound_changed.emit(possible, surely_satisfy(profile, requirement))

    def _explore_under_new_settings(self) -> None:
        """Restart the best-first search, unless a knob is turning or the user stopped scoring."""
        session = self._session
        if (
            not session.results.is_explored
            or session.shown.is_preview
            or self.was_stopped
            or session.results.profile is None
        ):
            return
        if session.results.exploring is None:
            self._score(session.results.profile)

    def _evaluate(self) -> None:
        """Evaluate under the requirement shown; while an evaluation runs only the latest request waits."""
        profile, requirement = self._session.results.profile, self._session.shown.requirement
        project = self._session.project
        if profile is None or requirement is None or project is None:
            return
        if not self._session.results.is_problem_current:
            return  # after undo, the requirement may name columns that the old problem does not have
        if self._evaluating is not None:
            self._evaluation_wanted = True
            running = self._evaluated
            if running != requirement and running and _is_slow(running):
                self._runner.cancel("evaluate")  # estimated values are kept
            return
        self._evaluation_wanted = False
        self._complete_soon.stop()
        self._runner.cancel(COMPLETE)
        self._evaluation_started = time.monotonic()
        if self._is_short(profile, requirement):
            self._evaluate_now(project, profile, requirement)
            return
        task = Task(_evaluate, project, profile, requirement, self._session.shown.metric)
        task.succeeded.connect(self._on_evaluated)
        task.failed.connect(self._on_evaluation_failed)
        task.ended.connect(self._on_evaluation_ended)
        self._evaluating, self._evaluated = task, requirement
        label = "" if requirement.earlier is None else self.tr("Comparing nodes with earlier releases")
        self._runner.start(task, label=label, key="evaluate")

    def _evaluate_now(self, project: Project, profile: Profile, requirement: Requirement) -> None:
        try:
            result = _evaluate(project, profile, requirement, self._session.shown.metric, SILENT)
        except Exception as error:
            self._on_evaluation_failed(error)
        else:
            self._on_evaluated(result)

    def _is_short(self, profile: Profile, requirement: Requirement) -> bool:
        """Return whether a turn of a knob takes less time than handing it to another thread is worth."""
        return (
            self._session.shown.is_preview
            and profile.is_complete
            and self._turn_seconds <= AT_ONCE
            and requirement.earlier is None
            and not any(model.is_costly for model in requirement.models)
            and not _is_costly(self._session.shown.metric)
        )

    def _on_evaluated(self, result: tuple[Profile, Evaluation, float]) -> None:
        profile, evaluation, self._turn_seconds = result
        self._evaluation_seconds = time.monotonic() - self._evaluation_started
        if profile is not self._session.results.profile:
            return
        self._session.results.set_evaluation(evaluation)
        self._offer_optimum(profile)
        is_turning = self._session.shown.is_preview
        is_complete = evaluation.is_complete_for(self._session.shown.metric)
        if not (is_complete and (is_turning or evaluation.has_turns)):
            self._complete_soon.start(PAUSE_OF_KNOB if is_turning else 0)

    def _complete(self) -> None:
        """Compute the values of failing nodes in the background; the next evaluation cancels it."""
        evaluation = self._session.results.evaluation
        if evaluation is None or self._evaluating is not None:
            return
        is_at_rest = not self._session.shown.is_preview
        task = Task(_complete, evaluation, self._session.shown.metric, is_at_rest)
        task.succeeded.connect(self._session.results.announce_complete)
        task.failed.connect(self._on_evaluation_failed)
        task.ended.connect(self.state_changed)
        self._runner.start(task, key=COMPLETE)

    def _offer_optimum(self, profile: Profile) -> None:
        """Select the optimum or best node so far, unless the user has selected a node."""
        session = self._session
        if not session.results.is_explored:
            evaluation = session.results.evaluation
            # It may be of a partial profile while the last nodes were scored.
            is_complete = evaluation is not None and evaluation.n_scored == evaluation.lattice.n_nodes
            if session.selection.node is None and profile.is_complete and is_complete:
                self._offered = session.results.optimum
                session.selection.select(session.results.optimum)
            return
        is_at_end = self._has_just_ended and not self._evaluation_wanted
        may_offer = session.selection.node is None or (is_at_end and session.selection.node == self._offered)
        if is_at_end:
            self._has_just_ended = False
        if may_offer and session.results.optimum is not None and not session.shown.is_preview:
            self._offered = session.results.optimum
            session.selection.select(session.results.optimum)

    def offer_present_optimum(self) -> None:
        """Select the optimum of the present settings, if no other node was selected since the last one."""
        session = self._session
        if self._offered is not None and session.selection.node == self._offered:
            self._offered = session.results.optimum
            session.selection.select(session.results.optimum)

    def _on_evaluation_failed(self, error: Exception) -> None:
        self._session.results.set_evaluation(None)
        self.scoring_failed.emit(error)
        if not isinstance(error, AnonymizerError):
            raise error

    def _on_evaluation_ended(self) -> None:
        if self.sender() is not self._evaluating:
            return
        self._evaluating = None
        if self._evaluation_wanted:
            self._evaluate()
        else:
            self.state_changed.emit()


def _can_evaluate(profile: Profile, requirement: Requirement) -> bool:
    """Return whether the scores contain the values that a requirement compares, population included."""
    people = profile.problem.people
    knows_members = people is not None and people.leaves is not None
    knows_people = all(
        knows_members if model.needs_members else people is not None
        for model in requirement.models
        if model.needs_people
    )
    earlier, known = requirement.earlier, profile.problem.earlier
    knows_earlier = earlier is None or (known is not None and known.path == earlier.path)
    return knows_people and knows_earlier and profile.covers(requirement)


def _compile(
    project: Project, memory: int, old: Profile | None, monitor: Monitor = SILENT
) -> tuple[Project, Problem, LatticeProfile | ExploredProfile]:
    """Compile, and reuse earlier scores if they would not change."""
    from engine.project.compile import compile_problem
    from engine.scoring.explored import ExploredProfile
    from engine.scoring.limits import profile_for
    from engine.scoring.profile import LatticeProfile
    from engine.scoring.reuse import reuse

    problem = compile_problem(project, StretchMonitor(monitor, 0, _COUNTED))
    profile = profile_for(problem, project.requirement, memory, StretchMonitor(monitor, _COUNTED, 1))
    if isinstance(profile, ExploredProfile):
        profile.score(problem.lattice.minimum)
        profile.score(problem.lattice.maximum)
    elif not (isinstance(old, LatticeProfile) and reuse(profile, old)):
        profile.cells()  # computes data shared by scoring and evaluation, before two threads request it
    return project, problem, profile


def _score(profile: LatticeProfile, monitor: Monitor = SILENT) -> LatticeProfile:
    from engine.scoring import score_lattice

    return score_lattice(profile.problem, monitor, profile)


def _score_node(profile: ExploredProfile, node: Node) -> tuple[ExploredProfile, Node, bool]:
    is_new = node not in profile
    profile.score(node)
    return profile, node, is_new


def _evaluate(
    project: Project, profile: Profile, requirement: Requirement, metric: str, monitor: Monitor
) -> tuple[Profile, Evaluation, float]:
    """Evaluate, including values that the window reads on the GUI thread, so that it only looks them up.

    If values of failing nodes take long, they are left to `_complete`. The last value is the processor time.
    """
    from engine.project.compile import objective_of
    from engine.scoring.evaluate import evaluate, surely_satisfy

    _tables = surely_satisfy(profile, requirement)  # which the next turn looks up
    started = time.thread_time()
    objective = objective_of(project, profile.problem)
    evaluation = evaluate(profile, requirement, objective).watched_by(monitor)
    _states = evaluation.satisfies, evaluation.n_satisfying, evaluation.minimal
    if evaluation.is_bounded:
        _values = evaluation.metric_of_satisfying(metric)
    else:
        evaluation.complete(metric, monitor)
    _optimum = evaluation.optimum(metric)
    return profile, evaluation, time.thread_time() - started


def _is_slow(requirement: Requirement) -> bool:
    """Return whether evaluating it may take seconds, and can be cancelled."""
    is_costly = requirement.has_attackers or requirement.earlier is not None
    return is_costly or any(model.is_costly for model in requirement.models)


def _is_costly(metric: str) -> bool:
    from engine.utility import utility_metrics

    return utility_metrics[metric].costly


def _complete(evaluation: Evaluation, metric: str, is_at_rest: bool, monitor: Monitor) -> Evaluation:
    """Compute the values of failing nodes, and if no knob is held, what one turned next reads."""
    evaluation.complete(metric, monitor)
    if is_at_rest:
        evaluation.prepare_turns(monitor)
    return evaluation
