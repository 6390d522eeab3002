"""Lock of the project file that this window writes, and the state of the file when it was last read."""

from __future__ import annotations

import os
from pathlib import Path

from engine.project.storage.lock import LockOwner, ProjectLock, lock_file, lock_project

Look = tuple[int, int, int]  # modification time in nanoseconds, size, inode


class LockedProjectFile:
    """Holds the lock of at most one file; fast enough for the GUI thread."""

    def __init__(self) -> None:
        self._lock: ProjectLock | None = None
        self._seen: tuple[Path, Look | None] | None = None

    def take(self, path: Path) -> LockOwner | None:
        """Lock a file and release the previous one; return the owner if another window has the lock."""
        if self._lock is not None and _is_same(self._lock.path, path) and self._lock.is_held:
            return None
        taken = lock_project(path)
        if isinstance(taken, LockOwner):
            return taken
        self.release()
        self._lock = taken
        return None

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
            self._lock.release()
            self._lock = None

    def release_others(self, path: Path | None) -> None:
        """Release the lock unless it is of this file."""
        if self._lock is not None and (path is None or not _is_same(self._lock.path, path)):
            self.release()


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
