"""Findings of an analysis: sentence and blocks, which window, report, command and notebook render."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from typing import Any, Literal, Self, TypeAlias, TypeVar, dataclass_transform

from engine.words import Translated

Tone: TypeAlias = Literal["text", "ok", "warn", "danger"]


Figure: TypeAlias = str | int | float | None
SideKey: TypeAlias = Literal["input", "release"]
INPUT: SideKey = "input"
RELEASE: SideKey = "release"
SHARE = "%"  # unit of fractions, which are displayed as percentages


class _Measured:
    """Value with a unit."""

    unit: str

    @property
    def is_share(self) -> bool:
        """Return whether its numbers are fractions."""
        return bool(vars(self)["unit"] == SHARE)  # as declared, in whatever language it is read


@dataclass(frozen=True)
class FigureColumn(_Measured):
    """Column of a table of values.

    Attributes
    ----------
    key : str
        Name in files and programs; it never changes.
    title : str
        Displayed name.
    unit : str
        Unit such as "records" or "percentage points", or `SHARE`; empty for a text or a pure number.
    explanation : str
        Meaning of its values, in one plain sentence.
    decimals : int or None
        Of its percentages in a window; by default those of the page.
    look : {"", "bar", "steps", "height", "times"}
        A share with a bar; in a report a level as the level glyph, whose highest level is in the column
        "height", which has no place of its own; in a window a multiple, with a bar from 1.
    total : int or None
        Known number of records or people of which its counts are a part, so that the rest follows too.
    is_internal : bool
        Whether only readers who may see the input may read it.
    is_of_choice : bool
        Whether it tells how the node was chosen, so that readers may learn more about single records.
    is_listed : bool
        Whether it is displayed; otherwise only files and programs have it, such as keys.
    """

    key: str
    title: str = Translated(None)  # type: ignore[assignment]
    unit: str = Translated()  # type: ignore[assignment]
    explanation: str = Translated()  # type: ignore[assignment]
    total: int | None = None
    is_internal: bool = False
    is_of_choice: bool = False
    is_listed: bool = True
    decimals: int | None = None
    look: Literal["", "bar", "steps", "height", "times"] = ""


_T = TypeVar("_T")
Shown: TypeAlias = tuple[FigureColumn, Callable[[_T], Figure]]


@dataclass(frozen=True)
class Fold:
    """Rows behind one line of a window, which has the title and the figures of one of them, or of none."""

    title: str
    rows: tuple[int, ...]
    shown: int | None = None


@dataclass(frozen=True)
class FigureTable:
    """Table of values.

    Attributes
    ----------
    rows : sequence of tuple
        One value per column; None if a value does not exist, infinity if it is unbounded.
    is_by_record : bool
        Whether rows describe single records or classes, so that only readers who may see the input may
        read them.
    is_listed : bool
        Whether it is displayed; otherwise only files and programs have it, such as the values of a chart.
    tones : sequence of {"text", "ok", "warn", "danger"}
        Rating of each row; empty if none is rated.
    are_verdicts : bool
        Whether the ratings are verdicts, which a window also marks by signs.
    details : sequence of str
        What a window says of the row that is chosen, perhaps made when it is asked for; empty if nothing.
    is_shaded : bool
        Whether a window shades numbers by their size, negative ones in another colour.
    changes : sequence of sequences of int
        In a report, how much each cell was changed: 0 for not at all, 3 for hidden; empty for other tables.
    folds : sequence of Fold
        Rows that a window shows only on request.
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
    are_verdicts: bool = False
    changes: Sequence[Sequence[int]] = ()
    folds: Sequence[Fold] = ()

    @classmethod
    def of(cls, key: str, title: str, kind: type, values: Iterable[Any], **further: Any) -> Self:
        """Return a table with a row for each value, and the columns that their class declares."""
        return cls(key, title, columns_of(kind), tuple(map(row_of, values)), **further)

    @classmethod
    def of_items(
        cls, key: str, title: str, shown: Sequence[Shown[_T]], items: Iterable[_T], **further: Any
    ) -> Self:
        """Return a table with a row for each item; every column comes with what it shows of an item."""
        rows = tuple(tuple(figure(item) for _column, figure in shown) for item in items)
        return cls(key, title, tuple(column for column, _figure in shown), rows, **further)


