"""Records that share cheap labels with others, of the distinct rows nearest to each."""

from __future__ import annotations

from types import ModuleType

import numpy as np
from numpy.typing import NDArray

from engine.kernels import near_rows
from engine.kernels.arrays import IntArray
from engine.kernels.grouping import class_labels
from engine.kernels.label_trees import HOPELESS, Labels
from engine.kernels.near_rows import Steps
from engine.kernels.rebuilding import Alike
from engine.monitor import Monitor
from engine.words import N_, _

N_ALIKE = 40  # distinct records that each is compared with, of each two
MOST_COMPARED = 30_000  # distinct records up to which each is compared with all others
N_ORDERS, N_NEXT = 24, 8  # of more: orders of columns they are sorted in, and neighbours looked at in each
COMPARED_AT_ONCE = 1 << 21  # pairs of rows compared between two looks at the monitor
SLOWER = 1 << 9  # how many times slower interpreted code is, about
KEY_BITS = 63
COMPARING = N_("Finding similar records")


def near_records(
    labels: NDArray[np.int32],
    tree: Labels,
    random: np.random.Generator,
    compiled: ModuleType | None,
    monitor: Monitor,
) -> Alike:
    """For every record others of about the lowest common cost, of the distinct rows nearest to its own.

    Parameters
    ----------
    labels : ndarray of int32, shape (n_records, n_qi)
        Lowest allowed labels.
    tree : Labels
    random : numpy.random.Generator
        Used for many distinct rows.
    compiled : module or None
        Compiled kernels, if they are loaded.
    monitor : Monitor
    """
    row_of, first, counts = class_labels(list(labels.T), [len(tree.costs)] * labels.shape[1])
    distinct = np.ascontiguousarray(labels[first])
    n_near = min(N_ALIKE, len(distinct) - 1)
    near = np.zeros((len(distinct), n_near), dtype=np.int32)
    prices = np.full(near.shape, HOPELESS)
    if n_near:
        if len(distinct) <= MOST_COMPARED:
            _compare_all(distinct, tree, near, prices, compiled, monitor)
        else:
            _compare_sorted(distinct, tree, near, prices, random, compiled, monitor)
    near = np.hstack((np.arange(len(distinct), dtype=np.int32)[:, None], near))
    prices = np.hstack((tree.costs[distinct].sum(axis=1)[:, None], prices)).astype(np.int32)
    order = np.argsort(row_of, kind="stable")
    starts = (np.cumsum(counts) - counts).astype(np.int32)
    number: NDArray[np.int32] = np.empty(len(labels), dtype=np.int32)
    number[order] = np.arange(len(labels)) - starts[row_of[order]]
    return Alike(
        starts[near],
        counts.astype(np.int32)[near],
        prices,
        row_of.astype(np.int32),
        number,
        order.astype(np.int32),
    )


def _compare_all(
    distinct: NDArray[np.int32],
    tree: Labels,
    near: NDArray[np.int32],
    prices: IntArray,
    compiled: ModuleType | None,
    monitor: Monitor,
) -> None:
    """Find the others that share the cheapest labels with each row."""
    n_rows = len(distinct)
    at_once = max(_pairs_at_once(compiled) // n_rows, 1)
    compare = near_rows.compare if compiled is None else compiled.compare
    steps, sums = _steps(distinct), np.zeros(distinct.shape[1] + 1, dtype=np.int64)
    for first in range(0, n_rows, at_once):
        monitor.step(first, n_rows, _(COMPARING))
        compare(first, min(first + at_once, n_rows), distinct, steps, tree, near, prices, sums)


def _steps(distinct: NDArray[np.int32]) -> Steps:
    n_rows, n_qi = distinct.shape
    differs = np.logical_or.accumulate(distinct[1:] != distinct[:-1], axis=1)
    splits = np.zeros(n_rows + 1, dtype=np.int32)
    splits[1:-1] = np.argmax(differs, axis=1)
    behind, ahead = np.empty((2, n_rows, n_qi), dtype=np.int32)
    for q in range(n_qi):
        starts = np.flatnonzero(np.append(True, differs[:, q]))
        ends = np.append(starts[1:], n_rows)
        behind[:, q] = np.repeat(ends, ends - starts)
        ahead[:, q] = np.repeat(starts - 1, ends - starts)
    return Steps(splits, behind, ahead)


def _pairs_at_once(compiled: ModuleType | None) -> int:
    return COMPARED_AT_ONCE // (SLOWER if compiled is None else 1)


def _compare_sorted(
    distinct: NDArray[np.int32],
    tree: Labels,
    near: NDArray[np.int32],
    prices: IntArray,
    random: np.random.Generator,
    compiled: ModuleType | None,
    monitor: Monitor,
) -> None:
    """Find some that share cheap labels with each row, where there are too many to compare each with all.

    They are looked for among neighbours where rows are sorted by labels, columns in random order: the
    coarse labels of all columns first.
    """
    steps = [
        (q, up, *np.unique(step, return_inverse=True))
        for q, column in enumerate(distinct.T)
        for up, step in enumerate(_upwards(column, tree))
    ]
    n_steps = {q: up for q, up, *_unused in steps}
    n_rows = len(distinct)
    at_once = _pairs_at_once(compiled) // (2 * N_NEXT)
    look_around = near_rows.look_around if compiled is None else compiled.look_around
    for number in range(N_ORDERS):
        weights = [random.random() + 0.25 * (n_steps[q] - up) for q, up, *_unused in steps]
        order = random.permutation(n_rows)
        keys, n_bits = np.zeros(n_rows, dtype=np.int64), 0
        for place in np.argsort(-np.array(weights), kind="stable").tolist():  # the first one counts most
            *_unused, values, codes = steps[place]
            width = (len(values) - 1).bit_length()
            if n_bits + width > KEY_BITS:
                break
            keys = (keys << width) | codes.ravel()
            n_bits += width
        order = order[np.argsort(keys[order], kind="stable")]
        for first in range(0, n_rows, at_once):
            monitor.step(number * n_rows + first, N_ORDERS * n_rows, _(COMPARING))
            last = min(first + at_once, n_rows)
            look_around(first, last, order, N_NEXT, distinct, tree, near, prices)
    empty = prices == HOPELESS
    near[empty], prices[empty] = np.nonzero(empty)[0], 0


def _upwards(column: NDArray[np.int32], tree: Labels) -> list[NDArray[np.int32]]:
    """The labels of a column, and those above them up to the top."""
    steps = [np.ascontiguousarray(column)]
    while (tree.parents[steps[-1]] != steps[-1]).any():
        steps.append(tree.parents[steps[-1]])
    return steps
