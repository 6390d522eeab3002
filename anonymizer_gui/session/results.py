"""Results of the open project: compiled problem, scores and evaluation."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QObject, QTimer, Signal

from anonymizer_gui.session.exploring import Exploring
from anonymizer_gui.session.project_parts import is_compiled_alike
from anonymizer_gui.session.shown import Shown
from engine.errors import AnonymizerError
from engine.project import Project

if TYPE_CHECKING:
    from engine.frequency import Problem
    from engine.lattice import Node
    from engine.scoring import Evaluation
    from engine.scoring.scored import Profile

PAUSE = 100  # milliseconds without a turn of the knob


class ResultSource(Protocol):
    """Source of the results: the project, with the requirement and metric that are shown."""

    shown: Shown

    @property
    def project(self) -> Project | None: ...


class Results(QObject):
    """Set by the controllers and read by all pages; everything can be recomputed."""

    problem_changed = Signal(object, object)  # Problem or None, AnonymizerError or None
    profile_changed = Signal(object)  # Profile or None: a new one, to be filled
    scoring_progressed = Signal()
    evaluation_changed = Signal(object)  # Evaluation or None: also at every turn of a knob
    # at once at a turn of a knob: nodes that may satisfy, and those that surely do, or None if unknown
    bound_changed = Signal(object, object)
    evaluation_rested = Signal()  # the same, but while a knob turns only after a pause
    evaluation_completed = Signal()  # values of failing nodes are available too

    def __init__(self, source: ResultSource, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._source = source
        self._problem: Problem | None = None
        self._problem_error: AnonymizerError | None = None
        self._made_from: Project | None = None
        self._profile: Profile | None = None
        self._exploring: Exploring | None = None
        self._evaluation: Evaluation | None = None
        self._rest = QTimer(self, singleShot=True, interval=PAUSE)
        self._rest.timeout.connect(self.evaluation_rested)

    @property
    def problem(self) -> Problem | None:
        """Compiled project, or None if it cannot be compiled."""
        return self._problem

    @property
    def problem_error(self) -> AnonymizerError | None:
        """Reason why there is no problem."""
        return self._problem_error

    @property
    def is_problem_current(self) -> bool:
        """Return whether the problem, or the error in its place, belongs to the current project."""
        made, now = self._made_from, self._source.project
        return made is not None and now is not None and is_compiled_alike(made, now)

    @property
    def profile(self) -> Profile | None:
        """Scores of the lattice, or of its scored part; filled while the window shows them."""
        return self._profile

    @property
    def is_explored(self) -> bool:
        """Return whether the lattice is too large to score completely, so that it is searched best first."""
        return self._exploring is not None

    @property
    def exploring(self) -> Exploring | None:
        """Progress of the best-first search for the requirement shown; None if it had another goal."""
        found, requirement, project = self._exploring, self._source.shown.requirement, self._source.project
        if found is None or requirement is None or project is None:
            return None
        wanted = replace(Exploring.of(project), requirement=requirement)
        return found if found.is_for(wanted) else None

    @property
    def is_optimum_proved(self) -> bool:
        """Return whether the best node so far for the requirement shown is proven optimal."""
        if self.is_explored:
            return self.exploring is not None and self.exploring.is_proved
        return self._profile is not None and self._profile.is_complete

    @property
    def evaluation(self) -> Evaluation | None:
        """Evaluation of the profile for the requirement shown."""
        return self._evaluation

    @property
    def optimum(self) -> Node | None:
        """Optimum of the current evaluation as a node, the best of the scored nodes.

        None also while a slow metric, just selected, is computed in a task.
        """
        if self._evaluation is None or not self._evaluation.knows(self._source.shown.metric):
            return None
        number = self._evaluation.optimum(self._source.shown.metric)
        return None if number is None else self._evaluation.lattice.node(number)

    def set_problem(
        self, problem: Problem | None, error: AnonymizerError | None = None, made_from: Project | None = None
    ) -> None:
        """Set the compiled project, or the reason why it cannot be compiled; discard older scores."""
        self._problem, self._problem_error = problem, error
        self._made_from = made_from or self._source.project
        self._profile = self._exploring = self._evaluation = None
        self.announce_all()

    def set_profile(self, profile: Profile, exploring: Exploring | None = None) -> None:
        """Set the profile that a scoring is about to fill."""
        self._profile, self._exploring = profile, exploring
        self.profile_changed.emit(profile)

    def set_exploring(self, exploring: Exploring) -> None:
        """Set the progress of the best-first search."""
        self._exploring = exploring

    def set_evaluation(self, evaluation: Evaluation | None) -> None:
        """Set the newest evaluation."""
        self._evaluation = evaluation
        self._announce_evaluation()

    @property
    def is_resting(self) -> bool:
        """Return whether `evaluation_rested` was emitted for the newest evaluation."""
        return not self._rest.isActive()

    def announce_complete(self, evaluation: Evaluation) -> None:
        """Announce that the values of failing nodes are available, if the evaluation is the newest."""
        if evaluation is self._evaluation:
            self.evaluation_completed.emit()

    def drop_misfit(self) -> None:
        """Discard results of an outdated problem without a sensitive column that the requirement names.

        Undo can restore a model together with the role of its column; nothing can be said about both
        until the project is compiled again.
        """
        requirement, problem = self._source.shown.requirement, self._problem
        if requirement is None or problem is None or self.is_problem_current:
            return
        known = {attribute.name for attribute in problem.sensitive}
        if not known.issuperset(column for model in requirement.models for column in model.columns[:1]):
            self.forget()
            self.announce_all()

    def forget(self) -> None:
        """Discard the results of the previous project; the caller announces this with `announce_all`."""
        self._problem = self._problem_error = self._made_from = None
        self._profile = self._exploring = self._evaluation = None

    def announce_all(self) -> None:
        """Emit the signals of all results."""
        self.problem_changed.emit(self._problem, self._problem_error)
        self.profile_changed.emit(self._profile)
        self._announce_evaluation()

    def _announce_evaluation(self) -> None:
        self.evaluation_changed.emit(self._evaluation)
        if self._source.shown.is_preview:
            self._rest.start()
        else:
            self._rest.stop()
            self.evaluation_rested.emit()
