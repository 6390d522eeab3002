"""The zip of an ARX project, read within bounds; nothing in it is unpacked by its own name."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path, PurePosixPath

from engine.errors import ProjectFileError
from engine.files import unreadable
from engine.numbers import as_exact_count
from engine.project.storage.members import open_zip, read_entry
from engine.words import _

MOST_ENTRIES = 10_000
MOST_UNPACKED = 1 << 30  # bytes of a table
MOST_OF_SETTINGS = 1 << 26  # bytes of any other entry
_SMALL, _MOST_RATIO = 1 << 24, 300  # larger entries unpack to at most so many times their packed size


class ArxArchive:
    """Entries of a project by name.

    Parameters
    ----------
    file : str
        Name of the file in messages.
    """

    def __init__(self, archive: zipfile.ZipFile, file: str) -> None:
        self.file = file
        self._archive = archive
        self._entries: dict[str, zipfile.ZipInfo] = {}
        found = archive.infolist()
        if len(found) > MOST_ENTRIES:
            raise damaged(file, _("it has more than {n} entries").format(n=as_exact_count(MOST_ENTRIES)))
        for entry in found:
            if _leads_out(entry.filename):
                raise damaged(file, _("an entry has a path outside of the archive"))
            if entry.filename in self._entries:
                raise damaged(file, _("'{name}' occurs several times").format(name=entry.filename))
            self._entries[entry.filename] = entry

    def __contains__(self, name: str) -> bool:
        return name in self._entries

    def read(self, name: str, most: int = MOST_OF_SETTINGS) -> bytes:
        """Return an entry of at most `most` bytes.

        Raises
        ------
        ProjectFileError
            It is missing, damaged, encrypted, or larger than it may be.
        """
        entry = self._entries.get(name)
        if entry is None:
            raise damaged(self.file, _("'{name}' is missing").format(name=name))
        if entry.file_size > min(most, max(_SMALL, _MOST_RATIO * entry.compress_size)):
            raise ProjectFileError(
                _("'{name}' in '{file}' is too large when unpacked.").format(name=name, file=self.file),
                hint=_("Export the data and the hierarchies from ARX as CSV, and open those."),
                file=self.file,
            )
        return read_entry(self._archive, entry, partial(damaged, self.file), most=entry.file_size)


@contextmanager
def open_arx(path: Path) -> Iterator[ArxArchive]:
    """Open a project.

    Raises
    ------
    ProjectFileError
        It cannot be read, is not a zip file, or its list of entries is not that of a project.
    """
    try:
        with open_zip(path, partial(damaged, path.name)) as archive:
            yield ArxArchive(archive, path.name)
    except OSError as error:
        hint = _("Check that you may read the file and that no other program has locked it.")
        raise unreadable(ProjectFileError, path, error, hint) from error


def damaged(file: str, reason: str) -> ProjectFileError:
    """Return the error for a file that is not an intact project."""
    return ProjectFileError(
        _("'{file}' is damaged or not an ARX project: {reason}.").format(file=file, reason=reason),
        hint=_("Save the project again in ARX, or export its data and hierarchies as CSV and open those."),
        file=file,
        reason=reason,
    )


def _leads_out(name: str) -> bool:
    parts = PurePosixPath(name.replace("\\", "/"))
    return parts.is_absolute() or ".." in parts.parts or ":" in name.split("/")[0] or "\0" in name
