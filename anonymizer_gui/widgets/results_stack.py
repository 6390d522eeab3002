"""Page of results, or the empty state in its place."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QLayout, QStackedWidget, QWidget

from anonymizer_gui.widgets.card import Card
from anonymizer_gui.widgets.empty_state import EmptyState
from anonymizer_gui.widgets.error_banner import ErrorBanner
from anonymizer_gui.widgets.layouts import vbox
from anonymizer_gui.widgets.preview_bar import PreviewBar
from anonymizer_gui.widgets.scroll_body import ScrollBody

_MARGIN = 8


class ResultsPerspective(QWidget):
    """Perspective of a release; its layout makes the stack."""

    shown = Signal(bool)  # shown or hidden
    _stack: ResultsStack

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.preview, self.error, self.empty = PreviewBar(), ErrorBanner(), EmptyState("")

    @property
    def shows_results(self) -> bool:
        """True if there is a release to show."""
        return self._stack.currentIndex() == 1

    def show_results(self) -> None:
        """Show the release."""
        self._stack.setCurrentIndex(1)

    def show_empty(self) -> None:
        """Show the empty state."""
        self._stack.setCurrentIndex(0)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.shown.emit(True)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.shown.emit(False)


class ResultsStack(QStackedWidget):
    """Fills its parent; starts with the empty state.

    Parameters
    ----------
    strips : sequence of QWidget
        Full width, above the results.
    body : QLayout
        Results below it, which scroll where large text needs more height than the window has.
    """

    def __init__(self, strips: Sequence[QWidget], body: QLayout, empty: EmptyState, parent: QWidget) -> None:
        super().__init__(parent)
        results = QWidget()
        vbox(*strips, (ScrollBody(body), 1), spacing=0, margins=0, of=results)
        card = Card()
        card.set_header_visible(False)
        card.set_body(empty, 0)
        nothing = QWidget()
        vbox(card, margins=_MARGIN, of=nothing)
        self.addWidget(nothing)
        self.addWidget(results)
        vbox(self, margins=0, of=parent)
