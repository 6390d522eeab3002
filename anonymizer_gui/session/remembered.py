"""What a person keeps of the nodes: those that are pinned, and the releases that were applied."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from anonymizer_gui.session.history import History, UndoStep

if TYPE_CHECKING:
    from engine.project.remembered import Pin, ProjectState, Run


class Remembered(QObject):
    """Pins and runs; what a person changes of them is an undo step."""

    pins_changed = Signal()
    runs_changed = Signal()

    def __init__(self, history: History, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._history = history
        self._pins: tuple[Pin, ...] = ()
        self._runs: tuple[Run, ...] = ()

    @property
    def pins(self) -> tuple[Pin, ...]:
        """The nodes a person pinned, oldest first."""
        return self._pins

    @property
    def runs(self) -> tuple[Run, ...]:
        """The releases that were applied, oldest first."""
        return self._runs

    def edit_pins(self, text: str, pins: tuple[Pin, ...]) -> None:
        """Take other pins, or other notes on them, as one undo step; the same ones are no step."""
        if pins != self._pins:
            self._history.push(
                UndoStep(text, partial(self._show_pins, pins), partial(self._show_pins, self._pins))
            )

    def edit_runs(self, text: str, runs: tuple[Run, ...]) -> None:
        """Take a history a person has changed, such as a note on a release, or one less, as one undo step.

        Releases applied after that stay at its end, undone or not.
        """
        before = self._runs
        if runs != before:
            redo = partial(self._show_runs, len(before), runs)
            self._history.push(UndoStep(text, redo, partial(self._show_runs, len(runs), before)))

    def set_runs(self, runs: tuple[Run, ...]) -> None:
        """Take another history; it tells what was done, so that undoing an edit does not change it."""
        self._runs = runs
        self.runs_changed.emit()

    def take(self, state: ProjectState) -> None:
        """Hold what came with another project; who opens it says when it is told."""
        self._pins, self._runs = state.pins, state.runs

    def tell(self) -> None:
        """Announce what came with another project."""
        self.pins_changed.emit()
        self.runs_changed.emit()

    def _show_pins(self, pins: tuple[Pin, ...]) -> None:
        self._pins = pins
        self.pins_changed.emit()

    def _show_runs(self, n_replaced: int, runs: tuple[Run, ...]) -> None:
        self.set_runs((*runs, *self._runs[n_replaced:]))
