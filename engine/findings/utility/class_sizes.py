"""Sizes of the equivalence classes, before and after."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

import numpy as np

from engine.findings.base import Analysis, utility_analyses
from engine.findings.blocks import (
    Block,
    Chart,
    FigureColumn,
    FigureTable,
    Findings,
    Series,
    Statement,
    as_column,
    columns_of,
    figure_row,
    row_of,
)
from engine.findings.risk.attacker_risk import RiskDistribution
from engine.findings.subject import Subject
from engine.findings.utility.of_table import ClassSizes as SizeFigures
from engine.findings.utility.of_table import class_sizes
from engine.frequency.counted import Noun
from engine.kernels.arrays import Counts
from engine.monitor import SILENT, Monitor
from engine.numbers import DASH, as_exact_count, as_size
from engine.words import N_, _, lazy


@figure_row
class SizeBin:
    """Classes with a size in a range, of which both ends are included; after are those that are kept."""

    low: int = as_column(N_("From"), "records", key="from")
    high: int = as_column(N_("To"), "records", key="to")
    classes_before: int = as_column(N_("Classes before"), "classes")
    records_before: int = as_column(N_("Records before"), "records")
    classes_after: int = as_column(N_("Classes after"), "classes")
    records_after: int = as_column(N_("Records after"), "records")

    @property
    def label(self) -> str:
        """Range of sizes as text."""
        return _label(self.low, self.high)


@dataclass(frozen=True)
class ClassSizesFound(Findings):
    """Sizes of equivalence classes.

    Attributes
    ----------
    before : engine.findings.utility.of_table.ClassSizes
        Classes of the input: count, minimum, maximum, mean and median.
    after : engine.findings.utility.of_table.ClassSizes
        Kept classes.
    with_suppressed : engine.findings.utility.of_table.ClassSizes
        Kept classes, and all suppressed records as one more class.
    people_before, people_after : engine.findings.utility.of_table.ClassSizes or None
        Distinct people in the same classes; None if every record is another person.
    bins : tuple of SizeBin
        Histogram: sizes 1 to 9 individually if no class is larger, else from each power of two to the next.
    """

    before: SizeFigures
    after: SizeFigures
    with_suppressed: SizeFigures
    bins: tuple[SizeBin, ...]
    n_records: int
    n_suppressed: int
    people_before: SizeFigures | None = None
    people_after: SizeFigures | None = None

    def statement(self) -> Statement:
        after = self.after
        return Statement(
            _("Kept classes: {n}, of {smallest} to {largest} records, {mean} on average.").format(
                n=as_exact_count(after.count),
                smallest=as_exact_count(after.minimum),
                largest=as_exact_count(after.maximum),
                mean=as_size(after.mean),
            )
        )

    def blocks(self) -> tuple[Block, ...]:
        """Return the values, and the histogram."""
        sides: tuple[tuple[str, SizeFigures], ...] = (
            (_("input"), self.before),
            (_("release"), self.after),
            (_("with suppressed"), self.with_suppressed),
        )
        if self.people_before is not None and self.people_after is not None:
            sides += ((_("input, people"), self.people_before), (_("release, people"), self.people_after))
        columns = (FigureColumn("side", _("Classes")), *columns_of(SizeFigures))
        figures = tuple((name, *row_of(side)) for name, side in sides)
        return (
            FigureTable("class_sizes", _("Class sizes"), columns, figures),
            Chart(
                "histogram",
                _("Records by size of their class"),
                "bars",
                _("records in the class"),
                _("records"),
                (
                    Series(_("input"), tuple(b.records_before for b in self.bins), "input"),
                    Series(_("release, kept classes"), tuple(b.records_after for b in self.bins)),
                ),
                labels=tuple(b.label for b in self.bins),
            ),
            FigureTable.of("histogram", _("Classes by size"), SizeBin, self.bins, is_listed=False),
        )


SINGLE = 9  # largest size up to which each size has its own bin


@utility_analyses.register("class_sizes")
@dataclass(frozen=True, slots=True)
class ClassSizes(Analysis):
    """Number and sizes of the equivalence classes: records equal in all quasi-identifiers."""

    title: ClassVar[str] = lazy("Class sizes")
    summary: ClassVar[str] = lazy("Number of equal records, before and after.")
    reading: ClassVar[str] = lazy(
        "A record cannot be distinguished from the others in its class. After anonymization, "
        "no class should be smaller than the required k; classes much larger than k mean "
        "that more was generalized than needed. Suppressed records are all equal, so they "
        "form one more class for the recipients of the release."
    )
    needs_kept: ClassVar[bool] = True

    def run(self, subject: Subject, monitor: Monitor = SILENT) -> ClassSizesFound:
        self.refuse_impossible(subject)
        release = subject.release
        monitor.step(0, 3, _("Counting classes of the input"))
        before = subject.input_records
        monitor.step(1, 3, _("Counting classes of the release"))
        after = release.kept_records
        everything = np.append(after, release.n_suppressed) if release.n_suppressed else after
        monitor.step(2, 3, _("Counting classes by size"))
        return ClassSizesFound(
            class_sizes(before),
            class_sizes(after),
            class_sizes(everything),
            _bins(before, after),
            release.n_records,
            release.n_suppressed,
            class_sizes(subject.input_sizes) if subject.counts_people else None,
            class_sizes(release.kept_sizes) if subject.counts_people else None,
        )


def size_chart(spread: RiskDistribution, counted: Noun) -> Chart:
    """Return the records of a table, or its people, by the size of their class."""
    edges = _edges(int(spread.sizes.max()))
    places = np.searchsorted(edges, spread.sizes, side="right") - 1
    counts = np.bincount(places, weights=spread.records, minlength=len(edges) - 1)
    return Chart(
        "class_sizes",
        counted.said(_("{Records} by class size")),
        "bars",
        counted.said(_("class size ({records})")),
        counted.many,
        (Series(_("File"), tuple(counts.tolist())),),
        labels=tuple(_label(low, above - 1) for low, above in pairwise(edges)),
    )


def _label(low: int, high: int) -> str:
    first = as_exact_count(low)
    return first if low == high else f"{first}{DASH}{as_exact_count(high)}"


def _edges(largest: int) -> list[int]:
    if largest > SINGLE:
        return [1 << power for power in range(largest.bit_length() + 1)]
    return list(range(1, largest + 2))


def _bins(before: Counts, after: Counts) -> tuple[SizeBin, ...]:
    """Return the histogram of both sides."""
    edges = _edges(int(max(before.max(initial=1), after.max(initial=1))))
    sides = []
    for sizes in (before, after):
        which = np.searchsorted(edges, sizes, side="right") - 1
        n_bins = len(edges) - 1
        sides.append(np.bincount(which, minlength=n_bins).tolist())
        sides.append(np.bincount(which, weights=sizes, minlength=n_bins).astype(np.int64).tolist())
    return tuple(
        SizeBin(low, above - 1, *figures)
        for low, above, figures in zip(edges, edges[1:], zip(*sides, strict=True), strict=False)
    )
