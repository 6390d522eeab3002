"""What is known of the open project: the problem it compiles to, its scores, and how they are judged."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QObject, Signal

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


class Asked(Protocol):
    """What results are of: the project, and the requirement and metric that are shown."""

    shown: Shown

    @property
    def project(self) -> Project | None: ...


class Results(QObject):
    """Given by the controllers, asked by everybody; all of it can be computed again."""

    problem_changed = Signal(object, object)  # Problem or None, AnonymizerError or None
    profile_changed = Signal(object)  # Profile or None: a new one, about to be filled
    scoring_progressed = Signal()
    evaluation_changed = Signal(object)  # Evaluation or None

    def __init__(self, asked: Asked, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._asked = asked
        self._problem: Problem | None = None
        self._problem_error: AnonymizerError | None = None
        self._made_from: Project | None = None
        self._profile: Profile | None = None
        self._exploring: Exploring | None = None
        self._evaluation: Evaluation | None = None

    @property
    def problem(self) -> Problem | None:
        """The compiled project; None while it cannot be compiled."""
        return self._problem

    @property
    def problem_error(self) -> AnonymizerError | None:
        """Why there is no problem."""
        return self._problem_error

    @property
    def is_problem_current(self) -> bool:
        """Whether problem (or the error in its place) belongs to the project of now."""
        made, now = self._made_from, self._asked.project
        return made is not None and now is not None and is_compiled_alike(made, now)

    @property
    def profile(self) -> Profile | None:
        """The scores of the lattice, or of the part explored; filled while the window looks."""
        return self._profile

    @property
    def is_explored(self) -> bool:
        """Whether the lattice is too large to score whole, so that the best nodes are looked for."""
        return self._exploring is not None

    @property
    def exploring(self) -> Exploring | None:
        """How far the exploration is under the requirement shown; None where it ran under another."""
        found, requirement, project = self._exploring, self._asked.shown.requirement, self._asked.project
        if found is None or requirement is None or project is None:
            return None
        wanted = replace(Exploring.of(project), requirement=requirement)
        return found if found.is_for(wanted) else None

    @property
    def is_optimum_proved(self) -> bool:
        """Whether the best node known under the requirement shown is the best of the lattice."""
        if self.is_explored:
            return self.exploring is not None and self.exploring.is_proved
        return self._profile is not None and self._profile.is_complete

    @property
    def evaluation(self) -> Evaluation | None:
        """The profile under the requirement shown."""
        return self._evaluation

    @property
    def optimum(self) -> Node | None:
        """The optimum of the evaluation shown, as a node: the best of the scored nodes.

        None also while a costly metric, just chosen, is being worked out in a task.
        """
        if self._evaluation is None or not self._evaluation.knows(self._asked.shown.metric):
            return None
        number = self._evaluation.optimum(self._asked.shown.metric)
        return None if number is None else self._evaluation.lattice.node(number)

    def set_problem(
        self, problem: Problem | None, error: AnonymizerError | None = None, made_from: Project | None = None
    ) -> None:
        """Take the compiled project, or why it cannot be compiled; older scores are forgotten."""
        self._problem, self._problem_error = problem, error
        self._made_from = made_from or self._asked.project
        self._profile = self._exploring = self._evaluation = None
        self.tell_all()

    def set_profile(self, profile: Profile, exploring: Exploring | None = None) -> None:
        """Take the profile that a scoring, or an exploration, is about to fill."""
        self._profile, self._exploring = profile, exploring
        self.profile_changed.emit(profile)

    def set_exploring(self, exploring: Exploring) -> None:
        """Take how far the exploration is."""
        self._exploring = exploring

    def set_evaluation(self, evaluation: Evaluation | None) -> None:
        """Take the newest evaluation."""
        self._evaluation = evaluation
        self.evaluation_changed.emit(evaluation)

    def forget(self) -> None:
        """Know nothing of another project; who opens it says when it is told."""
        self._problem = self._problem_error = self._made_from = None
        self._profile = self._exploring = self._evaluation = None

    def tell_all(self) -> None:
        """Announce what is known, all of which is new."""
        self.problem_changed.emit(self._problem, self._problem_error)
        self.profile_changed.emit(self._profile)
        self.evaluation_changed.emit(self._evaluation)
