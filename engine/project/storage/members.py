"""Members of a project file: their names, and how each is read; none is unpacked to disk."""

from __future__ import annotations

import errno
import hashlib
import json
import lzma
import string
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from engine.errors import InputError, ProjectFileError, TableError
from engine.files import open_regular
from engine.hierarchies import Hierarchy
from engine.hierarchies.builders.base import BuilderContext, HierarchyBuilder
from engine.monitor import Monitor, StretchMonitor
from engine.project.project import AttributeHierarchy
from engine.project.storage.parquet import read_parquet
from engine.project.storage.reference import SavedFiles, SavedTable, away
from engine.records import Column, Table
from engine.records.databases.address import NOBODY, Connection, DatabaseAddress
from engine.records.opening import memory_of, open_database
from engine.records.opening.files import open_files
from engine.records.options import CLUSTER, SERVER, ReadOptions
from engine.records.text import dialect
from engine.words import _

PROJECT, RECIPE, TABLE = "project.json", "recipe.toml", "table.parquet"
FILES = "files.json"  # instead of the table, if that stays in files
DATABASE = "database.json"  # the same for a database or cluster
POPULATION, SUBSET = "population.parquet", "subset.parquet"
HISTORY, NOTES = "history.json", "notes.json"
MOST_UNPACKED = 1 << 28  # bytes that a member may unpack to; the table is stored without packing
_CHECKED, _READ = 0.1, 0.8  # about the shares of the time in which files are compared, and then read

# Errors of reading an archive in which some byte has changed.
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
    """A project file, or part of it, has changed since it was saved; the rest may still be readable."""


def damaged(file: str, reason: str) -> DamagedFileError:
    """Return the error for a damaged file."""
    return DamagedFileError(
        _("'{file}' is damaged or not a project file: {reason}.").format(file=file, reason=reason),
        hint=_("Open an earlier copy, or start again from the recipe or the table."),
        file=file,
        reason=reason,
    )


def checksum(data: bytes) -> str:
    """Return the checksum that identifies a saved member."""
    return hashlib.sha256(data).hexdigest()


def apart_name(digest: str) -> str:
    """Return the file name of a member that is stored separately, by its checksum."""
    return f"{digest}.member"


def hierarchy_members(columns: tuple[str, ...]) -> dict[str, str]:
    """Return the member of each column's hierarchy, by position, because columns may have any name."""
    return {column: f"hierarchies/{number:03d}.csv" for number, column in enumerate(columns, start=1)}


def data_apart(folder: Path, digest: Any) -> bytes | None:
    """Return the data of a folder under a checksum; None if there is none, or it is not a checksum."""
    if isinstance(digest, str) and digest and not set(digest) - set(string.hexdigits):
        with suppress(OSError):
            return (folder / apart_name(digest)).read_bytes()
    return None


Refusal = Callable[[str], ProjectFileError]  # returns the error for a reason


@contextmanager
def open_zip(path: Path, refuse: Refusal) -> Iterator[zipfile.ZipFile]:
    """Open the zip of a project.

    Raises
    ------
    ProjectFileError
        It is not a zip with a directory.
    OSError
        The system cannot read the file.
    """
    with open_regular(path) as opened:
        try:
            archive = zipfile.ZipFile(opened)
        except ZIP_ERRORS as error:
            raise refuse(_("it is not a complete zip archive")) from error
        with archive:
            yield archive


@contextmanager
def open_archive(path: Path) -> Iterator[Callable[[str], bytes]]:
    """Open a zip; yields a function that fetches a member by name, if it occurs once and is not a bomb.

    Raises
    ------
    DamagedFileError
        It is not a zip, or a member has changed since it was packed.
    OSError
        The system cannot read the file.
    """
    file = path.name

    def member(name: str) -> bytes:
        entries = [entry for entry in archive.infolist() if entry.filename == name]
        if not entries:
            raise damaged(file, _("'{name}' is missing").format(name=name))
        if len(entries) > 1:
            raise damaged(file, _("'{name}' occurs several times").format(name=name))
        return read_entry(archive, entries[0], partial(damaged, file))

    with open_zip(path, partial(damaged, file)) as archive:
        yield member


def read_entry(
    archive: zipfile.ZipFile, entry: zipfile.ZipInfo, refuse: Refusal, most: int | None = None
) -> bytes:
    """Return the bytes of a member, or raise `ProjectFileError` if they changed or unpack to too many."""
    name = entry.filename
    if entry.flag_bits & 1:
        raise refuse(_("it is encrypted"))
    if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise refuse(_("'{name}' has an unsupported compression").format(name=name))
    stored = entry.compress_type == zipfile.ZIP_STORED and entry.file_size == entry.compress_size
    if entry.file_size > (MOST_UNPACKED if most is None else most) and not stored:
        raise refuse(_("'{name}' would unpack to more than a project can hold").format(name=name))
    try:
        with archive.open(entry) as member:
            # no more: a member that is read without a limit unpacks completely
            return member.read(entry.file_size + 1)
    except ZIP_ERRORS as error:
        raise refuse(_("'{name}' is corrupted (checksum mismatch)").format(name=name)) from error
    except OSError as error:
        if error.errno != errno.EINVAL:  # an impossible position in the file
            raise
        raise refuse(_("'{name}' is corrupted (checksum mismatch)").format(name=name)) from error


