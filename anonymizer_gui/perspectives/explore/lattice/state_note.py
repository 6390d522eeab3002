"""A note over the lattice where its state needs a word: nothing satisfies, everything does, one node only."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QPushButton

from anonymizer_gui.perspectives.explore.lattice.view import RIGHT_GUTTER, LatticeView
from anonymizer_gui.theming import Text, scaled, theme_manager
from anonymizer_gui.widgets.buttons import make_button, make_icon_button
from anonymizer_gui.widgets.labels import make_label, set_style_property
from anonymizer_gui.widgets.layouts import STRETCH, hbox, named, vbox

_WIDTH, _MARGIN = 268, 6


class StateNote(QFrame):
    """Stands in the corner of the lattice that is free most often; a person may put it away."""

    action_requested = Signal(int)  # which of those offered

    def __init__(self, view: LatticeView) -> None:
        super().__init__(view)
        self.setObjectName("stateNote")
        self.setProperty("banner", "quiet")
        self._view = view
        self._said: tuple[str, tuple[str, ...]] = ("", ())
        self._buttons: list[QPushButton] = []
        self._words = make_label("", Text.CELL, wraps=True)
        self._close = named(make_icon_button("x", self.tr("Put this note away")), "closeNote")
        self._close.clicked.connect(self._on_closed)
        self._column = vbox(
            hbox((self._words, 1), self._close, spacing=4), spacing=2, margins=(10, 6, 6, 8), of=self
        )
        view.resized.connect(self._place)
        view.zoom_changed.connect(self._place)
        theme_manager().theme_changed.connect(self._place)
        self._is_closed = False
        self.hide()

    def say(self, words: str, actions: Sequence[str] = (), *, tone: str = "quiet") -> None:
        """Say something and offer ways on; empty words take the note away. What was put away stays so."""
        said = (words, tuple(actions))
        if said == self._said:
            return
        self._said, self._is_closed = said, False
        set_style_property(self, "banner", tone)
        self._words.setText(words)
        self.setAccessibleName(words)
        for button in self._buttons:
            button.setParent(None)
            button.deleteLater()
        self._buttons = []
        for number, text in enumerate(actions):
            button = named(make_button(text, kind="link", small=True), f"noteAction{number}")
            button.clicked.connect(lambda _checked, number=number: self.action_requested.emit(number))
            self._column.addLayout(hbox(button, STRETCH))
            self._buttons.append(button)
        self._place()

    @property
    def words(self) -> str:
        """What is said now; empty while nothing is."""
        return self._words.text() if self.isVisible() else ""

    def _on_closed(self) -> None:
        self._is_closed = True
        self._place()
        self._view.setFocus()

    def _place(self) -> None:
        self.setVisible(bool(self._said[0]) and not self._is_closed and not self._view.shows_cards)
        if self.isHidden():
            return
        width = min(scaled(_WIDTH), self._view.width() - scaled(RIGHT_GUTTER) - 2 * _MARGIN)
        self.setFixedWidth(width)
        self._column.activate()
        self.setFixedHeight(max(self._column.heightForWidth(width), self._column.minimumSize().height()))
        self.move(self._view.width() - scaled(RIGHT_GUTTER) - width - _MARGIN, _MARGIN)
        self.raise_()
