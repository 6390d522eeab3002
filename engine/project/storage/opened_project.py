"""Result of opening a file: the project, its state, and lost parts; and a damaged project."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from engine.project.pins_and_runs import ProjectState
from engine.project.project import Project


class Loss(NamedTuple):
    """A part of a file that could not be opened.

    Attributes
    ----------
    what, why, hint : str
        The part in plain words, the reason, and what the user can do.
    """

    what: str
    why: str
    hint: str = ""


class OpenedProject(NamedTuple):
    """A project, as completely as it could be opened.

    Attributes
    ----------
    losses : tuple of Loss
        Empty for an intact file.
    """

    project: Project
    state: ProjectState = ProjectState()
    losses: tuple[Loss, ...] = ()


class DamagedProject(NamedTuple):
    """Readable parts of a damaged project.

    Attributes
    ----------
    path : Path
        Its archive.
    name : str
        Its name in messages.
    folder : Path or None
        Folder of the members that are stored separately from the archive, by checksum.
    """

    path: Path
    name: str
    folder: Path | None = None
