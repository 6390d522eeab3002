"""Models of the whole release: conditions on all kept classes together."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, Protocol

import numpy as np

from engine.frequency import EquivalenceClasses, Measure, Problem
from engine.frequency.classes import MEMBERS
from engine.frequency.measured import MeasuredClasses
from engine.frequency.persons import PeopleBySize
from engine.kernels.arrays import BoolArray, Counts, FloatArray, IntArray
from engine.kernels.population.estimate import estimate
from engine.privacy.base import Monotonic, PrivacyModel, Relation, TableWideFigures


class TableWideModel(PrivacyModel):
    """A condition on all kept classes together, which suppresses none.

    A node satisfies if its suppressed records are within the limit and its kept classes meet every such
    model. If nothing is kept it is met, since there is no one to re-identify.
    """

    __slots__ = ()
    relation: ClassVar[Relation] = Relation.AT_MOST
    monotonic: ClassVar[Monotonic] = Monotonic.WITHOUT_SUPPRESSION
    is_table_wide: ClassVar[bool] = True
    is_by_size: ClassVar[bool] = True
    is_costly: ClassVar[bool] = False

    def fraction(self, kept: TableWideFigures, wanted: BoolArray) -> tuple[Counts, Counts]:
        """Return the compared fraction per node: numerators and denominators, 0/0 for none."""
        raise NotImplementedError

    def figures(self, kept: TableWideFigures, wanted: BoolArray) -> FloatArray:
        """Return the compared value per node; nan if nothing is kept.

        Parameters
        ----------
        wanted : ndarray of bool, shape (n_nodes,)
            Nodes to compute; the others may be nan if a model is costly.
        """
        parts, wholes = self.fraction(kept, wanted)
        return np.asarray(np.divide(parts, wholes, out=np.full(len(parts), np.nan), where=wholes > 0))

    def holds(self, kept: TableWideFigures, wanted: BoolArray) -> BoolArray:
        """Return whether the threshold is met by the wanted nodes; the share is rounded once, to a double."""
        return np.asarray(~(self.figures(kept, wanted) > self.limit))

    def measure(self, classes: EquivalenceClasses) -> FloatArray:
        """Return the value of all these classes together, repeated for each."""
        figure = self.figures(TableFigures.of(classes), np.ones(1, dtype=np.bool_))
        return np.repeat(figure, len(classes.sizes))

    def fulfilled(self, classes: EquivalenceClasses) -> BoolArray:
        """Return true for every class: this model suppresses none."""
        return np.ones(len(classes.sizes), dtype=np.bool_)


class TableFigures:
    """One table as a `TableWideFigures` of a single node.

    Parameters
    ----------
    risks : PeopleBySize
        The people of the kept classes, by class size.
    sizes : ndarray of int64, shape (n_classes,)
        Sizes of the kept classes.
    people : float, optional
        Size of the population.
    has_all_members : callable, optional
        Whether the whole population is in kept classes, if it is known one by one. Called only if a model
        needs it.
    """

    def __init__(
        self,
        risks: PeopleBySize,
        sizes: Counts,
        people: float | None = None,
        has_all_members: Callable[[], bool] | None = None,
    ) -> None:
        self._risks, self._sizes, self.people = risks, sizes, people
        self._find_members = has_all_members

    @classmethod
    def of(cls, classes: EquivalenceClasses, people: float | None = None) -> TableFigures:
        """Return all classes of a table; kinds of classes count each record as one person."""
        if isinstance(classes, MeasuredClasses):
            risks = classes.by_size(np.ones(len(classes.sizes), dtype=np.bool_))
        else:
            risks = PeopleBySize.of_records(classes.sizes)
        return cls(risks, classes.sizes, people)

    @property
    def has_kept(self) -> BoolArray:
        return np.array([len(self._sizes) > 0])

    def kept_people(self, wanted: BoolArray) -> Counts:
        return np.array([self._risks.n_people], dtype=np.int64)

    def people_below(self, size: float, wanted: BoolArray) -> Counts:
        return np.array([self._risks.n_below(size)], dtype=np.int64)

    def average_risk(self, wanted: BoolArray) -> FloatArray:
        return np.array([self._risks.average_risk])

    @property
    def has_all_members(self) -> BoolArray:
        return np.array([self._find_members is None or self._find_members()])

    def population_uniques(self, estimator: str, nodes: IntArray) -> FloatArray:
        assert self.people is not None, "asked of a known population only"
        sizes, counts = np.unique(self._sizes, return_counts=True)
        uniques = estimate(estimator, sizes, counts, self.people, self._risks.n_people).uniques
        return np.full(len(nodes), np.inf if uniques is None else uniques)


class ClassesOfPeople(EquivalenceClasses, Protocol):
    """Equivalence classes that know which people are in several of them."""

    def by_size(self, chosen: BoolArray) -> PeopleBySize:
        """Return the people of some classes by the smallest of these that they are in."""


def kept_table(problem: Problem, classes: ClassesOfPeople, kept: BoolArray) -> TableFigures:
    """Return the kept classes of one node.

    Parameters
    ----------
    kept : ndarray of bool, shape (n_classes,)
    """
    people, risks, sizes = problem.people, classes.by_size(kept), classes.sizes[kept]
    if people is None:
        return TableFigures(risks, sizes)

    def has_all() -> bool:
        return int(classes.measured(Measure(MEMBERS, ""))[kept].sum()) == people.n_members

    return TableFigures(risks, sizes, people.size, has_all if people.n_members else None)
