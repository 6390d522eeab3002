"""The nodes a person looked at, with a way back and forward."""

from __future__ import annotations

from collections.abc import Callable

Node = tuple[int, ...]
LONGEST = 200


class VisitedNodes:
    """A browser's history for nodes."""

    def __init__(self) -> None:
        self._nodes: list[Node] = []
        self._at = -1

    @property
    def current(self) -> Node | None:
        return self._nodes[self._at] if self._nodes else None

    @property
    def nodes(self) -> tuple[Node, ...]:
        """All nodes on the way, those ahead included."""
        return tuple(self._nodes)

    @property
    def can_go_back(self) -> bool:
        return self._at > 0

    @property
    def can_go_forward(self) -> bool:
        return self._at + 1 < len(self._nodes)

    def visit(self, node: Node) -> None:
        """Go to a node; what lay ahead is forgotten."""
        del self._nodes[self._at + 1 :]
        self._nodes.append(node)
        del self._nodes[:-LONGEST]
        self._at = len(self._nodes) - 1

    def back(self) -> Node | None:
        """Go one node back, if there is one."""
        if not self.can_go_back:
            return None
        self._at -= 1
        return self.current

    def forward(self) -> Node | None:
        """Go one node forward, if there is one."""
        if not self.can_go_forward:
            return None
        self._at += 1
        return self.current

    def keep_only(self, keep: Callable[[Node], bool]) -> None:
        """Forget nodes that do not exist any more."""
        self._nodes = [node for node in self._nodes if keep(node)]
        self._at = len(self._nodes) - 1
