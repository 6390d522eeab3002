"""The members of a project file: their names, and how each is read; none is ever unpacked to disk."""

from __future__ import annotations

import errno
import hashlib
import json
import lzma
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar

from engine.errors import InputError, ProjectFileError
from engine.files import open_regular
from engine.hierarchies import Hierarchy
from engine.hierarchies.builders.base import HierarchyBuilder
from engine.monitor import Monitor
from engine.project.project import AttributeHierarchy
from engine.project.storage.parquet import read_parquet
from engine.table import Column, Table, dialect
from engine.table.options import ReadOptions
from engine.words import _

PROJECT, RECIPE, TABLE = "project.json", "recipe.toml", "table.parquet"
POPULATION, SUBSET = "population.parquet", "subset.parquet"
HISTORY, NOTES = "history.json", "notes.json"
MOST_UNPACKED = 1 << 28  # bytes a member may unpack to; the table is stored as it is and cannot grow

# What reading an archive raises where a byte of it is not the one that was written.
ZIP_ERRORS = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    EOFError,
    NotImplementedError,
    RuntimeError,
    ValueError,
    OverflowError,
)


class DamagedFileError(ProjectFileError):
    """A project file, or a part of it, is not as it was saved; what is left may still be read."""


def damaged(file: str, reason: str) -> DamagedFileError:
    """The error of a file that is not what it should be."""
    return DamagedFileError(
        _("'{file}' is damaged or no project file: {reason}.").format(file=file, reason=reason),
        hint=_("Open an earlier copy, or start again from the recipe or the table."),
        file=file,
        reason=reason,
    )


def checksum(data: bytes) -> str:
    """What tells whether a member is the one that was saved."""
    return hashlib.sha256(data).hexdigest()


def apart_name(digest: str) -> str:
    """The file of a member that is stored apart, under its checksum."""
    return f"{digest}.member"


def hierarchy_members(columns: tuple[str, ...]) -> dict[str, str]:
    """The member of each column's hierarchy; by position, since a column may be called anything."""
    return {column: f"hierarchies/{number:03d}.csv" for number, column in enumerate(columns, start=1)}


@contextmanager
def open_archive(path: Path) -> Iterator[Callable[[str], bytes]]:
    """Open a zip; yields what fetches a member by its name, if it stands there once and is no bomb.

    Raises
    ------
    DamagedFileError
        It is no zip, or a member is not as it was packed.
    OSError
        The system does not give the file.
    """
    file = path.name
    with open_regular(path) as opened:
        try:
            archive = zipfile.ZipFile(opened)
        except ZIP_ERRORS as error:
            raise damaged(file, _("it is no complete zip archive")) from error
        with archive:
            yield lambda name: _member(archive, name, file)


def _member(archive: zipfile.ZipFile, name: str, file: str) -> bytes:
    entries = [entry for entry in archive.infolist() if entry.filename == name]
    if len(entries) != 1:
        raise damaged(file, _("it has {n} '{name}'").format(n=len(entries) or "no", name=name))
    entry = entries[0]
    if entry.flag_bits & 1:
        raise damaged(file, _("it is encrypted"))
    if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise damaged(file, _("'{name}' is packed in a way no project is").format(name=name))
    stored = entry.compress_type == zipfile.ZIP_STORED and entry.file_size == entry.compress_size
    if entry.file_size > MOST_UNPACKED and not stored:
        raise damaged(file, _("'{name}' is packed larger than a project can be").format(name=name))
    try:
        with archive.open(entry) as member:
            return member.read(entry.file_size + 1)  # no more: read whole, it grows to what it is first
    except ZIP_ERRORS as error:
        raise damaged(file, _("'{name}' is not as it was packed").format(name=name)) from error
    except OSError as error:
        if error.errno != errno.EINVAL:  # a place in the file that cannot be
            raise
        raise damaged(file, _("'{name}' is not as it was packed").format(name=name)) from error


