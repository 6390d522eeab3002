"""Disclosure by order and codes of a release: records of one person, and labels of suppressed ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.kernels.arrays import BoolArray, Counts, IntArray
from engine.words import _, ngettext

_Numbers = NDArray[np.integer[Any]]
_SPREAD = 3.0  # standard deviations of chance that neighbours have to be alike beyond


@dataclass(frozen=True)
class Links:
    """Disclosure beyond the classes by the order of the records and by released codes.

    Attributes
    ----------
    columns : mapping of str to int
        Released columns with one value per person, or with a value of their own for at least half of the
        people with several kept records; and how many people have a value that no one else has.
    are_together : bool
        Whether the records of people are side by side in the file, clearly more often than by chance.
    together, several : int
        People with several written records, all of them side by side, and all people with several.
    readable : int
        Suppressed records in the file that can be recognized as those of a person who also has kept ones.
    starred : int
        Suppressed records in the file.
    neighbours : mapping of str to int
        How many of them have kept records with the same label before and after, by quasi-identifying column
        of which equal labels are side by side.
    """

    columns: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
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
        return self.are_together or any(self.columns.values())

    @property
    def reason(self) -> str:
        """Fragment on what shows which records are of one person."""
        found = [_("the records of a person are side by side")] if self.are_together else []
        if own := [name for name, n in self.columns.items() if n]:
            text = ngettext(
                "'{names}' has one value per person", "'{names}' have one value per person", len(own)
            )
            found.append(text.format(names="', '".join(own)))
        if shared := [name for name, n in self.columns.items() if not n]:
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

    def readable_words(self, records: str) -> str:
        """State how many suppressed records are recognized as those of people with kept ones."""
        return _("{records} can be recognized as those of people with kept records").format(records=records)

    def neighbour_words(self, records: str, counted: Callable[[int], str]) -> str:
        """State how many suppressed records are between kept ones with the same label, by column."""
        first = _("of {total}, {n} are between kept ones with the same label of '{column}'")
        texts = [first, *[_(", {n} of '{column}'")] * len(self.neighbours)]
        found = zip(texts, sorted(self.neighbours.items(), key=lambda item: -item[1]), strict=False)
        return "".join(text.format(total=records, n=counted(n), column=name) for text, (name, n) in found)


class LinkCounter:
    """Counts what order and codes reveal, over all written records, one block after the other.

    Equal codes are side by side if all of them are, or if at least half of the neighbours that can be equal
    beyond chance are, and clearly more than by chance. By chance, codes that occur n_i times of n have
    sum n_i (n_i - 1) / n equal neighbours.

    Parameters
    ----------
    labels : mapping of str to int
        Number of codes per quasi-identifying column.
    cells : mapping of str to int or None
        The same of the other released columns; None for numbers that are not codes.
    n_persons : int
        Number of persons; 0 if every record is a person.
    person : str
        Person column, which is a code of persons wherever it is released with several values.
    keeps_order : bool
        Whether the order of the records is that of the input.
    """

    def __init__(
        self,
        labels: Mapping[str, int],
        cells: Mapping[str, int | None],
        n_persons: int,
        person: str,
        *,
        keeps_order: bool,
    ) -> None:
        self._person, self._keeps_order = person, keeps_order
        self._labels = {name: _Runs(n_codes) for name, n_codes in labels.items()}
        self._between = dict.fromkeys(labels, 0)  # suppressed records between equal labels
        self._pending = self._n_starred = 0  # suppressed records since the last kept one, and all
        self._order, self._n_kept = _Runs(n_persons), np.zeros(n_persons, dtype=np.int64)
        self._values = {name: _Fixed(n_persons) for name in cells}
        self._holders = {name: _Fixed(n_codes) for name, n_codes in cells.items() if n_codes is not None}
        self._hidden: list[tuple[_Numbers, list[_Numbers]]] = []  # persons and cells of suppressed records

    def add(
        self, kept: BoolArray, labels: Sequence[_Numbers], cells: Sequence[_Numbers], persons: _Numbers | None
    ) -> None:
        """Count further records: which are kept, and their codes and persons."""
        rows, stars = np.flatnonzero(kept), np.flatnonzero(~kept)
        gaps = np.diff(rows, prepend=-1 - self._pending) - 1
        for (name, runs), codes in zip(self._labels.items(), labels, strict=True):
            self._between[name] += int(gaps[runs.add(codes[rows])].sum())
        self._pending = len(kept) - 1 - int(rows[-1]) if len(rows) else self._pending + len(kept)
        self._n_starred += len(stars)
        if persons is None:
            return
        self._order.add(persons)
        self._n_kept += np.bincount(persons[rows], minlength=len(self._n_kept))
        for (name, values), codes in zip(self._values.items(), cells, strict=True):
            values.add(persons[rows], codes[rows])
            if name in self._holders:
                self._holders[name].add(codes[rows], persons[rows])
        self._hidden.append((persons[stars], [codes[stars] for codes in cells]))

    def found(self) -> Links:
        """Return the counts."""
        columns: dict[str, int] = {}
        is_several = self._n_kept > 1
        for name, values in self._values.items():
            has_own, n_values = self._has_own(name), len(np.unique(values.first[self._n_kept > 0]))
            is_fixed = bool(is_several.any()) and not values.varies[is_several].any()
            is_own = 2 * int(np.count_nonzero(has_own & is_several)) >= max(int(is_several.sum()), 1)
            if is_own or (n_values > 1 and (is_fixed or name == self._person)):
                columns[name] = int(np.count_nonzero(has_own))
        are_together, readable = self._keeps_order and self._order.are_together, 0
        for whose, cells in self._hidden:
            is_seen = np.full(len(whose), are_together)
            for (name, values), codes in zip(self._values.items(), cells, strict=True):
                is_seen |= (values.first[whose] == codes) & (name in columns)
            readable += int(np.count_nonzero(is_seen & (self._n_kept[whose] > 0)))
        neighbours = {
            name: self._between[name]
            for name, runs in self._labels.items()
            if self._between[name] and self._keeps_order and runs.are_together
        }
        together, several = self._order.runs == 1, self._order.counts > 1
        return Links(
            MappingProxyType(columns),
            are_together,
            int(np.count_nonzero(together & several)),
            int(np.count_nonzero(several)),
            readable,
            self._n_starred,
            MappingProxyType(neighbours),
        )

    def _has_own(self, name: str) -> BoolArray:
        """Return which persons have one value in a column that no other person has."""
        values = self._values[name]
        is_fixed = (self._n_kept > 0) & ~values.varies
        if name in self._holders:
            return np.asarray(is_fixed & ~self._holders[name].varies[values.first])
        _unused, places, counts = np.unique(values.first, return_inverse=True, return_counts=True)
        return np.asarray(is_fixed & (counts[places] == 1) & (not values.varies.any()))


class _Runs:
    """Counts codes, and how often each follows another one."""

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
        equal, most = n - int(self.runs.sum()), n - int(np.count_nonzero(self.counts))
        chance = float((self.counts * (self.counts - 1.0)).sum()) / n
        is_clear = equal - chance > _SPREAD * np.sqrt(chance + 1) and 2 * (equal - chance) >= most - chance
        return bool(equal > 0 and chance < most and (equal == most or is_clear))


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
