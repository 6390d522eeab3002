"""Fills the lattice card: places, colours, marks, caption; turns clicks and keys into selections."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from anonymizer_gui.perspectives.explore.explored_text import explored_words
from anonymizer_gui.perspectives.explore.hover_card import hide_hover_card
from anonymizer_gui.perspectives.explore.lattice.lattice_corners import LegendScale, LevelRow
from anonymizer_gui.perspectives.explore.lattice.lattice_geometry import SMALLEST_PITCH
from anonymizer_gui.perspectives.explore.lattice.lattice_panel import LatticePanel
from anonymizer_gui.perspectives.explore.lattice.lattice_view import LatticeColours
from anonymizer_gui.perspectives.explore.lattice.steps import step_from
from anonymizer_gui.perspectives.explore.metric_text import metric_name, metric_text
from anonymizer_gui.perspectives.explore.node_scores import dimmed, row_texts
from anonymizer_gui.perspectives.explore.showing import Showing
from anonymizer_gui.session import Session
from anonymizer_gui.widgets.numbers import as_count, as_decimal, as_exact_count, as_nodes

if TYPE_CHECKING:
    from engine.lattice import Node

_MOST_CHIPS = 1000  # more nodes than this start as dots


class LatticePresenter(QObject):
    """Owns what the lattice card shows."""

    apply_requested = Signal(object)  # node

    def __init__(self, session: Session, showing: Showing, panel: LatticePanel, parent: QObject) -> None:
        super().__init__(parent)
        self._session, self._showing, self._panel = session, showing, panel
        showing.forgotten.connect(self._on_forgotten)
        showing.nodes_placed.connect(self._on_nodes_placed)
        for signal in (showing.scores_changed, showing.details_changed, showing.filter_changed):
            signal.connect(self._show_colours)
        showing.scores_changed.connect(self._show_caption)
        showing.marks_changed.connect(self._show_marks)
        for signal in (showing.forgotten, showing.scores_changed):
            signal.connect(hide_hover_card)
        session.node_selected.connect(self._on_node_selected)
        session.scoring_progressed.connect(self._show_caption)
        view = panel.view
        view.node_requested.connect(showing.select)
        view.apply_requested.connect(self._apply)
        view.step_requested.connect(self._on_step_requested)
        view.details_requested.connect(self._on_details_requested)
        panel.levels.levels_changed.connect(showing.filter_by_levels)

    def _on_forgotten(self) -> None:
        if self._showing.problem is None:
            self._panel.view.show_lattice(None)

    def _on_nodes_placed(self, is_more: bool) -> None:
        showing = self._showing
        problem, layout, nodes, words = showing.problem, showing.layout, showing.nodes, showing.words
        if problem is None or layout is None or nodes is None or words is None:
            return
        if is_more:
            self._panel.show_more(layout, nodes.levels)
            return
        rows = [
            LevelRow(a.name, a.maximum + 1, tuple(words.level(q, level) for level in range(a.maximum + 1)))
            for q, a in enumerate(problem.attributes)
        ]
        self._panel.show_lattice(layout, nodes.levels, rows)
        self._show_caption()

    def _show_colours(self) -> None:
        scores, layout, key = self._showing.scores, self._showing.layout, self._showing.metric
        if scores is None or layout is None:
            return
        first = self.tr("satisfy: {0} / {1} scored") if scores.is_part else self.tr("satisfy: {0} / {1}")
        texts = row_texts(layout.positions[:, 0], scores.satisfies, first)
        name, text = metric_name(key), metric_text(key)
        scale = None if scores.ends is None else LegendScale(name, *scores.ends, _legend_text(key))
        classes = dimmed(scores.classes, self._showing.passing)
        self._panel.show_colours(LatticeColours(classes, scores.values, texts, name, text), scale)

    def _show_caption(self) -> None:
        profile, problem = self._session.profile, self._showing.problem
        if self._showing.layout is None or profile is None or problem is None:
            return
        n_nodes = problem.lattice.n_nodes
        if self._session.is_explored:
            words = explored_words(self._session.exploring, profile.n_scored, n_nodes, self._session.metric)
            self._panel.set_caption(words)
        elif profile.is_complete:
            order = self.tr("least generalization loss in the middle of a row")
            dots = self._drawn_words(n_nodes)
            nodes = as_nodes(n_nodes)
            text = self.tr("all {0}{1}; {2}").format(nodes, dots, order)
            self._panel.set_caption(text if n_nodes > 1 else nodes)
        else:
            text = self.tr("{0} of {1} nodes scored, each exactly; the others follow")
            self._panel.set_caption(text.format(as_exact_count(profile.n_scored), as_count(n_nodes)))

    def _drawn_words(self, n_nodes: int) -> str:
        """How a lattice of many nodes is drawn."""
        geometry = self._panel.view.geometry_shown
        if geometry is not None and geometry.fit_pitches[0] < SMALLEST_PITCH:
            return self.tr(", as shares per column")
        return self.tr(", one dot each") if n_nodes >= _MOST_CHIPS else ""

    def _show_marks(self) -> None:
        selected = self._showing.selected
        if self._showing.nodes is None:
            return
        description = "" if selected is None else self._showing.describe(selected)
        self._panel.view.show_marks(self._showing.marks, description)
        self._panel.levels.show_selected(selected)

    def _on_node_selected(self, node: Node | None) -> None:
        nodes = self._showing.nodes
        if node is not None and nodes is not None and (number := nodes.find(node)) is not None:
            self._panel.view.bring_into_view(number)

    def _apply(self, number: int) -> None:
        if (nodes := self._showing.nodes) is not None:
            self._showing.select(number)
            self.apply_requested.emit(nodes.node(number))

    def _on_step_requested(self, direction: str) -> None:
        showing = self._showing
        problem, layout, nodes = showing.problem, showing.layout, showing.nodes
        if problem is None or layout is None or nodes is None:
            return
        found = step_from(self._session.selected, direction, problem.lattice, nodes, layout, showing.scores)
        if found is not None:
            self._session.select_node(found)

    def _on_details_requested(self, number: int) -> None:
        self._panel.view.show_details(number, self._showing.describe_number(number))


def _legend_text(key: str) -> Callable[[float], str]:
    """Shares with two decimals: the legend is short of room."""
    text = metric_text(key)
    return (lambda value: as_decimal(value, 2)) if text is as_decimal else text
