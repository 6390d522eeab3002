"""One window at a time writes a project file: a small file beside it says which."""

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

from engine.scratch import is_running, start_of

_ATTEMPTS = 3  # another window may take over, or let go, at the same moment
_MOST = 4096  # bytes of a lock that are read


@dataclass(frozen=True)
class Holder:
    """Who has a project file open.

    Attributes
    ----------
    host : str
        Name of the machine; empty where the lock does not tell.
    since : str
        ISO 8601 with minutes, by the clock on the wall there.
    is_here : bool
        Whether it is this machine.
    """

    host: str
    since: str
    is_here: bool


@dataclass(frozen=True)
class ProjectLock:
    """The right to write a project file; held until `release`, or until this process is no more."""

    path: Path
    token: str

    @property
    def is_held(self) -> bool:
        """Whether it is still this lock that stands beside the file."""
        return _read(lock_file(self.path)).get("token") == self.token

    def release(self) -> None:
        """Let others write."""
        if self.is_held:
            with suppress(OSError):
                lock_file(self.path).unlink()


def lock_file(path: Path) -> Path:
    """Where the lock of a project file stands."""
    target = Path(os.path.realpath(path))  # a file opened by a link is the same file
    return target.parent / f".{target.name[:200]}.lock"


def lock_project(path: Path) -> ProjectLock | Holder | None:
    """Take the lock of a project file.

    Parameters
    ----------
    path : Path
        The file; it need not exist yet.

    Returns
    -------
    ProjectLock, Holder or None
        The lock; who has it; or None where no lock can be made, since nothing can be written there.
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
        said = _read(beside)
        if _is_held(said):
            is_here = said.get("host") == platform.node()
            return Holder(_word(said, "host"), _word(said, "since"), is_here)
        if not _take_away(beside, said):
            return None
    return Holder(platform.node(), "", True)


def _place(lock: Path, text: str) -> bool:
    """Make the lock unless one stands there; complete from its first moment, where the system knows links."""
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


def _is_held(said: dict[str, Any]) -> bool:
    """Whether a lock is that of a window there still is; of another machine nobody can tell."""
    pid, start = said.get("pid"), said.get("start")
    if not isinstance(pid, int) or not isinstance(start, str):
        return False
    return said.get("host") != platform.node() or is_running(pid, start)


def _take_away(lock: Path, said: dict[str, Any]) -> bool:
    """Remove the lock of a window that is no more, not one that has just taken its place."""
    aside = lock.with_name(f"{lock.name}.{secrets.token_hex(4)}")
    try:
        os.rename(lock, aside)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    if _read(aside) != said:  # somebody was faster: it is theirs
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


def _word(said: dict[str, Any], key: str) -> str:
    value = said.get(key)
    return value[:80] if isinstance(value, str) else ""
