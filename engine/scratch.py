"""Configuration folder of the user, and private temporary files, removed even after a crash."""

from __future__ import annotations

import errno
import hashlib
import json
import logging
import os
import platform
import re
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from engine.processes import is_running, start_of

_PARTS = "parts"
_NAME = "anonymizer"
_MACHINE = Path("/etc/machine-id")
_MAKING = 60  # seconds that another process may take to write a note
_FOLDER_NAME = re.compile(r"[A-Za-z0-9_]+-[0-9]+-[0-9]+-[a-z0-9_]{8}|\..*\.[0-9a-f]{16}\.part", re.DOTALL)
_LONGEST_NOTE = 1 << 16  # bytes; a longer file is not a note

_log = logging.getLogger(__name__)


def config_dir() -> Path:
    """Return the user's folder for this program; `ANONYMIZER_CONFIG_DIR` overrides it."""
    override = os.environ.get("ANONYMIZER_CONFIG_DIR")
    if override:
        return Path(override)
    from platformdirs import user_config_path

    return user_config_path(_NAME, appauthor=False)


def machine() -> str:
    """Return an identifier of this machine, independent of its name if possible."""
    with suppress(OSError, UnicodeDecodeError):
        if number := _MACHINE.read_text(encoding="ascii").strip():
            # hashed, so that the number of the machine stays private
            return hashlib.sha256(f"{_NAME} {number}".encode()).hexdigest()[:32]
    return platform.node()


@contextmanager
def scratch_folder(prefix: str, place: str = "") -> Iterator[Path]:
    """Make a folder that only the user may read, and remove it with everything in it.

    `sweep` finds what a crash leaves behind: the name of the folder contains its process, and one in another
    place than the usual is noted.

    Parameters
    ----------
    prefix : str
        Its purpose, such as "judging"; letters, digits and "_" only.
    place : str
        Existing folder, or one to be made, to put it into; empty for the usual one.

    Raises
    ------
    OSError
        Temporary files cannot be created.
    """
    pid = os.getpid()
    root = _private_in(Path(place)) if place else _root()
    folder = Path(tempfile.mkdtemp(prefix=f"{prefix}-{pid}-{start_of(pid)}-", dir=root))
    if place:
        remember_part(folder)
    try:
        yield folder
    finally:
        for _unused in range(2):  # a file that another program had open may need a second attempt
            shutil.rmtree(folder, ignore_errors=True)
        if place and not folder.exists():
            forget_part(folder)


def remember_part(part: Path) -> None:
    """Note an unfinished file or folder, so that the next start removes it if this process dies before."""
    pid = os.getpid()
    host = platform.node()  # the user's folder may be shared by several machines
    note = {"part": os.path.abspath(part), "pid": pid, "start": start_of(pid), "host": host}
    with suppress(OSError):  # a file that cannot be noted can still be written
        _parts().mkdir(parents=True, exist_ok=True, mode=0o700)
        beside = _note_of(part).with_suffix(".new")
        number = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with open(number, "w", encoding="utf-8") as file:
            json.dump(note, file)
        os.replace(beside, _note_of(part))  # complete as soon as it exists


def forget_part(part: Path) -> None:
    """Remove the note of a file or folder that took its place or was removed."""
    for note in (_note_of(part), _note_of(part).with_suffix(".new")):
        with suppress(OSError):
            note.unlink()


def sweep() -> int:
    """Remove the scratch folders and unfinished files of processes that died.

    A leftover that cannot be read or removed stays for the next start; it never prevents this one.

    Returns
    -------
    int
        Number of folders and files removed.
    """
    return _each(_scratch_folders, _sweep_folder) + _each(_notes, _sweep_part)


def _each(listed: Callable[[], Iterable[Path]], sweep_one: Callable[[Path], int]) -> int:
    """Sweep every leftover by itself, so that an error with one does not prevent the others."""
    n_removed = 0
    try:
        leftovers = list(listed())
    except Exception as error:
        _log.debug("leftovers could not be listed: %s", type(error).__name__)  # never log a path
        return 0
    for leftover in leftovers:
        try:
            n_removed += sweep_one(leftover)
        except Exception as error:
            _log.debug("a leftover could not be swept: %s", type(error).__name__)
    return n_removed


def _scratch_folders() -> Iterator[Path]:
    for root in {_wanted_root(), _own_root()}:
        if _is_private(root):
            yield from _entries(root)


