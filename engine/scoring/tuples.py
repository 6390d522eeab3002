"""The distinct base tuples of a problem (quasi-identifiers x sensitive attributes), and their classes.

Every node's frequency set is derived from a more precise one, never from the records.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import InputError
from engine.frequency import Problem
from engine.frequency.measured import ClassRows, MeasuredClasses, classes_of_rows, pairs_from
from engine.kernels.arrays import IntArray, Keys
from engine.kernels.bitfields import path_codes
from engine.kernels.distances import Pairs
from engine.kernels.grouping import counts_of, merge
from engine.scoring.packing import FrequencySet, Layout, class_of_tuples, joined
from engine.scoring.people import PeopledSet, people_tuples

SAMPLE = 1 << 15  # tuples by which the order of the walk is chosen


def base_tuples(problem: Problem) -> FrequencySet:
    """Reduce the records to distinct tuples at the lattice's lowest node.

    Raises
    ------
    InputError
        If one hierarchy is so large that a path in it needs more than 62 bits.
    """
    paths: list[Keys] = []
    dropped = []
    for attribute in problem.attributes:
        try:
            path, clears = path_codes([level.codes for level in attribute.hierarchy.levels])
        except OverflowError:
            raise InputError(
                f"The hierarchy of '{attribute.name}' is too large to score.",
                hint="Remove levels or join values before loading it.",
            ) from None
        # Levels below the lowest allowed one never appear, so their bits are dropped for good.
        floor = clears[attribute.minimum]
        paths.append(path >> floor)
        dropped.append(tuple(max(clear - floor, 0) for clear in clears))
    layout = Layout(
        widths=tuple(int(path.max()).bit_length() for path in paths),
        dropped=tuple(dropped),
        sensitive_widths=tuple(max(a.n_values - 1, 1).bit_length() for a in problem.sensitive),
        paths=tuple(paths),
        order=tuple(range(len(paths))),
        count_bits=problem.n_records.bit_length(),
        person_width=0 if problem.repeated is None else (problem.repeated.n_codes - 1).bit_length(),
    )
    found = joined(layout, _columns(problem, paths), None)
    # The order is measured on the tuples, of which there are far fewer than records.
    layout = replace(layout, order=_walk_order(problem, found))
    fields = [found.field(q, 0) for q in layout.order]
    persons = [] if problem.repeated is None else [found.persons()]
    sensitive = [found.sensitive(j) for j in range(len(problem.sensitive))]
    records = joined(layout, fields + persons + sensitive, found.counts)
    if problem.people is None or problem.people.leaves is None:
        return records
    return PeopledSet(records, people_tuples(problem.people, layout))


def _columns(problem: Problem, paths: Sequence[Keys]) -> Iterator[NDArray[np.integer[Any]]]:
    """Codes of all records, narrow and one column at a time, since millions of records fill the memory."""
    for path, attribute in zip(paths, problem.attributes, strict=True):
        is_narrow = int(path.max()) <= np.iinfo(np.int32).max
        yield (path.astype(np.int32) if is_narrow else path)[attribute.leaves]
    if problem.repeated is not None:
        yield problem.repeated.codes
    for sensitive in problem.sensitive:
        yield sensitive.codes


def at_node(base: FrequencySet, node: tuple[int, ...]) -> FrequencySet:
    """Frequency set of one node, straight from the base tuples."""
    for attribute, level in enumerate(node):
        if base.layout.dropped[attribute][level]:
            base = base.raised(attribute, level)
    return base


def measured_classes(problem: Problem, tuples: FrequencySet) -> tuple[IntArray, MeasuredClasses]:
    """Return the first tuple of every class, and the classes as privacy models see them."""
    starts = tuples.class_starts()
    records = tuples.counts if len(starts) == len(tuples.counts) else np.add.reduceat(tuples.counts, starts)
    population = tuples.members(starts) if isinstance(tuples, PeopledSet) else None
    if problem.measures_parts or problem.repeated is not None:
        persons = None if problem.repeated is None else tuples.persons()
        rows = ClassRows(class_of_tuples(tuples, starts), tuples.sensitive, tuples.counts, persons)
        return starts, classes_of_rows(problem, rows, records, population)

    def pairs(attribute: int) -> Pairs:
        return class_pairs(tuples, starts, attribute)

    return starts, MeasuredClasses(
        records,
        problem.sensitive,
        pairs,
        population=None if population is None else population.people,
        sampling_fraction=problem.sampling_fraction,
        members=None if population is None else population.rows,
    )


def class_pairs(tuples: FrequencySet, starts: IntArray, attribute: int) -> Pairs:
    """Distinct (class, value) pairs of a sensitive field in records, given every class's first tuple."""
    values, layout = tuples.sensitive(attribute), tuples.layout
    if layout.sensitive_bits == layout.sensitive_widths[attribute]:  # by nothing else tuples differ
        return Pairs(values, tuples.counts, starts)
    classes = class_of_tuples(tuples, starts)
    width = layout.sensitive_widths[attribute]
    keys, totals = merge(
        (classes << width) | values, tuples.counts, len(starts).bit_length() + width, layout.count_bits
    )
    return pairs_from(keys >> width, keys & ((1 << width) - 1), counts_of(totals))


def _walk_order(problem: Problem, tuples: FrequencySet) -> tuple[int, ...]:
    """Raise first what shrinks the table most; last, where no sorting is needed, the tallest."""
    sample = tuples.thinned(len(tuples.counts) // SAMPLE + 1)
    n_classes = [len(sample.raised(q, a.maximum).class_starts()) for q, a in enumerate(problem.attributes)]
    order = sorted(range(len(n_classes)), key=lambda q: (n_classes[q], q))
    tallest = max(order, key=lambda q: problem.attributes[q].maximum - problem.attributes[q].minimum)
    order.remove(tallest)
    order.append(tallest)
    return tuple(order)
