"""Compiled measures of sensitive values, class after class, in one pass over the pairs.

Each function is the compiled version of the numpy one of the same name in `engine.kernels`, which documents
it and which it equals: integers and exact divisions to the last bit, logarithms within a relative 1e-12. They
take the classes; then the reference; last `found`, which they fill with one entry per class. Products of
counts must stay below 2**62, which the caller ensures.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from engine.kernels.arrays import Counts, IntArray
from engine.kernels.compiled.jit import compiled

_EXACT = 1 << 53  # see `engine.kernels.distances`
_ROUNDABLE = 1 << 54  # integers from here on have a bit for rounding and one below it


class Classes(NamedTuple):
    """First pair of every class and the number of all, value and records of pairs, and sizes of classes."""

    bounds: IntArray
    values: IntArray
    counts: Counts
    sizes: Counts


@compiled
def nearest_ratio(part: Any, whole: Any) -> Any:
    """Return `part` / `whole`, rounded once; `part` from 0 and `whole` from 1 to below 2**62.

    Integers that no double represents are divided bit by bit until the next bit cannot change the result; the
    remainder then decides the last bit.
    """
    if part < _EXACT and whole < _EXACT:
        return part / whole
    quotient, rest, unit = part // whole, part % whole, 1.0
    while quotient < _ROUNDABLE and part:
        rest *= 2
        quotient *= 2
        unit *= 0.5
        if rest >= whole:
            rest -= whole
            quotient += 1
    if rest:
        quotient |= 1
    return quotient * unit


_FAR_FROM_0 = 0.25  # larger entropies lose no significant digit as a difference
_TIE = 1e-12


@compiled
def lengths(classes: Any, found: Any) -> None:
    """Distinct values per class."""
    for number in range(len(found)):
        found[number] = classes.bounds[number + 1] - classes.bounds[number]


@compiled
def equal_distances(classes: Any, reference: Any, n_records: int, found: Any) -> None:
    """Half the L1 distance; `reference` has the records of the table per value."""
    bounds, values, counts, sizes = classes
    for number in range(len(sizes)):
        begin, end = bounds[number], bounds[number + 1]
        size, total = sizes[number], 0
        for pair in range(begin, end):
            gain = counts[pair] * n_records - reference[values[pair]] * size
            if gain > 0:
                total += gain
        found[number] = nearest_ratio(total, size * n_records)


@compiled
def ordered_distances(classes: Any, cumulative: Any, prefix: Any, n_records: int, found: Any) -> None:
    """Earth mover's distance over ordered values; `prefix` has the sum of `cumulative` before each value."""
    bounds, values, counts, sizes = classes
    n_values = len(cumulative)
    found[:] = 0.0
    if n_values < 2:
        return
    for number in range(len(sizes)):
        begin, end = bounds[number], bounds[number + 1]
        size, inside = sizes[number], 0
        total = size * prefix[values[begin]]
        for pair in range(begin, end):
            inside += counts[pair]
            level = inside * n_records
            value = values[pair]
            last = values[pair + 1] if pair + 1 < end else n_values
            # the first value from this one on at which the table has caught up with the class
            low, high = value, last
            while low < high:
                middle = (low + high) >> 1
                if cumulative[middle] * size >= level:
                    high = middle
                else:
                    low = middle + 1
            total += (2 * low - value - last) * level
            total += (prefix[value] + prefix[last] - 2 * prefix[low]) * size
        found[number] = nearest_ratio(total, size * n_records * (n_values - 1))


@compiled
def hierarchical_distances(
    classes: Any, groups: Any, grouped: Any, inside: Any, n_records: int, found: Any
) -> None:
    """Mean over the levels below the root of half the L1 distance of groups.

    `groups` has the group of every value per level, `grouped` the records of the table per level and group,
    both of shape (height, ...); `inside` is zeros before and after, one per group.
    """
    bounds, values, counts, sizes = classes
    height = len(groups)
    found[:] = 0.0
    if height == 0:
        return
    for number in range(len(sizes)):
        begin, end = bounds[number], bounds[number + 1]
        size, total = sizes[number], 0
        for level in range(height):
            for pair in range(begin, end):
                inside[groups[level, values[pair]]] += counts[pair]
            for pair in range(begin, end):
                group = groups[level, values[pair]]
                if inside[group]:  # not counted yet by another value of the group
                    gain = inside[group] * n_records - grouped[level, group] * size
                    if gain > 0:
                        total += gain
                    inside[group] = 0
        found[number] = nearest_ratio(total, size * n_records * height)


