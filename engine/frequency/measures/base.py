"""The type of a measure of sensitive values in classes, and all measures by name."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from typing import Any, NamedTuple, TypeAlias

from engine import plugins
from engine.cached import cached_property
from engine.frequency.classes import MEMBERS, POPULATION
from engine.frequency.persons import Holders
from engine.frequency.problem import SensitiveAttribute
from engine.kernels.arrays import Counts, FloatArray, IntArray
from engine.kernels.distances import Pairs, Reference
from engine.words import _

MeasureFunction: TypeAlias = Callable[[Pairs, Counts, SensitiveAttribute, int], IntArray | FloatArray]
PeopleFunction: TypeAlias = Callable[[Pairs, Holders], IntArray | FloatArray]


class MeasureKind(NamedTuple):
    """A measure of (class, value) pairs; a file of this package holds it under its name.

    Attributes
    ----------
    function : callable
        Measure of pairs whose counts are records, or weights if persons have several.
    lowest_is_worst : bool
        Whether the lowest value over classes is the worst, not the highest.
    of_people : callable or None
        The measure if persons have several records and are counted, not weighed.
    is_whole : bool
        Whether its values are integers.
    """

    function: MeasureFunction
    lowest_is_worst: bool = False
    of_people: PeopleFunction | None = None
    is_whole: bool = False


class _Measures(Mapping[str, MeasureKind]):
    """Every measure that a file of this package holds by its name, imported when first needed."""

    @cached_property
    def _kinds(self) -> dict[str, MeasureKind]:
        package = importlib.import_module("engine.frequency.measures")
        names = (module.name for module in pkgutil.iter_modules(package.__path__))
        held = (vars(importlib.import_module(f"{package.__name__}.{name}")) for name in names)
        return {name: kind for own in held for name, kind in own.items() if isinstance(kind, MeasureKind)}

    @cached_property
    def _plugged(self) -> dict[str, MeasureKind]:
        """Measures of plug-ins."""
        found = plugins.load(plugins.MEASURES, self._is_own, _why_no_measure)
        return {name: kind for name, (_unused, kind) in found.items()}

    def _is_own(self, name: str) -> bool:
        return name in self._kinds or name in (POPULATION, MEMBERS)

    def __getitem__(self, name: str) -> MeasureKind:
        own = self._kinds.get(name)
        return self._plugged[name] if own is None else own

    def __iter__(self) -> Iterator[str]:
        return chain(self._kinds, self._plugged)

    def __len__(self) -> int:
        return len(self._kinds) + len(self._plugged)


def _why_no_measure(offer: plugins.Offer, kind: Any) -> str:
    return "" if isinstance(kind, MeasureKind) else _("it is not a MeasureKind")


MEASURES = _Measures()


def lowest_is_worst(name: str) -> bool:
    """Return whether the lowest value of a measure over classes is the worst, not the highest."""
    return name in (POPULATION, MEMBERS) or MEASURES[name].lowest_is_worst


def within(function: Callable[[Pairs, Counts], FloatArray]) -> MeasureFunction:
    """Return a measure of the class alone."""
    return lambda pairs, sizes, attribute, parameter: function(pairs, sizes)


def against_table(function: Callable[[Pairs, Counts, Reference], FloatArray]) -> MeasureFunction:
    """Return a measure that compares with the whole input table."""
    return lambda pairs, sizes, attribute, parameter: function(pairs, sizes, attribute.reference)
