"""How strongly all pairs of columns go together, before and after."""

from __future__ import annotations

from dataclasses import dataclass

from engine.analysis.tables import FigureColumn, FigureTable


@dataclass(frozen=True)
class Association:
    """Two columns.

    Attributes
    ----------
    first, second : str
    measure : str
        "correlation" where both hold numbers or dates, else "cramers_v".
    before, after : float or None
        By that measure; None where it does not exist, such as for a column of one value.
    cramers_v_before, cramers_v_after : float or None
        Corrected for bias, of all pairs; by the labels of the release.
    """

    first: str
    second: str
    measure: str
    before: float | None
    after: float | None
    cramers_v_before: float | None
    cramers_v_after: float | None


@dataclass(frozen=True)
class AssociationsFound:
    """All pairs of columns that the release has values of.

    Attributes
    ----------
    columns : tuple of str
        In the order of the table.
    pairs : tuple of Association
        Each pair once, the columns in that order.
    left_out : tuple of str
        Columns without values in the release.
    """

    columns: tuple[str, ...]
    pairs: tuple[Association, ...]
    left_out: tuple[str, ...]

    def pair(self, one: str, other: str) -> Association:
        """The association of two columns, in any order."""
        return next(pair for pair in self.pairs if {pair.first, pair.second} == {one, other})

    def tables(self) -> tuple[FigureTable, ...]:
        """A row per pair."""
        rows = tuple(
            (p.first, p.second, p.measure, p.before, p.after, p.cramers_v_before, p.cramers_v_after)
            for p in self.pairs
        )
        return (FigureTable("associations", "Associations", _COLUMNS, rows),)


_COLUMNS = (
    FigureColumn("first", "Column"),
    FigureColumn("second", "With"),
    FigureColumn("measure", "Measure"),
    FigureColumn("before", "Before", "", "From 0, nothing in common, to 1; correlations from -1 to 1."),
    FigureColumn("after", "After", "", "The same in the release."),
    FigureColumn("cramers_v_before", "Cramer's V before"),
    FigureColumn("cramers_v_after", "Cramer's V after"),
)
