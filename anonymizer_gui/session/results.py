"""Results of the open project: compiled problem, scores and evaluation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Self

from PySide6.QtCore import QObject, QTimer, Signal

from anonymizer_gui.session.parts import ProjectSource, is_compiled_alike
from engine.errors import AnonymizerError
from engine.monitor import Monitor, PartMonitor
from engine.privacy import Requirement
from engine.project import Project

if TYPE_CHECKING:
    from engine.frequency import Problem
    from engine.lattice import Node
    from engine.scoring import Evaluation
    from engine.scoring.explored import ExploredProfile
    from engine.scoring.scored import Profile
    from engine.utility.objective import Objective

Box = tuple["Node", "Node"]  # all nodes between a lowest and a highest one
NODES_AT_ONCE = 5_000  # scored in one run; the user can continue
NODES_OF_A_BOX = 100  # scored in a cell of the price table; the user can ask again
_SLICE = 20  # nodes between two updates of the proven bound


@dataclass(frozen=True)
class Exploring:
    """Goal and progress of a best-first search; those with the same goal are equal.

    Attributes
    ----------
    metric : str
        Key of the metric to minimize.
    bound : float
        Proven lower bound of the metric over all satisfying nodes; -inf if there is none.
    is_proved : bool
        Whether the best node so far is proven optimal, or no node satisfies.
    is_full : bool
        Whether the memory for scores is used up.
    metric_options : mapping of str to value
        Settings of the metric that differ from its defaults.
    proved : frozenset of Box
        Boxes of the lattice of which the best node is known.
    """

    requirement: Requirement
    metric: str
    attribute_weights: Mapping[str, float]
    bound: float = field(default=float("-inf"), compare=False)
    is_proved: bool = field(default=False, compare=False)
    is_full: bool = field(default=False, compare=False)
    metric_options: Mapping[str, Any] = field(default_factory=dict)
    proved: frozenset[Box] = field(default=frozenset(), compare=False)

    @classmethod
    def of(cls, project: Project) -> Self:
        """Return the goal of a project without any progress."""
        search = project.search
        return cls(project.requirement, search.metric, search.weights, metric_options=search.metric_options)


class ExplorationRun:
    """Continues the scoring of a profile; other threads may read `state`.

    Parameters
    ----------
    wanted : Exploring
        Goal of the search.
    objective : Objective
        Settings of the metric, and weights.
    memory : int
        Memory limit for scores in bytes.
    boxes : sequence of Box
        What is explored, one box after another, instead of the whole lattice.
    """

    def __init__(
        self,
        profile: ExploredProfile,
        wanted: Exploring,
        objective: Objective,
        memory: int,
        boxes: Sequence[Box] = (),
    ) -> None:
        self.profile = profile
        self.state = wanted
        self._objective = objective
        self._memory = memory
        self._boxes = boxes

    def run_boxes(self, monitor: Monitor) -> ExplorationRun:
        """Search each box until its best node is proven, at most `NODES_OF_A_BOX` nodes are new in it, or
        memory is used up.

        Raises
        ------
        CancelledError
            The monitor asked to stop; `state` has the boxes proven so far.
        """
        from engine.search.exploration import Exploration

        profile, n_boxes = self.profile, len(self._boxes)
        for place, box in enumerate(self._boxes):
            part = _Progress(PartMonitor(monitor, place, n_boxes), profile.n_scored, NODES_OF_A_BOX)
            search = Exploration(profile, self.state.requirement, self.state.metric, self._objective, box)
            search.advance(part, steps=NODES_OF_A_BOX, memory=self._memory)
            if search.is_proved:
                self.state = replace(self.state, proved=self.state.proved | {box})
        return self

    def run(self, monitor: Monitor) -> ExplorationRun:
        """Score `NODES_AT_ONCE` nodes, or fewer if the optimum is proven or memory is used up.

        Raises
        ------
        CancelledError
            The monitor asked to stop; `state` has the progress so far.
        """
        from engine.search.exploration import Exploration

        profile, state = self.profile, self.state
        exploration = Exploration(profile, state.requirement, state.metric, self._objective)
        first = profile.n_scored
        n_new = min(NODES_AT_ONCE, profile.problem.lattice.n_nodes - first)
        progress = _Progress(monitor, first, n_new)
        while profile.n_scored - first < NODES_AT_ONCE and not self.state.is_proved:
            if profile.n_bytes > self._memory:
                self.state = replace(self.state, is_full=True)
                break
            exploration.advance(progress, steps=_SLICE)
            self.state = replace(self.state, bound=exploration.bound, is_proved=exploration.is_proved)
        return self


class _Progress:
    """Progress of one run relative to the nodes it may score, not to the lattice."""

    def __init__(self, monitor: Monitor, first: int, n_new: int) -> None:
        self._monitor, self._first, self._total = monitor, first, n_new

    def step(self, done: int, total: int, text: str = "") -> None:
        self._monitor.step(min(done - self._first, self._total), max(self._total, 1), text)


def score_around(profile: ExploredProfile, node: Node, monitor: Monitor) -> tuple[ExploredProfile, int]:
    """Score the neighbours of a node, which the user is likely to open next; return how many were new."""
    lattice = profile.problem.lattice
    around = [*lattice.predecessors(node), *lattice.successors(node)]
    new = [other for other in around if other not in profile]
    for done, other in enumerate(new):
        monitor.step(done, len(new))
        profile.score(other)
    return profile, len(new)


PAUSE = 100  # milliseconds without a turn of the knob


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

    def __init__(self, source: ProjectSource, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._source = source
        self.problem: Problem | None = None
        self.problem_error: AnonymizerError | None = None
        self._made_from: Project | None = None
        self.profile: Profile | None = None
        self._exploring: Exploring | None = None
        self.evaluation: Evaluation | None = None
        self._rest = QTimer(self, singleShot=True, interval=PAUSE)
        self._rest.timeout.connect(self.evaluation_rested)

    @property
    def is_problem_current(self) -> bool:
        """Return whether the problem, or the error in its place, belongs to the current project."""
        made, now = self._made_from, self._source.project
        return made is not None and now is not None and is_compiled_alike(made, now)

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
        return found if found == replace(Exploring.of(project), requirement=requirement) else None

    @property
    def is_optimum_proved(self) -> bool:
        """Return whether the best node so far for the requirement shown is proven optimal."""
        if self.is_explored:
            return self.exploring is not None and self.exploring.is_proved
        return self.profile is not None and self.profile.is_complete

    @property
    def is_best_so_far(self) -> bool:
        """Return whether the optimum is only the best node so far: others are not scored, nor refuted."""
        return self.profile is not None and not self.is_optimum_proved

    @property
    def optimum(self) -> Node | None:
        """Optimum of the current evaluation as a node, the best of the scored nodes.

        None also while a slow metric, just selected, is computed in a task.
        """
        if self.evaluation is None or not self.evaluation.knows(self._source.shown.metric):
            return None
        number = self.evaluation.optimum(self._source.shown.metric)
        return None if number is None else self.evaluation.lattice.node(number)

    def set_problem(
        self, problem: Problem | None, error: AnonymizerError | None = None, made_from: Project | None = None
    ) -> None:
        """Set the compiled project, or the reason why it cannot be compiled; discard older scores."""
        self.problem, self.problem_error = problem, error
        self._made_from = made_from or self._source.project
        self.profile = self._exploring = self.evaluation = None
        self.announce_all()

    def set_profile(self, profile: Profile, exploring: Exploring | None = None) -> None:
        """Set the profile that a scoring is about to fill."""
        self.profile, self._exploring = profile, exploring
        self.profile_changed.emit(profile)

    def set_exploring(self, exploring: Exploring) -> None:
        """Set the progress of the best-first search."""
        self._exploring = exploring

    def set_evaluation(self, evaluation: Evaluation | None) -> None:
        """Set the newest evaluation."""
        self.evaluation = evaluation
        self._announce_evaluation()

    @property
    def is_resting(self) -> bool:
        """Return whether `evaluation_rested` was emitted for the newest evaluation."""
        return not self._rest.isActive()

    def announce_complete(self, evaluation: Evaluation) -> None:
        """Announce that the values of failing nodes are available, if the evaluation is the newest."""
        if evaluation is self.evaluation:
            self.evaluation_completed.emit()

    def drop_misfit(self) -> None:
        """Discard results of an outdated problem without a sensitive column that the requirement names.

        Undo can restore a model together with the role of its column; nothing can be said about both
        until the project is compiled again.
        """
        requirement, problem = self._source.shown.requirement, self.problem
        if requirement is None or problem is None or self.is_problem_current:
            return
        known = {attribute.name for attribute in problem.sensitive}
        if not known.issuperset(column for model in requirement.models for column in model.columns[:1]):
            self.forget()
            self.announce_all()

    def forget(self) -> None:
        """Discard the results of the previous project; the caller announces this with `announce_all`."""
        self.problem = self.problem_error = self._made_from = None
        self.profile = self._exploring = self.evaluation = None

    def announce_all(self) -> None:
        """Emit the signals of all results."""
        self.problem_changed.emit(self.problem, self.problem_error)
        self.profile_changed.emit(self.profile)
        self._announce_evaluation()

    def _announce_evaluation(self) -> None:
        self.evaluation_changed.emit(self.evaluation)
        if self._source.shown.is_preview:
            self._rest.start()
        else:
            self._rest.stop()
            self.evaluation_rested.emit()
