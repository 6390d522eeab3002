"""Declared settings of reading and writing tables."""

from __future__ import annotations

import codecs
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from engine.errors import ExportError, ParameterError, TableError
from engine.params import (
    LARGEST,
    Choice,
    Entries,
    Flag,
    Integer,
    Kept,
    Text,
    Texts,
    TextsByColumn,
    check_declared,
    param,
)
from engine.table.columns_taken import TakenColumn
from engine.table.types import DataType
from engine.table.values import THOUSANDS_MARKS
from engine.words import N_, _

REFUSE, FILL = "refuse", "fill"
CSV, EXCEL, PARQUET = "csv", "xlsx", "parquet"
MINIMAL, ALL = "minimal", "all"
_SPACES = {" ": N_("Space"), "\u00a0": N_("Fixed space"), "\u202f": N_("Thin space")}


@dataclass(frozen=True)
class Replacement:
    """A value that was replaced, or that was made missing (None)."""

    column: str
    old: str
    new: str | None

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Self:
        """Return the replacement a file describes."""
        for key in ("column", "old"):
            if key not in values:
                raise ParameterError(_("it lacks '{key}'.").format(key=key), hint=f'Add {key} = "...".')
        for key, value in values.items():
            if not isinstance(value, str) and (key != "new" or value is not None):
                raise ParameterError(
                    _("'{key}' cannot be {value!r}.").format(key=key, value=value),
                    hint=_("It must be a text."),
                )
        return cls(values["column"], values["old"], values.get("new"))


