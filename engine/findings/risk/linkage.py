"""Linkage of a second table about people with the input and with the release."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from engine.errors import InputError, nearest
from engine.findings.blocks import (
    SHARE,
    Block,
    Chart,
    FigureColumn,
    FigureTable,
    Findings,
    Paragraph,
    Series,
    Statement,
)
from engine.findings.risk.link_columns import LinkColumn, input_column, release_column
from engine.findings.sample import Sample, sampled
from engine.findings.subject import Subject
from engine.findings.words import listed, quoted
from engine.frequency.counted import RECORDS, Noun, either
from engine.kernels.arrays import BoolArray, Counts, IntArray
from engine.kernels.grouping import class_keys, class_labels, run_starts
from engine.monitor import SILENT, Monitor, PartMonitor
from engine.numbers import as_exact_count, as_risk
from engine.recoding.transformation import KEPT
from engine.records import Role, Table
from engine.records.column_selection import by_value
from engine.words import N_, _, ngettext


@dataclass(frozen=True)
class LinkCounts:
    """Number of people of the second table by the records that they match.

    Attributes
    ----------
    n_one_record : int
        Exactly one record, or records of one person only: these people are re-identified.
    n_one_class : int
        Several records of one class, whose common values are learned.
    n_several : int
        Records of several classes.
    """

    n_one_record: int
    n_one_class: int
    n_several: int
    n_none: int

    @property
    def n_people(self) -> int:
        """Total number of people."""
        return self.n_one_record + self.n_one_class + self.n_several + self.n_none

    @property
    def share_one_record(self) -> float:
        """Share of the people who are re-identified."""
        return self.n_one_record / self.n_people


@dataclass(frozen=True, eq=False)
class LinkageFound(Findings):
    """Matches of a second table in input and release.

    Attributes
    ----------
    pairs : tuple of (str, str)
        Compared columns: of the input, and of the second table.
    left_out : tuple of (str, str)
        Columns of the input that cannot be compared in the release, with the reason.
    n_people : int
        Rows of the second table.
    before, after : LinkCounts
        Counts by all records of the input, and by the kept records as released.
    matches_before, matches_after : ndarray of int64, shape (n_people,)
        Number of records that match each row of the second table.
    classes_after : ndarray of int64, shape (n_people,)
        Class of all matches, as `Release.labels`; -1 for no match, -2 for several classes.
    counted : Noun
        If people, matches of several records of one person count as re-identification.
    sample : Sample or None
        Linked records among those of the table; None if they are all.
    """

    pairs: tuple[tuple[str, str], ...]
    left_out: tuple[tuple[str, str], ...]
    n_people: int
    before: LinkCounts
    after: LinkCounts
    matches_before: Counts
    matches_after: Counts
    classes_after: IntArray
    sentence: str
    counted: Noun = RECORDS
    sample: Sample | None = None

    @property
    def detail(self) -> str:
        """Compared columns, and columns that cannot be compared in the release, in words."""
        pairs = ", ".join(
            quoted([own])[0]
            if own == theirs
            else _("'{column}' with '{other}'").format(column=own, other=theirs)
            for own, theirs in self.pairs
        )
        n_people = as_exact_count(self.n_people)
        if self.sample is not None:
            pairs = f"{pairs} · {self.sample.words()}"
        if not self.left_out:
            return _("{n} people, compared by {pairs}. People of the second table, before and after:").format(
                n=n_people, pairs=pairs
            )
        reasons = "; ".join(
            _("'{name}': {reason}").format(name=name, reason=reason) for name, reason in self.left_out
        )
        return _(
            "{n} people, compared by {pairs}. People of the second table, before and after. The release "
            "cannot "
            "be compared by {reasons}."
        ).format(n=n_people, pairs=pairs, reasons=reasons)

    def statement(self) -> Statement:
        return Statement(self.sentence, caption="" if self.sample is None else self.sample.words())

    def blocks(self) -> tuple[Block, ...]:
        """Return the counts before and after, and the compared columns."""
        columns = _columns(self.counted)
        rows = tuple(
            (side, *(getattr(found, column.key) for column in columns[1:]))
            for side, found in (("input", self.before), ("release", self.after))
        )
        reasons = dict(self.left_out)
        compared = tuple((own, theirs, reasons.get(own, _("compared"))) for own, theirs in self.pairs)
        return (
            Paragraph(self.detail),
            self._chart(columns),
            FigureTable("linkage", _("Linkage with a second table"), columns, rows, is_listed=False),
            FigureTable(
                "linkage_columns",
                _("Columns compared"),
                _PAIR_COLUMNS,
                compared,
                is_listed=bool(self.left_out),
            ),
        )

    def _chart(self, columns: tuple[FigureColumn, ...]) -> Chart:
        outcomes = [column for column in columns if column.key in _OUTCOMES]
        counts = [[getattr(side, one.key) for one in outcomes] for side in (self.before, self.after)]
        captions = (
            " / ".join(as_risk(n / self.n_people) for n in pair) for pair in zip(*counts, strict=True)
        )
        return Chart(
            "outcomes",
            _("Linkage with a second table"),
            "rows",
            _("people of the second table"),
            _("Matches"),
            (
                Series(_("input"), tuple(counts[0]), "input"),
                Series(_("release"), tuple(counts[1]), "release"),
            ),
            tuple(one.title for one in outcomes),
            captions=tuple(captions),
            explanations=tuple(one.explanation for one in outcomes),
        )


def _columns(counted: Noun) -> tuple[FigureColumn, ...]:
    alike = _("They are not identified, but what these records have in common is learned.")
    none = _("They are not in the table, their record is suppressed, or a value is written differently.")
    return (
        FigureColumn(
            "side", _("Table"), explanation=_("The input, or the release without its suppressed records.")
        ),
        FigureColumn(
            "n_one_record",
            either(counted, _("Exactly one record"), _("Exactly one person")),
            "people",
            _("They are re-identified."),
        ),
        FigureColumn(
            "n_one_class",
            counted.said(_("Several equal {records}")),
            "people",
            alike,
        ),
        FigureColumn(
            "n_several", _("Records of several classes"), "people", _("A guess among different records.")
        ),
        FigureColumn("n_none", _("No record"), "people", none),
        FigureColumn("n_people", _("People"), "people", _("Rows of the second table.")),
        FigureColumn(
            "share_one_record",
            _("Share found"),
            SHARE,
            either(
                counted,
                _("People who match exactly one record, divided by people."),
                _("People who match exactly one person, divided by people."),
            ),
        ),
    )


_OUTCOMES = ("n_one_record", "n_one_class", "n_several", "n_none")
_PAIR_COLUMNS = (
    FigureColumn("column", N_("Column")),
    FigureColumn("other", N_("Of the second table")),
    FigureColumn(
        "release", N_("In the release"), explanation=N_("Whether the release can be compared by this column.")
    ),
)
TITLE = N_("Linkage test")
SUMMARY = N_("Number of people of a second table that match exactly one record, before and after.")
READING = N_(
    "An attacker with a table of names looks for matching records; in the release, a "
    "label matches every value it covers. A person is re-identified if exactly "
    "one record matches, unless the person is not in the table and the match is false. "
    "Several records of one class still reveal what they have in common. If a column "
    "identifies the persons of records, a person is re-identified if all matching "
    "records belong to one person. No match does not prove absence: values may be written or coded "
    "differently. Numbers are equal regardless of their form, such as 1 and 1.0."
)


def common_columns(subject: Subject, other: Table) -> dict[str, str]:
    """Return pairs of equal names, regardless of case; quasi-identifying columns first."""
    theirs = {name.strip().casefold(): name for name in reversed(other.names)}
    names = (
        *subject.quasi_identifying,
        *(name for name in subject.listed if name not in subject.quasi_identifying),
    )
    return {name: theirs[key] for name in names if (key := name.strip().casefold()) in theirs}


def link(subject: Subject, other: Table, pairs: Mapping[str, str], monitor: Monitor = SILENT) -> LinkageFound:
    """Link a second table, one row per person, with the input and with the kept records.

    Parameters
    ----------
    pairs : mapping of str to str
        Column of the second table by column of the input.

    Raises
    ------
    InputError
        No columns are paired, one does not exist or is paired twice, or the second table has no rows.

    Notes
    -----
    A released label matches all values of its group, an interval the values between its ends, a set its
    members. Other aggregates, hidden cells and replaced identifiers match every value, so they are not
    compared. Other columns match by equal values. Suppressed records match only people without a kept match,
    by their unchanged columns.
    """
    _refuse(subject, other, pairs)
    subject, sample = sampled(subject, monitor=monitor)
    names = list(pairs)
    monitor.step(0, 2, _("Counting classes of the input"))
    table = by_value(subject.input, names)
    before = joined_by_equality(
        [input_column(table.column(own), other.column(theirs)) for own, theirs in pairs.items()],
        np.arange(subject.n_records),
        subject.input_labels,
        _persons(subject),
        other.n_records,
        PartMonitor(monitor, 0, 2),
    )
    after, left_out = _of_release(subject, other, pairs, PartMonitor(monitor, 1, 2))
    found_before, found_after = _counted(before), _counted(after)
    return LinkageFound(
        tuple(pairs.items()),
        tuple(left_out.items()),
        other.n_records,
        found_before,
        found_after,
        before.n_records,
        after.n_records,
        np.where(after.n_records == 0, -1, np.where(after.lowest == after.highest, after.lowest, -2)),
        _sentence(found_before, found_after, names, left_out, subject.counted),
        subject.counted,
        None if sample.is_whole else sample,
    )


def _refuse(subject: Subject, other: Table, pairs: Mapping[str, str]) -> None:
    if not other.n_records:
        raise InputError(
            _("The second table has no rows."), hint=_("It needs one row per person searched for.")
        )
    if not pairs:
        proposed = listed(list(common_columns(subject, other)))
        raise InputError(
            _("No columns are paired, so the two tables cannot be linked."),
            hint=_("Pair columns that correspond, such as {proposed}.").format(proposed=proposed)
            if proposed
            else _("The second table has no column with the same name: pair two that correspond."),
        )
    for own, theirs in pairs.items():
        if own not in subject.listed:
            raise InputError(
                _("The input has no column '{own}'.").format(own=own),
                hint=nearest(own, subject.listed),
                column=own,
            )
        if theirs not in other.names:
            raise InputError(
                _("The second table has no column '{theirs}'.").format(theirs=theirs),
                hint=nearest(theirs, other.names),
                column=theirs,
            )
    twice = [theirs for theirs in pairs.values() if list(pairs.values()).count(theirs) > 1]
    if twice:
        raise InputError(
            _("The column '{twice}' of the second table is paired twice.").format(twice=twice[0]),
            hint=_("Compare each column with one other."),
            column=twice[0],
        )


def _of_release(
    subject: Subject, other: Table, pairs: Mapping[str, str], monitor: Monitor
) -> tuple[Matches, dict[str, str]]:
    """Return the matches in the release, and the columns that cannot be compared."""
    release, people, persons = subject.release, other.n_records, _persons(subject)
    columns: dict[str, LinkColumn] = {}
    left_out: dict[str, str] = {}
    kept = np.flatnonzero(subject.kept)
    for done, (own, theirs) in enumerate(pairs.items()):
        monitor.step(done, 3 * len(pairs), _("Reading labels"))
        found = release_column(subject, own, other.column(theirs))
        if isinstance(found, str):
            left_out[own] = found
        else:
            columns[own] = found
    chosen = list(columns.values())
    if len(kept) and chosen:
        join = joined_by_equality if all(column.is_one_to_one for column in chosen) else joined_by_cover
        matches = join(chosen, kept, release.labels, persons, people, PartMonitor(monitor, 1, 3))
    else:
        matches = Matches.all_alike(release.labels[kept], persons[kept], people)
    stay = [columns[name] for name in columns if subject.project.role(name) is not Role.QUASI_IDENTIFYING]
    gone = np.flatnonzero(~subject.kept)
    if stay and len(gone) and release.cells == KEPT:
        hidden = joined_by_equality(stay, gone, release.labels, persons, people, PartMonitor(monitor, 2, 3))
        # People without a kept match may be among the suppressed records.
        matches = matches.where(matches.n_records > 0, hidden)
    return matches, left_out


def _persons(subject: Subject) -> IntArray:
    """Return the person of every record; without persons, the number of the record."""
    persons = subject.release.problem.repeated
    return np.arange(subject.n_records) if persons is None else persons.numbers.astype(np.int64)


def _counted(found: Matches) -> LinkCounts:
    is_one = found.are_of_one
    is_class: BoolArray = (found.n_records > 0) & ~is_one & (found.lowest == found.highest)
    n_none = int((found.n_records == 0).sum())
    n_one, n_class = int(is_one.sum()), int(is_class.sum())
    return LinkCounts(n_one, n_class, len(found.n_records) - n_one - n_class - n_none, n_none)


def _sentence(
    before: LinkCounts, after: LinkCounts, names: list[str], left_out: Mapping[str, str], counted: Noun
) -> str:
    text = either(
        counted,
        _("Linked by {columns}, {n} of {total} people match exactly one record of the input ({share})"),
        _("Linked by {columns}, {n} of {total} people match exactly one person of the input ({share})"),
    ).format(
        columns=listed(quoted(names)),
        n=as_exact_count(before.n_one_record),
        total=as_exact_count(before.n_people),
        share=as_risk(before.share_one_record),
    )
    if len(left_out) == len(names):
        return _(
            "{text}; the release cannot be compared by these columns, so every kept record matches everyone."
        ).format(text=text)
    n = after.n_one_record
    if not n:
        return _("{text}; in the release, no one matches exactly one.").format(text=text)
    return ngettext(
        "{text}; in the release, one matches exactly one.",
        "{text}; in the release, {n} match exactly one.",
        n,
    ).format(text=text, n=as_exact_count(n))


NOBODY = -1  # as a class number
TEXT = N_("Linking the two tables")
_CHUNK = 200_000  # people between two looks at the monitor
_EVERY = 64  # groups between two looks at the monitor


@dataclass(frozen=True, eq=False)
class Matches:
    """Matches of each person; arrays have shape (n_people,).

    Attributes
    ----------
    lowest, highest : ndarray of int64
        Lowest and highest class number of the matching records; `NOBODY` without a match.
    lowest_person, highest_person : ndarray of int64
        Lowest and highest person number of the matching records; `NOBODY` without a match.
    """

    n_records: Counts
    lowest: IntArray
    highest: IntArray
    lowest_person: IntArray
    highest_person: IntArray

    @property
    def are_of_one(self) -> BoolArray:
        """Return whether there are matches, all of one person."""
        return np.asarray((self.n_records > 0) & (self.lowest_person == self.highest_person))

    @classmethod
    def nothing(cls, n_people: int) -> Matches:
        """Return matches of no records."""
        nobody = np.full(n_people, NOBODY, dtype=np.int64)
        return cls(np.zeros(n_people, dtype=np.int64), nobody, nobody, nobody, nobody)

    @classmethod
    def joined(cls, parts: Sequence[Matches]) -> Matches:
        """Return the concatenated matches of several groups of people."""
        return cls(*map(np.concatenate, zip(*(part._arrays for part in parts), strict=True)))

    @classmethod
    def all_alike(cls, classes: IntArray, persons: IntArray, n_people: int) -> Matches:
        """Return matches of every person with all records, given their classes and persons."""
        if not len(classes):
            return cls.nothing(n_people)
        ends = len(classes), classes.min(), classes.max(), persons.min(), persons.max()
        return cls(*(np.full(n_people, end, dtype=np.int64) for end in ends))

    def where(self, own: BoolArray, others: Matches) -> Matches:
        """Return these matches for some people, and others for the rest."""
        pairs = zip(self._arrays, others._arrays, strict=True)
        return Matches(*(np.where(own, mine, theirs) for mine, theirs in pairs))

    def taken(self, rows: IntArray) -> Matches:
        """Return the matches of distinct people for every row."""
        return Matches(*(array[rows] for array in self._arrays))

    @property
    def _arrays(self) -> tuple[IntArray, ...]:
        return self.n_records, self.lowest, self.highest, self.lowest_person, self.highest_person


def joined_by_equality(
    columns: Sequence[LinkColumn],
    records: IntArray,
    classes: IntArray,
    persons: IntArray,
    n_people: int,
    monitor: Monitor = SILENT,
) -> Matches:
    """Match people if each of their values fits one label, and so one group of records.

    Parameters
    ----------
    columns : sequence of LinkColumn
        Each `is_one_to_one`; at least one.
    records : ndarray of int64, shape (n_chosen,)
        Records that may match; at least one.
    classes : ndarray of int64, shape (n_records,)
        Class of every record.
    persons : ndarray of int64, shape (n_records,)
        Person of every record.
    """
    both = [np.concatenate((c.labels[records], c.only_label[c.people])) for c in columns]
    spans = [column.n_labels + 1 for column in columns]  # the last label is for people without a fitting one
    monitor.step(0, 2, _(TEXT))
    keys = class_keys(both, spans)
    own, theirs = keys[: len(records)], keys[len(records) :]
    order = np.argsort(own)
    n_chunks = -(-n_people // _CHUNK)
    monitor = PartMonitor(monitor, 1, 2)
    monitor.step(0, n_chunks, _(TEXT))
    own = own[order]
    starts = run_starts(own)
    groups = _runs(starts, classes[records][order], persons[records][order])
    distinct, found = own[starts], []
    for number, start in enumerate(range(0, n_people, _CHUNK)):
        monitor.step(number, n_chunks, _(TEXT))
        wanted = theirs[start : start + _CHUNK]
        places = np.minimum(np.searchsorted(distinct, wanted), len(distinct) - 1)
        found.append(groups.taken(places).where(distinct[places] == wanted, Matches.nothing(len(wanted))))
    return Matches.joined(found)


def _runs(starts: IntArray, classes: IntArray, persons: IntArray) -> Matches:
    """Return the matches of each run of records, given their classes and persons."""
    return Matches(
        np.diff(starts, append=len(classes)),
        np.minimum.reduceat(classes, starts),
        np.maximum.reduceat(classes, starts),
        np.minimum.reduceat(persons, starts),
        np.maximum.reduceat(persons, starts),
    )


def joined_by_cover(
    columns: Sequence[LinkColumn],
    records: IntArray,
    classes: IntArray,
    persons: IntArray,
    n_people: int,
    monitor: Monitor = SILENT,
) -> Matches:
    """Match people if a value may fit several labels, such as labels of different levels.

    Parameters as in `joined_by_equality`. Equal records are one group; column by column, the people whom a
    label fits remain candidates for the groups that have it.
    """
    monitor.step(0, 3, _(TEXT))
    labels = [column.labels[records] for column in columns]
    groups, first, sizes = class_labels(labels, [column.n_labels for column in columns])
    order = np.argsort(groups, kind="stable")
    of_groups = _runs(np.cumsum(sizes) - sizes, classes[records][order], persons[records][order])
    labels = [own[first] for own in labels]
    monitor.step(1, 3, _(TEXT))
    same, distinct, _unused = class_labels(
        [column.people for column in columns], [column.n_values for column in columns]
    )
    people = [column.people[distinct] for column in columns]
    join = _Joining(columns, labels, people, of_groups, PartMonitor(monitor, 2, 3))
    join.go(0, np.arange(len(first)), np.arange(len(distinct)))
    return join.found.taken(same)


class _Joining:
    """Join of groups of records with distinct people, column by column."""

    def __init__(
        self,
        columns: Sequence[LinkColumn],
        labels: Sequence[IntArray],
        people: Sequence[IntArray],
        groups: Matches,
        monitor: Monitor,
    ) -> None:
        self._columns, self._labels, self._people, self._groups = columns, labels, people, groups
        self._monitor, self._n_done, self._n_looked = monitor, 0, 0
        n_people = len(people[0])
        nobody = np.full(n_people, NOBODY, dtype=np.int64)
        self.found = Matches(np.zeros(n_people, dtype=np.int64), *(nobody.copy() for _unused in range(4)))

    def go(self, column: int, groups: IntArray, people: IntArray) -> None:
        """Match groups with the people who fit them in all earlier columns."""
        self._look()
        if column == len(self._columns):
            self._take(groups, people)
            return
        own = self._labels[column][groups]
        order = np.argsort(own, kind="stable")
        groups, own = groups[order], own[order]
        values = self._people[column][people]
        starts = run_starts(own)
        for start, end in zip(starts.tolist(), [*starts[1:].tolist(), len(own)], strict=True):
            fits = people[self._columns[column].covered(int(own[start]))[values]]
            if len(fits):
                self.go(column + 1, groups[start:end], fits)
            else:
                self._n_done += end - start

    def _take(self, groups: IntArray, people: IntArray) -> None:
        self._n_done += len(groups)
        found, of = self.found, self._groups
        is_new = found.n_records[people] == 0
        for known, own in ((found.lowest, of.lowest), (found.lowest_person, of.lowest_person)):
            lowest = own[groups].min()
            known[people] = np.where(is_new, lowest, np.minimum(known[people], lowest))
        for known, own in ((found.highest, of.highest), (found.highest_person, of.highest_person)):
            known[people] = np.maximum(known[people], own[groups].max())
        found.n_records[people] += of.n_records[groups].sum()

    def _look(self) -> None:
        self._n_looked += 1
        if self._n_looked % _EVERY == 1:
            self._monitor.step(self._n_done, len(self._groups.n_records), _(TEXT))
