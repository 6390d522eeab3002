"""Project files and recipes: their lock, and writing and reading them off the GUI thread."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from PySide6.QtCore import QFileInfo, QLockFile, QObject, QSysInfo, Signal

from anonymizer_gui.session.session import Session
from anonymizer_gui.tasks import Task
from engine.errors import InputError
from engine.monitor import SILENT, Monitor
from engine.project import Project
from engine.project.pins_and_runs import ProjectState
from engine.project.storage.opened_project import OpenedProject
from engine.records.databases.address import Connection
from engine.records.table_files import ARX_ENDINGS

Look = tuple[int, int, int]  # modification time in nanoseconds, size, inode


@dataclass(frozen=True)
class LockOwner:
    """Owner of the lock of a project file.

    Attributes
    ----------
    host : str
        Name of the machine; empty if unknown.
    since : str
        Local time, ISO 8601 with minutes.
    is_here : bool
        Whether it is this machine.
    """

    host: str
    since: str
    is_here: bool

    @classmethod
    def of(cls, lock: QLockFile) -> LockOwner:
        """Return who has a lock."""
        _process, host, _program = lock.getLockInfo()
        since = QFileInfo(lock.fileName()).lastModified().toString("yyyy-MM-ddTHH:mm")
        return cls(host, since, host in ("", QSysInfo.machineHostName()))


def lock_file(path: Path) -> Path:
    """Return the path of the lock of a project file."""
    target = Path(os.path.realpath(path))  # a file opened by a link is the same file
    return target.parent / f".{target.name[:200]}.lock"


class LockedProjectFile:
    """Holds the lock of at most one file; fast enough for the GUI thread."""

    def __init__(self) -> None:
        self._lock: QLockFile | None = None
        self._path: Path | None = None  # of what is locked
        self._seen: tuple[Path, Look | None] | None = None

    def take(self, path: Path) -> LockOwner | None:
        """Lock a file and release the previous one; return the owner if another window has the lock.

        If no lock can be made, because nothing can be written there, the file is opened without.
        """
        if self._is_locked(path):
            return None
        lock = QLockFile(str(lock_file(path)))
        lock.setStaleLockTime(0)  # only the end of its process makes a lock stale, not its age
        if not lock.tryLock(0) and lock.error() is QLockFile.LockError.LockFailedError:
            is_read = lock.getLockInfo()[0] != 0  # others were left by a crash, or by an earlier version
            if is_read or not (lock.removeStaleLockFile() and lock.tryLock(0)):
                return LockOwner.of(lock)
        self.release()
        self._lock, self._path = lock, path
        return None

    def _is_locked(self, path: Path | None) -> bool:
        is_same = path is not None and self._path is not None and _is_same(self._path, path)
        return is_same and self._lock is not None and self._lock.isLocked()

    def note(self, path: Path) -> None:
        """Store the current state of a file, whose content is open here."""
        self._seen = (path, look_at(path))

    def remember(self, path: Path, look: Look | None) -> None:
        """Store the state of a file as another window last saw it; None if unknown."""
        self._seen = (path, look)

    def seen(self, path: Path) -> Look | None:
        """Return the state of a file when this window last read it."""
        return self._seen[1] if self._seen is not None and _is_same(self._seen[0], path) else None

    def has_changed(self, path: Path) -> bool:
        """Return whether another program wrote the file since `note`."""
        now = look_at(path)
        if now is None or self._seen is None:
            return False
        seen, look = self._seen
        return not _is_same(seen, path) or look != now

    def release(self) -> None:
        """Release the lock."""
        if self._lock is not None:
            self._lock.unlock()
            self._lock = self._path = None

    def release_others(self, path: Path | None) -> None:
        """Release the lock unless it is of this file."""
        if not self._is_locked(path):
            self.release()


def is_open_elsewhere(path: Path) -> bool:
    """Return whether another window has the lock of a project file; may wait for the file system."""
    own = lock_file(path)
    if not own.exists():
        return False
    lock = QLockFile(str(own))
    lock.setStaleLockTime(0)
    if lock.tryLock(0):
        lock.unlock()
        return False
    return lock.error() is QLockFile.LockError.LockFailedError


@dataclass(frozen=True)
class FileState:
    """Whether a recent file is missing, or open in another window."""

    is_gone: bool = False
    is_open: bool = False


def states_of(paths: Sequence[Path], _monitor: Monitor = SILENT) -> dict[Path, FileState]:
    """Return whether recent files are missing, or open in another window."""
    return {
        path: FileState(not path.exists(), path.suffix == f".{PROJECT_ENDING}" and is_open_elsewhere(path))
        for path in paths
    }


def _is_same(one: Path, other: Path) -> bool:
    """Return whether two paths mean the same file, which need not exist."""
    return one == other or lock_file(one) == lock_file(other)


def look_at(path: Path) -> Look | None:
    """Return the state of a file, or None if it does not exist."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


PROJECT_ENDING, RECIPE_ENDING = "anon", "toml"
WAIT = 0.05  # seconds between checks whether a save waiting for another was cancelled


def holds_project(path: Path) -> bool:
    """Return whether the extension is that of a project or recipe; other files are read as tables."""
    return path.suffix.lower() in (f".{PROJECT_ENDING}", f".{RECIPE_ENDING}", *ARX_ENDINGS)


