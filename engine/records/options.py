"""Declared settings of reading and writing tables."""

from __future__ import annotations

import codecs
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

from engine.errors import ExportError, ParameterError, TableError
from engine.params import (
    LARGEST,
    Choice,
    ColumnRef,
    Entries,
    Flag,
    Integer,
    Kept,
    MissingTexts,
    Text,
    Texts,
    check_declared,
    describe,
    param,
)
from engine.records.columns_taken import TakenColumn, selection, taken_columns
from engine.records.raw import FileColumns
from engine.records.table_files import COMMON_ENCODINGS
from engine.records.types import DataType
from engine.records.values import THOUSANDS_MARKS, zeros_of
from engine.structured_params import TextsByColumn
from engine.words import N_, _

REFUSE, FILL = "refuse", "fill"
LABELS, CODES = "labels", "codes"
# The kinds of files that a release is written as; each is the ending, too.
CSV, EXCEL, PARQUET = "csv", "xlsx", "parquet"
SPSS, STATA, JSON_LINES = "sav", "dta", "jsonl"
MINIMAL, ALL = "minimal", "all"
LF, CRLF = "lf", "crlf"
# What a file must have for an option to matter.
LINES, ROWS, SHEETS = "lines", "rows", "sheets"
VALUE_LABELS, CATALOGS, PLACES = "labels", "catalogs", "places"
DELIMITERS = (
    (",", N_("Comma  ,")),
    (";", N_("Semicolon  ;")),
    ("\t", N_("Tab")),
    ("|", N_("Vertical bar  |")),
    ("^", N_("Caret  ^")),
    ("~", N_("Tilde  ~")),
    (":", N_("Colon  :")),
    (" ", N_("Space")),
)
AUTO, MEMORY, DISK, SERVER, CLUSTER = "auto", "memory", "disk", "server", "cluster"
_SPACES = {" ": N_("Space"), "\u00a0": N_("Fixed space"), "\u202f": N_("Thin space")}


@dataclass(frozen=True)
class Replacement:
    """A value that was replaced or made missing (None)."""

    column: str
    old: str
    new: str | None

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Self:
        """Return the replacement that a recipe entry describes."""
        for key in ("column", "old"):
            if key not in values:
                raise ParameterError(
                    _("'{key}' is missing.").format(key=key), hint=_('Add {key} = "...".').format(key=key)
                )
        for key, value in values.items():
            if not isinstance(value, str) and (key != "new" or value is not None):
                raise ParameterError(
                    _("'{key}' cannot be {value!r}.").format(key=key, value=value),
                    hint=_("It must be a text."),
                )
        return cls(values["column"], values["old"], values.get("new"))


@dataclass(frozen=True, kw_only=True)
class Placing:
    """Place of the records of a table during the work.

    Attributes
    ----------
    source : {"auto", "memory", "disk", "server", "cluster"}
        Whether the records are read into memory, stay in their files or database, or stay there if they would
        not fit.
    memory : str
        Memory that a table may take, such as "2 GB"; empty for a quarter of the machine's.
    scratch : str
        Folder for private temporary files of records that do not fit into memory; empty for that of the
        system.
    """

    source: str = param(
        AUTO,
        Choice(
            label=N_("Records"),
            help=N_("Where the records are while they are worked on."),
            options=(
                (AUTO, N_("In memory, or in the file if they do not fit")),
                (MEMORY, N_("In memory")),
                (DISK, N_("In the file")),
                (SERVER, N_("In the database")),
                (CLUSTER, N_("On the cluster")),
            ),
            needs=PLACES,
            is_about_cells=True,
            is_option=True,
        ),
    )
    memory: str = param(
        "",
        Text(
            label=N_("Memory"),
            help=N_('Memory that a table may take, such as "2 GB" (default: a quarter of the machine\'s).'),
            metavar="SIZE",
            placeholder=N_("such as 2 GB"),
            needs=PLACES,
            is_about_cells=True,
            is_option=True,
        ),
    )
    scratch: str = param(
        "",
        Text(
            label=N_("Folder for temporary files"),
            help=N_(
                "Folder for private temporary files of records that do not fit into memory (default: that "
                "of the system)."
            ),
            metavar="DIR",
            kept=Kept.NOWHERE,
            is_option=True,
        ),
    )


# Of a command that takes a recipe: what is not given there is as the recipe says.
AS_IN_RECIPE = Placing(source="")


