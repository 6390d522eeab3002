"""What somebody who knows only some of the quasi-identifying columns can do, before and after."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from math import comb
from typing import ClassVar

import numpy as np

from engine.analysis.base import Analysis, risk_analyses
from engine.analysis.risk.words import as_chance, as_count, as_number, as_percent, listed
from engine.analysis.subject import Subject
from engine.analysis.tables import FigureColumn, FigureTable
from engine.errors import InputError
from engine.kernels.arrays import Codes, Counts, IntArray
from engine.kernels.grouping import class_labels
from engine.monitor import SILENT, Monitor, PartMonitor
from engine.params import Choice, Integer, param
from engine.qi_detection.detect import SubsetFigures, detect
from engine.table import Table

MOST_SETS = 50_000  # a list of more is nothing a person would read
_MOST_KEYS = 1 << 20  # combinations up to which records are counted in an array of all
_UNIQUES, _DISTINCTION, _SEPARATION, _HIGHEST = "uniques", "distinction", "separation", "highest"


@dataclass(frozen=True, slots=True)
class SetFigures:
    """What a set of columns tells apart in one table.

    Attributes
    ----------
    n_uniques : int
        Records alone with their combination of values.
    n_distinct : int
        Different combinations.
    distinction : float
        Different combinations / records; also the average risk of a record for whoever knows the set.
    separation : float
        Share of the pairs of records that differ; 1 where there is one record, and so no pair.
    smallest : int
        Records of the rarest combination; the highest risk is one over it.
    """

    n_uniques: int
    n_distinct: int
    distinction: float
    separation: float
    smallest: int

    @property
    def highest(self) -> float:
        """Risk of the record easiest to find."""
        return 1 / self.smallest


@dataclass(frozen=True, slots=True)
class ColumnSet:
    """A set of columns, before and after.

    Attributes
    ----------
    columns : tuple of str
        In the order of the lattice's attributes.
    before : SetFigures
        Of the input, every record of it.
    after : SetFigures or None
        Of the kept records as they are released; None where nothing is kept.
    """

    columns: tuple[str, ...]
    before: SetFigures
    after: SetFigures | None


@dataclass(frozen=True)
class KnownColumns:
    """What somebody can do who knows a number of columns, whichever they are.

    Attributes
    ----------
    n_columns, n_sets : int
        How many are known, and how many sets of so many there are.
    worst_before, worst_after : ColumnSet or None
        The set by which the average risk is highest; None where nothing is kept.
    most_uniques_before, most_uniques_after : int
        Records alone by the set that tells most apart.
    mean_uniques_before, mean_uniques_after : float
        Mean over the sets.
    highest_before, highest_after : float or None
        Risk of the record easiest to find, by the set that finds it.
    mean_risk_before, mean_risk_after : float or None
        Average risk of a record, mean over the sets.
    sentence : str
    """

    n_columns: int
    n_sets: int
    worst_before: ColumnSet
    worst_after: ColumnSet | None
    most_uniques_before: int
    most_uniques_after: int
    mean_uniques_before: float
    mean_uniques_after: float
    highest_before: float
    highest_after: float | None
    mean_risk_before: float
    mean_risk_after: float | None
    sentence: str


@dataclass(frozen=True)
class ColumnSubsetsFound:
    """Sets of quasi-identifying columns.

    Attributes
    ----------
    sets : tuple of ColumnSet
        Those that tell most of the release apart first, by the figure that was asked for, then of the
        input, then the smaller ones.
    known : tuple of KnownColumns
        For one known column, two, ...
    n_records, n_kept : int
    """

    sets: tuple[ColumnSet, ...]
    known: tuple[KnownColumns, ...]
    n_records: int
    n_kept: int

    def tables(self) -> tuple[FigureTable, ...]:
        """What is done with so many columns, and every set."""
        known = tuple(
            (
                k.n_columns,
                k.n_sets,
                k.most_uniques_before,
                k.most_uniques_after,
                k.mean_uniques_before,
                k.mean_uniques_after,
                k.highest_before,
                k.highest_after,
                k.mean_risk_before,
                k.mean_risk_after,
            )
            for k in self.known
        )
        rows = []
        for entry in self.sets:
            before, after = entry.before, entry.after
            rows.append(
                (
                    ", ".join(entry.columns),
                    len(entry.columns),
                    before.n_uniques,
                    None if after is None else after.n_uniques,
                    before.distinction,
                    None if after is None else after.distinction,
                    before.separation,
                    None if after is None else after.separation,
                    before.highest,
                    None if after is None else after.highest,
                )
            )
        return (
            FigureTable("known_columns", "What few columns tell", _KNOWN_COLUMNS, known),
            FigureTable("column_sets", "Combinations of columns", _SET_COLUMNS, tuple(rows)),
        )


_UNIQUE_WORDS = "Records that no other has the same values as, in these columns."
_RISK_WORDS = "One over the records that share the rarest combination."
_KNOWN_COLUMNS = (
    FigureColumn("n_columns", "Known columns"),
    FigureColumn("n_sets", "Sets", explanation="Ways to choose so many columns."),
    FigureColumn("most_uniques_input", "Most unique, input", "records", _UNIQUE_WORDS),
    FigureColumn("most_uniques_release", "Most unique, release", "records", _UNIQUE_WORDS),
    FigureColumn("mean_uniques_input", "Unique on average, input", "records", "Mean over the sets."),
    FigureColumn("mean_uniques_release", "Unique on average, release", "records", "Mean over the sets."),
    FigureColumn("highest_input", "Highest risk, input", explanation=_RISK_WORDS, is_share=True),
    FigureColumn("highest_release", "Highest risk, release", explanation=_RISK_WORDS, is_share=True),
    FigureColumn(
        "mean_risk_input", "Average risk, input", explanation="Mean over records and sets.", is_share=True
    ),
    FigureColumn(
        "mean_risk_release", "Average risk, release", explanation="Mean over records and sets.", is_share=True
    ),
)
_DISTINCTION_WORDS = "Different combinations by records: the share somebody who guesses all would find."
_SEPARATION_WORDS = "Share of the pairs of records that the columns tell apart."
_SET_COLUMNS = (
    FigureColumn("columns", "Columns"),
    FigureColumn("n_columns", "Number of columns"),
    FigureColumn("uniques_input", "Unique, input", "records", _UNIQUE_WORDS),
    FigureColumn("uniques_release", "Unique, release", "records", _UNIQUE_WORDS),
    FigureColumn("distinction_input", "Distinction, input", explanation=_DISTINCTION_WORDS, is_share=True),
    FigureColumn(
        "distinction_release", "Distinction, release", explanation=_DISTINCTION_WORDS, is_share=True
    ),
    FigureColumn("separation_input", "Separation, input", explanation=_SEPARATION_WORDS, is_share=True),
    FigureColumn("separation_release", "Separation, release", explanation=_SEPARATION_WORDS, is_share=True),
    FigureColumn("highest_input", "Highest risk, input", explanation=_RISK_WORDS, is_share=True),
    FigureColumn("highest_release", "Highest risk, release", explanation=_RISK_WORDS, is_share=True),
)


@risk_analyses.register("column_subsets")
@dataclass(frozen=True, slots=True)
class ColumnSubsets(Analysis):
    """Measure how well sets of columns tell records apart [1]_, in the input and as they are released.

    References
    ----------
    .. [1] Motwani, Xu (2007). Efficient Algorithms for Masking and Finding Quasi-Identifiers. VLDB Workshop
       on Secure Data Management.
    """

    title: ClassVar[str] = "Combinations of columns"
    summary: ClassVar[str] = (
        "What an attacker can do who knows only one, two or three of the columns, by the set that is worst "
        "and on average."
    )
    reading: ClassVar[str] = (
        "Few people know everything about somebody; two or three facts are soon known. A record that is "
        "unique by a set of columns is found by whoever knows these. Distinction is the number of different "
        "combinations by records, separation the share of pairs of records that differ: both are 1 for an "
        "identifier. Adding columns never joins records, so that all columns together are the worst case."
    )
    source: ClassVar[str] = "Motwani and Xu 2007"
    is_costly: ClassVar[bool] = True

    most_columns: int = param(
        3,
        Integer(
            minimum=1,
            maximum=10,
            label="Up to",
            help="Largest number of columns known together; 3 is usual. More take longer.",
            usual=(1, 2, 3),
        ),
    )
    target: str = param(
        _UNIQUES,
        Choice(
            label="Worst by",
            help="What sets are sorted by.",
            options=(
                (_UNIQUES, "Unique records"),
                (_DISTINCTION, "Distinction"),
                (_SEPARATION, "Separation"),
                (_HIGHEST, "Highest risk"),
            ),
        ),
    )

    def run(self, subject: Subject, monitor: Monitor = SILENT) -> ColumnSubsetsFound:
        """See `Analysis.run`."""
        names = subject.quasi_identifying
        most = min(self.most_columns, len(names))
        n_sets = sum(comb(len(names), size) for size in range(1, most + 1))
        if n_sets > MOST_SETS:
            raise InputError(
                f"{n_sets:,} sets of up to {most} columns are too many to look at.",
                hint="Choose fewer columns in a set.",
            )
        classes = subject.given_input.classes
        before = _Side(
            subject.given_input.table, classes.first, classes.measured.records, PartMonitor(monitor, 0, 2)
        ).figures(names, most)
        after: list[tuple[SubsetFigures, int]] | None = None
        kept = subject.kept
        if kept.any():
            labels = subject.release.labels[kept]
            _, first, sizes = np.unique(labels, return_index=True, return_counts=True)
            columns = (subject.released(name) for name in names)
            table = Table(tuple(column.take(kept) for column in columns if column is not None))
            after = _Side(table, first, sizes, PartMonitor(monitor, 1, 2)).figures(names, most)
        sets = [
            ColumnSet(
                found.columns,
                _figures(found, smallest),
                None if after is None else _figures(*after[place]),
            )
            for place, (found, smallest) in enumerate(before)
        ]
        known = tuple(
            _known(size, list(group)) for size, group in groupby(sets, key=lambda s: len(s.columns))
        )
        return ColumnSubsetsFound(
            tuple(sorted(sets, key=lambda s: _badness(s, self.target))),
            known,
            subject.n_records,
            int(kept.sum()),
        )


class _Side:
    """The records of one side: counted by the kernels of detection, and by class for the rarest ones."""

    def __init__(self, table: Table, first: IntArray, sizes: Counts, monitor: Monitor) -> None:
        self._table, self._first, self._sizes, self._monitor = table, first, sizes, monitor

    def figures(self, names: Sequence[str], most: int) -> list[tuple[SubsetFigures, int]]:
        """Figures of every set up to a size, with the records of its rarest combination."""
        counting, finding = PartMonitor(self._monitor, 0, 2), PartMonitor(self._monitor, 1, 2)
        measured = list(detect(self._table, names, most, all_subsets=True, monitor=counting).subsets())
        codes = {name: self._table.column(name).codes[self._first] for name in names}
        spans = {name: len(self._table.column(name).labels) for name in names}
        found = []
        for done, figures in enumerate(measured):
            finding.step(done, len(measured), "Finding the rarest combinations")
            smallest = 1
            if not figures.singletons:
                smallest = self._smallest(
                    [codes[n] for n in figures.columns], [spans[n] for n in figures.columns]
                )
            found.append((figures, smallest))
        return found

    def _smallest(self, codes: list[Codes], spans: list[int]) -> int:
        """Records of the rarest combination of some columns."""
        n_keys = 1
        for span in spans:
            n_keys *= span
        if n_keys <= _MOST_KEYS:
            keys = np.zeros(len(self._first), dtype=np.int64)
            for column, span in zip(codes, spans, strict=True):
                keys = keys * span + column
            counts = np.bincount(keys, weights=self._sizes)
            return int(counts[counts > 0].min())
        labels, _, _ = class_labels(codes, spans)
        return int(np.bincount(labels, weights=self._sizes).min())


def _figures(found: SubsetFigures, smallest: int) -> SetFigures:
    return SetFigures(found.singletons, found.distinct, found.distinction, found.separation, smallest)


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


def _known(n_columns: int, sets: list[ColumnSet]) -> KnownColumns:
    before = [entry.before for entry in sets]
    after = [entry.after for entry in sets if entry.after is not None]
    worst_before = max(sets, key=lambda s: s.before.distinction)
    worst_after = max(sets, key=lambda s: s.after.distinction if s.after else 0.0) if after else None
    return KnownColumns(
        n_columns,
        len(sets),
        worst_before,
        worst_after,
        max(figures.n_uniques for figures in before),
        max((figures.n_uniques for figures in after), default=0),
        float(np.mean([figures.n_uniques for figures in before])),
        float(np.mean([figures.n_uniques for figures in after])) if after else 0.0,
        max(figures.highest for figures in before),
        max((figures.highest for figures in after), default=None),
        float(np.mean([figures.distinction for figures in before])),
        float(np.mean([figures.distinction for figures in after])) if after else None,
        _sentence(n_columns, sets),
    )


def _sentence(n_columns: int, sets: list[ColumnSet]) -> str:
    """What somebody can do in the release with so many columns, by the set that finds the rarest record."""
    known = "one column" if n_columns == 1 else f"{as_number(n_columns)} columns"
    found = [(entry, entry.after) for entry in sets if entry.after is not None]
    if not found:
        return f"No record is kept that {known} could tell apart."
    entry, worst = max(found, key=lambda pair: (pair[1].highest, pair[1].n_uniques))
    names = listed(entry.columns)
    if worst.n_uniques:
        most, figures = max(found, key=lambda pair: pair[1].n_uniques)
        records = "record" if figures.n_uniques == 1 else "records"
        return (
            f"Who knows only {known} can be certain of up to {as_count(figures.n_uniques)} kept {records} "
            f"({listed(most.columns)})."
        )
    mean = float(np.mean([figures.distinction for _, figures in found]))
    return (
        f"Who knows only {known} can match no kept record with more than {as_chance(worst.smallest)} "
        f"certainty, at worst by {names}; on average a guess is right with {as_percent(mean)}."
    )
