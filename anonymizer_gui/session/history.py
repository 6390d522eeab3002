"""Undo steps of the project or of a draft, pins and runs, and whether there are unsaved changes.

There is no frozen value of everything, because undo would restore releases that the user did not ask for:
a step names the part that it restores, and the current release belongs only to a step that changed it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QUndoCommand, QUndoGroup, QUndoStack

from anonymizer_gui.session.applied import Applied
from engine.project.pins_and_runs import ProjectState

if TYPE_CHECKING:
    from engine.project.pins_and_runs import Choice, Pin, Run


ONE_TURN = 2.0  # seconds in which the turns of one knob are one step
_MERGING = 1  # Qt merges only steps of one id


class UndoStep(QUndoCommand):
    """Complete state before and after one step; `choice` has the node that the step is about, if any.

    Steps with the same `knob` become one while each follows the last within `ONE_TURN`.
    """

    def __init__(
        self,
        text: str,
        after: Callable[[], None],
        before: Callable[[], None],
        choice: Choice | None = None,
        knob: str = "",
    ) -> None:
        super().__init__(text)
        self._after, self._before = after, before
        self.choice = choice
        self._knob, self._moment = knob, time.monotonic()

    def id(self) -> int:
        return _MERGING if self._knob else -1

    def mergeWith(self, other: QUndoCommand) -> bool:
        assert isinstance(other, UndoStep), "no other steps have this id"
        if other._knob != self._knob or other._moment - self._moment > ONE_TURN:
            return False
        self._after, self._moment = other._after, other._moment
        self.setText(other.text())
        return True

    def redo(self) -> None:
        self._after()

    def undo(self) -> None:
        self._before()


class History(QObject):
    """Steps that can be undone, redone and jumped to.

    Signals
    -------
    clean_changed : the project may now be equal to the saved one, or no longer equal.
    """

    clean_changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        # Qt deletes children in their order: a group deleted first receives no signals of its stacks.
        self.group = QUndoGroup(self)
        self.own = QUndoStack(self)
        self.group.addStack(self.own)
        self.group.setActiveStack(self.own)
        self.own.cleanChanged.connect(self.clean_changed)

    @property
    def is_drafting(self) -> bool:
        """Return whether Undo and Redo act on a draft."""
        return self.group.activeStack() is not self.own

    @property
    def is_clean(self) -> bool:
        """Return whether the project is as saved."""
        return self.own.isClean()

    @property
    def texts(self) -> tuple[str, ...]:
        """Texts of the steps that Undo and Redo act on, oldest first."""
        stack = self.group.activeStack()
        return tuple(stack.text(number) for number in range(stack.count()))

    @property
    def choices(self) -> tuple[Choice | None, ...]:
        """Nodes of the steps in `texts`; None for a step about no node."""
        stack = self.group.activeStack()
        commands = (stack.command(number) for number in range(stack.count()))
        return tuple(getattr(command, "choice", None) for command in commands)

    @property
    def step(self) -> int:
        """Number of applied steps; the others are undone."""
        return self.group.activeStack().index()

    @property
    def saved_step(self) -> int:
        """Number of steps applied in the saved file; -1 if it cannot be reached."""
        return self.group.activeStack().cleanIndex()

    def push(self, command: QUndoCommand) -> None:
        """Push a step of the project."""
        self.own.push(command)

    def undo(self) -> None:
        self.group.undo()

    def redo(self) -> None:
        self.group.redo()

    def go_to(self, step: int) -> None:
        """Undo or redo up to a step."""
        self.group.activeStack().setIndex(step)

    def undo_in(self, draft: QUndoStack | None) -> None:
        """Let Undo and Redo act on the steps of a draft; None returns to the project."""
        if draft is not None and draft not in self.group.stacks():
            self.group.addStack(draft)
        self.group.setActiveStack(draft or self.own)

    def mark_saved(self) -> None:
        """Mark the current state as saved."""
        self.own.setClean()

    def clear(self) -> None:
        """Remove the steps of the project."""
        self.own.clear()
        self.own.setClean()  # an empty stack keeps what `resetClean` said of the previous project


class Remembered(QObject):
    """Pins and runs; changes by the user are undo steps."""

    pins_changed = Signal()
    runs_changed = Signal()

    def __init__(self, history: History, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._history = history
        self.pins: tuple[Pin, ...] = ()
        self.runs: tuple[Run, ...] = ()

    def edit_pins(self, text: str, pins: tuple[Pin, ...], choice: Choice | None = None) -> None:
        """Set pins or their notes as one undo step about a choice; equal pins make no step."""
        if pins != self.pins:
            self._history.push(
                UndoStep(text, partial(self._show_pins, pins), partial(self._show_pins, self.pins), choice)
            )

    def edit_runs(self, text: str, runs: tuple[Run, ...], choice: Choice | None = None) -> None:
        """Set a run history in which the user changed a choice's note or removed it, as one undo step.

        Releases applied afterwards stay at its end, even if the step is undone.
        """
        before = self.runs
        if runs != before:
            redo = partial(self._show_runs, len(before), runs)
            self._history.push(UndoStep(text, redo, partial(self._show_runs, len(runs), before), choice))

    def set_runs(self, runs: tuple[Run, ...]) -> None:
        """Set the run history without an undo step, because it records what was done."""
        self.runs = runs
        self.runs_changed.emit()

    def take(self, state: ProjectState) -> None:
        """Set pins and runs of another project; the caller announces them with `announce`."""
        self.pins, self.runs = state.pins, state.runs

    def announce(self) -> None:
        """Emit the signals for new pins and runs."""
        self.pins_changed.emit()
        self.runs_changed.emit()

    def _show_pins(self, pins: tuple[Pin, ...]) -> None:
        self.pins = pins
        self.pins_changed.emit()

    def _show_runs(self, n_replaced: int, runs: tuple[Run, ...]) -> None:
        self.set_runs((*runs, *self.runs[n_replaced:]))


class Saved(QObject):
    """Compares the session with its file."""

    modified_changed = Signal(bool)

    def __init__(
        self, history: History, applied: Applied, remembered: Remembered, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._history, self._applied, self._remembered = history, applied, remembered
        self.path: Path | None = None
        self._state = ProjectState()  # as in the file, or as opened without a file
        self._was_modified = False  # as last announced
        for signal in (
            history.clean_changed,
            remembered.pins_changed,
            remembered.runs_changed,
            applied.changed,
            applied.stale_changed,
        ):
            signal.connect(self._announce)

    @property
    def is_modified(self) -> bool:
        """Return whether there are changes or applied releases since opening or saving."""
        if not self._history.is_clean or self._remembered.runs != self._state.runs:
            return True
        # An opened project has no release until it has been recomputed.
        return self._applied.node not in (None, self._state.applied)

    def take(self, path: Path | None, state: ProjectState) -> None:
        """Set the state of another project; the caller announces it."""
        self.path, self._state, self._was_modified = path, state, False

    def mark(self, path: Path, state: ProjectState) -> None:
        """Mark the project as saved in a file."""
        self.path, self._state = path, state
        self._history.mark_saved()
        self._announce()

    def _announce(self) -> None:
        if self._was_modified != self.is_modified:
            self._was_modified = self.is_modified
            self.modified_changed.emit(self._was_modified)
