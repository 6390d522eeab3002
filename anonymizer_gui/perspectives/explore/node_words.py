"""Nodes in words: what each level leaves of an attribute, looked up once."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.frequency import Problem
    from engine.lattice import Node


class LevelWords:
    """Words for the levels of a problem's attributes."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self._known: dict[tuple[int, int], str] = {}

    def level(self, attribute: int, level: int) -> str:
        """What a level leaves: "kept", "20-year bands", "hidden"."""
        from engine.hierarchies.words import describe_level

        if (attribute, level) not in self._known:
            entry = self._problem.attributes[attribute]
            self._known[attribute, level] = describe_level(
                entry.hierarchy, level, entry.column.data_type, entry.name
            )
        return self._known[attribute, level]

    def node(self, node: Node) -> list[tuple[str, str]]:
        """Pairs of attribute and words."""
        return [(self._problem.attributes[q].name, self.level(q, level)) for q, level in enumerate(node)]
