"""Risk by subsets of the quasi-identifying columns, before and after."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, product
from math import comb
from typing import ClassVar

import numpy as np

from engine.errors import InputError
from engine.findings.base import Analysis, risk_analyses
from engine.findings.blocks import SHARE, Block, Figure, FigureColumn, FigureTable, Findings, Statement, Tone
from engine.findings.identifiers.detect import detect
from engine.findings.subject import Subject
from engine.findings.words import as_chance, as_number, listed, quoted
from engine.frequency.counted import RECORDS, Noun, either
from engine.frequency.persons import ClassPersons, PeopleBySize, Persons, persons_of_classes
from engine.kernels.arrays import Codes, Counts, IntArray
from engine.kernels.grouping import class_labels, records_by_code
from engine.monitor import SILENT, Monitor, PartMonitor
from engine.numbers import as_exact_count, as_risk
from engine.params import Choice, Integer, param
from engine.privacy.highest_risk import TITLE
from engine.records import Table
from engine.words import N_, _, lazy, ngettext

MOST_SETS = 50_000  # more are too many to read
_MOST_KEYS = 1 << 20  # up to this many combinations, records are counted in an array of all
_UNIQUES, _DISTINCTION, _SEPARATION, _HIGHEST = "uniques", "distinction", "separation", "highest"


@dataclass(frozen=True, slots=True)
class SetFigures:
    """Values of a set of columns in one table.

    Attributes
    ----------
    n_uniques : int
        Records unique in their combination of values; or people with a unique combination, if they may
        have several records.
    n_distinct : int
        Distinct combinations.
    distinction : float
        Distinct combinations / records.
    separation : float
        Share of the pairs of records that differ; 1 with a single record.
    smallest : int
        Records, or people, of the rarest combination; the highest risk is 1 / smallest.
    average : float
        Average risk of a record, or person, from an attacker who knows the set; for records it equals
        the distinction.
    """

    n_uniques: int
    n_distinct: int
    distinction: float
    separation: float
    smallest: int
    average: float

    @property
    def highest(self) -> float:
        """Highest risk of a record, or person."""
        return 1 / self.smallest


@dataclass(frozen=True, slots=True)
class ColumnSet:
    """Set of columns, before and after.

    Attributes
    ----------
    columns : tuple of str
        Names in the order of the lattice's attributes.
    before : SetFigures
        Values of the input with all its records.
    after : SetFigures or None
        Values of the kept records as released; None if no record is kept.
    """

    columns: tuple[str, ...]
    before: SetFigures
    after: SetFigures | None


@dataclass(frozen=True)
class KnownColumns:
    """Risk from an attacker who knows any given number of columns.

    Attributes
    ----------
    sets : tuple of ColumnSet
        All sets of that many columns.
    """

    n_columns: int
    sets: tuple[ColumnSet, ...]
    sentence: str

    def row(self) -> tuple[Figure, ...]:
        """Return most and mean unique records, highest risk and mean risk, of the input and the release."""
        before = [entry.before for entry in self.sets]
        after = [entry.after for entry in self.sets if entry.after is not None]
        sides = [_of_sets(side) if side else (0, 0.0, None, None) for side in (before, after)]
        pairs = (figure for pair in zip(*sides, strict=True) for figure in pair)
        return (self.n_columns, len(self.sets), *pairs)


def _of_sets(figures: Sequence[SetFigures]) -> tuple[Figure, ...]:
    return (
        max(one.n_uniques for one in figures),
        float(np.mean([one.n_uniques for one in figures])),
        max(one.highest for one in figures),
        float(np.mean([one.average for one in figures])),
    )


@dataclass(frozen=True)
class ColumnSubsetsFound(Findings):
    """Risk by sets of quasi-identifying columns.

    Attributes
    ----------
    sets : tuple of ColumnSet
        Sorted by the requested value of the release, the highest first, then by that of the input, then
        by size.
    known : tuple of KnownColumns
        One entry per number of known columns.
    counted : Noun
        Records, or people with several; distinction and separation always count records.
    """

    sets: tuple[ColumnSet, ...]
    known: tuple[KnownColumns, ...]
    counted: Noun = RECORDS

    def statement(self) -> Statement:
        unique = self.counted.said(_("unique {records}"))
        return Statement(self.known[-1].sentence, caption=unique)

    def blocks(self) -> tuple[Block, ...]:
        """Return the values per number of known columns, and per set."""
        known = tuple(each.row() for each in self.known)
        rows = []
        for entry in self.sets:
            sides = product(_FIGURES_OF_SET, (entry.before, entry.after))
            figures = (None if side is None else getattr(side, name) for name, side in sides)
            rows.append((", ".join(entry.columns), len(entry.columns), *figures))
        return (
            FigureTable(
                "known_columns",
                _("What few columns reveal"),
                _known_columns(self.counted),
                known,
                is_listed=False,
            ),
            FigureTable(
                "column_sets",
                _("Column combinations"),
                _set_columns(self.counted),
                tuple(rows),
                tones=self._tones(),
            ),
        )

    def _tones(self) -> list[Tone]:
        is_open = (entry.after is not None and entry.after.n_uniques > 0 for entry in self.sets)
        return ["danger" if is_one else "text" for is_one in is_open]


_FIGURES_OF_SET = ("n_uniques", "highest", "distinction", "separation")
_DISTINCTION_WORDS = N_(
    "Distinct combinations divided by records: the share that guessing all of them finds."
)
_SEPARATION_WORDS = N_("Share of record pairs that differ in the columns.")


def _unique_words(noun: Noun) -> str:
    return either(
        noun,
        _("Records that are unique in these columns."),
        _("People with a record that equals no other person's in these columns."),
    )


def _rarest_words(noun: Noun) -> str:
    return noun.said(_("1 divided by the number of {records} with the rarest combination."))


def _known_columns(noun: Noun) -> tuple[FigureColumn, ...]:
    many, unique, risk = noun.unit, _unique_words(noun), _rarest_words(noun)
    mean = noun.said(_("Mean over {records} and sets."))
    return (
        FigureColumn("n_columns", _("Known columns")),
        FigureColumn("n_sets", _("Sets"), explanation=_("Number of sets of that many columns.")),
        *_sides("most_uniques", _("Most unique"), unique, many),
        *_sides("mean_uniques", _("Unique on average"), _("Mean over the sets."), many),
        *_sides("highest", _(TITLE), risk, SHARE),
        *_sides("mean_risk", _("Average risk"), mean, SHARE),
    )


def _set_columns(noun: Noun) -> tuple[FigureColumn, ...]:
    many, unique, risk = noun.unit, _unique_words(noun), _rarest_words(noun)
    return (
        FigureColumn("columns", _("Columns")),
        FigureColumn("n_columns", _("Number of columns"), is_listed=False),
        *_sides("uniques", _("Unique"), unique, many),
        *_sides("highest", _(TITLE), risk, SHARE),
        *_sides("distinction", _("Distinction"), _(_DISTINCTION_WORDS), SHARE),
        *_sides("separation", _("Separation"), _(_SEPARATION_WORDS), SHARE),
    )


def _sides(key: str, title: str, explanation: str, unit: str) -> tuple[FigureColumn, FigureColumn]:
    """Return the columns of a value of the input and of the release."""
    before, after = _("{title}, input"), _("{title}, release")
    return (
        FigureColumn(f"{key}_input", before.format(title=title), unit, explanation),
        FigureColumn(f"{key}_release", after.format(title=title), unit, explanation),
    )


@risk_analyses.register("column_subsets")
@dataclass(frozen=True, slots=True)
class ColumnSubsets(Analysis):
    """Measure how well sets of columns distinguish records [1]_, in the input and in the release.

    References
    ----------
    .. [1] Motwani, Xu (2007). Efficient Algorithms for Masking and Finding Quasi-Identifiers. VLDB Workshop
       on Secure Data Management.
    """

    title: ClassVar[str] = lazy("Column combinations")
    summary: ClassVar[str] = lazy(
        "Risk from an attacker who knows one, two or three of the columns: the worst set and the average."
    )
    reading: ClassVar[str] = lazy(
        "Few attackers know everything about a person, but two or three facts are easy to "
        "learn. An attacker who knows the columns in which a record is unique identifies it. "
        "Distinction is the number of distinct combinations divided by the number of "
        "records, separation the share of record pairs that differ; both are 1 for an "
        "identifier. Adding columns never makes records equal, so all columns together are "
        "the worst case."
    )
    source: ClassVar[str] = lazy("Motwani and Xu 2007")
    is_costly: ClassVar[bool] = True

    most_columns: int = param(
        3,
        Integer(
            minimum=1,
            maximum=10,
            label=N_("Up to"),
            help=N_("Largest number of columns known together; 3 is usual. Larger numbers take longer."),
            usual=(1, 2, 3),
        ),
    )
    target: str = param(
        _UNIQUES,
        Choice(
            label=N_("Sort by"),
            help=N_("Value by which column sets are sorted."),
            options=(
                (_UNIQUES, N_("Unique records")),
                (_DISTINCTION, N_("Distinction")),
                (_SEPARATION, N_("Separation")),
                (_HIGHEST, TITLE),
            ),
        ),
    )

    def run(self, subject: Subject, monitor: Monitor = SILENT) -> ColumnSubsetsFound:
        names = subject.quasi_identifying
        most = min(self.most_columns, len(names))
        n_sets = sum(comb(len(names), size) for size in range(1, most + 1))
        if n_sets > MOST_SETS:
            raise InputError(
                _("{n_sets} sets of up to {most} columns are too many to examine.").format(
                    n_sets=as_exact_count(n_sets), most=most
                ),
                hint=_("Choose fewer columns per set."),
            )
        classes, persons = subject.given_input.classes, subject.release.problem.repeated
        before = _Side(
            subject.given_input.table,
            classes.first,
            subject.input_records,
            None if persons is None else _rows(classes.labels, persons),
            PartMonitor(monitor, 0, 2),
        ).figures(names, most)
        after: list[tuple[tuple[str, ...], SetFigures]] | None = None
        kept = subject.kept
        if kept.any():
            labels = subject.release.labels[kept]
            _unused, first, labels = np.unique(labels, return_index=True, return_inverse=True)
            columns = (subject.released(name) for name in names)
            table = Table(tuple(column.take(kept) for column in columns if column is not None))
            sizes = records_by_code(labels, len(first), table.counts)
            rows = None if persons is None else _rows(labels, persons.some(np.flatnonzero(kept)))
            after = _Side(table, first, sizes, rows, PartMonitor(monitor, 1, 2)).figures(names, most)
        sets = [
            ColumnSet(columns, found, None if after is None else after[place][1])
            for place, (columns, found) in enumerate(before)
        ]
        known = []
        for size, group in groupby(sets, key=lambda s: len(s.columns)):
            alike = tuple(group)
            known.append(KnownColumns(size, alike, _sentence(size, alike, subject.counted)))
        return ColumnSubsetsFound(
            tuple(sorted(sets, key=lambda s: _badness(s, self.target))),
            tuple(known),
            subject.counted,
        )


def _rows(labels: IntArray, persons: Persons) -> ClassPersons:
    """Return class and person of the records, one row for each person with several, one for all others."""
    span = persons.n_codes
    keys, place = np.unique(labels * span + persons.codes, return_inverse=True)
    return ClassPersons(keys // span, keys % span, records_by_code(place, len(keys), persons.records))


class _Side:
    """Records of one side, counted by the kernels of detection, and by class for the rarest ones.

    `persons` has class and person of the records, if people may have several.
    """

    def __init__(
        self, table: Table, first: IntArray, records: Counts, persons: ClassPersons | None, monitor: Monitor
    ) -> None:
        self._table, self._first, self._records = table, first, records
        self._persons, self._monitor = persons, monitor

    def figures(self, names: Sequence[str], most: int) -> list[tuple[tuple[str, ...], SetFigures]]:
        """Return the values of every set of columns up to a size."""
        counting, finding = PartMonitor(self._monitor, 0, 2), PartMonitor(self._monitor, 1, 2)
        measured = list(detect(self._table, names, most, all_subsets=True, monitor=counting).subsets())
        codes = {name: self._table.column(name).codes[self._first] for name in names}
        spans = {name: len(self._table.column(name).labels) for name in names}
        found = []
        for done, figures in enumerate(measured):
            finding.step(done, len(measured), _("Finding the rarest combinations"))
            own = [codes[n] for n in figures.columns], [spans[n] for n in figures.columns]
            if self._persons is not None:
                people = _people(self._persons, *own)
                uniques, smallest = people.n_below(2), int(people.sizes[0])
                average = people.average_risk
            else:
                uniques, average = figures.singletons, figures.distinction
                smallest = 1 if uniques else self._smallest(*own)
            shares = (figures.distinct, figures.distinction, figures.separation)
            found.append((figures.columns, SetFigures(uniques, *shares, smallest, average)))
        return found

    def _smallest(self, codes: list[Codes], spans: list[int]) -> int:
        """Return the number of records of the rarest combination of some columns."""
        n_keys = 1
        for span in spans:
            n_keys *= span
        if n_keys <= _MOST_KEYS:
            keys = np.zeros(len(self._first), dtype=np.int64)
            for column, span in zip(codes, spans, strict=True):
                keys = keys * span + column
            counts = np.bincount(keys, weights=self._records)
            return int(counts[counts > 0].min())
        labels, _unused, _unused = class_labels(codes, spans)
        return int(np.bincount(labels, weights=self._records).min())


def _people(persons: ClassPersons, codes: list[Codes], spans: list[int]) -> PeopleBySize:
    """Return the people of a side by their rarest combination of some columns, given by class."""
    groups, _unused, records = class_labels(codes, spans)
    joined = ClassPersons(groups[persons.labels], persons.codes, persons.counts)
    sizes = persons_of_classes(joined.labels, joined.codes, joined.counts, len(records))
    return joined.by_size(sizes, np.ones(len(sizes), dtype=np.bool_))


def _badness(entry: ColumnSet, target: str) -> tuple[float, float, int]:
    after = 0.0 if entry.after is None else _value(entry.after, target)
    return -after, -_value(entry.before, target), len(entry.columns)


def _value(figures: SetFigures, target: str) -> float:
    match target:
        case "distinction":
            return figures.distinction
        case "separation":
            return figures.separation
        case "highest":
            return figures.highest
    return figures.n_uniques


def _sentence(n_columns: int, sets: Sequence[ColumnSet], noun: Noun) -> str:
    """Say what an attacker can do in the release with that many columns, by the worst set."""
    found = [(entry, entry.after) for entry in sets if entry.after is not None]
    if not found:
        return ngettext(
            "No kept record can be distinguished by one column.",
            "No kept record can be distinguished by {n} columns.",
            n_columns,
        ).format(n=as_number(n_columns))
    entry, worst = max(found, key=lambda pair: (pair[1].highest, pair[1].n_uniques))
    if worst.n_uniques:
        most, figures = max(found, key=lambda pair: pair[1].n_uniques)
        claim = either(
            noun,
            ngettext(
                "an attacker can identify up to {n} kept record with certainty ({columns})",
                "an attacker can identify up to {n} kept records with certainty ({columns})",
                figures.n_uniques,
            ),
            ngettext(
                "an attacker can identify up to {n} kept person with certainty ({columns})",
                "an attacker can identify up to {n} kept people with certainty ({columns})",
                figures.n_uniques,
            ),
        ).format(n=as_exact_count(figures.n_uniques), columns=listed(quoted(most.columns)))
    else:
        claim = either(
            noun,
            _(
                "an attacker can match no kept record with a certainty above {worst} (worst: {columns}); "
                "on average, {mean} of guesses are right"
            ),
            _(
                "an attacker can match no kept person with a certainty above {worst} (worst: {columns}); "
                "on average, {mean} of guesses are right"
            ),
        ).format(
            worst=as_chance(worst.smallest),
            columns=listed(quoted(entry.columns)),
            mean=as_risk(float(np.mean([figures.average for _unused, figures in found]))),
        )
    return ngettext(
        "Knowing only one column: {claim}.", "Knowing only {n} columns: {claim}.", n_columns
    ).format(n=as_number(n_columns), claim=claim)