@dataclass(frozen=True, kw_only=True)
class ReadOptions:
    """How a file becomes a table; None means: detect.

    Attributes
    ----------
    sheet : str or None
        The sheet of a workbook; the first one that is visible if absent.
    delimiter, encoding, decimal : str or None
        One character; a codec name; a point or a comma. Formats without a delimiter take no heed of
        it, those without an encoding of their own none of that.
    header : bool or None
        Whether the first record holds the column names; None stays for formats that always name them.
    missing : tuple of str
        Tokens read as missing; written as the first of them, as is a cell without any value in formats
        that tell it from an empty text.
    trim : bool
        Whether spaces around names and values are dropped.
    quote : str or None
        The quotation mark of a text file, '"' or "'"; empty where it has none.
    comment : str
        Lines of a text file that begin so are no records; empty for none.
    skip_lines : int
        Lines of a text file, or rows of a sheet, before the header.
    thousands : str
        What may group the digits of numbers in columns of numbers; where it is empty, nothing, but it is
        detected together with a decimal mark that is not given.
    ragged : {"refuse", "fill"}
        Whether records shorter than the header are refused or filled with missing cells.
    column_missing : mapping of str to tuple of str
        Further tokens that are missing in one column, by its name in the table.
    take : tuple of TakenColumn
        The columns taken, in their order; empty for all as they come.
    replacements : tuple of Replacement
        Values replaced after missing tokens were read, in this order.
    name_columns : bool
        Whether columns of a text file or sheet whose header leaves them without a name, as exports of
        DataFrames do with their index, get one by their place; otherwise they are refused.
    types : mapping of str to DataType
        Types by column; the others are detected from all their values.
    guessed : tuple of str
        Options that `detect` filled in without proof in the file: "encoding", "header", or
        "types.<column>" where day and month could be exchanged. Reading ignores it.
    """

    sheet: str | None = param(
        None,
        Text(
            label=N_("Sheet"),
            help=N_("The sheet of a workbook; else its first visible one."),
            metavar="NAME",
            kept=Kept.SOURCE,
            is_option=True,
            is_placed=True,
        ),
    )
    delimiter: str | None = param(
        None,
        Text(
            label=N_("Delimiter"),
            help=N_("The character between fields."),
            length=1,
            refused='"\r\n\0',
            is_placed=True,
        ),
    )
    encoding: str | None = param(
        None, Text(label=N_("Encoding"), help=N_("The encoding of a text file."), is_placed=True)
    )
    decimal: str | None = param(
        None,
        Choice(
            label=N_("Decimal mark"),
            help=N_("Decimal mark"),
            options=((".", "Point  ."), (",", "Comma  ,")),
            is_placed=True,
        ),
    )
    header: bool | None = param(
        None,
        Flag(
            label=N_("Header"),
            help=N_("Whether the first record holds the names of the columns; else its cells tell."),
            is_option=True,
            is_placed=True,
        ),
    )
    missing: tuple[str, ...] = param(
        ("",),
        Texts(
            label=N_("Missing"), help=N_("Words that mean missing."), is_always_written=True, is_placed=True
        ),
    )
    trim: bool = param(
        False,
        Flag(
            label=N_("Drop spaces around values"),
            help=N_("Drop spaces around names and values."),
            is_placed=True,
        ),
    )
    quote: str | None = param(
        None,
        Choice(
            label=N_("Quotation mark"),
            help=N_("Mark around texts that hold the delimiter"),
            options=(('"', '"'), ("'", "'"), ("", N_("None"))),
            kept=Kept.SOURCE,
            is_placed=True,
        ),
    )
    comment: str = param(
        "",
        Text(
            label=N_("Mark of comments"),
            help=N_("Lines that begin with this are left out"),
            refused="\r\n\0",
            kept=Kept.SOURCE,
            is_placed=True,
        ),
    )
    skip_lines: int = param(
        0,
        Integer(
            label=N_("Number of lines skipped"),
            help=N_("Lines before the column names that are left out"),
            maximum=LARGEST,
            rule=N_("a whole number of at least 0"),
            kept=Kept.SOURCE,
            is_placed=True,
        ),
    )
    thousands: str = param(
        "",
        Choice(
            label=N_("Mark between thousands"),
            help=N_("Mark between thousands"),
            options=(("", N_("None")), *((mark, _SPACES.get(mark, mark)) for mark in THOUSANDS_MARKS)),
            kept=Kept.SOURCE,
            is_placed=True,
        ),
    )
    ragged: str = param(
        REFUSE,
        Choice(
            label=N_("Way to read short records"),
            help=N_("Records with fewer cells than there are columns get missing ones at their end"),
            options=((REFUSE, N_("Refuse them")), (FILL, N_("Fill them with missing cells"))),
            kept=Kept.SOURCE,
            is_placed=True,
        ),
    )
    column_missing: Mapping[str, tuple[str, ...]] = param(
        dict, TextsByColumn(label=N_("Missing in one column"), kept=Kept.BOTH, is_placed=True)
    )
    take: tuple[TakenColumn, ...] = param(
        (),
        Entries(label=N_("Columns taken"), key="columns", kind=TakenColumn, kept=Kept.SOURCE, is_placed=True),
    )
    replacements: tuple[Replacement, ...] = param(
        (),
        Entries(
            label=N_("Values replaced"), key="replace", kind=Replacement, kept=Kept.SOURCE, is_placed=True
        ),
    )
    name_columns: bool = param(
        False, Flag(label=N_("Name columns without a name"), kept=Kept.NOWHERE, is_placed=True)
    )
    types: Mapping[str, DataType] = field(default_factory=dict)
    guessed: tuple[str, ...] = field(default=(), compare=False)

    def refuse_impossible(self) -> None:
        """Raise `TableError` where an option cannot be obeyed, or two contradict each other."""
        try:
            check_declared(self)
        except ParameterError as error:
            raise TableError(f"The {error.problem[:1].lower()}{error.problem[1:]}", hint=error.hint) from None
        if self.delimiter is not None and self.delimiter == self.quote:
            raise TableError(
                _("The delimiter cannot be {delimiter!r}.").format(delimiter=self.delimiter),
                hint=_("It must be another character than the quotation mark."),
            )
        if self.thousands and self.thousands == self.decimal:
            raise TableError(
                _("The mark between thousands cannot be {thousands!r}.").format(thousands=self.thousands),
                hint=_("It must be another one than the decimal mark."),
            )
        if self.comment.startswith(('"', self.quote or '"')):
            raise TableError(
                _("The mark of comments cannot be {comment!r}.").format(comment=self.comment),
                hint=_("It must be a text without quotation marks, such as #."),
            )
        names = [column.name for column in self.take]
        for name in names:
            if not name.strip() or names.count(name) > 1:
                raise TableError(
                    _("Two of the columns taken are called '{name}'.").format(name=name)
                    if name.strip()
                    else _("A column that is taken has no name."),
                    hint=_("Give every column a name of its own."),
                    column=name,
                )


