"""A table that is not in memory, as a project file names it: where its records are, and how they were.

Of files, a project file holds paths, sizes, times and SHA-256; of a table in a database, its address without
a user and a fingerprint; never a record. They are read again when it is opened, and only if they are as they
were saved.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from engine.errors import InputError, ProjectFileError
from engine.monitor import Monitor, PartMonitor
from engine.numbers import as_exact_count
from engine.project.project import Project
from engine.project.recipe.writing import relative
from engine.records import Table
from engine.records.databases.address import DatabaseAddress, file_url, parse_address
from engine.records.options import CLUSTER
from engine.records.places import files_of, is_there, place_in_order
from engine.records.remote import source_of
from engine.records.stored import sha256_of, state_of
from engine.records.table_files import exists
from engine.words import _

MOST_NAMED = 3  # differences that are named


class TableAwayError(ProjectFileError):
    """The table that a project refers to is missing, has changed, or cannot be read.

    The context's `has_settings` is true; `place` is the present one, `missing` the path in the project if its
    files are not there, and `database` the address of a server that was not asked.
    """


@dataclass(frozen=True)
class SavedFile:
    """A file when the project was saved.

    Attributes
    ----------
    size, time : int
        Bytes, and nanoseconds since 1970.
    sha256 : str
        Empty if it had changed since it was read.
    """

    name: str
    size: int
    time: int
    sha256: str


@dataclass(frozen=True)
class SavedFiles:
    """The files of a table when the project was saved.

    Attributes
    ----------
    place : str
        Path of a file or folder, a pattern or a list, as seen from the folder of the project.
    files : tuple of SavedFile
        In the order of the records.
    """

    place: str
    files: tuple[SavedFile, ...]

    @classmethod
    def of(cls, project: Project, base: Path | None, monitor: Monitor) -> SavedFiles:
        """Return the files of a project's table.

        Parameters
        ----------
        project : Project
            Its table stays in files.
        base : Path or None
            Folder of the project file; None for an absolute path.
        """
        stored = project.stored
        assert stored is not None, "only such a table is saved so"
        place = place_of(project).absolute()
        digests = stored.digests(monitor) or ("",) * len(stored.paths)
        return cls(
            place.as_posix() if base is None else relative(place, base.absolute()),
            tuple(
                SavedFile(path.name, size, time, digest)
                for path, (size, time), digest in zip(stored.paths, stored.state, digests, strict=True)
            ),
        )

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> SavedFiles | None:
        """Return the files that a member lists; None if it is not such a list."""
        place, listed = values.get("place"), values.get("files")
        wanted = {field.name: str if field.name in ("name", "sha256") else int for field in fields(SavedFile)}
        if not isinstance(place, str) or not place or not isinstance(listed, list) or not listed:
            return None
        for entry in listed:
            if not isinstance(entry, dict) or {key: type(value) for key, value in entry.items()} != wanted:
                return None
        return cls(place, tuple(SavedFile(**entry) for entry in listed))

    @property
    def is_several(self) -> bool:
        """Return whether the place is a folder, a pattern or a list."""
        return len(self.files) > 1 or Path(self.place).name != self.files[0].name

    def seen_from(self, base: Path | None) -> Path:
        """Return the place as seen from the folder of the project."""
        return Path(self.place) if base is None else base / self.place

    @property
    def digests(self) -> tuple[str, ...]:
        """SHA-256 of every file."""
        return tuple(saved.sha256 for saved in self.files)

    def check(self, place: Path, file: str, monitor: Monitor) -> tuple[tuple[int, int], ...]:
        """Return size and time of the files at a place, if they are unchanged, byte for byte.

        Parameters
        ----------
        file : str
            Name of the project in messages.

        Raises
        ------
        TableAwayError
        """
        if not is_there(place):
            raise TableAwayError(
                _("The table of '{file}' is not at '{place}'.").format(file=file, place=self.place),
                hint=_("The project contains no records. Choose the new location of its files."),
                missing=self.place,
                is_several=self.is_several,
                has_settings=True,
            )
        try:
            paths = [path for path in files_of(place) if exists(path)]
            state = state_of(paths)
            found = self._differences(paths, state, monitor)
        except InputError as error:
            raise away(error, place) from error
        except OSError as error:
            reason = error.strerror or str(error)
            raise away(
                InputError(_("'{name}' cannot be read: {reason}.").format(name=place.name, reason=reason)),
                place,
            ) from error
        if found:
            raise changed(found, place, file)
        return state

    def _differences(
        self, paths: Sequence[Path], state: Sequence[tuple[int, int]], monitor: Monitor
    ) -> list[str]:
        """Return what is different now, as parts of a sentence; contents are compared last, which is slow."""
        names, known = [path.name for path in paths], [saved.name for saved in self.files]
        if self.is_several and names != known:
            gone = [_("'{name}' is missing").format(name=name) for name in known if name not in names]
            new = [_("'{name}' is new").format(name=name) for name in names if name not in known]
            return [*gone, *new]
        found = [
            _("'{name}' has {now} bytes instead of {before}").format(
                name=path.name, now=as_exact_count(size), before=as_exact_count(saved.size)
            )
            for path, saved, (size, _time) in zip(paths, self.files, state, strict=True)
            if size != saved.size
        ]
        if found:
            return found
        for number, (path, saved) in enumerate(zip(paths, self.files, strict=True)):
            part = PartMonitor(monitor, number, len(paths))
            if sha256_of(path, part) != saved.sha256:
                found.append(_("'{name}' has other content of the same size").format(name=path.name))
        return found


@dataclass(frozen=True)
class SavedTable:
    """A table that stays in a database or on a cluster when the project was saved.

    Attributes
    ----------
    place : str
        Its address without a user; of an SQLite file as seen from the folder of the project.
    state : str
        What `RecordSource.fingerprint` returns.
    columns : dict of str to int
        Number of different values of each column.
    """

    place: str
    n_records: int
    state: str
    columns: dict[str, int]

    @classmethod
    def of(cls, project: Project, base: Path | None) -> SavedTable:
        """Return the table of a project.

        Parameters
        ----------
        project : Project
            Its table stays in a database or on a cluster.
        base : Path or None
            Folder of the project file; None for an absolute path.
        """
        source = project.remote
        assert source is not None, "only such a table is saved so"
        address = parse_address(project.database)[0].without_user
        return cls(
            address.seen_from(Path(), None if base is None else base.absolute()).full,
            source.n_records,
            source.state,
            {column.name: len(column.labels) for column in project.table.columns},
        )

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> SavedTable | None:
        """Return the table that a member describes; None if it describes none."""
        wanted = {"place": str, "n_records": int, "state": str, "columns": dict}
        if {key: type(value) for key, value in values.items()} != wanted:
            return None
        if not all(type(n) is int for n in values["columns"].values()) or not values["columns"]:
            return None
        try:
            address, password = parse_address(values["place"])
        except InputError:
            return None
        return cls(**values) if password is None and not address.query else None

    def seen_from(self, base: Path | None, moved: Mapping[str, Path]) -> DatabaseAddress:
        """Return the address as seen from the folder of the project."""
        address = parse_address(self.place)[0]
        if address.is_file and self.place in moved:
            return replace(address, url=file_url(moved[self.place].absolute()))
        return address.seen_from(base or Path())

    def refuse_unasked(self, address: DatabaseAddress, file: str) -> None:
        """Refuse to connect to a server, or to open a file that is not there.

        Raises
        ------
        TableAwayError
        """
        if not address.is_file:
            raise TableAwayError(
                _("The table of '{file}' stays in '{name}', which was not asked.").format(
                    file=file, name=address.name
                ),
                hint=_("No connection is made without your confirmation."),
                database=address.full,
                has_settings=True,
            )
        if not exists(address.path):
            raise TableAwayError(
                _("The table of '{file}' is not at '{place}'.").format(
                    file=file, place=parse_address(self.place)[0].path
                ),
                hint=_("Its records stay in their files. Say where they are now."),
                missing=self.place,
                has_settings=True,
            )

    def check(self, table: Table, address: DatabaseAddress, file: str) -> None:
        """Refuse a table that has changed.

        Parameters
        ----------
        table : Table
            Read from the database now.
        address : DatabaseAddress
            Place it was read from.
        file : str
            Name of the project in messages.

        Raises
        ------
        TableAwayError
        """
        if found := self._differences(table):
            raise changed(found, address, file)

    def _differences(self, table: Table) -> list[str]:
        """Return what is different now, as parts of a sentence; a missing column is refused by reading."""
        now = {column.name: len(column.labels) for column in table.columns}
        found = [_("column '{name}' is new").format(name=name) for name in now if name not in self.columns]
        if table.n_records != self.n_records:
            found.append(
                _("it has {now} records instead of {before}").format(
                    now=as_exact_count(table.n_records), before=as_exact_count(self.n_records)
                )
            )
        found += [
            _("'{name}' has {now} different values instead of {before}").format(
                name=name, now=as_exact_count(now[name]), before=as_exact_count(before)
            )
            for name, before in self.columns.items()
            if name in now and now[name] != before
        ]
        source = source_of(table)
        if not found and source is not None and source.state != self.state:
            found.append(
                _("its files have other names, sizes or times")
                if source.kind == CLUSTER
                else _("the least or the greatest value of its key is another one")
            )
        return found


def place_of(project: Project) -> Path:
    """Return the file, folder, pattern or list of a table that stays in files.

    Raises
    ------
    TableError
        It was not opened by a place, and its files are in several folders.
    """
    if project.source is not None:
        return project.source
    stored = project.stored
    assert stored is not None, "the table stays in files"
    return place_in_order(stored.paths)


def changed(differences: Sequence[str], place: Path | DatabaseAddress, file: str) -> TableAwayError:
    """Return the error for a table that has changed.

    Parameters
    ----------
    differences : sequence of str
        Parts of a sentence.
    file : str
        Name of the project.
    """
    named = "; ".join(differences[:MOST_NAMED])
    if (more := len(differences) - MOST_NAMED) > 0:
        named += " " + _("(and {n} more)").format(n=as_exact_count(more))
    return TableAwayError(
        _("The table of '{file}' has changed since the project was saved: {named}.").format(
            file=file, named=named
        ),
        hint=_("Roles, hierarchies and all other settings are intact."),
        place=place,
        has_settings=True,
    )


def away(error: InputError, place: Path | DatabaseAddress) -> TableAwayError:
    """Return the error for a table that is there but cannot be read as the project says."""
    return TableAwayError(error.problem, hint=error.hint, place=place, has_settings=True)
