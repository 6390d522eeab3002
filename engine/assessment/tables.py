"""The figures of an analysis as a table: what pictures, files and reports all read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

Figure: TypeAlias = str | int | float | None


@dataclass(frozen=True)
class FigureColumn:
    """What stands in a column of figures.

    Attributes
    ----------
    key : str
        The name that files and programs know it by; it never changes.
    title : str
        The name that people read.
    unit : str
        Such as "records" or "percentage points"; empty for a text or a pure number.
    explanation : str
        What a number in it means, in one plain sentence.
    is_share : bool
        Whether its numbers are fractions, which people read as percentages.
    """

    key: str
    title: str
    unit: str = ""
    explanation: str = ""
    is_share: bool = False


@dataclass(frozen=True)
class FigureTable:
    """Rows of figures.

    Attributes
    ----------
    key, title : str
    columns : tuple of FigureColumn
    rows : sequence of tuple
        One figure per column; None where a figure does not exist, infinity where it has no bound.
    is_by_record : bool
        Whether rows tell of single records or classes of them, so that only those who hold the input may
        read them.
    """

    key: str
    title: str
    columns: tuple[FigureColumn, ...]
    rows: Sequence[tuple[Figure, ...]]
    is_by_record: bool = False
