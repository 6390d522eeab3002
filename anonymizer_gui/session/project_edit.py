"""The undo commands: redo shows what an edit made, undo what was there before."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtGui import QUndoCommand

from anonymizer_gui.session.kept_release import KeptRelease
from anonymizer_gui.session.table_versions import TableVersions
from engine.project import Project

if TYPE_CHECKING:
    from engine.project.remembered import Pin, Run


class ProjectEdit(QUndoCommand):
    """An edit as two frozen projects, which share all that did not change; tables are kept elsewhere."""

    def __init__(
        self,
        text: str,
        tables: TableVersions,
        before: Project,
        after: Project,
        show: Callable[[Project], None],
    ) -> None:
        super().__init__(text)
        self._tables = tables
        self._before, self._after = tables.note(before, after)
        self._show = show

    def redo(self) -> None:
        self._show(self._tables.project(self._after))

    def undo(self) -> None:
        self._show(self._tables.project(self._before))


class PinsEdit(QUndoCommand):
    """Other pinned nodes, or other notes on them."""

    def __init__(
        self,
        text: str,
        before: tuple[Pin, ...],
        after: tuple[Pin, ...],
        show: Callable[[tuple[Pin, ...]], None],
    ) -> None:
        super().__init__(text)
        self._before = before
        self._after = after
        self._show = show

    def redo(self) -> None:
        self._show(self._after)

    def undo(self) -> None:
        self._show(self._before)


class RunsEdit(QUndoCommand):
    """A history a person has changed; releases applied after that stay at its end, undone or not.

    `show` takes how many of the first releases are replaced, and by which.
    """

    def __init__(
        self,
        text: str,
        before: tuple[Run, ...],
        after: tuple[Run, ...],
        show: Callable[[int, tuple[Run, ...]], None],
    ) -> None:
        super().__init__(text)
        self._before = before
        self._after = after
        self._show = show

    def redo(self) -> None:
        self._show(len(self._before), self._after)

    def undo(self) -> None:
        self._show(len(self._after), self._before)


class ReleaseEdit(QUndoCommand):
    """An edit that changes the applied release along with the project.

    `show` takes both and gives back what was applied until then, which is what the way back shows.
    """

    def __init__(
        self,
        text: str,
        tables: TableVersions,
        before: Project,
        after: Project,
        released: Callable[[], KeptRelease],
        show: Callable[[Project, KeptRelease | None], KeptRelease | None],
    ) -> None:
        super().__init__(text)
        self._tables = tables
        self._before, self._after = tables.note(before, after)
        self._other: KeptRelease | None = released()  # known by its table, which is noted now
        self._show = show

    def redo(self) -> None:
        self._other = self._show(self._tables.project(self._after), self._other)

    def undo(self) -> None:
        self._other = self._show(self._tables.project(self._before), self._other)