@dataclass(frozen=True, kw_only=True)
class ReadOptions(Placing):
    """Options of reading a file as a table; None for an option that is detected.

    Attributes
    ----------
    sheet : str or None
        The sheet of a workbook; None for the first visible one.
    delimiter, encoding, decimal : str or None
        One character; a codec name; a point or a comma. Formats without a delimiter ignore it, and formats
        with a fixed encoding ignore that.
    header : bool or None
        Whether the first record holds the column names; stays None for formats that always have names.
    missing : tuple of str
        Tokens read as missing. All are written as the first one, and so are cells without a value in formats
        that distinguish these from an empty text.
    trim : bool
        Whether spaces around names and values are removed.
    quote : str or None
        The quotation mark of a text file, '"' or "'"; empty for none.
    comment : str
        Lines of a text file that begin with it are not records; empty for none.
    skip_lines : int
        Lines of a text file, or rows of a sheet, before the header.
    thousands : str
        The mark that may group the digits of numbers; empty for none. It is detected together with a decimal
        mark that is not given.
    ragged : {"refuse", "fill"}
        Whether records shorter than the header are refused or filled with missing cells.
    column_missing : mapping of str to tuple of str
        Additional missing tokens of single columns, by name in the table.
    take : tuple of TakenColumn
        The selected columns in order; empty for all.
    replacements : tuple of Replacement
        Values replaced after missing tokens were read, in this order.
    may_lack : bool
        Whether selected columns that the file lacks are passed over; otherwise they are refused.
    value_labels : {"labels", "codes"}
        What a cell whose value has a label in a file of a statistical program is read as.
    catalog : str or None
        The catalog that has the value labels of a SAS table: a path, or a name in the folder of the table;
        empty for none, None for the file of the same name in its folder, if there is one.
    order_by : tuple of str
        Columns that order the records of a database, which then stay there; empty for the primary key.
        Refused for other tables.
    forms : mapping of str to tuple of str
        Forms of the values of single columns, by name in the table: zeros, such as "00000", to which numbers
        of fewer digits are filled; or formats of dates, of which the first is that in which all are written.
    leave_out : str
        A filter of the records that are left out; all columns are compared as texts. Empty for none.
    types : mapping of str to DataType
        Types by column; other columns have the type detected from all their values.
    guessed : tuple of str
        Options that were detected without proof in the file: "encoding", "header", or "types.<column>" if day
        and month could be exchanged. Ignored when reading.
    left_out : tuple of str
        Headings of the file's columns that `take` does not select. Ignored when reading.
    """

    sheet: str | None = param(
        None,
        Text(
            label=N_("Sheet"),
            help=N_("Sheet of a workbook (default: the first visible one)."),
            metavar="NAME",
            kept=Kept.SOURCE,
            is_option=True,
            needs=SHEETS,
            is_open=False,
        ),
    )
    delimiter: str | None = param(
        None,
        Text(
            label=N_("Delimiter"),
            help=N_("Character between fields."),
            length=1,
            refused='"\r\n\0',
            suggested=DELIMITERS,
            usual=(",",),
            needs=LINES,
        ),
    )
    encoding: str | None = param(
        None,
        Text(
            label=N_("Encoding"),
            help=N_("Encoding of a text file."),
            suggested=tuple((name, name) for name in COMMON_ENCODINGS),
            needs=LINES,
        ),
    )
    decimal: str | None = param(
        None,
        Choice(
            label=N_("Decimal mark"),
            help=N_("Decimal mark"),
            options=((".", N_("Point  .")), (",", N_("Comma  ,"))),
            needs=ROWS,
            is_about_cells=True,
        ),
    )
    header: bool | None = param(
        None,
        Flag(
            label=N_("The first line has the column names"),
            help=N_("Whether the first record holds the column names (default: detected)."),
            is_option=True,
            usual=(True,),
            needs=ROWS,
        ),
    )
    missing: tuple[str, ...] = param(
        ("",),
        MissingTexts(
            label=N_("Missing"),
            help=N_("Tokens that mean missing."),
            is_always_written=True,
            is_about_cells=True,
        ),
    )
    trim: bool = param(
        False,
        Flag(
            label=N_("Remove spaces around values"),
            help=N_("Remove spaces around names and values."),
        ),
    )
    quote: str | None = param(
        None,
        Choice(
            label=N_("Quotation mark"),
            help=N_("Mark around texts that contain the delimiter"),
            options=(('"', '"'), ("'", "'"), ("", N_("None"))),
            kept=Kept.SOURCE,
            needs=LINES,
        ),
    )
    comment: str = param(
        "",
        Text(
            label=N_("Comment mark"),
            help=N_("Lines that begin with this are skipped"),
            refused="\r\n\0",
            kept=Kept.SOURCE,
            placeholder=N_("such as #"),
            needs=LINES,
        ),
    )
    skip_lines: int = param(
        0,
        Integer(
            label=N_("Number of lines to skip"),
            help=N_("Lines to skip before the column names"),
            maximum=LARGEST,
            rule=N_("a whole number of at least 0"),
            kept=Kept.SOURCE,
            needs=ROWS,
            is_option=True,
        ),
    )
    thousands: str = param(
        "",
        Choice(
            label=N_("Thousands separator"),
            help=N_("Thousands separator"),
            options=(("", N_("None")), *((mark, _SPACES.get(mark, mark)) for mark in THOUSANDS_MARKS)),
            kept=Kept.SOURCE,
            needs=ROWS,
            detected_with="decimal",
            is_about_cells=True,
        ),
    )
    ragged: str = param(
        REFUSE,
        Choice(
            label=N_("Short records"),
            help=N_("Pad short records with missing cells"),
            options=((REFUSE, N_("Refuse")), (FILL, N_("Pad with missing cells"))),
            kept=Kept.SOURCE,
            switch=N_("Pad short records with missing cells"),
            needs=LINES,
            is_about_cells=True,
        ),
    )
    column_missing: Mapping[str, tuple[str, ...]] = param(
        dict, TextsByColumn(label=N_("Missing tokens of single columns"), kept=Kept.BOTH)
    )
    take: tuple[TakenColumn, ...] = param(
        (),
        Entries(label=N_("Selected columns"), key="columns", kind=TakenColumn, kept=Kept.SOURCE),
    )
    replacements: tuple[Replacement, ...] = param(
        (),
        Entries(label=N_("Replaced values"), key="replace", kind=Replacement, kept=Kept.SOURCE),
    )
    forms: Mapping[str, tuple[str, ...]] = param(
        dict, TextsByColumn(label=N_("Forms of values of single columns"), kept=Kept.SOURCE)
    )
    leave_out: str = param(
        "",
        Text(
            label=N_("Records to leave out"),
            help=N_(
                "Filter of records to leave out, such as \"name\" = 'Total'; values are compared as texts."
            ),
            metavar="FILTER",
            placeholder="\"name\" = 'Total'",
            kept=Kept.SOURCE,
            is_option=True,
            is_about_cells=True,
        ),
    )
    may_lack: bool = param(False, Flag(label=N_("Pass over missing columns"), kept=Kept.NOWHERE))
    value_labels: str = param(
        LABELS,
        Choice(
            label=N_("Value labels"),
            help=N_("What cells with a value label are read as, in files of SPSS, Stata and SAS."),
            options=((LABELS, N_("Labels")), (CODES, N_("Codes"))),
            kept=Kept.SOURCE,
            is_option=True,
            needs=VALUE_LABELS,
            is_about_cells=True,
        ),
    )
    catalog: str | None = param(
        None,
        Text(
            label=N_("SAS catalog"),
            help=N_(
                "Catalog with the value labels of a SAS table: a path, or a name in the folder of the table "
                "(default: the file of the same name in that folder)."
            ),
            metavar="FILE",
            refused="\0",
            kept=Kept.SOURCE,
            is_option=True,
            usual=("",),
            needs=CATALOGS,
        ),
    )
    order_by: tuple[str, ...] = param(
        (),
        Texts(
            label=N_("Order of the records"),
            help=N_(
                "Columns that order the records of a database: unique, and with a value in every record "
                "(default: the primary key)."
            ),
        ),
    )
    types: Mapping[str, DataType] = field(default_factory=dict)
    guessed: tuple[str, ...] = field(default=(), compare=False)
    left_out: tuple[str, ...] = field(default=(), compare=False)

    def columns_of(
        self, names: Sequence[str], file: str, place: str = "", *, line: int | None = None
    ) -> FileColumns:
        """Return the columns to read of a file with these headings; see `taken_columns`."""
        return taken_columns(names, self.take, self.trim, file, place, line=line, may_lack=self.may_lack)

    def found(self, columns: FileColumns) -> Self:
        """Return the options by which the columns that were read are found again, and the others named."""
        is_plain = not self.take and all(heading.strip() for heading in columns.headings)
        take = self.take if is_plain or not columns.headings else selection(columns.headings, columns)
        return replace(self, take=take, left_out=columns.left_out)

    def placed(self, placing: Placing) -> Self:
        """Return the options with the records in the requested place; empty settings change nothing."""
        asked = {d.name: getattr(placing, d.name) for d in describe(Placing)}
        return replace(self, **{name: value for name, value in asked.items() if value})

    def refuse_left_out(self) -> None:
        """Raise `TableError` if records are left out, which a table that stays in its place cannot do."""
        if self.leave_out:
            raise TableError(
                _("Records can be excluded only from a table that is read into memory."),
                hint=_('Use source = "memory", or leave them out in the file or the query.'),
            )

    def refuse_impossible(self) -> None:
        """Raise `TableError` if an option is invalid or two options contradict each other."""
        try:
            check_declared(self)
        except ParameterError as error:
            raise TableError(error.problem, hint=error.hint) from None
        if self.memory:
            bytes_of(self.memory)
        if self.delimiter is not None and self.delimiter == self.quote:
            raise TableError(
                _("Delimiter cannot be {delimiter!r}.").format(delimiter=self.delimiter),
                hint=_("It must differ from the quotation mark."),
            )
        if self.thousands and self.thousands == self.decimal:
            raise TableError(
                _("Thousands separator cannot be {thousands!r}.").format(thousands=self.thousands),
                hint=_("It must differ from the decimal mark."),
            )
        if self.comment.startswith(('"', self.quote or '"')):
            raise TableError(
                _("Comment mark cannot be {comment!r}.").format(comment=self.comment),
                hint=_("It must be a text without quotation marks, such as #."),
            )
        for name, forms in self.forms.items():
            if not zeros_of(forms) and not (len(forms) > 1 and all("%" in form for form in forms)):
                raise TableError(
                    _("Column '{name}' cannot have the forms {forms}.").format(
                        name=name, forms=", ".join(forms) or "[]"
                    ),
                    hint=_('Write zeros, such as "00000", or two formats of dates.'),
                    column=name,
                )
        names = [column.name for column in self.take]
        for name in names:
            if not name.strip() or names.count(name) > 1:
                raise TableError(
                    _("Two of the selected columns are named '{name}'.").format(name=name)
                    if name.strip()
                    else _("A selected column has no name."),
                    hint=_("Give every column a unique name."),
                    column=name,
                )


