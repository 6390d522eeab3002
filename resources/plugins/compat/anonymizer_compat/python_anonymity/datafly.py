"""The Data-fly of python-anonymity: its rule for suppression, and its ranges by their left end."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from anonymizer_compat import pycanon
from anonymizer_compat.greedy import GreedyRun, in_small_classes, n_distinct, relabelled, starred, without
from anonymizer_compat.pycanon import k_anonymity
from anonymizer_compat.pycanon.classes import as_it_is, labels_of
from anonymizer_compat.python_anonymity.metrics import (
    avr_equiv_class_size,
    discernibility,
    generalized_information_loss,
)
from anonymizer_compat.python_anonymity.ranges import Bounds, bounds_of, written
from engine.errors import InputError
from engine.hierarchies import Hierarchy
from engine.records import Column, Kind, Table


@dataclass(frozen=True)
class DataflyCost:
    """The figures by which the thesis compares algorithms.

    Attributes
    ----------
    n_operations : int
        Generalizations; trying to raise a column that is at its top counts as one.
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
    identifying, quasi_identifying : sequence of str
        Identifying cells become stars; spaces around the names of columns are dropped.
    supp_threshold : int
        Compared with the k of the input, not with a number of records: from 1 on all classes
        below k are dropped as soon as one has k records, however many they are.
    hierarchies : mapping of str to Hierarchy
        A column without one counts among those to raise, but never is. Those of numbers may not be trees
        (see `create_ranges`).

    Returns
    -------
    GreedyRun
        If the columns are exhausted, the table at that point, with `reaches_k` false. A column
        "index" is added where records were suppressed.

    Raises
    ------
    InputError
        Where the library ends with an exception, such as numbers without ranges.

    Notes
    -----
    Numbers become the range that holds them, ranges the range of the next level that holds their left
    end, which is a false one where levels do not nest. A text becomes the label above it if it is on the
    level before, otherwise it is unchanged.
    """
    table = Table(tuple(replace(column, name=column.name.strip()) for column in table.columns))
    table = starred(table, identifying)
    levels = dict.fromkeys(quasi_identifying, 0)
    left, n_operations, n_before = list(quasi_identifying), 0, table.n_records
    while (smallest := k_anonymity(as_it_is(table, quasi_identifying))) < k:
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
        As in the library's metrics: a column without hierarchy has no loss.
    """
    assert run.table is not None, "python-anonymity always returns records"
    given = as_it_is(run.table, quasi_identifying)
    own = {name: hierarchies[name] for name in quasi_identifying if name in hierarchies}
    return DataflyCost(
        run.n_operations,
        generalized_information_loss(raw, run.levels, quasi_identifying, own),
        discernibility(given),
        avr_equiv_class_size(raw, given),
    )


def _raised(column: Column, hierarchy: Hierarchy, level: int) -> Column:
    """The column on the next level; its kind is decided by its first record, as the library does."""
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
        f"python-anonymity ends with ValueError: {number:g} of '{name}' is in no range of the next level.",
        hint="Make the ranges for the values that occur, with create_ranges.",
        column=name,
    )


MOST_ROUNDS = 50  # after which the library says that it did not succeed
ONLY_COLUMN = "crime"  # which the library's suppression for t-closeness reads, whatever is sensitive


@dataclass(frozen=True, eq=False)
class Retried:
    """Result of the library.

    Attributes
    ----------
    found : tuple of float
        The l or t of each sensitive column that was reached, in their order; of a single one also where
        it was not reached.
    reached : bool
        Whether all were reached before round 50. A value that is reached in that very round does not count.
    """

    table: Table
    found: tuple[float, ...]
    reached: bool


def l_diversity(
    table: Table,
    sensitive: Sequence[str],
    quasi_identifying: Sequence[str],
    l: int,  # noqa: E741  the name of the model
    identifying: Sequence[str],
    supp_threshold: int,
    hierarchies: Mapping[str, Hierarchy],
    k: int,
) -> Retried:
    """Run Data-fly with k + 1, k + 2, ... until each class has l distinct values.

    Every round starts from the table of the round before, with levels counted from 0 again. With several
    sensitive columns one after the other is looked at, the others joining the quasi-identifying ones, and
    each starts from what the one before left; the first one that is not reached ends it.

    Raises
    ------
    InputError
        Where the library, or pyCANON for it, ends with an exception.

    Notes
    -----
    The library takes Data-fly where the method is called "data_fly"; by any other name, "datafly"
    included, it takes its Incognito, which is not reproduced here.
    """
    found: list[float] = []
    for name in sensitive:
        others = [other for other in sensitive if other != name]
        around = [*quasi_identifying, *others]

        def measure(now: Table, name: str = name, around: Sequence[str] = around) -> float:
            return pycanon.l_diversity(as_it_is(now, around, [name]))

        ran = _retry(
            table, measure, lambda value: value >= l, identifying, around, supp_threshold, hierarchies, k
        )
        if not ran.reached:
            return ran if len(sensitive) == 1 else Retried(table, tuple(found), False)
        table = ran.table
        found += ran.found
    return Retried(table, tuple(found), True)


