"""The sets of columns of a requirement by number, and their suppression at one node by kernels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import prod
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.frequency import Attribute, Problem
from engine.hierarchies import Hierarchy
from engine.kernels.arrays import BoolArray, Codes, Counts, FloatArray, IntArray
from engine.kernels.grouping import class_labels
from engine.privacy import PrivacyModel, Requirement
from engine.privacy.attackers import AttackerModel
from engine.privacy.distinct_l_diversity import DistinctLDiversity
from engine.records.types import DataType, Kind

if TYPE_CHECKING:
    from engine.kernels.compiled.known_suppression import Values

MOST_SPAN = 1 << 62  # of the labels of a set, and its pairs of group and value
MOST_BYTES = 512 << 20  # of the groups of all sets, per thread
MOST_COMBINATIONS = 1 << 20  # of sensitive values
N_COUNTS = 5  # suppressed records, kept classes, squares, sizes and k


class Remaining(NamedTuple):
    """Records that remain at nodes after repeated suppression; of one node without the first axis.

    Attributes
    ----------
    counts : ndarray of int64, shape (n_nodes, N_COUNTS)
        Suppressed records, kept classes, squares, sizes and k.
    leaves, spans : ndarray of float64, shape (n_nodes, n_qi)
        Sums over kept records.
    """

    counts: Counts
    leaves: FloatArray
    spans: FloatArray

    @classmethod
    def empty(cls, n_nodes: int, n_qi: int) -> Remaining:
        """Return zeros."""
        counts = np.zeros((n_nodes, N_COUNTS), dtype=np.int64)
        return cls(counts, np.zeros((n_nodes, n_qi)), np.zeros((n_nodes, n_qi)))


class SetsOfModel(NamedTuple):
    """Demand of one model on groups.

    Attributes
    ----------
    sets : tuple of tuple of int
        Attributes that are known.
    k : int
        Smallest group.
    column : str
        Sensitive column; empty if values play no part.
    l : int
        Fewest different values in a group.
    share : float
        Largest share of a value in a group.
    limited : tuple of str
        Values whose share is limited; all if empty.
    """

    sets: tuple[tuple[int, ...], ...]
    k: int
    column: str = ""
    l: int = 1  # noqa: E741  as in the models
    share: float = 1.0
    limited: tuple[str, ...] = ()

    @property
    def looks_at_values(self) -> bool:
        """Return whether sensitive values matter."""
        return bool(self.column)


def sets_of(problem: Problem, requirement: Requirement) -> tuple[SetsOfModel, ...] | None:
    """Return the sets of all models, others as the set of all columns; None if kernels lack one of them.

    Values measured in parts of classes are not known either.
    """
    found, everything = [], tuple(range(len(problem.names)))
    for model in requirement.by_class.models:
        own = _sets_of(problem, model)
        if own is not None:
            found.append(own)
        elif not model.is_by_size:
            return None
    if requirement.k is not None:
        found.append(SetsOfModel((everything,), requirement.k))
    if problem.measures_parts and any(own.looks_at_values for own in found):
        return None
    return tuple(found)


def _sets_of(problem: Problem, model: PrivacyModel) -> SetsOfModel | None:
    numbers = {name: q for q, name in enumerate(problem.names)}
    if isinstance(model, DistinctLDiversity):
        return SetsOfModel((tuple(numbers.values()),), 1, model.column, model.l)
    if not isinstance(model, AttackerModel):
        return None
    sets = tuple(tuple(numbers[name] for name in own) for own in model.sets(problem.names))
    if not model.looks_at_values:
        return SetsOfModel(sets, model.k)
    return SetsOfModel(sets, model.k, model.column, model.l, model.confidence, model.values)


def fit(problem: Problem, models: Sequence[SetsOfModel], n_labels: Sequence[int], n_classes: int) -> bool:
    """Return whether kernels can hold keys and groups, given the labels of every attribute."""
    spans = (prod(n_labels[q] for q in own) for m in models for own in m.sets if len(own) < len(n_labels))
    n_sets = sum(len(model.sets) for model in models)
    columns = {model.column for model in models if model.looks_at_values}
    values = [problem.sensitive_attribute(column).n_values for column in columns]
    arrays = 7 if columns else 2
    most_pairs = problem.n_records * max(values, default=1)
    return (
        max(*spans, most_pairs, 1) < MOST_SPAN
        and 4 * arrays * n_sets * n_classes < MOST_BYTES
        and prod(values) < MOST_COMBINATIONS
    )


def _combined(
    problem: Problem, columns: Sequence[str], values: Sequence[NDArray[np.integer[Any]]]
) -> tuple[Codes, tuple[IntArray, ...]]:
    """Number the combinations of values of rows, and return the values of each column by that number."""
    spans = [problem.sensitive_attribute(column).n_values for column in columns]
    numbers, first, _sizes = class_labels(values, spans)
    return numbers.astype(np.int32), tuple(np.asarray(own[first], dtype=np.int64) for own in values)


def with_values(problem: Problem, columns: Sequence[str]) -> tuple[Problem, tuple[IntArray, ...]]:
    """Return a problem with sensitive values as a last attribute that is never raised.

    Nodes keep their numbers. The second item has the values of a column by the leaves of that attribute,
    which are their combinations.
    """
    attributes = [problem.sensitive_attribute(column) for column in columns]
    codes, values = _combined(problem, columns, [attribute.codes for attribute in attributes])
    labels = tuple(map(str, range(len(values[0]))))
    column = replace(
        attributes[0].column,
        data_type=DataType(Kind.TEXT),
        labels=labels,
        codes=codes,
        has_missing=False,
        numbers=np.full(len(labels), np.nan),
    )
    attribute = Attribute(column, Hierarchy.identity(labels), codes, 0, 0)
    walked = replace(
        problem,
        attributes=(*problem.attributes, attribute),
        sensitive=(),
        others_as_qi=False,
        target=None,
        people=None,
        weight=None,
    )
    return walked, values


def demands_of(
    problem: Problem,
    models: Sequence[SetsOfModel],
    columns: Sequence[str],
    combinations: Sequence[IntArray],
    slot: int,
    bits: int,
) -> Values:
    """Return what models demand of values, as kernels read it.

    Parameters
    ----------
    columns : sequence of str
        The columns of the models.
    combinations : sequence of ndarray of int64, each of shape (n_combinations,)
        Value of each column per combination.
    slot, bits : int
        As for `Values`, if there are columns.
    """
    from engine.kernels.compiled.known_suppression import Values  # imports numba

    most_values = max((problem.sensitive_attribute(column).n_values for column in columns), default=1)
    n_combinations = len(combinations[0]) if columns else 1
    found = Values(
        slot if columns else -1,
        bits,
        np.zeros((len(models), n_combinations), dtype=np.int32),
        np.zeros(len(models), dtype=np.int64),
        np.array([model.l for model in models], dtype=np.int64),
        np.array([model.share for model in models], dtype=np.float64),
        np.zeros((len(models), most_values), dtype=np.uint8),
    )
    for number, model in enumerate(models):
        if model.looks_at_values:
            labels = problem.sensitive_attribute(model.column).column.labels
            found.codes[number] = combinations[columns.index(model.column)]
            found.n_values[number] = len(labels)
            found.limited[number, : len(labels)] = [
                not model.limited or label in model.limited for label in labels
            ]
    return found


def columns_of(models: Sequence[SetsOfModel]) -> tuple[str, ...]:
    """Return the sensitive columns that models look at."""
    return tuple(dict.fromkeys(model.column for model in models if model.looks_at_values))


def suppressed_rows(
    kernel: ModuleType,
    problem: Problem,
    codes: Sequence[NDArray[np.integer[Any]]],
    values: Sequence[NDArray[np.integer[Any]]],
    classes: IntArray,
    counts: NDArray[np.int32],
    models: Sequence[SetsOfModel],
) -> tuple[BoolArray, int] | None:
    """Return which rows are suppressed in the end, and after how many repetitions; None if too large.

    Parameters
    ----------
    kernel : module
        The kernels of `known_suppression`.
    codes : sequence of ndarray of int, each of shape (n_rows,)
        Labels per attribute, numbered from 0.
    values : sequence of ndarray of int, each of shape (n_rows,)
        Values of the sensitive columns that models look at; without any, rows are classes.
    classes : ndarray of int64, shape (n_rows,)
        Class of every row, in ascending order.
    counts : ndarray of int32, shape (n_rows,)
    """
    from engine.kernels.compiled.known_suppression import Demands, make_space  # imports numba

    n_labels = [int(own.max(initial=0)) + 1 for own in codes]
    if not fit(problem, models, n_labels, len(counts)):
        return None
    columns = columns_of(models)
    n_slots = len(codes) + bool(columns)
    sets = [(known, number) for number, model in enumerate(models) for known in model.sets]
    slots = np.zeros((len(sets), n_slots), dtype=np.int64)
    for number, (known, _model) in enumerate(sets):
        slots[number, : len(known)] = known
    space = make_space(len(counts), 0, n_slots, len(sets), of_values=bool(columns))
    combinations: tuple[IntArray, ...] = ()
    if columns:
        space.codes[-1], combinations = _combined(problem, columns, values)
        n_labels = [*n_labels, len(combinations[0])]
        space.classes[:] = classes
    space.radices[:] = n_labels
    for q, own in enumerate(codes):
        space.codes[q] = own
    model_of_set = np.array([model for _known, model in sets], dtype=np.int64)
    demands = Demands(
        slots,
        np.array([len(known) for known, _model in sets], dtype=np.int64),
        model_of_set,
        np.array([model.k for model in models], dtype=np.int64)[model_of_set],
        demands_of(problem, models, columns, combinations, len(codes), 0),
        np.ones((1, len(sets)), dtype=np.uint8),  # every set counts in the number of repetitions
    )
    rounds = int(kernel.suppress_classes(demands, space, counts))
    return space.gone.astype(np.bool_), rounds
