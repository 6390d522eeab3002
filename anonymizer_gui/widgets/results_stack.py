"""A page of results, or in its place the empty state that says what would be there."""

from __future__ import annotations

from PySide6.QtWidgets import QLayout, QStackedWidget, QVBoxLayout, QWidget

from anonymizer_gui.widgets.card import Card
from anonymizer_gui.widgets.empty_state import EmptyState

_MARGIN = 8


class ResultsStack(QStackedWidget):
    """Fills its parent; begins with the empty state.

    Parameters
    ----------
    strip : QWidget
        Over the whole width, on top of the results.
    body : QLayout
        The results below it.
    empty : EmptyState
    """

    def __init__(self, strip: QWidget, body: QLayout, empty: EmptyState, parent: QWidget) -> None:
        super().__init__(parent)
        results = QWidget()
        column = QVBoxLayout(results)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(strip)
        column.addLayout(body, 1)
        card = Card()
        card.set_header_visible(False)
        card.set_body(empty, 0)
        nothing = QWidget()
        place = QVBoxLayout(nothing)
        place.setContentsMargins(_MARGIN, _MARGIN, _MARGIN, _MARGIN)
        place.addWidget(card)
        self.addWidget(nothing)
        self.addWidget(results)
        whole = QVBoxLayout(parent)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(self)
