"""Selection of the columns of a file, and their names in the table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from engine.cached import cached_property
from engine.errors import ParameterError, TableError, nearest
from engine.records.raw import FileColumns
from engine.words import _


@dataclass(frozen=True)
class TakenColumn:
    """A selected column of the file, and its name in the table.

    Attributes
    ----------
    source : str or int
        Its heading in the file; its position, counted from 1, only if it has none.
    previous, next : str or None
        Headings of the columns before and after one that its heading alone does not identify, empty for none;
        None if there is no such column. If both are None, they are not compared.
    occurrence : int
        Which of several columns with this heading it is, counted from 1.
    """

    source: str | int
    name: str
    previous: str | None = None
    next: str | None = None
    occurrence: int = 1

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Self:
        """Return the column that a recipe entry describes; one selected by its name may keep it."""
        source = values.get("source")
        if isinstance(source, bool) or not isinstance(source, (str, int)) or source in ("", 0):
            raise ParameterError(
                _("'source' is missing or is neither a name nor a position."),
                hint=_('Add source = "name", or the position of a column without a name, counted from 1.'),
            )
        name = values.get("name", source)
        if not isinstance(name, str) or not name:
            raise ParameterError(_("'name' is missing or is not a text."), hint=_('Add name = "...".'))
        before, after = values.get("previous"), values.get("next")
        if not (isinstance(before, str | None) and isinstance(after, str | None)):
            raise ParameterError(
                _("'previous' or 'next' is not a text."),
                hint=_("Write the headings of the columns before and after it."),
            )
        occurrence = values.get("occurrence", 1)
        if isinstance(occurrence, bool) or not isinstance(occurrence, int) or occurrence < 1:
            raise ParameterError(
                _("'occurrence' is not a whole number of at least 1."),
                hint=_("Count the columns with this heading from 1."),
            )
        return cls(source, name, before, after, occurrence)


def names_apart(headings: Sequence[str]) -> tuple[str, ...]:
    """Return a unique name for every column of a file.

    Parameters
    ----------
    headings : sequence of str
        As written in the file. A column without one is named by its position, and a repeated heading gets a
        number.
    """
    given: dict[str, None] = {}
    known = set(headings)
    last: dict[str, int] = {}  # numbers given to a name
    for place, name in enumerate(headings, start=1):
        wanted = name if name.strip() else f"column {place}"
        own, number = wanted, last.get(wanted, 1)
        while own in given or (own != name and own in known):
            number += 1
            own = f"{wanted} ({number})"
        last[wanted] = number
        given[own] = None
    return tuple(given)


def selection(headings: Sequence[str], chosen: Iterable[tuple[int, str]]) -> tuple[TakenColumn, ...]:
    """Return what finds columns again: a heading, or else also the adjacent headings.

    Parameters
    ----------
    headings : sequence of str
        Of all columns of the file.
    chosen : iterable of (int, str)
        Position, from 0, and name in the table of each selected column.
    """
    known = [heading if heading.strip() else "" for heading in headings]
    counts: Counter[str] = Counter()
    occurrences = []  # how often each heading stands up to its place
    for heading in known:
        counts[heading] += 1
        occurrences.append(counts[heading])
    found = []
    for place, name in chosen:
        own = known[place]
        beside = (known[place - 1] if place else None, known[place + 1] if place + 1 < len(known) else None)
        if not own:
            found.append(TakenColumn(place + 1, name, *beside))
        elif counts[own] > 1:
            found.append(TakenColumn(own, name, *beside, occurrences[place]))
        else:
            found.append(TakenColumn(own, name))
    return tuple(found)


def named_apart(headings: Sequence[str]) -> tuple[TakenColumn, ...]:
    """Return all columns of a file, each with a unique name."""
    return selection(headings, enumerate(names_apart(headings)))


def taken_columns(
    names: Sequence[str],
    take: Sequence[TakenColumn],
    trim: bool,
    file: str,
    place: str = "",
    *,
    line: int | None = None,
    may_lack: bool = False,
) -> FileColumns:
    """Return the position in the file, from 0, and the name in the table of each selected column.

    Parameters
    ----------
    names : sequence of str
        All headings in the file; they may be empty, or repeated if columns are selected.
    take : sequence of TakenColumn
        Empty for all columns under their own names; those without one are named by their position.
    trim : bool
        Whether spaces around the names in the file are removed.
    place : str
        Beginning of messages, such as "'visits.xlsx', sheet 'May'"; empty for the file alone.
    may_lack : bool
        Whether selected headings that the file lacks are passed over; if it has none of them, all columns
        are selected.

    Raises
    ------
    TableError
        A name is repeated, a selected column does not exist, or a column selected by its position has a
        heading, or is next to others than expected.
    """
    place = place or f"'{file}'"
    names = [name.strip() if trim else name for name in names]
    if not take:
        refuse_repeated(names, file, place, line=line)
        return FileColumns(names, enumerate(names_apart(names)))
    search = _Search(names, file, place)
    found: dict[int, str] = {}
    for column in take:
        try:
            position = search.position(column)
        except _LackingError:
            if may_lack:
                continue
            raise
        if position in found:
            raise TableError(
                _("{place}: column {position} is selected twice, as '{first}' and '{second}'.").format(
                    place=place, position=position + 1, first=found[position], second=column.name
                ),
                hint=_("Select every column once."),
                file=file,
                column=column.name,
            )
        found[position] = column.name
    return (
        FileColumns(names, found.items()) if found else taken_columns(names, (), trim, file, place, line=line)
    )


def refuse_repeated(names: Sequence[str], file: str, place: str, *, line: int | None = None) -> None:
    """Raise `TableError` if two columns have the same name.

    Parameters
    ----------
    names : sequence of str
        An empty name is none.
    place : str
        Beginning of the message, such as "'visits.xlsx', sheet 'May'".
    """
    known: dict[str, int] = {}
    for i, name in enumerate(names):
        if name.strip() and known.setdefault(name, i) != i:
            raise TableError(
                _("{place}: columns {first} and {second} have the same name, '{name}'.").format(
                    place=place, first=known[name] + 1, second=i + 1, name=name
                ),
                hint=_(
                    "Give every column a unique name in the file. In a recipe, select one of them by its "
                    "heading and its occurrence, such as occurrence = 2."
                ),
                file=file,
                line=line,
                column=name,
                names=tuple(names),
            )


class _LackingError(TableError):
    """The file has no column with a selected heading."""


class _Search:
    """Search for selected columns among the headings of a file."""

    def __init__(self, headings: Sequence[str], file: str, place: str = "") -> None:
        self._file, self._place = file, place
        self._headings = [heading if heading.strip() else "" for heading in headings]
        self._positions: dict[str, list[int]] = {}
        for i, heading in enumerate(self._headings):
            self._positions.setdefault(heading, []).append(i)

    @cached_property
    def _names(self) -> tuple[str, ...]:
        return names_apart(self._headings)

    def position(self, column: TakenColumn) -> int:
        """Return the position of a column, from 0; raise `TableError` if it cannot be found for certain."""
        if isinstance(column.source, int):
            found = self._by_position(column, column.source)
        else:
            found = self._by_heading(column, column.source)
        if column.previous is not None or column.next is not None:
            self._check_beside(column, found)
        return found

    def _by_position(self, column: TakenColumn, source: int) -> int:
        n_columns = len(self._headings)
        if not 0 < source <= n_columns:
            raise self._refused(
                _("{place}: column {source} does not exist; the last column is {n_columns}.").format(
                    place=self._place, source=source, n_columns=n_columns
                ),
                _("Columns are counted from 1."),
                source,
            )
        heading = self._headings[source - 1]
        if heading in ("", f"column {source}"):  # the second is what a file without headings gives
            return source - 1
        # Recipes of earlier versions have positions for columns with headings, under the names that they had.
        is_new = column.previous is not None or column.next is not None
        if is_new or column.name not in (heading, self._names[source - 1]):
            expected = _("no heading") if is_new else _("'{name}'").format(name=column.name)
            raise self._refused(
                _("{place}: column {source} has the heading '{heading}', but {expected} is expected.").format(
                    place=self._place, source=source, heading=heading, expected=expected
                ),
                _(
                    "Check whether columns were inserted or moved. A position is only for a column without a "
                    'heading: write that of the intended column instead, as source = "...".'
                ),
                source,
            )
        return source - 1

    def _by_heading(self, column: TakenColumn, source: str) -> int:
        places = self._positions.get(source, [])
        if not places:
            problem = _("{place}: no column '{source}' found.").format(place=self._place, source=source)
            raise _LackingError(
                problem, hint=nearest(source, tuple(self._positions)), file=self._file, column=source
            )
        numbers = ", ".join(str(i + 1) for i in places)
        if column.occurrence > len(places):
            raise self._refused(
                _(
                    "{place}: only {n} columns are named '{source}' ({numbers}), but number {wanted} is "
                    "expected."
                ).format(
                    place=self._place,
                    n=len(places),
                    source=source,
                    numbers=numbers,
                    wanted=column.occurrence,
                ),
                _("Check whether columns were removed."),
                source,
            )
        is_given = column.occurrence > 1 or column.previous is not None or column.next is not None
        if len(places) > 1 and not is_given:
            raise self._refused(
                _("{place}: '{source}' is the name of several columns ({numbers}).").format(
                    place=self._place, source=source, numbers=numbers
                ),
                _(
                    "Add which of them it is and the adjacent headings, such as occurrence = 1, "
                    'previous = "...", next = "...".'
                ),
                source,
            )
        return places[column.occurrence - 1]

    def _check_beside(self, column: TakenColumn, position: int) -> None:
        known = dict(enumerate(self._headings))
        for words, expected, found in (
            (_("before"), column.previous, known.get(position - 1)),
            (_("after"), column.next, known.get(position + 1)),
        ):
            if expected != found:
                raise self._refused(
                    _("{place}: {found} is {side} column {n} ('{name}'), but {expected} is expected.").format(
                        place=self._place,
                        found=_described(found),
                        side=words,
                        n=position + 1,
                        name=column.name,
                        expected=_described(expected),
                    ),
                    _(
                        "Check whether columns were inserted, removed or moved. If the column is the right "
                        "one, correct its source, previous and next."
                    ),
                    column.source,
                )

    def _refused(self, problem: str, hint: str, source: str | int) -> TableError:
        return TableError(problem, hint=hint, file=self._file, column=source)


def places_of(take: Sequence[TakenColumn], headings: Sequence[str]) -> list[int | None]:
    """Return the position, from 0, of each selected column in a file with these headings, or None."""
    search = _Search(headings, "")

    def place_of(column: TakenColumn) -> int | None:
        try:
            return search.position(column)
        except TableError:
            return None

    return [place_of(column) for column in take]


def _described(heading: str | None) -> str:
    if heading is None:
        return _("no column")
    return _("'{name}'").format(name=heading) if heading else _("a column without a heading")
