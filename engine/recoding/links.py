"""What order and codes of a release reveal: whose records are whose, and labels of suppressed ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels.arrays import BoolArray, Counts, IntArray
from engine.words import _, ngettext

_Numbers = NDArray[np.integer[Any]]
_SPREAD = 3.0  # standard deviations of chance that neighbours have to be alike beyond


class Revealed(NamedTuple):
    """A clause on what a release reveals.

    Attributes
    ----------
    key : {"linked", "readable", "neighbours"}
        Records of one person are recognized, suppressed ones as those of a person, or by their neighbours.
    words : str
        Without capital and full stop.
    is_certain : bool
        Whether a person is identified with certainty.
    """

    key: str
    words: str
    is_certain: bool = False


@dataclass(frozen=True)
class LinkingColumn:
    """A released column that shows which records are of one person.

    Attributes
    ----------
    name : str
    own : int
        People whose value in the kept records nobody else has.
    """

    name: str
    own: int


@dataclass(frozen=True)
class Links:
    """What the order of the records and the released codes reveal beyond the classes.

    Attributes
    ----------
    columns : tuple of LinkingColumn
        Released columns with one value per person, or with a value of their own for at least half of the
        people with several kept records.
    are_together : bool
        Whether the records of people are side by side in the file, clearly more often than by chance.
    together, several : int
        People with several written records, all of them side by side, and all people with several.
    readable : int
        Suppressed records in the file that can be recognized as those of a person who also has kept ones.
    starred : int
        Suppressed records in the file, between kept ones whose order is that of the input.
    neighbours : mapping of str to int
        How many of them have kept records with the same label before and after, by quasi-identifying column
        of which equal labels are side by side.
    """

    columns: tuple[LinkingColumn, ...] = ()
    are_together: bool = False
    together: int = 0
    several: int = 0
    readable: int = 0
    starred: int = 0
    neighbours: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def tell_persons_apart(self) -> bool:
        """Return whether records of one person can be recognized as such."""
        return bool(self.columns) or self.are_together

    @property
    def are_certain(self) -> bool:
        """Return whether some people are recognized for certain, by order or a value of their own."""
        return self.are_together or any(column.own for column in self.columns)

    @property
    def reason(self) -> str:
        """Fragment on what shows which records are of one person."""
        found = [_("the records of a person are side by side")] if self.are_together else []
        own = [column.name for column in self.columns if column.own]
        if own:
            text = ngettext(
                "'{names}' has one value per person", "'{names}' have one value per person", len(own)
            )
            found.append(text.format(names="', '".join(own)))
        shared = [column.name for column in self.columns if not column.own]
        if shared:
            text = ngettext(
                "'{names}' has one value per person, shared with others",
                "'{names}' have one value per person, shared with others",
                len(shared),
            )
            found.append(text.format(names="', '".join(shared)))
        return reduce(lambda first, last: _("{first} and {last}").format(first=first, last=last), found)

    def linked_words(self, people: str, alone: str = "") -> str:
        """State how many people match all records of a person at least, and how many only themselves."""
        if not self.are_certain:
            words = _("all records of a person together could match as few as {people}, because {reason}")
        elif alone:
            words = _(
                "all records of a person together match as few as {people}, and {alone} match nobody else, "
                "because {reason}"
            )
        else:
            words = _("all records of a person together match as few as {people}, because {reason}")
        return words.format(people=people, alone=alone, reason=self.reason)

    def neighbour_words(self, starred: str, counted: Callable[[int], str]) -> str:
        """State how many suppressed records are between kept ones with the same label, by column."""
        first = _("of {starred}, {n} are between kept ones with the same label of '{column}'")
        texts = [first, *[_(", {n} of '{column}'")] * len(self.neighbours)]
        found = zip(texts, sorted(self.neighbours.items(), key=lambda item: -item[1]), strict=False)
        return "".join(text.format(starred=starred, n=counted(n), column=name) for text, (name, n) in found)

    def readable_words(self, records: str) -> str:
        """State how many suppressed records are recognized as those of people with kept ones."""
        return _("{records} can be recognized as those of people with kept records").format(records=records)


class WrittenBlock(NamedTuple):
    """Some written records, in their order.

    Attributes
    ----------
    kept : ndarray of bool, shape (n_records,)
    labels : sequence of ndarray of int, each of shape (n_records,)
        Released code per quasi-identifying column; of kept records.
    cells : sequence of ndarray of int, each of shape (n_records,)
        Released code, or a number of the text, per other column.
    persons : ndarray of int or None, shape (n_records,)
        A number per person, from 0; None if every record is a person.
    """

    kept: BoolArray
    labels: Sequence[_Numbers]
    cells: Sequence[_Numbers]
    persons: _Numbers | None


class LinkCounter:
    """Counts what order and codes reveal, over all written records, one block after the other.

    Equal codes are side by side if all of them are, or if at least half of the neighbours that can be equal
    beyond chance are, and clearly more than by chance. By chance, codes that occur n_i times of n have
    sum n_i (n_i - 1) / n equal neighbours.

    Parameters
    ----------
    quasi_identifying : mapping of str to int
        Number of codes per column.
    others : mapping of str to int or None
        The same of the other released columns; None for numbers that are no codes.
    n_persons : int
        Number of persons; 0 if every record is a person.
    person : str
        Person column, which is a code of persons wherever it is released with several values.
    keeps_order : bool
        Whether the order of the records is that of the input.
    """

    def __init__(
        self,
        quasi_identifying: Mapping[str, int],
        others: Mapping[str, int | None],
        n_persons: int,
        person: str,
        *,
        keeps_order: bool,
    ) -> None:
        self._names, self._others, self._person = list(quasi_identifying), list(others), person
        self._keeps_order = keeps_order
        self._labels = [_Runs(n_codes) for n_codes in quasi_identifying.values()]
        self._between = [0] * len(self._labels)  # suppressed records between equal labels
        self._pending = 0  # suppressed records since the last kept one
        self._n_starred = 0
        self._order = _Runs(n_persons)
        self._n_kept = np.zeros(n_persons, dtype=np.int64)
        self._value_of = [_Fixed(n_persons) for _unused in others]
        self._holder_of = [None if n_codes is None else _Fixed(n_codes) for n_codes in others.values()]
        self._hidden: list[tuple[_Numbers, list[_Numbers]]] = []  # persons and cells of suppressed records

    def add(self, block: WrittenBlock) -> None:
        """Count further records."""
        kept, persons = np.flatnonzero(block.kept), block.persons
        gaps = np.diff(kept, prepend=-1 - self._pending) - 1
        for place, (runs, codes) in enumerate(zip(self._labels, block.labels, strict=True)):
            self._between[place] += int(gaps[runs.add(codes[kept])].sum())
        n_after = len(block.kept) - 1 - int(kept[-1]) if len(kept) else self._pending + len(block.kept)
        self._pending, self._n_starred = n_after, self._n_starred + len(block.kept) - len(kept)
        if persons is None:
            return
        self._order.add(persons)
        whose = persons[kept]
        self._n_kept += np.bincount(whose, minlength=len(self._n_kept))
        for value_of, holder_of, codes in zip(self._value_of, self._holder_of, block.cells, strict=True):
            value_of.add(whose, codes[kept])
            if holder_of is not None:
                holder_of.add(codes[kept], whose)
        stars = np.flatnonzero(~block.kept)
        if len(stars):
            self._hidden.append((persons[stars], [codes[stars] for codes in block.cells]))

    def found(self) -> Links:
        """Return what was counted."""
        columns, codes = [], []
        is_several = self._n_kept > 1
        for place, name in enumerate(self._others):
            value_of = self._value_of[place]
            has_own = self._has_own(place)
            n_values = len(np.unique(value_of.first[self._n_kept > 0]))
            is_fixed = bool(is_several.any()) and not value_of.varies[is_several].any() and n_values > 1
            is_own = 2 * int(np.count_nonzero(has_own & is_several)) >= max(int(is_several.sum()), 1)
            if is_fixed or is_own or (name == self._person and n_values > 1):
                columns.append(LinkingColumn(name, int(np.count_nonzero(has_own))))
                codes.append(place)
        are_together = self._keeps_order and self._order.are_together
        readable = 0
        for whose, cells in self._hidden:
            is_seen = np.full(len(whose), are_together)
            for place in codes:
                is_seen |= self._value_of[place].first[whose] == cells[place]
            readable += int(np.count_nonzero(is_seen & (self._n_kept[whose] > 0)))
        between = zip(self._names, self._labels, self._between, strict=True)
        return Links(
            tuple(columns),
            are_together,
            int(np.count_nonzero((self._order.runs == 1) & (self._order.counts > 1))),
            int(np.count_nonzero(self._order.counts > 1)),
            readable,
            self._n_starred,
            MappingProxyType(
                {name: n for name, runs, n in between if n and self._keeps_order and runs.are_together}
            ),
        )

    def _has_own(self, place: int) -> BoolArray:
        """Return which persons have one value in a column that no other person has."""
        value_of, holder_of = self._value_of[place], self._holder_of[place]
        is_fixed = (self._n_kept > 0) & ~value_of.varies
        if holder_of is not None:
            return np.asarray(is_fixed & ~holder_of.varies[value_of.first])
        if value_of.varies.any():
            return np.zeros(len(is_fixed), dtype=np.bool_)
        _unused, places, counts = np.unique(value_of.first, return_inverse=True, return_counts=True)
        return np.asarray(is_fixed & (counts[places] == 1))


class _Runs:
    """Counts codes, and how often each begins anew after another one."""

    def __init__(self, n_codes: int) -> None:
        self.counts: Counts = np.zeros(n_codes, dtype=np.int64)
        self.runs: Counts = np.zeros(n_codes, dtype=np.int64)
        self._last = -1

    def add(self, codes: _Numbers) -> BoolArray:
        """Count further codes; return which of them equal the one before."""
        is_equal = np.diff(codes, prepend=self._last) == 0
        self.counts += np.bincount(codes, minlength=len(self.counts))
        self.runs += np.bincount(codes[~is_equal], minlength=len(self.counts))
        self._last = int(codes[-1]) if len(codes) else self._last
        return np.asarray(is_equal)

    @property
    def are_together(self) -> bool:
        """Return whether equal codes are side by side; see `LinkCounter`."""
        n = max(int(self.counts.sum()), 1)
        equal = n - int(self.runs.sum())
        most = n - int(np.count_nonzero(self.counts))
        chance = float((self.counts * (self.counts - 1.0)).sum()) / n
        if not equal or most <= chance:
            return False
        is_clear = equal - chance > _SPREAD * np.sqrt(chance + 1)
        return equal == most or bool(is_clear and 2 * (equal - chance) >= most - chance)


class _Fixed:
    """Notes which keys go with one value only, and with which."""

    def __init__(self, n_keys: int) -> None:
        self.first: IntArray = np.zeros(n_keys, dtype=np.int64)
        self.varies: BoolArray = np.zeros(n_keys, dtype=np.bool_)
        self._is_known: BoolArray = np.zeros(n_keys, dtype=np.bool_)

    def add(self, keys: _Numbers, values: _Numbers) -> None:
        """Take further pairs of key and value."""
        new = ~self._is_known[keys]
        self.first[keys[new]] = values[new]
        self._is_known[keys] = True
        self.varies[keys[self.first[keys] != values]] = True