class Members:
    """What a recipe in a project file names, read by known names only.

    Parameters
    ----------
    fetch : callable
        Gives the bytes of a member; raises `DamagedFileError` where there is none.
    file : str
        What messages call the project file.
    """

    judges_choices: ClassVar[bool] = False  # see `Origin`

    def __init__(self, fetch: Callable[[str], bytes], file: str) -> None:
        self._fetch = fetch
        self._file = file
        self._names: dict[str, str] = {}  # of hierarchies, by column
        self._checksums: dict[str, Any] | None = None

    def hold_to(self, checksums: Any) -> None:
        """Refuse from now on every member that is not the one that was saved."""
        if not isinstance(checksums, dict):
            raise damaged(self._file, _("it does not say what belongs to it"))
        self._checksums = checksums

    def know_columns(self, names: tuple[str, ...]) -> None:
        """Say which columns the table has, where it is lost itself; hierarchies go by their places."""
        self._names = hierarchy_members(names)

    def data(self, name: str) -> bytes:
        """Return a member, which is the one that was saved."""
        data = self._fetch(name)
        if self._checksums is not None and self._checksums.get(name) != checksum(data):
            raise damaged(self._file, _("'{name}' is not the one that was saved").format(name=name))
        return data

    def text(self, name: str) -> str:
        """Return a member as text."""
        try:
            return self.data(name).decode("utf-8")
        except UnicodeDecodeError as error:
            raise damaged(self._file, _("'{name}' is no text in UTF-8").format(name=name)) from error

    def json(self, name: str, kind: type) -> Any:
        """Return a member as JSON of a kind."""
        try:
            value = json.loads(self.text(name))
        except (ValueError, RecursionError) as error:
            raise damaged(self._file, _("'{name}' is no valid JSON").format(name=name)) from error
        if not isinstance(value, kind):
            raise damaged(self._file, _("'{name}' holds something else than expected").format(name=name))
        return value

    def table(self, path: str, options: ReadOptions, monitor: Monitor) -> tuple[Table, ReadOptions]:
        if path != TABLE:
            raise damaged(self._file, _("its recipe names another table"))
        monitor.step(0, 1, _("Reading the table"))
        table = self._table(TABLE, options)
        self._names = hierarchy_members(table.names)
        return table, options

    def other_table(
        self, path: str, options: ReadOptions, monitor: Monitor
    ) -> tuple[Table, ReadOptions, Path | None]:
        if path not in (POPULATION, SUBSET):
            raise damaged(self._file, _("its recipe names a table that is not in it"))
        monitor.step(0, 1, _("Reading a further table"))
        return self._table(path, options), options, None

    def _table(self, name: str, options: ReadOptions) -> Table:
        data = self.data(name)
        try:
            return read_parquet(data, options.types)
        except InputError:
            raise
        except (ValueError, KeyError, TypeError, OSError) as error:
            raise damaged(self._file, _("its table cannot be read")) from error

    def from_file(self, column: Column, path: str) -> AttributeHierarchy:
        if path != self._names[column.name]:
            raise damaged(
                self._file, _("its recipe names another hierarchy for '{name}'").format(name=column.name)
            )
        return AttributeHierarchy(self.hierarchy(column))

    def from_builder(self, column: Column, builder: HierarchyBuilder, table: Table) -> AttributeHierarchy:
        if builder.paths:
            raise damaged(
                self._file, _("the hierarchy of '{name}' is read from another file").format(name=column.name)
            )
        # As it was saved, even if a later version builds another.
        return AttributeHierarchy(self.hierarchy(column), builder=builder)

    def hierarchy(self, column: Column) -> Hierarchy:
        """Return the hierarchy of a column of the table, which was read before."""
        text = self.text(self._names[column.name])
        rows = [row for _unused, row in dialect.records(text, ";", self._file)]
        return Hierarchy.from_rows(rows, source=_("The hierarchy of '{name}'").format(name=column.name))
