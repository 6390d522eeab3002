"""What every privacy model that needs nothing but the table measures of some equivalence classes."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from engine.frequency import EquivalenceClasses
from engine.monitor import SILENT, Monitor
from engine.params import describe
from engine.privacy.attacks import Attack
from engine.privacy.base import Group, PrivacyModel, Relation, privacy_models

_MEASURED = (Group.CLASS_SIZES, Group.SENSITIVE_VALUES)


@dataclass(frozen=True)
class MeasuredModel:
    """A privacy model and the strictest threshold that some classes meet.

    Attributes
    ----------
    kind : type of PrivacyModel
    value : int, float or None
        Of the class furthest from meeting it; inf where no threshold is met, None where there is no
        such value: the model needs a sensitive column and there is none, or c of (c, l)-diversity with
        l = 1.
    told : mapping of str to int, str or None
        Further parameters the value was measured with, by name, such as the distance of t-closeness.
    column : str
        The sensitive column that has the value, of several the one furthest from meeting the model;
        empty where the model reads none.
    """

    kind: type[PrivacyModel]
    value: float | int | None
    told: Mapping[str, int | float | str | None] = field(default_factory=dict)
    column: str = ""

    @property
    def key(self) -> str:
        """The model's key in the registry."""
        return self.kind.key

    def as_dict(self) -> dict[str, Any]:
        """Return the value and what is told with it by name of parameter; inf as the word "inf"."""
        is_unbounded = self.value is not None and math.isinf(self.value)
        return {self.kind.threshold_name: "inf" if is_unbounded else self.value, **self.told}


def measured_kinds() -> tuple[type[PrivacyModel], ...]:
    """The models that can be measured of any table, by what they look at and what they protect from."""
    groups, attacks = list(Group), list(Attack)

    def place(kind: type[PrivacyModel]) -> tuple[int, list[int], str]:
        return groups.index(kind.group), [attacks.index(attack) for attack in kind.protects], kind.key

    return tuple(sorted((kind for kind in privacy_models.values() if kind.group in _MEASURED), key=place))


def measured_models(
    classes: EquivalenceClasses,
    columns: Mapping[str, EquivalenceClasses],
    distances: Mapping[str, str] | None = None,
    monitor: Monitor = SILENT,
) -> tuple[MeasuredModel, ...]:
    """Measure every model that needs nothing but the table; of several sensitive columns the worst counts.

    Parameters
    ----------
    classes : EquivalenceClasses
        By the quasi-identifying columns; k is theirs, for every model that has one.
    columns : mapping of str to EquivalenceClasses
        By sensitive column, the classes in which it is looked at: the same ones, or finer ones where
        the other sensitive columns may be known too.
    distances : mapping of str to str, optional
        The distance of t-closeness by sensitive column; by the column's type where none is named.
    monitor : Monitor
        Told before every model.

    Returns
    -------
    tuple of MeasuredModel
        In the order of `measured_kinds`.

    Raises
    ------
    InputError
        A distance is not meaningful for its column.
    """
    smallest, kinds, found = int(classes.sizes.min()), measured_kinds(), []
    for number, kind in enumerate(kinds):
        monitor.step(number, len(kinds), f"Measuring {kind.title}")
        found.append(_measured(kind, classes, columns, smallest, distances or {}))
    return tuple(found)


def _measured(
    kind: type[PrivacyModel],
    classes: EquivalenceClasses,
    columns: Mapping[str, EquivalenceClasses],
    smallest: int,
    distances: Mapping[str, str],
) -> MeasuredModel:
    declared = {descriptor.name for descriptor in describe(kind)}
    if "column" not in declared:
        return MeasuredModel(kind, kind().worst(classes))
    if not columns:
        return MeasuredModel(kind, None, dict.fromkeys(kind.told))
    models = []
    for column, own in columns.items():
        known = {"column": column, "distance": distances.get(column)}
        model = kind(**{name: value for name, value in known.items() if name in declared})
        models.append(model.as_measured(own, smallest))
    # One l for all columns, the least: the c of a higher one says nothing of the column that lacks it.
    common = {
        name: min(getattr(model, name) for model in models)
        for name in kind.told
        if isinstance(getattr(models[0], name), int)
    }
    models = [dataclasses.replace(model, **common) for model in models]  # type: ignore[type-var]  # members are dataclasses
    found = [model.worst(columns[column]) for model, column in zip(models, columns, strict=True)]
    chosen = _worst(kind, found)
    told = {name: getattr(models[chosen], name) for name in kind.told}
    return MeasuredModel(kind, found[chosen], told, list(columns)[chosen])


def _worst(kind: type[PrivacyModel], found: list[int | float | None]) -> int:
    """The first position of the value furthest from meeting a model."""
    if None in found:
        return found.index(None)
    choose = min if kind.relation is Relation.AT_LEAST else max
    return found.index(choose(value for value in found if value is not None))
