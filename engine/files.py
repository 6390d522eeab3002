"""Reading of regular files only, and atomic writing: the target stays unchanged or becomes complete."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import shutil
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from io import BufferedReader
from pathlib import Path
from typing import BinaryIO

from engine.errors import ExportError, InputError
from engine.numbers import as_exact_count
from engine.scratch import forget_part, remember_part
from engine.words import _, ngettext, pgettext

_NEW = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0)
_KEPT_OF_NAME = 100  # bytes; with the additions far below the 255 that file systems allow


def open_regular(path: Path | str) -> BufferedReader:
    """Open a regular file for reading.

    A device may have no end, and opening a pipe may block for ever.

    Raises
    ------
    OSError
        It cannot be opened, or is a device, pipe or socket.
    """
    mode = os.stat(path).st_mode
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):  # opening a folder raises its own error
        raise OSError(errno.ENODEV, _("not a regular file but a {kind}").format(kind=_kind(mode)), str(path))
    return open(path, "rb")


def _kind(mode: int) -> str:
    if stat.S_ISFIFO(mode):
        return pgettext("kind of file", "pipe")
    return pgettext("kind of file", "socket") if stat.S_ISSOCK(mode) else pgettext("kind of file", "device")


@contextmanager
def atomic_write(
    path: Path | str, check: Callable[[Path], None] | None = None, *, is_private: bool = False
) -> Iterator[BinaryIO]:
    """Open a temporary file next to `path`; it replaces `path` if the block ends without an error.

    Parameters
    ----------
    path : Path or str
        The target; a link is followed, so that the file it points to is replaced.
    check : callable, optional
        Called with the complete temporary file before it replaces the target; may raise to prevent that.
    is_private : bool
        Whether only the user may read it, regardless of the usual permissions.

    Yields
    ------
    binary file
        Text needs its own wrapper, with encoding and line ends.

    Raises
    ------
    ExportError
        The file cannot be written (no permission, disk full, no such folder); the target is unchanged and the
        temporary file is removed. The same holds for errors of the block, which pass through.
    """
    hint = _(
        "Choose another folder, or close the program that uses the file and try again. The "
        "existing file is unchanged."
    )
    with _placed(path, partial(_refuse_other_kinds, shown=path), hint) as (target, beside):
        with open(os.open(beside, _NEW, 0o600), "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if check is not None:
            check(beside)
        os.chmod(beside, 0o600 if is_private else _mode(target))
        os.replace(beside, target)


@contextmanager
def atomic_folder(path: Path | str, check: Callable[[Path], None] | None = None) -> Iterator[Path]:
    """Make a temporary folder next to `path`; it becomes `path` if the block ends without an error.

    Parameters
    ----------
    path : Path or str
        The target: a folder that does not exist, or an empty one.
    check : callable, optional
        Called with the complete temporary folder before that; may raise to prevent it.

    Yields
    ------
    Path
        The temporary folder, which only the user may read.

    Raises
    ------
    ExportError
        The target has contents, or a file cannot be written; the target is unchanged and the temporary folder
        is removed. The same holds for errors of the block, which pass through.
    """
    hint = _("Choose another folder, or free some space and try again. Nothing was written.")
    with _placed(path, refuse_filled, hint) as (target, beside):
        beside.mkdir(mode=0o700)
        yield beside
        files = [path for path in beside.rglob("*") if path.is_file()]
        for file in files:
            _sync(file)
        if check is not None:
            check(beside)
        refuse_filled(target)  # another program may have written into it in the meantime
        mode = _mode_of_new(0o777)
        for file in files:
            os.chmod(file, mode & 0o666)
        for folder in {beside, *(file.parent for file in files)}:
            os.chmod(folder, mode)
        if target.exists():
            target.rmdir()
        os.rename(beside, target)


def make_folder(folder: Path, *, parents: bool = True) -> None:
    """Make a folder, unless it exists; `ExportError` if it cannot be made."""
    try:
        folder.mkdir(parents=parents, exist_ok=True)
    except OSError as error:
        raise ExportError(
            _("The folder '{folder}' could not be created: {reason}.").format(
                folder=folder, reason=error.strerror or error
            ),
            hint=_("Choose another folder."),
            file=str(folder),
        ) from error


@contextmanager
def _placed(path: Path | str, refuse: Callable[[Path], None], hint: str) -> Iterator[tuple[Path, Path]]:
    """Yield the target, and a name in its folder that the block creates and moves there.

    Whatever still has this name after the block is removed.
    """
    target = Path(os.path.realpath(path))
    beside: Path | None = None
    try:
        refuse(target)
        beside = target.with_name(_part_name(target.name))
        remember_part(beside)  # noted before it exists, so that a crash in between does not leave it for ever
        yield target, beside
        forget_part(beside)
        beside = None
        _sync_folder(target.parent)
    except OSError as error:
        reason = error.strerror or error
        if error.errno == errno.ENAMETOOLONG:
            reason, hint = _("the name is too long"), _("Choose a shorter name.")
        elif not target.parent.is_dir():
            reason, hint = _("its folder does not exist"), _("Create the folder, or choose another one.")
        raise ExportError(
            _("'{path}' could not be written: {strerror}.").format(path=path, strerror=reason),
            hint=hint,
            file=str(path),
        ) from error
    finally:
        if beside is not None:
            _remove(beside)
            if not os.path.lexists(beside):  # otherwise the next start removes it
                forget_part(beside)


def _remove(part: Path) -> None:
    with contextlib.suppress(OSError):
        if part.is_dir():
            shutil.rmtree(part, ignore_errors=True)
        else:
            part.unlink(missing_ok=True)


def _refuse_other_kinds(target: Path, *, shown: Path | str) -> None:
    """Raise an error if something that is not a file would be replaced."""
    if target.is_dir():
        raise ExportError(
            _("'{path}' is a folder.").format(path=shown),
            hint=_("Choose a file name inside it."),
            file=str(shown),
        )
    if target.exists() and not target.is_file():
        raise ExportError(
            _("'{path}' cannot be replaced, because it is a {kind}.").format(
                path=shown, kind=_kind(target.stat().st_mode)
            ),
            hint=_("Choose another name."),
            file=str(shown),
        )


def unreadable(kind: type[InputError], path: Path, error: OSError, hint: str) -> InputError:
    """Return the error, of some kind, for a file that the system does not let the program read."""
    return kind(
        _("'{name}' cannot be read: {strerror}.").format(name=path.name, strerror=error.strerror or error),
        hint=hint,
        file=path.name,
    )


def refuse_existing(there: Sequence[Path], folder: Path) -> None:
    """Raise `ExportError` for files that exist in a folder and may not be replaced, if there are any."""
    if not there:
        return
    problem = _("'{file}' already exists in '{folder}'.")
    if n_others := len(there) - 1:
        problem = ngettext(
            "'{file}' and {n} other file already exist in '{folder}'.",
            "'{file}' and {n} other files already exist in '{folder}'.",
            n_others,
        )
    raise ExportError(
        problem.format(file=there[0].name, n=as_exact_count(n_others), folder=folder.name),
        hint=_("Choose another folder, or allow replacing existing files."),
        file=str(there[0]),
    )


def refuse_filled(folder: Path) -> None:
    """Refuse a path that is neither free nor an empty folder.

    Raises
    ------
    ExportError
    """
    if not os.path.lexists(folder) or (folder.is_dir() and not any(folder.iterdir())):
        return
    raise ExportError(
        _("'{path}' already exists and is not empty.").format(path=folder)
        if folder.is_dir()
        else _("'{path}' is a file.").format(path=folder),
        hint=_("A release in parts needs an empty folder, or one that does not exist yet."),
        file=str(folder),
    )


def _part_name(name: str) -> str:
    """Return a name for the unfinished file; file systems count bytes, and a letter may take four."""
    beginning = os.fsencode(name)[:_KEPT_OF_NAME].decode("utf-8", errors="ignore")
    return f".{beginning}.{secrets.token_hex(8)}.part"


def _mode(target: Path) -> int:
    """Return the permissions of the replaced file, or those of new files here."""
    if target.exists():
        return target.stat().st_mode & 0o777
    return _mode_of_new(0o666)


def _mode_of_new(mode: int) -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mode & ~mask


def _sync(file: Path) -> None:
    """Make the contents durable."""
    number = os.open(file, os.O_RDWR | getattr(os, "O_BINARY", 0))
    try:
        os.fsync(number)
    finally:
        os.close(number)


def _sync_folder(folder: Path) -> None:
    """Make the new name durable, if the system can."""
    with contextlib.suppress(OSError):
        number = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)
