"""Fills the list of nodes, counts what stands in it, and says why it is empty."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QObject, Signal

from anonymizer_gui.perspectives.explore.listing.list_panel import ListPanel
from anonymizer_gui.perspectives.explore.listing.node_table import node_table
from anonymizer_gui.perspectives.explore.metric_text import metric_name
from anonymizer_gui.perspectives.explore.node_scores import Details, NodeScores
from anonymizer_gui.perspectives.explore.showing import Showing
from anonymizer_gui.session import Session
from anonymizer_gui.widgets.numbers import as_exact_count, as_nodes

if TYPE_CHECKING:
    from engine.frequency import Problem
    from engine.kernels.arrays import BoolArray


class _Listed(NamedTuple):
    """What the list is made of; `passing` are the nodes that pass the filters, by number."""

    problem: Problem
    scores: NodeScores
    details: Details | None
    passing: BoolArray

    @property
    def candidates(self) -> BoolArray:
        """Scored nodes that pass the filters, whether or not they satisfy."""
        return self.passing & self.scores.scored


class ListPresenter(QObject):
    """Owns what the list shows; who else filters is told when the person gives up their filters."""

    clear_requested = Signal()
    apply_requested = Signal(object)  # node

    def __init__(self, session: Session, showing: Showing, panel: ListPanel, parent: QObject) -> None:
        super().__init__(parent)
        self._session, self._showing, self._panel = session, showing, panel
        self._listed: _Listed | None = None
        showing.forgotten.connect(self._on_forgotten)
        for signal in (showing.scores_changed, showing.details_changed, showing.filter_changed):
            signal.connect(self._on_shown_changed)
        showing.filter_problem_changed.connect(panel.show_filter_problem)
        showing.marks_changed.connect(self._show_marks)
        panel.model.describe = showing.describe_number
        panel.node_requested.connect(showing.select)
        panel.apply_requested.connect(self._apply)
        panel.filter_changed.connect(showing.filter_by_text)
        panel.failing_toggled.connect(self._on_failing_toggled)
        panel.empty_action_requested.connect(self._on_empty_action)

    def _on_forgotten(self) -> None:
        self._listed = None

    def _on_shown_changed(self) -> None:
        showing = self._showing
        if showing.problem is not None and showing.scores is not None:
            self._listed = _Listed(showing.problem, showing.scores, showing.details, showing.passing)
            self._show()

    def _show_marks(self) -> None:
        marks = self._showing.marks
        self._panel.show_selected(marks.selected, marks.by_node)

    def _apply(self, number: int) -> None:
        if (nodes := self._showing.nodes) is not None:
            self._showing.select(number)
            self.apply_requested.emit(nodes.node(number))

    def _show(self) -> None:
        listed = self._listed
        if listed is None:
            return
        table = node_table(
            listed.scores, listed.problem, listed.details, self._session.metric, listed.passing
        )
        self._panel.show_table(table, self._count(listed), self._hint(listed))
        self._show_why_empty(listed)

    def _count(self, listed: _Listed) -> str:
        satisfying = int((listed.candidates & listed.scores.satisfies).sum())
        if self._panel.model.shows_failing:
            n_nodes = int(listed.candidates.sum())
            return self.tr("{0}, {1} satisfy").format(as_nodes(n_nodes), as_exact_count(satisfying))
        if satisfying == 1:
            return self.tr("1 node that satisfies")
        return self.tr("{0} nodes that satisfy").format(as_exact_count(satisfying))

    def _hint(self, listed: _Listed) -> str:
        if listed.details is None:
            return self.tr("Updating k, classes and the other metrics.")
        ranked = self.tr("Rank by {0}. ")
        if listed.scores.is_part:
            ranked = self.tr("Scored nodes, ranked by {0}. ")
        levels = self.tr("Levels are in the order of the columns; hover a row for the node in words.")
        name = metric_name(self._session.metric).removesuffix(".")  # the sentence ends with one of its own
        return ranked.format(name) + levels

    def _show_why_empty(self, listed: _Listed) -> None:
        """Where the list is empty, say why and offer what fills it."""
        if self._panel.model.rowCount() or not listed.scores.scored.any():
            self._panel.show_empty("", "")
        elif self._is_failing_hidden(listed):
            self._panel.show_empty(
                self._why_none_satisfies(listed.scores)
                if not listed.scores.n_satisfying
                else self.tr("No node that passes the filters satisfies the requirement."),
                self.tr("List the nodes that fail"),
            )
        else:
            self._panel.show_empty(self.tr("No node passes the filters."), self.tr("Clear the filters"))

    def _why_none_satisfies(self, scores: NodeScores) -> str:
        if scores.is_part and not self._session.is_optimum_proved:
            return self.tr("None of the nodes scored so far satisfies the requirement.")
        return self.tr("No node satisfies the requirement. Lower k or raise the suppression limit.")

    def _is_failing_hidden(self, listed: _Listed) -> bool:
        """Whether nodes would be listed if those that fail were."""
        return not self._panel.model.shows_failing and bool(listed.candidates.any())

    def _on_failing_toggled(self, shows: bool) -> None:
        self._panel.set_shows_failing(shows)
        self._show()

    def _on_empty_action(self) -> None:
        if self._listed is not None and self._is_failing_hidden(self._listed):
            self._on_failing_toggled(True)
        else:
            self.clear_requested.emit()
            self._panel.filter_field.clear()
