"""Explains unusual states of the lattice and offers actions for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFrame, QPushButton

from anonymizer_gui.perspectives.explore.explore_state import ExploreState
from anonymizer_gui.perspectives.explore.lattice.view import RIGHT_GUTTER, LatticeView
from anonymizer_gui.theming import Text, scaled, theme_manager
from anonymizer_gui.widgets.buttons import make_button, make_icon_button
from anonymizer_gui.widgets.labels import make_label, set_style_property
from anonymizer_gui.widgets.layouts import STRETCH, hbox, nest, vbox
from engine.monitor import SILENT, Monitor
from engine.numbers import as_exact_count, as_nodes, as_percent
from engine.privacy.measured_text import limit_text
from engine.words import _

if TYPE_CHECKING:
    from engine.advice.nearest import NearestChange
    from engine.scoring import Evaluation


_KEY = "explore.nearest changes"


class StatePresenter(QObject):
    """Explains the settled display; changes that would satisfy are searched in a task."""

    configure_requested = Signal()
    advice_found = Signal(
        str, object
    )  # the smallest change, or empty; the largest k with a second node, or None

    def __init__(self, state: ExploreState, note: StateNote) -> None:
        super().__init__(note)
        self._session, self._runner = state.session, state.session.runner
        self._state, self._note = state, note
        self._changes: tuple[NearestChange, ...] = ()
        state.forgotten.connect(self._forget)
        state.scores_changed.connect(state.in_turn(self._on_scores_changed))
        state.settled.connect(self._on_settled)
        note.action_requested.connect(self._on_action_requested)

    def _forget(self) -> None:
        self._runner.cancel(_KEY)
        self._changes = ()
        self._note.show_text("")

    def _on_scores_changed(self) -> None:
        """While a knob is dragged, only hide a note that has become wrong."""
        scores = self._state.scores
        if scores is not None and 0 < scores.n_satisfying < scores.n_all:
            self._forget()

    def _on_settled(self, evaluation: Evaluation) -> None:
        scores, problem = self._state.scores, self._state.problem
        self._runner.cancel(_KEY)
        self._changes = ()
        if scores is None or problem is None or not scores.is_complete:
            self._note.show_text("")
        elif not scores.n_satisfying:
            self._note.show_text(self.tr("No node satisfies the requirement."), tone="warn")
            self._runner.run(_find, evaluation, then=partial(self._on_found, evaluation), key=_KEY)
        elif scores.n_satisfying == 1 < scores.n_all:
            self._note.show_text("")
            then = partial(self._on_k_found, evaluation)
            self._runner.run(_find_k, evaluation, then=then, key=_KEY)
        elif scores.n_all == 1:
            words = self.tr(
                "The lattice has one node because every column has a single level. Add levels in {value}."
            )
            self._note.show_text(
                words.format(value=self.tr("Configure")), [self.tr("Configure transformation")]
            )
        elif scores.n_satisfying == scores.n_all:
            self._note.show_text(
                self._everything(int(scores.suppressed[problem.lattice.number(problem.lattice.minimum)]))
            )
        else:
            self._note.show_text("")

    def _everything(self, suppressed: int) -> str:
        """Return what it means that even the most precise node satisfies."""
        problem = self._state.problem
        assert problem is not None, "only asked where nodes are shown"
        if not suppressed:
            return self.tr(
                "Every node satisfies the requirement, even the original values without suppression. "
                "The requirement does not constrain this table."
            )
        share = as_percent(suppressed / max(problem.n_records, 1))
        words = self.tr(
            "Every node satisfies. The most precise one suppresses {suppressed} records ({share})."
        )
        return words.format(suppressed=as_exact_count(suppressed), share=share)

    def _on_found(self, evaluation: Evaluation, changes: tuple[NearestChange, ...]) -> None:
        if evaluation is not self._state.evaluation or not self._is_present(evaluation):
            return
        self._changes = changes
        if not changes:
            words = self.tr(
                "No node satisfies the requirement, and changing a single threshold does not help. "
                "Weaken several, or allow more general levels in Configure."
            )
            self._note.show_text(words, [self.tr("Configure transformation")], tone="warn")
            return
        self.advice_found.emit(change_name(changes[0]), None)
        words = self.tr("No node satisfies the requirement. Some would with")
        self._note.show_text(words, [change_words(change) for change in changes], tone="warn")

    def _on_k_found(self, evaluation: Evaluation, k: int | None) -> None:
        if evaluation is self._state.evaluation and self._is_present(evaluation):
            self.advice_found.emit("", k)

    def _is_present(self, evaluation: Evaluation) -> bool:
        """Return whether a result still applies to the settings of the project."""
        return (
            not self._session.shown.is_preview and evaluation.requirement == self._session.shown.requirement
        )

    def _on_action_requested(self, number: int) -> None:
        if not self._changes:
            self.configure_requested.emit()
            return
        project = self._session.project
        if project is not None and number < len(self._changes):
            change = self._changes[number]
            text = self.tr("Set {change}").format(change=change_name(change))
            self._session.edit(text, replace(project, requirement=change.requirement))


def change_name(change: NearestChange) -> str:
    """Return a threshold with its value: "k = 20", "suppression limit 8.41 %"."""
    if change.index is None:
        return _("suppression limit {value}").format(value=as_percent(change.value))
    model = change.requirement.models[change.index]
    name = (
        _("{symbol} of {columns}").format(symbol=model.symbol, columns=", ".join(model.columns))
        if model.columns
        else model.symbol
    )
    return f"{name} = {limit_text(model, change.value)}"


def change_words(change: NearestChange) -> str:
    """Return a threshold with its value, and the number of satisfying nodes."""
    return f"{change_name(change)} · {as_nodes(change.n_satisfying)}"


def _find(evaluation: Evaluation, monitor: Monitor = SILENT) -> tuple[NearestChange, ...]:
    from engine.advice.nearest import nearest_changes

    return nearest_changes(evaluation.profile, evaluation.requirement, monitor)


def _find_k(evaluation: Evaluation, monitor: Monitor = SILENT) -> int | None:
    from engine.advice.nearest import largest_k

    return largest_k(evaluation.profile, evaluation.requirement, monitor)


_WIDTH, _MARGIN = 268, 6


class StateNote(QFrame):
    """Note in the corner of the lattice that is usually free; the user can dismiss it."""

    action_requested = Signal(int)  # index of an offered action

    def __init__(self, view: LatticeView) -> None:
        super().__init__(view)
        self.setObjectName("stateNote")
        self.setProperty("banner", "quiet")
        self._view = view
        self._shown: tuple[str, tuple[str, ...]] = ("", ())
        self._buttons: list[QPushButton] = []
        self._words = make_label("", Text.CELL, wraps=True)
        self._close = make_icon_button("x", self.tr("Dismiss this note"), "closeNote")
        self._close.clicked.connect(self._on_closed)
        self._column = vbox(
            hbox((self._words, 1), self._close, spacing=4), spacing=2, margins=(10, 6, 6, 8), of=self
        )
        view.resized.connect(self._place)
        view.zoom_changed.connect(self._place)
        theme_manager().theme_changed.connect(self._place)
        self._is_closed = False
        self.hide()

    def show_text(self, words: str, actions: Sequence[str] = (), *, tone: str = "quiet") -> None:
        """Show a text with actions; an empty text hides the note. A dismissed note stays hidden."""
        note = (words, tuple(actions))
        if note == self._shown:
            return
        self._shown, self._is_closed = note, False
        set_style_property(self, "banner", tone)
        self._words.setText(words)
        self.setAccessibleName(words)
        for button in self._buttons:
            button.setParent(None)
            button.deleteLater()
        self._buttons = []
        for number, text in enumerate(actions):
            button = make_button(text, f"noteAction{number}", kind="link", small=True)
            button.clicked.connect(lambda _checked, number=number: self.action_requested.emit(number))
            nest(self._column, hbox(button, STRETCH))
            self._buttons.append(button)
        self._place()

    def _on_closed(self) -> None:
        self._is_closed = True
        self._place()
        self._view.setFocus()

    def _place(self) -> None:
        self.setVisible(bool(self._shown[0]) and not self._is_closed and not self._view.shows_cards)
        if self.isHidden():
            return
        width = min(scaled(_WIDTH), self._view.width() - scaled(RIGHT_GUTTER) - 2 * _MARGIN)
        self.setFixedWidth(width)
        self._column.activate()
        self.setFixedHeight(max(self._column.heightForWidth(width), self._column.minimumSize().height()))
        self.move(self._view.width() - scaled(RIGHT_GUTTER) - width - _MARGIN, _MARGIN)
        self.raise_()
