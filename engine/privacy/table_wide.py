"""Models that judge a release as a whole, by the classes that the other models keep."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

import numpy as np

from engine.frequency import EquivalenceClasses, Measure, Problem
from engine.frequency.classes import MEMBERS
from engine.frequency.measured import MeasuredClasses
from engine.frequency.persons import PeopleBySize
from engine.kernels.arrays import BoolArray, Counts, IntArray, Reals
from engine.kernels.population.estimate import estimate
from engine.privacy.base import KeptFigures, Monotonic, PrivacyModel, Relation


class TableWideModel(PrivacyModel):
    """A condition the kept classes must meet together; it keeps or suppresses none itself.

    A node satisfies when its suppressed records are within the limit and every such model holds of what
    is kept. Where nothing is kept it holds, since nobody can be found.
    """

    __slots__ = ()
    relation: ClassVar[Relation] = Relation.AT_MOST
    monotonic: ClassVar[Monotonic] = Monotonic.WITHOUT_SUPPRESSION
    is_table_wide: ClassVar[bool] = True
    is_by_size: ClassVar[bool] = True
    is_costly: ClassVar[bool] = False

    def fraction(self, kept: KeptFigures, wanted: BoolArray) -> tuple[Counts, Counts]:
        """Return what is compared as a fraction per node: numerators and denominators, 0/0 for none."""
        raise NotImplementedError

    def figures(self, kept: KeptFigures, wanted: BoolArray) -> Reals:
        """Return what is compared per node; nan where nothing is kept.

        Parameters
        ----------
        kept : KeptFigures
        wanted : ndarray of bool, shape (n_nodes,)
            Of the others a costly model may leave the figure at nan.
        """
        parts, wholes = self.fraction(kept, wanted)
        return np.asarray(np.divide(parts, wholes, out=np.full(len(parts), np.nan), where=wholes > 0))

    def holds(self, kept: KeptFigures, wanted: BoolArray) -> BoolArray:
        """Return whether the threshold is met, of the wanted nodes; the share is rounded to a double only."""
        return np.asarray(~(self.figures(kept, wanted) > self.limit))

    def measure(self, classes: EquivalenceClasses) -> Reals:
        """The figure of all these classes together, for each of them."""
        figure = self.figures(KeptTable.of(classes), np.ones(1, dtype=np.bool_))
        return np.repeat(figure, len(classes.sizes))

    def fulfilled(self, classes: EquivalenceClasses) -> BoolArray:
        """Every class: none is suppressed for the sake of this model."""
        return np.ones(len(classes.sizes), dtype=np.bool_)


class KeptTable:
    """One table as a `KeptFigures` of a single node.

    Parameters
    ----------
    risks : PeopleBySize
        The people of the kept classes.
    sizes : ndarray of int64, shape (n_classes,)
        Of the kept classes.
    people : float, optional
        Size of the population.
    has_all_members : callable, optional
        Whether the whole population is in kept classes, where it is known one by one. Asked only when
        a model wants to know.
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
    def of(cls, classes: EquivalenceClasses, people: float | None = None) -> KeptTable:
        """All classes of a table; kinds of classes, which know no persons, as if each record were one."""
        if isinstance(classes, MeasuredClasses):
            risks = classes.by_size(np.ones(len(classes.sizes), dtype=np.bool_))
        else:
            risks = PeopleBySize.of_records(classes.sizes)
        return cls(risks, classes.sizes, people)

    @property
    def has_kept(self) -> BoolArray:
        """See `KeptFigures.has_kept`."""
        return np.array([len(self._sizes) > 0])

    def kept_people(self, wanted: BoolArray) -> Counts:
        """See `KeptFigures.kept_people`."""
        return np.array([self._risks.n_people], dtype=np.int64)

    def people_below(self, size: float, wanted: BoolArray) -> Counts:
        """See `KeptFigures.people_below`."""
        return np.array([self._risks.n_below(size)], dtype=np.int64)

    def average_risk(self, wanted: BoolArray) -> Reals:
        """See `KeptFigures.average_risk`."""
        return np.array([self._risks.average_risk])

    @property
    def has_all_members(self) -> BoolArray:
        """See `KeptFigures.has_all_members`."""
        return np.array([self._find_members is None or self._find_members()])

    def population_uniques(self, estimator: str, nodes: IntArray) -> Reals:
        """See `KeptFigures.population_uniques`."""
        assert self.people is not None, "asked of a known population only"
        sizes, counts = np.unique(self._sizes, return_counts=True)
        uniques = estimate(estimator, sizes, counts, self.people, self._risks.n_people).uniques
        return np.full(len(nodes), np.inf if uniques is None else uniques)


def kept_table(problem: Problem, classes: MeasuredClasses, kept: BoolArray) -> KeptTable:
    """What is kept of the classes of one node.

    Parameters
    ----------
    problem : Problem
    classes : MeasuredClasses
    kept : ndarray of bool, shape (n_classes,)
    """
    people, risks, sizes = problem.people, classes.by_size(kept), classes.sizes[kept]
    if people is None:
        return KeptTable(risks, sizes)

    def has_all() -> bool:
        return int(classes.measured(Measure(MEMBERS, ""))[kept].sum()) == people.n_members

    return KeptTable(risks, sizes, people.size, has_all if people.n_members else None)
