"""Keeps problem, profile and evaluation up to date with the project: compiles, scores, evaluates."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from anonymizer_gui.session.exploring import ExplorationRun, Exploring, score_around
from anonymizer_gui.session.preferences import Preferences
from anonymizer_gui.session.session import Session
from anonymizer_gui.tasks import Task, TaskRunner
from engine.errors import AnonymizerError, InvariantError
from engine.lattice import Node
from engine.monitor import SILENT, Monitor
from engine.privacy import Requirement
from engine.project import Project

if TYPE_CHECKING:
    from engine.frequency import Problem
    from engine.scoring import Evaluation, LatticeProfile
    from engine.scoring.explored import ExploredProfile
    from engine.scoring.scored import Profile

POLLS_PER_SECOND = 15
# While a scoring runs, evaluating may take no more than this share of the time.
SHARE_FOR_EVALUATION = 0.1
SHORTEST_PAUSE = 0.4  # seconds between two evaluations while scoring
_MEGABYTE = 1 << 20


class ScoringController(QObject):
    """Listens to the session; a change of table, roles or hierarchies compiles and scores anew.

    A lattice too large to score whole is explored: the most promising nodes are scored, under the
    requirement of now, until the optimum is proved or enough is known for a look.
    """

    state_changed = Signal()  # is_scoring, can_continue or failure
    scoring_failed = Signal(object)  # the exception

    def __init__(self, session: Session, runner: TaskRunner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._runner = runner
        self._memory = Preferences().score_memory * _MEGABYTE
        self._scoring: Task | None = None
        self._run: ExplorationRun | None = None
        self._was_stopped = False
        self._offered: Node | None = None  # selected for want of a choice; gives way to a better one
        self._has_just_ended = False  # a run, whose last evaluation is still to come
        self._evaluating: Task | None = None
        self._evaluated: Requirement | None = None  # of the evaluation that was started last
        self._evaluation_wanted = False
        self._evaluation_started = 0.0
        self._evaluation_seconds = 0.0
        self._poll = QTimer(self)
        self._poll.setInterval(1000 // POLLS_PER_SECOND)
        self._poll.timeout.connect(self._on_poll)
        # Several parts can change in one edit; compile once, after the last of their signals.
        self._compile_soon = QTimer(self)
        self._compile_soon.setSingleShot(True)
        self._compile_soon.setInterval(0)
        self._compile_soon.timeout.connect(self._compile)
        session.project_opened.connect(self._on_project_opened)
        session.selection.changed.connect(self._on_node_selected)
        for signal in (
            session.parts.table_changed,
            session.parts.roles_changed,
            session.parts.hierarchies_changed,
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
        """Whether nothing is compiled, scored or evaluated at the moment, nor about to be."""
        return not (
            self._compile_soon.isActive()
            or self._runner.running("compile")
            or self._runner.running("score node")
            or self._scoring is not None
            or self._evaluating is not None
        )

    @property
    def can_continue(self) -> bool:
        """Whether there is more to score: a scoring was stopped, or an exploration has proved nothing yet."""
        profile = self._session.results.profile
        if profile is None or self.is_scoring or profile.is_complete:
            return False
        exploring = self._session.results.exploring
        return exploring is None or not (exploring.is_proved or exploring.is_full)

    @property
    def was_stopped(self) -> bool:
        """Whether the person stopped the scoring."""
        return self._was_stopped

    def set_memory(self, megabytes: int) -> None:
        """Let scores take so much memory; what is explored may go on within it."""
        self._memory = megabytes * _MEGABYTE
        exploring = self._session.results.exploring
        if exploring is not None and exploring.is_full and not self.is_scoring:
            self._session.results.set_exploring(replace(exploring, is_full=False))
            self.state_changed.emit()

    def cancel(self) -> None:
        """Stop scoring; what is scored stays."""
        self._runner.cancel("score")

    def continue_scoring(self) -> None:
        """Score what is left, or explore on."""
        if self.can_continue and self._session.results.profile is not None:
            self._score(self._session.results.profile)

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
        for key in ("compile", "score", "score node", "evaluate"):
            self._runner.cancel(key)
        self._scoring = self._evaluating = self._run = None
        self._was_stopped = self._evaluation_wanted = False
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
        self._runner.start(task, key="compile")

    def _on_compiled(self, result: tuple[Project, Problem, LatticeProfile | ExploredProfile]) -> None:
        from engine.scoring.explored import ExploredProfile

        project, problem, profile = result
        self._session.results.set_problem(problem, made_from=project)
        exploring = None
        if isinstance(profile, ExploredProfile):
            exploring = Exploring.of(project)
        self._session.results.set_profile(profile, exploring)
        self._score(profile)
        self._on_node_selected(self._session.selection.node)

    def _on_compile_failed(self, project: Project, error: Exception) -> None:
        if not isinstance(error, AnonymizerError):
            raise error
        self._session.results.set_problem(None, error, made_from=project)
        self.state_changed.emit()

    # -- scoring -------------------------------------------------------------------------------

    def _score(self, profile: Profile) -> None:
        from engine.scoring.explored import ExploredProfile

        self._was_stopped, self._has_just_ended, self._run = False, False, None
        if isinstance(profile, ExploredProfile):
            self._run = self._new_run(profile)
            task, label = Task(self._run.run), self.tr("Scoring best nodes first")
        else:
            task, label = Task(_score, profile), self.tr("Scoring the lattice")
        task.succeeded.connect(self._on_scored)
        task.failed.connect(self._on_score_failed)
        task.cancelled.connect(self._on_score_cancelled)
        self._scoring = task
        self._runner.start(task, label=label, key="score")
        self._poll.start()
        self.state_changed.emit()

    def _new_run(self, profile: ExploredProfile) -> ExplorationRun:
        from engine.project.compile import objective_of

        project = self._session.project
        assert project is not None, "there is no profile without a project"
        objective = objective_of(project, profile.problem)
        run = ExplorationRun(profile, Exploring.of(project), objective, self._memory)
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
        # A superseded scoring ends here too; it is no longer the one that counts.
        if self.sender() is self._scoring:
            self._was_stopped = True
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
        """Score a node that is looked at soon; in a lattice that is explored now, then those around it."""
        profile = self._session.results.profile
        if node is None or profile is None:
            return
        from engine.scoring import LatticeProfile

        if isinstance(profile, LatticeProfile):
            profile.prefer(node)
            return
        if node != self._offered:
            self._offered = None
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
        if profile is not None and requirement is not None and _can_judge(profile, requirement):
            self._evaluate()
            self._explore_under_new_settings()
        elif profile is not None or self._session.results.problem_error is not None:
            # A distance that was not measured, a population nobody told of, or a model that stood in the way.
            self._compile_soon.start()

    def _explore_under_new_settings(self) -> None:
        """Look for what is best now; a turning knob only recolours, and who stopped it wants rest."""
        session = self._session
        if (
            not session.results.is_explored
            or session.shown.is_preview
            or self._was_stopped
            or session.results.profile is None
        ):
            return
        if session.results.exploring is None:
            self._score(session.results.profile)

    def _evaluate(self) -> None:
        """Evaluate under the requirement shown; while one is under way only the newest wish waits."""
        profile, requirement = self._session.results.profile, self._session.shown.requirement
        project = self._session.project
        if profile is None or requirement is None or project is None:
            return
        if self._evaluating is not None:
            self._evaluation_wanted = True
            running = self._evaluated
            if running != requirement and running and any(model.is_costly for model in running.models):
                self._runner.cancel("evaluate")  # what was estimated stays
            return
        self._evaluation_wanted = False
        self._evaluation_started = time.monotonic()
        task = Task(_evaluate, project, profile, requirement, self._session.shown.metric)
        task.succeeded.connect(self._on_evaluated)
        task.failed.connect(self._on_evaluation_failed)
        task.ended.connect(self._on_evaluation_ended)
        self._evaluating, self._evaluated = task, requirement
        self._runner.start(task, key="evaluate")

    def _on_evaluated(self, result: tuple[Profile, Evaluation]) -> None:
        profile, evaluation = result
        self._evaluation_seconds = time.monotonic() - self._evaluation_started
        if profile is not self._session.results.profile:
            return
        self._session.results.set_evaluation(evaluation)
        self._offer_optimum(profile)

    def _offer_optimum(self, profile: Profile) -> None:
        """Select the optimum while nothing else was; in an explored lattice the best known so far."""
        session = self._session
        if not session.results.is_explored:
            evaluation = session.results.evaluation
            # It may have been made of a part, while the last nodes were scored.
            is_whole = evaluation is not None and evaluation.n_scored == evaluation.lattice.n_nodes
            if session.selection.node is None and profile.is_complete and is_whole:
                session.selection.select(session.results.optimum)
            return
        is_at_end = self._has_just_ended and not self._evaluation_wanted
        may_offer = session.selection.node is None or (is_at_end and session.selection.node == self._offered)
        if is_at_end:
            self._has_just_ended = False
        if may_offer and session.results.optimum is not None and not session.shown.is_preview:
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


def _can_judge(profile: Profile, requirement: Requirement) -> bool:
    """Whether the scores tell what a requirement compares, and enough is known of the population."""
    people = profile.problem.people
    knows_members = people is not None and people.leaves is not None
    knows_people = all(
        knows_members if model.needs_members else people is not None
        for model in requirement.models
        if model.needs_people
    )
    return knows_people and profile.covers(requirement)


def _compile(
    project: Project, memory: int, old: Profile | None
) -> tuple[Project, Problem, LatticeProfile | ExploredProfile]:
    """Compile, and take over what was scored before where no node is scored otherwise now."""
    from engine.project.compile import compile_problem
    from engine.scoring.explored import ExploredProfile
    from engine.scoring.limits import profile_for
    from engine.scoring.profile import LatticeProfile
    from engine.scoring.reuse import reuse

    problem = compile_problem(project)
    profile = profile_for(problem, project.requirement, memory)
    if isinstance(profile, ExploredProfile):
        profile.score(problem.lattice.minimum)
        profile.score(problem.lattice.maximum)
    elif not (isinstance(old, LatticeProfile) and reuse(profile, old)):
        profile.cells()  # prepares what scoring and evaluating share, before two threads ask at once
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
) -> tuple[Profile, Evaluation]:
    """Compute here what the window reads at once, so that its thread only looks it up."""
    from engine.project.compile import objective_of
    from engine.scoring.evaluate import evaluate

    objective = objective_of(project, profile.problem)
    evaluation = evaluate(profile, requirement, objective).watched_by(monitor)
    _states = evaluation.satisfies, evaluation.suppressed, evaluation.n_satisfying
    _values = evaluation.metric(metric), evaluation.optimum(metric)
    return profile, evaluation
