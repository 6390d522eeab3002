"""Page of results, or the empty state in its place, with the bar that describes a previewed node."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QLayout, QStackedWidget, QWidget

from anonymizer_gui.theming import Text
from anonymizer_gui.widgets.buttons import make_button
from anonymizer_gui.widgets.card import Card
from anonymizer_gui.widgets.drawn import IconLabel
from anonymizer_gui.widgets.error_banner import ErrorBanner
from anonymizer_gui.widgets.labels import ElidedLabel, make_label
from anonymizer_gui.widgets.layouts import STRETCH, fixed, hbox, named, vbox
from anonymizer_gui.widgets.level_glyph import SMALL, Glyph, LevelGlyph
from anonymizer_gui.widgets.scroll_body import ScrollBody


class EmptyState(QWidget):
    """Text and button, centred in the place of the content."""

    action_requested = Signal()

    def __init__(
        self, sentence: str, action: str = "", *, icon_name: str = "", parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._sentence = make_label(sentence, Text.CONTROL, "text_3", wraps=True)
        self._sentence.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.button = make_button(action, icon_name=icon_name)
        self.button.clicked.connect(self.action_requested)
        parts = (STRETCH, self._sentence, (self.button, 0, Qt.AlignmentFlag.AlignHCenter), STRETCH)
        vbox(*parts, spacing=12, margins=(24, 8, 24, 8), of=self)
        self.button.setVisible(bool(action))

    def sentence(self) -> str:
        return self._sentence.text()

    def set_action(self, action: str) -> None:
        """Change the text of the button, which is hidden without one."""
        self.button.setText(action)
        self.button.setVisible(bool(action))

    def set_sentence(self, sentence: str) -> None:
        self._sentence.setText(sentence)


_HEIGHT = 36


class PreviewBar(QFrame):
    """Name of the node, what a preview is, and the button that applies it."""

    apply_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("previewBar")
        self.setProperty("strip", "note")
        self._name = named(ElidedLabel("", Text.CELL_STRONG), "previewName")
        self._glyph = LevelGlyph(SMALL)
        self._note = ElidedLabel(
            self.tr("Nothing is applied, so nothing can be exported yet."), Text.CELL, "text_2"
        )
        self._note.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        self.button = make_button(self.tr("Apply"), "applyPreview", small=True)
        self.button.clicked.connect(self.apply_requested)
        hbox(
            IconLabel("eye", 16, "text_2"),
            make_label(self.tr("Preview of the selected node:"), Text.CELL, "text_2"),
            self._name,
            self._glyph,
            (self._note, 1),
            self.button,
            spacing=8,
            margins=(12, 0, 8, 0),
            of=self,
        )
        fixed(self, height=_HEIGHT)
        self.hide()

    def show_node(self, name: str, glyph: Glyph, details: str) -> None:
        """Show which node is previewed."""
        self._name.setText(name)
        self._name.set_hint(details)
        self._name.updateGeometry()
        self._glyph.show_glyph(glyph)
        self._glyph.setToolTip(details)
        self.show()

    def set_can_apply(self, why_not: str) -> None:
        """Set the reason why the node cannot be applied; empty if it can."""
        self.button.setEnabled(not why_not)
        self.button.setToolTip(why_not or self.tr("Make the release of this node the current one"))


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
