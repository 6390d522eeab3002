"""Reading of table files of every format into integer-coded columns; options are detected or given."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from engine.cached import cached_property
from engine.errors import TableError, nearest
from engine.filters import ValueKind, parse
from engine.kernels.arrays import BoolArray, Codes
from engine.monitor import Monitor
from engine.processes import Freed
from engine.records.candidates import Misfits, nearly_all_fit
from engine.records.chunks import Texts, all_match, any_has, has_any
from engine.records.filtering import labels_where
from engine.records.options import ReadOptions
from engine.records.raw import RawColumn, RawTable
from engine.records.table import Column, Table
from engine.records.types import DataType, Kind
from engine.records.values import (
    DECIMAL_MARKS,
    THOUSANDS_MARKS,
    are_numbers,
    could_exchange_day_and_month,
    detect_type,
    in_form,
    make_column,
    number_type,
    zeros_of,
)
from engine.words import _

_BYTES_OF_TEXT = 40  # about what ordering a column leaves to give back for each of its distinct texts


@dataclass(frozen=True, eq=False)
class Reading:
    """A table that was read, with everything that was detected.

    Attributes
    ----------
    options : ReadOptions
        Options with everything detected filled in.
    given : ReadOptions
        Options as requested.
    filled : tuple of int
        Records, from 0, shorter than the header and padded with missing cells.
    is_complete : bool
        Whether these are all records, rather than the first ones of a file that is still being read.
    headings : tuple of str
        Of all columns of the file, read or not.
    """

    table: Table
    options: ReadOptions
    given: ReadOptions
    filled: tuple[int, ...] = ()
    is_complete: bool = True
    headings: tuple[str, ...] = ()

    @property
    def encoding_is_guessed(self) -> bool:
        """Return whether nothing in the file proves the encoding."""
        return "encoding" in self.options.guessed

    @property
    def typed(self) -> frozenset[str]:
        """Columns whose type was given."""
        return frozenset(self.given.types)

    @cached_property
    def misfits(self) -> Mapping[str, Misfits]:
        """Cells that prevent a column from having a given type, or a type that nearly all its cells fit."""
        misfits = dict(nearly_all_fit(self.table, self.options, self.given))
        for name, data_type in self.given.types.items():
            column = self.table.column(name)
            is_same = column.data_type.kind is data_type.kind
            if not (is_same and data_type.format in ("", column.data_type.format)):
                wrong = Misfits(column, data_type)
                if wrong.n_cells:
                    misfits[name] = wrong
        return misfits


def tabled(
    raw: RawTable,
    options: ReadOptions,
    monitor: Monitor,
    *,
    holds_types: bool = True,
    is_complete: bool = True,
) -> Reading:
    """Return a table from raw columns, with detected options filled in.

    Parameters
    ----------
    raw : RawTable
        Its columns are dropped one by one, so that they are not held twice; none remain.
    holds_types : bool
        See `read`.
    is_complete : bool
        Whether these are all records.

    Raises
    ------
    TableError
        There are no records, or a value does not fit the type given for its column.
    """
    names = {column.name: None for column in raw.columns}
    asked = (
        (_("'{file}' has no column '{column}', for which a type is given."), options.types),
        (_("'{file}' has no column '{column}', for which missing tokens are given."), options.column_missing),
        (_("'{file}' has no column '{column}', for which forms of values are given."), options.forms),
        (
            _("'{file}' has no column '{column}', for which replacements are given."),
            [change.column for change in options.replacements],
        ),
    )
    for problem, named in asked:
        for name in named:
            if name not in names:
                raise TableError(
                    problem.format(file=raw.name, column=name),
                    hint=nearest(name, tuple(names)),
                    column=name,
                )
    if options.leave_out:
        raw = _without_left_out(raw, options)
    if not len(raw.columns[0].codes):
        raise TableError(
            _("'{name}' has a header but no records.").format(name=raw.name),
            hint=_("Choose a file with records, or set that it has no header."),
            file=raw.name,
        )
    table, decimal, thousands = _table(raw, options, monitor, holds_types=holds_types)
    guessed = [f"types.{c.name}" for c in table.columns if c.name not in options.types and _is_ambiguous(c)]
    found = replace(
        options.found(raw.taken),
        delimiter=raw.delimiter or options.delimiter,
        encoding=raw.encoding or options.encoding,
        decimal=decimal,
        thousands=thousands,
        header=raw.header,
        sheet=raw.sheet,
        catalog=options.catalog if raw.catalog is None else raw.catalog,
        quote=raw.quote if options.quote is None and raw.quote != '"' else options.quote,
        types={column.name: column.data_type for column in table.columns},
        guessed=(*raw.guessed, *guessed),
    )
    return Reading(table, found, options, raw.filled, is_complete, raw.taken.headings)


def kept_records(raw: RawTable, options: ReadOptions) -> BoolArray:
    """Return which records of a table the options do not leave out, shape (n_records,)."""
    asked = parse(options.leave_out, {column.name: ValueKind.TEXTS for column in raw.columns})
    n_records = len(raw.columns[0].codes)
    if asked.expression is None:
        return np.ones(n_records, dtype=bool)
    named = {leaf.name for leaf in asked.conditions}
    known = {c.name: as_in_memory(c, raw.name, options) for c in raw.columns if c.name in named}
    return ~asked.where(lambda leaf: labels_where(known[leaf.name], leaf)[known[leaf.name].codes], n_records)


def _without_left_out(raw: RawTable, options: ReadOptions) -> RawTable:
    """Return the table without the records that the options leave out."""
    kept = kept_records(raw, options)
    columns = []
    for column in raw.columns:
        places, codes = np.unique(column.codes[kept], return_inverse=True)
        is_value = places >= 0
        shifted: Codes = (codes - int(not is_value.all())).astype(np.int32)
        texts = [column.texts[place] for place in places[is_value].tolist()]
        columns.append(replace(column, texts=texts, codes=shifted))
    after = np.cumsum(kept) - 1
    filled = tuple(int(after[record]) for record in raw.filled if kept[record])
    return replace(raw, columns=tuple(columns), filled=filled)


def _table(
    raw: RawTable, options: ReadOptions, monitor: Monitor, *, holds_types: bool
) -> tuple[Table, str, str]:
    """Return the ordered columns, and the marks of numbers whose type the texts alone show."""
    left: list[RawColumn | None] = list(raw.columns)
    raw.release()
    cleaned: list[_Cleaned | None] = [_cleaned(c, raw.name, options) for c in left if c is not None]
    values = [c.values if c is not None else [] for c in cleaned]
    untyped = [
        [text for text in texts if text not in own.numbers] if own is not None and own.numbers else texts
        for own, c, texts in zip(left, cleaned, values, strict=True)
        if c is not None and c.data_type is None
    ]
    decimal, thousands = number_marks(untyped, options.decimal, options.thousands, raw.delimiter)
    for i, mixed in enumerate(left):
        if (
            decimal != "." and mixed is not None and mixed.numbers
        ):  # cells of numbers have no mark of their own
            left[i] = mixed = mixed.with_texts(
                [t.replace(".", decimal) if t in mixed.numbers else t for t in mixed.texts]
            )
            cleaned[i] = again = _cleaned(mixed, raw.name, options)
            values[i] = again.values
    columns: list[Column] = []
    del untyped
    freed = Freed()
    for i, own in enumerate(cleaned):
        assert own is not None, "every column is ordered once"
        pause = partial(monitor.step, i, len(cleaned), _("Ordering {column}").format(column=own.name))
        pause()
        given = options.types.get(own.name)
        data_type = own.data_type
        if data_type is None:
            data_type = given or detect_type(values[i], decimal, thousands)
            data_type = _with_marks(data_type, values[i], decimal, thousands)
        else:
            data_type = given or data_type  # a number that is not stored as text has no decimal mark
        column, left[i] = left[i], None
        assert column is not None, "and given up then"
        codes = column.codes if own.recode is None else own.recode[column.codes]
        coding = column.coding
        if coding is not None and options.trim:
            coding = coding.trimmed()
        del column
        pause()
        try:
            made = make_column(own.name, own.texts, codes, data_type, own.missing, pause)
        except TableError:
            if given is None or holds_types:
                raise
            detected = own.data_type or detect_type(values[i], decimal, thousands)
            detected = _with_marks(detected, values[i], decimal, thousands)
            made = make_column(own.name, own.texts, codes, detected, own.missing, pause)
        columns.append(made if coding is None else replace(made, coding=coding))
        del codes
        values[i], cleaned[i] = [], None
        freed.add(_BYTES_OF_TEXT * len(own.texts))
    return Table(tuple(columns)), decimal, thousands


@dataclass(frozen=True, eq=False)
class _Cleaned:
    """Texts of a column after the options were applied, and where each text of the file is now."""

    name: str
    texts: Sequence[str]
    recode: Codes | None  # new position of each text, last that of an empty cell; None: all unchanged
    data_type: DataType | None  # type stated by the file, if it still holds
    missing: str | None

    @property
    def values(self) -> Sequence[str]:
        """Texts that are values."""
        if self.missing is None or self.missing not in self.texts:
            return self.texts
        if isinstance(self.texts, Texts):
            return self.texts.without(self.missing)
        return Texts([text for text in self.texts if text != self.missing])


def _cleaned(column: RawColumn, file: str, options: ReadOptions) -> _Cleaned:
    """Return a column trimmed if requested, with missing tokens and values replaced."""
    tokens = (*options.missing, *options.column_missing.get(column.name, ()))
    missing = tokens[0] if tokens else None
    wanted: Sequence[str] = [text.strip() for text in column.texts] if options.trim else column.texts
    if column.has_empty and missing is None and "" in wanted:
        raise TableError(
            _(
                "'{file}', column '{name}': some cells have no value, others an empty text, and "
                "no missing tokens are set."
            ).format(file=file, name=column.name),
            hint=_("Read empty cells as missing."),
            file=file,
            column=column.name,
        )
    changes = [change for change in options.replacements if change.column == column.name]
    forms = options.forms.get(column.name, ())
    # Without missing tokens, an empty cell becomes an empty text, and the type of the file does not hold.
    has_new = bool(changes or forms) or (missing is None and column.has_empty)
    data_type = None if has_new else column.data_type
    if forms and zeros_of(forms):
        data_type = DataType()
    if column.has_empty:
        is_plain = not changes and not forms and not has_any(wanted, tokens)
        if is_plain and isinstance(wanted, Texts) and wanted.arrow is not None:
            places = np.arange(len(wanted) + 1, dtype=np.int32)
            return _Cleaned(column.name, wanted.and_text(missing or ""), places, data_type, missing)
        wanted = [*wanted, missing or ""]
    if has_any(wanted, tokens):
        known = set(tokens)
        wanted = [tokens[0] if text in known else text for text in wanted]
    if forms:
        wanted = [text if text == missing else in_form(text, forms) for text in wanted]
    is_same = not options.trim and not column.has_empty and not has_any(column.texts, tokens[1:])
    if is_same and not changes and not forms:
        return _Cleaned(column.name, column.texts, None, column.data_type, missing)
    for change in changes:
        if change.new is None and missing is None:
            raise TableError(
                _(
                    "Column '{name}': '{old}' cannot be made missing, because no missing tokens are set."
                ).format(name=column.name, old=change.old),
                hint=_("Read empty cells as missing."),
                column=column.name,
            )
        new = missing or "" if change.new is None else change.new
        wanted = [new if text == change.old else text for text in wanted]
    index: dict[str, int] = {}
    recode = np.fromiter((index.setdefault(text, len(index)) for text in wanted), np.int32, len(wanted))
    return _Cleaned(column.name, list(index), recode, data_type, missing)


def as_in_memory(column: RawColumn, file: str, options: ReadOptions) -> Column:
    """Return some cells of a column with the texts that they have in memory, as texts in any order."""
    own = _cleaned(column, file, options)
    codes = column.codes if own.recode is None else own.recode[column.codes]
    texts = list(own.texts)
    has_missing = own.missing is not None and own.missing in texts
    if has_missing:
        place, last = texts.index(own.missing or ""), len(texts) - 1
        texts[place], texts[last] = texts[last], texts[place]
        swapped = np.arange(len(texts), dtype=np.int32)
        swapped[[place, last]] = last, place
        codes = swapped[codes]
    return Column(own.name, DataType(), tuple(texts), codes, has_missing, np.full(len(texts), np.nan))


def _with_marks(data_type: DataType, labels: Sequence[str], decimal: str, thousands: str) -> DataType:
    """Return a numeric type; one without marks gets those of the table."""
    if not data_type.is_numeric or data_type.format:
        return data_type
    if thousands and any_has(thousands, labels):
        return number_type(data_type.kind, decimal, thousands)
    return number_type(data_type.kind, decimal)


def _is_ambiguous(column: Column) -> bool:
    if column.data_type.kind is not Kind.DATE:
        return False
    return could_exchange_day_and_month(column.known_labels, column.data_type.format)


# One mark with exactly three digits behind it is unclear: 1,234 is grouped, or has three decimals.
_UNCLEAR = {
    mark: re.compile(rf"[+-]?(?:[1-9][0-9]{{0,2}}(?:{re.escape(mark)}[0-9]{{3}})?|[0-9]+)")
    for mark in DECIMAL_MARKS
}


def number_marks(
    columns: Sequence[Sequence[str]], decimal: str | None, thousands: str, delimiter: str | None
) -> tuple[str, str]:
    """Return the decimal mark and the thousands separator, the latter empty for none.

    Parameters
    ----------
    columns : sequence of sequence of str
        The distinct texts of each column, without missing ones.
    decimal : str, optional
        If given, nothing is detected.
    thousands : str
        Given, or empty.
    delimiter : str, optional
        Of a text file. In a file separated by commas, a comma followed by three digits groups thousands:
        files with decimal commas have another delimiter.
    """
    if decimal is not None:
        return decimal, thousands
    broken = [labels for labels in columns if labels and _may_be_numbers(labels)]
    decimal = _decimal(broken, thousands, delimiter)
    return decimal, thousands or _thousands(broken, decimal)


def _may_be_numbers(labels: Sequence[str]) -> bool:
    """Return whether all texts consist of characters of numbers, and some of more than digits."""
    return (
        not all_match(_DIGITS, labels)
        and any(not label.isdigit() for label in labels)
        and all_match(_NUMERIC, labels)
    )


_DIGITS = re.compile("[0-9]+")
_NUMERIC = re.compile(
    rf"[-+0-9eE.,{re.escape(''.join(THOUSANDS_MARKS))}]*[0-9][-+0-9eE.,{re.escape(''.join(THOUSANDS_MARKS))}]*"
)


def _decimal(columns: Sequence[Sequence[str]], thousands: str, delimiter: str | None) -> str:
    """Return the mark that most columns prove, or else the likelier mark of the unclear columns."""
    votes: Counter[str] = Counter()
    unclear: Counter[str] = Counter()
    for labels in columns:
        for mark, other in (DECIMAL_MARKS, DECIMAL_MARKS[::-1]):
            if not any_has(mark, labels):
                continue
            if are_numbers(labels, mark):
                is_unclear = all_match(_UNCLEAR[mark], labels)
                (unclear if is_unclear else votes)[mark] += 1
            elif are_numbers(labels, other, mark):
                votes[other] += 1  # 1,234,567 has no decimal comma
            elif any(are_numbers(labels, mark, between) for between in THOUSANDS_MARKS if between != mark):
                votes[mark] += 1
    if thousands in DECIMAL_MARKS:
        return "," if thousands == "." else "."
    if votes:
        return "," if votes[","] > votes["."] else "."
    if unclear[","] and delimiter == ",":
        return "."
    return "," if unclear[","] > unclear["."] else "."


def _thousands(columns: Sequence[Sequence[str]], decimal: str) -> str:
    """Return the mark that turns most of the other columns into numbers; empty for none."""
    others = [labels for labels in columns if not are_numbers(labels, decimal)]
    votes = Counter(
        mark
        for labels in others
        for mark in THOUSANDS_MARKS
        if mark != decimal and are_numbers(labels, decimal, mark)
    )
    return max(votes, key=lambda mark: (votes[mark], -THOUSANDS_MARKS.index(mark))) if votes else ""
