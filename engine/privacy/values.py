"""The value of every privacy model that can be measured on a table alone."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from engine.frequency import EquivalenceClasses
from engine.monitor import SILENT, Monitor
from engine.notebook import Brief, Facts, fact
from engine.params import describe
from engine.privacy.attacks import Attack
from engine.privacy.base import Group, PrivacyModel, Relation, privacy_models
from engine.words import _

_MEASURED = (Group.CLASS_SIZES, Group.SENSITIVE_VALUES)


@dataclass(frozen=True)
class MeasuredModel(Brief):
    """A privacy model and the strictest threshold that some classes meet.

    Attributes
    ----------
    value : int, float or None
        Value of the class furthest from meeting it; inf if no threshold is met. None if there is no value:
        the model needs a sensitive column and none is given, or c of (c, l)-diversity with l = 1.
    reported : mapping of str to int, str or None
        Further parameters used for the value, by name, such as the distance of t-closeness.
    column : str
        The sensitive column with this value, the one furthest from meeting the model if there are several;
        empty if the model has none.
    """

    kind: type[PrivacyModel]
    value: float | int | None
    reported: Mapping[str, int | float | str | None] = field(default_factory=dict)
    column: str = ""

    def _facts(self) -> Facts:
        return [(self.key, self.words)]

    @property
    def words(self) -> str:
        """Value with its column, such as "t 0.2 of income"."""
        value = f"{self.kind.threshold_name} {fact(self.value)}"
        return f"{value} of {self.column}" if self.column else value

    @property
    def key(self) -> str:
        """Key of the model in the registry."""
        return self.kind.key

    def as_dict(self) -> dict[str, Any]:
        """Return the value and its parameters by name; inf as the word "inf"."""
        is_unbounded = self.value is not None and math.isinf(self.value)
        return {self.kind.threshold_name: "inf" if is_unbounded else self.value, **self.reported}


def measured_kinds() -> tuple[type[PrivacyModel], ...]:
    """Return the models that any table can be measured by, sorted by group and by attack."""
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
    """Measure every model that needs only the table; the worst of several sensitive columns counts.

    Parameters
    ----------
    classes : EquivalenceClasses
        Classes by the quasi-identifying columns; they give k to every model that has one.
    columns : mapping of str to EquivalenceClasses
        Classes in which each sensitive column is measured: the same, or finer ones if the other sensitive
        columns may be known too.
    distances : mapping of str to str, optional
        The distance of t-closeness by sensitive column; by the column's type if none is given.
    monitor : Monitor
        Called before every model.

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
        monitor.step(number, len(kinds), _("Measuring {model}").format(model=kind.title))
        found.append(_measured(kind, classes, columns, smallest, distances or {}))
    return tuple(found)


def measured_model(
    kind: type[PrivacyModel],
    classes: EquivalenceClasses,
    columns: Mapping[str, EquivalenceClasses],
    distances: Mapping[str, str] | None = None,
) -> MeasuredModel:
    """Measure one model; see `measured_models`."""
    return _measured(kind, classes, columns, int(classes.sizes.min()), distances or {})


def worst_measured(found: Sequence[MeasuredModel]) -> MeasuredModel:
    """Return the values of one model that is furthest from meeting it."""
    return found[_worst(found[0].kind, [model.value for model in found])]


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
        return MeasuredModel(kind, None, dict.fromkeys(kind.reported))
    models = []
    for column, own in columns.items():
        known = {"column": column, "distance": distances.get(column)}
        model = kind(**{name: value for name, value in known.items() if name in declared})
        models.append(model.as_measured(own, smallest))
    # one l for all columns, the smallest: the c of a larger l is undefined for the column that lacks it
    common = {
        name: min(getattr(model, name) for model in models)
        for name in kind.reported
        if isinstance(getattr(models[0], name), int)
    }
    models = [dataclasses.replace(model, **common) for model in models]  # type: ignore[type-var]  # members are dataclasses
    found = [model.worst(columns[column]) for model, column in zip(models, columns, strict=True)]
    chosen = _worst(kind, found)
    reported = {name: getattr(models[chosen], name) for name in kind.reported}
    return MeasuredModel(kind, found[chosen], reported, list(columns)[chosen])


def _worst(kind: type[PrivacyModel], found: list[int | float | None]) -> int:
    """Return the first position of the value furthest from meeting a model."""
    if None in found:
        return found.index(None)
    choose = min if kind.relation is Relation.AT_LEAST else max
    return found.index(choose(value for value in found if value is not None))
