"""What a verification counts of files larger than memory, and the columns that it compares as texts."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from operator import itemgetter
from pathlib import Path
from typing import Protocol

import pandas as pd

from engine.numbers import as_exact_count
from engine.verification.cells import wrong_cell
from engine.verification.claims import STAR, Compared, ReleaseClaim
from engine.verification.findings import SHOWN, UnverifiableError, refuse_many_values
from engine.verification.readers.collecting import Vocabularies
from engine.verification.readers.formats import has_keys
from engine.verification.readers.reading import Reading
from engine.verification.rules import SHIFT, due_texts, rule_of
from engine.verification.shifts import Moves
from engine.words import _, ngettext

_CONSTANT = ("star", "constant")


@dataclass(frozen=True)
class Due:
    """What is expected of the records of each distinct original tuple.

    Attributes
    ----------
    suppressed : Series of bool
    labels : DataFrame of int or None
        Codes of the expected cells, in the released columns that models read; None if levels vary by record.
    texts : mapping of str to mapping
        Expected text per original one of other columns that have pseudonyms.
    start : int or None
        Start of the numbers that put the records of a shuffled file in order; None if it is not shuffled.
    kept : sequence of int or None
        Positions of the original records that the file is due to have; None if suppression decides.
    """

    suppressed: pd.Series[bool]
    labels: pd.DataFrame | None
    texts: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    start: int | None = None
    kept: Sequence[int] | None = None


@dataclass(frozen=True)
class Paired:
    """The released records next to their original ones, counted.

    Attributes
    ----------
    n_released : int
        Records of the file.
    tuples : Series of int
        Per distinct pair: number of its original tuple. Empty if the file has not the expected number of
        records, or not the expected records in any order; the other attributes then describe the file alone.
    released : DataFrame of int
        Codes of its released cells, in columns that models read.
    counts, numbers : Series of int
        Its records, and the number of the first of them.
    wrong : Wrong
        Cells of the other columns that are not as expected.
    singled_out : mapping
        Per set of unchanged columns: records that it singles out, alone or as one person.
    shares : mapping
        Claimed dependencies.
    differing : tuple of str
        Sentences on records that are in only one of both multisets; empty if order is compared.
    """

    n_released: int
    tuples: pd.Series[int]
    released: pd.DataFrame
    counts: pd.Series[int]
    numbers: pd.Series[int]
    wrong: Wrong
    singled_out: Mapping[tuple[str, ...], tuple[int, int]] = field(default_factory=dict)
    shares: Mapping[tuple[str, str], float] = field(default_factory=dict)
    differing: tuple[str, ...] = ()


class Counter(Protocol):
    """Both tables, counted where they are: in files, read in pieces or by a database, or on a cluster.

    A verification asks for the columns, then for the distinct original tuples in the columns that models
    read, decides which of them are suppressed, and has all records compared with what is expected of them.
    Dates that move by a key are moved in the tuples already.
    Codes are those of the vocabularies that `MakeCounter` is given. To judge a release by a counter of one's
    own, pass what makes it to `engine.verification.judges.verify`; `TextColumn.due` has the expected texts
    of the other columns, and `unmatched` the sentences on records that differ.

    Attributes
    ----------
    compared : {"records", "multiset", "counts"}
        How `pair` compares.
    is_read : bool
        Whether all cells of the release were read already.
    names : list of str
        Columns of the original.
    released_names : list of str
    released : Reading
        How the released file is read, with the cells that a spreadsheet would run.
    """

    compared: Compared
    is_read: bool
    names: list[str]
    released_names: list[str]
    released: Reading

    def tuples(self) -> tuple[pd.DataFrame, pd.Series[int]]:
        """Return the distinct original records in the columns that models read, and their counts."""
        ...

    def values_of(self, name: str) -> Mapping[str, int]:
        """Return the distinct original texts of one of the other columns, with their counts."""
        ...

    def pair(self, due: Due) -> Paired:
        """Compare the released records with the original ones, given what is expected of each tuple."""
        ...


class RecordCounter(Counter, Protocol):
    """Counter of records that have an order, which can be asked for single ones of them."""

    def originals(self) -> pd.DataFrame:
        """Return the codes of all original records."""
        ...

    def released_records(self) -> pd.DataFrame:
        """Return the codes of all released records."""
        ...

    def choose(self, places: Sequence[int]) -> None:
        """Let the original be some of its records, by their positions."""
        ...

    def replace(self, name: str, codes: pd.Series[int]) -> None:
        """Let original records have other cells in a column."""
        ...


def compared_of(claim: ReleaseClaim) -> Compared:
    """Return how the records of files are compared: one by one only where their order is promised."""
    return "multiset" if claim.order == "none" else "records"


def is_order_drawn(claim: ReleaseClaim) -> bool:
    """Return whether the records of a file are promised in an order drawn at random."""
    return claim.shuffled and claim.order != "none"


def unmatched(n_extra: int, extra: int, n_lacking: int, lacking: int) -> tuple[str, ...]:
    """Return sentences on records that only one of both multisets has.

    Parameters
    ----------
    n_extra, n_lacking : int
        Records of the file that are not expected, and expected ones that the file does not have.
    extra, lacking : int
        Number of the first of each, in the file and in the original, counted from 0; -1 if unknown.
    """
    found = []
    if n_extra:
        words = ngettext(
            "{n} record of the file is not expected",
            "{n} records of the file are not expected",
            n_extra,
        ).format(n=as_exact_count(n_extra))
        at = _("the first of them is record {number} of the file").format(number=as_exact_count(extra + 1))
        found.append(f"{words}." if extra < 0 else f"{words}; {at}.")
    if n_lacking:
        words = ngettext(
            "{n} expected record is missing in the file",
            "{n} expected records are missing in the file",
            n_lacking,
        ).format(n=as_exact_count(n_lacking))
        at = _("the first of them belongs to record {number} of the original").format(
            number=as_exact_count(lacking + 1)
        )
        found.append(f"{words}." if lacking < 0 else f"{words}; {at}.")
    return tuple(found)


def moves_of(claim: ReleaseClaim, name: str) -> Moves | None:
    """Return how the dates of a column move; None if they do not."""
    rule = rule_of(claim, name)
    is_moved = rule is not None and rule.rule == SHIFT
    return Moves(name, rule, first_missing(claim, name)) if rule is not None and is_moved else None


def keyed_moves(claim: ReleaseClaim) -> dict[str, Moves]:
    """Return how dates move by keys, by column; those of persons are not moved by their number."""
    found = {name: moves_of(claim, name) for name in (*claim.identifying, *claim.rules)}
    return {name: own for name, own in found.items() if own is not None and own.has_key}


def first_missing(claim: ReleaseClaim, name: str) -> str | None:
    """Return the text of the missing value of a column; None if it has none."""
    return next(iter((*claim.missing, *claim.column_missing.get(name, ()))), None)


def persons_of(claim: ReleaseClaim, known: Vocabularies, codes: pd.Series[int]) -> pd.Series[str]:
    """Return the text of each person by which dates move, given codes of the person column."""
    texts = known[claim.person].texts
    missing = (*claim.missing, *claim.column_missing.get(claim.person, ()))[:1]
    shown = pd.Series(["" if text in missing else text for text in texts], dtype=object)
    return pd.Series(shown.array.take(codes.to_numpy()), index=codes.index)


def refuse_other_columns(first: Path, names: Sequence[str], path: Path, found: Sequence[str]) -> None:
    """Raise UnverifiableError if a further file of the original has other columns than the first."""
    if list(found) != list(names):
        raise UnverifiableError(
            _("The files '{name}' and '{name_2}' do not have the same columns.").format(
                name=first.name, name_2=path.name
            )
        )


def coded_columns(claim: ReleaseClaim, names: Sequence[str]) -> list[str]:
    """Return the columns that are compared as codes, in their order."""
    return list(filter(is_coded(claim), names))


def is_coded(claim: ReleaseClaim) -> Callable[[str], bool]:
    """Return whether a column is compared as codes, since classes, models or persons are read from it.

    JSON may have texts that are no Unicode, which no database holds, so that all columns are.
    """
    read = {*claim.quasi_identifying, *claim.sensitive, claim.person, claim.weight}
    is_json = claim.released_format == "jsonl" or any(has_keys(path) for path in claim.files)

    def asked(name: str) -> bool:
        moves = moves_of(claim, name) if is_json else None
        return name in read or (is_json and (moves is None or moves.has_key))

    return asked


def unchanged_columns(claim: ReleaseClaim, released_names: Collection[str]) -> list[str]:
    """Return the unchanged columns of the file, as `Recount.columns`."""
    others = {*claim.quasi_identifying, *claim.identifying}
    return [name for name in released_names if name not in others]


def unchanged_sets(claim: ReleaseClaim, released_names: Collection[str]) -> list[tuple[str, ...]]:
    """Return the sets of columns whose singled out records are counted."""
    columns = unchanged_columns(claim, released_names)
    both = (*columns, *claim.quasi_identifying)
    return list(
        dict.fromkeys(found for found in (*((name,) for name in columns), tuple(columns), both) if found)
    )


Exposed = tuple[dict[tuple[str, ...], tuple[int, int]], dict[tuple[str, str], float]]


def exposed(
    claim: ReleaseClaim,
    released: Sequence[str],
    singled_out: Callable[[Sequence[str]], tuple[int, int]],
    share: Callable[[str, str], float],
) -> Exposed:
    """Return what unchanged columns single out, and the claimed dependencies of quasi-identifiers on them.

    Parameters
    ----------
    claim : ReleaseClaim
    released : sequence of str
        Names of the released columns.
    singled_out, share : callable
        Count the records that some columns single out, and measure how far one column determines another.
    """
    expected, unchanged = claim.expected.unchanged, unchanged_columns(claim, released)
    sets = {names: singled_out(names) for names in unchanged_sets(claim, released)}
    shares = {
        (name, determined): share(name, determined)
        for name, determined in (expected.determines if expected else ())
        if name in unchanged and determined in claim.quasi_identifying
    }
    return sets, shares


class TextColumn:
    """Column of the file that no model reads: its cells are compared as texts, record by record.

    Parameters
    ----------
    claim : ReleaseClaim
    name : str
    """

    def __init__(self, claim: ReleaseClaim, name: str) -> None:
        self.name = name
        moves = moves_of(claim, name)
        self.moves = None if moves is None or moves.has_key else moves  # by a key they were moved before
        self.rule = rule_of(claim, name) if moves is None else None
        self._missing = first_missing(claim, name)
        self.fixed: Mapping[str, str] | None = None  # expected texts that depend on all values
        self._codes: dict[str, str] = {}  # of a keyed hash, which must not have the same one twice
        self.blank = STAR if claim.blank_suppressed else None

    @cached_property
    def is_constant(self) -> bool:
        """Return whether every cell has the same text, however the original reads."""
        return self.rule is not None and self.rule.rule in _CONSTANT

    def due(self, values: Collection[str]) -> Mapping[str, str] | None:
        """Return the expected text per original text of kept records; None if it stays."""
        if self.rule is None:
            return None
        if self.fixed is not None:
            return self.fixed
        if self.rule.rule != "keyed_hash":
            return due_texts(self.rule, list(values), self._missing, _undrawn)
        new = [value for value in values if value not in self._codes]
        self._codes |= due_texts(self.rule, new, self._missing, _undrawn)
        refuse_many_values(self.name, len(self._codes))
        return self._codes

    def cells(self, before: pd.Series[str], hidden: pd.Series[bool]) -> tuple[pd.Series[str], pd.Series[str]]:
        """Return the expected texts of original ones, and what they were if no record was suppressed."""
        found = self.due(before.unique().tolist())
        usual = before if found is None else before.map(found)
        return usual if self.blank is None else usual.where(~hidden, self.blank), usual

    def refuse_equal_codes(self) -> None:
        """Raise UnverifiableError if two values have the same code."""
        if len(set(self._codes.values())) < len(self._codes):
            raise UnverifiableError(_("Two values of a column have the same code."))


def _undrawn() -> int:
    raise UnverifiableError(_("Random numbers cannot be drawn again for a table of this size."))


class Wrong:
    """Wrong cells of columns compared as texts: their number, and sentences on the first of each column."""

    def __init__(self, claim: ReleaseClaim, released_names: Collection[str]) -> None:
        self._claim = claim
        self._places = {name: place for place, name in enumerate(released_names)}
        self._first: dict[str, list[tuple[int, str]]] = {}
        self.n_cells = 0

    def compare(
        self,
        column: TextColumn,
        before: pd.Series[str],
        after: pd.Series[str],
        hidden: pd.Series[bool],
        numbers: pd.Series[int],
        counts: pd.Series[int] | None = None,
    ) -> None:
        """Compare cells of a column; all given in the same order, `counts` times each."""
        due, usual = column.cells(before, hidden)
        wrong = (due != after).to_numpy().nonzero()[0].tolist()
        if not wrong:
            return
        self.n_cells += len(wrong) if counts is None else int(counts.take(wrong).sum())
        first = self._first.setdefault(column.name, [])
        # An identifying column never has its original cells, whatever the record.
        own = before if column.name in self._claim.identifying else usual
        sides = (numbers, after, due, own, hidden)
        cells = zip(*(side.take(wrong).tolist() for side in sides), strict=True)
        for number, cell, expected, value, is_hidden in heapq.nsmallest(SHOWN, cells, key=itemgetter(0)):
            is_blank = is_hidden and expected != value
            sentence = wrong_cell(self._claim, number, column.name, cell, expected, is_hidden=is_blank)
            first.append((number, sentence))
        self._keep_first(first)

    def move(
        self,
        column: TextColumn,
        before: pd.Series[str],
        after: pd.Series[str],
        hidden: pd.Series[bool],
        numbers: pd.Series[int],
        persons: pd.Series[str] | None,
    ) -> None:
        """Count dates of the file that no key has moved so; `persons` is None if every record is another."""
        moves = column.moves
        assert moves is not None, "dates of this column move"
        is_shown = ~hidden if column.blank is not None else hidden | True
        places = is_shown.to_numpy().nonzero()[0].tolist()
        own, other = (side.take(places).tolist() for side in (before, after))
        whose = None if persons is None else persons.take(places).tolist()
        problems = moves.problems(own, other, whose)
        self.n_cells += len(problems)
        first = self._first.setdefault(column.name, [])
        by_number = [(int(numbers.iloc[places[place]]), place, problem) for place, problem in problems]
        for number, place, problem in heapq.nsmallest(SHOWN, by_number, key=itemgetter(0)):
            first.append((number, moves.sentence(number, own[place], other[place], problem)))
        self._keep_first(first)

    def _keep_first(self, first: list[tuple[int, str]]) -> None:
        first.sort(key=lambda entry: entry[0])
        del first[SHOWN:]

    def merged(self, cells: list[tuple[int, str, str]]) -> list[tuple[int, str, str]]:
        """Return the first wrong cells of these and others: number of the record, column and sentence."""
        own = [(number, name, sentence) for name, first in self._first.items() for number, sentence in first]
        return sorted([*cells, *own], key=lambda cell: (cell[0], self._places[cell[1]]))[:SHOWN]
