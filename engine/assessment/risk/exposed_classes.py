"""The classes of a table whose records are easiest to find."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.assessment.given import GivenTable
from engine.errors import InputError
from engine.frequency import Measure
from engine.frequency.classes import DISTINCT


@dataclass(frozen=True)
class ExposedClass:
    """Records that nobody can tell apart by the quasi-identifying columns.

    Attributes
    ----------
    size : int
        How many they are.
    record : int
        The first of them in the table, counted from 0.
    values : tuple of str
        What they have in the quasi-identifying columns.
    n_values : tuple of int
        Different values they have in each sensitive column.
    """

    size: int
    record: int
    values: tuple[str, ...]
    n_values: tuple[int, ...] = ()

    @property
    def risk(self) -> float:
        """How likely a guess among them is right, from 0 to 1."""
        return 1 / self.size


def exposed_classes(given: GivenTable, most: int = 200) -> tuple[ExposedClass, ...]:
    """Return the smallest classes, the smallest first, then by their first record.

    Parameters
    ----------
    given : GivenTable
    most : int
        So many at most, >= 0.

    Raises
    ------
    InputError
        `most` is negative.
    """
    if most < 0:
        raise InputError(f"There cannot be {most} classes.", hint="Ask for none or more.")
    classes = given.classes
    sizes = np.asarray(classes.measured.sizes)
    chosen = np.lexsort((classes.first, sizes))[:most]
    distinct = [classes.measured.measured(Measure(DISTINCT, name)) for name in given.sensitive]
    return tuple(
        ExposedClass(
            int(sizes[i]),
            int(classes.first[i]),
            given.table.record(int(classes.first[i]), given.quasi_identifying),
            tuple(int(counts[i]) for counts in distinct),
        )
        for i in chosen.tolist()
    )
