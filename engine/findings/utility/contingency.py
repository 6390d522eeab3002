"""Contingency table of two columns: records of every pair of values, before and after."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from engine.findings.base import Analysis, utility_analyses
from engine.findings.blocks import (
    Block,
    Figure,
    FigureColumn,
    FigureTable,
    Findings,
    Paragraph,
    Statement,
)
from engine.findings.common_labels import CommonLabels, common_labels
from engine.findings.subject import Subject
from engine.findings.utility.associations import (
    correlation_after,
    correlation_before,
    cramers_v,
    crossed,
    crossed_before,
    released_pairs,
)
from engine.kernels.arrays import FloatArray
from engine.monitor import SILENT, Monitor, PartMonitor
from engine.numbers import as_decimal
from engine.params import Choice, ColumnRef, param
from engine.words import N_, _, lazy, pgettext


@dataclass(frozen=True, eq=False)
class ContingencyFound(Findings):
    """Contingency table of two columns on both sides, with the same labels.

    Attributes
    ----------
    row, column : str
        Names of the columns.
    row_labels, column_labels : tuple of str
        At most 500 each; beyond, numbers are binned and the rarest texts are joined as "other".
    before, after : ndarray of float64, shape (n_rows, n_columns)
        Records of the input, and kept records; fractions if a released cell has several labels and is
        distributed evenly.
    row_note, column_note : str
        How labels were changed, in a sentence, such as that rare ones were joined; empty if unchanged.
    cramers_v_before, cramers_v_after : float or None
        Association from 0 to 1, corrected for bias; None if a side has fewer than two labels.
    correlation_before, correlation_after : float or None
        Pearson's correlation, if both columns have numbers or dates that vary.
    shown : str
        Table that is displayed: "change", "before" or "after"; empty for the list of pairs. More than 60
        labels are also displayed as a list.
    """

    row: str
    column: str
    row_labels: tuple[str, ...]
    column_labels: tuple[str, ...]
    before: FloatArray
    after: FloatArray
    row_note: str
    column_note: str
    cramers_v_before: float | None
    cramers_v_after: float | None
    correlation_before: float | None
    correlation_after: float | None
    shown: str = ""

    @property
    def n_before(self) -> float:
        """Records of the input."""
        return float(self.before.sum())

    @property
    def n_after(self) -> float:
        """Kept records."""
        return float(self.after.sum())

    @property
    def shares_before(self) -> FloatArray:
        """Share of the input's records per pair of labels."""
        return self.before / max(self.n_before, 1.0)

    @property
    def shares_after(self) -> FloatArray:
        """Share of the kept records per pair of labels."""
        return self.after / max(self.n_after, 1.0)

    @property
    def difference(self) -> FloatArray:
        """Share after minus share before, in percentage points."""
        return 100.0 * (self.shares_after - self.shares_before)

    def statement(self) -> Statement:
        before, after = (
            pgettext("value", "none") if value is None else as_decimal(value)
            for value in (self.cramers_v_before, self.cramers_v_after)
        )
        return Statement(
            _("Of '{row}' and '{column}', Cramer's V is {before} before and {after} after.").format(
                row=self.row, column=self.column, before=before, after=after
            )
        )

    def blocks(self) -> tuple[Block, ...]:
        """Return one row per occurring pair of labels, and the association."""
        rows, columns = np.nonzero((self.before > 0) | (self.after > 0))
        cells: list[tuple[Figure, ...]] = [
            (self.row_labels[i], self.column_labels[j], before, after, points)
            for i, j, before, after, points in zip(
                rows.tolist(),
                columns.tolist(),
                self.before[rows, columns].tolist(),
                self.after[rows, columns].tolist(),
                self.difference[rows, columns].tolist(),
                strict=True,
            )
        ]
        heads = (
            FigureColumn("row", self.row),
            FigureColumn("column", self.column),
            FigureColumn("before", _("Before"), "records"),
            FigureColumn(
                "after", _("After"), "records", _("Kept records; cells that cover several values are spread.")
            ),
            FigureColumn(
                "difference", _("Difference"), _("percentage points"), _("Share after minus share before.")
            ),
        )
        measures: list[tuple[Figure, ...]] = [
            (_("Cramer's V"), self.cramers_v_before, self.cramers_v_after),
            (_("Correlation"), self.correlation_before, self.correlation_after),
        ]
        is_crossed = self.shown and max(self.before.shape) <= MOST_CROSSED
        notes = " · ".join(note for note in (self.row_note, self.column_note) if note)
        return (
            *([Paragraph(notes)] if notes else []),
            *([self._crossed()] if is_crossed else []),
            FigureTable(
                "contingency",
                _("'{row}' and '{column}'").format(row=self.row, column=self.column),
                heads,
                tuple(cells),
                is_listed=not is_crossed,
            ),
            FigureTable("association", _("Association"), ASSOCIATION, tuple(measures)),
        )

    def _crossed(self) -> FigureTable:
        """Return the displayed table with a column per label."""
        titles = {
            "change": _("{pair}: change of each cell's share of records, in percentage points"),
            "before": _("{pair}: records of the input"),
            "after": _("{pair}: records of the release, spread evenly if a cell covers several values"),
        }
        values = {"change": self.difference, "before": self.before, "after": self.after}[self.shown]
        columns = [
            FigureColumn(f"column.{place}", label or _("(missing)"))
            for place, label in enumerate(self.column_labels)
        ]
        rows: list[tuple[Figure, ...]] = [
            (label or _("(missing)"), *own)
            for label, own in zip(self.row_labels, values.tolist(), strict=True)
        ]
        title = titles[self.shown].format(pair=f"{self.row} × {self.column}")
        return FigureTable("crossed", title, (FigureColumn("row", self.row), *columns), rows, is_shaded=True)


