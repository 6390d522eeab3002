"""Findings of an analysis: sentence and blocks, which window, report, command and notebook render."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from engine.words import Translated

Tone: TypeAlias = Literal["text", "ok", "warn", "danger"]


Figure: TypeAlias = str | int | float | None


@dataclass(frozen=True)
class FigureColumn:
    """Column of a table of values.

    Attributes
    ----------
    key : str
        Name in files and programs; it never changes.
    title : str
        Displayed name.
    unit : str
        Unit such as "records" or "percentage points"; empty for a text or a pure number.
    explanation : str
        Meaning of its values, in one plain sentence.
    is_share : bool
        Whether its numbers are fractions, displayed as percentages.
    decimals : int or None
        Of its percentages in a window; by default those of the page.
    total : int or None
        Known number of records or people of which its counts are a part, so that the rest follows too.
    is_internal : bool
        Whether only readers who may see the input may read it.
    is_listed : bool
        Whether it is displayed; otherwise only files and programs have it, such as keys.
    """

    key: str
    title: str = Translated(None)  # type: ignore[assignment]
    unit: str = Translated()  # type: ignore[assignment]
    explanation: str = Translated()  # type: ignore[assignment]
    is_share: bool = False
    total: int | None = None
    is_internal: bool = False
    is_listed: bool = True
    decimals: int | None = None


@dataclass(frozen=True)
class FigureTable:
    """Table of values.

    Attributes
    ----------
    key, title : str
    columns : tuple of FigureColumn
    rows : sequence of tuple
        One value per column; None if a value does not exist, infinity if it is unbounded.
    is_by_record : bool
        Whether rows describe single records or classes, so that only readers who may see the input may
        read them.
    is_listed : bool
        Whether it is displayed; otherwise only files and programs have it, such as the values of a chart.
    tones : sequence of {"text", "ok", "warn", "danger"}
        Rating of each row; empty if none is rated.
    details : sequence of str
        What a window says of the row that is chosen, perhaps made when it is asked for; empty if nothing.
    is_shaded : bool
        Whether a window shades numbers by their size, negative ones in another colour.
    """

    key: str
    title: str
    columns: tuple[FigureColumn, ...]
    rows: Sequence[tuple[Figure, ...]]
    is_by_record: bool = False
    is_listed: bool = True
    tones: Sequence[Tone] = ()
    details: Sequence[str] = ()
    is_shaded: bool = False


@dataclass(frozen=True)
class Paragraph:
    """Sentences; `tone` is "plain", "note" for remarks on adjacent blocks, or "strong".

    Clauses of a verdict have the tones "ok", "warn" and "danger", each with the mark of `MARKS`.
    """

    text: str
    tone: str = "plain"


@dataclass(frozen=True)
class Fact:
    """Value or text with its name, and the rating of the value; fields as those of `FigureColumn`."""

    key: str
    title: str
    value: Figure
    unit: str = ""
    explanation: str = ""
    is_share: bool = False
    total: int | None = None
    is_internal: bool = False
    tone: Tone = "text"


@dataclass(frozen=True)
class Facts:
    """List of related facts."""

    key: str
    title: str
    facts: tuple[Fact, ...]


@dataclass(frozen=True)
class Series:
    """Values of a chart drawn in one style: of the "input", the "release", or "other".

    Only curves have positions of their own. A value that does not exist is nan; `intervals` are the
    ends of the intervals of the values, if there are any.
    """

    title: str
    values: tuple[float, ...]
    side: str = "release"
    positions: tuple[float, ...] = ()
    intervals: tuple[tuple[float, float], ...] = ()


@dataclass(frozen=True)
class Chart:
    """Chart as data; charts of one key are alternatives, chosen by their titles.

    Attributes
    ----------
    key, title : str
    kind : str
        "bars": one group of vertical bars per label; "rows": one group of horizontal bars per label;
        "steps": a line that is constant up to the next position; only in the window "curves": a line through
        the positions of each series, and "lines": joined points on a logarithmic axis.
    x_title, y_title : str
        Titles of the axes with the unit; horizontal bars have their labels on the y axis.
    labels, captions : tuple of str
        Labels of bars and rows, and what stands below each of them; empty for steps, captions also elsewhere.
    explanations : tuple of str
        Meaning of each row; empty if the labels suffice.
    positions : tuple of float
        Positions of steps or points in ascending order; empty for other charts.
    edges : tuple of str
        Edges of the first bars if these are ranges; empty otherwise.
    marks : tuple of (float, str)
        Marked positions, each with its text.
    series : tuple of Series
    is_share : bool
        Whether the values are fractions.
    decimals : int
        Of the percentages of a window.
    is_relative : bool
        Whether the longest row is as long as its largest value, instead of 1.
    reading : str
        How to read the chart, in one sentence.

    Raises
    ------
    ValueError
        If an axis has no title, because the chart cannot be read without it.
    """

    key: str
    title: str
    kind: str
    x_title: str
    y_title: str
    series: tuple[Series, ...]
    labels: tuple[str, ...] = ()
    positions: tuple[float, ...] = ()
    is_share: bool = False
    decimals: int = 2
    is_relative: bool = False
    reading: str = ""
    captions: tuple[str, ...] = ()
    explanations: tuple[str, ...] = ()
    edges: tuple[str, ...] = ()
    marks: tuple[tuple[float, str], ...] = ()

    def __post_init__(self) -> None:
        if not self.x_title.strip() or not self.y_title.strip():
            raise ValueError(f"an axis of the chart {self.key} has no title")


@dataclass(frozen=True)
class Source:
    """Text shown verbatim, such as a recipe."""

    key: str
    title: str
    text: str


@dataclass(frozen=True)
class Signatures:
    """Signature lines, one per person."""

    people: tuple[str, ...]


Block: TypeAlias = Paragraph | Facts | FigureTable | Chart | Source | Signatures


@dataclass(frozen=True, slots=True)
class Statement:
    """Main result of an analysis in words, for window, report and command.

    Attributes
    ----------
    sentence : str
        Most important result, in one sentence.
    tone : {"text", "ok", "warn", "danger"}
        Rating of the result.
    caption : str
        Noun phrase next to the title; empty if the title suffices.
    """

    sentence: str
    tone: Tone = "text"
    caption: str = ""


class Findings:
    """Result of an analysis, a frozen dataclass of figures that gives its own words and blocks."""

    __slots__ = ()

    @abstractmethod
    def statement(self) -> Statement:
        """Return the result in words."""

    @abstractmethod
    def blocks(self) -> tuple[Block, ...]:
        """Return all values in full precision, in the order in which they are read."""

    def tables(self) -> tuple[FigureTable, ...]:
        """Return the blocks that are tables of values."""
        return tuple(block for block in self.blocks() if isinstance(block, FigureTable))
