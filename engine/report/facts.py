"""What a report is told beside the release: how the search ended, and how the written file was judged."""

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
from engine.verification import Verdict
from engine.words import _


@dataclass(frozen=True)
class SearchFacts:
    """How the node of a release was found.

    Attributes
    ----------
    guarantee : str
        "optimal", "best_known" or "none".
    nodes_checked, nodes_total : int
    bound : float
        No satisfying node has a lower value of the metric; -inf where nothing is proved.
    given : tuple of int or None
        The node, where a person chose it instead of the search.
    notes : tuple of str
        What the search did otherwise than its name promises.
    """

    guarantee: str
    nodes_checked: int
    nodes_total: int
    bound: float = -np.inf
    given: Node | None = None
    notes: tuple[str, ...] = ()

    @classmethod
    def of_outcome(cls, outcome: Outcome, given: Node | None = None) -> Self:
        """Of a run of the chain; `given` is the node it was told to release."""
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
    """By what a file is known again: its name, its length in bytes and its SHA-256."""

    name: str
    size: int
    sha256: str

    @classmethod
    def of(cls, path: Path) -> Self:
        """Read a file.

        Raises
        ------
        InputError
            It cannot be read.
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
    """What the independent judge found in a written release.

    Attributes
    ----------
    file : FileMark
        The file that was judged.
    verdict : Verdict
    is_kept : bool
        Whether the file was handed over; otherwise it was written only to be judged.
    """

    file: FileMark
    verdict: Verdict
    is_kept: bool = True

    @classmethod
    def of(cls, path: Path, verdict: Verdict, *, is_kept: bool = True) -> Self:
        """Of a file that was written and judged."""
        return cls(FileMark.of(path), verdict, is_kept)
