"""Lock of a project file: a small file next to it shows which window may write."""

from __future__ import annotations

import json
import os
import platform
import secrets
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.processes import is_running, start_of

_ATTEMPTS = 3  # another window may lock or unlock the file at the same moment
_MOST = 4096  # bytes of a lock that are read


@dataclass(frozen=True)
class LockOwner:
    """Owner of the lock of a project file.

    Attributes
    ----------
    host : str
        Name of the machine; empty if unknown.
    since : str
        Local time there, ISO 8601 with minutes.
    is_here : bool
        Whether it is this machine.
    """

    host: str
    since: str
    is_here: bool


@dataclass(frozen=True)
class ProjectLock:
    """The right to write a project file, until `release` or the end of this process."""

    path: Path
    token: str

    @property
    def is_held(self) -> bool:
        """Return whether the lock next to the file is still this one."""
        return _read(lock_file(self.path)).get("token") == self.token

    def release(self) -> None:
        """Remove the lock, so that others can write."""
        if self.is_held:
            with suppress(OSError):
                lock_file(self.path).unlink()


def lock_file(path: Path) -> Path:
    """Return the path of the lock of a project file."""
    target = Path(os.path.realpath(path))  # a file opened by a link is the same file
    return target.parent / f".{target.name[:200]}.lock"


def lock_project(path: Path) -> ProjectLock | LockOwner | None:
    """Take the lock of a project file.

    Parameters
    ----------
    path : Path
        The file; it need not exist yet.

    Returns
    -------
    ProjectLock, LockOwner or None
        The lock; its owner; or None if no lock can be made, because nothing can be written there.
    """
    lock, beside = ProjectLock(path, secrets.token_hex(8)), lock_file(path)
    pid = os.getpid()
    about = {"token": lock.token, "pid": pid, "start": start_of(pid), "host": platform.node()}
    text = json.dumps(about | {"since": time.strftime("%Y-%m-%dT%H:%M")})
    for _ in range(_ATTEMPTS):
        try:
            if _place(beside, text):
                return lock
        except OSError:
            return None
        values = _read(beside)
        if _is_held(values):
            is_here = values.get("host") == platform.node()
            return LockOwner(_word(values, "host"), _word(values, "since"), is_here)
        if not _remove_old(beside, values):
            return None
    return LockOwner(platform.node(), "", True)


def _place(lock: Path, text: str) -> bool:
    """Create the lock unless one exists; complete as soon as it exists, if the system supports links."""
    aside = lock.with_name(f"{lock.name}.{secrets.token_hex(4)}")
    try:
        _write(aside, text)
        try:
            os.link(aside, lock)
        except FileExistsError:
            return False
        except OSError:
            _write(lock, text)
    except FileExistsError:
        return False
    finally:
        with suppress(OSError):
            aside.unlink()
    return True


def _write(path: Path, text: str) -> None:
    with path.open("x", encoding="utf-8") as file:
        file.write(text)


def _is_held(values: dict[str, Any]) -> bool:
    """Return whether the window of a lock still runs; assumed for a lock of another machine."""
    pid, start = values.get("pid"), values.get("start")
    if not isinstance(pid, int) or not isinstance(start, str):
        return False
    return values.get("host") != platform.node() or is_running(pid, start)


def _remove_old(lock: Path, values: dict[str, Any]) -> bool:
    """Remove the lock of a window that has ended, but not one that has just replaced it."""
    aside = lock.with_name(f"{lock.name}.{secrets.token_hex(4)}")
    try:
        os.rename(lock, aside)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    if _read(aside) != values:  # another window was faster: restore its lock
        with suppress(OSError):
            os.link(aside, lock)
    with suppress(OSError):
        aside.unlink()
    return True


def _read(lock: Path) -> dict[str, Any]:
    with suppress(OSError, ValueError), lock.open(encoding="utf-8") as file:
        value = json.loads(file.read(_MOST))
        if isinstance(value, dict):
            return value
    return {}


def _word(values: dict[str, Any], key: str) -> str:
    value = values.get(key)
    return value[:80] if isinstance(value, str) else ""
