"""The project file this window writes: its lock, and how it was when the window last looked."""

from __future__ import annotations

import os
from pathlib import Path

from engine.project.storage.lock import LockOwner, ProjectLock, lock_file, lock_project

Look = tuple[int, int, int]  # time of the last change in nanoseconds, size, number of the file


class HeldFile:
    """At most one file at a time; quick enough for the GUI thread."""

    def __init__(self) -> None:
        self._lock: ProjectLock | None = None
        self._seen: tuple[Path, Look | None] | None = None

    def take(self, path: Path) -> LockOwner | None:
        """Take the lock of a file in place of the one held; returns who has it, if it is another window."""
        if self._lock is not None and _is_same(self._lock.path, path) and self._lock.is_held:
            return None
        taken = lock_project(path)
        if isinstance(taken, LockOwner):
            return taken
        self.release()
        self._lock = taken
        return None

    def note(self, path: Path) -> None:
        """Remember how a file is now: what is open here is what it holds."""
        self._seen = (path, look_at(path))

    def remember(self, path: Path, look: Look | None) -> None:
        """Take how a file was when another window last looked; None where nobody knows."""
        self._seen = (path, look)

    def seen(self, path: Path) -> Look | None:
        """How a file was when this window last looked."""
        return self._seen[1] if self._seen is not None and _is_same(self._seen[0], path) else None

    def has_changed(self, path: Path) -> bool:
        """Whether another program wrote the file since `note`."""
        now = look_at(path)
        if now is None or self._seen is None:
            return False
        seen, look = self._seen
        return not _is_same(seen, path) or look != now

    def release(self) -> None:
        """Let others write it."""
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    def release_others(self, path: Path | None) -> None:
        """Let others write the file held, unless it is this one."""
        if self._lock is not None and (path is None or not _is_same(self._lock.path, path)):
            self.release()


def _is_same(one: Path, other: Path) -> bool:
    """Whether two names lead to one file, also one that is not there yet."""
    return one == other or lock_file(one) == lock_file(other)


def look_at(path: Path) -> Look | None:
    """How a file is now; None where there is none."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
