"""Groups that lose a larger share of their records by suppression than others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar, Self

import numpy as np

from engine.findings.base import Analysis, risk_analyses
from engine.findings.blocks import SHARE, Block, FigureColumn, FigureTable, Findings, Statement, Tone
from engine.findings.risk.bins import Bins, bins_of
from engine.findings.subject import Subject
from engine.findings.words import with_left_out
from engine.frequency.counted import PEOPLE, RECORDS, Noun, either
from engine.frequency.persons import Persons, people_of_classes
from engine.kernels.arrays import BoolArray, Counts, IntArray
from engine.kernels.grouping import class_labels
from engine.monitor import SILENT, Monitor
from engine.numbers import as_decimal, as_exact_count, as_risk
from engine.params import Integer, param
from engine.records import Column, Role
from engine.words import N_, _, lazy, ngettext

_MOST_KEYS = 1 << 22  # up to this many pairs of values, records are counted in an array of all
_MOST_VALUES = 50  # values of a column that form groups individually


@dataclass(frozen=True)
class SuppressedGroup:
    """Group of records with a value in one column, or values in two; or of people with such records.

    Attributes
    ----------
    columns : tuple of str
        One or two columns.
    values : tuple of str
        Values of the input, or ranges of them.
    n_records, n_suppressed : int
        Records of the input and suppressed ones; or people with such a record, and those who lose one.
    share : float
        Suppressed / records of the group.
    lift : float
        Share divided by the share over all records; 2 means twice as often.
    """

    columns: tuple[str, ...]
    values: tuple[str, ...]
    n_records: int
    n_suppressed: int
    share: float
    lift: float

    @property
    def text(self) -> str:
        """Group in words: race Black, sex (missing)."""
        return ", ".join(f"{name} {word}" for name, word in zip(self.columns, self.words, strict=True))

    @property
    def named(self) -> tuple[str, ...]:
        """Each column followed by its value."""
        return tuple(part for pair in zip(self.columns, self.words, strict=True) for part in pair)

    @property
    def words(self) -> tuple[str, ...]:
        """The values, and a word for a missing one."""
        return tuple(value or _("(missing)") for value in self.values)


@dataclass(frozen=True)
class SuppressedGroupsFound(Findings):
    """Groups that lose most.

    Attributes
    ----------
    n_records, n_suppressed : int
        Records of the input and suppressed ones; or people, and those who lose a record.
    share : float
        Suppressed / all records, or people.
    least_records : int
        Smallest size of an examined group, in records or people.
    single : tuple of SuppressedGroup
        Groups by one value with a share above that of all records, the largest share first.
    pairs : tuple of SuppressedGroup
        Groups by two values with a share above those of both groups by one value.
    counted : Noun
        What is counted: records, or people, who may have several.
    left_out : tuple of str
        Columns that are not counted together with others.
    """

    n_records: int
    n_suppressed: int
    share: float
    least_records: int
    single: tuple[SuppressedGroup, ...]
    pairs: tuple[SuppressedGroup, ...]
    sentence: str
    counted: Noun = RECORDS
    left_out: tuple[str, ...] = ()

    def statement(self) -> Statement:
        caption = self.counted.said(_("groups of at least {n} {records}"))
        caption = caption.format(n=self.least_records)
        return Statement(self.sentence, caption=with_left_out(caption, self.left_out))

    def blocks(self) -> tuple[Block, ...]:
        """Return the groups by one value, and by two."""
        return (
            self._table("suppressed_groups", _("Groups by one column"), _FIRST, self.single),
            self._table("suppressed_pairs", _("Groups by two columns"), (*_FIRST, *_SECOND), self.pairs),
        )

    def _table(
        self, key: str, title: str, named: tuple[FigureColumn, ...], groups: tuple[SuppressedGroup, ...]
    ) -> FigureTable:
        rows = tuple((*group.named, *_row(group, self.share)) for group in groups)
        columns = (*named, *_columns(self.counted))
        return FigureTable(key, title, columns, rows, tones=tuple(map(_tone, groups)))


_TWICE = 2.0


def _tone(group: SuppressedGroup) -> Tone:
    """Return a warning for a group that loses at least twice as many as all."""
    return "warn" if group.lift >= _TWICE else "text"


_FIRST = (FigureColumn("column", N_("Column")), FigureColumn("value", N_("Value")))
_SECOND = (FigureColumn("column_2", N_("Second column")), FigureColumn("value_2", N_("Second value")))


def _columns(counted: Noun) -> tuple[FigureColumn, ...]:
    many = counted.unit
    of_group = _("Records of the input in the group.")
    lost, meaning = _("Suppressed"), _("Records of the group that are not released.")
    if counted is PEOPLE:
        of_group = _("People with a record of the input in the group.")
        lost, meaning = _("Lose one"), _("People who lose a record of the group.")
    return (
        FigureColumn("n_records", counted.many.capitalize(), many, of_group),
        FigureColumn("n_suppressed", lost, many, meaning),
        FigureColumn(
            "share",
            _("Share"),
            SHARE,
            counted.said(_("Of the {records} of the group.")),
        ),
        FigureColumn(
            "share_of_all",
            counted.said(_("Of all {records}")),
            SHARE,
            counted.said(_("The same over all {records}.")),
        ),
        FigureColumn(
            "lift",
            _("Relative frequency"),
            explanation=counted.said(_("Share of the group divided by that of all {records}.")),
            look="times",
        ),
    )


def _row(group: SuppressedGroup, share: float) -> tuple[int | float, ...]:
    return group.n_records, group.n_suppressed, group.share, share, group.lift


@risk_analyses.register("suppressed_groups")
@dataclass(frozen=True, slots=True)
class SuppressedGroups(Analysis):
    """Count suppressed records by values of each column and pair of columns, identifying ones excluded.

    With a person column, people with a record in a group are counted, and those who lose such a record;
    over all records, those who lose any.
    """

    title: ClassVar[str] = lazy("Who is suppressed")
    summary: ClassVar[str] = lazy(
        "Groups that lose more of their records than others and are underrepresented in the release."
    )
    reading: ClassVar[str] = lazy(
        "Suppression removes rare records, so small groups lose more: a release may show "
        "little about a minority, or something wrong. Mention a group that loses twice as "
        "often as all records to the recipients; another hierarchy, or local recoding of "
        "suppressed records, may recover it. Small groups are excluded because their shares "
        "mean little. If a column identifies people, those who lose a record of a group are "
        "counted among those who have one."
    )
    is_costly: ClassVar[bool] = True
    combines_columns: ClassVar[bool] = True
    report_place: ClassVar[int | None] = 91  # after the numbers of suppressed records
    public_words: ClassVar[str] = lazy(
        "Withheld in the public report, because it would describe small groups of the input."
    )

    most: int = param(
        20,
        Integer(
            minimum=1,
            maximum=10_000,
            label=N_("Groups listed"),
            help=N_("Groups that lose most, by one column and by two."),
            usual=(10, 20, 50),
        ),
    )
    least_records: int = param(
        20,
        Integer(
            minimum=1,
            maximum=1_000_000_000,
            label=N_("Smallest group"),
            help=N_("Smallest number of records, or people, in a group; smaller shares mean little."),
            usual=(10, 20, 100),
        ),
    )

    @classmethod
    def of_report(cls, subject: Subject) -> Mapping[str, Self]:
        return {"": cls()} if subject.release.n_suppressed else {}

    def run(self, subject: Subject, monitor: Monitor = SILENT) -> SuppressedGroupsFound:
        losing = _Losing(subject.release.suppressed, subject.release.problem.repeated)
        n_records, n_suppressed = losing.total
        share = n_suppressed / n_records
        columns = [
            column
            for column in subject.input.columns
            if subject.project.role(column.name) is not Role.IDENTIFYING
        ]
        n_steps = len(columns) + len(columns) * (len(columns) - 1) // 2
        singles: list[SuppressedGroup] = []
        grouped: list[_Grouped] = []
        for done, column in enumerate(columns):
            monitor.step(done, n_steps, _("Counting suppressed records by {name}").format(name=column.name))
            found = _Grouped.of(column, losing, self.least_records)
            grouped.append(found)
            singles += found.groups(share)
        pairs: list[SuppressedGroup] = []
        if n_suppressed:
            for done, (first, second) in enumerate(combinations(grouped, 2)):
                monitor.step(
                    len(columns) + done,
                    n_steps,
                    _("Counting suppressed records by {name} and {name_2}").format(
                        name=first.name, name_2=second.name
                    ),
                )
                pairs += _pairs(first, second, losing, self.least_records, share)
                pairs = sorted(pairs, key=_place)[: self.most]
        single = tuple(sorted(singles, key=_place)[: self.most])
        return SuppressedGroupsFound(
            n_records,
            n_suppressed,
            share,
            self.least_records,
            single,
            tuple(pairs),
            _sentence(n_suppressed, n_records, single, subject.counted),
            subject.counted,
            subject.uncounted,
        )


def _place(group: SuppressedGroup) -> tuple[float, int, tuple[str, ...], tuple[str, ...]]:
    return -group.share, -group.n_records, group.columns, group.values


@dataclass(frozen=True, eq=False)
class _Losing:
    """Suppressed records, and the person of each; None if every record is another person."""

    suppressed: BoolArray
    persons: Persons | None

    def counts(self, keys: IntArray, n_keys: int) -> tuple[Counts, Counts]:
        """Return the size of each key's group, and its suppressed part; both of shape (n_keys,)."""
        lost = np.flatnonzero(self.suppressed)
        losers = None if self.persons is None else self.persons.some(lost)
        keys = keys.astype(np.int64, copy=False)
        return people_of_classes(keys, self.persons, n_keys), people_of_classes(keys[lost], losers, n_keys)

    @property
    def total(self) -> tuple[int, int]:
        """Return the same for all records."""
        every, lost = self.counts(np.zeros(len(self.suppressed), dtype=np.int64), 1)
        return int(every[0]), int(lost[0])


