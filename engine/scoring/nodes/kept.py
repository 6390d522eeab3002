"""The kept classes of a node, as privacy models see them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isfinite

import numpy as np

from engine.cached import cached_property
from engine.frequency import Measure
from engine.frequency.measured import MeasuredClasses
from engine.kernels.arrays import BoolArray, Counts, FloatArray, IntArray
from engine.privacy import Requirement, privacy_models
from engine.privacy.base import Group
from engine.privacy.delta_presence import DeltaPresence
from engine.privacy.individual_risk import IndividualRisk
from engine.privacy.k_map import KMap
from engine.privacy.table_wide import TableFigures, TableWideModel
from engine.privacy.values import MeasuredModel, measured_models


@dataclass(frozen=True, eq=False)
class KeptClasses:
    """Some of the classes of a node; their measures compare with the whole table.

    Attributes
    ----------
    kept : ndarray of bool, shape (n_classes,)
    """

    classes: MeasuredClasses
    kept: BoolArray

    @cached_property
    def sizes(self) -> Counts:
        """Number of records per kept class."""
        return self.classes.sizes[self.kept]

    def measured(self, measure: Measure) -> IntArray | FloatArray:
        values: IntArray | FloatArray = self.classes.measured(measure)[self.kept]
        return values

    def default_distance(self, column: str) -> str:
        return self.classes.default_distance(column)

    @property
    def sampling_fraction(self) -> float | None:
        return self.classes.sampling_fraction


def values_of_kept(
    classes: MeasuredClasses, kept: BoolArray, columns: Sequence[str], distances: dict[str, str]
) -> tuple[MeasuredModel, ...]:
    """Measure every model that needs only the table and the known population.

    Parameters
    ----------
    kept : ndarray of bool, shape (n_classes,)
    columns : sequence of str
        The sensitive columns.
    distances : dict of str to str
        The distance of t-closeness by sensitive column, if it is not the default.

    Returns
    -------
    tuple of MeasuredModel
        In the order of `measured_kinds`; a model with a sensitive column has one entry for each of them. Then
        those that compare with a population, if it or survey weights are known. Empty if no class is kept.
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


def values_of_whole(
    classes: MeasuredClasses, kept: BoolArray, whole: TableFigures, requirement: Requirement
) -> tuple[MeasuredModel, ...]:
    """Measure the risk models and table-wide models over the kept classes of a node.

    Models of cost and benefit are measured if they are required, since their sums of money have no default.

    Parameters
    ----------
    kept : ndarray of bool, shape (n_classes,)
    whole : TableFigures
        The kept classes together.
    requirement : Requirement
        Its models give their further parameters, others use the defaults.

    Returns
    -------
    tuple of MeasuredModel
        In the order of the registry. Models that need a population are omitted if none is known; empty if no
        class is kept.
    """
    if not kept.any():
        return ()
    some, found = KeptClasses(classes, kept), []
    for kind in privacy_models.values():
        model = next((own for own in requirement.models if type(own) is kind), None) or kind()
        value: float | int | None
        if isinstance(model, TableWideModel):
            if model.needs_people and whole.people is None:
                continue
            value = float(model.figures(whole, np.ones(1, dtype=np.bool_))[0])
            value = value if isfinite(value) else None  # the estimator has no answer
        elif kind.group is Group.RISK or (kind.group is Group.COST and model in requirement.models):
            value = model.worst(some)
        else:
            continue
        found.append(MeasuredModel(kind, value, {name: getattr(model, name) for name in kind.reported}))
    return tuple(found)


def _of_people(classes: KeptClasses, knows_members: bool) -> Iterator[MeasuredModel]:
    """Measure the models that compare single classes with the population, if it or weights are known."""
    has_weights = classes.classes.has_weights
    if knows_members:
        counted = KMap(estimator="table")
        yield MeasuredModel(KMap, counted.worst(classes))
        yield MeasuredModel(DeltaPresence, DeltaPresence().worst(classes))
    elif classes.sampling_fraction is not None:
        estimated = KMap(estimator="poisson")
        yield MeasuredModel(KMap, estimated.worst(classes), {"estimator": "estimated"})
    elif has_weights:
        yield MeasuredModel(KMap, KMap(estimator="weights").worst(classes), {"estimator": "estimated"})
    if has_weights:
        yield MeasuredModel(IndividualRisk, IndividualRisk().worst(classes))
