"""Earlier releases of the records of a problem, as scoring sees them: it knows nothing of a ledger."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol


class Left(NamedTuple):
    """What earlier releases and a further one leave of the person whom they protect least.

    Attributes
    ----------
    people : int or None
        Candidates; None if the attacker does not count people, or nobody is in a release.
    values : mapping of str to int
        Different values of candidates, by sensitive column.
    """

    people: int | None = None
    values: Mapping[str, int] = MappingProxyType({})


class EarlierReleases(Protocol):
    """The earlier releases of a ledger, joined with the records of a problem.

    Attributes
    ----------
    path : str
        Of the ledger.
    state : str
        Differs where the ledger does.
    """

    path: str
    state: str

    @property
    def joined(self) -> Sequence[Any]:
        """The releases that are joined; a first release has none."""

    def attacker(self, earlier: Any) -> str:
        """Return the attacker that a further release has to withstand."""

    def left_at(self, problem: Any, node: tuple[int, ...], requirement: Any) -> Left:
        """Return what a release of a node leaves, whatever the demanded numbers."""

    def left_by(self, release: Any) -> Left:
        """Return what a release leaves."""
