"""How the files of a claim are read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from engine.verification.claims import OtherTable, ReleaseClaim
from engine.verification.readers.parts import released_files
from engine.verification.readers.reading import Reading
from engine.verification.rules import dropped_columns


def reading_of_original(claim: ReleaseClaim, path: Path) -> Reading:
    """Return how a file of the original is read."""
    return Reading(
        path,
        claim.original_delimiter,
        claim.original_encoding,
        claim.has_header,
        names=claim.names,
        trim=claim.trim,
        missing=claim.missing,
        ignored_mark="\ufeff",
        sheet=claim.original_sheet,
        quote=claim.original_quote,
        comment=claim.original_comment,
        skip=claim.original_skip,
        ragged=claim.original_ragged,
        labels=claim.original_labels,
        taken=claim.taken,
        column_missing=claim.column_missing,
        replacements=claim.replacements,
    )


def readings_of_release(claim: ReleaseClaim, names: Sequence[str]) -> list[Reading]:
    """Return how the released file, or each part of it, is read, given the columns of the original."""
    dropped = dropped_columns(claim)
    first, *others = released_files(claim.released)
    reading = Reading(
        first,
        claim.released_delimiter,
        claim.released_encoding,
        claim.released_has_header,
        names=tuple(name for name in names if name not in dropped),
        format=claim.released_format,
        has_records_only=True,
        safe_cells=claim.safe_cells,
        columns=claim.released_names,
        labels=replace(claim.original_labels, catalog=None),
        column_missing={name: (text,) for name, text in claim.released_missing.items()},
    )
    return [reading, *(replace(reading, path=path) for path in others)]  # all have one list of bare cells


def reading_of_other(claim: ReleaseClaim, table: OtherTable) -> Reading:
    """Return how a table in addition to the original is read."""
    return Reading(
        table.path,
        table.delimiter,
        table.encoding,
        table.has_header,
        names=table.names,
        trim=claim.trim,
        missing=claim.missing,
        ignored_mark="\ufeff",
        sheet=table.sheet,
        labels=table.labels,
        is_other=True,
    )
