"""How two columns go together: the records of every pair of values, before and after."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.analysis.tables import Figure, FigureColumn, FigureTable
from engine.kernels.arrays import Reals

OTHER = "other"  # what labels beyond the largest table are joined to


@dataclass(frozen=True, eq=False)
class ContingencyFound:
    """The table of two columns on both sides, in the same labels.

    Attributes
    ----------
    row, column : str
        Names of the columns.
    row_labels, column_labels : tuple of str
        At most 500 each; beyond, `OTHER` is the last.
    before, after : ndarray of float64, shape (n_rows, n_columns)
        Records of the input, and of the kept records; fractions where a released cell stands for more
        than a label and is spread evenly.
    row_note, column_note : str
        What was done to the labels, in a sentence, such as that rare ones were joined; empty for nothing.
    cramers_v_before, cramers_v_after : float or None
        Association from 0 to 1, corrected for bias; None where a side has fewer than two labels.
    correlation_before, correlation_after : float or None
        Pearson's, where both columns hold numbers or dates that vary.
    is_estimated : bool
        Whether released cells had to be spread over labels.
    """

    row: str
    column: str
    row_labels: tuple[str, ...]
    column_labels: tuple[str, ...]
    before: Reals
    after: Reals
    row_note: str
    column_note: str
    cramers_v_before: float | None
    cramers_v_after: float | None
    correlation_before: float | None
    correlation_after: float | None
    is_estimated: bool

    @property
    def n_before(self) -> float:
        """Records of the input."""
        return float(self.before.sum())

    @property
    def n_after(self) -> float:
        """Kept records."""
        return float(self.after.sum())

    @property
    def shares_before(self) -> Reals:
        """Share of the input's records per pair of labels."""
        return self.before / max(self.n_before, 1.0)

    @property
    def shares_after(self) -> Reals:
        """Share of the kept records per pair of labels."""
        return self.after / max(self.n_after, 1.0)

    @property
    def difference(self) -> Reals:
        """Share after less share before, in percentage points."""
        return 100.0 * (self.shares_after - self.shares_before)

    def tables(self) -> tuple[FigureTable, ...]:
        """A row per pair of labels that occurs, and the association."""
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
            FigureColumn("before", "Before", "records"),
            FigureColumn("after", "After", "records", "Kept records; cells that stand for more are spread."),
            FigureColumn("difference", "Difference", "percentage points", "Share after less share before."),
        )
        measures: list[tuple[Figure, ...]] = [
            ("Cramer's V", self.cramers_v_before, self.cramers_v_after),
            ("Correlation", self.correlation_before, self.correlation_after),
        ]
        return (
            FigureTable("contingency", f"{self.row} and {self.column}", heads, tuple(cells)),
            FigureTable("association", "Association", ASSOCIATION, tuple(measures)),
        )


ASSOCIATION = (
    FigureColumn("measure", "Measure"),
    FigureColumn("before", "Before"),
    FigureColumn("after", "After"),
)
