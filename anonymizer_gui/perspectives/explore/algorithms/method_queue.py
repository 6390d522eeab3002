"""Methods that are tried one after the other, with one progress for all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.recoding import RecodingMethod


class MethodQueue:
    """Order and progress of several trials.

    Attributes
    ----------
    n_methods, n_begun : int
    refused : list of str
        Titles of the methods that do not support the table or the requirement.
    """

    def __init__(self) -> None:
        self.n_methods = self.n_begun = 0
        self.refused: list[str] = []
        self._waiting: list[RecodingMethod] = []

    @property
    def is_running(self) -> bool:
        """Return whether a method is being tried or waits."""
        return self.n_methods > 0

    def start(self, methods: Sequence[RecodingMethod]) -> None:
        """Queue methods in place of all others."""
        self._waiting = list(methods)
        self.n_methods, self.n_begun, self.refused = len(methods), 0, []

    def next(self) -> RecodingMethod | None:
        """Return the next method to try; None after the last."""
        if not self._waiting:
            return None
        self.n_begun += 1
        return self._waiting.pop(0)

    def share(self, of_method: float) -> float:
        """Return the progress of all methods from that of the current one."""
        return (self.n_begun - 1 + of_method) / max(self.n_methods, 1)

    def end(self) -> list[str]:
        """Forget the waiting methods; return the titles of those that refused."""
        refused = self.refused
        self.start(())
        return refused
