"""What opening a file gives: the project, what is kept beside it, what was lost, and where the rest lies."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from engine.project.project import Project
from engine.project.remembered import ProjectState


class Loss(NamedTuple):
    """A part of a file that could not be opened.

    Attributes
    ----------
    what, why, hint : str
        The part in the words of people, the reason, and what they can do about it.
    """

    what: str
    why: str
    hint: str = ""


class Opened(NamedTuple):
    """A project as far as it could be opened.

    Attributes
    ----------
    project : Project
    state : ProjectState
    losses : tuple of Loss
        Empty for a file that is whole.
    """

    project: Project
    state: ProjectState = ProjectState()
    losses: tuple[Loss, ...] = ()


class Remains(NamedTuple):
    """A damaged project.

    Attributes
    ----------
    path : Path
        Its archive.
    name : str
        What messages call it.
    folder : Path or None
        Where members lie that are stored apart from the archive, each under its checksum.
    """

    path: Path
    name: str
    folder: Path | None = None
