"""Most exposed kept records, and the explanation of a single record."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Self, overload

import numpy as np

from engine.errors import InputError
from engine.findings.base import Analysis, risk_analyses
from engine.findings.blocks import SHARE, Block, FigureColumn, FigureTable, Findings, Statement
from engine.findings.risk.declared import records_listed, risk_threshold
from engine.findings.subject import Subject
from engine.findings.words import as_number, listed, quoted
from engine.frequency import Measure
from engine.frequency.classes import DISTINCT
from engine.frequency.counted import PEOPLE, Noun, either
from engine.kernels.arrays import Counts, FloatArray, IntArray
from engine.monitor import SILENT, Monitor
from engine.numbers import NARROW_SPACE, as_exact_count, as_risk
from engine.recoding.transformation import BLANK, REMOVED
from engine.words import N_, _, lazy, ngettext

MOST_SINGLED_OUT = 1000  # records listed


@dataclass(frozen=True)
class RecordExplained:
    """Explanation of one record of the input.

    Attributes
    ----------
    record : int
        Number, counted from 0.
    cells : tuple of (str, str)
        Released cells: quasi-identifying column and text.
    class_size : int
        Size of its class; for a suppressed record, of the class it would have had. In people if they may
        have several records.
    risk : float
        1 / class size; 0 if suppressed.
    size_before : int
        Class size in the input.
    n_values : tuple of (str, int)
        Number of distinct values of its class in each sensitive column.
    """

    record: int
    is_suppressed: bool
    cells: tuple[tuple[str, str], ...]
    class_size: int
    risk: float
    size_before: int
    n_values: tuple[tuple[str, int], ...]
    sentence: str

    def details(self, noun: Noun) -> str:
        """Return its class, its released cells and what they reveal, one paragraph each."""
        words = [
            _("Record {number}").format(number=as_exact_count(self.record + 1)),
            either(
                noun,
                _("class of {size}"),
                ngettext("class of {size} person", "class of {size} people", self.class_size),
            ).format(size=as_exact_count(self.class_size)),
        ]
        for name, n in self.n_values[:1]:
            words.append(
                ngettext("{n} distinct value of {name}", "{n} distinct values of {name}", n).format(
                    n=as_exact_count(n), name=name
                )
            )
        cells = " · ".join(f"{name} {text or _('(missing)')}" for name, text in self.cells)
        return "\n".join((" · ".join(words), cells, self.sentence))


@dataclass(frozen=True)
class _Explanations(Sequence[str]):
    """Texts about each listed record, made on demand."""

    found: ExposedRecordsFound

    def __len__(self) -> int:
        return len(self.found)

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[str]: ...
    def __getitem__(self, place: int | slice) -> str | Sequence[str]:
        if isinstance(place, slice):
            return [self[each] for each in range(*place.indices(len(self)))]
        found = self.found
        return found.explain(int(found.records[place])).details(found.subject.counted)


@dataclass(frozen=True, eq=False)
class ExposedRecordsFound(Findings):
    """Kept records by descending risk, then in the order of the input.

    Attributes
    ----------
    subject : Subject
        Release that `explain` reads.
    columns : tuple of str
        Quasi-identifying columns.
    records : ndarray of int64, shape (n_listed,)
        Numbers of records of the input, counted from 0.
    classes : ndarray of int64, shape (n_listed,)
        Class of each record in the release, as `Release.labels`.
    class_sizes : ndarray of int64, shape (n_listed,)
        Records, or people if they may have several.
    risks : ndarray of float64, shape (n_listed,)
        1 / class size.
    sizes_before : ndarray of int64, shape (n_listed,)
        Class size of each record in the input.
    highest : float
        Highest risk.
    n_at_highest : int
        Number of records with the highest risk.
    n_kept : int
        Number of kept records, listed or not.
    """

    subject: Subject
    threshold: float
    columns: tuple[str, ...]
    records: IntArray
    classes: IntArray
    class_sizes: Counts
    risks: FloatArray
    sizes_before: Counts
    highest: float
    n_at_highest: int
    n_kept: int
    _cells: dict[str, list[str]] = field(default_factory=dict, init=False, repr=False)

    def __len__(self) -> int:
        return len(self.records)

    @property
    def is_complete(self) -> bool:
        """Return whether every kept record is listed."""
        return len(self.records) == self.n_kept

    def cells(self, record: int) -> tuple[str, ...]:
        """Return the released cells of a record in the quasi-identifying columns."""
        return tuple(_texts(self.subject, name, np.array([record]))[0] for name in self.columns)

    def texts(self, name: str) -> list[str]:
        """Return the released cells of the listed records in a column; empty texts if it is not released."""
        if name not in self._cells:
            self._cells[name] = _texts(self.subject, name, self.records)
        return self._cells[name]

    def with_texts(self) -> Self:
        """Return itself with the cells of the listed records, which are read from files if they are there."""
        for name in self.columns:
            self.texts(name)
        return self

    def explain(self, record: int) -> RecordExplained:
        """Explain any record of the input, counted from 0.

        Raises
        ------
        InputError
            There is no such record.
        """
        return explained(self.subject, record)

    def statement(self) -> Statement:
        n = self.n_at_highest
        words = ngettext("{n} record at {risk}", "{n} records at {risk}", n).format(
            n=as_exact_count(n), risk=as_risk(self.highest)
        )
        if not self.is_complete:
            words = _("{words}, {n} of {total} listed").format(
                words=words, n=as_exact_count(len(self)), total=as_exact_count(self.n_kept)
            )
        is_certain = self.highest == 1
        return Statement(
            _("Most exposed: {words}.").format(words=words), "danger" if is_certain else "text", words
        )

    def blocks(self) -> tuple[Block, ...]:
        """Return the listed records; numbers count from 1, like displayed rows."""
        columns = (
            *_columns(self.subject.counted),
            *(FigureColumn(f"cell:{name}", name) for name in self.columns),
        )
        rows = tuple(
            zip(
                (self.records + 1).tolist(),
                self.class_sizes.tolist(),
                self.risks.tolist(),
                self.sizes_before.tolist(),
                (1.0 / self.sizes_before).tolist(),
                *map(self.texts, self.columns),
                strict=True,
            )
        )
        return (
            FigureTable(
                "exposed_records",
                _("Most exposed records"),
                columns,
                rows,
                is_by_record=True,
                tones=["danger" if risk > self.threshold else "text" for risk in self.risks.tolist()],
                details=_Explanations(self),
            ),
        )


def _columns(noun: Noun) -> tuple[FigureColumn, ...]:
    after = either(
        noun,
        _("Number of equal records in the release, including this one."),
        _("Number of people with an equal record in the release, including its own."),
    )
    before = either(
        noun,
        _("Number of equal records in the input, including this one."),
        _("Number of people with an equal record in the input, including its own."),
    )
    return (
        FigureColumn("record", _("Record"), explanation=_("Position in the input, from 1.")),
        FigureColumn("class_size", _("Class"), noun.unit, after),
        FigureColumn("risk", _("Risk"), SHARE, _("1 divided by the class size.")),
        FigureColumn("size_before", _("Before"), noun.unit, before, is_listed=False),
        FigureColumn("risk_before", _("Before"), SHARE, _("The same in the input: 100 % was unique.")),
    )


@risk_analyses.register("exposed_records")
@dataclass(frozen=True, slots=True)
class ExposedRecords(Analysis):
    """List the kept records of the smallest classes."""

    title: ClassVar[str] = lazy("Most exposed records")
    summary: ClassVar[str] = lazy("The kept records with the highest risk, and what each of them reveals.")
    reading: ClassVar[str] = lazy(
        "An attacker who knows the quasi-identifying cells of a record can only guess among "
        "the records of its class; a class of 5 is a risk of 0.2, which health research "
        "commonly accepts (El Emam and Dankar 2008). A record that is unique in the input is "
        "not at risk for that reason; only the release counts. Suppressed records are not "
        "listed."
    )

    needs_records: ClassVar[bool] = True

    threshold: float = risk_threshold()
    most: int = records_listed(N_("The most exposed ones; all are counted."))

    def why_not_counted(self, subject: Subject) -> str:
        return "" if subject.tuples is not None else Analysis.why_not_counted(self, subject)

    def why_not(self, subject: Subject) -> str:
        if reason := self.why_not_counted(subject):
            return reason
        if subject.release.n_classes:
            return ""
        return _("Every record is suppressed, so none can be identified by its quasi-identifying columns.")

    def run(self, subject: Subject, monitor: Monitor = SILENT) -> ExposedRecordsFound:
        self.refuse_impossible(subject)
        release = subject.release
        monitor.step(0, 4, _("Counting classes of the release"))
        sizes_of_rows = release.classes.sizes[release.labels]
        monitor.step(1, 4, _("Sorting records by risk"))
        if subject.tuples is None:
            kept = np.flatnonzero(subject.kept)
            # A stable sort keeps the order of the input among records of one risk.
            listed_records = kept[np.argsort(sizes_of_rows[kept], kind="stable")[: self.most]]
        else:
            sorting = _("Sorting records by risk")
            listed_records = subject.tuples.best_records(
                sizes_of_rows, subject.kept, self.most, sorting, monitor
            )
        monitor.step(2, 4, _("Counting sensitive values"))
        for attribute in release.problem.sensitive:  # `explain` reads these
            release.classes.measured(Measure(DISTINCT, attribute.name))
        monitor.step(3, 4, _("Counting classes of the input"))
        n_at_highest = int(release.kept_records[release.kept_sizes == release.kept_sizes.min()].sum())
        n_kept = release.n_records - release.n_suppressed
        columns = subject.quasi_identifying
        return _found(subject, self.threshold, columns, listed_records, n_at_highest, n_kept)


def _found(
    subject: Subject,
    threshold: float,
    columns: tuple[str, ...],
    records: IntArray,
    n_at_highest: int,
    n_kept: int,
) -> ExposedRecordsFound:
    """Return some records of the input with their sizes and risks; that of a suppressed one is 0."""
    release, rows = subject.release, subject.rows_of(records)
    classes = release.labels[rows]
    sizes = release.classes.sizes[classes]
    risks = np.where(subject.kept[rows], 1.0 / sizes, 0.0)
    before, highest = subject.input_sizes[subject.input_labels[rows]], float(risks.max(initial=0.0))
    found = subject, threshold, columns, records, classes, sizes, risks, before, highest
    return ExposedRecordsFound(*found, n_at_highest, n_kept).with_texts()


def _texts(subject: Subject, name: str, records: IntArray) -> list[str]:
    """Return the released cells of some records in a column; empty texts if it is not released."""
    return subject.release.written.texts(name, records) or [""] * len(records)


def singled_out_records(subject: Subject, threshold: float, monitor: Monitor = SILENT) -> ExposedRecordsFound:
    """List the records that the unchanged columns together single out, in the order of the input.

    Suppressed records are among them: their unchanged cells are written too.
    """
    release = subject.release
    monitor.step(0, 2, _("Counting records that unchanged columns single out"))
    found = release.singled_out(monitor)
    records = found[:MOST_SINGLED_OUT]
    monitor.step(1, 2, _("Counting sensitive values"))
    for attribute in release.problem.sensitive:  # `explain` reads these
        release.classes.measured(Measure(DISTINCT, attribute.name))
    columns = (*release.unchanged.columns, *subject.quasi_identifying)
    return _found(subject, threshold, columns, records, len(records), len(found))


def explained(subject: Subject, record: int) -> RecordExplained:
    """Explain a record of the input, counted from 0.

    Raises
    ------
    InputError
        There is no such record.
    """
    release = subject.release
    if not 0 <= record < release.n_records:
        raise InputError(
            _("Record {record} does not exist.").format(record=record + 1),
            hint=_("Records are numbered from 1 to {n_records}.").format(n_records=release.n_records),
        )
    row = int(subject.rows_of(np.array([record]))[0])
    number = int(release.labels[row])
    size = int(release.classes.sizes[number])
    before = int(subject.input_sizes[subject.input_labels[row]])
    is_suppressed = not bool(subject.kept[row])
    columns = ((name, release.column(name)) for name in subject.quasi_identifying)
    n_values = tuple(
        (a.name, int(release.classes.measured(Measure(DISTINCT, a.name))[number]))
        for a in release.problem.sensitive
    )
    return RecordExplained(
        record,
        is_suppressed,
        tuple((name, column.text(row)) for name, column in columns if column is not None),
        size,
        0.0 if is_suppressed else 1 / size,
        before,
        n_values,
        _sentence(size, before, n_values, _fate(release.cells) if is_suppressed else "", subject.counted),
    )


def _fate(cells: str) -> str:
    """Say what the file contains of a suppressed record, as a clause."""
    if cells == REMOVED:
        return _("it is not in the released file")
    if cells == BLANK:
        return _("all its cells are *")
    return _("its quasi-identifying cells are removed, but its other cells are released unchanged")


def _sentence(size: int, before: int, n_values: tuple[tuple[str, int], ...], fate: str, noun: Noun) -> str:
    """Say what an attacker learns about a record; `fate` is empty for a kept one."""
    was = _others(before, noun)
    if fate:
        return _("This record is suppressed: {fate}; {before}.").format(fate=fate, before=was)
    if size == 1:
        alike = either(
            noun,
            _("No other record is equal: an attacker who knows these values identifies it with certainty"),
            _(
                "No other person's record is equal: an attacker who knows these values identifies it with "
                "certainty"
            ),
        )
    else:
        n = size - 1
        chance = (
            as_risk(1 / size)
            if size < 10_000
            else _("1{space}in{space}{n}").format(space=NARROW_SPACE, n=as_exact_count(size))
        )
        alike = either(
            noun,
            ngettext(
                "One other record is equal, so a guess is right with {chance}",
                "{n} other records are equal, so a guess is right with {chance}",
                n,
            ),
            ngettext(
                "One other person has a record that is equal, so a guess is right with {chance}",
                "{n} other people have records that are equal, so a guess is right with {chance}",
                n,
            ),
        ).format(n=as_exact_count(n), chance=chance)
    text = _("{text}; {before}.").format(text=alike, before=was)
    single = [name for name, count in n_values if count == 1]
    # with one person in the class, an attacker learns all values anyway
    if not single or (size == 1 and noun == PEOPLE):
        return text
    same = _("All of them have the same {columns}, which an attacker learns without identifying the record.")
    return f"{text} {same.format(columns=listed(quoted(single)))}"


def _others(size: int, noun: Noun) -> str:
    """Say how many others are equal to a record in the input, as a clause."""
    n = size - 1
    if noun == PEOPLE:
        if not n:
            return _("in the input no other person has an equal record")
        text = ngettext(
            "in the input one other person has an equal record",
            "in the input {n} other people have equal records",
            n,
        )
    elif not n:
        return _("in the input it is unique")
    else:
        text = ngettext("in the input one other is equal to it", "in the input {n} others are equal to it", n)
    return text.format(n=as_number(n))
