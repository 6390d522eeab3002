"""Models that judge a release as a whole, by the classes that the other models keep."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, Protocol

import numpy as np

from engine.frequency import EquivalenceClasses, Measure, Problem
from engine.frequency.classes import POPULATION
from engine.kernels.arrays import BoolArray, Counts, IntArray, Reals
from engine.kernels.population.estimate import estimate
from engine.privacy.base import Monotonic, PrivacyModel, Relation


class KeptFigures(Protocol):
    """What is kept of some nodes, or of one table; arrays have shape (n_nodes,)."""

    @property
    def people(self) -> float | None:
        """Size of the population, if it is known."""

    @property
    def kept_records(self) -> Counts:
        """Records of the kept classes."""

    @property
    def kept_classes(self) -> Counts:
        """Classes that are kept."""

    def records_below(self, size: float) -> Counts:
        """Kept records in classes of less than `size` records."""

    @property
    def kept_members(self) -> Counts:
        """People of the population in kept classes, where they are known one by one."""

    @property
    def n_members(self) -> int:
        """People of the population that are known one by one."""

    def population_uniques(self, estimator: str, nodes: IntArray) -> Reals:
        """Estimate unique people of the population for some nodes, shape (len(nodes),); inf for no answer."""


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

    def fraction(self, kept: KeptFigures) -> tuple[Counts, Counts]:
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
        parts, wholes = self.fraction(kept)
        return _ratios(parts, wholes, np.nan)

    def holds(self, kept: KeptFigures, wanted: BoolArray) -> BoolArray:
        """Return whether the threshold is met, of the wanted nodes; the share is rounded to a double only."""
        parts, wholes = self.fraction(kept)
        return np.asarray(_ratios(parts, wholes, 0.0) <= self.limit)

    def measure(self, classes: EquivalenceClasses) -> Reals:
        """The figure of all these classes together, for each of them."""
        figure = self.figures(KeptTable(classes.sizes), np.ones(1, dtype=np.bool_))
        return np.repeat(figure, len(classes.sizes))

    def fulfilled(self, classes: EquivalenceClasses) -> BoolArray:
        """Every class: none is suppressed for the sake of this model."""
        return np.ones(len(classes.sizes), dtype=np.bool_)


def _ratios(parts: Counts, wholes: Counts, without: float) -> Reals:
    return np.asarray(np.divide(parts, wholes, out=np.full(len(parts), without), where=wholes > 0))


class KeptTable:
    """One table as a `KeptFigures` of a single node.

    Parameters
    ----------
    sizes : ndarray of int64, shape (n_classes,)
        Of the kept classes.
    people : float, optional
        Size of the population.
    kept_members : callable, optional
        Counts the people of the population in the kept classes, where they are known one by one. Asked
        only by the models that need it: of levels that differ by record nobody can count them.
    n_members : int
        People of the population that are known one by one.
    """

    def __init__(
        self,
        sizes: Counts,
        people: float | None = None,
        kept_members: Callable[[], int] | None = None,
        n_members: int = 0,
    ) -> None:
        self._sizes, self.people = sizes, people
        self._count_members, self.n_members = kept_members, n_members

    @property
    def kept_records(self) -> Counts:
        """See `KeptFigures.kept_records`."""
        return np.array([self._sizes.sum()], dtype=np.int64)

    @property
    def kept_classes(self) -> Counts:
        """See `KeptFigures.kept_classes`."""
        return np.array([len(self._sizes)], dtype=np.int64)

    @property
    def kept_members(self) -> Counts:
        """See `KeptFigures.kept_members`."""
        return np.array([0 if self._count_members is None else self._count_members()], dtype=np.int64)

    def records_below(self, size: float) -> Counts:
        """See `KeptFigures.records_below`."""
        return np.array([self._sizes[self._sizes < size].sum()], dtype=np.int64)

    def population_uniques(self, estimator: str, nodes: IntArray) -> Reals:
        """See `KeptFigures.population_uniques`."""
        assert self.people is not None, "asked of a known population only"
        sizes, counts = np.unique(self._sizes, return_counts=True)
        uniques = estimate(estimator, sizes, counts, self.people).uniques
        return np.full(len(nodes), np.inf if uniques is None else uniques)


def kept_table(problem: Problem, classes: EquivalenceClasses, kept: BoolArray) -> KeptTable:
    """What is kept of the classes of one node.

    Parameters
    ----------
    problem : Problem
    classes : EquivalenceClasses
    kept : ndarray of bool, shape (n_classes,)
    """
    sizes, people = classes.sizes[kept], problem.people
    if people is None:
        return KeptTable(sizes)

    def members() -> int:
        return int(classes.measured(Measure(POPULATION, ""))[kept].sum())

    return KeptTable(sizes, people.size, members if people.n_members else None, people.n_members)
