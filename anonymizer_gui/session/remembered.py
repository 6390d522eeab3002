"""Pinned nodes and applied releases of the project."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from anonymizer_gui.session.history import History, UndoStep

if TYPE_CHECKING:
    from engine.project.pins_and_runs import Choice, Pin, ProjectState, Run


class Remembered(QObject):
    """Pins and runs; changes by the user are undo steps."""

    pins_changed = Signal()
    runs_changed = Signal()

    def __init__(self, history: History, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._history = history
        self._pins: tuple[Pin, ...] = ()
        self._runs: tuple[Run, ...] = ()

    @property
    def pins(self) -> tuple[Pin, ...]:
        """Pinned nodes, oldest first."""
        return self._pins

    @property
    def runs(self) -> tuple[Run, ...]:
        """Applied releases, oldest first."""
        return self._runs

    def edit_pins(self, text: str, pins: tuple[Pin, ...], choice: Choice | None = None) -> None:
        """Set pins or their notes as one undo step about a choice; equal pins make no step."""
        if pins != self._pins:
            self._history.push(
                UndoStep(text, partial(self._show_pins, pins), partial(self._show_pins, self._pins), choice)
            )

    def edit_runs(self, text: str, runs: tuple[Run, ...], choice: Choice | None = None) -> None:
        """Set a run history in which the user changed a choice's note or removed it, as one undo step.

        Releases applied afterwards stay at its end, even if the step is undone.
        """
        before = self._runs
        if runs != before:
            redo = partial(self._show_runs, len(before), runs)
            self._history.push(UndoStep(text, redo, partial(self._show_runs, len(runs), before), choice))

    def set_runs(self, runs: tuple[Run, ...]) -> None:
        """Set the run history without an undo step, because it records what was done."""
        self._runs = runs
        self.runs_changed.emit()

    def take(self, state: ProjectState) -> None:
        """Set pins and runs of another project; the caller announces them with `announce`."""
        self._pins, self._runs = state.pins, state.runs

    def announce(self) -> None:
        """Emit the signals for new pins and runs."""
        self.pins_changed.emit()
        self.runs_changed.emit()

    def _show_pins(self, pins: tuple[Pin, ...]) -> None:
        self._pins = pins
        self.pins_changed.emit()

    def _show_runs(self, n_replaced: int, runs: tuple[Run, ...]) -> None:
        self.set_runs((*runs, *self._runs[n_replaced:]))
