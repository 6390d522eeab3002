"""Page of results, or the empty state in its place."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QLayout, QStackedWidget, QWidget

from anonymizer_gui.widgets.card import Card
from anonymizer_gui.widgets.empty_state import EmptyState
from anonymizer_gui.widgets.layouts import vbox
from anonymizer_gui.widgets.scroll_body import scrolled

_MARGIN = 8


class ResultsStack(QStackedWidget):
    """Fills its parent; starts with the empty state.

    Parameters
    ----------
    strips : sequence of QWidget
        Full width, above the results.
    body : QLayout
        Results below it, which scroll where large text needs more height than the window has.
    empty : EmptyState
    """

    def __init__(self, strips: Sequence[QWidget], body: QLayout, empty: EmptyState, parent: QWidget) -> None:
        super().__init__(parent)
        results = QWidget()
        vbox(*strips, (scrolled(body), 1), spacing=0, margins=0, of=results)
        card = Card()
        card.set_header_visible(False)
        card.set_body(empty, 0)
        nothing = QWidget()
        vbox(card, margins=_MARGIN, of=nothing)
        self.addWidget(nothing)
        self.addWidget(results)
        vbox(self, margins=0, of=parent)
