"""State shared by the views of Explore: problem, nodes, scores and filters.

Views are rebuilt from this state, and select nodes through it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QWidget

from anonymizer_gui.models.node_name import LevelWords, NamedNode, named_node
from anonymizer_gui.perspectives.explore.lattice.layout import LatticeLayout, lay_out, lay_out_small
from anonymizer_gui.perspectives.explore.lattice.marks import Marks
from anonymizer_gui.perspectives.explore.node_filter import BoolArray, NodeFilter, Status
from anonymizer_gui.perspectives.explore.node_scores import (
    EXPECTED_KEPT,
    Details,
    Ends,
    ExpectedKept,
    NodeScores,
    prepare_scores,
)
from anonymizer_gui.perspectives.explore.node_text import node_text
from anonymizer_gui.session import Session
from anonymizer_gui.session.results import PAUSE
from anonymizer_gui.tasks.call_queue import CallQueue, Slot
from anonymizer_gui.widgets.level_glyph import Glyph
from engine.monitor import SILENT, Monitor
from engine.words import ngettext

if TYPE_CHECKING:
    from anonymizer_gui.perspectives.explore.prices.rows import Priced
    from engine.frequency import Problem
    from engine.lattice import Node, Nodes
    from engine.project import Project
    from engine.scoring import Evaluation
    from engine.scoring.scored import Profile

    _Prepared = tuple[
        Evaluation, str, NodeScores, LatticeLayout | None
    ]  # with a layout if there are new nodes

_SETTLE_MS = 150
_FRAME_MS = 8
_MOST_AT_ONCE = 60_000  # nodes that are prepared without a task


class ExploreState(QObject):
    """Follows the session; computes common values once, in a task if they are slow."""

    forgotten = Signal()  # the state is invalid; `problem` is the new one, or None
    nodes_placed = Signal(bool)  # nodes have positions; True: more nodes of the same lattice
    scores_changed = Signal()  # status, value and rank of every node, and the optimum
    scores_rested = Signal()  # the same, but while a knob turns only after a pause
    details_changed = Signal()  # slow columns are available
    prices_changed = Signal()  # of the levels, or what is insisted on
    filter_changed = Signal()  # other nodes pass
    filter_problem_changed = Signal(str)  # error of the typed filter, or empty
    marks_changed = Signal()  # selected or applied node
    settled = Signal(object)  # settled evaluation, for slow computations
    apply_requested = Signal(object)  # node

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.session, self._runner = session, session.runner
        self.problem: Problem | None = None
        self.words: LevelWords | None = None  # descriptions of the levels of the problem
        self.layout: LatticeLayout | None = None  # position of every node in the lattice
        self.scores: NodeScores | None = None  # status, value and rank of every node
        self._exact: NodeScores | None = None  # the last scores that are not a bound
        self.details: Details | None = None  # other scores by name; None while they are being measured
        self._details_of: Evaluation | None = None
        self._expected = ExpectedKept()
        self.evaluation: Evaluation | None = None
        self.priced: Priced | None = None  # prices of all levels; set by their presenter
        self.n_prices_changed = 0  # by the last turn, until that is announced
        self._ends: Ends | None = None
        self.filter = NodeFilter()  # filters; changed by the methods of this class
        self.filter_text = ""  # typed conditions, valid or not
        self.queue = CallQueue(_FRAME_MS, self, together=_FRAME_MS)
        self._later: dict[Slot, None] = {}  # calls of hidden views, which wait until a knob rests
        self._settle = QTimer(self, singleShot=True, interval=_SETTLE_MS)
        self._settle.timeout.connect(self._on_settled)
        self._rest = QTimer(self, singleShot=True, interval=PAUSE)
        self._rest.timeout.connect(self.scores_rested)
        self.scores_rested.connect(self._show_hidden)
        session.project_opened.connect(lambda _project: self.clear_filters())
        session.results.problem_changed.connect(lambda problem, _error: self._on_problem_changed(problem))
        session.results.profile_changed.connect(self._on_profile_changed)
        session.results.evaluation_changed.connect(self._on_evaluation_changed)
        session.results.bound_changed.connect(self._on_bound_changed)
        session.results.evaluation_completed.connect(self._on_evaluation_completed)
        session.shown.changed.connect(self._on_preview_changed)
        session.selection.changed.connect(lambda _node: self.marks_changed.emit())
        session.applied.changed.connect(lambda _release: self.marks_changed.emit())
        session.remembered.pins_changed.connect(self.marks_changed)

    def start(self) -> None:
        """Show the current session, once every view is connected."""
        session = self.session
        self._on_problem_changed(session.results.problem)
        self._on_profile_changed(session.results.profile)
        if session.results.evaluation is not None:
            self._on_evaluation_changed(session.results.evaluation)

    # -- display -------------------------------------------------------------------------------

    @property
    def is_settled(self) -> bool:
        is_waiting = self._settle.isActive() or self._rest.isActive() or self.is_outdated
        return self.queue.is_idle and not is_waiting

    @property
    def is_outdated(self) -> bool:
        """True if columns or hierarchies have changed since the displayed nodes were computed."""
        return self.problem is not None and not self.session.results.is_problem_current

    def named(self, node: Node, *, fails: bool = False) -> NamedNode:
        """Name a node of the lattice by its distance to the optimum."""
        problem, results = self.problem, self.session.results
        assert problem is not None, "only nodes of a lattice are named"
        optimum = results.optimum if results.problem is problem else None
        is_proved, priced = results.is_optimum_proved, self.priced
        found = named_node(node, problem, optimum, self.words, is_proved=is_proved, fails=fails)
        if priced is None or not priced.insisted or node != priced.chosen or node == optimum:
            return found
        n = len(priced.insisted)
        return replace(found, name=ngettext("Best with {n} level", "Best with {n} levels", n).format(n=n))

    def set_prices(self, priced: Priced) -> None:
        """Use the prices of the present evaluation."""
        self.priced = priced
        self.prices_changed.emit()

    @property
    def nodes(self) -> Nodes | None:
        """Nodes by index, in every view; None before nodes have positions."""
        if self.problem is None or self.layout is None:
            return None
        # While a project is being closed, its partly scored lattice is still shown.
        if self.session.results.is_explored or self.layout.n_nodes != self.problem.lattice.n_nodes:
            return None if self.scores is None else self.scores.lattice
        return self.problem.lattice

    @property
    def metric(self) -> str:
        """Key of the chosen metric."""
        return self.session.shown.metric

    @property
    def passing(self) -> BoolArray:
        """Nodes that pass the filters, by index."""
        return self.filter.passing

    @property
    def marks(self) -> Marks:
        """Marked nodes by index."""
        problem, nodes = self.problem, self.nodes
        if problem is None or nodes is None:
            return Marks()
        selected, release = self.selected, self.session.applied.release
        return Marks(
            None if selected is None else nodes.find(selected),
            None if self.scores is None else self.scores.optimum,
            None if release is None or release.node is None else nodes.find(release.node),
            () if selected is None else self.neighbours(selected),
            self._pinned(problem, nodes),
            is_optimum_proved=not self.session.results.is_best_so_far,
        )

    def neighbours(self, node: Node) -> tuple[int, ...]:
        """Return the nodes one step away from a node, by index."""
        assert self.problem is not None, "only asked where nodes are shown"
        assert self.nodes is not None, "only asked where nodes are shown"
        around = [*self.problem.lattice.predecessors(node), *self.problem.lattice.successors(node)]
        found = (self.nodes.find(other) for other in around)
        return tuple(number for number in found if number is not None)

    def _pinned(self, problem: Problem, nodes: Nodes) -> tuple[int, ...]:
        """Return the pinned nodes of the same columns, by index."""
        choices = (pin.choice for pin in self.session.remembered.pins)
        found = {
            nodes.find(choice.node)
            for choice in choices
            if choice.node is not None and tuple(choice.columns) == tuple(problem.names)
        }
        return tuple(sorted(number for number in found if number is not None))

    @property
    def selected(self) -> Node | None:
        """Selected node, if it belongs to the displayed lattice."""
        node = self.session.selection.node
        return node if self.problem is not None and node in self.problem.lattice else None

    def describe(self, node: Node) -> str:
        """Return the description of a node, with its status and loss."""
        if self.problem is None or self.words is None:
            return ""
        judged_by = None if self.evaluation is None else self.evaluation.requirement
        details = self.details if self._details_of is self.evaluation else None
        name = self.named(node).name
        if self.scores is not None and (number := self.scores.scored_number(node)) is not None:
            self.scores.know((number,))
        return node_text(node, name, self.problem, self.words, self.metric, self.scores, judged_by, details)

    def describe_number(self, number: int) -> str:
        """Return the description of a node by index."""
        return "" if self.nodes is None else self.describe(self.nodes.node(number))

    def glyph(self, number: int) -> Glyph | None:
        """Return the levels of a node by index, with those that differ from the optimum."""
        nodes, scores = self.nodes, self.scores
        if nodes is None:
            return None
        fails = scores is not None and bool(scores.scored[number]) and not scores.satisfies[number]
        return self.named(nodes.node(number), fails=fails).glyph

    def in_turn(self, call: Slot, view: QWidget | None = None) -> Slot:
        """Return a slot that queues its calls while many changes per second arrive.

        While a knob turns, those of a hidden `view` wait for a pause, so that a turn costs what is seen.
        """

        def take_turn() -> None:
            if view is not None and self.session.shown.is_preview and not view.isVisible():
                self._later[call] = None
            elif self._changes_often:
                self.queue.ask(call)
            else:
                call()

        return take_turn

    def _show_hidden(self) -> None:
        """Let hidden views follow the knob that has rested."""
        later, self._later = self._later, {}
        for call in later:
            self.queue.ask(call)

    @property
    def _changes_often(self) -> bool:
        """True if a knob is dragged or the lattice is being scored."""
        return self.problem is not None and (
            self.session.shown.is_preview or (self.scores is not None and not self.scores.scored.all())
        )

    # -- actions -------------------------------------------------------------------------------

    def select(self, number: int) -> None:
        """Select a node by index."""
        if self.nodes is not None:
            self.session.selection.select(self.nodes.node(number))

    def apply(self, number: int) -> None:
        """Select a node by index and request its release."""
        if self.nodes is not None:
            self.select(number)
            self.apply_requested.emit(self.nodes.node(number))

    def filter_by_text(self, text: str) -> None:
        """Filter by typed conditions; invalid ones keep the last filter."""
        self.filter_text = text
        if self._read_filter():
            self._refilter()

    def filter_by_levels(self, shown: dict[int, frozenset[int]]) -> None:
        """Pass only nodes with these levels; other attributes may have any."""
        self.filter.levels = dict(shown)
        self._refilter()

    def filter_by_choice(self, chosen: BoolArray | None) -> None:
        """Pass only the nodes framed in a view; None passes all."""
        self.filter.chosen = chosen
        self._refilter()

    def filter_by_column(self, key: str, text: str) -> str:
        """Filter by the text typed over a column of the list; return its error, or an empty text."""
        if self.problem is None or self.words is None:
            return ""
        why = self.filter.read_column(key, text, self.problem, self.words)
        if not why:
            self._refilter()
        return why

    def filter_by_status(self, status: Status) -> None:
        """List the nodes of a status; satisfying and all affect the list only."""
        if status is not self.filter.status:
            self.filter.status = status
            self._refilter()

    def set_short_list(self, numbers: Iterable[int]) -> None:
        """Set the nodes on the short list, by index."""
        self.filter.members = tuple(numbers)
        if self.filter.status is Status.SHORT:
            self._refilter()

    def clear_filters(self) -> None:
        """Pass all nodes."""
        self.filter_text = ""
        self.filter.clear()
        self.filter_problem_changed.emit("")
        self._refilter()

    def _read_filter(self) -> bool:
        if self.problem is None:
            return False
        why = self.filter.read(self.filter_text, self.problem, self.metric, self.session.shown.requirement)
        self.filter_problem_changed.emit(why)
        return not why

    def _refilter(self) -> None:
        if self.scores is not None:
            self._update_passing()
            self.filter_changed.emit()

    def _update_passing(self) -> None:
        if self.problem is not None and self.scores is not None:
            self.filter.update(self.scores, self.problem, self.metric, self.details)

    # -- following the session -----------------------------------------------------------------

    def _on_problem_changed(self, problem: Problem | None) -> None:
        for key in ("explore.layout", "explore.scores"):
            self._runner.cancel(key)
        self.problem, self.layout = problem, None
        self.scores, self.details, self._details_of = None, None, None
        self._exact = None
        self.evaluation, self._ends, self.priced = None, None, None
        self.filter.levels, self.filter.chosen = {}, None
        self._settle.stop()
        self._rest.stop()
        self.queue.forget()
        self._later = {}
        self.words = None if problem is None else LevelWords(problem)
        self.forgotten.emit()

    def _on_profile_changed(self, profile: Profile | None) -> None:
        """Lay out a completely scored lattice; of a partly scored one, the scored nodes."""
        if profile is None or self.problem is None or self.session.results.is_explored:
            return
        self._runner.run(lay_out_whole, self.problem, then=self._on_laid_out, key="explore.layout")

    def _on_laid_out(self, result: tuple[Problem, LatticeLayout]) -> None:
        problem, layout = result
        if problem is not self.problem:
            return
        self._place(problem, layout, problem.lattice)
        if self.session.results.evaluation is not None:
            self._on_evaluation_changed(self.session.results.evaluation)
        self.marks_changed.emit()

    def _place(self, problem: Problem, layout: LatticeLayout, nodes: Nodes) -> None:
        assert self.words is not None, "the levels of a problem have descriptions"
        self.layout = layout
        self.filter.let_all_pass(nodes.n_nodes)
        self.filter.read_columns_again(problem, self.words)
        self.nodes_placed.emit(False)
        self._read_filter()

    def _on_evaluation_changed(self, evaluation: Evaluation | None) -> None:
        if evaluation is None or evaluation.problem is not self.problem:
            return
        layout, n_nodes = self.layout, evaluation.lattice.n_nodes
        if layout is None and not self.session.results.is_explored:
            return  # shown once every node has a position
        has_grown = layout is None or layout.n_nodes != n_nodes
        metric, held = self.session.shown.metric, self._ends if self.session.shown.is_preview else None
        if not has_grown and n_nodes <= _MOST_AT_ONCE:
            self._show(evaluation, prepare_scores(evaluation, metric, held))
        elif self._runner.running("explore.scores") is None:  # otherwise the newest is prepared after it
            show = self._on_prepared
            self._runner.run(prepare, evaluation, metric, held, has_grown, then=show, key="explore.scores")

    def _on_bound_changed(self, possible: BoolArray, sure: BoolArray | None) -> None:
        """Let nodes fail at once that cannot satisfy, and satisfy if they surely do; which others satisfy
        follows with the evaluation.
        """
        exact = self._exact
        if exact is None or self.scores is None or len(exact.satisfies) != len(possible):
            return
        self.scores = exact.bounded_by(possible, sure)
        self._update_passing()
        self.scores_changed.emit()
        self._rest.start()

    def _on_evaluation_completed(self) -> None:
        """Show the values of failing nodes too."""
        if self.evaluation is not None and self.evaluation is self.session.results.evaluation:
            self._on_evaluation_changed(self.evaluation)

    def _on_preview_changed(self) -> None:
        """Postpone slow computations while a knob is dragged."""
        if self.session.shown.is_preview:
            self._runner.cancel("explore.details")

    def _on_prepared(self, prepared: _Prepared) -> None:
        (evaluation, metric, scores, layout), newest = prepared, self.session.results.evaluation
        if evaluation.problem is not self.problem:
            return
        if metric == self.session.shown.metric:
            if layout is not None:
                self._grow(evaluation, scores, layout)
            self._show(evaluation, scores)
        if newest is not None and newest is not self.evaluation:
            self._on_evaluation_changed(newest)

    def _grow(self, evaluation: Evaluation, scores: NodeScores, layout: LatticeLayout) -> None:
        """Place the nodes scored since the last update."""
        if self.layout is None:
            self.scores = scores
            self._place(evaluation.problem, layout, evaluation.lattice)
        else:
            self.layout, self.scores, self.details = layout, scores, None
            self._update_passing()
            self.nodes_placed.emit(True)

    def _show(self, evaluation: Evaluation, scores: NodeScores) -> None:
        has_grown = self.evaluation is not None and self.evaluation.lattice.n_nodes != scores.lattice.n_nodes
        self.evaluation, self.scores, self._ends = evaluation, scores, scores.ends
        self._exact = scores
        if self._details_of is not evaluation:
            self.details = None
        self._update_passing()
        self.scores_changed.emit()
        if self.session.shown.is_preview:
            self._rest.start()
        else:
            self._rest.stop()
            self.scores_rested.emit()
        if has_grown:
            self.queue.catch_up()  # no view may have fewer nodes than another
        self._settle.start()

    def _on_settled(self) -> None:
        """Compute the slow values of settled settings."""
        evaluation = self.evaluation
        if self.session.shown.is_preview or evaluation is None:
            return
        if self.scores is None or not self.scores.are_known:
            return  # the values of failing nodes are on their way
        if self._details_of is not evaluation:
            asked = evaluation, self.session.project, self._expected
            show = self._on_details_measured
            self._runner.run(measure_details, *asked, then=show, key="explore.details")
        self.settled.emit(evaluation)

    def _on_details_measured(self, result: tuple[Evaluation, Details]) -> None:
        evaluation, details = result
        if evaluation is self.evaluation and self.scores is not None:
            self.details, self._details_of = details, evaluation
            self._update_passing()
            self.details_changed.emit()


def lay_out_whole(problem: Problem) -> tuple[Problem, LatticeLayout]:
    """Place all nodes of a lattice."""
    from engine.lattice.hasse import MOST_NODES
    from engine.search.bounds import generalization_loss

    if problem.lattice.n_nodes <= MOST_NODES:
        return problem, lay_out_small(problem.lattice.levels)
    return problem, lay_out(problem.lattice.sums, generalization_loss(problem))


def prepare(evaluation: Evaluation, metric: str, held: Ends | None, has_grown: bool) -> _Prepared:
    """Prepare the scores of an evaluation, with a new layout if nodes were scored since the last one."""
    layout = None
    if has_grown:
        # Later nodes are further out, so that earlier ones keep their order within a row.
        sums = evaluation.lattice.sums
        layout = lay_out(sums, np.arange(len(sums), dtype=np.float64))
    scores = prepare_scores(evaluation, metric, held)
    _slow = scores.ranks, scores.minimal
    return evaluation, metric, scores, layout


def measure_details(
    evaluation: Evaluation,
    project: Project | None = None,
    expected: ExpectedKept | None = None,
    monitor: Monitor = SILENT,
) -> tuple[Evaluation, Details]:
    """Return the slow columns of the list, and the expected records if a project draws them."""
    from engine.scoring.nodes.kept import node_figures
    from engine.utility import utility_metrics

    details: Details = node_figures(evaluation, monitor)
    details["minimal"] = evaluation.minimal.astype(np.float64)
    keys = [key for key, member in utility_metrics.items() if not member.costly]
    for done, key in enumerate(keys):
        monitor.step(done, len(keys))
        details[key] = evaluation.metric(key)
    if project is not None and expected is not None:
        shares = expected.shares(project, evaluation, monitor)
        if shares is not None:
            details[EXPECTED_KEPT] = shares
    return evaluation, details