_UNITS = {"": 1, "b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12}
_SIZE = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([a-z]*)\s*", re.IGNORECASE)


def bytes_of(text: str) -> int:
    """Return the bytes of a size such as "2 GB" or "500MB".

    Raises
    ------
    TableError
        The text is not a size, or less than 1 MB.
    """
    found = _SIZE.fullmatch(text)
    unit = _UNITS.get(found[2].lower()) if found else None
    n_bytes = int(float(found[1]) * unit) if found and unit else 0
    if n_bytes < 10**6:
        raise TableError(
            _("Memory cannot be {text!r}.").format(text=text),
            hint=_('Write a number with MB or GB, such as "2 GB"; at least 1 MB.'),
        )
    return n_bytes


JUDGED = ReadOptions()


@dataclass(frozen=True)
class ExportOptions:
    """Options of writing a release to a file; the defaults give a usual CSV file.

    Attributes
    ----------
    kind : {"csv", "xlsx", "sav", "dta", "jsonl", "parquet"}
        That of the file's ending. Formats other than CSV ignore the other options, except `safe_cells` and,
        for Excel, `header`.
    delimiter : str or None
        One character; None for that of the input.
    encoding : str
        A codec name; "utf-8-sig" and "utf-16" begin the file with a byte order mark.
    quoting : {"minimal", "all"}
        Which fields get quotation marks: those that need them, or all.
    line_end : {"lf", "crlf"}
        A line feed, or carriage return and line feed.
    header : bool or None
        Whether the first line holds the names; None for the same as in the input.
    safe_cells : bool
        Whether cells that a spreadsheet would run as a formula get an apostrophe in front.
    partition_by : str
        A column whose values name folders such as region=N, in place of being in the Parquet files; none if
        empty.
    """

    kind: str = param(
        CSV,
        Choice(
            label=N_("Format"),
            help=N_("Format of the file"),
            options=(
                (CSV, N_("Text (CSV)")),
                (EXCEL, N_("Excel workbook")),
                (SPSS, N_("SPSS file")),
                (STATA, N_("Stata file")),
                (JSON_LINES, N_("JSON lines file")),
                (PARQUET, N_("Parquet")),
            ),
            kept=Kept.NOWHERE,
        ),
    )
    delimiter: str | None = param(
        None,
        Text(
            label=N_("Delimiter"),
            help=N_("Character between fields."),
            length=1,
            refused='"\r\n\ufeff',
            suggested=DELIMITERS,
            absent=N_("As in the input"),
            needs=LINES,
            is_option=True,
        ),
    )
    encoding: str = param(
        "utf-8",
        Text(
            label=N_("Encoding"),
            help=N_("Encoding of a text file."),
            suggested=(
                ("utf-8", "UTF-8"),
                ("utf-8-sig", N_("UTF-8 with byte order mark")),
                ("utf-16", "UTF-16"),
                ("cp1252", N_("Windows-1252 (Western Europe)")),
                ("latin-1", "ISO 8859-1 (Latin-1)"),
            ),
            needs=LINES,
            is_option=True,
        ),
    )
    quoting: str = param(
        MINIMAL,
        Choice(
            label=N_("Quotation marks"),
            help=N_("Fields that get quotation marks."),
            options=((MINIMAL, N_("Where needed")), (ALL, N_("Around every field"))),
            needs=LINES,
            is_option=True,
        ),
    )
    line_end: str = param(
        LF,
        Choice(
            label=N_("Line endings"),
            help=N_("Line end of a text file."),
            options=((LF, N_("Line feed")), (CRLF, N_("Carriage return and line feed"))),
            needs=LINES,
            is_option=True,
        ),
    )
    header: bool | None = param(
        None,
        Flag(
            label=N_("Column names"),
            help=N_("Whether the first line holds the column names."),
            absent=N_("As in the input"),
            captions=(N_("Names in the first line"), N_("No names")),
            needs=ROWS,
            is_option=True,
        ),
    )
    safe_cells: bool = param(
        False,
        Flag(
            label=N_("Prevent spreadsheets from running cells as formulas"),
            help=N_("Put an apostrophe before cells that a spreadsheet would run as a formula."),
            is_option=True,
        ),
    )
    partition_by: str = param(
        "",
        ColumnRef(
            label=N_("Folders by"),
            help=N_("Column whose values name folders such as region=N, with Parquet files of the others."),
            role="",
            may_be_empty=True,
            kept=Kept.NOWHERE,
            is_option=True,
        ),
    )

    @classmethod
    def kinds(cls) -> Mapping[str, str]:
        """Return the name of every kind of file."""
        (choice,) = (own for own in describe(cls) if own.name == "kind" and isinstance(own, Choice))
        return {str(key): str(name) for key, name in choice.options}

    @property
    def has(self) -> tuple[str, ...]:
        """Properties of a file of this kind that options concern."""
        return {CSV: (LINES, ROWS), EXCEL: (ROWS,)}.get(self.kind, ())

    @property
    def text_encoding(self) -> str:
        """Codec that writes and rereads the text of a CSV file."""
        return codecs.lookup(self.encoding).name

    @property
    def line_break(self) -> str:
        """Line ending of a text file."""
        return "\r\n" if self.line_end == CRLF else "\n"

    def refuse_impossible(self) -> None:
        """Raise `ExportError` if no file can be written with these options."""
        try:
            check_declared(self)
        except ParameterError as error:
            raise ExportError(error.problem, hint=error.hint) from None
        try:
            is_text = bool("a".encode(self.encoding))
        except (LookupError, UnicodeError):
            is_text = False
        if not is_text:
            raise ExportError(
                _("Unknown encoding '{encoding}'.").format(encoding=self.encoding),
                hint=_("Choose UTF-8 or another encoding."),
            )
        if not _can_hold_tables(self.text_encoding):
            raise ExportError(
                _("Encoding '{encoding}' cannot hold a table.").format(encoding=self.encoding),
                hint=_("Choose UTF-8 or another encoding."),
            )


def kind_of(path: Path) -> str:
    """Return the kind of file that the ending of a path means; CSV if it means none."""
    kind = path.suffix.lower().removeprefix(".")
    return kind if kind in ExportOptions.kinds() else CSV


def _can_hold_tables(encoding: str) -> bool:
    """Return whether the marks of a CSV file, written line by line, are read back unchanged.

    Encodings of domain names, such as idna and punycode, fail.
    """
    lines = ('a;"b ""c""",\n', "\t|\\u0041,0\r\n")
    encoder = codecs.getincrementalencoder(encoding)()
    try:
        return b"".join(map(encoder.encode, lines)).decode(encoding) == "".join(lines)
    except UnicodeError:
        return False
