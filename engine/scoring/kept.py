"""The classes of a node that are kept, as privacy models see them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from engine.frequency import Measure
from engine.frequency.measured import MeasuredClasses
from engine.kernels.arrays import BoolArray, Counts, IntArray, Reals
from engine.privacy.delta_presence import DeltaPresence
from engine.privacy.k_map import KMap
from engine.privacy.values import MeasuredModel, measured_models


@dataclass(frozen=True, eq=False)
class KeptClasses:
    """Some of the classes of a node; their measures compare with the whole table, as all measures do.

    Attributes
    ----------
    classes : MeasuredClasses
    kept : ndarray of bool, shape (n_classes,)
    """

    classes: MeasuredClasses
    kept: BoolArray

    @cached_property
    def sizes(self) -> Counts:
        """Records per kept class."""
        return self.classes.sizes[self.kept]

    def measured(self, measure: Measure) -> IntArray | Reals:
        """See `EquivalenceClasses.measured`."""
        values: IntArray | Reals = self.classes.measured(measure)[self.kept]
        return values

    def default_distance(self, column: str) -> str:
        """See `EquivalenceClasses.default_distance`."""
        return self.classes.default_distance(column)

    @property
    def sampling_fraction(self) -> float | None:
        """See `EquivalenceClasses.sampling_fraction`."""
        return self.classes.sampling_fraction


def values_of_kept(
    classes: MeasuredClasses, kept: BoolArray, columns: Sequence[str], distances: dict[str, str]
) -> tuple[MeasuredModel, ...]:
    """Measure every model that needs nothing but the table, and what is known of the population.

    Parameters
    ----------
    classes : MeasuredClasses
    kept : ndarray of bool, shape (n_classes,)
    columns : sequence of str
        The sensitive columns.
    distances : dict of str to str
        The distance of t-closeness by sensitive column, where it is not the usual one.

    Returns
    -------
    tuple of MeasuredModel
        In the order of `measured_kinds`; a model that reads a sensitive column has one entry for each
        of them. Then those that compare with a population, where it is known. Nothing where no class is
        kept.
    """
    if not kept.any():
        return ()
    some = KeptClasses(classes, kept)
    of_column = {}
    for column in columns:
        own = {column: distances[column]} if column in distances else {}
        of_column[column] = measured_models(some, {column: some}, own)
    found = []
    for place, model in enumerate(measured_models(some, {})):
        reads_none = model.value is not None
        found += [model] if reads_none else [models[place] for models in of_column.values()]
    return (*found, *_of_people(some, classes.knows_members))


def _of_people(classes: KeptClasses, knows_members: bool) -> Iterator[MeasuredModel]:
    """What the models of single classes measure against the population, as far as it is known."""
    if knows_members:
        counted = KMap(estimator="table")
        yield MeasuredModel(KMap, counted.worst(classes))
        yield MeasuredModel(DeltaPresence, DeltaPresence().worst(classes))
    elif classes.sampling_fraction is not None:
        estimated = KMap(estimator="poisson")
        yield MeasuredModel(KMap, estimated.worst(classes), {"estimator": "estimated"})
