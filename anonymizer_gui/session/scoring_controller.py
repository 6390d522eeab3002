"""Keeps problem, profile and evaluation up to date with the project: compiles, scores, evaluates."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from anonymizer_gui.session.session import Session
from anonymizer_gui.tasks import Task, TaskRunner
from engine.errors import AnonymizerError, InvariantError
from engine.monitor import SILENT, Monitor
from engine.privacy import Requirement
from engine.project import Project

if TYPE_CHECKING:
    from engine.frequency import Problem
    from engine.kernels.arrays import Reals
    from engine.scoring import Evaluation, LatticeProfile

POLLS_PER_SECOND = 15
# While a scoring runs, evaluating may take no more than this share of the time.
SHARE_FOR_EVALUATION = 0.1
SHORTEST_PAUSE = 0.4  # seconds between two evaluations while scoring


class ScoringController(QObject):
    """Listens to the session; a change of table, roles or hierarchies compiles and scores anew."""

    state_changed = Signal()  # is_scoring, can_continue or failure
    scoring_failed = Signal(object)  # the exception

    def __init__(self, session: Session, runner: TaskRunner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._runner = runner
        self._scoring: Task | None = None
        self._evaluating: Task | None = None
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
        for signal in (session.table_changed, session.roles_changed, session.hierarchies_changed):
            signal.connect(self._compile_soon.start)
        for signal in (session.requirement_changed, session.search_changed, session.preview_changed):
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
            or self._scoring is not None
            or self._evaluating is not None
        )

    @property
    def can_continue(self) -> bool:
        """Whether a scoring was stopped before its end."""
        profile = self._session.profile
        return profile is not None and not self.is_scoring and not profile.is_complete

    def cancel(self) -> None:
        """Stop scoring; what is scored stays."""
        self._runner.cancel("score")

    def continue_scoring(self) -> None:
        """Score what is left."""
        if self.can_continue and self._session.profile is not None:
            self._score(self._session.profile)

    def score_again(self) -> None:
        """Compile and score from the beginning."""
        if self._session.project is not None:
            self._compile()

    # -------------------------------------------------------------------------------------------

    def _on_project_opened(self, project: Project | None) -> None:
        self._stop_all()
        if project is not None:
            self._compile_soon.start()

    def _stop_all(self) -> None:
        self._compile_soon.stop()
        for key in ("compile", "score", "evaluate"):
            self._runner.cancel(key)
        self._scoring = self._evaluating = None
        self._evaluation_wanted = False
        self._poll.stop()
        self.state_changed.emit()

    def _compile(self) -> None:
        project = self._session.project
        self._stop_all()
        if project is None:
            return
        task = Task(_compile, project)
        task.succeeded.connect(self._on_compiled)
        task.failed.connect(self._on_compile_failed)
        self._runner.start(task, key="compile")

    def _on_compiled(self, result: tuple[Project, Problem, LatticeProfile]) -> None:
        project, problem, profile = result
        self._session.set_problem(problem, made_from=project)
        self._session.set_profile(profile)
        self._score(profile)

    def _on_compile_failed(self, error: Exception) -> None:
        if not isinstance(error, AnonymizerError):
            raise error
        self._session.set_problem(None, error)
        self.state_changed.emit()

    def _score(self, profile: LatticeProfile) -> None:
        task = Task(_score, profile)
        task.succeeded.connect(self._on_scored)
        task.failed.connect(self._on_score_failed)
        task.cancelled.connect(self._on_score_cancelled)
        self._scoring = task
        self._runner.start(task, label=self.tr("Scoring the lattice"), key="score")
        self._poll.start()
        self.state_changed.emit()

    def _on_scored(self, _profile: LatticeProfile) -> None:
        self._end_scoring()

    def _on_score_failed(self, error: Exception) -> None:
        self._end_scoring()
        self.scoring_failed.emit(error)
        if not isinstance(error, AnonymizerError | MemoryError | InvariantError):
            raise error

    def _on_score_cancelled(self) -> None:
        # A superseded scoring ends here too; it is no longer the one that counts.
        if self.sender() is self._scoring:
            self._end_scoring()

    def _end_scoring(self) -> None:
        self._scoring = None
        self._poll.stop()
        self._session.scoring_progressed.emit()
        self._evaluate()
        self.state_changed.emit()

    def _on_poll(self) -> None:
        self._session.scoring_progressed.emit()
        pause = max(self._evaluation_seconds / SHARE_FOR_EVALUATION, SHORTEST_PAUSE)
        if self._evaluating is None and time.monotonic() - self._evaluation_started > pause:
            self._evaluate()

    def _on_requirement_changed(self) -> None:
        profile, requirement = self._session.profile, self._session.requirement
        if profile is not None and requirement is not None and profile.covers(requirement):
            self._evaluate()
        elif profile is not None or self._session.problem_error is not None:
            self._compile_soon.start()  # a distance that was not measured, or a model that stood in the way

    def _evaluate(self) -> None:
        """Evaluate under the requirement shown; while one is under way only the newest wish waits."""
        profile, requirement = self._session.profile, self._session.requirement
        project = self._session.project
        if profile is None or requirement is None or project is None:
            return
        if self._evaluating is not None:
            self._evaluation_wanted = True
            return
        self._evaluation_wanted = False
        self._evaluation_started = time.monotonic()
        task = Task(_evaluate, project, profile, requirement, self._session.metric)
        task.succeeded.connect(self._on_evaluated)
        task.failed.connect(self._on_evaluation_failed)
        task.ended.connect(self._on_evaluation_ended)
        self._evaluating = task
        self._runner.start(task, key="evaluate")

    def _on_evaluated(self, result: tuple[LatticeProfile, Evaluation]) -> None:
        profile, evaluation = result
        self._evaluation_seconds = time.monotonic() - self._evaluation_started
        if profile is not self._session.profile:
            return
        self._session.set_evaluation(evaluation)
        if self._session.selected is None and profile.is_complete:
            self._session.select_node(self._session.optimum)

    def _on_evaluation_failed(self, error: Exception) -> None:
        self._session.set_evaluation(None)
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


def _compile(project: Project) -> tuple[Project, Problem, LatticeProfile]:
    from engine.project.compile import compile_problem
    from engine.scoring import LatticeProfile
    from engine.search.exhaustive import check_size

    problem = compile_problem(project)
    check_size(problem.lattice.n_nodes)
    profile = LatticeProfile(problem, project.requirement)
    profile.cells()  # prepares what scoring and evaluating share, before two threads ask for it at once
    return project, problem, profile


def _score(profile: LatticeProfile, monitor: Monitor = SILENT) -> LatticeProfile:
    from engine.scoring import score_lattice

    return score_lattice(profile.problem, monitor, profile)


def _evaluate(
    project: Project, profile: LatticeProfile, requirement: Requirement, metric: str
) -> tuple[LatticeProfile, Evaluation]:
    """Compute here what the window reads at once, so that its thread only looks it up."""
    from engine.project.compile import attribute_weights

    weights: Reals | None = attribute_weights(project, profile.problem)
    evaluation = profile.evaluate(requirement, weights)
    _ = evaluation.satisfies, evaluation.suppressed, evaluation.n_satisfying
    _ = evaluation.metric(metric), evaluation.optimum(metric)
    return profile, evaluation
