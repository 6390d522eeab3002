"""Undo steps of the project, or of a draft while one is edited."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QUndoCommand, QUndoGroup, QUndoStack

if TYPE_CHECKING:
    from engine.project.pins_and_runs import Choice


class UndoStep(QUndoCommand):
    """Complete state before and after one step; `choice` has the node that the step is about, if any."""

    def __init__(
        self,
        text: str,
        after: Callable[[], None],
        before: Callable[[], None],
        choice: Choice | None = None,
    ) -> None:
        super().__init__(text)
        self._after, self._before = after, before
        self.choice = choice

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