@compiled
def entropies(classes: Any, logs: Any, found: Any) -> None:
    """Shannon entropy; `logs` has c * log c for every count c below its length."""
    bounds, _values, counts, sizes = classes
    n_logs = len(logs)
    for number in range(len(sizes)):
        begin, end = bounds[number], bounds[number + 1]
        if end - begin == 1:
            found[number] = 0.0
            continue
        size = sizes[number]
        total = 0.0
        for pair in range(begin, end):
            count = counts[pair]
            total += logs[count] if count < n_logs else count * math.log(count)
        entropy = math.log(size) - total / size
        if entropy < _FAR_FROM_0:
            total = 0.0
            for pair in range(begin, end):
                total += counts[pair] * math.log1p((size - counts[pair]) / counts[pair])
            entropy = total / size
        found[number] = entropy


@compiled
def grassberger_entropies(classes: Any, table: Any, found: Any) -> None:
    """Entropy by Grassberger's estimator; `table` has G for every count up to the largest size."""
    bounds, _values, counts, sizes = classes
    for number in range(len(sizes)):
        begin, end = bounds[number], bounds[number + 1]
        whole, total = table[sizes[number]], 0.0
        for pair in range(begin, end):
            total += counts[pair] * (whole - table[counts[pair]])
        found[number] = total / sizes[number]


@compiled
def largest_shares(classes: Any, found: Any) -> None:
    """Share of the most frequent value."""
    bounds, _values, counts, sizes = classes
    for number in range(len(sizes)):
        begin, end = bounds[number], bounds[number + 1]
        most = 0
        for pair in range(begin, end):
            most = max(most, counts[pair])
        found[number] = most / sizes[number]


@compiled
def tail_ratios(classes: Any, rank: int, head: Any, found: Any) -> None:
    """Ratio of the most frequent value to those from a rank on; `head` has room for the values before it."""
    bounds, _values, counts, sizes = classes
    for number in range(len(sizes)):
        begin, end = bounds[number], bounds[number + 1]
        if end - begin < rank:
            found[number] = np.inf
            continue
        most, filled, heads = 0, 0, 0
        for pair in range(begin, end):
            count = counts[pair]
            most = max(most, count)
            if filled < rank - 1:
                place, heads = filled, heads + count
                filled += 1
            elif filled and count > head[filled - 1]:
                place = filled - 1
                heads += count - head[place]
            else:
                continue
            while place and head[place - 1] < count:
                head[place] = head[place - 1]
                place -= 1
            head[place] = count
        found[number] = most / (sizes[number] - heads)


@compiled
def basic_gains(classes: Any, reference: Any, n_records: int, found: Any) -> None:
    """The largest relative gain of a value."""
    bounds, values, counts, sizes = classes
    for number in range(len(sizes)):
        begin, end = bounds[number], bounds[number + 1]
        most = 0.0
        for pair in range(begin, end):
            due = reference[values[pair]] * sizes[number]
            more = counts[pair] * n_records - due
            if more > 0:
                most = max(most, nearest_ratio(more, due))
        found[number] = most


@compiled
def enhanced_gains(classes: Any, reference: Any, caps: Any, n_records: int, found: Any) -> None:
    """The largest relative gain of a value; inf if one exceeds its entry of `caps`."""
    bounds, values, counts, sizes = classes
    for number in range(len(sizes)):
        begin, end = bounds[number], bounds[number + 1]
        most = 0.0
        for pair in range(begin, end):
            value = values[pair]
            due = reference[value] * sizes[number]
            more = counts[pair] * n_records - due
            gain = nearest_ratio(more, due) if more > 0 else 0.0
            most = max(most, gain)
            if gain > caps[value] * (1 + _TIE):
                most = np.inf
        found[number] = most


@compiled
def disclosures(classes: Any, reference: Any, n_present: int, n_records: int, found: Any) -> None:
    """The largest |log(q / p)| of a value; inf if one of `n_present` is absent."""
    bounds, values, counts, sizes = classes
    for number in range(len(sizes)):
        begin, end = bounds[number], bounds[number + 1]
        if end - begin < n_present:
            found[number] = np.inf
            continue
        most = 0.0
        for pair in range(begin, end):
            own = counts[pair] * n_records
            due = reference[values[pair]] * sizes[number]
            most = max(most, abs(own - due) / min(own, due))
        found[number] = math.log1p(most)
