"""Explore: turns evaluations into colours and rows, clicks into selections, filters into what is shown."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from anonymizer_gui.perspectives.explore.explore_view import ExplorePerspective
from anonymizer_gui.perspectives.explore.explored_text import explored_words
from anonymizer_gui.perspectives.explore.inspector_presenter import InspectorPresenter
from anonymizer_gui.perspectives.explore.knob_presenter import KnobPresenter
from anonymizer_gui.perspectives.explore.lattice_corners import LegendScale, LevelRow
from anonymizer_gui.perspectives.explore.lattice_geometry import SMALLEST_PITCH
from anonymizer_gui.perspectives.explore.lattice_layout import LatticeLayout
from anonymizer_gui.perspectives.explore.lattice_view import LatticeColours, Marks
from anonymizer_gui.perspectives.explore.list_presenter import ListPresenter
from anonymizer_gui.perspectives.explore.metric_text import metric_name, metric_text
from anonymizer_gui.perspectives.explore.node_filter import NodeFilter
from anonymizer_gui.perspectives.explore.node_scores import (
    Ends,
    NodeScores,
    dimmed,
    prepare_scores,
    row_texts,
)
from anonymizer_gui.perspectives.explore.node_table import Details
from anonymizer_gui.perspectives.explore.node_text import node_text
from anonymizer_gui.perspectives.explore.node_words import LevelWords
from anonymizer_gui.perspectives.explore.preparing import Prepared, lay_out_whole, measure_details, prepare
from anonymizer_gui.perspectives.explore.steps import step_from
from anonymizer_gui.session import Session
from anonymizer_gui.tasks import Task, TaskRunner
from anonymizer_gui.widgets.marks import Mark
from anonymizer_gui.widgets.numbers import (
    as_count,
    as_decimal,
    as_exact_count,
    as_nodes,
)
from engine.errors import AnonymizerError

if TYPE_CHECKING:
    from engine.frequency import Problem
    from engine.lattice import Node, Nodes
    from engine.scoring import Evaluation
    from engine.scoring.scored import Profile

_SETTLE_MS = 150
_MOST_CHIPS = 1000  # more nodes than this start as dots
_MOST_AT_ONCE = 60_000  # nodes that are prepared for showing without a task


class ExplorePresenter(QObject):
    """Owns the perspective; the session holds what it shows."""

    perspective_requested = Signal(str)
    apply_requested = Signal(object)  # node
    improve_requested = Signal()
    search_requested = Signal()
    error_raised = Signal(object)  # exception

    def __init__(self, session: Session, runner: TaskRunner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session, self._runner = session, runner
        self.view = ExplorePerspective()
        self._words: LevelWords | None = None
        self._problem: Problem | None = None
        self._layout: LatticeLayout | None = None
        self._scores: NodeScores | None = None
        self._details: Details | None = None
        self._details_of: Evaluation | None = None
        self._shown: Evaluation | None = None
        self._filter = NodeFilter()
        self._ends: Ends | None = None
        self._settle = QTimer(self, singleShot=True, interval=_SETTLE_MS)
        self._settle.timeout.connect(self._on_settled)
        self._inspector = InspectorPresenter(session, runner, self.view.inspector, self)
        self._inspector.apply_requested.connect(self.apply_requested)
        self._inspector.improve_requested.connect(self.improve_requested)
        self._inspector.error_raised.connect(self.error_raised)
        self._list = ListPresenter(session, self.view.list, self)
        self._knobs = KnobPresenter(session, runner, self.view.knobs, self)
        self._knobs.error_raised.connect(self.error_raised)
        self._connect_session()
        self._connect_view()
        self._on_problem_changed(session.problem, session.problem_error)
        self._on_profile_changed(session.profile)
        if session.evaluation is not None:
            self._on_evaluation_changed(session.evaluation)

    @property
    def is_settled(self) -> bool:
        """Whether everything shown belongs to the present settings."""
        running = any(self._runner.running(key) for key in ("node-details", "lattice-layout", "node-scores"))
        own = not (self._settle.isActive() or running)
        return own and self._knobs.is_settled and self._inspector.is_settled

    @property
    def scores(self) -> NodeScores | None:
        """The arrays shown now."""
        return self._scores

    def _connect_session(self) -> None:
        session = self._session
        session.problem_changed.connect(self._on_problem_changed)
        session.profile_changed.connect(self._on_profile_changed)
        session.evaluation_changed.connect(self._on_evaluation_changed)
        session.node_selected.connect(self._on_node_selected)
        session.release_changed.connect(lambda _release: self._show_marks())
        session.scoring_progressed.connect(self._show_caption)

    def _connect_view(self) -> None:
        view = self.view
        view.configure_requested.connect(lambda: self.perspective_requested.emit("configure"))
        view.lattice.search_requested.connect(self.search_requested)
        view.lattice.view.node_requested.connect(self._select)
        view.lattice.view.apply_requested.connect(self._apply)
        view.lattice.view.step_requested.connect(self._on_step_requested)
        view.lattice.view.details_requested.connect(self._on_details_requested)
        view.lattice.levels.levels_changed.connect(self._on_levels_changed)
        view.list.node_requested.connect(self._select)
        view.list.apply_requested.connect(self._apply)
        view.list.filter_changed.connect(self._on_filter_changed)
        self._list.clear_requested.connect(self._on_clear_requested)
        view.list.model.describe = self._describe

    # -- the lattice ---------------------------------------------------------------------------

    def _on_problem_changed(self, problem: Problem | None, error: AnonymizerError | None) -> None:
        for key in ("lattice-layout", "node-scores"):
            self._runner.cancel(key)
        self._problem, self._layout = problem, None
        self._scores, self._details, self._details_of, self._ends = None, None, None, None
        self._shown = None
        self._list.forget()
        self._knobs.show_problem(None)
        self._filter.show_levels({})
        self._settle.stop()
        if problem is None:
            self._words = None
            self.view.lattice.view.show_lattice(None)
            self.view.show_empty(self._why_empty(error))

    def _on_profile_changed(self, profile: Profile | None) -> None:
        """Lay a lattice out that is scored whole; of one that is explored, what is scored is laid out."""
        if profile is None or self._problem is None or self._session.is_explored:
            return
        task = Task(lay_out_whole, self._problem)
        task.succeeded.connect(self._on_laid_out)
        self._runner.start(task, key="lattice-layout")

    def _why_empty(self, error: AnonymizerError | None) -> str:
        if error is not None:
            return f"{error.problem} {error.hint}".strip()
        return self.tr("Here is every way to generalize the table, once its columns have roles.")

    def _on_laid_out(self, result: tuple[Problem, LatticeLayout]) -> None:
        problem, layout = result
        if problem is not self._problem:
            return
        self._show_lattice(problem, layout, problem.lattice)
        if self._session.evaluation is not None:
            self._on_evaluation_changed(self._session.evaluation)
        self._show_marks()

    def _show_lattice(self, problem: Problem, layout: LatticeLayout, nodes: Nodes) -> None:
        self._layout = layout
        self._words = LevelWords(problem)
        rows = [
            LevelRow(
                attribute.name,
                attribute.maximum + 1,
                tuple(self._words.level(q, level) for level in range(attribute.maximum + 1)),
            )
            for q, attribute in enumerate(problem.attributes)
        ]
        self._filter.let_all_pass(nodes.n_nodes)
        self.view.lattice.show_lattice(layout, nodes.levels, rows)
        self._read_filter(self.view.list.filter_field.text())
        self._knobs.show_problem(problem)
        self.view.show_results()
        self._show_caption()

    # -- evaluations ---------------------------------------------------------------------------

    def _on_evaluation_changed(self, evaluation: Evaluation | None) -> None:
        if evaluation is None or evaluation.problem is not self._problem:
            return
        layout, n_nodes = self._layout, evaluation.lattice.n_nodes
        if layout is None and not self._session.is_explored:
            return  # shown as soon as every node has its place
        has_grown = layout is None or layout.n_nodes != n_nodes
        metric, held = self._session.metric, self._ends if self._session.is_previewing else None
        if not has_grown and n_nodes <= _MOST_AT_ONCE:
            self._show_evaluation(evaluation, prepare_scores(evaluation, metric, held))
        elif self._runner.running("node-scores") is None:  # else the newest is looked at after it
            task = Task(prepare, evaluation, metric, held, has_grown)
            task.succeeded.connect(self._on_prepared)
            task.failed.connect(self.error_raised)
            self._runner.start(task, key="node-scores")

    def _on_prepared(self, prepared: Prepared) -> None:
        evaluation, newest = prepared.evaluation, self._session.evaluation
        if evaluation.problem is not self._problem:
            return
        if prepared.metric == self._session.metric:
            if prepared.layout is not None:
                self._show_grown(evaluation, prepared.layout)
            self._show_evaluation(evaluation, prepared.scores)
        if newest is not None and newest is not self._shown:
            self._on_evaluation_changed(newest)

    def _show_grown(self, evaluation: Evaluation, layout: LatticeLayout) -> None:
        """Give the nodes scored since the last look their places."""
        if self._layout is None:
            self._show_lattice(evaluation.problem, layout, evaluation.lattice)
        else:
            self._layout = layout
            self.view.lattice.show_more(layout, evaluation.lattice.levels)

    def _show_evaluation(self, evaluation: Evaluation, scores: NodeScores) -> None:
        self._shown, self._scores, self._ends = evaluation, scores, scores.ends
        if self._details_of is not evaluation:
            self._details = None
        self._update_visible()
        self._show_colours()
        self._show_list()
        self._show_count()
        self._show_caption()
        self._show_marks()
        self._inspector.show_scores(scores, self._session.metric, self._details)
        self._settle.start()

    def _on_settled(self) -> None:
        """Compute what may lag behind a knob: the other columns, then the curves."""
        evaluation = self._shown
        if self._session.is_previewing or evaluation is None:
            return
        if self._details_of is not evaluation:
            task = Task(measure_details, evaluation)
            task.succeeded.connect(self._on_details_measured)
            task.failed.connect(self.error_raised)
            self._runner.start(task, key="node-details")
        self._knobs.measure(evaluation)

    def _on_details_measured(self, result: tuple[Evaluation, Details]) -> None:
        evaluation, details = result
        if evaluation is self._shown and self._scores is not None:
            self._details, self._details_of = details, evaluation
            self._update_visible()
            self._show_colours()
            self._show_list()
            self._inspector.show_scores(self._scores, self._session.metric, details)

    # -- filters -------------------------------------------------------------------------------

    def _on_levels_changed(self, shown: dict[int, frozenset[int]]) -> None:
        self._filter.show_levels(shown)
        self._on_filters_changed()

    def _on_filter_changed(self, text: str) -> None:
        if self._read_filter(text):
            self._on_filters_changed()

    def _read_filter(self, text: str) -> bool:
        """Take a filter over; one that cannot be read leaves the last one in place and says why."""
        if self._problem is None:
            return False
        why = self._filter.read(text, self._problem, self._session.metric)
        self.view.list.show_filter_problem(why)
        return not why

    def _on_filters_changed(self) -> None:
        if self._scores is not None:
            self._update_visible()
            self._show_colours()
            self._show_list()

    def _update_visible(self) -> None:
        if self._problem is not None and self._scores is not None:
            self._filter.update(self._scores, self._problem, self._session.metric, self._details)

    # -- showing -------------------------------------------------------------------------------

    def _show_colours(self) -> None:
        scores, layout = self._scores, self._layout
        if scores is None or layout is None:
            return
        key = self._session.metric
        name, text = metric_name(key), metric_text(key)
        rows = layout.positions[:, 0]
        first = self.tr("satisfy: {0} / {1} scored") if scores.is_part else self.tr("satisfy: {0} / {1}")
        texts = row_texts(rows, scores.satisfies, first)
        scale = None if scores.ends is None else LegendScale(name, *scores.ends, _legend_text(key))
        colours = LatticeColours(
            dimmed(scores.classes, self._filter.passing), scores.values, texts, name, text
        )
        self.view.lattice.show_colours(colours, scale)

    def _show_list(self) -> None:
        if self._scores is not None and self._problem is not None:
            self._list.show(self._problem, self._scores, self._details, self._filter.passing)

    def _on_clear_requested(self) -> None:
        self.view.lattice.levels.show_all()
        self.view.list.filter_field.clear()

    def _show_count(self) -> None:
        scores = self._scores
        if scores is None:
            return
        n_nodes = len(scores.values)
        key = self._session.metric
        value = "" if scores.optimum is None else metric_text(key)(float(scores.values[scores.optimum]))
        self.view.knobs.show_count(
            as_exact_count(scores.n_satisfying),
            (self.tr("of {0} scored satisfy") if scores.is_part else self.tr("of {0} satisfy")).format(
                as_exact_count(n_nodes)
            ),
            scores.n_satisfying / max(n_nodes, 1),
            self._optimum_words(key) if value else self.tr("no node satisfies"),
            value,
        )

    def _drawn_words(self, n_nodes: int) -> str:
        """How a lattice of many nodes is drawn."""
        geometry = self.view.lattice.view.geometry_shown
        if geometry is not None and geometry.fit_pitches[0] < SMALLEST_PITCH:
            return self.tr(", as shares per column")
        return self.tr(", one dot each") if n_nodes >= _MOST_CHIPS else ""

    def _optimum_words(self, key: str) -> str:
        if self._session.is_explored and not self._session.is_optimum_proved:
            return self.tr("best known {0}").format(metric_name(key))
        return self.tr("optimum {0}").format(metric_name(key))

    def _show_caption(self) -> None:
        profile, problem = self._session.profile, self._problem
        if self._layout is None or profile is None or problem is None:
            return
        n_nodes = problem.lattice.n_nodes
        if self._session.is_explored:
            words = explored_words(self._session.exploring, profile.n_scored, n_nodes, self._session.metric)
            self.view.lattice.set_caption(words)
        elif profile.is_complete:
            order = self.tr("least generalization loss in the middle of a row")
            dots = self._drawn_words(n_nodes)
            nodes = as_nodes(n_nodes)
            text = self.tr("all {0}{1}; {2}").format(nodes, dots, order)
            self.view.lattice.set_caption(text if n_nodes > 1 else nodes)
        else:
            text = self.tr("{0} of {1} nodes scored, each exactly; the others follow")
            self.view.lattice.set_caption(text.format(as_exact_count(profile.n_scored), as_count(n_nodes)))

    def _show_marks(self) -> None:
        problem, nodes = self._problem, self._nodes()
        if problem is None or nodes is None:
            return
        lattice = problem.lattice
        selected = self._session.selected
        release = self._session.release
        applied = release.node if release is not None else None
        neighbours: tuple[int, ...] = ()
        description = ""
        if selected is not None and selected in lattice:
            around = [*lattice.predecessors(selected), *lattice.successors(selected)]
            found = (nodes.find(node) for node in around)
            neighbours = tuple(number for number in found if number is not None)
            description = self._describe_node(selected)
        else:
            selected = None
        optimum = self._scores.optimum if self._scores is not None else None
        marks = Marks(
            None if selected is None else nodes.find(selected),
            optimum,
            None if applied is None else nodes.find(applied),
            neighbours,
            is_optimum_proved=self._session.is_optimum_proved or not self._session.is_explored,
        )
        self.view.lattice.view.show_marks(marks, description)
        self.view.lattice.levels.show_selected(selected)
        order = (
            (marks.applied, Mark.APPLIED),
            (marks.selected, Mark.SELECTED),
            (marks.optimum, Mark.OPTIMUM),
        )
        by_node = {number: mark for number, mark in order if number is not None}
        self.view.list.show_selected(marks.selected, by_node)

    # -- selection -----------------------------------------------------------------------------

    def _nodes(self) -> Nodes | None:
        """What the numbers in lattice and list mean."""
        if self._problem is None or self._layout is None:
            return None
        if self._session.is_explored:
            return None if self._scores is None else self._scores.lattice
        return self._problem.lattice

    def _on_node_selected(self, node: Node | None) -> None:
        self._show_marks()
        nodes = self._nodes()
        if node is not None and nodes is not None and (number := nodes.find(node)) is not None:
            self.view.lattice.view.bring_into_view(number)

    def _select(self, number: int) -> None:
        if (nodes := self._nodes()) is not None:
            self._session.select_node(nodes.node(number))

    def _apply(self, number: int) -> None:
        if (nodes := self._nodes()) is not None:
            self._select(number)
            self.apply_requested.emit(nodes.node(number))

    def _on_step_requested(self, direction: str) -> None:
        problem, layout, nodes = self._problem, self._layout, self._nodes()
        if problem is None or layout is None or nodes is None:
            return
        found = step_from(self._session.selected, direction, problem.lattice, nodes, layout, self._scores)
        if found is not None:
            self._session.select_node(found)

    def _on_details_requested(self, number: int) -> None:
        self.view.lattice.view.show_details(number, self._describe(number))

    def _describe(self, number: int) -> str:
        """A node by number in words."""
        nodes = self._nodes()
        return "" if nodes is None else self._describe_node(nodes.node(number))

    def _describe_node(self, node: Node) -> str:
        """A node in words, with its status and what it costs."""
        if self._problem is None or self._words is None:
            return ""
        return node_text(node, self._words, self._scores, self._problem.n_records, self._session.metric)


def _legend_text(key: str) -> Callable[[float], str]:
    """Shares with two decimals: the legend is short of room."""
    text = metric_text(key)
    return (lambda value: as_decimal(value, 2)) if text is as_decimal else text
