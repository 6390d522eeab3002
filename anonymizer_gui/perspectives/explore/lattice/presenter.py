"""Fills the lattice card: positions, colours, marks, caption; turns input into selections."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal

from anonymizer_gui.models.node_name import LevelWords
from anonymizer_gui.perspectives.explore.canvas_presenter import CanvasPresenter
from anonymizer_gui.perspectives.explore.explore_state import ExploreState
from anonymizer_gui.perspectives.explore.hover_card import hide_hover_card
from anonymizer_gui.perspectives.explore.lattice.corners import LevelRow
from anonymizer_gui.perspectives.explore.lattice.headline import Border, SplitFacets, facet_layout
from anonymizer_gui.perspectives.explore.lattice.layout import SMALLEST_PITCH
from anonymizer_gui.perspectives.explore.lattice.legend import LegendScale
from anonymizer_gui.perspectives.explore.lattice.marks import NodePaths, StepTaken
from anonymizer_gui.perspectives.explore.lattice.neighbourhood import (
    MeasuredValue,
    NodeValues,
    cheapest_path,
    edges_by_cost,
    moved_attribute,
    neighbourhood_of,
    step_from,
)
from anonymizer_gui.perspectives.explore.lattice.node_look import NodeLook
from anonymizer_gui.perspectives.explore.lattice.panel import LatticePanel
from anonymizer_gui.perspectives.explore.metric_text import metric_name, metric_text
from anonymizer_gui.perspectives.explore.node_filter import LevelPattern
from anonymizer_gui.perspectives.explore.node_scores import Details, NodeScores, dimmed, row_texts
from anonymizer_gui.perspectives.explore.node_text import figure_name
from anonymizer_gui.session.results import Exploring
from engine.errors import InputError
from engine.lattice import Lattice
from engine.numbers import DASH, as_count, as_decimal, as_exact_count, as_nodes, as_percent
from engine.privacy.measured_text import figure_text, limit_text
from engine.scoring.nodes.kept import SATISFIES, SUPPRESSED, what_fails
from engine.scoring.split import LEAST_COLUMNS, LEAST_NODES, best_split, shares_of, splits_of, told_apart
from engine.words import _, ngettext

if TYPE_CHECKING:
    from engine.frequency import Problem
    from engine.kernels.arrays import IntArray
    from engine.lattice import Node, Nodes
    from engine.privacy import Requirement
    from engine.scoring import Evaluation
    from engine.scoring.scored import Profile

    _Failures = tuple[Evaluation, IntArray, NDArray[np.float64]]


_LONGEST_WORDS = 30  # characters of a level in the label at an edge
_MOST_PHRASES = 2000
_MOST_CHIPS = 1000  # larger lattices start as dots


class LatticePresenter(CanvasPresenter):
    """Presenter of the lattice card."""

    headline_changed = Signal(str)  # what the numbers say about the lattice as it is drawn; may be empty

    def __init__(self, state: ExploreState, panel: LatticePanel) -> None:
        super().__init__(state, panel.view)
        self._panel = panel
        state.forgotten.connect(self._on_forgotten)
        state.nodes_placed.connect(self._on_nodes_placed)
        state.scores_changed.connect(state.in_turn(self._show_scores, panel))
        for signal in (state.details_changed, state.filter_changed):
            signal.connect(self._show_colours)
        state.marks_changed.connect(self._show_marks)
        for signal in (state.forgotten, state.scores_changed):
            signal.connect(hide_hover_card)
        state.session.selection.changed.connect(self._on_node_selected)
        state.session.results.scoring_progressed.connect(self._show_caption)
        for signal in (
            state.session.parts.table_changed,
            state.session.parts.roles_changed,
            state.session.parts.hierarchies_changed,
        ):
            signal.connect(self._show_caption)
        state.settled.connect(lambda _evaluation: self._show_surroundings())
        state.details_changed.connect(self._show_surroundings)
        state.settled.connect(self._find_failures)
        state.scores_rested.connect(self._choose_split)
        state.session.project_opened.connect(lambda _project: self._wish_for(None))
        panel.pair_requested.connect(self._wish_for)
        panel.view.zoom_changed.connect(self._say)
        self._failures: _Failures | None = None
        self._facets: SplitFacets | None = None
        self._wish: tuple[str, ...] = ()  # columns by which the user splits this project
        self._step: StepTaken | None = None
        self._origin: tuple[Node, bool] | None = None  # start of the last edge, and whether it led up
        view = panel.view
        view.step_requested.connect(self._on_step_requested)
        view.hover_requested.connect(self._on_hover_requested)
        view.cards_toggled.connect(self._show_caption)
        view.zoom_changed.connect(self._show_caption)  # also emitted when the view is resized
        panel.levels.levels_changed.connect(state.filter_by_levels)
        state.filter_changed.connect(lambda: panel.levels.show_filter(state.filter.levels))

    def _on_forgotten(self) -> None:
        self._failures = self._facets = None
        self._panel.show_split(None, None, None)
        self._say()
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

        @lru_cache(maxsize=_MOST_PHRASES)
        def phrases(number: int) -> Sequence[str]:
            nodes = state.nodes  # more than at first, in the same order
            return () if nodes is None else words.short(nodes.node(number))

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
        problem, evaluation, people = self._state.problem, self._state.evaluation, None
        border = self._border()
        if problem is not None and evaluation is not None:
            from engine.privacy.limit import limits_persons

            people = evaluation.allowed if limits_persons(problem, evaluation.requirement) else None
        colours = NodeLook(
            classes,
            scores.values,
            texts,
            key,
            metric_text(key),
            # The status of nodes without scores is unknown.
            minimal=scores.minimal if scores.is_complete else None,
            n_suppressed=scores.suppressed,
            is_known=None if scores.are_known else scores.is_known,
            within=scores.within,
            allowed=scores.allowed,
            allowed_people=people,
            n_records=0 if problem is None else problem.n_records,
            worst=_full_meter(scores.values),
            passes=scores.satisfies,
            reasons={} if border is None else border.reasons(),
            border_texts=("", "") if border is None else (border.meets(), border.below()),
        )
        self._panel.show_colours(colours, scale, keeps_formats=self._session.shown.is_preview)
        self._show_facets()
        if border is not None or not self._session.shown.is_preview:
            self._say()

    def _say(self) -> None:
        """Say what the numbers tell about the lattice as it is drawn."""
        border, facets = self._border(), self._facets
        if border is None and facets is not None and self._panel.view.split is not None:
            self.headline_changed.emit(facets.headline())
        else:
            self.headline_changed.emit("" if border is None else border.headline())

    def _choose_split(self) -> None:
        """Split a large lattice by the columns that explain most, once a knob rests."""
        state, problem, scores = self._state, self._state.problem, self._state.scores
        if self._session.shown.is_preview or problem is None or scores is None:
            return
        if not scores.is_complete or not isinstance(scores.lattice, Lattice):
            is_large = scores.n_all >= LEAST_NODES and len(problem.names) >= LEAST_COLUMNS
            why_not = self.tr("Possible once every node is scored") if is_large else ""
            self._panel.show_split(None, None, None, why_not)
            return
        values = told_apart(scores.satisfies, scores.values, scores.suppressed)
        shares = shares_of(problem.lattice, values)
        present = None if self._facets is None else self._facets.split
        of_user = (split for split, _share in shares if split.names(problem) == self._wish)
        split = next(of_user, None) or best_split(shares, present)
        if split is None or state.words is None:
            self._panel.show_split(None, None, None)
            return
        is_same = self._facets is not None and split == present
        layout = self._facets.layout if self._facets is not None and is_same else facet_layout(split, problem)
        self._facets = SplitFacets(split, layout, dict(shares), problem, state.words)
        self._panel.show_pairs(self._facets.pairs(), self._facets.place)
        self._show_facets()
        self._say()

    def _wish_for(self, place: int | None) -> None:
        """Split by one of the possible pairs of columns, as long as the project is open."""
        self._wish, problem = (), self._state.problem
        if place is not None and problem is not None:
            self._wish = splits_of(problem.lattice)[place].names(problem)
            self._choose_split()

    def _show_facets(self) -> None:
        """Show the numbers of the facets; while a knob turns only if they are in view."""
        facets, scores, view = self._facets, self._state.scores, self._panel.view
        is_turning = self._session.shown.is_preview
        if facets is None or scores is None or (is_turning and view.split is None):
            return
        facets.count(scores, self._state.metric)
        show = view.show_facets if is_turning else self._panel.show_split
        show(facets.split, facets.layout, facets.words())

    def _border(self) -> Border | None:
        """Return which nodes of a small lattice satisfy, and why the others fail."""
        layout, evaluation = self._state.layout, self._state.evaluation
        if layout is None or layout.edges is None or evaluation is None:
            return None
        if self._failures is not None and self._failures[0] is evaluation:
            return Border(evaluation, layout.edges, *self._failures[1:])
        kinds = np.where(evaluation.satisfies, SATISFIES, SUPPRESSED)
        return Border(evaluation, layout.edges, kinds, np.full(len(kinds), np.nan))

    def _find_failures(self, evaluation: Evaluation) -> None:
        """Find what nodes fail, where it may be another condition than the suppression limit."""
        layout, requirement = self._state.layout, evaluation.requirement
        is_small = layout is not None and layout.edges is not None
        is_other = requirement.table_wide or requirement.holds_group or requirement.earlier is not None
        if is_small and (not evaluation.allowed or is_other):
            run, then = self._session.runner.run, self._on_failures_found
            run(lambda monitor: (evaluation, *what_fails(evaluation)), then=then, key="explore.failures")

    def _on_failures_found(self, found: _Failures) -> None:
        if found[0] is self._state.evaluation:
            self._failures = found
            self._show_colours()

    def _show_caption(self) -> None:
        problem, profile = self._state.problem, self._session.results.profile
        if self._state.layout is not None and profile is not None and problem is not None:
            self._panel.set_caption(self._caption(profile, problem.lattice.n_nodes))

    def _caption(self, profile: Profile, n_nodes: int) -> str:
        results, nodes = self._session.results, as_nodes(n_nodes)
        if self._state.is_outdated:
            return self.tr("updating: columns or hierarchies were changed")
        if results.is_explored:
            return explored_words(results.exploring, profile.n_scored, n_nodes, self._session.shown.metric)
        if self._panel.view.shows_cards:
            around = self.tr("every node one step away as a card, the rest of each row as dots")
            return self.tr("neighbourhood of the selected node; {around}").format(around=around)
        if not profile.is_complete:
            text = self.tr("{n_scored} of {n_nodes} nodes scored, each exactly; the others follow")
            return text.format(n_scored=as_exact_count(profile.n_scored), n_nodes=as_count(n_nodes))
        if n_nodes == 1:
            return nodes
        if (split := self._panel.view.split) is not None and self._facets is not None:
            return self._facets.caption(split.opened)
        if self._panel.view.diagram is not None:
            return self.tr("all {nodes}, an edge for every step").format(nodes=nodes)
        order, dots = self.tr("least generalization loss in the middle of a row"), self._drawn_words(n_nodes)
        return self.tr("all {nodes}{dots}; {order}").format(nodes=nodes, dots=dots, order=order)

    def _drawn_words(self, n_nodes: int) -> str:
        """Return how a lattice of that many nodes is drawn."""
        geometry = self._panel.view.geometry_shown
        if geometry is not None and geometry.fit_pitches[0] < SMALLEST_PITCH:
            return self.tr(", as shares per column")
        return self.tr(", one dot each") if n_nodes >= _MOST_CHIPS else ""

    def _show_marks(self) -> None:
        is_other = self._state.marks.selected != self._canvas.marks.selected
        super()._show_marks()
        is_turning = self._session.shown.is_preview
        # Until the nodes of another problem have positions, the filter is of the columns before.
        if self._state.nodes is not None and (is_other or not is_turning):
            self._panel.levels.show_selected(self._state.selected)
        if not is_turning:
            self._show_surroundings()

    def _description(self) -> str:
        """Return the description of the selected node, after the step that led to it."""
        description, step = super()._description(), self._step
        if step is not None and step.end == self._state.marks.selected:
            description = f"{step.text}\n{description}"
        return description

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
        return NodePaths(
            number,
            state.neighbours(node),
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


def _short(words: str) -> str:
    """Return the description of a level, elided for a label at an edge."""
    return words if len(words) <= _LONGEST_WORDS else f"{words[: _LONGEST_WORDS - 1].rstrip(' ,')}…"


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
    from engine.scoring.nodes.kept import figure_models

    values, named = [], figure_models(problem, requirement)
    for model in requirement.models:
        name = figure_name(model, named)
        if name is not None and name in details:
            value = float(details[name][number])
            text = figure_text(type(model), value, 2) if value == value else DASH
            limit = f"{model.relation.value} {limit_text(model)}"
            # Kept classes meet every model.
            values.append(MeasuredValue(model.symbol, text, limit, True))
    return NodeValues(rank, tuple(values))


class FindPresenter(QObject):
    """Presenter of the field in the lattice header."""

    def __init__(self, state: ExploreState, panel: LatticePanel) -> None:
        super().__init__(panel)
        self._session, self._state, self._panel = state.session, state, panel
        panel.find_field.find_requested.connect(self._on_find_requested)
        state.forgotten.connect(lambda: panel.find_field.show_problem(""))
        state.session.project_opened.connect(lambda _project: panel.find_field.clear())

    def _on_find_requested(self, text: str) -> None:
        problem = self._state.problem
        if problem is None:
            return
        try:
            node = self._read(text, problem)
        except InputError as error:
            self._panel.find_field.show_problem(f"{error.problem} {error.hint}".strip())
            return
        self._session.selection.select(node)
        nodes = self._state.nodes
        if nodes is not None and (number := nodes.find(node)) is not None:
            self._panel.view.center_on(number)
        self._panel.find_field.selectAll()  # the next search replaces it; in the nodes, Enter would apply

    def _read(self, text: str, problem: Problem) -> Node:
        """Return the node of a vector, or the best one that words describe."""
        state = self._state
        words, nodes, scores = state.words, state.nodes, state.scores
        if not _WORDS.search(text) or words is None or nodes is None:
            return read_vector(text, problem)
        matching = np.flatnonzero(levels_in_words(text, problem, words).mask(nodes.levels))
        if scores is None or not len(matching):
            return _first_of(matching, nodes, text)
        ranks, values = scores.ranks[matching], scores.values[matching]
        order = np.lexsort((np.nan_to_num(values, nan=np.inf), np.where(ranks > 0, ranks, np.inf)))
        return nodes.node(int(matching[order[0]]))


def _first_of(matching: IntArray, nodes: Nodes, text: str) -> Node:
    if not len(matching):
        raise InputError(
            _("No node has all of “{text}”.").format(text=text.strip()),
            hint=_("Name levels of different columns, such as age 20, city hidden."),
        )
    return nodes.node(int(matching[0]))


def levels_in_words(text: str, problem: Problem, words: LevelWords) -> LevelPattern:
    """Read levels in words, separated by commas: "age 20, city hidden".

    Raises
    ------
    InputError
        No level of any column has the words of a part.
    """
    allowed: dict[int, frozenset[int]] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        described = ((q, words.levels_with(q, *part.split())) for q in range(len(problem.attributes)))
        attribute, levels = next((found for found in described if found[1]), (-1, frozenset[int]()))
        if not levels:
            raise InputError(
                _("No level is called “{part}”.").format(part=part),
                hint=_("Type a column and words of its level, such as age 20, city hidden."),
            )
        allowed[attribute] = allowed.get(attribute, levels) & levels
    return LevelPattern(allowed)


_WORDS = re.compile(r"[^\W\d_]{2,}")
_MOST_NAMES = 10
_LARGEST_DIGIT = 9


def read_vector(text: str, problem: Problem) -> Node:
    """Return the node of a text with one level per quasi-identifying column, in column order.

    Raises
    ------
    InputError
        The number of levels is wrong, or a level is not a number or not allowed.
    """
    names, lattice = problem.names, problem.lattice
    parts = re.findall(r"[^\s,;\[\]()]+", text)
    if len(parts) == 1 and len(names) > 1 and re.fullmatch(r"[0-9]+", parts[0]):
        parts = list(parts[0])
        if len(parts) == len(names) and max(lattice.maximum) > _LARGEST_DIGIT:
            raise InputError(
                _("Some levels have two digits."), hint=_("Separate the levels by spaces: 0 3 12.")
            )
    wrong = next((part for part in parts if not re.fullmatch(r"[0-9]{1,6}", part)), None)
    if wrong is not None:
        raise InputError(_("'{wrong}' is not a level.").format(wrong=wrong), hint=_example(problem))
    if len(parts) != len(names):
        found = ngettext("{n} level given", "{n} levels given", len(parts)).format(n=len(parts))
        wanted = _("a node has {n}, one for each of {names}.").format(n=len(names), names=_listed(names))
        raise InputError(f"{found}; {wanted}", hint=_example(problem))
    node = tuple(int(part) for part in parts)
    for name, level, low, high in zip(names, node, lattice.minimum, lattice.maximum, strict=True):
        if not low <= level <= high:
            raise InputError(_not_allowed(name, level, low, high))
    return node


def _not_allowed(name: str, level: int, low: int, high: int) -> str:
    if low == high:
        return _("{name} has only level {low} here, not {level}.").format(name=name, low=low, level=level)
    return _("{name} has levels {low} to {high} here, not {level}.").format(
        name=name, low=low, high=high, level=level
    )


def _example(problem: Problem) -> str:
    top = " ".join(str(level) for level in problem.lattice.maximum[:_MOST_NAMES])
    more = " …" if len(problem.lattice.maximum) > _MOST_NAMES else ""
    return _("The most general node is {top}.").format(top=top + more)


def _listed(names: tuple[str, ...]) -> str:
    if len(names) <= _MOST_NAMES:
        return ", ".join(names)
    n_more = len(names) - _MOST_NAMES + 1
    return ", ".join([*names[: _MOST_NAMES - 1], _("{n_more} more").format(n_more=n_more)])


def explored_words(exploring: Exploring | None, n_scored: int, n_nodes: int, metric: str) -> str:
    """Return how many of how many nodes are scored, and what is proven for the displayed requirement."""
    share = as_percent(n_scored / n_nodes)
    counts = _("{n_scored} of {n_nodes} nodes scored ({share}), each exactly").format(
        n_scored=as_exact_count(n_scored), n_nodes=as_count(n_nodes), share=share
    )
    return f"{counts}; {proof_words(exploring, metric)}"


def proof_words(exploring: Exploring | None, metric: str) -> str:
    """Describe the nodes that are not scored."""
    if exploring is None:
        return _("the optimum shown is the best so far")
    if exploring.is_proved and exploring.bound == float("inf"):
        return _("no other node satisfies: proven")
    if exploring.is_proved:
        return _("no other node is better: proven")
    if exploring.bound > 0:
        least = metric_text(metric)(exploring.bound)
        return _("no satisfying node is below {metric} {least}").format(
            metric=metric_name(metric), least=least
        )
    return _("the optimum shown is the best so far")
