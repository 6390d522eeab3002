"""One scored node from its frequency set: its cells, and totals over its classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.errors import InvariantError
from engine.frequency import Measure, Problem
from engine.frequency.classes import DISTINCT, INFORMATION, MEMBERS, POPULATION, WEIGHT
from engine.lattice import Node
from engine.scoring.cells.snapshot import Array, Key, join_alike
from engine.scoring.cells.weights import leaf_weights, span_weights
from engine.scoring.walk.packing import FrequencySet, Layout
from engine.scoring.walk.tuples import measured_classes


@dataclass(frozen=True, eq=False)
class NodeCells:
    """A scored node.

    Attributes
    ----------
    cells : mapping of column to ndarray, each of shape (n_cells,)
        Cells; missing columns are 0.
    n_classes, k, largest, squares : int
        Number of classes, smallest and largest size, and sum of squared numbers of records, over all classes.
    """

    cells: dict[Key, Array]
    n_classes: int
    k: int
    largest: int
    squares: int


class NodeScorer:
    """Scores single nodes of a problem.

    Parameters
    ----------
    layout : Layout
        Layout of the base tuples.
    label_sums : bool
        Whether cells include the sums that metrics over labels need.

    Attributes
    ----------
    leaf_weights, span_weights : tuple
        Leaves covered by, and numeric width of, each label per attribute.
    weights : tuple of LabelWeights
        All of them.
    """

    def __init__(
        self, problem: Problem, layout: Layout, measures: Sequence[Measure], *, label_sums: bool = True
    ) -> None:
        self.problem = problem
        self.measures = tuple(measures)
        self.leaf_weights = leaf_weights(problem, layout)
        self.span_weights = span_weights(problem, layout)
        self.weights = (*self.leaf_weights, *(own for own in self.span_weights if own is not None))
        self._summed = [own for own in self.weights if own.varies] if label_sums else []
        self.dtypes = self._dtypes()

    def score(self, node: Node, tuples: FrequencySet) -> NodeCells:
        """Score one node from its frequency set.

        Raises
        ------
        InvariantError
            If the classes do not have every record.
        """
        starts, classes = measured_classes(self.problem, tuples)
        sizes = classes.records
        measures: dict[Key, Array] = {measure: classes.measured(measure) for measure in self.measures}
        if self.problem.repeated is not None:
            measures["persons"] = classes.sizes
        joined = join_alike(sizes, list(measures.values()))
        cells: dict[Key, Array] = {name: values[joined.first] for name, values in measures.items()}
        cells["size"] = joined.sizes
        cells["records"] = records = joined.classes * joined.sizes
        if int(records.sum()) != self.problem.n_records:
            raise InvariantError(f"node {node} lost records")
        for weights in self._summed:
            level = node[weights.attribute]
            table = weights.tables[level]
            if table is not None:
                field = tuples.field(weights.attribute, level)
                labels = field if len(starts) == len(field) else field[starts]
                cells[weights.name] = joined.sums(table[labels]) * joined.sizes
        persons = classes.sizes
        return NodeCells(
            cells, len(sizes), int(persons.min()), int(persons.max()), int(joined.sizes @ records)
        )

    def _dtypes(self) -> dict[Key, np.dtype[np.generic]]:
        """Return narrow column types that fit their largest value, since there are millions of cells."""
        problem = self.problem
        count = _narrowest(problem.n_records)
        dtypes: dict[Key, np.dtype[np.generic]] = {"size": count, "records": count}
        if problem.repeated is not None:
            dtypes["persons"] = count
        for measure in self.measures:
            if measure.name in (POPULATION, MEMBERS):
                assert problem.people is not None, "measured only where it is known"
                dtypes[measure] = _narrowest(problem.people.n_members)
                continue
            if measure.column == WEIGHT or measure.name == INFORMATION:
                dtypes[measure] = np.dtype(np.float64)
                continue
            counted = measure.name == DISTINCT
            n_values = problem.sensitive_attribute(measure.column).n_values
            dtypes[measure] = _narrowest(n_values) if counted else np.dtype(np.float64)
        for weights in self._summed:
            most = problem.n_records * problem.attributes[weights.attribute].hierarchy.n_leaves
            is_whole = weights.totals.dtype.kind == "i"
            dtypes[weights.name] = _narrowest(most) if is_whole else np.dtype(np.float64)
        return dtypes


def _narrowest(largest: int) -> np.dtype[np.generic]:
    """Return the smallest of int16, int32 and int64 that fits counts up to `largest`."""
    return np.dtype(next(kind for kind in (np.int16, np.int32, np.int64) if largest <= np.iinfo(kind).max))
