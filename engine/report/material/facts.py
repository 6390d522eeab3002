"""Facts for a report besides the release: result of the search, and verification of the file."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np

from engine.errors import InputError
from engine.files import open_regular
from engine.lattice import Node
from engine.pipeline import Outcome
from engine.table.parts import MANIFEST
from engine.verification import Verdict
from engine.words import _


@dataclass(frozen=True)
class SearchFacts:
    """Search that found the node of a release.

    Attributes
    ----------
    guarantee : str
        "optimal", "best_known" or "none".
    nodes_checked, nodes_total : int
    bound : float
        Lower bound of the metric over satisfying nodes; -inf if nothing is proven.
    given : tuple of int or None
        Node selected by the user instead of the search.
    notes : tuple of str
        Deviations of the search from its algorithm.
    """

    guarantee: str
    nodes_checked: int
    nodes_total: int
    bound: float = -np.inf
    given: Node | None = None
    notes: tuple[str, ...] = ()

    @classmethod
    def of_outcome(cls, outcome: Outcome, given: Node | None = None) -> Self:
        """Return the facts of a pipeline run; `given` is a node selected by the user."""
        return cls(
            outcome.guarantee,
            outcome.nodes_checked,
            outcome.nodes_total,
            outcome.bound,
            given,
            outcome.notes,
        )


@dataclass(frozen=True)
class FileMark:
    """Identification of a file: its name, its length in bytes and its SHA-256."""

    name: str
    size: int
    sha256: str

    @classmethod
    def of(cls, path: Path) -> Self:
        """Return the mark of a file.

        Raises
        ------
        InputError
            The file cannot be read.
        """
        try:
            with open_regular(path) as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
                return cls(path.name, file.tell(), digest)
        except OSError as error:
            raise InputError(
                _("'{name}' cannot be read: {strerror}.").format(
                    name=path.name, strerror=error.strerror or error
                ),
                hint=_(
                    "A report identifies the file by its SHA-256 checksum; restore the file, or export "
                    "the release again."
                ),
                file=path.name,
            ) from error


@dataclass(frozen=True)
class Verification:
    """Verification of a written release.

    Attributes
    ----------
    file : FileMark
        Verified file.
    verdict : Verdict
    is_kept : bool
        Whether the file was exported; otherwise it was written only for verification.
    """

    file: FileMark
    verdict: Verdict
    is_kept: bool = True

    @classmethod
    def of(cls, place: Path | str, verdict: Verdict, *, is_kept: bool = True) -> Self:
        """Return the verification of a written file, or of a folder by its manifest.

        A text names a folder that a cluster wrote, which has no single checksum.
        """
        if isinstance(place, str):
            return cls(FileMark(place, 0, ""), verdict)
        return cls(FileMark.of(place / MANIFEST if place.is_dir() else place), verdict, is_kept)
