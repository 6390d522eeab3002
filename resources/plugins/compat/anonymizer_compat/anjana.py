"""Results of anjana 1.2.3: it measures by pyCANON, and has conventions of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from anonymizer_compat import pycanon
from anonymizer_compat.greedy import GreedyRun, in_small_classes, n_distinct, relabelled, starred, without
from anonymizer_compat.pycanon import check
from anonymizer_compat.pycanon.classes import as_it_is
from engine.compat import OtherProgram
from engine.errors import InputError
from engine.findings.given_table import GivenTable
from engine.hierarchies import Hierarchy
from engine.records import Column, Table

__all__ = ["PROGRAM", "check", "datafly", "get_transformation", "suppression_is_allowed", "utility"]


def datafly(
    table: Table,
    identifying: Sequence[str],
    quasi_identifying: Sequence[str],
    k: int,
    supp_level: float,
    hierarchies: Mapping[str, Hierarchy],
) -> GreedyRun:
    """Raise the column with most distinct values until the classes below k may be suppressed.

    It is what anjana calls k_anonymity.

    Parameters
    ----------
    identifying, quasi_identifying : sequence of str
        Identifying cells become stars.
    supp_level : float
        Percent of the records, 0 to 100.
    hierarchies : mapping of str to Hierarchy
        Columns start from the lowest level that has all their values.

    Returns
    -------
    GreedyRun
        Without a table where the columns are exhausted. A column "index" is added where records were
        suppressed.

    Raises
    ------
    InputError
        If k or the limit is out of range, or a column must be generalized that has no hierarchy or values
        that its hierarchy lacks.
    """
    if k < 1:
        raise InputError(f"anjana refuses k = {k}.", hint="Give a k of at least 1.")
    suppression_is_allowed(0, 1, supp_level)
    table = starred(table, identifying)
    levels = {name: _lowest(table.column(name), hierarchies.get(name)) for name in quasi_identifying}
    left, n_operations = list(quasi_identifying), 0
    known = {name: level for name, level in levels.items() if level is not None}
    while pycanon.k_anonymity(as_it_is(table, quasi_identifying)) < k:
        dropped, largest = in_small_classes(table, quasi_identifying, k)
        n_dropped = int(dropped.sum())
        if k <= largest and suppression_is_allowed(n_dropped, table.n_records, supp_level):
            return GreedyRun(without(table, dropped, "anjana"), known, n_operations, n_dropped, True)
        if not left:
            return GreedyRun(None, known, n_operations, 0, False)
        counts = [n_distinct(table.column(name)) for name in left]
        name = left[counts.index(max(counts))]
        n_operations += 1
        if name not in known:
            raise InputError(
                f"anjana ends with KeyError: '{name}' must be generalized, and its hierarchy has "
                "no single group on its highest level.",
                hint="Give it a hierarchy whose highest level has a single label.",
                column=name,
            )
        if known[name] >= hierarchies[name].height:
            left.remove(name)
            continue
        column, above = table.column(name), hierarchies[name].parents[known[name]]
        table = table.replace_column(relabelled(column, [above[text] for text in column.labels]))
        known[name] += 1
    return GreedyRun(table, known, n_operations, 0, True)


def get_transformation(
    anonymized: Table, quasi_identifying: Sequence[str], hierarchies: Mapping[str, Hierarchy]
) -> list[int]:
    """Return the level of each quasi-identifying column of a table as anjana reports it.

    Parameters
    ----------
    anonymized : Table
        Taken unchanged: a suppressed record needs a level that has `*` next to its other labels.

    Returns
    -------
    list of int
        The lowest level that has every label of the column among its own; undetermined if labels are on
        several levels. 0 for a column without hierarchy, and also if no level has them all.
    """
    found = [_lowest(anonymized.column(name), hierarchies.get(name)) for name in quasi_identifying]
    return [level or 0 for level in found]


def suppression_is_allowed(n_suppressed: int, n_records: int, supp_level: float) -> bool:
    """Return whether a number of records may be suppressed, by a limit in percent.

    Parameters
    ----------
    n_suppressed, n_records : int
        Of the table at the time of the call.
    supp_level : float
        0 to 100; 0.29 is 0.29 %, and the product is compared in floating point.

    Raises
    ------
    InputError
        The limit is not a percentage.
    """
    if not 0 <= supp_level <= 100:
        raise InputError(
            f"{supp_level} is not a suppression limit for anjana.", hint="Give a percentage from 0 to 100."
        )
    return n_suppressed * 100 / n_records <= supp_level


def utility(
    raw: Table, anonymized: GivenTable, *, hierarchies: Mapping[str, Hierarchy] | None = None
) -> dict[str, Any]:
    """pyCANON's metrics, as anjana has none; with hierarchies also its "transformation"."""
    found = pycanon.utility(raw, anonymized)
    if hierarchies is None:
        return found
    names = anonymized.quasi_identifying
    levels = get_transformation(anonymized.table, names, hierarchies)
    return found | {"transformation": dict(zip(names, levels, strict=True))}


def _lowest(column: Column, hierarchy: Hierarchy | None) -> int | None:
    """The lowest level that has every label of a column; None without one."""
    labels = {*column.labels}
    levels = () if hierarchy is None else hierarchy.levels
    return next((number for number, level in enumerate(levels) if labels <= {*level.labels}), None)


PROGRAM = OtherProgram(check=check, utility=utility)
