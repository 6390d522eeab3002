"""Output of commands: tables and JSON on standard output, progress on standard error."""

from __future__ import annotations

import codecs
import csv
import io
import json
import math
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from decimal import ROUND_CEILING, ROUND_FLOOR, Context
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from engine.errors import InputError
from engine.findings.blocks import Fact
from engine.monitor import SILENT, Monitor, progress_bar
from engine.numbers import DASH, MINUS, NARROW_SPACE, as_exact_count


class Format(StrEnum):
    """Output format of a command."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"


FormatOption = Annotated[
    Format, typer.Option("--format", help="Print the result as a table, JSON, or the table as CSV.")
]
QuietOption = Annotated[bool, typer.Option("--quiet", help="Show no progress and print no table.")]

_REPLACING = "anonymizer"
_PARTED = re.compile(rf"(?<=\d){NARROW_SPACE}(?=\d)")  # thousands, which other programs do not read
_ASCII = {NARROW_SPACE: " ", MINUS: "-", DASH: "-"}  # what numbers are written with


@contextmanager
def progress(quiet: bool) -> Iterator[Monitor]:
    """Show a bar while the block runs, on a terminal only."""
    if quiet or not Console(stderr=True).is_terminal:
        yield SILENT
        return
    with progress_bar() as monitor:
        yield monitor


def show(
    result: Mapping[str, Any],
    rows: Sequence[Sequence[str]],
    output: Format,
    quiet: bool,
    titles: Sequence[str],
) -> None:
    """Print a result as JSON, or its rows as a table or CSV; `titles` head their columns."""
    try:
        _print(result, rows, output, quiet, titles)
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever read the output had enough; what the command was for is done.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def show_tables(
    result: Mapping[str, Any],
    words: Sequence[str],
    tables: Iterable[Sequence[Sequence[str]]],
    output: Format,
    quiet: bool,
    title: str,
) -> None:
    """Print a result as JSON; or words under a title, then tables; or tables as CSV, an empty line between.

    Each of `tables` begins with its titles.
    """
    if output is Format.JSON:
        show(result, (), output, quiet, ())
        return
    if output is Format.TABLE:
        show({}, [(text,) for text in words], output, quiet, (title,))
    for place, (titles, *rows) in enumerate(tables):
        if place and output is Format.CSV:
            sys.stdout.write("\n")
        show({}, rows, output, quiet, titles)


def _print(
    result: Mapping[str, Any],
    rows: Sequence[Sequence[str]],
    output: Format,
    quiet: bool,
    titles: Sequence[str],
) -> None:
    if output is Format.JSON:
        is_unicode = (sys.stdout.encoding or "utf-8").lower().startswith("utf")
        sys.stdout.write(as_json(result, is_ascii=not is_unicode))
    elif output is Format.CSV:
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerows(
            [_PARTED.sub("", cell).replace(MINUS, "-") for cell in row] for row in (titles, *rows)
        )
    elif not quiet:
        table = Table(*titles)
        for row in rows:
            table.add_row(*map(Text, row))  # values of the table are text, never markup
        _Output(soft_wrap=False).print(table)


class _Output(Console):
    """A console that does not change the exit code."""

    def on_broken_pipe(self) -> None:
        """Pass on a broken pipe; the base class would end the program with 1."""
        raise BrokenPipeError


def as_json(values: Any, *, is_ascii: bool = False) -> str:
    """Return JSON with a final line feed; a number that does not exist is null."""
    return json.dumps(_plain(values), indent=2, ensure_ascii=is_ascii, allow_nan=False) + "\n"


def escape_what_the_output_lacks() -> None:
    """Replace characters that a terminal or file cannot show, instead of failing halfway."""
    codecs.register_error(_REPLACING, _replaced)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=_REPLACING)


def _replaced(error: UnicodeError) -> tuple[str | bytes, int]:
    """Return marks of numbers in ASCII, and the escape of any other character."""
    assert isinstance(error, UnicodeEncodeError)
    character = error.object[error.start]
    if character in _ASCII:
        return _ASCII[character], error.start + 1
    return codecs.backslashreplace_errors(error)


def file_named(text: str) -> Path:
    """Return the path that a word names; files are read again, so standard input and output are none."""
    if text == "-":
        raise InputError(
            "'-' is not a file: standard input and output cannot be read again.",
            hint="Name a file; './-' is one of that name.",
        )
    return Path(text)


def number(value: float | int | None) -> str:
    """Format a number with six significant digits."""
    if value is None:
        return "does not exist"
    return as_exact_count(value) if isinstance(value, int) else f"{value:.6g}"


def percent(share: float | None) -> str:
    """Format a share with four significant digits."""
    return "no estimate" if share is None else f"{share * 100:.4g} %"


def attained(value: float | int, *, at_least: bool) -> str:
    """Format a measured number with six digits, rounded outwards so that it is met as a threshold."""
    if isinstance(value, int) or not math.isfinite(value):
        return number(value)
    outwards = Context(prec=6, rounding=ROUND_FLOOR if at_least else ROUND_CEILING)
    return number(float(outwards.create_decimal(repr(float(value)))))


def fact_rows(facts: Iterable[Fact]) -> list[tuple[str, str, str]]:
    """Return facts as rows of a printed table: name, value and meaning."""
    return [(fact.title, _value_of(fact), fact.explanation) for fact in facts]


def _value_of(fact: Fact) -> str:
    if isinstance(fact.value, str):
        return fact.value
    return percent(fact.value) if fact.is_share else number(fact.value)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(entry) for entry in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else "inf"
    return value