# Of a table that is judged as it is, and never written: what a release is verified against has its own names.
JUDGED = ReadOptions(name_columns=True)


@dataclass(frozen=True)
class ExportOptions:
    """How a release becomes a file; the defaults are what a released file usually is.

    Attributes
    ----------
    kind : {"csv", "xlsx", "parquet"}
        All but CSV take no heed of the other options, except `header` of Excel, and `safe_cells`.
    delimiter : str or None
        One character; None for that of the input.
    encoding : str
        A codec name.
    bom : bool
        Whether a file in UTF-8 begins with a byte order mark; one in UTF-16 always does.
    quote : {"minimal", "all"}
        Which fields get quotation marks: those that need them, or all.
    line_end : str
        A line feed, or carriage return and line feed.
    header : bool or None
        Whether the first line holds the names; None for as in the input.
    safe_cells : bool
        Whether cells that a spreadsheet would run as a formula are written so that it does not.
    """

    kind: str = param(
        CSV,
        Choice(
            label=N_("Format"),
            help=N_("Format of the file"),
            options=((CSV, "CSV"), (EXCEL, N_("Excel")), (PARQUET, N_("Parquet"))),
            is_placed=True,
        ),
    )
    delimiter: str | None = param(
        None,
        Text(
            label=N_("Delimiter"),
            help=N_("The character between fields."),
            length=1,
            refused='"\r\n\ufeff',
            is_placed=True,
        ),
    )
    encoding: str = param(
        "utf-8", Text(label=N_("Encoding"), help=N_("The encoding of a text file."), is_placed=True)
    )
    bom: bool = param(
        False, Flag(label=N_("Byte order mark"), help=N_("A file in UTF-8 begins with one."), is_placed=True)
    )
    quote: str = param(
        MINIMAL,
        Choice(
            label=N_("Quotation marks"),
            help=N_("Which fields get quotation marks."),
            options=((MINIMAL, N_("Where needed")), (ALL, N_("Around every field"))),
            is_placed=True,
        ),
    )
    line_end: str = param(
        "\n",
        Choice(
            label=N_("Line end"),
            help=N_("What ends a line."),
            options=(("\n", N_("Line feed")), ("\r\n", N_("Carriage return and line feed"))),
            is_placed=True,
        ),
    )
    header: bool | None = param(
        None, Flag(label=N_("Header"), help=N_("Whether the first line holds the names."), is_placed=True)
    )
    safe_cells: bool = param(
        False,
        Flag(
            label=N_("Safe cells"),
            help=N_("Put an apostrophe before cells that a spreadsheet would run as a formula."),
            is_placed=True,
            is_option=True,
        ),
    )

    @property
    def text_encoding(self) -> str:
        """The codec that writes, and reads again, the text of a CSV file."""
        name = codecs.lookup(self.encoding).name
        return "utf-8-sig" if self.bom and name == "utf-8" else name

    def refuse_impossible(self) -> None:
        """Raise `ExportError` where no file can be written so."""
        try:
            check_declared(self)
        except ParameterError as error:
            raise ExportError(
                f"The {error.problem[:1].lower()}{error.problem[1:]}", hint=error.hint
            ) from None
        try:
            is_text = bool("a".encode(self.encoding))
        except (LookupError, UnicodeError):
            is_text = False
        if not is_text:
            raise ExportError(
                _("There is no encoding called '{encoding}'.").format(encoding=self.encoding),
                hint=_("Choose UTF-8, or another one."),
            )
        if not _can_hold_tables(self.text_encoding):
            raise ExportError(
                _("The encoding '{encoding}' cannot hold a table.").format(encoding=self.encoding),
                hint=_("Choose UTF-8, or another one."),
            )


def _can_hold_tables(encoding: str) -> bool:
    """Whether the marks of a CSV file, written line by line, are read again as they were.

    Those of domain names cannot, such as idna and punycode.
    """
    lines = ('a;"b ""c""",\n', "\t|\\u0041,0\r\n")
    encoder = codecs.getincrementalencoder(encoding)()
    try:
        return b"".join(map(encoder.encode, lines)).decode(encoding) == "".join(lines)
    except UnicodeError:
        return False
