"""Equivalence classes as privacy models see them."""

from __future__ import annotations

from typing import Protocol

from engine.kernels.arrays import Counts, IntArray, Reals


class EquivalenceClasses(Protocol):
    """Per-class measures; all arrays have shape (n_classes,), or one entry per set of alike classes."""

    @property
    def sizes(self) -> Counts:
        """Records per class."""

    def distinct(self, column: str) -> IntArray:
        """Distinct values of a sensitive column per class."""

    def distance(self, column: str, kind: str) -> Reals:
        """Distance of a sensitive column in the class from the whole table; '' for the default kind."""
