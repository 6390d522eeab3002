"""What a release has to withstand beside earlier releases of the same people, which a ledger remembers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from engine.params import Choice, Configurable, FilePath, Integer, param
from engine.words import N_

ALIGNED, INTERSECTION, INSIDER = "aligned", "intersection", "insider"


class Written(NamedTuple):
    """How a project writes releases, as far as these can be joined by it.

    Attributes
    ----------
    way, group : str
        As `Transformation.way` and `Transformation.suppressed_group`.
    shuffled : bool
    codes : tuple of str
        Rules by which identifying columns leave with codes that differ.
    """

    way: str = "kept"
    group: str = "if_held"
    shuffled: bool = False
    codes: tuple[str, ...] = ()

    @property
    def is_apart(self) -> bool:
        """Return whether neither order nor codes lead from a row to that of another such release."""
        return self.shuffled and not self.codes


@dataclass(frozen=True)
class Earlier(Configurable):
    """The ledger of a source, and what further releases have to withstand beside those that it remembers.

    Attributes
    ----------
    path : str
        Of the ledger.
    attacker : str
        Empty for the one that follows from how releases are written: rows are aligned by their order and by
        codes; only if all releases are shuffled and without codes, classes alone remain.
    k, l : int or None
        Required number of people, and of values of every sensitive column; None for those of the models.
    written : Written
        How the project writes releases; it follows from its transformation.
    """

    path: str = param(
        "",
        FilePath(
            label=N_("Release ledger"),
            help=N_("File that remembers the releases of a table, so that a further one is measured beside."),
            filters=N_("Ledgers (*.ledger);;All files (*)"),
        ),
    )
    attacker: str = param(
        "",
        Choice(
            label=N_("Attacker"),
            help=N_("What is assumed of those who have several releases."),
            options=(
                ("", N_("Depends on order and codes")),
                (ALIGNED, N_("Knows which rows belong together")),
                (INTERSECTION, N_("Knows the classes of one person")),
                (INSIDER, N_("Knows the classes of everybody")),
            ),
        ),
    )
    k: int | None = param(
        None, Integer(label=N_("k beside earlier releases"), help=N_("By default that of the models."))
    )
    l: int | None = param(  # noqa: E741  the model's name
        None, Integer(label=N_("l beside earlier releases"), help=N_("By default that of the models."))
    )
    written: Written = field(default=Written())