MOST_CROSSED = 60  # labels of a table that has a column for each
ASSOCIATION = (
    FigureColumn("measure", N_("Measure", "noun")),
    FigureColumn("before", N_("Before")),
    FigureColumn("after", N_("After")),
)


@utility_analyses.register("contingency")
@dataclass(frozen=True, slots=True)
class Contingency(Analysis):
    """Joint frequencies of two columns, and their association.

    Both sides use the same labels: input values count by their released label. A cell with several labels is
    distributed evenly over its values, independently in both columns.

    References
    ----------
    .. [1] Bergsma (2013). A bias-correction for Cramer's V and Tschuprow's T. Journal of the Korean
       Statistical Society 42(3).
    """

    title: ClassVar[str] = lazy("Contingency")
    summary: ClassVar[str] = lazy("How often the values of two columns occur together, before and after.")
    reading: ClassVar[str] = lazy(
        "The difference shows where the release deviates from the input: 0 percentage points "
        "mean the same share of records. Cramer's V is 0 if the columns are not associated "
        "and 1 if one determines the other; it is corrected for chance. Values for the "
        "release exclude suppressed records."
    )
    source: ClassVar[str] = "Bergsma 2013"
    needs_kept: ClassVar[bool] = True

    row: str = param(
        "", ColumnRef(label=N_("Rows"), role="", help=N_("Empty: the first quasi-identifying column."))
    )
    column: str = param("", ColumnRef(label=N_("Columns"), role="", help=N_("Empty: the next one.")))
    at: str = param(
        "release",
        Choice(
            label=N_("Labels of"),
            help=N_("Labels of the input are more detailed, but released cells must be spread over them."),
            options=(("release", N_("the release")), ("input", N_("the input"))),
        ),
    )

    def why_not(self, subject: Subject) -> str:
        if subject.why_empty:
            return subject.why_empty
        row, column = self._names(subject)
        if row == column:
            return _("'{row}' is chosen twice; choose two different columns.").format(row=row)
        return subject.why_not_comparable(row) or subject.why_not_comparable(column)

    def run(self, subject: Subject, monitor: Monitor = SILENT) -> ContingencyFound:
        self.refuse_impossible(subject)
        monitor.step(0, 3, _("Finding the labels of both columns"))
        rows, columns = (
            common_labels(subject, name, of_input=self.at == "input") for name in self._names(subject)
        )
        return contingency(rows, columns, monitor)

    def _names(self, subject: Subject) -> tuple[str, str]:
        row = subject.named(self.row)
        return row, subject.named(self.column, other_than=row)


def contingency(rows: CommonLabels, columns: CommonLabels, monitor: Monitor = SILENT) -> ContingencyFound:
    """Count two columns by their common labels."""
    monitor.step(1, 3, _("Counting pairs of labels"))
    before = crossed_before(rows, columns)
    pairs = released_pairs(rows.cells, columns.cells)
    after = crossed(pairs, rows, columns, PartMonitor(monitor, 1, 3))
    monitor.step(2, 3, _("Measuring the association"))
    return ContingencyFound(
        row=rows.cells.axis.name,
        column=columns.cells.axis.name,
        row_labels=rows.labels,
        column_labels=columns.labels,
        before=before.astype(np.float64),
        after=after,
        row_note=rows.note,
        column_note=columns.note,
        cramers_v_before=cramers_v(before),
        cramers_v_after=cramers_v(after),
        correlation_before=correlation_before(rows.cells.axis, columns.cells.axis),
        correlation_after=correlation_after(pairs, rows.cells, columns.cells),
    )