class Saving(QObject):
    """Saves the project of the session; the old file is replaced only by a complete new one."""

    saved = Signal(object)  # path of the project file
    recipe_saved = Signal(object, object)  # path of the recipe, folder of its further files or None
    written_for_arx = Signal(object)  # path of the folder
    failed = Signal(object)
    cancelled = Signal()  # by the user, not by a newer save

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._runner = session.runner
        self._turn = threading.Lock()  # a cancelled save may still be running

    def save(self, path: Path) -> None:
        """Save the current project."""
        if self._session.project is None or self._is_still_read():
            return
        project, state = self._session.snapshot()
        is_written = threading.Event()
        task = Task(_save, project, path, state, self._turn, is_written)
        task.succeeded.connect(lambda _none: self._on_saved(project, state, path))
        task.cancelled.connect(lambda: self._on_cancelled(project, state, path, is_written.is_set()))
        task.failed.connect(self.failed)
        self._runner.start(task, label=self.tr("Saving {name}").format(name=path.name), key="save")

    def save_recipe(self, path: Path) -> None:
        """Write the recipe, with a folder for content that it cannot contain."""
        project = self._session.project
        if project is None or self._is_still_read():
            return
        task = Task(_save_recipe, project, path, self._turn)
        task.succeeded.connect(lambda folder: self.recipe_saved.emit(path, folder))
        task.failed.connect(self.failed)
        self._runner.start(task, label=self.tr("Saving {name}").format(name=path.name), key="save recipe")

    def write_for_arx(self, folder: Path) -> None:
        """Write the table and the hierarchies as CSV files for ARX."""
        project = self._session.project
        if project is None or self._is_still_read():
            return
        task = Task(_write_for_arx, project, folder)
        task.succeeded.connect(lambda _files: self.written_for_arx.emit(folder))
        task.failed.connect(self.failed)
        self._runner.start(task, label=self.tr("Writing files for ARX"), key="files for arx")

    def _is_still_read(self) -> bool:
        """Return whether only the first records are read, which cannot be saved."""
        if self._session.reading.is_provisional:
            self.failed.emit(
                InputError(
                    self.tr("The project cannot be saved while its table is being read."),
                    hint=self.tr("Wait until the table has been read completely, then save."),
                )
            )
        return self._session.reading.is_provisional

    def _on_saved(self, project: Project, state: ProjectState, path: Path) -> None:
        # Changes and releases since the start of saving are not in the file.
        session = self._session
        if session.project is project and replace(session.snapshot()[1], selected=state.selected) == state:
            session.mark_saved(path)
        self.saved.emit(path)

    def _on_cancelled(self, project: Project, state: ProjectState, path: Path, is_written: bool) -> None:
        if self._runner.running("save") is None:
            self.cancelled.emit()
            if is_written:  # cancelled too late
                self._on_saved(project, state, path)


def read_project(
    path: Path,
    monitor: Monitor = SILENT,
    moved: Mapping[str, Path] | None = None,
    connection: Connection | None = None,
) -> OpenedProject:
    """Read a recipe, a project file with its project state, or a project of ARX.

    The readable parts of a damaged project file are read and its losses listed; those of a project of ARX are
    what was not taken over. `moved` gives the new paths of files that are not where the recipe says, and
    `connection` leads to the table of a project file that stays in a server.
    """
    if path.suffix.lower() == f".{PROJECT_ENDING}":
        from engine.project.storage.file import open_project
        from engine.project.storage.members import DamagedFileError
        from engine.project.storage.salvage import salvage

        try:
            return open_project(path, monitor, moved, connection)
        except DamagedFileError:
            return salvage(path, monitor)
    if path.suffix.lower() in ARX_ENDINGS:
        from engine.arx.reading import read_arx

        return read_arx(path, monitor)
    from engine.project.recipe.files import read_recipe

    return OpenedProject(read_recipe(path, monitor, moved))


def renamed(project: Project, name: str) -> Project:
    """Return the project under another name."""
    return replace(project, name=name)


@contextmanager
def _in_turn(turn: threading.Lock, monitor: Monitor) -> Iterator[None]:
    """Wait for the previous save to end; raise if cancelled in the meantime."""
    while not turn.acquire(timeout=WAIT):
        monitor.step(0, 1)
    try:
        monitor.step(0, 1)
        yield
    finally:
        turn.release()


def _save(
    project: Project,
    path: Path,
    state: ProjectState,
    turn: threading.Lock,
    is_written: threading.Event,
    monitor: Monitor = SILENT,
) -> None:
    from engine.project.storage.file import save_project

    with _in_turn(turn, monitor):
        save_project(project, path, state, monitor)
        is_written.set()


def _save_recipe(
    project: Project, path: Path, turn: threading.Lock, monitor: Monitor = SILENT
) -> Path | None:
    from engine.project.recipe.files import write_recipe

    with _in_turn(turn, monitor):
        return write_recipe(project, path)


def _write_for_arx(project: Project, folder: Path, monitor: Monitor = SILENT) -> list[Path]:
    from engine.arx.writing import write_for_arx

    return write_for_arx(project, folder, monitor)
