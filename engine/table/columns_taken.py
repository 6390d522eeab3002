"""Selection of the columns of a file, and their names in the table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from engine.errors import ParameterError, TableError, nearest
from engine.table.raw import checked_names
from engine.words import _


@dataclass(frozen=True)
class TakenColumn:
    """A selected column of the file, and its name in the table.

    Attributes
    ----------
    source : str or int
        Its name in the file, or its position, counted from 1.
    name : str
    """

    source: str | int
    name: str

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Self:
        """Return the column that a recipe entry describes; one selected by its name may keep it."""
        source = values.get("source")
        if isinstance(source, bool) or not isinstance(source, (str, int)) or source in ("", 0):
            raise ParameterError(
                _("'source' is missing or is neither a name nor a position."),
                hint=_('Add source = "name", or the position of the column, counted from 1.'),
            )
        name = values.get("name", source)
        if not isinstance(name, str) or not name:
            raise ParameterError(_("'name' is missing or is not a text."), hint=_('Add name = "...".'))
        return cls(source, name)


def named_apart(names: Sequence[str]) -> tuple[TakenColumn, ...]:
    """Return all columns of a file by position, each with a unique name.

    Parameters
    ----------
    names : sequence of str
        Names as written in the file. A column without one is named by its position, and a repeated name gets
        a number.
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
    place: str = "",
    *,
    line: int | None = None,
) -> list[tuple[int, str]]:
    """Return the position in the file, from 0, and the name in the table of each selected column.

    Parameters
    ----------
    names : sequence of str
        All names in the file; they may be empty or repeated if columns are selected by position.
    take : sequence of TakenColumn
        Empty for all columns under their own names.
    trim : bool
        Whether spaces around the names in the file are removed.
    file : str
    place : str
        Beginning of messages, such as "'visits.xlsx', sheet 'May'"; empty for the file alone.
    line : int, optional

    Raises
    ------
    TableError
        A column has no name or a repeated one, or a selected column does not exist.
    """
    if not take:
        return list(enumerate(checked_names(names, trim, file, place, line=line)))
    names = [name.strip() if trim else name for name in names]
    found: dict[int, str] = {}
    positions: dict[str, list[int]] = {}
    for i, name in enumerate(names):
        positions.setdefault(name, []).append(i)
    for column in take:
        position = _position(column.source, positions, len(names), file, place or f"'{file}'")
        if position in found:
            raise TableError(
                _("{place}: column {position} is selected twice, as '{first}' and '{second}'.").format(
                    place=place or f"'{file}'",
                    position=position + 1,
                    first=found[position],
                    second=column.name,
                ),
                hint=_("Select every column once."),
                file=file,
                column=column.name,
            )
        found[position] = column.name
    return list(found.items())


def _position(
    source: str | int, positions: Mapping[str, Sequence[int]], n_columns: int, file: str, place: str
) -> int:
    if isinstance(source, int):
        if not 0 < source <= n_columns:
            raise TableError(
                _("{place}: column {source} does not exist; the last column is {n_columns}.").format(
                    place=place, source=source, n_columns=n_columns
                ),
                hint=_("Columns are counted from 1."),
                file=file,
                column=source,
            )
        return source - 1
    if source not in positions:
        raise TableError(
            _("{place}: no column '{source}' found.").format(place=place, source=source),
            hint=nearest(source, tuple(positions)),
            file=file,
            column=source,
        )
    numbers = [str(i + 1) for i in positions[source]]
    if len(numbers) > 1:
        raise TableError(
            _("{place}: '{source}' is the name of several columns ({numbers}).").format(
                place=place, source=source, numbers=", ".join(numbers)
            ),
            hint=_("Select them by position."),
            file=file,
            column=source,
        )
    return positions[source][0]
