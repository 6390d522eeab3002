"""Small parts of the session with their signals: what an edit changed, preview, selection, reading."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

from PySide6.QtCore import QObject, Signal

from engine.project import Project

if TYPE_CHECKING:
    from engine.lattice import Node
    from engine.privacy import Requirement
    from engine.records import Table

# Parts of a project that its compiled problem depends on.
_COMPILED = (
    "table",
    "roles",
    "qi_order",
    "person",
    "weight",
    "hierarchies",
    "microaggregation",
    "others_as_qi",
    "population",
    "subset",
    "rules",
)
_NAMES = {
    "table": ("table", "options", "source", "database", "name", "population", "subset"),
    "roles": (
        "roles",
        "decided_by",
        "others",
        "qi_order",
        "target",
        "person",
        "weight",
        "household",
        "others_as_qi",
    ),
    "hierarchies": ("hierarchies", "microaggregation"),
    "requirement": ("requirement", "answers"),
    "search": ("search",),
    "transformation": ("transformation",),
    "export": ("export",),
    "rules": ("rules",),
    "recoding": ("recoding",),
    "attack_test": ("attack_test",),
    "statement": ("statement",),
}


class ProjectParts(QObject):
    """Emits a signal for each part of the project that an edit has changed."""

    table_changed = Signal()
    roles_changed = Signal()
    hierarchies_changed = Signal()
    requirement_changed = Signal()
    search_changed = Signal()
    transformation_changed = Signal()
    export_changed = Signal()
    rules_changed = Signal()  # of sensitive and insensitive columns, a part of the transformation
    recoding_changed = Signal()
    attack_test_changed = Signal()
    statement_changed = Signal()

    def announce(self, before: Project, after: Project) -> None:
        """Emit the signals of the parts that differ between two versions."""
        for part in changed_parts(before, after):
            getattr(self, f"{part}_changed").emit()


def is_compiled_alike(one: Project, other: Project) -> bool:
    """Return whether two projects compile to the same problem."""
    return all(getattr(one, part) is getattr(other, part) for part in _COMPILED)


def changed_parts(before: Project, after: Project) -> list[str]:
    """Return the changed parts; identity is compared first, since equal parts may be new objects."""
    return [part for part, names in _NAMES.items() if any(_differ(before, after, name) for name in names)]


def _differ(before: Project, after: Project, name: str) -> bool:
    old: Any = getattr(before, name)
    new: Any = getattr(after, name)
    return old is not new and bool(old != new)


class ProjectSource(Protocol):
    """Source of the current project, possibly partly read, and of the shown requirement and metric."""

    reading: Reading
    shown: Shown

    @property
    def project(self) -> Project | None: ...


class Shown(QObject):
    """Requirement and metric shown; a preview is not an undo step and ends with the next edit."""

    changed = Signal()  # a knob turns, or was released

    def __init__(self, source: ProjectSource, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._source = source
        self._preview: tuple[Requirement, str] | None = None

    @property
    def requirement(self) -> Requirement | None:
        """Requirement shown."""
        if self._preview is not None:
            return self._preview[0]
        return self._source.project.requirement if self._source.project else None

    @property
    def metric(self) -> str:
        """Key of the metric shown."""
        if self._preview is not None:
            return self._preview[1]
        return self._source.project.search.metric if self._source.project else "loss"

    @property
    def is_preview(self) -> bool:
        """Return whether a knob is turning."""
        return self._preview is not None

    def preview(self, requirement: Requirement, metric: str | None = None) -> None:
        """Show another requirement while a knob turns."""
        wanted = (requirement, metric or self.metric)
        if self._source.project is not None and wanted != self._preview:
            self._preview = wanted
            self.changed.emit()

    def cancel(self) -> None:
        """Show the project's own requirement again."""
        if self.forget():
            self.changed.emit()

    def forget(self) -> bool:
        """End the preview without a signal; return whether there was one."""
        was_preview, self._preview = self.is_preview, None
        return was_preview


LONGEST = 200


class Selection(QObject):
    """One selected node or none, with Back and Forward as in a browser."""

    changed = Signal(object)  # node or None

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.node: Node | None = None
        self._visited: list[Node] = []
        self._at = -1

    @property
    def visited(self) -> tuple[Node, ...]:
        """Visited nodes in the order of Back and Forward."""
        return tuple(self._visited)

    @property
    def can_go_back(self) -> bool:
        return self._at > 0

    @property
    def can_go_forward(self) -> bool:
        return self._at + 1 < len(self._visited)

    def select(self, node: Node | None) -> None:
        """Select a node, or none; the Forward history is removed."""
        node = None if node is None else tuple(int(level) for level in node)
        if node == self.node:
            return
        if node is not None:
            del self._visited[self._at + 1 :]
            self._visited.append(node)
            del self._visited[:-LONGEST]
            self._at = len(self._visited) - 1
        self._take(node)

    def back(self) -> None:
        """Select the previous node."""
        self._go(-1)

    def forward(self) -> None:
        """Select the next node."""
        self._go(1)

    def keep_only(self, exists: Callable[[Node], bool]) -> None:
        """Remove nodes that no longer exist from the history."""
        self._visited = [node for node in self._visited if exists(node)]
        self._at = len(self._visited) - 1
        if self.node is not None and not exists(self.node):
            self._take(None)

    def forget(self) -> None:
        """Remove the nodes of the previous project; the caller announces this."""
        self.node, self._visited, self._at = None, [], -1

    def _go(self, step: int) -> None:
        if 0 <= self._at + step < len(self._visited):
            self._at += step
            self._take(self._visited[self._at])

    def _take(self, node: Node | None) -> None:
        self.node = node
        self.changed.emit(node)


class Reading(QObject):
    """Gives project versions made with the first records the complete table once it has been read."""

    changed = Signal(bool)  # whether only the first records of the file are shown

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._beginning: Table | None = None
        self._complete: Project | None = None

    @property
    def is_provisional(self) -> bool:
        """Return whether the table has only the first records of its file while the rest is being read.

        Until then nothing is compiled, saved or exported, and no edit changes the table.
        """
        return self._beginning is not None and self._complete is None

    def begin(self, beginning: Table | None) -> None:
        """Start with the first records of another table; None for a table that is already complete."""
        self._beginning, self._complete = beginning, None

    def finish(self, complete: Project) -> None:
        """Set the project with the complete table."""
        self._complete = complete

    def with_complete_table(self, project: Project) -> Project:
        """Return a project with its complete table, if it has been read since the project was made."""
        complete = self._complete
        if complete is None or project.table is not self._beginning:
            return project
        return replace(
            project,
            table=complete.table,
            options=complete.options,
            source=complete.source,
            database=complete.database,
        )
