"""A release with levels that vary by record: each record on the lowest step that protects it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from engine.kernels.covering import NO_GROUP
from engine.lattice import Lattice, Node
from engine.monitor import Monitor
from engine.privacy import Requirement
from engine.recoding import Recoding, RecodingMethod, RecodingTask
from engine.recoding.distinct import grouped_recoding
from engine.recoding.requirement_check import highest_node, records_of, strictest_needed


@dataclass(frozen=True, slots=True)
class Staircase(RecodingMethod):
    """Raise all columns together, step by step; classes that meet the requirement stay on their step.

    The remaining records go on to the next step, without those that stay. Each class is released on the
    lowest levels that its records have in common. Records that no step protects are suppressed; if these are
    too many, all records get the highest levels.
    """

    title: ClassVar[str] = "Staircase"
    summary: ClassVar[str] = "Raises all columns together, each record only until its class is safe."

    def improve(self, task: RecodingTask, monitor: Monitor) -> Recoding:
        """Return the lowest safe step of every record."""
        records = records_of(task)
        steps = list(_steps(task.problem.lattice))

        def recode(requirement: Requirement) -> Recoding:
            groups = np.full(records.n_rows, NO_GROUP, dtype=np.int64)
            for number, node in enumerate(steps):
                monitor.step(number, len(steps), "Raising all columns")
                rows = np.flatnonzero(groups == NO_GROUP)
                if not len(rows):
                    break
                labels, _unused = records.at(node)
                labels = np.unique(labels[rows], return_inverse=True)[1]
                is_safe = requirement.fulfilled(records.classes(labels, rows))[labels]
                groups[rows[is_safe]] = labels[is_safe] + groups.max() + 1
            return grouped_recoding(records, groups)

        return strictest_needed(task, recode, highest_node(records, task.requirement))


def _steps(lattice: Lattice) -> Iterator[Node]:
    """Yield the lowest levels, then all columns one level higher, up to the highest levels."""
    node = lattice.minimum
    yield node
    while node != lattice.maximum:
        node = tuple(min(level + 1, most) for level, most in zip(node, lattice.maximum, strict=True))
        yield node
