"""Errors worded for the user: the problem, its place, and the next step."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches

from engine.words import _


class AnonymizerError(Exception):
    """An expected problem, worded for the user.

    Parameters
    ----------
    problem : str
        What is wrong and where (file, line, column, value), in one or two sentences.
    hint : str
        The next step; empty if there is none.
    **context
        Facts of the problem, kept as attributes for code that acts on them.
    """

    def __init__(self, problem: str, *, hint: str = "", **context: object) -> None:
        super().__init__(problem)
        self.problem = problem
        self.hint = hint
        self.context = context

    def __str__(self) -> str:
        return f"{self.problem} {self.hint}".strip()


class InputError(AnonymizerError):
    """A file, name or value given to the program cannot be used."""


class TableError(InputError):
    """A table cannot be read, or is not rectangular."""


class HierarchyError(InputError):
    """A hierarchy is not a tree of increasingly general levels."""


class HierarchyGapError(HierarchyError):
    """A hierarchy lacks values of its column; `values` and `column` are in the context."""


class ParameterError(InputError):
    """A declared parameter is outside its range."""


class RecipeError(InputError):
    """A recipe names something unknown or contradicts itself."""


class ProjectFileError(InputError):
    """A project file is damaged or of a newer format."""


class ExportError(InputError):
    """A file could not be written; the target is unchanged."""


class RequirementNotMetError(AnonymizerError):
    """No node of the lattice meets the requirement; nothing is released."""


class VerificationError(AnonymizerError):
    """The written file does not have the claimed properties."""


class CancelledError(Exception):
    """A running job was asked to stop; the last valid result remains."""


class InvariantError(RuntimeError):
    """A result contradicts itself: a bug in the program, never shown as a number."""


def closest(name: str, known: Iterable[str], similarity: float = 0.5) -> str | None:
    """Return the known word most similar to `name`, or None if none is as similar as that."""
    close = get_close_matches(str(name), sorted(known), n=1, cutoff=similarity)
    return close[0] if close else None


def nearest(name: str, known: Iterable[str]) -> str:
    """Return a hint naming the known word closest to `name`, or listing the known words."""
    choices: Sequence[str] = sorted(known)
    close = closest(name, choices)
    if close is not None:
        return _("Did you mean '{close}'?").format(close=close)
    return _("Known: {choices}.").format(choices=", ".join(choices)) if choices else ""
