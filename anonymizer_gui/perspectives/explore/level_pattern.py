"""Nodes told by their levels: a vector with places left open, or words of what the levels leave."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.errors import InputError

if TYPE_CHECKING:
    from anonymizer_gui.perspectives.explore.node_words import LevelWords
    from engine.frequency import Problem

_PLACES = re.compile(r"[^\s,;\[\]()]+")
_OPEN = ("*", "?", "_", "x")
_LEVELS = re.compile(r"(\d+)(?:(?:-|–|\.\.)(\d+))?")


@dataclass(frozen=True)
class LevelPattern:
    """Levels per attribute that a node may use; of a pattern in words one of them is enough."""

    allowed: dict[int, frozenset[int]]
    any_is_enough: bool = False

    def mask(self, levels: NDArray[np.int16]) -> NDArray[np.bool_]:
        """Which nodes fit, by their levels, shape (n_nodes,)."""
        fits = np.full(len(levels), not self.any_is_enough)
        for attribute, allowed in self.allowed.items():
            uses = np.isin(levels[:, attribute], list(allowed))
            fits = fits | uses if self.any_is_enough else fits & uses
        return fits


def level_pattern(text: str, problem: Problem, words: LevelWords) -> LevelPattern:
    """Read `0 3 * 1`, where ranges such as `1-3` and open places are allowed, or words such as `20-year`.

    Raises
    ------
    InputError
        There are more places than attributes, or no level is described by the words.
    """
    places = _PLACES.findall(text)
    if places and all(place in _OPEN or _LEVELS.fullmatch(place) for place in places):
        return _vector(places, problem)
    return _in_words(text.strip().casefold(), problem, words)


def _vector(places: list[str], problem: Problem) -> LevelPattern:
    names = problem.names
    if len(places) > len(names):
        raise InputError(
            f"These are {len(places)} levels of {len(names)}.",
            hint=f"Write a level or * for {', '.join(names)}; those at the end may be left out.",
        )
    allowed = {}
    for attribute, place in enumerate(places):
        if (found := _LEVELS.fullmatch(place)) is not None:
            allowed[attribute] = frozenset(range(int(found[1]), int(found[2] or found[1]) + 1))
    return LevelPattern(allowed)


def _in_words(text: str, problem: Problem, words: LevelWords) -> LevelPattern:
    allowed = {}
    for q, attribute in enumerate(problem.attributes):
        levels = range(attribute.minimum, attribute.maximum + 1)
        told = {level: f"{attribute.name}: {words.level(q, level)}".casefold() for level in levels}
        if found := frozenset(level for level, line in told.items() if text in line):
            allowed[q] = found
    if text and not allowed:
        raise InputError(
            f"No level is described by '{text}'.",
            hint="Write levels such as 0 3 * 1, or words such as 'age: 20-year' or 'hidden'.",
        )
    return LevelPattern(allowed, any_is_enough=bool(allowed))
