"""The distinct base tuples of a problem (quasi-identifiers x sensitive attributes), and their classes.

Every node's frequency set is rolled up from that of a lower node, never from the records.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from engine.errors import InputError
from engine.frequency import Problem
from engine.frequency.measured import (
    ClassRows,
    KnownClasses,
    MeasuredClasses,
    classes_of_rows,
    known_classes,
    pairs_from,
)
from engine.kernels.arrays import BoolArray, FloatArray, IntArray, Keys
from engine.kernels.distances import Pairs
from engine.kernels.grouping import counts_of, merge, run_starts
from engine.monitor import SILENT, Monitor
from engine.privacy import Requirement
from engine.privacy.repetition import Remaining, remaining_rows, repeats
from engine.scoring import acceleration
from engine.scoring.cells.weights import LabelWeights, leaf_weights
from engine.scoring.walk.attackers import columns_of, sets_of, suppressed_rows
from engine.scoring.walk.packing import FrequencySet, Layout, class_of_tuples, joined, path_codes
from engine.scoring.walk.population_tuples import PopulationTuples, people_tuples
from engine.words import N_, _

_known: WeakKeyDictionary[Layout, tuple[LabelWeights, ...]] = WeakKeyDictionary()


def information_losses(problem: Problem, tuples: FrequencySet) -> FloatArray:
    """Return log(leaves covered) / log(all leaves) of every tuple, both multiplied over attributes.

    An attribute that tuples do not distinguish counts as hidden.
    """
    bits, whole = np.zeros(len(tuples.counts)), 0.0
    for weights, level in zip(_leaves(problem, tuples.layout), tuples.node, strict=True):
        of_all = float(np.log2(problem.attributes[weights.attribute].hierarchy.n_leaves))
        whole += of_all
        if level < 0:
            bits += of_all
            continue
        constant, table = weights.constant[level], weights.tables[level]
        if table is None:
            assert constant is not None, "a level without a table has one weight"
            bits += np.log2(constant)
        else:
            bits += np.log2(table[tuples.field(weights.attribute, level)])
    return bits / whole if whole else bits


def _leaves(problem: Problem, layout: Layout) -> tuple[LabelWeights, ...]:
    found = _known.get(layout)
    if found is None:
        found = _known[layout] = leaf_weights(problem, layout)
    return found


SAMPLE = 1 << 15  # tuples on which the order of the walk is chosen
PREPARING = N_("Preparing the settings")
_PARTS = 4  # of about the same length

Column = NDArray[np.integer[Any]]


def base_tuples(problem: Problem, monitor: Monitor = SILENT) -> FrequencySet:
    """Reduce the rows to distinct tuples at the lattice's lowest node.

    Raises
    ------
    InputError
        If a path in a hierarchy needs more than 62 bits.
    """
    paths: list[Keys] = []
    dropped = []
    for attribute in problem.attributes:
        try:
            path, clears = path_codes([level.codes for level in attribute.hierarchy.levels])
        except OverflowError:
            raise InputError(
                _("The hierarchy of '{name}' is too large to score.").format(name=attribute.name),
                hint=_("Remove levels or join values before importing it."),
            ) from None
        # levels below the lowest allowed one never occur, so their bits are dropped
        floor = clears[attribute.minimum]
        paths.append(path >> floor)
        dropped.append(tuple(max(clear - floor, 0) for clear in clears))
    layout = Layout(
        widths=tuple(int(path.max()).bit_length() for path in paths),
        dropped=tuple(dropped),
        sensitive_widths=tuple(max(a.n_values - 1, 1).bit_length() for a in problem.carried),
        paths=tuple(paths),
        order=tuple(range(len(paths))),
        count_bits=problem.n_records.bit_length(),
        lowest=tuple(attribute.minimum for attribute in problem.attributes),
        person_width=0 if problem.repeated is None else (problem.repeated.n_codes - 1).bit_length(),
    )
    found = joined(layout, _watched(_columns(problem, paths), monitor, 0), problem.counts)
    monitor.step(1, _PARTS, _(PREPARING))
    # the order is measured on the tuples, since there are far fewer of them than records
    layout = replace(layout, order=_walk_order(problem, found))
    fields = (found.field(q, 0) for q in layout.order)
    persons = [] if problem.repeated is None else [found.persons()]
    sensitive = (found.sensitive(j) for j in range(len(problem.carried)))
    records = joined(layout, _watched(chain(fields, persons, sensitive), monitor, 2), found.counts)
    monitor.step(3, _PARTS, _(PREPARING))
    if problem.people is None or problem.people.leaves is None:
        return records
    return PopulationTuples(records, people_tuples(problem.people, layout))


def _watched(columns: Iterable[Column], monitor: Monitor, done: int) -> Iterator[Column]:
    for column in columns:
        monitor.step(done, _PARTS, _(PREPARING))
        yield column
    monitor.step(done, _PARTS, _(PREPARING))


def _columns(problem: Problem, paths: Sequence[Keys]) -> Iterator[Column]:
    """Return the codes of all rows, narrow and column by column, since they may fill the memory."""
    for path, attribute in zip(paths, problem.attributes, strict=True):
        is_narrow = int(path.max()) <= np.iinfo(np.int32).max
        yield (path.astype(np.int32) if is_narrow else path)[attribute.leaves]
    if problem.repeated is not None:
        yield problem.repeated.codes
    for carried in problem.carried:
        yield carried.codes


def at_node(base: FrequencySet, node: tuple[int, ...]) -> FrequencySet:
    """Return the frequency set of one node, counted from the base tuples."""
    for attribute, level in enumerate(node):
        if base.layout.dropped[attribute][level]:
            base = base.raised(attribute, level)
    return base


class EvaluatedClasses(NamedTuple):
    """The classes of a frequency set under a requirement.

    If whole persons are suppressed, the kept and the suppressed part of a class are two classes. If
    suppression is repeated, groups by some of the columns have either kept or suppressed records.

    Attributes
    ----------
    tuples : FrequencySet
        Tuples, with those of a class together.
    starts : ndarray of int64, shape (n_classes,)
        The first tuple of every class.
    kept : ndarray of bool, shape (n_classes,)
    rounds : int
        Repetitions that suppressed something; 0 if suppression is not repeated.
    """

    tuples: FrequencySet
    starts: IntArray
    classes: MeasuredClasses
    kept: BoolArray
    rounds: int = 0


def evaluated_classes(problem: Problem, tuples: FrequencySet, requirement: Requirement) -> EvaluatedClasses:
    """Return which classes of a frequency set a requirement keeps."""
    if not repeats(problem, requirement):
        starts, classes = measured_classes(problem, tuples)
        return EvaluatedClasses(tuples, starts, classes, requirement.fulfilled(classes))
    starts = tuples.class_starts()
    population = tuples.members(starts) if isinstance(tuples, PopulationTuples) else None
    rows = class_rows(problem, tuples, starts)
    left, rounds = _remaining(problem, tuples, starts, requirement) or remaining_rows(
        problem, requirement, rows, population
    )
    parts = 2 * rows.labels + ~left
    order = np.argsort(parts, kind="stable")
    tuples, parts = tuples.chosen(order), parts[order]
    starts = run_starts(parts)
    _unused, classes = measured_classes(problem, tuples, starts, apart=parts % 2 == 1)
    return EvaluatedClasses(tuples, starts, classes, parts[starts] % 2 == 0, rounds)


def _remaining(
    problem: Problem, tuples: FrequencySet, starts: IntArray, requirement: Requirement
) -> Remaining | None:
    """Return the tuples that remain, by kernels; None if they cannot serve."""
    kernel = acceleration.kernels("known_suppression")
    if kernel is None or problem.repeated is not None:
        return None
    models = sets_of(problem, requirement)
    if models is None:
        return None
    labels, columns = class_of_tuples(tuples, starts), columns_of(models)
    carried = [attribute.name for attribute in problem.carried]
    rows, classes, counts = np.arange(len(labels)), labels, tuples.counts
    if not columns:  # rows are classes; otherwise values in classes
        rows, classes = starts, np.arange(len(starts))
        counts = np.bincount(labels, weights=tuples.counts, minlength=len(starts)).astype(np.int64)
    found = suppressed_rows(
        kernel,
        problem,
        [np.unique(tuples.field(q, 0)[rows], return_inverse=True)[1] for q in range(len(problem.attributes))],
        [tuples.sensitive(carried.index(column)) for column in columns],
        classes,
        counts.astype(np.int32),
        models,
    )
    if found is None:
        return None
    gone, rounds = found
    return Remaining(~(gone if columns else gone[labels]), rounds)


def class_rows(
    problem: Problem, tuples: FrequencySet, starts: IntArray, apart: BoolArray | None = None
) -> ClassRows:
    """Return the tuples of classes as rows, given the first tuple of every class."""
    persons = None if problem.repeated is None else tuples.persons()
    labels = class_of_tuples(tuples, starts)
    return ClassRows(
        labels,
        tuples.sensitive,
        tuples.counts,
        persons,
        lambda q: tuples.field(q, 0),
        apart,
        lambda: information_losses(problem, tuples),
    )


def measured_classes(
    problem: Problem,
    tuples: FrequencySet,
    starts: IntArray | None = None,
    apart: BoolArray | None = None,
) -> tuple[IntArray, MeasuredClasses]:
    """Return the first tuple of every class, and the classes as privacy models see them.

    Parameters
    ----------
    starts : ndarray of int64, shape (n_classes,), optional
        The first tuple of every class, if the quasi-identifiers alone do not determine classes.
    apart : ndarray of bool, shape (n_tuples,), optional
        Tuples that attackers do not take for any of the others, since they are suppressed.
    """
    starts = tuples.class_starts() if starts is None else starts
    records = tuples.counts if len(starts) == len(tuples.counts) else np.add.reduceat(tuples.counts, starts)
    population = tuples.members(starts) if isinstance(tuples, PopulationTuples) else None
    if problem.measures_parts or problem.repeated is not None:
        rows = class_rows(problem, tuples, starts, apart)
        return starts, classes_of_rows(problem, rows, records, population)

    def pairs(attribute: int) -> Pairs:
        return class_pairs(tuples, starts, attribute)

    def known(columns: tuple[str, ...]) -> KnownClasses:
        group = known_classes(problem, class_rows(problem, tuples, starts, apart), len(records))
        assert group is not None, "tuples have fields"
        return group(columns)

    return starts, MeasuredClasses(
        records,
        problem.carried,
        pairs,
        population=None if population is None else population.people,
        sampling_fraction=problem.sampling_fraction,
        members=None if population is None else population.rows,
        known=known,
        names=problem.names,
        information=lambda: information_losses(problem, tuples)[starts],
    )


def class_pairs(tuples: FrequencySet, starts: IntArray, attribute: int) -> Pairs:
    """Return a sensitive field's distinct (class, value) pairs in records, given the classes' starts."""
    values, layout = tuples.sensitive(attribute), tuples.layout
    if layout.sensitive_bits == layout.sensitive_widths[attribute]:  # tuples differ in nothing else
        return Pairs(values, tuples.counts, starts)
    classes = class_of_tuples(tuples, starts)
    width = layout.sensitive_widths[attribute]
    keys, totals = merge(
        (classes << width) | values, tuples.counts, len(starts).bit_length() + width, layout.count_bits
    )
    return pairs_from(keys >> width, keys & ((1 << width) - 1), counts_of(totals))


def _walk_order(problem: Problem, tuples: FrequencySet) -> tuple[int, ...]:
    """Return the order of raising: first what shrinks the table most; last, if unsorted, the tallest."""
    sample = tuples.thinned(len(tuples.counts) // SAMPLE + 1)
    n_classes = [len(sample.raised(q, a.maximum).class_starts()) for q, a in enumerate(problem.attributes)]
    order = sorted(range(len(n_classes)), key=lambda q: (n_classes[q], q))
    tallest = max(order, key=lambda q: problem.attributes[q].maximum - problem.attributes[q].minimum)
    order.remove(tallest)
    order.append(tallest)
    return tuple(order)
