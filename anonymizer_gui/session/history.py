"""The steps that Undo and Redo act on: those of the project, or of a draft while one is edited."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QUndoCommand, QUndoGroup, QUndoStack


class UndoStep(QUndoCommand):
    """What redo and undo show: all that a step changes, as it is after it and as it was before."""

    def __init__(self, text: str, after: Callable[[], None], before: Callable[[], None]) -> None:
        super().__init__(text)
        self._after, self._before = after, before

    def redo(self) -> None:
        self._after()

    def undo(self) -> None:
        self._before()


class History(QObject):
    """Steps that can be taken back, made again and jumped to.

    Signals
    -------
    clean_changed : whether what stands is what was saved may be another answer than before.
    """

    clean_changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        # Children go in the order they came: a group that goes first hears nothing of its stacks going.
        self.group = QUndoGroup(self)
        self.own = QUndoStack(self)
        self.group.addStack(self.own)
        self.group.setActiveStack(self.own)
        self.own.cleanChanged.connect(self.clean_changed)

    @property
    def is_drafting(self) -> bool:
        """Whether Undo and Redo act on a draft."""
        return self.group.activeStack() is not self.own

    @property
    def is_clean(self) -> bool:
        """Whether the project stands as it was saved."""
        return self.own.isClean()

    @property
    def texts(self) -> tuple[str, ...]:
        """What the steps did that Undo and Redo act on, the first one first."""
        stack = self.group.activeStack()
        return tuple(stack.text(number) for number in range(stack.count()))

    @property
    def step(self) -> int:
        """How many of the steps stand; the others were taken back."""
        return self.group.activeStack().index()

    @property
    def saved_step(self) -> int:
        """How many of the steps stand in the file; -1 where that cannot be gone to."""
        return self.group.activeStack().cleanIndex()

    def push(self, command: QUndoCommand) -> None:
        """Do a step of the project."""
        self.own.push(command)

    def undo(self) -> None:
        self.group.undo()

    def redo(self) -> None:
        self.group.redo()

    def go_to(self, step: int) -> None:
        """Take back or make again as many steps as it takes."""
        self.group.activeStack().setIndex(step)

    def undo_in(self, draft: QUndoStack | None) -> None:
        """Let Undo and Redo act on the steps of a draft; None gives them back to the project."""
        if draft is not None and draft not in self.group.stacks():
            self.group.addStack(draft)
        self.group.setActiveStack(draft or self.own)

    def mark_saved(self) -> None:
        """What stands now is what the file holds."""
        self.own.setClean()

    def clear(self) -> None:
        """Forget the steps of the project."""
        self.own.clear()
