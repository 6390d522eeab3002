"""Presenter of any drawing of nodes: turns its input into selections, and marks and describes nodes."""

from __future__ import annotations

from PySide6.QtCore import QObject

from anonymizer_gui.perspectives.explore.explore_state import ExploreState
from anonymizer_gui.perspectives.explore.node_canvas import NodeCanvas


class CanvasPresenter(QObject):
    """Follows the selection; while a knob turns, the selected node is described after a pause."""

    def __init__(self, state: ExploreState, canvas: NodeCanvas) -> None:
        super().__init__(canvas)
        self._session, self._state, self._canvas = state.session, state, canvas
        canvas.node_requested.connect(state.select)
        canvas.apply_requested.connect(state.apply)
        canvas.details_requested.connect(self._show_details)
        state.scores_rested.connect(state.in_turn(self._on_scores_rested))

    def _details(self, number: int) -> str:
        """Return the text of the hover card of a node."""
        return self._state.describe_number(number)

    def _description(self) -> str:
        """Return the description of the selected node."""
        selected = self._state.selected
        return "" if selected is None else self._state.describe(selected)

    def _show_marks(self) -> None:
        marks, canvas = self._state.marks, self._canvas
        if self._state.nodes is None:
            return
        if self._session.shown.is_preview and marks.selected == canvas.marks.selected:
            canvas.show_marks(marks, canvas.accessibleDescription())
        else:
            canvas.show_marks(marks, self._description())

    def _on_scores_rested(self) -> None:
        if self._session.shown.is_preview and self._state.nodes is not None:
            self._canvas.show_marks(self._state.marks, self._description())

    def _show_details(self, number: int) -> None:
        self._canvas.show_details(number, self._details(number), self._state.glyph(number))