def t_closeness(
    table: Table,
    sensitive: Sequence[str],
    quasi_identifying: Sequence[str],
    t: float,
    identifying: Sequence[str],
    supp_threshold: int,
    hierarchies: Mapping[str, Hierarchy],
) -> Retried:
    """Run Data-fly with k = 1, 2, ... until no class is further than t from the whole table.

    Rounds are as those of `l_diversity`. A distance equal to t is near enough.

    Raises
    ------
    InputError
        Where the library, or pyCANON for it, ends with an exception.
    """

    def measure(now: Table) -> float:
        return pycanon.t_closeness(as_it_is(now, quasi_identifying, sensitive))

    return _retry(
        table,
        measure,
        lambda value: value <= t,
        identifying,
        quasi_identifying,
        supp_threshold,
        hierarchies,
        0,
    )


def apply_l_diversity_supp(
    table: Table,
    sensitive: str,
    quasi_identifying: Sequence[str],
    l: int,  # noqa: E741  the name of the model
    supp_lim: float = 1,
) -> Table:
    """Return the table unchanged, as the library always does here.

    Parameters
    ----------
    supp_lim : float
        Percent of the records.

    Raises
    ------
    InputError
        If at least one record may be suppressed and some class has too few values: the library drops the
        same record of a class with *more* than l values for ever, or has no such class and raises.
    """
    given = as_it_is(table, quasi_identifying, [sensitive])
    if len(table.column(sensitive).labels) < l or pycanon.l_diversity(given) >= l:
        return table
    codes = table.column(sensitive).codes
    records, labels, sizes = labels_of(given)
    diversities = [len(np.unique(codes[records[labels == number]])) for number in range(len(sizes))]
    if l > max(diversities):
        return table
    if not any(diversity > l for diversity in diversities):
        raise InputError(
            "python-anonymity ends with ValueError: no class has more values than required.",
            hint="Use the requirement of this program to suppress.",
        )
    if round(table.n_records * (supp_lim / 100)) >= 1:
        raise InputError(
            "python-anonymity never ends here: it drops the same record again and again.",
            hint="Use the requirement of this program to suppress, or allow python-anonymity no suppression.",
        )
    return table


def t_closeness_supp(
    table: Table, sensitive: str, quasi_identifying: Sequence[str], t: float, supp_lim: float = 1
) -> Table:
    """Drop the one record that the library drops, if the table has t-closeness without it.

    Parameters
    ----------
    supp_lim : float
        A fraction of the records; less than half a record allows nothing.

    Returns
    -------
    Table
        Without the record whose row number is the first digit of the number of the first class that is too
        far from the whole table by a distance of the library's own, or unchanged.

    Raises
    ------
    InputError
        If the sensitive column is not called "crime", which is the only one that the library reads; or
        if it ends with another exception.
    """
    given = as_it_is(table, quasi_identifying, [sensitive])
    if pycanon.t_closeness(given) < t:
        return table
    if sensitive != ONLY_COLUMN:
        raise InputError(
            f"python-anonymity ends with KeyError: it reads the column '{ONLY_COLUMN}', but the sensitive "
            f"column is '{sensitive}'.",
            hint="Use the requirement of this program to suppress.",
            column=sensitive,
        )
    distances = _distances(table, quasi_identifying)
    if t > max(distances):
        return table
    too_far = next((number for number, distance in enumerate(distances) if distance > t), None)
    if too_far is None:
        raise InputError(
            "python-anonymity ends with ValueError: no class exceeds t by its distance.",
            hint="Use the requirement of this program to suppress.",
        )
    dropped = np.zeros(table.n_records, dtype=np.bool_)
    dropped[int(str(too_far)[0])] = True
    shorter = without(table, dropped, "python-anonymity")
    is_near = pycanon.t_closeness(as_it_is(shorter, quasi_identifying, [sensitive])) <= t
    return shorter if 1 / table.n_records <= round(table.n_records * supp_lim) and is_near else table


def _retry(
    table: Table,
    measure: Callable[[Table], float],
    is_reached: Callable[[float], bool],
    identifying: Sequence[str],
    quasi_identifying: Sequence[str],
    supp_threshold: int,
    hierarchies: Mapping[str, Hierarchy],
    k: int,
) -> Retried:
    n_rounds = 0
    while not is_reached(value := measure(table)) and n_rounds < MOST_ROUNDS:
        n_rounds += 1
        run = datafly(table, identifying, quasi_identifying, k + n_rounds, supp_threshold, hierarchies)
        assert run.table is not None, "python-anonymity always returns records"
        table = run.table
    return Retried(table, (value,), n_rounds < MOST_ROUNDS)


def _distances(table: Table, quasi_identifying: Sequence[str]) -> list[float]:
    """The library's own distance per class: over its records, twice the difference of the two shares."""
    column = table.column(ONLY_COLUMN)
    overall = column.counts / table.n_records
    records, labels, sizes = labels_of(as_it_is(table, quasi_identifying))
    found = []
    for number, size in enumerate(sizes.tolist()):
        codes = column.codes[records[labels == number]]
        counts = np.bincount(codes, minlength=len(column.labels))
        distance = 0.0
        for code in codes.tolist():
            # The count is read from a printed line, where digits of the value come first.
            digits = re.search(r"\d+", column.labels[code])
            share = (int(digits[0]) if digits else int(counts[code])) / size
            distance += 2 * abs(share - float(overall[code]))
        found.append(distance)
    return found
