"""Reuse of a column's hierarchy for another column: value by value, or by its rule."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from engine.errors import AnonymizerError
from engine.hierarchies.builders.base import NO_CONTEXT, BuilderContext, HierarchyBuilder
from engine.hierarchies.hierarchy import Hierarchy
from engine.monitor import SILENT, Monitor
from engine.records import Column
from engine.words import _


@dataclass(frozen=True, eq=False)
class Fit:
    """A hierarchy applied to a column.

    Attributes
    ----------
    hierarchy : Hierarchy
        Covers the column.
    builder : HierarchyBuilder or None
        Builder of the hierarchy; None if its lines were taken unchanged.
    n_values : int
        Distinct values of the column, the missing one aside.
    n_known : int
        Those among them that the given hierarchy has.
    n_single : int
        Those that stay themselves on every level below the top, though others do not.
    """

    hierarchy: Hierarchy
    builder: HierarchyBuilder | None
    n_values: int
    n_known: int
    n_single: int

    @property
    def is_by_rule(self) -> bool:
        """Return whether the rule was applied to the values of the column."""
        return self.builder is not None

    @property
    def share_known(self) -> float:
        """The share of values that the given hierarchy has."""
        return self.n_known / self.n_values if self.n_values else 0.0

    @property
    def is_useful(self) -> bool:
        """Return whether it has more levels than unchanged and hidden values."""
        return self.n_values > 0 and (self.n_known > 0 or self.is_by_rule) and self.n_single < self.n_values


@dataclass(frozen=True, eq=False)
class SimilarColumn:
    """Another column, and what the hierarchy becomes over it."""

    column: Column
    fit: Fit


def fit(
    hierarchy: Hierarchy,
    builder: HierarchyBuilder | None,
    column: Column,
    context: BuilderContext = NO_CONTEXT,
) -> Fit:
    """Put a hierarchy over another column.

    Lines that cover the column are taken unchanged. If values lack, the rule places them all; without
    a rule, or if it does not go with the column, those that lack stay themselves below the top.

    Parameters
    ----------
    builder : HierarchyBuilder or None
        The rule that built it.
    column : Column
        The column it shall serve.
    context : BuilderContext
        What the rule may look at.
    """
    values = column.known_labels
    gaps = hierarchy.gaps(column)
    built = None if builder is None else _built(builder, column, context)
    if built is not None and (gaps or _agree(hierarchy, built, values)):
        if built.height == hierarchy.height:
            built = built.with_level_names(hierarchy.level_names)
        return _fit(built, builder, values, len(gaps))
    return _fit(hierarchy.extended(gaps), None, values, len(gaps))


def similar_columns(
    hierarchy: Hierarchy,
    builder: HierarchyBuilder | None,
    column: Column,
    others: Sequence[Column],
    context: BuilderContext = NO_CONTEXT,
    monitor: Monitor = SILENT,
) -> tuple[SimilarColumn, ...]:
    """Put the hierarchy of a column over others, the most similar ones first.

    Similar are columns whose values it has; then those of the same type that its rule accepts.
    """
    kind = column.data_type.kind
    found = []
    for number, other in enumerate(others):
        monitor.step(number, len(others), _("Examining {name}").format(name=other.name))
        found.append(SimilarColumn(other, fit(hierarchy, builder, other, context)))
    return tuple(
        sorted(
            found,
            key=lambda similar: (
                not similar.fit.is_useful,
                -similar.fit.share_known,
                similar.column.data_type.kind is not kind,
                not similar.fit.is_by_rule,
            ),
        )
    )


def _built(builder: HierarchyBuilder, column: Column, context: BuilderContext) -> Hierarchy | None:
    if not builder.accepts(column):
        return None
    try:
        return builder.build(column, context)
    except AnonymizerError:
        return None


def _agree(one: Hierarchy, other: Hierarchy, values: Iterable[str]) -> bool:
    """Return whether both say the same of each value."""
    return one.height == other.height and all(
        one.label(value, level) == other.label(value, level)
        for level in range(1, one.height + 1)
        for value in values
    )


def _fit(hierarchy: Hierarchy, builder: HierarchyBuilder | None, values: tuple[str, ...], n_gaps: int) -> Fit:
    inner = range(1, min(hierarchy.root_level, hierarchy.height + 1))
    n_single = sum(all(hierarchy.label(value, level) == value for level in inner) for value in values)
    return Fit(hierarchy, builder, len(values), len(values) - n_gaps, n_single if inner else 0)
