"""The Data-fly of python-anonymity: its rule for suppression, and its ranges by their left end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from engine.assessment.given import given_table
from engine.compat.greedy import GreedyRun, in_small_classes, n_distinct, relabelled, starred, without
from engine.compat.pycanon import k_anonymity
from engine.compat.python_anonymity.metrics import (
    avr_equiv_class_size,
    discernibility,
    generalized_information_loss,
)
from engine.compat.python_anonymity.ranges import Bounds, bounds_of, written
from engine.errors import InputError
from engine.hierarchies import Hierarchy
from engine.table import Column, Kind, Table


@dataclass(frozen=True)
class DataflyCost:
    """The figures by which the thesis compares algorithms.

    Attributes
    ----------
    n_operations : int
        Generalizations; trying to raise a column that is at its top counts as one.
    gen_iloss, c_avg : float
    discernibility : int
        See the functions of this package; the loss is that of the levels, whatever was suppressed.
    """

    n_operations: int
    gen_iloss: float
    discernibility: int
    c_avg: float


def datafly(
    table: Table,
    identifying: Sequence[str],
    quasi_identifying: Sequence[str],
    k: int,
    supp_threshold: int,
    hierarchies: Mapping[str, Hierarchy],
) -> GreedyRun:
    """Raise the column with most distinct values until each class has k records.

    Parameters
    ----------
    table : Table
    identifying, quasi_identifying : sequence of str
        Identifying cells become stars; spaces around the names of columns are dropped.
    k : int
    supp_threshold : int
        Compared with the k of the table as it is, not with a number of records: from 1 on all classes
        below k are dropped as soon as one has k records, however many they are.
    hierarchies : mapping of str to Hierarchy
        A column without one counts among those to raise, but never is. Those of numbers may be no trees
        (see `create_ranges`).

    Returns
    -------
    GreedyRun
        Where the columns are exhausted, the table as it is then, with `reaches_k` false. A column
        "index" is added where records were suppressed.

    Raises
    ------
    InputError
        Where the library ends with an exception, such as numbers without ranges.

    Notes
    -----
    Numbers become the range that holds them, ranges the range of the next level that holds their left
    end, which is a false one where levels do not nest. A text becomes the label above it if it stands on
    the level before, else it stays.
    """
    table = _stripped(table)
    table = starred(table, identifying)
    levels = dict.fromkeys(quasi_identifying, 0)
    left, n_operations, n_before = list(quasi_identifying), 0, table.n_records
    while (smallest := k_anonymity(given_table(table, quasi_identifying))) < k:
        if smallest <= supp_threshold:
            dropped, largest = in_small_classes(table, quasi_identifying, k)
            if k <= largest:
                table = without(table, dropped, "python-anonymity")
                return GreedyRun(table, levels, n_operations, n_before - table.n_records, True)
        if not left:
            return GreedyRun(table, levels, n_operations, 0, False)
        counts = [n_distinct(table.column(name)) for name in left]
        name = left[counts.index(max(counts))]
        n_operations += 1
        hierarchy = hierarchies.get(name)
        if hierarchy is None or levels[name] >= hierarchy.height:
            left.remove(name)
            continue
        levels[name] += 1
        table = table.replace_column(_raised(table.column(name), hierarchy, levels[name]))
    return GreedyRun(table, levels, n_operations, 0, True)


def cost(
    raw: Table, run: GreedyRun, quasi_identifying: Sequence[str], hierarchies: Mapping[str, Hierarchy]
) -> DataflyCost:
    """Return what a run cost, as the thesis compares it.

    Raises
    ------
    InputError
        As the library's metrics: a column without hierarchy has no loss to tell.
    """
    assert run.table is not None, "python-anonymity always returns records"
    given = given_table(run.table, quasi_identifying)
    own = {name: hierarchies[name] for name in quasi_identifying if name in hierarchies}
    return DataflyCost(
        run.n_operations,
        generalized_information_loss(raw, run.levels, quasi_identifying, own),
        discernibility(given),
        avr_equiv_class_size(raw, given),
    )


def _stripped(table: Table) -> Table:
    return Table(tuple(replace(column, name=column.name.strip()) for column in table.columns))


def _raised(column: Column, hierarchy: Hierarchy, level: int) -> Column:
    """The column on the next level; what it holds is told by its first record, as the library does."""
    first = column.text(0)
    is_number = column.data_type.kind in (Kind.INTEGER, Kind.DECIMAL)
    if not is_number and "[" not in first:
        above = {
            hierarchy.label(leaf, level - 1): hierarchy.label(leaf, level)
            for leaf in reversed(hierarchy.values)
        }
        return relabelled(column, [above.get(text, text) for text in column.labels])
    ranges = list(dict.fromkeys(bounds_of(hierarchy.label(leaf, level)) for leaf in hierarchy.values))
    lefts = column.numbers.tolist() if is_number else [bounds_of(text)[0] for text in column.labels]
    return relabelled(column, [written(_holding(left, ranges, column.name)) for left in lefts])


def _holding(number: float, ranges: Sequence[Bounds], name: str) -> Bounds:
    for left, right in ranges:
        if left <= number < right:
            return left, right
    raise InputError(
        f"python-anonymity ends with ValueError: {number:g} of '{name}' lies in no range of the next level.",
        hint="Make the ranges of the values that occur, by create_ranges.",
        column=name,
    )
