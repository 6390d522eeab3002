"""Finds what would let a node satisfy, once the settings rest and none does, or only one."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from anonymizer_gui.perspectives.explore.explore_state import ExploreState
from engine.monitor import SILENT, Monitor
from engine.numbers import as_percent
from engine.privacy.measured_text import limit_text
from engine.words import _

if TYPE_CHECKING:
    from engine.advice.nearest import NearestChange
    from engine.scoring import Evaluation


_KEY = "explore.nearest changes"


class AdvicePresenter(QObject):
    """Looks for single changes in a task."""

    # Evaluation; changes after which a node satisfies; the largest k with a second node, or None
    found = Signal(object, object, object)

    def __init__(self, state: ExploreState, parent: QObject) -> None:
        super().__init__(parent)
        self._session, self._runner, self._state = state.session, state.session.runner, state
        state.forgotten.connect(lambda: self._runner.cancel(_KEY))
        state.settled.connect(self._on_settled)

    def _on_settled(self, evaluation: Evaluation) -> None:
        scores = self._state.scores
        self._runner.cancel(_KEY)
        if scores is None or not scores.is_complete:
            return
        if not scores.n_satisfying:
            self._runner.run(_find, evaluation, then=partial(self._on_found, evaluation), key=_KEY)
        elif scores.n_satisfying == 1 < scores.n_all:
            self._runner.run(_find_k, evaluation, then=partial(self._on_k_found, evaluation), key=_KEY)

    def _on_found(self, evaluation: Evaluation, changes: tuple[NearestChange, ...]) -> None:
        if self._is_present(evaluation):
            self.found.emit(evaluation, changes, None)

    def _on_k_found(self, evaluation: Evaluation, k: int | None) -> None:
        if self._is_present(evaluation):
            self.found.emit(evaluation, (), k)

    def _is_present(self, evaluation: Evaluation) -> bool:
        """Return whether a result still applies to the settings of the project."""
        shown = self._session.shown
        is_same = evaluation is self._state.evaluation and evaluation.requirement == shown.requirement
        return is_same and not shown.is_preview


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


def _find(evaluation: Evaluation, monitor: Monitor = SILENT) -> tuple[NearestChange, ...]:
    from engine.advice.nearest import nearest_changes

    return nearest_changes(evaluation.profile, evaluation.requirement, monitor)


def _find_k(evaluation: Evaluation, monitor: Monitor = SILENT) -> int | None:
    from engine.advice.nearest import largest_k

    return largest_k(evaluation.profile, evaluation.requirement, monitor)
