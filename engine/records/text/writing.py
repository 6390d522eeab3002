"""Writing of tables as CSV: UTF-8, line feeds and few quotation marks by default; all or nothing."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from engine.errors import ExportError
from engine.files import atomic_write
from engine.monitor import SILENT, Monitor
from engine.records.options import ALL, ExportOptions
from engine.records.plan import CodedTexts, pieces_to_write
from engine.words import _

_RECORDS = 50_000  # records per step, so that cancelling takes a fraction of a second


def write_csv(
    path: Path | str,
    header: Sequence[str],
    columns: Sequence[Sequence[str] | CodedTexts],
    delimiter: str = ",",
    monitor: Monitor = SILENT,
    *,
    is_private: bool = False,
) -> None:
    """Write a table; the target is replaced only once all of it is on disk.

    Parameters
    ----------
    header : sequence of str
        Column names; empty for a file without header.
    columns : sequence
        Per column its texts, or a pair of distinct texts and the codes of the records (integer array).
    delimiter : str
        One character.
    is_private : bool
        Whether only the owner may read the file.

    Raises
    ------
    ExportError
        The file cannot be written; the target is unchanged.
    """
    if header and len(header) != len(columns):
        raise ValueError(f"{len(header)} names for {len(columns)} columns")
    with atomic_write(path, is_private=is_private) as file:
        write_records(file, header, columns, delimiter, monitor)


def write_records(
    file: BinaryIO,
    header: Sequence[str],
    columns: Sequence[Sequence[str] | CodedTexts],
    delimiter: str = ",",
    monitor: Monitor = SILENT,
    unsafe: str = "",
    options: ExportOptions = ExportOptions(),
) -> None:
    """Write a table like `write_csv`, into an open binary file such as a member of an archive.

    Fields with a character of `unsafe` get quotation marks too. Only these of `options` are used: encoding,
    quotation marks and line ends.

    Raises
    ------
    ExportError
        The encoding lacks a character.
    """
    coded = [_coded(column) for column in columns]
    n_records = len(coded[0][1]) if coded else 0
    if any(len(codes) != n_records for _unused, codes in coded):
        raise ValueError("columns of different lengths")
    end = options.line_break
    encode = _encoder(options)
    special, alone = delimiter + unsafe, len(coded) == 1  # a lone empty field would be an empty line
    misread = _misread(special)

    def field(text: str) -> str:
        return _quoted(text) if options.quoting == ALL else _field(text, special, alone)

    if header:
        _check_encodable(
            header,
            options.text_encoding,
            _("Encoding {encoding} has no character '{character}', which occurs in the column names."),
        )
        file.write(encode(delimiter.join(map(field, header)) + end))
    fields: list[Callable[[Any], list[str]]] = []
    for number, (texts, _unused) in enumerate(coded):
        problem = (
            _("Encoding {encoding} has no character '{character}', which occurs in column '{column}'.")
            if header
            else _("Encoding {encoding} has no character '{character}', which occurs in column {column}.")
        )
        name = header[number] if header else str(number + 1)
        check = partial(_check_encodable, encoding=options.text_encoding, problem=problem, column=name)
        check(texts)
        are_plain = options.quoting != ALL and not alone and not misread.search("".join(texts))
        own = list(texts) if are_plain else [field(text) for text in texts]
        fields.append(_fields(own, field, check))
    for piece in pieces_to_write(n_records, _RECORDS, monitor):
        parts = [written(codes[piece]) for written, (_unused, codes) in zip(fields, coded, strict=True)]
        lines = map(delimiter.join, zip(*parts, strict=True))
        file.write(encode(end.join(lines) + end))


def _fields(
    listed: Sequence[str], field: Callable[[str], str], check: Callable[[Sequence[str]], None]
) -> Callable[[Any], list[str]]:
    """Return what chooses fields by code, and makes those of texts that are not listed."""
    known = np.array(listed or [""], dtype=object)

    def made(part: Any) -> list[str]:
        if not isinstance(part, list):
            return list(known[part])
        check(part)
        return list(map(field, part))

    return made


def _encoder(options: ExportOptions) -> Callable[[str], bytes]:
    """Return a function that encodes parts of one text; only the first gets a byte order mark."""
    if options.text_encoding == "utf-8":
        return str.encode
    return codecs.getincrementalencoder(options.text_encoding)().encode


def _check_encodable(texts: Sequence[str], encoding: str, problem: str, column: str = "") -> None:
    if encoding in ("utf-8", "utf-8-sig", "utf-16"):
        return
    for text in texts:
        try:
            text.encode(encoding)
        except UnicodeEncodeError as error:
            raise ExportError(
                problem.format(encoding=encoding, character=text[error.start], column=column),
                hint=_("Choose UTF-8, which has all characters."),
            ) from None


def _coded(column: Sequence[str] | CodedTexts) -> CodedTexts:
    if isinstance(column, tuple) and len(column) == 2 and not isinstance(column[1], str):
        return column[0], column[1]  # codes in memory, or Blocks
    index: dict[str, int] = {}
    codes = np.fromiter((index.setdefault(str(text), len(index)) for text in column), np.int32, len(column))
    return list(index), codes


def _field(text: str, unsafe: str, alone: bool) -> str:
    """Return a field, in quotation marks only if it would be misread without them.

    Both line ends count, because the csv module of older Python versions leaves a lone carriage return bare.
    So does a byte order mark, which readers remove at the beginning of a file.
    """
    return _quoted(text) if _misread(unsafe).search(text) or (alone and not text) else text


@cache
def _misread(unsafe: str) -> re.Pattern[str]:
    return re.compile("[" + re.escape(unsafe) + '"\n\r\ufeff]')


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


# Characters that readers may skip, then one that begins a formula, also in East Asian full width.
_RUN = re.compile(r"[\s\ufeff']*[=+\-@\uff1d\uff0b\uff0d\uff20]|'*[\t\r\n]")
_NUMBER = re.compile(r" *[+-]?\d+([.,]\d+)?([eE][+-]?\d+)? *")


def safe(text: str) -> str:
    """Put an apostrophe before texts that spreadsheets take for a formula; plain numbers are unchanged.

    A text that begins with apostrophes before such a character gets one more, so that removing one from every
    cell of that form restores each text.
    """
    return f"'{text}" if _RUN.match(text) and not _NUMBER.fullmatch(text) else text
