"""Which columns of a file become columns of the table, and what they are called there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from engine.errors import ParameterError, TableError, nearest
from engine.table.raw import checked_names
from engine.words import _


@dataclass(frozen=True)
class TakenColumn:
    """A column of the file that is taken, and what it is called in the table.

    Attributes
    ----------
    source : str or int
        Its name in the file, or its place, counted from 1.
    name : str
    """

    source: str | int
    name: str

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Self:
        """Return the column a file describes; one taken by its name may keep it."""
        source = values.get("source")
        if isinstance(source, bool) or not isinstance(source, (str, int)) or source in ("", 0):
            raise ParameterError(
                _("it does not say which column of the file it is."),
                hint=_('Add source = "name", or the place of the column, counted from 1.'),
            )
        name = values.get("name", source)
        if not isinstance(name, str) or not name:
            raise ParameterError(_("it has no name."), hint=_('Add name = "...".'))
        return cls(source, name)


def named_apart(names: Sequence[str]) -> tuple[TakenColumn, ...]:
    """Return all columns of a file by their places, each with a name of its own.

    Parameters
    ----------
    names : sequence of str
        As they stand in the file: a column without one is called by its place, and one called as another
        before it gets a number.
    """
    given: dict[str, None] = {}
    known = set(names)
    last: dict[str, int] = {}  # numbers given to a name
    for place, name in enumerate(names, start=1):
        wanted = name if name.strip() else f"column {place}"
        own, number = wanted, last.get(wanted, 1)
        while own in given or (own != name and own in known):
            number += 1
            own = f"{wanted} ({number})"
        last[wanted] = number
        given[own] = None
    return tuple(TakenColumn(place, name) for place, name in enumerate(given, start=1))


def taken_columns(
    names: Sequence[str],
    take: Sequence[TakenColumn],
    trim: bool,
    file: str,
    where: str = "",
    *,
    line: int | None = None,
) -> list[tuple[int, str]]:
    """Return the place in the file, from 0, and the name in the table of each column.

    Parameters
    ----------
    names : sequence of str
        All names of the file; where columns are taken by their place, a name may be empty or doubled.
    take : sequence of TakenColumn
        Empty for all columns as they are called.
    trim : bool
        Whether spaces around the names of the file are dropped.
    file : str
    where : str
        Place of the names in the file, as a message goes on after the name of the file.
    line : int, optional

    Raises
    ------
    TableError
        A column has no name, or that of another; or what is to be taken is not there.
    """
    if not take:
        return list(enumerate(checked_names(names, trim, file, where, line=line)))
    names = [name.strip() if trim else name for name in names]
    found: dict[int, str] = {}
    places: dict[str, list[int]] = {}
    for i, name in enumerate(names):
        places.setdefault(name, []).append(i)
    for column in take:
        place = _place(column.source, places, len(names), file, where)
        if place in found:
            raise TableError(
                _("'{file}': column {place} is taken twice, as '{found}' and '{name}'.").format(
                    file=file, place=place + 1, found=found[place], name=column.name
                ),
                hint=_("Take every column once."),
                file=file,
                column=column.name,
            )
        found[place] = column.name
    return list(found.items())


def _place(
    source: str | int, places: Mapping[str, Sequence[int]], n_columns: int, file: str, where: str
) -> int:
    if isinstance(source, int):
        if not 0 < source <= n_columns:
            raise TableError(
                _("'{file}'{where}: there is no column {source}; it has {n_columns}.").format(
                    file=file, where=where, source=source, n_columns=n_columns
                ),
                hint=_("Columns are counted from 1."),
                file=file,
                column=source,
            )
        return source - 1
    if source not in places:
        raise TableError(
            _("'{file}'{where}: there is no column '{source}'.").format(
                file=file, where=where, source=source
            ),
            hint=nearest(source, tuple(places)),
            file=file,
            column=source,
        )
    numbers = [str(i + 1) for i in places[source]]
    if len(numbers) > 1:
        raise TableError(
            _("'{file}'{where}: columns {numbers} are both called '{source}'.").format(
                file=file, where=where, numbers=" and ".join(numbers), source=source
            ),
            hint=_("Take them by their places."),
            file=file,
            column=source,
        )
    return places[source][0]
