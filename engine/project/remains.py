"""Where what is left of a damaged project lies."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple


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