class Members:
    """Members that a recipe in a project file names, read by known names only.

    Parameters
    ----------
    fetch : callable
        Returns the bytes of a member; raises `DamagedFileError` if it is missing.
    file : str
        Name of the project file in messages.
    base : Path, optional
        Folder of the project file, if that refers to the files of its table by relative paths.
    moved : mapping of str to Path, optional
        New paths of files that are not at the path in the project.
    connection : Connection, optional
        To a table that stays in a server.

    Attributes
    ----------
    source : Path or None
        Place of a table that stays in files, once it was read.
    database : str
        Address of a table that stays in a database, once it was read.
    """

    judges_choices: ClassVar[bool] = False  # see `Origin`

    def __init__(
        self,
        fetch: Callable[[str], bytes],
        file: str,
        base: Path | None = None,
        moved: Mapping[str, Path] | None = None,
        connection: Connection | None = None,
    ) -> None:
        self._fetch = fetch
        self._file = file
        self._base, self._moved, self._connection = base, moved or {}, connection
        self.source: Path | None = None
        self.database = ""
        self.reading: Callable[[ReadOptions], ReadOptions] = lambda options: options
        self._names: dict[str, str] = {}  # of hierarchies, by column
        self._checksums: dict[str, Any] | None = None

    def hold_to(self, checksums: Any) -> None:
        """Refuse every member from now on that does not match its checksum."""
        if not isinstance(checksums, dict):
            raise damaged(self._file, _("the list of its parts is missing"))
        self._checksums = checksums

    def know_columns(self, names: tuple[str, ...]) -> None:
        """Set the columns of a lost table; hierarchies go by position."""
        self._names = hierarchy_members(names)

    def data(self, name: str) -> bytes:
        """Return a member that matches its checksum."""
        data = self._fetch(name)
        if self._checksums is not None and self._checksums.get(name) != checksum(data):
            raise damaged(self._file, _("'{name}' has changed since it was saved").format(name=name))
        return data

    def text(self, name: str) -> str:
        """Return a member as text."""
        try:
            return self.data(name).decode("utf-8")
        except UnicodeDecodeError as error:
            raise damaged(self._file, _("'{name}' is not text in UTF-8").format(name=name)) from error

    def json(self, name: str, kind: type) -> Any:
        """Return a member as JSON of a kind."""
        try:
            value = json.loads(self.text(name))
        except (ValueError, RecursionError) as error:
            raise damaged(self._file, _("'{name}' is not valid JSON").format(name=name)) from error
        if not isinstance(value, kind):
            raise damaged(self._file, _("'{name}' has unexpected content").format(name=name))
        return value

    def beside(self, path: str) -> str:
        """Return the path of a file that the project names."""
        return path if self._base is None else str(self._base / path)

    def saved_files(self) -> tuple[SavedFiles, Path]:
        """Return the files of a table that stays in them, and their place."""
        saved = SavedFiles.from_json(self.json(FILES, dict))
        if saved is None:
            raise damaged(self._file, _("'{name}' has unexpected content").format(name=FILES))
        return saved, self._moved.get(saved.place, saved.seen_from(self._base))

    def _from_files(self, options: ReadOptions, monitor: Monitor) -> tuple[Table, ReadOptions]:
        """Read the files of the table again, if they are unchanged."""
        saved, place = self.saved_files()
        state = saved.check(place, self._file, StretchMonitor(monitor, 0, _CHECKED))
        options = self.reading(options)
        try:
            source = open_files(place, options, memory_of(options), StretchMonitor(monitor, _CHECKED, _READ))
            reading = source.reading(options, StretchMonitor(monitor, _READ, 1))
        except TableError as error:
            raise away(error, place) from error
        source.files.know(state, saved.digests)
        self.source = place
        return reading.table, reading.options

    def saved_table(self) -> tuple[SavedTable, DatabaseAddress]:
        """Return the table that stays in a database, and its address."""
        saved = SavedTable.from_json(self.json(DATABASE, dict))
        if saved is None:
            raise damaged(self._file, _("'{name}' has unexpected content").format(name=DATABASE))
        return saved, saved.seen_from(self._base, self._moved)

    def _from_database(self, options: ReadOptions, monitor: Monitor) -> tuple[Table, ReadOptions]:
        """Ask the database of the table again, if it is unchanged."""
        saved, address = self.saved_table()
        login = NOBODY
        if self._connection is not None:
            address, login = self._connection.address, self._connection.login
        else:
            saved.refuse_unasked(address, self._file)
        options = self.reading(options)
        stays = CLUSTER if address.is_cluster else SERVER
        try:
            table, found = open_database(address, replace(options, source=stays), login, monitor)
        except TableError as error:
            raise away(error, address) from error
        saved.check(table, address, self._file)
        self.database = address.full
        return table, replace(found, source=options.source)

    def table(self, path: str, options: ReadOptions, monitor: Monitor) -> tuple[Table, ReadOptions]:
        if path in (FILES, DATABASE):
            read = self._from_files if path == FILES else self._from_database
            table, options = read(options, monitor)
            self._names = hierarchy_members(table.names)
            return table, options
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
            raise damaged(self._file, _("its recipe names a table that it does not contain"))
        monitor.step(0, 1, _("Reading an additional table"))
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
        if self.database:
            return AttributeHierarchy(builder.build(column, BuilderContext(table)), builder=builder)
        # As saved, even if a later version builds another one.
        return AttributeHierarchy(self.hierarchy(column), builder=builder)

    def hierarchy(self, column: Column) -> Hierarchy:
        """Return the hierarchy of a column of the table, which was read before."""
        text = self.text(self._names[column.name])
        rows = [row for _unused, row in dialect.records(text, ";", self._file)]
        return Hierarchy.from_rows(rows, source=_("The hierarchy of '{name}'").format(name=column.name))
