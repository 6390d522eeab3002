"""Raw columns of a table: texts, empty cells, and the types that their source states."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from engine.errors import TableError
from engine.kernels.arrays import Codes
from engine.records.table import Column
from engine.records.types import DataType, ValueCoding
from engine.records.values import make_column
from engine.words import _


@dataclass(frozen=True, eq=False)
class RawColumn:
    """Coded texts of one column, before missing tokens and order are applied.

    Attributes
    ----------
    texts : sequence of str
        Distinct texts, used or not.
    codes : ndarray of int32, shape (n_records,)
        Index into `texts` per record; -1 if the cell is empty.
    data_type : DataType, optional
        Type stated by the source; None if it must be detected from the texts.
    coding : ValueCoding, optional
        Labels that a file of a statistical program has.
    numbers : frozenset of str
        Texts of cells that are numbers, if the column also has other cells, so that it has no type.
    """

    name: str
    texts: Sequence[str]
    codes: Codes
    data_type: DataType | None = None
    coding: ValueCoding | None = None
    numbers: frozenset[str] = frozenset()

    def with_texts(self, texts: Sequence[str], numbers: frozenset[str] = frozenset()) -> RawColumn:
        """Return the column with other texts, of which equal ones become one."""
        index: dict[str, int] = {}
        merged = np.fromiter((index.setdefault(text, len(index)) for text in texts), np.int32, len(texts))
        codes = np.append(merged, np.int32(-1))[self.codes]
        return replace(self, texts=list(index), codes=codes, numbers=numbers)

    @property
    def has_empty(self) -> bool:
        """Return whether any cell is empty."""
        return bool(len(self.codes)) and int(self.codes.min()) < 0


class FileColumns(list[tuple[int, str]]):
    """Position in the file, from 0, and name in the table of each column that is read.

    Attributes
    ----------
    headings : tuple of str
        Of all columns of the file.
    """

    def __init__(self, headings: Iterable[str], taken: Iterable[tuple[int, str]]) -> None:
        super().__init__(taken)
        self.headings = tuple(headings)

    def some(self, numbers: Iterable[int]) -> FileColumns:
        """Return some of the columns that are read, by their number in the table."""
        return FileColumns(self.headings, (self[number] for number in numbers))

    @property
    def left_out(self) -> tuple[str, ...]:
        """Headings of the columns that are not read; a position for none."""
        taken = {place for place, _name in self}
        return tuple(
            heading if heading.strip() else f"column {i + 1}"
            for i, heading in enumerate(self.headings)
            if i not in taken
        )


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
    taken : FileColumns
        Where the columns are in the file; empty if it was not read here.
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
    taken: FileColumns = field(default_factory=lambda: FileColumns((), ()))

    def release(self) -> None:
        """Drop the columns, so that the caller alone decides how long they stay in memory."""
        object.__setattr__(self, "columns", ())


def refuse_no_columns(columns: Collection[object], file: str) -> None:
    """Raise `TableError` if a file has no columns."""
    if not columns:
        raise TableError(
            _("'{name}' has no columns.").format(name=file), hint=_("Choose another file."), file=file
        )


def column_of(raw: RawColumn, data_type: DataType, missing: str) -> Column:
    """Return the column; its empty cells are written as `missing`.

    Parameters
    ----------
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
