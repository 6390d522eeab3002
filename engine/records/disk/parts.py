"""A release as a folder: parts of some millions of records, and a manifest that lists them."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Iterator, Sequence
from operator import itemgetter
from pathlib import Path
from typing import BinaryIO

import numpy as np

from engine.errors import InputError
from engine.monitor import Monitor, PartMonitor
from engine.records.frames.parquet import pad
from engine.records.places import folder_of
from engine.records.plan import Blocks, CodedTexts
from engine.records.table_files import PARQUET_ENDINGS
from engine.words import _

MANIFEST = "_manifest.json"
RECORDS_PER_PART = 10_000_000
_BYTES = 1 << 24

# Takes an open file, the columns of a part, and a monitor.
WritePart = Callable[[BinaryIO, Sequence[CodedTexts], Monitor], None]


def write_parts(
    folder: Path,
    ending: str,
    columns: Sequence[tuple[Sequence[str], Blocks]],
    write: WritePart,
    monitor: Monitor,
    by: tuple[str, int] | None = None,
) -> None:
    """Write records into files of a folder, and the manifest with the name, records and SHA-256 of each.

    Parameters
    ----------
    folder : Path
        Empty.
    ending : str
        Of the files.
    columns : sequence
        Per column its distinct texts and its records.
    by : (str, int), optional
        Name and place of a column whose texts name folders, in place of being in the files.
    """
    n_records = len(columns[0][1]) if columns else 0
    pieces = (
        list(_pieces(columns, n_records))
        if by is None
        else sorted(_pieces_by(columns, *by), key=itemgetter(0))
    )
    parts = []
    for number, (name, some) in enumerate(pieces):
        path = folder / f"{name}{ending}"
        path.parent.mkdir(mode=0o700, exist_ok=True)
        with path.open("xb") as file:
            write(file, some, PartMonitor(monitor, number, len(pieces)))
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        parts.append({"name": f"{name}{ending}", "records": len(some[0][1]), "sha256": digest})
    text = json.dumps({"records": n_records, "parts": parts}, indent=2)
    (folder / MANIFEST).write_text(text + "\n", encoding="utf-8")


_Piece = tuple[str, list[CodedTexts]]


def _pieces(columns: Sequence[tuple[Sequence[str], Blocks]], n_records: int) -> Iterator[_Piece]:
    for number in range(max(-(-n_records // RECORDS_PER_PART), 1)):
        start = number * RECORDS_PER_PART
        n_own = min(RECORDS_PER_PART, n_records - start)
        yield f"part-{number + 1:05}", [(labels, codes.part(start, n_own)) for labels, codes in columns]


def _pieces_by(columns: Sequence[tuple[Sequence[str], Blocks]], name: str, place: int) -> Iterator[_Piece]:
    held = [(labels, np.asarray(codes[:])) for labels, codes in columns]
    texts, codes = held.pop(place)
    order = np.argsort(codes, kind="stable")
    ends = np.cumsum(np.bincount(codes, minlength=len(texts)))
    for text, rows in zip(texts, np.split(order, ends[:-1]), strict=True):
        if len(rows):
            yield f"{folder_of(name, text)}/part-00001", [(labels, own[rows]) for labels, own in held]


def parts_of(folder: Path) -> list[Path]:
    """Return the parts that a manifest lists, in their order.

    Raises
    ------
    InputError
        There is no manifest, or the files are not those that it lists.
    """
    problem = ""
    try:
        listed = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))["parts"]
        names = [str(part["name"]) for part in listed]
        inside = (path for path in folder.rglob("*") if path.is_file() and path.name != MANIFEST)
        found = sorted(path.relative_to(folder).as_posix() for path in inside)
        if found != sorted(names):
            problem = _("'{folder}' has other files than its manifest lists.").format(folder=folder.name)
        elif not all(_has(folder / part["name"], part["sha256"]) for part in listed):
            problem = _("A file in '{folder}' has changed since it was written.").format(folder=folder.name)
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        problem = _("'{folder}' is not a release in parts: it has no manifest.").format(folder=folder.name)
    if problem:
        raise InputError(problem, hint=_("Write the release again into an empty folder."), file=str(folder))
    return [folder / name for name in names]


def _has(path: Path, sha256: str) -> bool:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest() == sha256


def joined(folder: Path, target: Path, head: bytes) -> None:
    """Join the parts of a release into one file, as if it had been written so.

    Parameters
    ----------
    head : bytes
        What every part begins with, if they are texts.

    Raises
    ------
    InputError
        It is not such a folder.
    """
    parts = parts_of(folder)
    if parts[0].suffix in PARQUET_ENDINGS:
        _join_parquet(parts, target)
        return
    with target.open("wb") as whole:
        for place, part in enumerate(parts):
            with part.open("rb") as file:
                if file.read(len(head)) != head:
                    raise InputError(
                        _("'{name}' does not begin with the names of the columns.").format(name=part.name),
                        hint=_("Write the release again into an empty folder."),
                    )
                if not place:
                    whole.write(head)
                shutil.copyfileobj(file, whole, _BYTES)


def _join_parquet(parts: Sequence[Path], target: Path) -> None:
    from pyarrow import parquet

    schema = parquet.read_schema(parts[0])
    with parquet.ParquetWriter(target, schema) as writer:
        n_records = 0
        for part in parts:
            with parquet.ParquetFile(part, memory_map=False) as file:
                n_records += file.metadata.num_rows
                for batch in file.iter_batches():
                    writer.write_batch(batch.cast(schema) if batch.schema != schema else batch)
        pad(writer, n_records, len(schema.names), target.stat().st_size)
