"""The numbers of anjana 1.2.3: it measures by pyCANON, and has two conventions of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engine.compat import pycanon
from engine.compat.pycanon import check
from engine.errors import InputError
from engine.hierarchies import Hierarchy
from engine.measuring.given import GivenTable
from engine.table import Column, Table

__all__ = ["check", "get_transformation", "suppression_is_allowed", "utility"]


def get_transformation(
    anonymized: Table, quasi_identifying: Sequence[str], hierarchies: Mapping[str, Hierarchy]
) -> list[int]:
    """The level that each quasi-identifying column of a table is on, as anjana tells it.

    Parameters
    ----------
    anonymized : Table
        Taken as it is: a record of stars needs a level that has the star beside its other labels.
    quasi_identifying : sequence of str
    hierarchies : mapping of str to Hierarchy

    Returns
    -------
    list of int
        The lowest level that has every label of the column among its own; which one, is not told where
        labels stand on several. 0 for a column without hierarchy, and also where no level has them all.
    """
    return [_level(anonymized.column(name), hierarchies.get(name)) for name in quasi_identifying]


def suppression_is_allowed(n_suppressed: int, n_records: int, supp_level: float) -> bool:
    """Whether so many records may be suppressed, by a limit in percent that may be met exactly.

    Parameters
    ----------
    n_suppressed, n_records : int
        Of the table as it is when the question is asked.
    supp_level : float
        0 to 100; 0.29 is 0.29 %, and the product is compared in floating point.

    Raises
    ------
    InputError
        The limit is no percentage.
    """
    if not 0 <= supp_level <= 100:
        raise InputError(
            f"{supp_level} is no limit of suppression to anjana.", hint="It is a percentage, 0 to 100."
        )
    return n_suppressed * 100 / n_records <= supp_level


def utility(
    raw: Table, anonymized: GivenTable, *, hierarchies: Mapping[str, Hierarchy] | None = None
) -> dict[str, Any]:
    """pyCANON's metrics, as anjana has none; with hierarchies also the "transformation" that it tells."""
    found = pycanon.utility(raw, anonymized)
    if hierarchies is None:
        return found
    names = anonymized.quasi_identifying
    levels = get_transformation(anonymized.table, names, hierarchies)
    return found | {"transformation": dict(zip(names, levels, strict=True))}


def _level(column: Column, hierarchy: Hierarchy | None) -> int:
    labels = {*column.labels}
    levels = () if hierarchy is None else hierarchy.levels
    return next((number for number, level in enumerate(levels) if labels <= {*level.labels}), 0)
