"""The person's folder of the program, and temporary files: private, and taken away also after a crash."""

from __future__ import annotations

import errno
import hashlib
import json
import logging
import os
import platform
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_PARTS = "parts"
_NAME = "anonymizer"
_MACHINE = Path("/etc/machine-id")
_MAKING = 60  # seconds that another process may take to write a note
_LONGEST_NOTE = 1 << 16  # bytes; what is longer is not a note

_log = logging.getLogger(__name__)


def config_dir() -> Path:
    """The person's folder for this program; `ANONYMIZER_CONFIG_DIR` overrides it."""
    override = os.environ.get("ANONYMIZER_CONFIG_DIR")
    if override:
        return Path(override)
    from platformdirs import user_config_path

    return user_config_path(_NAME, appauthor=False)


def machine() -> str:
    """What tells this machine from others, also after it was given another name, where it knows that."""
    with suppress(OSError, UnicodeDecodeError):
        if number := _MACHINE.read_text(encoding="ascii").strip():
            return hashlib.sha256(f"{_NAME} {number}".encode()).hexdigest()[:32]  # not for others as it is
    return platform.node()


@contextmanager
def scratch_folder(prefix: str) -> Iterator[Path]:
    """Make a folder that nobody else may read, and take it away with all that is in it.

    What a crash leaves behind, `sweep` finds: the name says which process made it.

    Parameters
    ----------
    prefix : str
        What it is for, such as "judging"; letters, digits and "_" only.

    Raises
    ------
    OSError
        There is no room, or no right, for temporary files.
    """
    pid = os.getpid()
    folder = Path(tempfile.mkdtemp(prefix=f"{prefix}-{pid}-{start_of(pid)}-", dir=_root()))
    try:
        yield folder
    finally:
        for _ in range(2):  # what somebody looked into at that moment goes the second time
            shutil.rmtree(folder, ignore_errors=True)


def remember_part(part: Path) -> None:
    """Note an unfinished file, so that the next start takes it away if this process dies before it."""
    pid = os.getpid()
    host = platform.node()  # the person's folder may be one for several machines
    note = {"part": os.path.abspath(part), "pid": pid, "start": start_of(pid), "host": host}
    with suppress(OSError):  # what cannot be noted can be written all the same
        _parts().mkdir(parents=True, exist_ok=True, mode=0o700)
        beside = _note_of(part).with_suffix(".new")
        number = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with open(number, "w", encoding="utf-8") as file:
            json.dump(note, file)
        os.replace(beside, _note_of(part))  # complete from its first moment


def forget_part(part: Path) -> None:
    """Strike the note of a file that took its place or was taken away."""
    for note in (_note_of(part), _note_of(part).with_suffix(".new")):
        with suppress(OSError):
            note.unlink()


def sweep() -> int:
    """Remove the scratch folders and unfinished files of processes that died.

    A leftover that cannot be read or removed stays for the next start; it never stops this one.

    Returns
    -------
    int
        Number of folders and files removed.
    """
    return _each(_scratch_folders, _sweep_folder) + _each(_notes, _sweep_part)


def _each(listed: Callable[[], Iterable[Path]], sweep_one: Callable[[Path], int]) -> int:
    """Sweep every leftover by itself: whatever one of them raises, the others are still swept."""
    n_gone = 0
    try:
        leftovers = list(listed())
    except Exception as error:
        _log.debug("leftovers could not be listed: %s", type(error).__name__)  # never a path
        return 0
    for leftover in leftovers:
        try:
            n_gone += sweep_one(leftover)
        except Exception as error:
            _log.debug("a leftover could not be swept: %s", type(error).__name__)
    return n_gone


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
    said = _said(note)
    if said is None:
        if time.time() - note.lstat().st_mtime > _MAKING:
            note.unlink()
        return 0
    part, is_over = said
    if not is_over or not _is_there(part.parent):
        return 0  # still written, another machine's, or on a drive that comes back
    n_gone = 0
    if _is_there(part) and _is_unfinished(part):
        part.unlink()
        n_gone = 1
    note.unlink()
    return n_gone


def _said(note: Path) -> tuple[Path, bool] | None:
    """The file a note names, and whether its process of this machine has ended; None if it names none."""
    try:
        if not stat.S_ISREG(note.lstat().st_mode) or note.stat().st_size > _LONGEST_NOTE:
            return None  # nothing here opens a pipe that never ends
        said = json.loads(note.read_text(encoding="utf-8"))
        pid, start, host = int(said["pid"]), str(said["start"]), str(said["host"])
        return Path(said["part"]), host == platform.node() and not is_running(pid, start)
    except (OSError, ValueError, KeyError, TypeError, OverflowError, RecursionError):
        return None


def _is_unfinished(part: Path) -> bool:
    """Whether a file is one that `engine.files.atomic_write` named."""
    return part.name.startswith(".") and part.suffix == ".part" and stat.S_ISREG(part.lstat().st_mode)


def _is_there(path: Path) -> bool:
    """Whether something has this name; nothing has a name that no file can have."""
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
    """Where scratch folders lie; in the person's own folder where the usual place is somebody else's."""
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
    if override:
        return Path(override)
    user = f"-{os.getuid()}" if sys.platform != "win32" else ""  # there the folder is the person's own
    return Path(tempfile.gettempdir()) / f"{_NAME}{user}"


def _own_root() -> Path:
    return config_dir() / "scratch"


def _is_private(folder: Path) -> bool:
    """Whether a folder is no link, and nobody else may look into it or change it."""
    try:
        found = folder.lstat()
    except OSError:
        return False
    if not stat.S_ISDIR(found.st_mode):
        return False
    return sys.platform == "win32" or (found.st_uid == os.getuid() and not found.st_mode & 0o077)


def start_of(pid: int) -> str:
    """When a process began, as the system counts; "0" where it does not tell."""
    with suppress(OSError, IndexError, ValueError):
        said = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
        return str(int(said.rpartition(")")[2].split()[19]))  # its name, before that, may hold anything
    return "0"


def is_running(pid: int, start: str) -> bool:
    """Whether a process is still there, and not another one of the same number."""
    return _exists(pid) and start_of(pid) == start


if sys.platform == "win32":

    def _exists(pid: int) -> bool:
        import ctypes

        asks, is_active = 0x1000, 259  # PROCESS_QUERY_LIMITED_INFORMATION, STILL_ACTIVE
        kernel = ctypes.windll.kernel32
        handle = kernel.OpenProcess(asks, False, pid)
        if not handle:
            return False
        code = ctypes.c_ulong()
        kernel.GetExitCodeProcess(handle, ctypes.byref(code))
        kernel.CloseHandle(handle)
        return code.value == is_active

else:

    def _exists(pid: int) -> bool:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return False
        except (OSError, OverflowError):
            return True  # somebody else's
        return True