_DECLARED, _SHOWN = "column", "shown"  # metadata of a field


def as_column(
    title: str,
    unit: str = "",
    explanation: str = "",
    *,
    key: str = "",
    is_listed: bool = True,
    shown: Callable[[Any], Figure] | None = None,
    default: Any = MISSING,
) -> Any:
    """Declare a field of a class of rows as a column, whose key is by default the name of the field.

    `shown` returns the figure of a value that is none itself, or is displayed otherwise.
    """
    column = (title, unit, explanation, None, False, is_listed)
    return field(default=default, metadata={_DECLARED: (key, column), _SHOWN: shown})


@dataclass_transform(frozen_default=True, field_specifiers=(as_column,))
def figure_row(kind: type[_T]) -> type[_T]:
    """Make a class of rows: a frozen dataclass of which some fields are columns, by `as_column`."""
    return dataclass(frozen=True)(kind)


def columns_of(kind: type) -> tuple[FigureColumn, ...]:
    """Return the columns that a class of rows declares."""
    declared = [(own.name, *own.metadata[_DECLARED]) for own in _declared(kind)]
    return tuple(FigureColumn(key or name, *column) for name, key, column in declared)


def row_of(value: Any) -> tuple[Figure, ...]:
    """Return the figures of a value, one for each column of its class."""
    found = ((getattr(value, own.name), own.metadata[_SHOWN]) for own in _declared(type(value)))
    return tuple(own if shown is None else shown(own) for own, shown in found)


def _declared(kind: type) -> list[Any]:
    return [own for own in fields(kind) if _DECLARED in own.metadata]


@dataclass(frozen=True)
class Paragraph:
    """Sentences; `tone` is "plain", "note" for remarks on adjacent blocks, or "strong".

    Clauses of a verdict have the tones "ok", "warn" and "danger", each with its mark, and what they rest on
    as `basis`. A box around a sentence says in which section its reasons are (`refers`).
    """

    text: str
    tone: str = "plain"
    basis: str = ""
    refers: str = ""


@dataclass(frozen=True)
class Fact(_Measured):
    """Value or text with its name, and the rating of the value; fields as those of `FigureColumn`."""

    key: str
    title: str
    value: Figure
    unit: str = ""
    explanation: str = ""
    total: int | None = None
    is_internal: bool = False
    is_of_choice: bool = False
    tone: Tone = "text"


@dataclass(frozen=True)
class Facts:
    """List of related facts; as "tiles" with large values or a "line" of small ones they share a row."""

    key: str
    title: str
    facts: tuple[Fact, ...]
    look: Literal["list", "tiles", "line"] = "list"


@dataclass(frozen=True)
class Series:
    """Values of a chart drawn in one style: of the "input", the "release", or "other".

    Only curves and dots have positions of their own. A value that does not exist is nan; `intervals` are the
    ends of the intervals of the values, if there are any. Dots are the nodes that satisfy ("satisfies") and
    those that do not ("fails"), the "front" of nodes of which none is better in both, and the "release". A
    "price" is a difference.
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
    kind : str
        "bars": one group of vertical bars per label; "rows": one group of horizontal bars per label;
        "steps": a line that is constant up to the next position; only in the window "curves": a line through
        the positions of each series, and "lines": joined points on a logarithmic axis; only in a report
        "dots": a point per node, by its share of suppressed records on a square-root axis.
    x_title, y_title : str
        Titles of the axes with the unit; horizontal bars have their labels on the y axis.
    labels, captions : tuple of str
        Labels of bars and rows, and the captions below them; empty for steps, captions also elsewhere.
    explanations : tuple of str
        Meaning of each row; empty if the labels suffice.
    positions : tuple of float
        Positions of steps or points in ascending order; empty for other charts.
    edges : tuple of str
        Edges of the first bars if these are ranges; empty otherwise.
    marks : tuple of (float, str)
        Marked positions, each with its text.
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

    def named_values(self) -> Mapping[str, Any]:
        """Return the main values by name, for programs; empty if all are in tables."""
        return {}