@dataclass(frozen=True, eq=False)
class _Grouped:
    """Column with its records by groups that are large enough.

    Attributes
    ----------
    codes : ndarray of int32, shape (n_records,)
        Group per record; `n_groups` for records of groups that are too small.
    sizes, n_suppressed : ndarray of int64, shape (n_groups,)
    """

    name: str
    labels: tuple[str, ...]
    codes: IntArray
    sizes: Counts
    n_suppressed: Counts

    @classmethod
    def of(cls, column: Column, losing: _Losing, least: int) -> _Grouped:
        """Group the records by the values of a column, or by ranges of many numbers."""
        bins = _bins(column)
        codes = bins.codes[column.codes]
        sizes, gone = losing.counts(codes, len(bins.bins))
        is_group = np.array([entry.ends is not None or not entry.is_range for entry in bins.bins])
        large = np.flatnonzero((sizes >= least) & is_group)
        places = np.full(len(bins.bins), len(large), dtype=np.int64)
        places[large] = np.arange(len(large))
        labels = tuple(bins.bins[code].label for code in large.tolist())
        return cls(column.name, labels, places[codes], sizes[large], gone[large])

    def groups(self, share: float) -> list[SuppressedGroup]:
        """Return the groups with a share above that of all records."""
        return [
            SuppressedGroup((self.name,), (label,), size, gone, gone / size, gone / size / share)
            for label, size, gone in zip(
                self.labels, self.sizes.tolist(), self.n_suppressed.tolist(), strict=True
            )
            if gone and gone / size > share
        ]


