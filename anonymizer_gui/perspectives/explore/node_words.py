"""Nodes in words: what each level leaves of an attribute, looked up once."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.frequency import Problem
    from engine.lattice import Node

# What an aggregate is taken of, where "20-year bands" would not read so.
_OF_CLASSES = {"kept": "equal values", "hidden": "the class"}


class LevelWords:
    """Words for the levels of a problem's attributes."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self._known: dict[tuple[int, int], str] = {}

    def level(self, attribute: int, level: int) -> str:
        """What a level leaves: "kept", "20-year bands", "hidden", "mean of the class"."""
        from engine.hierarchies.words import describe_level

        if (attribute, level) not in self._known:
            entry = self._problem.attributes[attribute]
            words = describe_level(entry.hierarchy, level, entry.column.data_type, entry.name)
            if entry.released_as:
                words = f"{entry.released_as} of {_OF_CLASSES.get(words, words)}"
            self._known[attribute, level] = words
        return self._known[attribute, level]

    def node(self, node: Node) -> list[tuple[str, str]]:
        """Pairs of attribute and words."""
        return [(self._problem.attributes[q].name, self.level(q, level)) for q, level in enumerate(node)]
