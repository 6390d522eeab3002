"""What every quasi-identifier loses: its level in words, and how many values are left."""

from __future__ import annotations

from dataclasses import dataclass

from engine.analysis.tables import FigureColumn, FigureTable


@dataclass(frozen=True)
class AttributeLoss:
    """One quasi-identifier.

    Attributes
    ----------
    name : str
    loss : float
        Share of its domain that a released cell stands for, rescaled so that original values cost 0 and
        hidden ones 1; suppressed records cost 1.
    level, last_level : int or None
        The lowest and highest level that kept records have; None where cells are aggregates.
    height : int
        The highest level of its hierarchy.
    words : str
        Such as "20-year bands", "kept", or "mean of each class".
    values_before, values_after : int
        Different values of the input, and different cells of the kept records.
    """

    name: str
    loss: float
    level: int | None
    last_level: int | None
    height: int
    words: str
    values_before: int
    values_after: int

    @property
    def summary(self) -> str:
        """Level and values, such as "level 2 of 3 · 14 to 1 value"."""
        noun = "value" if self.values_after == 1 else "values"
        values = f"{self.values_before:,} to {self.values_after:,} {noun}"
        if self.level is None:
            return f"{self.words} · {values}"
        levels = f"{self.level}" if self.level == self.last_level else f"{self.level} to {self.last_level}"
        return f"level{'s' if self.level != self.last_level else ''} {levels} of {self.height} · {values}"


@dataclass(frozen=True)
class LossByAttributeFound:
    """The quasi-identifiers in the order of the lattice.

    Attributes
    ----------
    attributes : tuple of AttributeLoss
    loss : float
        The metric "loss" of the release: the losses joined by a geometric mean.
    share_suppressed : float
        Which part of the records is suppressed, and so costs 1 in every attribute.
    """

    attributes: tuple[AttributeLoss, ...]
    loss: float
    share_suppressed: float

    def tables(self) -> tuple[FigureTable, ...]:
        """A row per quasi-identifier."""
        rows = tuple(
            (a.name, a.loss, a.level, a.last_level, a.height, a.words, a.values_before, a.values_after)
            for a in self.attributes
        )
        return (FigureTable("loss_by_attribute", "Loss by attribute", _COLUMNS, rows),)


_COLUMNS = (
    FigureColumn("column", "Column"),
    FigureColumn(
        "loss",
        "Loss",
        "",
        "Share of the domain that a cell stands for; 0 = values kept, 1 = all hidden.",
        True,
    ),
    FigureColumn("level", "Lowest level"),
    FigureColumn("last_level", "Highest level"),
    FigureColumn("height", "Levels"),
    FigureColumn("words", "In words"),
    FigureColumn("values_before", "Values before", "values"),
    FigureColumn("values_after", "Values after", "values", "Different cells of the kept records."),
)
