"""Recovery of unsaved work: one private folder per running window.

A folder holds tables and large hierarchies, each stored once under its checksum, and a small archive of the
rest that is replaced as a unit, so that it always holds one state of the project, the last one written.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from engine.errors import ExportError, ProjectFileError
from engine.files import atomic_write
from engine.hierarchies import Hierarchy
from engine.monitor import SILENT, Monitor
from engine.processes import is_running, start_of
from engine.project.pins_and_runs import ProjectState
from engine.project.project import Project
from engine.project.storage.file import (
    about_project,
    hierarchy_text,
    members_of,
    packing,
    read_opened,
    to_json,
    unreadable,
    write_archive,
)
from engine.project.storage.members import (
    POPULATION,
    PROJECT,
    SUBSET,
    TABLE,
    DamagedFileError,
    Members,
    apart_name,
    checksum,
    data_apart,
    open_archive,
)
from engine.project.storage.opened_project import DamagedProject, OpenedProject
from engine.project.storage.parquet import write_parquet
from engine.project.storage.salvage import salvage_remains
from engine.records import Table
from engine.records.databases.address import Connection
from engine.scratch import config_dir, machine
from engine.words import _

Kept = TypeVar("Kept")
Value = TypeVar("Value")

_OWNER, _REST, _ABOUT = "owner.json", "project.anon", "recovery.json"
_TABLES = (TABLE, POPULATION, SUBSET)
Look = tuple[int, int, int]  # of a file: time of the last change in nanoseconds, size, inode
_LARGE = 1 << 18  # bytes of a hierarchy that is stored separately


@dataclass(frozen=True)
class Offer:
    """Unsaved work of a window that ended without being closed.

    Attributes
    ----------
    folder : Path
        Its folder.
    name : str
        Name of the project; empty if it cannot be read.
    saved_at : str
        Local time when it was stored, ISO 8601 with seconds.
    path : Path or None
        Project file that it belongs to.
    seen : tuple of int or None
        State of that file when the window last looked; None if unknown.
    source : Path or None
        File that its table was read from; None if that came from a project file or a database.
    """

    folder: Path
    name: str
    saved_at: str
    path: Path | None
    seen: Look | None = None
    source: Path | None = None

    @property
    def remains(self) -> DamagedProject:
        """The same as a damaged project."""
        return DamagedProject(self.folder / _REST, self.name or self.folder.name, self.folder)


class Recovery:
    """Storage of the unsaved work of this window, and access to what others have left.

    Parameters
    ----------
    root : Path, optional
        By default a folder in the user's folder of the program.
    """

    def __init__(self, root: Path | None = None) -> None:
        self._root = root or config_dir() / "recovery"
        self._folder: Path | None = None
        self._lock = threading.Lock()  # one writer at a time, whichever thread it is in
        self._tables: list[tuple[Table, str]] = []  # tables in the folder, with their checksums
        self._texts: list[tuple[Hierarchy, bytes]] = []

    # Keeping -----------------------------------------------------------------------------------

    def write(
        self,
        project: Project,
        state: ProjectState,
        path: Path | None,
        seen: Look | None = None,
        monitor: Monitor = SILENT,
    ) -> None:
        """Store a project in place of the one stored before; only changed parts are packed again.

        `path` is its project file, and `seen` the state of that file when it was opened or saved here.

        Raises
        ------
        ExportError
            It cannot be written; the work stored before remains.
        """
        with self._lock:
            folder = self._own_folder()
            tables: list[tuple[Table, str]] = []
            texts: list[tuple[Hierarchy, bytes]] = []

            def pack_table(table: Table) -> bytes:
                digest = _kept(self._tables, table) or self._store(folder, write_parquet(table))
                tables.append((table, digest))
                return digest.encode("ascii")

            pack = packing(project, None, pack_table, monitor)

            def pack_hierarchy(hierarchy: Hierarchy) -> bytes:
                text = _kept(self._texts, hierarchy) or hierarchy_text(hierarchy)
                texts.append((hierarchy, text))
                return text

            members = members_of(project, state, pack, pack_hierarchy, monitor)
            apart = {name: members.pop(name).decode("ascii") for name in _TABLES if name in members}
            checksums = {name: checksum(data) for name, data in members.items()} | apart
            for name in [name for name, data in members.items() if len(data) > _LARGE]:
                apart[name] = self._store(folder, members.pop(name))
            about = {
                "name": project.name,
                "saved_at": time.strftime("%Y-%m-%dT%H:%M:%S"),
                "path": None if path is None else str(path),
                "seen": seen,
                "source": None if project.source is None else str(project.source.absolute()),
            }
            first = {_ABOUT: to_json(about), PROJECT: to_json(about_project(project, state, checksums))}
            with atomic_write(folder / _REST, is_private=True) as file:
                write_archive(file, first | members)
            self._tables, self._texts = tables, texts
            _keep_only(folder, {_OWNER, _REST, *map(apart_name, apart.values())})

    def clear(self) -> None:
        """Remove the stored work: it is saved, or no longer wanted."""
        with self._lock:
            self._tables, self._texts = [], []
            if self._folder is not None:
                _remove(self._folder)
                self._folder = None

    def _own_folder(self) -> Path:
        if self._folder is None or not self._folder.is_dir():
            pid = os.getpid()
            owner = {"pid": pid, "start": start_of(pid), "host": machine()}
            try:
                self._root.mkdir(parents=True, exist_ok=True, mode=0o700)
                folder = Path(tempfile.mkdtemp(prefix=f"{pid}-", dir=self._root))
            except OSError as error:
                raise ExportError(
                    _("Unsaved work cannot be stored in '{root}': {reason}.").format(
                        root=self._root, reason=error.strerror or error
                    ),
                    hint=_("Free some space. Until then, autosave is off: save the project yourself."),
                    file=str(self._root),
                ) from error
            self._tables = []
            with atomic_write(folder / _OWNER, is_private=True) as file:
                file.write(to_json(owner))
            self._folder = folder
        return self._folder

    def _store(self, folder: Path, data: bytes) -> str:
        """Store bytes under their checksum, unless they exist."""
        digest = checksum(data)
        path = folder / apart_name(digest)
        if not path.exists():
            with atomic_write(path, is_private=True) as file:
                file.write(data)
        return digest

    # Recovering --------------------------------------------------------------------------------

    def offers(self) -> tuple[Offer, ...]:
        """Return the work that ended windows have left, newest first; empty folders are removed."""
        found = []
        for folder in _folders(self._root):
            owner = _json_in(folder / _OWNER)
            if folder == self._folder or _is_in_use(folder, owner):
                continue
            if not (folder / _REST).is_file():
                _remove(folder)
                continue
            found.append(_offer(folder))
        return tuple(sorted(found, key=lambda offer: offer.saved_at, reverse=True))

    def read(
        self, offer: Offer, monitor: Monitor = SILENT, connection: Connection | None = None
    ) -> OpenedProject:
        """Open recovered work, damaged data as completely as possible; see `open_project`.

        Raises
        ------
        DamagedFileError
            Its table is lost; see `engine.project.storage.salvage.salvage_remains`.
        ProjectFileError
            It no longer exists.
        """
        name = offer.name or offer.folder.name
        try:
            with open_archive(offer.folder / _REST) as fetch:
                about = Members(fetch, name).json(PROJECT, dict)
                apart = _with_apart(fetch, offer.folder, about)
                opened = read_opened(Members(apart, name, connection=connection), name, monitor)
        except DamagedFileError:
            opened = salvage_remains(offer.remains, monitor)
        except OSError as error:
            raise unreadable(offer.folder / _REST, error) from error
        return opened._replace(project=replace(opened.project, source=offer.source))

    def discard(self, offer: Offer) -> None:
        """Remove recovered work for good.

        Raises
        ------
        ProjectFileError
            It cannot be removed.
        """
        if offer.folder.parent == self._root:
            _remove(offer.folder)
        if offer.folder.exists():
            raise ProjectFileError(
                _("The recovery copy of '{name}' could not be removed.").format(name=offer.name),
                hint=_("Delete the folder '{folder}' yourself.").format(folder=offer.folder),
                file=offer.name,
            )


def _kept(known: Iterable[tuple[Kept, Value]], wanted: Kept) -> Value | None:
    """Return the value that was stored for the very same object."""
    return next((value for kept, value in known if kept is wanted), None)


def _with_apart(fetch: Callable[[str], bytes], folder: Path, about: dict[str, Any]) -> Callable[[str], bytes]:
    """Return a function that fetches separately stored members from the folder, others from the archive."""
    checksums = about.get("checksums")
    digests = checksums if isinstance(checksums, dict) else {}

    def found(member: str) -> bytes:
        apart = data_apart(folder, digests.get(member))
        return fetch(member) if apart is None else apart

    return found


def _offer(folder: Path) -> Offer:
    try:
        with open_archive(folder / _REST) as fetch:
            about = Members(fetch, folder.name).json(_ABOUT, dict)
    except (ProjectFileError, OSError):
        about = {}
    name, saved_at = about.get("name"), about.get("saved_at")
    path, source = about.get("path"), about.get("source")
    return Offer(
        folder,
        name if isinstance(name, str) else "",
        saved_at if isinstance(saved_at, str) else "",
        Path(path) if isinstance(path, str) else None,
        _look(about.get("seen")),
        Path(source) if isinstance(source, str) else None,
    )


def _look(value: object) -> Look | None:
    if isinstance(value, list) and len(value) == 3 and all(isinstance(number, int) for number in value):
        return value[0], value[1], value[2]
    return None


def _is_in_use(folder: Path, owner: dict[str, Any]) -> bool:
    """Return whether a window still uses the folder, or may on another machine."""
    pid, start, host = owner.get("pid"), owner.get("start"), owner.get("host")
    if not isinstance(pid, int) or not isinstance(start, str):
        # A folder that is just being created has no owner yet.
        with suppress(OSError):
            return time.time() - folder.stat().st_mtime < 60 and not (folder / _REST).exists()
        return True
    # Earlier versions stored the name of the machine.
    return host not in (machine(), platform.node()) or is_running(pid, start)


def _folders(root: Path) -> list[Path]:
    with suppress(OSError):
        return sorted(path for path in root.iterdir() if path.is_dir() and not path.is_symlink())
    return []


def _json_in(path: Path) -> dict[str, Any]:
    with suppress(OSError, ValueError, RecursionError):
        value = json.loads(path.read_text(encoding="utf-8"))
        if isinstance(value, dict):
            return value
    return {}


def _keep_only(folder: Path, names: set[str]) -> None:
    with suppress(OSError):
        for path in folder.iterdir():
            if path.name not in names:
                path.unlink()


def _remove(folder: Path) -> None:
    """Remove a folder, starting with the file that makes it an offer."""
    with suppress(OSError):
        (folder / _REST).unlink()
    shutil.rmtree(folder, ignore_errors=True)
