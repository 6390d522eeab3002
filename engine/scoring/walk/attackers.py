"""The sets of columns of a requirement by number, and their suppression at one node by kernels."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.frequency import Problem
from engine.kernels.arrays import BoolArray
from engine.privacy import Requirement
from engine.privacy.attackers import AttackerModel

MOST_SPAN = 1 << 62  # of the labels of a set
MOST_BYTES = 512 << 20  # of the groups of all sets, per thread


class SetsOfModel(NamedTuple):
    """What one model asks of groups.

    Attributes
    ----------
    sets : tuple of tuple of int
        Attributes that are known.
    k : int
        Smallest group.
    """

    sets: tuple[tuple[int, ...], ...]
    k: int


def sets_of(problem: Problem, requirement: Requirement) -> tuple[SetsOfModel, ...] | None:
    """Return the sets of all models, class sizes as the set of all columns; None if values matter too."""
    found, numbers = [], {name: q for q, name in enumerate(problem.names)}
    for model in requirement.by_class.models:
        if isinstance(model, AttackerModel):
            if model.looks_at_values:
                return None
            sets = tuple(tuple(numbers[name] for name in own) for own in model.sets(problem.names))
            found.append(SetsOfModel(sets, model.k))
        elif not model.is_by_size:
            return None
    if requirement.k is not None:
        found.append(SetsOfModel((tuple(range(len(numbers))),), requirement.k))
    return tuple(found)


def fit(models: Sequence[SetsOfModel], n_labels: Sequence[int], n_classes: int) -> bool:
    """Return whether kernels can hold keys and groups, given the labels of every attribute."""
    spans = (prod(n_labels[q] for q in own) for m in models for own in m.sets if len(own) < len(n_labels))
    n_sets = sum(len(model.sets) for model in models)
    return max(spans, default=1) < MOST_SPAN and 8 * n_sets * n_classes < MOST_BYTES


def suppressed_classes(
    kernel: ModuleType,
    codes: Sequence[NDArray[np.integer[Any]]],
    counts: NDArray[np.int32],
    models: Sequence[SetsOfModel],
) -> tuple[BoolArray, int] | None:
    """Return which classes are suppressed in the end, and after how many repetitions; None if too large.

    Parameters
    ----------
    kernel : module
        The kernels of `known_sets`.
    codes : sequence of ndarray of int, each of shape (n_classes,)
        Labels per attribute, numbered from 0.
    counts : ndarray of int32, shape (n_classes,)
    models : sequence of SetsOfModel
    """
    n_labels = [int(own.max(initial=0)) + 1 for own in codes]
    if not fit(models, n_labels, len(counts)):
        return None
    sets = [(known, model.k) for model in models for known in model.sets]
    slots = np.zeros((len(sets), len(codes)), dtype=np.int64)
    for number, (known, _k) in enumerate(sets):
        slots[number, : len(known)] = known
    space = kernel.make_space(len(counts), 0, len(codes), len(sets))
    space.radices[:] = n_labels
    for q, own in enumerate(codes):
        space.codes[q] = own
    lengths = np.array([len(known) for known, _k in sets], dtype=np.int64)
    demands = kernel.Demands(slots, lengths, np.array([k for _known, k in sets], dtype=np.int64))
    rounds = int(kernel.suppress_classes(demands, space, counts))
    return space.gone.astype(np.bool_), rounds
