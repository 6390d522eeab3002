"""The files of a table that stays in them, as a project file names them: where they are, and how they were.

A project file holds their paths, sizes, times and SHA-256, never a record. They are read again when it is
opened, and only if they are byte for byte as they were saved.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from engine.errors import InputError, ProjectFileError
from engine.monitor import Monitor, PartMonitor
from engine.numbers import as_exact_count
from engine.project.project import Project
from engine.project.recipe.writing import relative
from engine.sources.places import files_of, is_there
from engine.table.sources import exists
from engine.table.stored import sha256_of, state_of
from engine.words import _

MOST_NAMED = 3  # files with a difference that are named


class TableAwayError(ProjectFileError):
    """The files that a project refers to are not there, not as they were, or cannot be read.

    The context's `has_settings` is true; `place` is where they are now, and `missing` the path in the project
    if they are not there.
    """


@dataclass(frozen=True)
class SavedFile:
    """A file when the project was saved.

    Attributes
    ----------
    name : str
    size, time : int
        Bytes, and nanoseconds since 1970.
    sha256 : str
        Empty if it had changed since it was read.
    """

    name: str
    size: int
    time: int
    sha256: str


@dataclass(frozen=True)
class SavedFiles:
    """The files of a table when the project was saved.

    Attributes
    ----------
    place : str
        Path of a file or folder, a pattern or a list, as seen from the folder of the project.
    files : tuple of SavedFile
        In the order of the records.
    """

    place: str
    files: tuple[SavedFile, ...]

    @classmethod
    def of(cls, project: Project, base: Path | None, monitor: Monitor) -> SavedFiles:
        """Return the files of a project's table.

        Parameters
        ----------
        project : Project
            Its table stays in files.
        base : Path or None
            Folder of the project file; None for an absolute path.
        monitor : Monitor
        """
        stored = project.stored
        assert stored is not None, "only such a table is saved so"
        place = place_of(project).absolute()
        digests = stored.digests(monitor) or ("",) * len(stored.paths)
        return cls(
            place.as_posix() if base is None else relative(place, base.absolute()),
            tuple(
                SavedFile(path.name, size, time, digest)
                for path, (size, time), digest in zip(stored.paths, stored.state, digests, strict=True)
            ),
        )

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> SavedFiles | None:
        """Return the files that a member lists; None if it is not such a list."""
        place, listed = values.get("place"), values.get("files")
        wanted = {field.name: str if field.name in ("name", "sha256") else int for field in fields(SavedFile)}
        if not isinstance(place, str) or not place or not isinstance(listed, list) or not listed:
            return None
        for entry in listed:
            if not isinstance(entry, dict) or {key: type(value) for key, value in entry.items()} != wanted:
                return None
        return cls(place, tuple(SavedFile(**entry) for entry in listed))

    def as_dict(self) -> dict[str, Any]:
        """Return a value for JSON."""
        return asdict(self)

    @property
    def is_several(self) -> bool:
        """Whether the place is a folder, a pattern or a list."""
        return len(self.files) > 1 or Path(self.place).name != self.files[0].name

    def seen_from(self, base: Path | None) -> Path:
        """Return the place as seen from the folder of the project."""
        return Path(self.place) if base is None else base / self.place

    @property
    def digests(self) -> tuple[str, ...]:
        """SHA-256 of every file."""
        return tuple(saved.sha256 for saved in self.files)

    def check(self, place: Path, file: str, monitor: Monitor) -> tuple[tuple[int, int], ...]:
        """Return size and time of the files at a place, if they are byte for byte as they were.

        Parameters
        ----------
        place : Path
        file : str
            Name of the project in messages.
        monitor : Monitor

        Raises
        ------
        TableAwayError
        """
        if not is_there(place):
            raise TableAwayError(
                _("The table of '{file}' is not at '{place}'.").format(file=file, place=self.place),
                hint=_("The project contains no records. Choose the new location of its files."),
                missing=self.place,
                is_several=self.is_several,
                has_settings=True,
            )
        try:
            paths = [path for path in files_of(place) if exists(path)]
            state = state_of(paths)
            found = self._differences(paths, state, monitor)
        except InputError as error:
            raise away(error, place) from error
        except OSError as error:
            reason = error.strerror or str(error)
            raise away(
                InputError(_("'{name}' cannot be read: {reason}.").format(name=place.name, reason=reason)),
                place,
            ) from error
        if found:
            named = "; ".join(found[:MOST_NAMED])
            if (more := len(found) - MOST_NAMED) > 0:
                named += " " + _("(and {n} more)").format(n=as_exact_count(more))
            raise TableAwayError(
                _("The table of '{file}' has changed since the project was saved: {named}.").format(
                    file=file, named=named
                ),
                hint=_("Roles, hierarchies and all other settings are intact."),
                place=place,
                has_settings=True,
            )
        return state

    def _differences(
        self, paths: Sequence[Path], state: Sequence[tuple[int, int]], monitor: Monitor
    ) -> list[str]:
        """Return what is different now, as parts of a sentence; contents are compared last, which is slow."""
        names, known = [path.name for path in paths], [saved.name for saved in self.files]
        if self.is_several and names != known:
            gone = [_("'{name}' is missing").format(name=name) for name in known if name not in names]
            new = [_("'{name}' is new").format(name=name) for name in names if name not in known]
            return [*gone, *new]
        found = [
            _("'{name}' has {now} bytes instead of {before}").format(
                name=path.name, now=as_exact_count(size), before=as_exact_count(saved.size)
            )
            for path, saved, (size, _time) in zip(paths, self.files, state, strict=True)
            if size != saved.size
        ]
        if found:
            return found
        for number, (path, saved) in enumerate(zip(paths, self.files, strict=True)):
            part = PartMonitor(monitor, number, len(paths))
            if sha256_of(path, part) != saved.sha256:
                found.append(_("'{name}' has other content of the same size").format(name=path.name))
        return found


def place_of(project: Project) -> Path:
    """Return the file, folder, pattern or list of a table that stays in files."""
    if project.source is not None:
        return project.source
    stored = project.stored
    assert stored is not None, "the table stays in files"
    return stored.paths[0] if len(stored.paths) == 1 else stored.paths[0].parent


def away(error: InputError, place: Path) -> TableAwayError:
    """Return the error for files that are there but cannot be read as the project says."""
    return TableAwayError(error.problem, hint=error.hint, place=place, has_settings=True)
