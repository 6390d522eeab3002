"""Filters of nodes: typed conditions, conditions per column, levels, status, and framed nodes."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from anonymizer_gui.perspectives.explore.node_scores import Details, NodeScores, levels_mask
from engine.errors import InputError
from engine.filters import Filter, parse_filter
from engine.filters.grammar import column_filter
from engine.privacy.measured_text import is_share
from engine.words import _, english

if TYPE_CHECKING:
    from anonymizer_gui.models.node_name import LevelWords
    from engine.frequency import Problem
    from engine.privacy import Requirement


LEVEL_OF = "level."  # column of one attribute's levels
LEVELS = "levels"  # column of the vectors, which has its own kind of filter
SUPPRESSED = "suppressed"
PERCENT = " %"
_INTEGERS = ("k", "classes", "all k", "all classes")
BoolArray = NDArray[np.bool_]


class Status(Enum):
    """Status filter; the first two affect the list only."""

    SATISFIES = "satisfies"
    ALL = "all"
    FAILS = "fails"
    MINIMAL = "minimal"
    SHORT = "short"  # on the short list

    @property
    def is_filter(self) -> bool:
        """True if it also dims nodes in other views."""
        return self not in (Status.SATISFIES, Status.ALL)


@dataclass(frozen=True)
class ColumnCondition:
    """Text typed over one column, with its parsed condition."""

    text: str
    read: Filter | LevelPattern


class NodeFilter:
    """Active filters."""

    def __init__(self) -> None:
        self.typed = Filter()  # last valid typed conditions
        self.columns: dict[str, ColumnCondition] = {}  # by key of the column
        self.levels: dict[int, frozenset[int]] = {}  # levels shown, for the attributes with hidden ones
        self.chosen: BoolArray | None = None  # nodes framed in a view, by index; later ones are excluded
        self.status = Status.SATISFIES
        self.members: Collection[int] = ()  # nodes on the short list, by index
        self.passing: BoolArray = np.zeros(0, dtype=np.bool_)  # nodes that pass, by index
        self.passing_before_status = self.passing  # nodes that pass all filters except status, by index

    @property
    def is_set(self) -> bool:
        """True if a filter can be cleared."""
        return self._is_set_before_status or self.status.is_filter

    @property
    def _is_set_before_status(self) -> bool:
        return bool(self.typed.conditions or self.columns or self.levels or self.chosen is not None)

    def clear(self) -> None:
        """Pass all nodes; a list of satisfying nodes only is unchanged."""
        self.typed, self.columns, self.levels, self.chosen = Filter(), {}, {}, None
        if self.status.is_filter:
            self.status = Status.SATISFIES

    def read(self, text: str, problem: Problem, metric: str, requirement: Requirement | None = None) -> str:
        """Set typed conditions; if they are invalid, keep the last ones and return the error."""
        names = filter_names(problem, metric, requirement)
        try:
            self.typed = parse_filter(text, names, (SUPPRESSED,))
        except InputError as error:
            return f"{error.problem} {error.hint}".strip()
        return ""

    def read_column(self, key: str, text: str, problem: Problem, words: LevelWords) -> str:
        """Set the condition of a column, or clear it with an empty text; errors as in `read`."""
        try:
            read = _read_column(key, text, problem, words)
        except InputError as error:
            return f"{error.problem} {error.hint}".strip()
        if text.strip():
            self.columns[key] = ColumnCondition(text.strip(), read)
        else:
            self.columns.pop(key, None)
        return ""

    def read_columns_again(self, problem: Problem, words: LevelWords) -> None:
        """Parse the column conditions for other nodes; conditions without meaning there are dropped."""
        for key, condition in list(self.columns.items()):
            if self.read_column(key, condition.text, problem, words):
                del self.columns[key]

    def let_all_pass(self, n_nodes: int) -> None:
        """Pass all nodes, before anything is known about them."""
        self.passing = self.passing_before_status = np.ones(n_nodes, dtype=np.bool_)

    def update(self, scores: NodeScores, problem: Problem, metric: str, details: Details | None) -> None:
        """Recompute the filters; while a column is being computed, its last result is used."""
        lattice = scores.lattice
        if not self.is_set:
            self.let_all_pass(lattice.n_nodes)
            return
        if not self._is_set_before_status:
            self.passing_before_status = np.ones(lattice.n_nodes, dtype=np.bool_)
        elif (met := self._met(scores, problem, metric, details)) is not None:
            self.passing_before_status = met
        else:
            n_new = lattice.n_nodes - len(self.passing_before_status)
            if n_new < 0:
                self.passing_before_status = np.ones(lattice.n_nodes, dtype=np.bool_)
            else:
                self.passing_before_status = _grown(self.passing_before_status, lattice.n_nodes)
        self.passing = self.passing_before_status
        if self.status.is_filter:
            self.passing = self.passing & self._of_status(scores)

    def _met(
        self, scores: NodeScores, problem: Problem, metric: str, details: Details | None
    ) -> BoolArray | None:
        """Return which nodes pass all but the status; None while a required column is missing."""
        n_nodes = scores.lattice.n_nodes
        columns = _columns(scores, problem, metric, details)
        over_columns = [condition.read for condition in self.columns.values()]
        filters = [self.typed, *(read for read in over_columns if isinstance(read, Filter))]
        if not scores.are_known:
            for name in (metric, SUPPRESSED, SUPPRESSED + PERCENT):
                del columns[name]
        for name in {condition.name for read in filters for condition in read.conditions} - columns.keys():
            if details is None or not scores.are_known:
                return None
            columns[name] = np.full(n_nodes, np.nan)  # of a model no longer required
        passing = levels_mask(scores.lattice.levels, self.levels)
        if self.chosen is not None:
            passing &= _grown(self.chosen, n_nodes)
        for read in over_columns:
            if isinstance(read, LevelPattern):
                passing &= read.mask(scores.lattice.levels)
        for read in filters:
            passing &= read.mask(columns, n_nodes)
        return passing

    def _of_status(self, scores: NodeScores) -> BoolArray:
        if self.status is Status.MINIMAL:
            return scores.minimal
        if self.status is Status.FAILS:
            return scores.scored & ~scores.satisfies
        members = np.zeros(scores.lattice.n_nodes, dtype=np.bool_)
        members[[number for number in self.members if number < len(members)]] = True
        return members


def filter_names(problem: Problem, metric: str, requirement: Requirement | None = None) -> list[str]:
    """Return the names allowed in typed conditions: attributes and score columns."""
    from engine.scoring.nodes.kept import figure_models
    from engine.utility import utility_metrics

    metrics = [key for key, member in utility_metrics.items() if not member.costly]
    names = [*problem.names, *(f"level.{name}" for name in problem.names), *metrics, metric]
    names += [SUPPRESSED, "rank", "sum", *_INTEGERS]
    if requirement is not None:
        names += figure_models(problem, requirement)
    for attribute in problem.sensitive:
        names += [f"all l.{attribute.name}", f"all t.{attribute.name}"]
    if requirement is not None and len(problem.sensitive) == 1:
        names += ["l", "t"]
    return names


def _columns(
    scores: NodeScores, problem: Problem, metric: str, details: Details | None
) -> dict[str, NDArray[Any]]:
    """Return all columns that conditions may name."""
    lattice = scores.lattice
    columns: dict[str, NDArray[Any]] = {name: lattice.levels[:, q] for q, name in enumerate(problem.names)}
    columns |= {f"level.{name}": lattice.levels[:, q] for q, name in enumerate(problem.names)}
    columns |= dict(details or {})
    if len(problem.sensitive) == 1:
        for symbol in ("l", "t"):
            if (values := columns.get(f"{symbol}.{problem.sensitive[0].name}")) is not None:
                columns.setdefault(symbol, values)
    columns[metric] = scores.values
    columns["rank"] = np.where(scores.ranks, scores.ranks.astype(np.float64), np.nan)
    columns["sum"] = lattice.sums
    columns[SUPPRESSED] = scores.suppressed
    columns[SUPPRESSED + PERCENT] = scores.suppressed / max(problem.n_records, 1)
    return columns


def _read_column(key: str, text: str, problem: Problem, words: LevelWords) -> Filter | LevelPattern:
    if key == LEVELS:
        return level_pattern(text, problem, words)
    if key.startswith(LEVEL_OF) and _WORDS.search(text):
        return _in_words_of(problem.names.index(key.removeprefix(LEVEL_OF)), text, problem, words)
    is_percent = key.endswith(PERCENT) or _is_share(key)
    counted = [f"{whose}l.{attribute.name}" for attribute in problem.sensitive for whose in ("", "all ")]
    is_integer = key in (*_INTEGERS, SUPPRESSED, "rank", "sum", *counted) or key.startswith(LEVEL_OF)
    name = key.removesuffix(PERCENT)
    return column_filter(name, text, is_percent=is_percent, is_rounded=not is_integer)


def _is_share(key: str) -> bool:
    """Return whether a column has the values of a model that are shown as percent."""
    from engine.privacy import privacy_models

    name, _space, number = key.rpartition(" ")  # "average risk 2" if two models have the same name
    shares = [english(kind, "symbol") for kind in privacy_models.values() if is_share(kind)]
    return (name if number.isdigit() else key) in shares


def _grown(mask: BoolArray, n_nodes: int) -> BoolArray:
    """Return a mask for more nodes; the new ones are False."""
    return np.append(mask, np.zeros(n_nodes - len(mask), dtype=np.bool_)) if n_nodes > len(mask) else mask


_WORDS = re.compile(r"[^\W\d_]{3,}")  # else numbers, "and", "is missing" aside
_PLACES = re.compile(r"[^\s,;\[\]()]+")
_OPEN = ("*", "?", "_", "x")
_LEVELS = re.compile(r"(\d+)(?:(?:-|–|\.\.)(\d+))?")


@dataclass(frozen=True)
class LevelPattern:
    """Allowed levels per attribute; for a pattern in words, one attribute must match."""

    allowed: dict[int, frozenset[int]]
    any_is_enough: bool = False

    def mask(self, levels: NDArray[np.int16]) -> NDArray[np.bool_]:
        """Return which nodes match, by their levels, shape (n_nodes,)."""
        fits = np.full(len(levels), not self.any_is_enough)
        for attribute, allowed in self.allowed.items():
            uses = np.isin(levels[:, attribute], list(allowed))
            fits = fits | uses if self.any_is_enough else fits & uses
        return fits


def level_pattern(text: str, problem: Problem, words: LevelWords) -> LevelPattern:
    """Read `0 3 * 1`, with ranges such as `1-3` and open positions, or words such as `20-year`.

    Raises
    ------
    InputError
        There are more positions than attributes, or no level matches the words.
    """
    places = _PLACES.findall(text)
    if places and all(place in _OPEN or _LEVELS.fullmatch(place) for place in places):
        return _vector(places, problem)
    return _in_words(text.strip().casefold(), problem, words)


def _vector(places: list[str], problem: Problem) -> LevelPattern:
    names = problem.names
    if len(places) > len(names):
        raise InputError(
            _("{n} levels given, {n_2} columns.").format(n=len(places), n_2=len(names)),
            hint=_("Give a level or * for {names}; the last ones may be omitted.").format(
                names=", ".join(names)
            ),
        )
    allowed = {}
    for attribute, place in enumerate(places):
        if (found := _LEVELS.fullmatch(place)) is not None:
            allowed[attribute] = frozenset(range(int(found[1]), int(found[2] or found[1]) + 1))
    return LevelPattern(allowed)


def _in_words_of(attribute: int, text: str, problem: Problem, words: LevelWords) -> LevelPattern:
    """Read words of the levels of one attribute."""
    found = words.levels_with(attribute, text.strip(), with_name=False)
    if not found:
        raise InputError(
            _("No level of {column} is called '{text}'.").format(
                column=problem.names[attribute], text=text.strip()
            ),
            hint=_("Type a level such as 2, or ≤ 2, or words such as hidden."),
        )
    return LevelPattern({attribute: found})


def _in_words(text: str, problem: Problem, words: LevelWords) -> LevelPattern:
    found = ((q, words.levels_with(q, text)) for q in range(len(problem.attributes)))
    allowed = {q: levels for q, levels in found if levels}
    if text and not allowed:
        raise InputError(
            _("No level matches '{text}'.").format(text=text),
            hint=_("Give levels such as 0 3 * 1, or words such as 'age: 20-year' or 'hidden'."),
        )
    return LevelPattern(allowed, any_is_enough=bool(allowed))
