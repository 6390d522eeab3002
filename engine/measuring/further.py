"""What the models of risk and of the population measure of a table as it is."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from engine.frequency.measured import MeasuredClasses
from engine.frequency.population import People
from engine.measuring.given import GivenTable
from engine.measuring.risk import n_people_of, people_by_class
from engine.params import Choice, describe, values_of
from engine.privacy import Group, PrivacyModel, privacy_models
from engine.privacy.table_wide import KeptTable, TableWideModel
from engine.privacy.values import MeasuredModel
from engine.table import Table


def further_models(given: GivenTable, population: float | Table | None = None) -> tuple[MeasuredModel, ...]:
    """Measure the models of risk, and those of the population as far as it is known.

    Parameters
    ----------
    given : GivenTable
    population : number or Table, optional
        How many people there are, or who they are, one by one, in the words of the table.

    Returns
    -------
    tuple of MeasuredModel
        One for each estimator of a model that has some; without a value where it has no answer.

    Raises
    ------
    InputError
        The population is smaller than the table.
    """
    everybody, people = None, None
    if isinstance(population, Table):
        everybody = population
        people = float(n_people_of(given, everybody))
    elif population is not None:
        people = float(population)
    known = given.classes.measured
    classes = MeasuredClasses(
        known.records,
        given.attributes,
        lambda number: known.pairs(given.sensitive[number]),
        population=None if everybody is None else lambda: people_by_class(given, everybody),
        sampling_fraction=None if people is None else People(people).fraction(given.n_people),
        sizes=known.sizes,
        persons=known.persons,
    )
    groups = (Group.RISK,) if people is None else (Group.RISK, Group.POPULATION)
    return tuple(
        MeasuredModel(type(model), _value(model, classes, people), _told(model))
        for kind in privacy_models.values()
        if kind.group in groups
        for model in _variants(kind)
        if everybody is not None or not model.needs_members
    )


def _variants(kind: type[PrivacyModel]) -> Iterator[PrivacyModel]:
    """A model with its defaults, by every estimator it has."""
    choice = next((d for d in describe(kind) if isinstance(d, Choice)), None)
    if choice is None:
        yield kind()
    else:
        for option, _ in choice.options:
            yield kind(**{choice.name: option})


def _told(model: PrivacyModel) -> dict[str, Any]:
    """The parameters beside the one that is measured."""
    return {name: value for name, value in values_of(model).items() if name != model.threshold_name}


def _value(model: PrivacyModel, classes: MeasuredClasses, people: float | None) -> int | float | None:
    if not isinstance(model, TableWideModel):
        return model.worst(classes)
    figure = float(model.figures(KeptTable.of(classes, people), np.ones(1, dtype=np.bool_))[0])
    return figure if math.isfinite(figure) else None
