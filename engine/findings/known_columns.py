"""Groups of a finished table by the columns that single attackers know, or by any m columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import comb
from typing import Any

from engine.errors import InputError, nearest
from engine.findings.given_table import GivenTable
from engine.frequency import Measure
from engine.frequency.classes import DISTINCT
from engine.monitor import SILENT, Monitor
from engine.words import _

MOST_SETS = 50_000  # more take too long


@dataclass(frozen=True)
class KnownGroups:
    """The groups by one set of columns, or the worst of several sets.

    Attributes
    ----------
    columns : tuple of str
        The set; of several sets the first with the smallest group.
    k : int
        Size of the smallest group, in records or persons.
    l : int or None
        Fewest different values of a sensitive column in a group; None without sensitive columns.
    confidence : float or None
        Largest share of a sensitive value in a group.
    by_attribute : mapping of str to (int, float)
        Both for each sensitive column alone.
    m : int or None
        Columns of every set, if these are all sets of that size.
    """

    columns: tuple[str, ...]
    k: int
    l: int | None = None  # noqa: E741  as in the models
    confidence: float | None = None
    by_attribute: Mapping[str, tuple[int, float]] = field(default_factory=dict)
    m: int | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return the values by the names that the models give them."""
        return {
            **({} if self.m is None else {"m": self.m}),
            "columns": list(self.columns),
            "k": self.k,
            **({} if self.l is None else {"l": self.l, "confidence": self.confidence}),
            **(
                {
                    "by_attribute": {
                        column: {"l": least, "confidence": share}
                        for column, (least, share) in self.by_attribute.items()
                    }
                }
                if len(self.by_attribute) > 1
                else {}
            ),
        }


def known_groups(
    given: GivenTable,
    sets: Sequence[Sequence[str]] = (),
    any_columns: int = 0,
    monitor: Monitor = SILENT,
) -> tuple[KnownGroups, ...]:
    """Measure the groups of each set of columns, and then of all sets of a size together.

    Parameters
    ----------
    sets : sequence of sequences of str
        Quasi-identifying columns that attackers know.
    any_columns : int
        Size of the sets; 0 for none.
    monitor : Monitor
        Called before every set.

    Raises
    ------
    InputError
        A set is empty or has a column that is not quasi-identifying, or there are too many sets.
    """
    found = [_groups(given, _checked(given, own)) for own in sets]
    if any_columns:
        size = min(any_columns, len(given.quasi_identifying))
        n_sets = comb(len(given.quasi_identifying), size)
        if n_sets > MOST_SETS:
            raise InputError(
                _("There are {n} sets of {m} columns, too many to look at.").format(n=n_sets, m=size),
                hint=_("Choose fewer columns per set."),
            )
        each = []
        for number, own in enumerate(combinations(given.quasi_identifying, size)):
            monitor.step(number, n_sets)
            each.append(_groups(given, own))
        found.append(_worst(each, size))
    return tuple(found)


def _checked(given: GivenTable, columns: Sequence[str]) -> tuple[str, ...]:
    stray = next((name for name in columns if name not in given.quasi_identifying), None)
    if stray is not None or not columns:
        raise InputError(
            _("'{name}' is not a quasi-identifying column.").format(name=stray or ""),
            hint=nearest(stray or "", given.quasi_identifying),
            column=stray or "",
        )
    return tuple(name for name in given.quasi_identifying if name in columns)


def _groups(given: GivenTable, columns: tuple[str, ...]) -> KnownGroups:
    groups = given.classes_by(columns).measured
    by_attribute = {
        name: (
            int(groups.measured(Measure(DISTINCT, name)).min()),
            float(groups.largest_share(name).max()),
        )
        for name in given.sensitive
    }
    return _joined(columns, int(groups.sizes.min()), by_attribute)


def _joined(
    columns: tuple[str, ...], k: int, by_attribute: Mapping[str, tuple[int, float]], m: int | None = None
) -> KnownGroups:
    least = min((own[0] for own in by_attribute.values()), default=None)
    share = max((own[1] for own in by_attribute.values()), default=None)
    return KnownGroups(columns, k, least, share, by_attribute, m)


def _worst(sets: Sequence[KnownGroups], m: int) -> KnownGroups:
    smallest = min(sets, key=lambda own: own.k)
    by_attribute = {
        name: (
            min(own.by_attribute[name][0] for own in sets),
            max(own.by_attribute[name][1] for own in sets),
        )
        for name in smallest.by_attribute
    }
    return _joined(smallest.columns, smallest.k, by_attribute, m)
