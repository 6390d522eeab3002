"""The crowd: every record or person as a dot, among those of its class, before and after.

It shows the sizes of small classes. Therefore it is an analysis of the window only, which is not registered:
no report, command or bundle has it.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

import numpy as np

from engine.findings.base import Analysis
from engine.findings.blocks import (
    INPUT,
    RELEASE,
    SHARE,
    Block,
    Figure,
    FigureColumn,
    FigureTable,
    Findings,
    Paragraph,
    SideKey,
    Statement,
)
from engine.findings.given_table import Side
from engine.findings.risk.exposed_records import RecordExplained, explained
from engine.findings.subject import Subject
from engine.frequency import Measure
from engine.frequency.classes import LARGEST_SHARE
from engine.frequency.counted import Noun, either
from engine.kernels.arrays import Counts, IntArray
from engine.kernels.crowd import Disc, packed, thinned
from engine.monitor import SILENT, Monitor
from engine.numbers import as_exact_count, as_risk
from engine.words import _, lazy, ngettext

MOST_DOTS = 200_000  # in one disc; of more records a dot stands for several
EDGES = (1, 2, 5, 10, 50, 200)  # least class sizes of the rows of the table


@dataclass(frozen=True, eq=False)
class CrowdSide:
    """One table: its classes as circles on a disc, the largest inside.

    Attributes
    ----------
    numbers, rows, sizes : ndarray of int64, shape (n_circles,)
        Class of each circle, its first row, and its size in records or people.
    n_classes, n_members : ndarray of int64, shape (len(EDGES),)
        Classes by their size, and the records; or the people, each in the smallest of their classes.
    n_smallest : int
        Classes of the smallest size.
    smallest : int
        This size; 0 without classes.
    """

    disc: Disc
    numbers: IntArray
    rows: IntArray
    sizes: Counts
    n_classes: Counts
    n_members: Counts
    n_smallest: int
    smallest: int

    @classmethod
    def of(cls, side: Side, labels: IntArray, per_dot: int) -> CrowdSide:
        """Place the classes of a table; `labels` has the class of every row."""
        members, first = side.classes.in_smallest(side.chosen), np.zeros(len(side.chosen), dtype=np.int64)
        first[labels[::-1]] = np.arange(len(labels))[::-1]
        numbers = np.flatnonzero(side.chosen)
        sizes = side.classes.sizes[numbers]
        places = np.searchsorted(EDGES, sizes, side="right") - 1
        n_classes = np.bincount(places, minlength=len(EDGES))
        n_members = np.zeros(len(EDGES), dtype=np.int64)
        np.add.at(n_members, places, members[numbers])
        smallest = int(sizes.min(initial=np.iinfo(np.int64).max)) if len(sizes) else 0
        n_smallest = int(np.count_nonzero(sizes == smallest))
        numbers = numbers[np.lexsort((first[numbers], -sizes))]
        n_dots = thinned(members[numbers], side.classes.sizes[numbers], per_dot)
        drawn = np.argsort(-n_dots, kind="stable")[: np.count_nonzero(n_dots)]
        numbers, disc = numbers[drawn], packed(n_dots[drawn])
        own = numbers, first[numbers], side.classes.sizes[numbers]
        return cls(disc, *own, n_classes, n_members, n_smallest, smallest)

    @property
    def n_unique(self) -> int:
        """Records, or people, that are alone in a class."""
        return int(self.n_members[0])

    @property
    def total(self) -> int:
        """All records, or people."""
        return int(self.n_members.sum())


@dataclass(frozen=True, eq=False)
class CrowdFound(Findings):
    """The crowd before and after.

    Attributes
    ----------
    per_dot : int
        Records, or people, that a dot stands for.
    """

    subject: Subject
    before: CrowdSide
    after: CrowdSide
    per_dot: int
    counted: Noun

    @property
    def n_suppressed(self) -> int:
        """Records of the input, or people, of whom the release has none."""
        return self.before.total - self.after.total

    def side(self, key: SideKey) -> CrowdSide:
        return self.before if key == INPUT else self.after

    def statement(self) -> Statement:
        """Return what becomes of unique records, or of the smallest class if there were none."""
        noun, before, after = self.counted, self.before, self.after
        n, was = after.n_unique, before.n_unique
        numbers = {"n": n, "was": was, "k": after.smallest, "before": before.smallest}
        if not after.total:
            text = either(
                noun, _("Every record is suppressed."), _("All records of everyone are suppressed.")
            )
        elif n:
            text = noun.said(
                ngettext(
                    "{n} {record} is still unique, {was} in the input.",
                    "{n} {records} are still unique, {was} in the input.",
                    n,
                )
            )
        elif was:
            text = noun.said(
                ngettext(
                    "In the input {was} {record} was unique. In the release no class has fewer than {k}.",
                    "In the input {was} {records} were unique. In the release no class has fewer than {k}.",
                    was,
                )
            )
        elif after.smallest > before.smallest:
            text = noun.said(_("The smallest class grew from {before} to {k} {records}."))
        else:
            text = noun.said(_("The smallest class has {k} {records}, in the input {before}."))
        shown = {name: as_exact_count(number) for name, number in numbers.items()}
        return Statement(text.format(**shown), "danger" if n else "text")

    def blocks(self) -> tuple[Block, ...]:
        """Return the table by class size."""
        noun = self.counted
        rows: list[tuple[Figure, ...]] = []
        for place, label in enumerate(size_labels()):
            found = [
                (int(side.n_classes[place]), int(side.n_members[place])) for side in (self.before, self.after)
            ]
            (c_0, n_0), (c_1, n_1) = found
            rows.append((label, c_0, n_0, n_0 / self.before.total, c_1, n_1, n_1 / self.before.total))
        n_gone = self.n_suppressed
        if n_gone:
            rows.append((_("suppressed"), None, None, None, None, n_gone, n_gone / self.before.total))
        columns = (
            FigureColumn("class_size", _("Class size")),
            FigureColumn("classes_input", _("Classes, input")),
            FigureColumn("n_input", noun.said(_("{Records}, input")), noun.unit),
            FigureColumn("share_input", _("Share, input"), SHARE),
            FigureColumn("classes_release", _("Classes, release")),
            FigureColumn("n_release", noun.said(_("{Records}, release")), noun.unit),
            FigureColumn(
                "share_release",
                _("Share, release"),
                SHARE,
                noun.said(_("Of all {records} of the input.")),
            ),
        )
        title = noun.said(_("{Records} by class size"))
        return (FigureTable("crowd", title, columns, tuple(rows)),)


def size_labels() -> tuple[str, ...]:
    """Return the names of the rows of the table by class size."""
    both = [_("{low} to {high}").format(low=low, high=high - 1) for low, high in pairwise(EDGES[1:])]
    return "1", *both, _("{low} and more").format(low=EDGES[-1])


@dataclass(frozen=True, slots=True)
class Crowd(Analysis):
    """Place the records of all classes of the input and of the release."""

    key: ClassVar[str] = "crowd"
    title: ClassVar[str] = lazy("Crowd")
    summary: ClassVar[str] = lazy("Every record as a dot among those of its class, before and after.")
    reading: ClassVar[str] = lazy(
        "Records of a class are equal in the quasi-identifying columns, so that an attacker who knows these "
        "can only guess among them. The smallest classes are at the rim. If people may have several records, "
        "a dot is a person, in the smallest of their classes. The picture shows the sizes of small classes: "
        "it is for those who may see the input, and no report has it."
    )

    def run(self, subject: Subject, monitor: Monitor = SILENT) -> CrowdFound:
        monitor.step(0, 2, _("Counting classes of the input"))
        n_members = int(subject.before.people.n_people)
        per_dot = max(-(-n_members // MOST_DOTS), 1)
        before = CrowdSide.of(subject.before, subject.input_labels, per_dot)
        monitor.step(1, 2, _("Counting classes of the release"))
        after = CrowdSide.of(subject.after, subject.release.labels, per_dot)
        return CrowdFound(subject, before, after, per_dot, subject.counted)


@dataclass(frozen=True, eq=False)
class MemberFound(Findings):
    """One record of a class, before and after.

    Attributes
    ----------
    place, n_rows : int
        Place of its row among those of the class, and their number.
    title : str
        The class in words.
    reveals : tuple of str
        What its class of the release reveals, a sentence for each sensitive column.
    """

    record: RecordExplained
    cells: tuple[tuple[str, str, str], ...]
    place: int
    n_rows: int
    title: str
    reveals: tuple[str, ...]

    def statement(self) -> Statement:
        return Statement(self.record.sentence)

    def blocks(self) -> tuple[Block, ...]:
        """Return the cells in the input and in the release, and what the class reveals."""
        columns = (
            FigureColumn("column", _("Column")),
            FigureColumn("input", _("Input"), is_listed=False),
            FigureColumn("release", _("Release"), is_listed=False),
            FigureColumn("both", _("Value")),
        )
        rows = [
            (name, own, released, released if own == released else f"{own} → {released}")
            for name, own, released in self.cells
        ]
        return (FigureTable("member", "", columns, rows, is_by_record=True), *map(Paragraph, self.reveals))


def member(
    found: CrowdFound, key: SideKey, circle: int, place: int, monitor: Monitor = SILENT
) -> MemberFound:
    """Return a record of a class by its place, counted from 0 and over again after the last one.

    Raises
    ------
    InputError
        The records stay in a server or cluster.
    """
    subject, side = found.subject, found.side(key)
    number, size = int(side.numbers[circle]), int(side.sizes[circle])
    rows = np.flatnonzero((subject.input_labels if key == INPUT else subject.release.labels) == number)
    row, record = int(rows[place % len(rows)]), int(rows[place % len(rows)])
    if subject.tuples is not None:
        chosen = np.zeros(len(subject.kept), dtype=np.bool_)
        chosen[row] = True
        record = int(subject.tuples.some_records(chosen, 1, _("Reading the record"), monitor)[0])
    one = explained(subject, record)
    cells = tuple((name, _cell(subject, name, row), text or _("(missing)")) for name, text in one.cells)
    return MemberFound(
        one, cells, place % len(rows), len(rows), _title(found, side, size), _reveals(subject, row, one)
    )


def class_words(found: CrowdFound, key: SideKey, circle: int) -> str:
    """Return size and values of a class, one per line, for a tooltip."""
    subject, side = found.subject, found.side(key)
    row, size = int(side.rows[circle]), int(side.sizes[circle])
    lines = [found.counted.said(_size_words(size)).format(n=as_exact_count(size))]
    for name in subject.quasi_identifying:
        released = subject.release.column(name) if key == RELEASE else None
        lines.append(f"{name}: {_cell(subject, name, row) if released is None else released.text(row)}")
    return "\n".join(lines)


def _size_words(size: int) -> str:
    return ngettext("A class of {n} {record}", "A class of {n} {records}", size)


def _cell(subject: Subject, name: str, row: int) -> str:
    return subject.input.column(name).text(row) or _("(missing)")


def _title(found: CrowdFound, side: CrowdSide, size: int) -> str:
    if size > side.smallest:
        return found.counted.said(_size_words(size)).format(n=as_exact_count(size))
    text = ngettext("The smallest class", "One of the {n} smallest classes", side.n_smallest)
    return text.format(n=as_exact_count(side.n_smallest))


def _reveals(subject: Subject, row: int, one: RecordExplained) -> tuple[str, ...]:
    """Say how many values the released class of a kept record has, and how often a guess is right."""
    if one.is_suppressed:
        return ()
    classes, number, found = subject.release.classes, int(subject.release.labels[row]), []
    for name, n in one.n_values:
        share = float(classes.measured(Measure(LARGEST_SHARE, name))[number])
        text = ngettext(
            "The class has {n} value of {column}; a guess is right with {share}.",
            "The class has {n} values of {column}; a guess is right with at most {share}.",
            n,
        )
        found.append(text.format(n=as_exact_count(n), column=name, share=as_risk(share)))
    return tuple(found)
