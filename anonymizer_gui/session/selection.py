"""Selected node and browsing history of nodes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

if TYPE_CHECKING:
    from engine.lattice import Node

LONGEST = 200


class Selection(QObject):
    """One selected node or none, with Back and Forward as in a browser."""

    changed = Signal(object)  # node or None

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._node: Node | None = None
        self._visited: list[Node] = []
        self._at = -1

    @property
    def node(self) -> Node | None:
        """The selected node."""
        return self._node

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
        if node == self._node:
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
        if self._node is not None and not exists(self._node):
            self._take(None)

    def forget(self) -> None:
        """Remove the nodes of the previous project; the caller announces this."""
        self._node, self._visited, self._at = None, [], -1

    def _go(self, step: int) -> None:
        if 0 <= self._at + step < len(self._visited):
            self._at += step
            self._take(self._visited[self._at])

    def _take(self, node: Node | None) -> None:
        self._node = node
        self.changed.emit(node)
