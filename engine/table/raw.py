"""Raw columns of a table: texts, empty cells, and the types that their source states."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.errors import TableError
from engine.kernels.arrays import Codes
from engine.table.table import Column
from engine.table.types import DataType
from engine.table.value_coding import ValueCoding
from engine.table.values import make_column
from engine.words import _


@dataclass(frozen=True, eq=False)
class RawColumn:
    """Coded texts of one column, before missing tokens and order are applied.

    Attributes
    ----------
    name : str
    texts : sequence of str
        Distinct texts, used or not.
    codes : ndarray of int32, shape (n_records,)
        Index into `texts` per record; -1 if the cell is empty.
    data_type : DataType, optional
        Type stated by the source; None if it must be detected from the texts.
    coding : ValueCoding, optional
        Labels that a file of a statistical program has.
    """

    name: str
    texts: Sequence[str]
    codes: Codes
    data_type: DataType | None = None
    coding: ValueCoding | None = None

    @property
    def has_empty(self) -> bool:
        """Return whether any cell is empty."""
        return bool(len(self.codes)) and int(self.codes.min()) < 0


@dataclass(frozen=True, eq=False)
class RawTable:
    """The columns of a file, and how it was read.

    Attributes
    ----------
    name : str
        Name of the file in messages.
    columns : tuple of RawColumn
        At least one; their names are distinct and not empty.
    header : bool or None
        Whether the first record held the names; None for formats that store them elsewhere.
    delimiter, encoding, sheet : str or None
        None for formats without it.
    guessed : tuple of str
        Options that were detected without proof.
    quote : str or None
        The quotation mark of a text file.
    filled : tuple of int
        Records, from 0, that were shorter than the header.
    catalog : str or None
        Name of the catalog that had the value labels of a SAS table.
    """

    name: str
    columns: tuple[RawColumn, ...]
    header: bool | None = None
    delimiter: str | None = None
    encoding: str | None = None
    sheet: str | None = None
    guessed: tuple[str, ...] = ()
    quote: str | None = None
    filled: tuple[int, ...] = ()
    catalog: str | None = None

    def release(self) -> None:
        """Drop the columns, so that the caller alone decides how long they stay in memory."""
        object.__setattr__(self, "columns", ())


def checked_names(
    names: Sequence[str], trim: bool, file: str, place: str = "", *, line: int | None = None
) -> tuple[str, ...]:
    """Return the column names of a file, without surrounding spaces if `trim`.

    Parameters
    ----------
    names : sequence of str
    trim : bool
    file : str
    place : str
        Beginning of messages, such as "'visits.xlsx', sheet 'May'"; empty for the file alone.
    line : int, optional

    Raises
    ------
    TableError
        A column has no name, or a repeated one.
    """
    place = place or f"'{file}'"
    names = [name.strip() if trim else name for name in names]
    known: dict[str, int] = {}
    for i, name in enumerate(names):
        if not name.strip():
            raise TableError(
                _("{place}: column {i} of {n} has no name.").format(place=place, i=i + 1, n=len(names)),
                hint=_(
                    "Name it in the file or when selecting it by position, or set that the file "
                    "has no header."
                ),
                file=file,
                line=line,
                column=i + 1,
                names=tuple(names),
            )
        if known.setdefault(name, i) != i:
            raise TableError(
                _("{place}: columns {first} and {second} have the same name, '{name}'.").format(
                    place=place, first=known[name] + 1, second=i + 1, name=name
                ),
                hint=_("Give every column a unique name, in the file or when selecting it by position."),
                file=file,
                line=line,
                column=name,
                names=tuple(names),
            )
    return tuple(names)


def column_of(raw: RawColumn, data_type: DataType, missing: str) -> Column:
    """Return the column; its empty cells are written as `missing`.

    Parameters
    ----------
    raw : RawColumn
    data_type : DataType
    missing : str
        A cell with this text is missing too, unless the column also has empty cells.

    Raises
    ------
    TableError
        The column has both empty cells and cells with the text for missing, which could not be distinguished;
        or a value does not parse as the type.
    """
    texts, codes = list(raw.texts), raw.codes
    if not raw.has_empty:
        return make_column(raw.name, texts, codes, data_type, missing)
    if missing in texts:
        same = np.flatnonzero(codes == texts.index(missing))
        if len(same):
            raise _ambiguous(raw, missing, int(same[0]))
        texts[texts.index(missing)] = missing + "\0"  # an unused text, dropped with the others
    codes = np.where(codes < 0, np.int32(len(texts)), codes).astype(np.int32, copy=False)
    return make_column(raw.name, [*texts, missing], codes, data_type, missing)


def _ambiguous(raw: RawColumn, missing: str, record: int) -> TableError:
    empty = int(np.flatnonzero(raw.codes < 0)[0])
    if missing:
        problem = _(
            "Column '{name}': record {empty} has no value and record {record} has "
            "'{missing}', which means missing."
        )
    else:
        problem = _(
            "Column '{name}': record {empty} has no value and record {record} has "
            "an empty text, which means missing."
        )
    return TableError(
        problem.format(name=raw.name, empty=empty + 1, record=record + 1, missing=missing),
        hint=_("Use another text for missing, such as NA, or make the two the same first."),
        column=raw.name,
        record=record + 1,
    )
