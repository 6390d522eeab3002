"""Columns on their way into a table: texts, empty cells, and what their source says of their types."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.errors import TableError
from engine.kernels.arrays import Codes
from engine.table.table import Column
from engine.table.types import DataType
from engine.table.values import make_column
from engine.words import _


@dataclass(frozen=True, eq=False)
class RawColumn:
    """Coded texts of one column, before missing tokens and order.

    Attributes
    ----------
    name : str
    texts : sequence of str
        Distinct texts, used or not.
    codes : ndarray of int32, shape (n_records,)
        Index into `texts` per record; -1 where the cell is empty.
    data_type : DataType, optional
        What the source says of the values; None where only the texts can tell.
    """

    name: str
    texts: Sequence[str]
    codes: Codes
    data_type: DataType | None = None

    @property
    def has_empty(self) -> bool:
        """Whether any cell is empty."""
        return bool(len(self.codes)) and int(self.codes.min()) < 0


@dataclass(frozen=True, eq=False)
class RawTable:
    """The columns of a file, and how it was read.

    Attributes
    ----------
    name : str
        The file as messages say it.
    columns : tuple of RawColumn
        At least one; their names are distinct and not empty.
    header : bool or None
        Whether the first record held the names; None where the format has its own place for them.
    delimiter, encoding, sheet : str or None
        None where the format has no such thing.
    guessed : tuple of str
        What was detected without proof.
    quote : str or None
        The quotation mark of a text file.
    filled : tuple of int
        Records, from 0, that were shorter than the header.
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

    def release(self) -> None:
        """Give the columns up, so that whoever took them over alone decides how long they stay."""
        object.__setattr__(self, "columns", ())


def checked_names(
    names: Sequence[str], trim: bool, file: str, where: str = "", *, line: int | None = None
) -> tuple[str, ...]:
    """Return the column names of a file, without spaces around them where asked.

    Parameters
    ----------
    names : sequence of str
    trim : bool
    file : str
    where : str
        Place of the names in the file, as a message goes on after the name of the file.
    line : int, optional

    Raises
    ------
    TableError
        A column has no name, or that of another.
    """
    names = [name.strip() if trim else name for name in names]
    known: dict[str, int] = {}
    for i, name in enumerate(names):
        if not name.strip():
            raise TableError(
                _("'{file}'{where}: column {i} of {n} has no name.").format(
                    file=file, where=where, i=i + 1, n=len(names)
                ),
                hint=_(
                    "Name it in the file, or when taking it by its place; or say that there is no header."
                ),
                file=file,
                line=line,
                column=i + 1,
                names=tuple(names),
            )
        if known.setdefault(name, i) != i:
            raise TableError(
                _("'{file}'{where}: columns {known} and {i} are both called '{name}'.").format(
                    file=file, where=where, known=known[name] + 1, i=i + 1, name=name
                ),
                hint=_("Give every column a name of its own, in the file or by taking it by its place."),
                file=file,
                line=line,
                column=name,
                names=tuple(names),
            )
    return tuple(names)


def column_of(raw: RawColumn, data_type: DataType, missing: str) -> Column:
    """Return the column whose empty cells are written as `missing`.

    Parameters
    ----------
    raw : RawColumn
    data_type : DataType
    missing : str
        A cell with this very text counts as missing too, as long as no cell is empty beside it.

    Raises
    ------
    TableError
        Some cells are empty and others hold the text that stands for missing, so the two could not be
        told apart; or a value does not parse as the type.
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
    held = _("the text '{missing}'").format(missing=missing) if missing else _("a text without characters")
    return TableError(
        _(
            "Column '{name}': record {empty} has no value and record {record} holds {held}, "
            "which stands for missing."
        ).format(name=raw.name, empty=empty + 1, record=record + 1, held=held),
        hint=_("Let another text stand for missing, such as NA, or make the two the same first."),
        column=raw.name,
        record=record + 1,
    )
