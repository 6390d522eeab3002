"""How large the equivalence classes are, before and after."""

from __future__ import annotations

from dataclasses import dataclass

from engine.analysis.tables import FigureColumn, FigureTable
from engine.measuring.utility import ClassSizes as SizeFigures


@dataclass(frozen=True)
class SizeBin:
    """Classes of some size.

    Attributes
    ----------
    low, high : int
        Sizes from `low` to `high`, both included.
    classes_before, records_before : int
        In the input.
    classes_after, records_after : int
        Among the kept classes of the release.
    """

    low: int
    high: int
    classes_before: int
    records_before: int
    classes_after: int
    records_after: int

    @property
    def label(self) -> str:
        """The sizes as people write them."""
        return f"{self.low:,}" if self.low == self.high else f"{self.low:,}-{self.high:,}"


@dataclass(frozen=True)
class ClassSizesFound:
    """Sizes of equivalence classes.

    Attributes
    ----------
    before : engine.measuring.utility.ClassSizes
        Of the input: count, minimum, maximum, mean and median.
    after : engine.measuring.utility.ClassSizes or None
        Of the kept classes; None where nothing is kept.
    with_suppressed : engine.measuring.utility.ClassSizes
        Of the kept classes and, as one more class, all suppressed records: they look alike.
    bins : tuple of SizeBin
        The histogram: sizes 1 to 9 one by one where no class is larger, else from each power of two to
        the next.
    n_records, n_suppressed : int
    """

    before: SizeFigures
    after: SizeFigures | None
    with_suppressed: SizeFigures
    bins: tuple[SizeBin, ...]
    n_records: int
    n_suppressed: int

    def tables(self) -> tuple[FigureTable, ...]:
        """The figures, and the histogram."""
        sides = (("before", self.before), ("after", self.after), ("with suppressed", self.with_suppressed))
        figures = tuple(
            (name, side.count, side.minimum, side.maximum, side.mean, side.median)
            for name, side in sides
            if side is not None
        )
        bins = tuple(
            (b.low, b.high, b.classes_before, b.records_before, b.classes_after, b.records_after)
            for b in self.bins
        )
        return (
            FigureTable("class_sizes", "Class sizes", _FIGURES, figures),
            FigureTable("histogram", "Classes by size", _BINS, bins),
        )


_FIGURES = (
    FigureColumn("side", "Side"),
    FigureColumn("classes", "Classes", "classes", "Groups of records that look alike."),
    FigureColumn("smallest", "Smallest", "records", "Nobody hides among fewer."),
    FigureColumn("largest", "Largest", "records"),
    FigureColumn("mean", "Mean", "records", "Records per class."),
    FigureColumn("median", "Median", "records", "Half of the classes are at most so large."),
)
_BINS = (
    FigureColumn("from", "From", "records"),
    FigureColumn("to", "To", "records"),
    FigureColumn("classes_before", "Classes before", "classes"),
    FigureColumn("records_before", "Records before", "records"),
    FigureColumn("classes_after", "Classes after", "classes"),
    FigureColumn("records_after", "Records after", "records"),
)
