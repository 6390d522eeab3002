"""Fills the lattice card: positions, colours, marks, caption; turns input into selections."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject

from anonymizer_gui.perspectives.explore.explore_state import ExploreState
from anonymizer_gui.perspectives.explore.explored_text import explored_words
from anonymizer_gui.perspectives.explore.hover_card import hide_hover_card
from anonymizer_gui.perspectives.explore.lattice.corners import LevelRow
from anonymizer_gui.perspectives.explore.lattice.edges import NodePaths, StepTaken
from anonymizer_gui.perspectives.explore.lattice.geometry import SMALLEST_PITCH
from anonymizer_gui.perspectives.explore.lattice.legend import LegendScale
from anonymizer_gui.perspectives.explore.lattice.neighbourhood import (
    MeasuredValue,
    NodeValues,
    cheapest_path,
    edges_by_cost,
    moved_attribute,
    neighbourhood_of,
    step_from,
)
from anonymizer_gui.perspectives.explore.lattice.node_look import LatticeColours
from anonymizer_gui.perspectives.explore.lattice.panel import LatticePanel
from anonymizer_gui.perspectives.explore.metric_text import metric_name, metric_text
from anonymizer_gui.perspectives.explore.node_scores import Details, NodeScores, dimmed, row_texts
from anonymizer_gui.session import Session
from engine.numbers import DASH, as_count, as_decimal, as_exact_count, as_nodes
from engine.privacy.measured_text import figure_text, limit_text
from engine.words import _, english

if TYPE_CHECKING:
    from engine.frequency import Problem
    from engine.lattice import Node
    from engine.privacy import PrivacyModel, Requirement


_WORDS = 30  # characters of a level in the label at an edge
_MOST_CHIPS = 1000  # larger lattices start as dots


class LatticePresenter(QObject):
    """Presenter of the lattice card."""

    def __init__(self, session: Session, state: ExploreState, panel: LatticePanel, parent: QObject) -> None:
        super().__init__(parent)
        self._session, self._state, self._panel = session, state, panel
        state.forgotten.connect(self._on_forgotten)
        state.nodes_placed.connect(self._on_nodes_placed)
        state.scores_changed.connect(state.in_turn(self._show_scores))
        state.scores_rested.connect(state.in_turn(self._on_scores_rested))
        for signal in (state.details_changed, state.filter_changed):
            signal.connect(self._show_colours)
        state.marks_changed.connect(self._show_marks)
        for signal in (state.forgotten, state.scores_changed):
            signal.connect(hide_hover_card)
        session.selection.changed.connect(self._on_node_selected)
        session.results.scoring_progressed.connect(self._show_caption)
        for signal in (
            session.parts.table_changed,
            session.parts.roles_changed,
            session.parts.hierarchies_changed,
        ):
            signal.connect(self._show_caption)
        state.settled.connect(lambda _evaluation: self._show_surroundings())
        state.details_changed.connect(self._show_surroundings)
        self._step: StepTaken | None = None
        self._origin: tuple[Node, bool] | None = None  # start of the last edge, and whether it led up
        view = panel.view
        view.node_requested.connect(state.select)
        view.apply_requested.connect(state.apply)
        view.step_requested.connect(self._on_step_requested)
        view.details_requested.connect(self._on_details_requested)
        view.hover_requested.connect(self._on_hover_requested)
        view.cards_toggled.connect(self._show_caption)
        view.zoom_changed.connect(self._show_caption)  # also emitted when the view is resized
        panel.levels.levels_changed.connect(state.filter_by_levels)
        state.filter_changed.connect(lambda: panel.levels.show_filter(state.filter.levels))

    def _on_forgotten(self) -> None:
        if self._state.problem is None:
            self._panel.view.show_lattice(None)

    def _on_nodes_placed(self, is_more: bool) -> None:
        state = self._state
        problem, layout, nodes, words = state.problem, state.layout, state.nodes, state.words
        if problem is None or layout is None or nodes is None or words is None:
            return
        if is_more:
            self._panel.show_more(layout, nodes.levels)
            return
        rows = [
            LevelRow(a.name, a.maximum + 1, tuple(words.level(q, level) for level in range(a.maximum + 1)))
            for q, a in enumerate(problem.attributes)
        ]
        heights = [attribute.hierarchy.height for attribute in problem.attributes]
        phrases = (
            ()
            if layout.edges is None
            else [words.short(node) for node in map(nodes.node, range(nodes.n_nodes))]
        )
        self._panel.show_lattice(layout, nodes.levels, rows, heights, phrases)
        self._show_caption()

    def _show_scores(self) -> None:
        self._show_colours()
        self._show_marks()
        self._show_caption()

    def _show_colours(self) -> None:
        scores, layout, key = self._state.scores, self._state.layout, self._state.metric
        if scores is None or layout is None:
            return
        first = (
            self.tr("satisfy: {n} / {total} scored") if scores.is_part else self.tr("satisfy: {n} / {total}")
        )
        texts = row_texts(layout.positions[:, 0], scores.satisfies, first)
        scale = (
            None if scores.ends is None else LegendScale(metric_name(key), *scores.ends, _legend_text(key))
        )
        classes = dimmed(scores.classes, self._state.passing)
        problem, evaluation, allowed, people = self._state.problem, self._state.evaluation, 0, None
        if problem is not None and evaluation is not None:
            from engine.privacy.limit import limits_persons, most_suppressed

            allowed = most_suppressed(problem, evaluation.requirement)
            people = evaluation.allowed if limits_persons(problem, evaluation.requirement) else None
        colours = LatticeColours(
            classes,
            scores.values,
            texts,
            key,
            metric_text(key),
            # The status of nodes without scores is unknown.
            minimal=scores.minimal if scores.is_complete else None,
            suppressed=scores.suppressed,
            is_known=None if scores.are_known else scores.is_known,
            within=scores.within,
            allowed=allowed,
            allowed_people=people,
            n_records=0 if problem is None else problem.n_records,
            worst=_full_meter(scores.values),
        )
        self._panel.show_colours(colours, scale)

    def _show_caption(self) -> None:
        profile, problem = self._session.results.profile, self._state.problem
        if self._state.layout is None or profile is None or problem is None:
            return
        n_nodes = problem.lattice.n_nodes
        if self._state.is_outdated:
            self._panel.set_caption(self.tr("updating: columns or hierarchies were changed"))
        elif self._session.results.is_explored:
            words = explored_words(
                self._session.results.exploring, profile.n_scored, n_nodes, self._session.shown.metric
            )
            self._panel.set_caption(words)
        elif self._panel.view.shows_cards:
            around = self.tr("every node one step away as a card, the rest of each row as dots")
            self._panel.set_caption(
                self.tr("neighbourhood of the selected node; {around}").format(around=around)
            )
        elif self._panel.view.diagram is not None and profile.is_complete and n_nodes > 1:
            self._panel.set_caption(
                self.tr("all {nodes}, an edge for every step").format(nodes=as_nodes(n_nodes))
            )
        elif profile.is_complete:
            order = self.tr("least generalization loss in the middle of a row")
            dots = self._drawn_words(n_nodes)
            nodes = as_nodes(n_nodes)
            text = self.tr("all {nodes}{dots}; {order}").format(nodes=nodes, dots=dots, order=order)
            self._panel.set_caption(text if n_nodes > 1 else nodes)
        else:
            text = self.tr("{n_scored} of {n_nodes} nodes scored, each exactly; the others follow")
            self._panel.set_caption(
                text.format(n_scored=as_exact_count(profile.n_scored), n_nodes=as_count(n_nodes))
            )

    def _drawn_words(self, n_nodes: int) -> str:
        """Return how a lattice of that many nodes is drawn."""
        geometry = self._panel.view.geometry_shown
        if geometry is not None and geometry.fit_pitches[0] < SMALLEST_PITCH:
            return self.tr(", as shares per column")
        return self.tr(", one dot each") if n_nodes >= _MOST_CHIPS else ""

    def _show_marks(self) -> None:
        """Show the marks; while a knob turns, the selected node is described after a pause."""
        state, view = self._state, self._panel.view
        if state.nodes is None:
            return
        marks, is_turning = state.marks, self._session.shown.is_preview
        if is_turning and marks.selected == view.marks.selected:
            self._panel.show_marks(marks, view.accessibleDescription())
            return
        self._describe()
        self._panel.levels.show_selected(state.selected)
        if not is_turning:
            self._show_surroundings()

    def _describe(self) -> None:
        """Describe the selected node, after the step that led to it."""
        marks, selected, step = self._state.marks, self._state.selected, self._step
        description = "" if selected is None else self._state.describe(selected)
        if step is not None and step.end == marks.selected:
            description = f"{step.text}\n{description}"
        self._panel.show_marks(marks, description)

    def _on_scores_rested(self) -> None:
        if self._session.shown.is_preview and self._state.nodes is not None:
            self._describe()

    def _show_surroundings(self) -> None:
        """Show paths and cards of the selected node; unchanged while a knob is dragged."""
        state, view = self._state, self._panel.view
        problem, nodes, layout, scores = state.problem, state.nodes, state.layout, state.scores
        selected, words, evaluation = state.selected, state.words, state.evaluation
        if problem is None or nodes is None or layout is None or scores is None or words is None:
            return
        if selected is None or (number := nodes.find(selected)) is None or layout.n_nodes != nodes.n_nodes:
            view.show_paths(None)
            view.show_neighbourhood(None)
            return
        view.show_paths(self._paths(number))
        hood = neighbourhood_of(selected, problem, nodes, layout, scores, words)
        requirement = None if evaluation is None else evaluation.requirement
        values = node_values(number, problem, requirement, scores, state.details)
        view.show_neighbourhood(hood, values)

    def _paths(self, number: int) -> NodePaths:
        """Return the neighbours of a node and its cheapest path."""
        state = self._state
        problem, nodes = state.problem, state.nodes
        assert problem is not None, "only asked where nodes are shown"
        assert nodes is not None, "only asked where nodes are shown"
        lattice, node = problem.lattice, nodes.node(number)
        around = [*lattice.predecessors(node), *lattice.successors(node)]
        found = (nodes.find(other) for other in around)
        return NodePaths(
            number,
            tuple(other for other in found if other is not None),
            cheapest_path(node, lattice, nodes, state.scores, is_up=False),
            cheapest_path(node, lattice, nodes, state.scores, is_up=True),
        )

    def _on_hover_requested(self, number: int) -> None:
        nodes = self._state.nodes
        if nodes is not None and 0 <= number < nodes.n_nodes and not self._session.shown.is_preview:
            self._panel.view.show_hovered(self._paths(number))

    def _on_node_selected(self, node: Node | None) -> None:
        nodes = self._state.nodes
        if node is not None and nodes is not None and (number := nodes.find(node)) is not None:
            self._panel.view.bring_into_view(number)

    def _on_step_requested(self, direction: str) -> None:
        state = self._state
        problem, layout, nodes = state.problem, state.layout, state.nodes
        if problem is None or layout is None or nodes is None:
            return
        selected = state.selected
        if direction.startswith("other "):
            self._take_other_edge(direction.removeprefix("other "))
            return
        found = step_from(selected, direction, problem.lattice, nodes, layout, state.scores)
        if found is not None:
            self._origin = (selected, direction == "up") if selected and direction in ("up", "down") else None
            self._walk(selected, found)

    def _take_other_edge(self, direction: str) -> None:
        """Go back along the last edge and follow the next one by cost."""
        state, selected = self._state, self._state.selected
        if state.problem is None or selected is None:
            return
        is_up = direction == "up"
        origin = self._origin[0] if self._origin is not None and self._origin[1] is is_up else None
        if origin is None or (moved_attribute(origin, selected) is None):
            origin = selected
        edges = edges_by_cost(origin, state.problem.lattice, state.scores, is_up=is_up)
        if edges:
            at = edges.index(selected) + 1 if selected in edges else 0
            self._origin = (origin, is_up)
            self._walk(origin, edges[at % len(edges)])

    def _walk(self, start: Node | None, end: Node) -> None:
        """Select a node and show which attribute changed, if it is a neighbour."""
        nodes, words = self._state.nodes, self._state.words
        self._step = None
        if nodes is not None and words is not None and start is not None:
            numbers, moved = (nodes.find(start), nodes.find(end)), moved_attribute(start, end)
            if moved is not None and numbers[0] is not None and numbers[1] is not None:
                before, after = words.level(moved, start[moved]), words.level(moved, end[moved])
                name = words.node(end)[moved][0]
                moves = f"{_short(before)} → {_short(after)}"
                self._step = StepTaken(numbers[0], numbers[1], f"{name}: {moves}")
        self._session.selection.select(end)
        if self._step is not None:
            self._panel.view.show_step(self._step)

    def _on_details_requested(self, number: int) -> None:
        self._panel.view.show_details(number, self._state.describe_number(number), self._state.glyph(number))


def _short(words: str) -> str:
    """Return the description of a level, elided for a label at an edge."""
    return words if len(words) <= _WORDS else f"{words[: _WORDS - 1].rstrip(' ,')}…"


def _full_meter(values: NDArray[np.float64]) -> float:
    """Return the value of a full meter: 1 for shares, else the largest value."""
    known = values[np.isfinite(values)]
    return max(float(known.max()), 1.0) if len(known) else 1.0


def _legend_text(key: str) -> Callable[[float], str]:
    """Return a formatter with two decimals for shares, because the legend is narrow."""
    text = metric_text(key)
    return (lambda value: as_decimal(value, 2)) if text is as_decimal else text


def node_values(
    number: int,
    problem: Problem,
    requirement: Requirement | None,
    scores: NodeScores,
    details: Details | None,
) -> NodeValues:
    """Return rank and models of a node; models are empty while `details` is None."""
    if not scores.scored[number]:
        return NodeValues(_("not scored yet"))
    rank = _("fails")
    if scores.satisfies[number]:
        rank = _("rank {rank} of {n}").format(
            rank=as_exact_count(int(scores.ranks[number])), n=as_exact_count(scores.n_satisfying)
        )
    if requirement is None or details is None:
        return NodeValues(rank)
    values = []
    for model in requirement.models:
        name = _name_among(details, problem, requirement, model)
        if name is not None:
            value = float(details[name][number])
            text = figure_text(type(model), value, 2) if value == value else DASH
            limit = f"{model.relation.value} {limit_text(model)}"
            # Kept classes meet every model.
            values.append(MeasuredValue(model.symbol, text, limit, True))
    return NodeValues(rank, tuple(values))


def _name_among(
    details: Details, problem: Problem, requirement: Requirement, model: PrivacyModel
) -> str | None:
    """Return the name of a model among the details; None if it is too slow for all nodes."""
    from engine.scoring.nodes.figures import figure_models

    usual = ".".join((english(model, "symbol"), *model.columns))
    known = figure_models(problem, requirement)
    same = (name for name, other in known.items() if other == model)
    found = next(same, usual)
    return found if found in details else None