def _bins(column: Column) -> Bins:
    """Return single categories, or ranges of many numbers."""
    is_number = not np.isnan(column.numbers[: len(column.labels) - column.has_missing]).any()
    return bins_of(column) if is_number else bins_of(column, _MOST_VALUES)


def _pairs(
    first: _Grouped, second: _Grouped, losing: _Losing, least: int, share: float
) -> list[SuppressedGroup]:
    """Return groups by two values with a share above those of both single groups and of all records."""
    n_first, n_second = len(first.labels), len(second.labels)
    if not n_first or not n_second:
        return []
    if (n_first + 1) * (n_second + 1) <= _MOST_KEYS:
        keys = first.codes * (n_second + 1) + second.codes
        n_keys = (n_first + 1) * (n_second + 1)
        places = np.arange(n_keys)
    else:
        keys, rows, _unused = class_labels([first.codes, second.codes], [n_first + 1, n_second + 1])
        places = first.codes[rows] * (n_second + 1) + second.codes[rows]
        n_keys = len(rows)
    sizes, gone = losing.counts(keys, n_keys)
    found = []
    for key in np.flatnonzero((sizes >= least) & (gone > 0)).tolist():
        a, b = divmod(int(places[key]), n_second + 1)
        if a == n_first or b == n_second:
            continue
        n_records, n_gone = int(sizes[key]), int(gone[key])
        own = n_gone / n_records
        others = (first.n_suppressed[a] / first.sizes[a], second.n_suppressed[b] / second.sizes[b], share)
        if own > max(others):
            names, values = (first.name, second.name), (first.labels[a], second.labels[b])
            found.append(SuppressedGroup(names, values, n_records, n_gone, own, own / share))
    return found


def _sentence(n_suppressed: int, n_records: int, single: tuple[SuppressedGroup, ...], counted: Noun) -> str:
    if not n_suppressed:
        return _("No record is suppressed.")
    share = as_risk(n_suppressed / n_records)
    text = either(
        counted,
        ngettext(
            "{n} of {total} records is suppressed ({share})",
            "{n} of {total} records are suppressed ({share})",
            n_suppressed,
        ),
        ngettext(
            "{n} of {total} people loses a record ({share})",
            "{n} of {total} people lose a record ({share})",
            n_suppressed,
        ),
    ).format(n=as_exact_count(n_suppressed), total=as_exact_count(n_records), share=share)
    if n_suppressed == n_records and counted is RECORDS:
        return _("{text}: the release contains no one.").format(text=text)
    if not single:
        return _("{text}; no group of sufficient size loses more than others.").format(text=text)
    most = single[0]
    return _("{text}; of {text_2} it is {share}, {lift} times as often.").format(
        text=text, text_2=most.text, share=as_risk(most.share), lift=as_decimal(most.lift, 1)
    )
