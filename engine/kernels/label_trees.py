"""Trees of labels: the lowest label that covers two others, and what it costs.

The code can be interpreted or compiled.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

NOT_LISTED = -(1 << 31)  # the offset of labels whose columns have too many for a table
HOPELESS = 1 << 60  # above any cost


class Labels(NamedTuple):
    """Labels of all columns as one list, column by column, in each the lowest ones first.

    Attributes
    ----------
    parents : ndarray of int32, shape (n_labels,)
        The label one allowed level higher; the top label is its own.
    ranks : ndarray of int32, shape (n_labels,)
        Level of the label.
    costs : ndarray of int64, shape (n_labels,)
    offsets : ndarray of int32, shape (n_labels,)
        With the number of a lowest label added, the place of both in the tables below; or `NOT_LISTED`.
    joins : ndarray of int32, shape (n_pairs,)
        Lowest common label of a label and a lowest one.
    join_costs : ndarray of int32, shape (n_pairs,)
        Its cost.
    """

    parents: NDArray[np.int32]
    ranks: NDArray[np.int32]
    costs: NDArray[np.int64]
    offsets: NDArray[np.int32]
    joins: NDArray[np.int32]
    join_costs: NDArray[np.int32]


def common_label(label: Any, lowest: Any, tree: Any) -> Any:
    """Return the lowest label that covers a label and a lowest label of its column."""
    parents, ranks, _, offsets, joins, _ = tree
    offset = offsets[label]
    if offset != NOT_LISTED:
        return joins[offset + lowest]
    while label != lowest:
        if ranks[label] <= ranks[lowest]:
            label = parents[label]
        else:
            lowest = parents[lowest]
    return label


def join_cost(one: Any, other: Any, tree: Any, most: Any) -> Any:
    """Return the cost of labels that cover others and lowest ones; of some columns if that reaches `most`."""
    _, _, costs, offsets, _, join_costs = tree
    total = np.int64(0)
    for q in range(len(one)):
        offset = offsets[one[q]]
        if offset != NOT_LISTED:
            total += join_costs[offset + other[q]]
        else:
            total += costs[common_label(one[q], other[q], tree)]
        if total >= most:
            break
    return total


def common_of(rows: Any, lowest: Any, tree: Any, common: Any) -> Any:
    """Put the labels that rows have in common into `common`; return their cost."""
    total = np.int64(0)
    for q in range(lowest.shape[1]):
        label = lowest[rows[0], q]
        for i in range(1, len(rows)):
            label = common_label(label, lowest[rows[i], q], tree)
        common[q] = label
        total += tree[2][label]
    return total


def cover(number: Any, record: Any, lowest: Any, tree: Any, common: Any) -> Any:
    """Raise the common labels of a group so that they cover a record; return their cost."""
    total = np.int64(0)
    for q in range(lowest.shape[1]):
        label = common_label(common[number, q], lowest[record, q], tree)
        common[number, q] = label
        total += tree[2][label]
    return total


def cheapest_group(
    own: Any, count: Any, but: Any, most: Any, tree: Any, common: Any, sizes: Any, costs: Any
) -> Any:
    """Return the group that some equal records join at least cost, and the added cost.

    Parameters
    ----------
    own : ndarray of int32, shape (n_qi,)
        Lowest labels of the records.
    but : int
        A group that they may not join.
    most : int
        Groups that add as much are not looked for; -1 and this cost are returned if all do.
    common : ndarray of int32, shape (n_groups, n_qi)
    sizes, costs : ndarray of int64, shape (n_groups,)
    """
    least: Any = np.int64(most)
    home: Any = np.int64(-1)
    for number in range(len(sizes)):
        size = sizes[number]
        if number == but or size == 0 or count * costs[number] >= least:
            continue
        now = size * costs[number]
        after = join_cost(common[number], own, tree, (least + now + size + count - 1) // (size + count))
        more = (size + count) * after - now
        if more < least:
            least, home = more, number
    return home, least
