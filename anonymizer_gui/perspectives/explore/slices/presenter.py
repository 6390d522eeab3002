"""Fills the slices around the selected node and selects requested nodes."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from anonymizer_gui.perspectives.explore.explore_state import ExploreState
from anonymizer_gui.perspectives.explore.slices.panel import SlicesPanel
from anonymizer_gui.perspectives.explore.slices.values import slice_of, steps_of, usual_pair
from anonymizer_gui.session import Session
from anonymizer_gui.widgets.marks import Mark

Node = tuple[int, ...]


class SlicesPresenter(QObject):
    """Rebuilds both views from the common state, while they are visible."""

    apply_requested = Signal(object)  # node
    error_raised = Signal(object)  # exception

    def __init__(self, session: Session, state: ExploreState, panel: SlicesPanel, parent: QObject) -> None:
        super().__init__(parent)
        self._session, self._state, self._panel = session, state, panel
        self._names: tuple[str, str] | None = None  # chosen attributes
        for signal in (state.scores_changed, state.details_changed, state.marks_changed):
            signal.connect(state.in_turn(self._show))
        for signal in (state.forgotten, state.filter_changed, panel.shown):
            signal.connect(self._show)
        panel.describe_by(state.describe)
        panel.node_requested.connect(session.selection.select)
        panel.apply_requested.connect(self._apply)
        panel.pair_requested.connect(self._on_pair_requested)
        panel.picture.error_raised.connect(self.error_raised)

    def _show(self) -> None:
        state, panel = self._state, self._panel
        problem, words, scores = state.problem, state.words, state.scores
        if not panel.isVisible():
            return
        if problem is None or words is None or scores is None:
            panel.show_empty(self.tr("The nodes around the selected one appear here once some are scored."))
            return
        node = self._center()
        if node is None:
            panel.show_empty(self.tr("Select a node to see the nodes around it."))
            return
        across, down = self._pair()
        panel.set_caption(self._caption(node))
        panel.show_attributes(problem.names, across, down)
        passing, metric = state.passing, state.metric
        panel.show_slice(
            slice_of(node, across, down, problem, words, scores, passing, metric),
            steps_of(node, problem, words, scores, state.details, metric),
            state.selected,
            self._marks(),
        )

    def _center(self) -> Node | None:
        """Return the selected node; without one the optimum, or the most precise node."""
        state = self._state
        problem, scores, nodes = state.problem, state.scores, state.nodes
        if state.selected is not None or problem is None or scores is None or nodes is None:
            return state.selected
        return problem.lattice.minimum if scores.optimum is None else nodes.node(scores.optimum)

    def _caption(self, node: Node) -> str:
        name = self._state.named(node).name
        if self._state.selected is None:
            return self.tr("No node is selected; shown around: {node}").format(node=name)
        return self.tr("around: {node}").format(node=name)

    def _pair(self) -> tuple[int, int]:
        """Return the chosen attributes by index, if they exist."""
        problem = self._state.problem
        assert problem is not None, "only asked where there are nodes"
        names = list(problem.names)
        if self._names is not None and all(name in names for name in self._names):
            return names.index(self._names[0]), names.index(self._names[1])
        return usual_pair(problem)

    def _marks(self) -> dict[Node, Mark]:
        nodes, marks = self._state.nodes, self._state.marks
        if nodes is None:
            return {}
        order = ((marks.applied, Mark.APPLIED), (marks.optimum, Mark.OPTIMUM))
        return {nodes.node(number): mark for number, mark in order if number is not None}

    def _on_pair_requested(self, across: int, down: int) -> None:
        problem = self._state.problem
        if problem is None:
            return
        before = self._pair()
        if across == down and len(problem.names) > 1:
            # Choosing the attribute of the other axis swaps both.
            across, down = (across, before[0]) if across != before[0] else (before[1], down)
        self._names = problem.names[across], problem.names[down]
        self._show()

    def _apply(self, node: Node) -> None:
        self._session.selection.select(node)
        self.apply_requested.emit(node)
