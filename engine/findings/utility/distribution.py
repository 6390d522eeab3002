"""Distribution of a column before and after, with the release on the axis of the input."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Self, overload

import numpy as np

from engine.findings.base import Analysis, utility_analyses
from engine.findings.blocks import (
    Block,
    Chart,
    Figure,
    FigureColumn,
    FigureTable,
    Findings,
    Series,
    Statement,
)
from engine.findings.cells import Axis, ReleasedCells, Runs, passed_cells
from engine.findings.subject import Subject
from engine.hierarchies.hierarchy import SUPPRESSED
from engine.kernels.arrays import BoolArray, Counts, FloatArray, IntArray
from engine.monitor import SILENT, Monitor, PartMonitor
from engine.numbers import as_exact_count
from engine.params import ColumnRef, Flag, param
from engine.recoding.transformation import KEPT
from engine.records import DataType, Kind
from engine.words import N_, _, lazy

_MOST_BARS = 60


@dataclass(frozen=True)
class Band:
    """Released cell text, and the input values that it stands for.

    Attributes
    ----------
    low, high : float or None
        Smallest and largest number or date it stands for, both included; None for other values.
    first_leaf, last_leaf : int
        First and last of its values on the axis; other values may be between them.
    n_leaves : int
        Number of values it stands for.
    n_records : int
        Number of records with it.
    is_hidden : bool
        Whether it stands for all values.
    """

    label: str
    low: float | None
    high: float | None
    first_leaf: int
    last_leaf: int
    n_leaves: int
    n_records: int
    is_hidden: bool


@dataclass(frozen=True, eq=False)
class Bands(Sequence[Band]):
    """Bands of a release, stored as arrays since there may be as many as records; see `Band`."""

    labels: tuple[str, ...]
    low: FloatArray
    high: FloatArray
    first: IntArray
    last: IntArray
    n_leaves: Counts
    n_records: Counts
    is_hidden: BoolArray

    def __len__(self) -> int:
        return len(self.labels)

    @overload
    def __getitem__(self, index: int) -> Band: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Band, ...]: ...
    def __getitem__(self, index: int | slice) -> Band | tuple[Band, ...]:
        if isinstance(index, slice):
            return tuple(self[i] for i in range(*index.indices(len(self))))
        return Band(
            self.labels[index],
            _known(self.low[index]),
            _known(self.high[index]),
            int(self.first[index]),
            int(self.last[index]),
            int(self.n_leaves[index]),
            int(self.n_records[index]),
            bool(self.is_hidden[index]),
        )


@dataclass(frozen=True, eq=False)
class DistributionFound(Findings):
    """Distribution of a column before and after, on one axis.

    Attributes
    ----------
    is_numeric : bool
        Whether values are numbers or dates, so that `positions` is their scale.
    unit : str
        Unit of positions: "days" for dates (ordinal days, 1 is the first day of year 1), else empty.
    step : float
        Smallest distance of two values on such an axis, the drawn width of a single value; else 1.
    values : tuple of str
        Values of the axis in order, those of the hierarchy that no record has included, the missing
        value last.
    positions : ndarray of float64, shape (n_values,)
        nan for values without a position.
    missing : int or None
        Index of the missing value.
    counts : ndarray of int64, shape (n_values,)
        All records of the input.
    bands : sequence of Band
        Texts of the release, in the order of the axis.
    spread : ndarray of float64, shape (n_values,)
        Records of the release, each distributed evenly over the values of its cell.
    is_estimated : bool
        Whether any cell stands for several values, so that `spread` is not a count.
    with_suppressed : bool
        Whether suppressed records are counted in `bands` and `spread`.
    n_records, n_suppressed : int
        Records of the input, and suppressed ones.
    """

    column: str
    data_type: DataType
    is_numeric: bool
    unit: str
    step: float
    values: tuple[str, ...]
    positions: FloatArray
    missing: int | None
    counts: Counts
    bands: Bands
    spread: FloatArray
    is_estimated: bool
    with_suppressed: bool
    n_records: int
    n_suppressed: int

    def statement(self) -> Statement:
        """Return a statement whose caption names what the chart omits."""
        parts = []
        if self.missing is not None:
            before, after = int(self.counts[self.missing]), round(float(self.spread[self.missing]))
            parts.append(
                _("missing: {before} → {after}").format(
                    before=as_exact_count(before), after=as_exact_count(after)
                )
            )
        if self.n_suppressed and not self.with_suppressed:
            parts.append(_("without {n} suppressed").format(n=as_exact_count(self.n_suppressed)))
        n_values, n_cells = as_exact_count(len(self.values)), as_exact_count(len(self.bands))
        sentence = _("'{column}': values {n_values}, released cells {n_cells}.").format(
            column=self.column, n_values=n_values, n_cells=n_cells
        )
        return Statement(sentence, caption=" · ".join(parts))

    def blocks(self) -> tuple[Block, ...]:
        """Return the chart, the values of the input, and the texts of the release."""
        spread = FigureColumn(
            "after",
            _("After"),
            "records",
            _("Each released cell is spread evenly over the values it covers."),
        )
        values = FigureTable(
            "values",
            _("Values of {column}").format(column=self.column),
            (
                FigureColumn("value", _("Value")),
                FigureColumn("before", _("Before"), "records", _("Records of the input with this value.")),
                spread,
            ),
            _Rows(self.values, self.counts, self.spread),
            is_listed=False,
        )
        bands = FigureTable(
            "bands",
            _("Released cells of {column}").format(column=self.column),
            (
                FigureColumn("label", _("Released cell")),
                FigureColumn("values", _("Values"), "values", _("Number of values the cell covers.")),
                FigureColumn("records", _("Records"), "records", _("Released records with this cell.")),
            ),
            _Rows(self.bands.labels, self.bands.n_leaves, self.bands.n_records),
            is_listed=False,
        )
        return self._chart(), values, bands

    def _chart(self) -> Chart:
        labels, before, after = _bars(self)
        title = _("Release, spread over the values of each cell") if self.is_estimated else _("Release")
        return Chart(
            "distribution",
            self.column,
            "bars",
            _("values of {column}").format(column=self.column),
            _("records"),
            (Series(_("Input"), tuple(before), "input"), Series(title, tuple(after), "release")),
            labels=tuple(labels),
            reading="" if self.with_suppressed else _("Suppressed records are excluded from the release."),
        )


def _bars(found: DistributionFound) -> tuple[list[str], list[float], list[float]]:
    """Return one bar per value; if there are too many, neighbours share one."""
    n_values = len(found.values)
    each = -(-n_values // _MOST_BARS)
    if found.is_numeric or each == 1:
        chosen = np.arange(n_values)
    else:
        # Texts have no neighbours: the most frequent ones are drawn, the others together.
        chosen = np.argsort(-found.counts, kind="stable")
        each = 1
    firsts = list(range(0, n_values, each))
    if not found.is_numeric and n_values > _MOST_BARS:
        firsts = list(range(_MOST_BARS))
    ends = [*firsts[1:], n_values]
    labels = [
        _label(found, chosen[first:end].tolist(), is_rest=len(firsts) == _MOST_BARS and end - first > each)
        for first, end in zip(firsts, ends, strict=True)
    ]
    return labels, _sums(found.counts, chosen, firsts, ends), _sums(found.spread, chosen, firsts, ends)


def _label(found: DistributionFound, places: list[int], *, is_rest: bool) -> str:
    if is_rest and not found.is_numeric:
        return _("others")
    first, last = (found.values[place] or _("(missing)") for place in (places[0], places[-1]))
    return first if first == last else _("{first} to {last}").format(first=first, last=last)


def _sums(figures: Counts | FloatArray, chosen: IntArray, firsts: list[int], ends: list[int]) -> list[float]:
    return [float(figures[chosen[first:end]].sum()) for first, end in zip(firsts, ends, strict=True)]


@dataclass(frozen=True, eq=False)
class _Rows(Sequence[tuple[Figure, ...]]):
    """Rows of possibly very long columns, created when read."""

    labels: Sequence[str]
    first: Counts
    second: Counts | FloatArray

    def __len__(self) -> int:
        return len(self.labels)

    @overload
    def __getitem__(self, index: int) -> tuple[Figure, ...]: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[tuple[Figure, ...]]: ...
    def __getitem__(self, index: int | slice) -> tuple[Figure, ...] | Sequence[tuple[Figure, ...]]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        return self.labels[index], self.first[index].item(), self.second[index].item()

    def __iter__(self) -> Iterator[tuple[Figure, ...]]:
        return zip(self.labels, self.first.tolist(), self.second.tolist(), strict=True)


def _known(number: np.float64) -> float | None:
    return None if np.isnan(number) else float(number)


@utility_analyses.register("distribution")
@dataclass(frozen=True, slots=True)
class Distribution(Analysis):
    """Frequencies of a column; records of a coarse cell are distributed evenly over its values.

    If suppressed records are counted, they are a cell for all values. In columns that are not recoded they
    have their values, unless these are blanked or dropped.
    """

    title: ClassVar[str] = lazy("Distribution")
    summary: ClassVar[str] = lazy("How often each value occurs, before and after, on the same axis.")
    reading: ClassVar[str] = lazy(
        "Wide bars of the release cover several values of the input; their records are "
        "spread evenly. If both outlines agree, the release still shows the distribution "
        "of the column."
    )
    needs_kept: ClassVar[bool] = True
    report_place: ClassVar[int | None] = 150

    column: str = param(
        "", ColumnRef(label=N_("Column"), role="", help=N_("Empty: the first quasi-identifying column."))
    )
    with_suppressed: bool = param(
        False,
        Flag(
            label=N_("With suppressed records"),
            help=N_("Count them too, spread over all the values they hide."),
        ),
    )

    @classmethod
    def of_report(cls, subject: Subject) -> Mapping[str, Self]:
        return {name: cls(column=name) for name in subject.quasi_identifying}

    def why_not(self, subject: Subject) -> str:
        return subject.why_empty or subject.why_not_described(subject.named(self.column))

    def run(self, subject: Subject, monitor: Monitor = SILENT) -> DistributionFound:
        self.refuse_impossible(subject)
        monitor.step(0, 2, _("Counting values"))
        name, release = subject.named(self.column), subject.release
        subject.alone(name, PartMonitor(monitor, 0, 2))
        cells, is_starred = subject.cells(name), False
        if self.with_suppressed and release.n_suppressed:
            is_starred = _hides_suppressed(subject, name)
            if not is_starred:
                alone = subject.alone(name)
                cells = passed_cells(alone.column, np.ones(len(alone.kept), dtype=np.bool_))
        axis = cells.axis
        monitor.step(1, 2, _("Spreading released cells over the axis"))
        bands, spread = _bands(cells), cells.spread
        is_estimated = bool(cells.is_coarse.any())
        if is_starred:
            bands = _with_star(bands, release.n_suppressed, cells)
            everything = Runs.of_whole(_n_known(axis))
            spread = spread + everything.spread(np.array([release.n_suppressed]), axis.n_values)
            is_estimated = is_estimated or _n_known(axis) > 1
        return DistributionFound(
            column=name,
            data_type=axis.data_type,
            is_numeric=axis.is_numeric,
            unit="days" if axis.is_numeric and axis.data_type.kind is Kind.DATE else "",
            step=axis.step,
            values=axis.values,
            positions=axis.positions if axis.is_numeric else np.full(axis.n_values, np.nan),
            missing=axis.missing,
            counts=axis.counts,
            bands=bands,
            spread=spread,
            is_estimated=is_estimated,
            with_suppressed=self.with_suppressed,
            n_records=release.n_records,
            n_suppressed=release.n_suppressed,
        )


def _hides_suppressed(subject: Subject, name: str) -> bool:
    """Return whether the release has no values of suppressed records in a column."""
    return name in subject.quasi_identifying or subject.release.cells != KEPT


def _bands(cells: ReleasedCells) -> Bands:
    runs, is_numeric = cells.stands_for, cells.axis.is_numeric
    nothing = np.full(len(cells.labels), np.nan)
    return Bands(
        cells.labels,
        cells.low if is_numeric else nothing,
        cells.high if is_numeric else nothing,
        runs.lowest,
        runs.highest,
        runs.n_values,
        cells.counts,
        cells.is_hidden,
    )


def _n_known(axis: Axis) -> int:
    """Return the number of values of a hidden cell: all except missing, if there are others."""
    return max(axis.n_values - (axis.missing is not None), 1)


def _with_star(bands: Bands, n_suppressed: int, cells: ReleasedCells) -> Bands:
    """Return the bands with the suppressed records, which equal kept ones with a hidden cell."""
    alike = np.array([label == SUPPRESSED for label in bands.labels], dtype=np.bool_) & bands.is_hidden
    if alike.any():
        return replace(bands, n_records=bands.n_records + n_suppressed * alike)
    axis = cells.axis
    n_values = _n_known(axis)
    low, high = (axis.positions[0], axis.positions[axis.n_placed - 1]) if axis.is_numeric else (np.nan,) * 2
    return Bands(
        (*bands.labels, SUPPRESSED),
        np.append(bands.low, low),
        np.append(bands.high, high),
        np.append(bands.first, 0),
        np.append(bands.last, n_values - 1),
        np.append(bands.n_leaves, n_values),
        np.append(bands.n_records, n_suppressed),
        np.append(bands.is_hidden, True),
    )