def _sweep_folder(folder: Path) -> int:
    words = folder.name.split("-")
    if len(words) < 4 or not words[1].isdecimal() or is_running(int(words[1]), words[2]):
        return 0
    shutil.rmtree(folder, ignore_errors=True)
    return int(not folder.exists())


def _notes() -> list[Path]:
    return _entries(_parts())


def _sweep_part(note: Path) -> int:
    noted = _read_note(note)
    if noted is None:
        if time.time() - note.lstat().st_mtime > _MAKING:
            note.unlink()
        return 0
    part, is_over = noted
    if not is_over or not _is_there(part.parent):
        return 0  # still being written, of another machine, or on a drive that comes back
    n_removed = 0
    if _is_there(part) and _is_unfinished(part):
        if part.is_dir():
            shutil.rmtree(part)
        else:
            part.unlink()
        n_removed = 1
    note.unlink()
    return n_removed


def _read_note(note: Path) -> tuple[Path, bool] | None:
    """Return the file that a note names, and whether its process of this machine has ended, or None."""
    try:
        if not stat.S_ISREG(note.lstat().st_mode) or note.stat().st_size > _LONGEST_NOTE:
            return None  # a pipe is never opened here, because it may never end
        values = json.loads(note.read_text(encoding="utf-8"))
        pid, start, host = int(values["pid"]), str(values["start"]), str(values["host"])
        return Path(values["part"]), host == platform.node() and not is_running(pid, start)
    except (OSError, ValueError, KeyError, TypeError, OverflowError, RecursionError):
        return None


def _is_unfinished(part: Path) -> bool:
    """Return whether a file or folder has a name given by `engine.files`, or a folder by `scratch_folder`."""
    mode = part.lstat().st_mode
    if stat.S_ISDIR(mode):
        return _FOLDER_NAME.fullmatch(part.name) is not None
    return part.name.startswith(".") and part.suffix == ".part" and stat.S_ISREG(mode)


def _is_there(path: Path) -> bool:
    """Return whether a path exists; a name that no file can have does not."""
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return False
    except OSError as error:
        if error.errno in (errno.ENAMETOOLONG, errno.ELOOP):
            return False
        raise
    return True


def _entries(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []


def _parts() -> Path:
    return config_dir() / _PARTS


def _note_of(part: Path) -> Path:
    name = hashlib.sha256(os.fsencode(os.path.abspath(part))).hexdigest()[:32]
    return _parts() / f"{name}.json"


def _root() -> Path:
    """Return the folder of scratch folders: the usual place, or the user's own if that is not private."""
    wanted = _wanted_root()
    with suppress(OSError):
        wanted.mkdir(parents=True, exist_ok=True, mode=0o700)
    if _is_private(wanted):
        return wanted
    own = _own_root()
    own.mkdir(parents=True, exist_ok=True, mode=0o700)
    return own


def _wanted_root() -> Path:
    override = os.environ.get("ANONYMIZER_SCRATCH_DIR")
    return Path(override) if override else _of_user(Path(tempfile.gettempdir()))


def _private_in(place: Path) -> Path:
    """Return a folder that only the user may read: the given one, or one in it.

    On Windows, where permissions do not show it, the user's choice of a place is trusted.

    Raises
    ------
    OSError
        There is none.
    """
    place.mkdir(parents=True, exist_ok=True, mode=0o700)
    own = place if _is_private(place) else _of_user(place)
    own.mkdir(exist_ok=True, mode=0o700)
    if sys.platform != "win32" and not _is_private(own):
        raise PermissionError(errno.EPERM, os.strerror(errno.EPERM), str(own))
    return own.absolute()


def _of_user(place: Path) -> Path:
    user = f"-{os.getuid()}" if sys.platform != "win32" else ""  # on Windows the folder is the user's own
    return place / f"{_NAME}{user}"


def _own_root() -> Path:
    return config_dir() / "scratch"


def _is_private(folder: Path) -> bool:
    """Return whether a folder is not a link and only the user may read or change it."""
    try:
        found = folder.lstat()
    except OSError:
        return False
    if not stat.S_ISDIR(found.st_mode):
        return False
    if sys.platform == "win32":  # permissions do not tell there, but profiles of users are their own
        return Path(os.path.realpath(folder)).is_relative_to(os.path.realpath(Path.home()))
    return found.st_uid == os.getuid() and not found.st_mode & 0o077
