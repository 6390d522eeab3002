"""Settings that turn a node into a release."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Protocol

from engine.hierarchies import Hierarchy
from engine.params import LARGEST, Choice, Flag, Integer, MemberKey, param
from engine.privacy import Requirement
from engine.privacy.suppressed_group import SuppressedGroup
from engine.recoding.aggregation import AggregateFunction
from engine.recoding.rules import ColumnRule, column_rules
from engine.records import Role, Table
from engine.words import N_

RULED = (Role.SENSITIVE, Role.INSENSITIVE)  # released unchanged unless they have a rule
REMOVED, BLANK, KEPT = "removed", "blank", "kept"  # what is written of suppressed records
IF_HELD, HOLD, IGNORE = "if_held", "hold", "ignore"  # what they have to meet as one class


@dataclass(frozen=True)
class Transformation:
    """Settings that turn a node into a release.

    Attributes
    ----------
    identifying : str
        Key of the rule for all identifying columns.
    blank_suppressed : bool
        Whether suppressed records are written as `*` in all columns, not only in quasi-identifying ones.
    suppressed_group : {"if_held", "hold", "ignore"}
        Whether suppressed records that keep their other cells must meet the requirement as one class: "hold"
        lets a node satisfy only if they do, "if_held" writes `*` in all columns if they do not, "ignore"
        demands nothing.
    shuffle : bool
        Whether the released records are in another order than those of the input.
    seed : int
        Of everything that is drawn at random.
    identifying_options : mapping of str to value
        The parameters of the rule for all identifying columns that are not the ones it declares as usual.
    identifiers : mapping of str to ColumnRule
        Rules of single identifying columns, over the one for all.
    rules : mapping of str to ColumnRule
        Rules of sensitive and insensitive columns; the others are released unchanged.
    """

    suppressed_records: str = param(
        "star",
        Choice(
            label=N_("Suppressed records"),
            help=N_("Whether suppressed records are written as * or removed."),
            options=(("star", N_("Written as *")), ("remove", N_("Removed"))),
            is_always_written=True,
        ),
    )
    identifying: str = param(
        "star",
        MemberKey(
            label=N_("Identifying columns"),
            help=N_("Text that replaces identifying columns."),
            family="engine.recoding.rules.column_rules",
            options="identifying_options",
            is_always_written=True,
        ),
    )
    blank_suppressed: bool = param(
        False,
        Flag(
            label=N_("Write * in all cells of suppressed records"),
            help=N_("Suppressed records that are not removed have * in all columns."),
        ),
    )
    shuffle: bool = param(
        False,
        Flag(
            label=N_("Shuffle records"),
            help=N_("Releases the records in another order than the input."),
        ),
    )
    seed: int = param(
        0,
        Integer(
            label=N_("Seed"),
            help=N_("Seed of everything that is random."),
            maximum=LARGEST,
            rule=N_("a whole number of at least 0"),
        ),
    )
    identifying_options: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    identifiers: Mapping[str, ColumnRule] = field(default_factory=lambda: MappingProxyType({}))
    rules: Mapping[str, ColumnRule] = field(default_factory=lambda: MappingProxyType({}))
    suppressed_group: str = param(
        IF_HELD,
        Choice(
            label=N_("Suppressed records as one class"),
            help=N_(
                "Whether suppressed records keep their other cells only if together they meet the "
                "requirement, must meet it in every satisfying node, or are not evaluated."
            ),
            options=(
                (IF_HELD, N_("Keep their cells if they meet the requirement")),
                (HOLD, N_("They have to meet the requirement")),
                (IGNORE, N_("Not evaluated")),
            ),
        ),
    )

    @property
    def holds_group(self) -> bool:
        """Return whether a node satisfies only if its suppressed records meet the requirement together."""
        is_kept = self.suppressed_records == "star" and not self.blank_suppressed
        return is_kept and self.suppressed_group == HOLD

    @property
    def way(self) -> str:
        """Requested form of suppressed records: "kept", "blank" or "removed"."""
        return self.cells_of(None)

    def with_way(self, way: str) -> Transformation:
        """Return it with another way of writing suppressed records."""
        records = "remove" if way == REMOVED else "star"
        return replace(self, suppressed_records=records, blank_suppressed=way == BLANK)

    def cells_of(self, group: SuppressedGroup | None) -> str:
        """Return the written form of suppressed records: "kept", "blank" or "removed"."""
        if self.suppressed_records == "remove":
            return REMOVED
        is_kept = self.suppressed_group == IGNORE or group is None or group.held
        return BLANK if self.blank_suppressed or not is_kept else KEPT

    @property
    def usual_rule(self) -> ColumnRule:
        """The rule for identifying columns that have none of their own."""
        return column_rules.create(self.identifying, **self.identifying_options)

    def rule_of(self, column: str, role: Role | None) -> ColumnRule | None:
        """The rule for a column of a role; None if it is not released by a rule."""
        if role is Role.IDENTIFYING:
            return self.identifier_rule(column)
        return self.rules.get(column) if role in RULED else None

    def identifier_rule(self, column: str) -> ColumnRule:
        """The rule for an identifying column."""
        return self.identifiers.get(column) or self.usual_rule

    def with_paths(self, change: Callable[[str], str | None]) -> Transformation:
        """Return it with each path replaced, as for files seen from another folder; None forgets one."""
        usual = self.usual_rule.with_paths(change)
        options = {name: getattr(usual, name) for name in self.identifying_options}
        return replace(
            self,
            identifying_options=MappingProxyType(
                {name: value for name, value in options.items() if value is not None}
            ),
            identifiers=MappingProxyType(
                {column: rule.with_paths(change) for column, rule in self.identifiers.items()}
            ),
            rules=MappingProxyType({column: rule.with_paths(change) for column, rule in self.rules.items()}),
        )


class HasHierarchy(Protocol):
    """An entry of a column's hierarchy."""

    @property
    def hierarchy(self) -> Hierarchy:
        """The hierarchy."""


class ReleaseSource(Protocol):
    """Input of a release; a project has all of it."""

    @property
    def records(self) -> Table:
        """The records that are released."""

    @property
    def rows(self) -> Table:
        """Scored table: the records, or their distinct tuples if the records stay in files."""

    @property
    def requirement(self) -> Requirement:
        """The condition on kept classes."""

    @property
    def transformation(self) -> Transformation:
        """Rules for suppressed records, and for columns that are not quasi-identifying."""

    @property
    def hierarchies(self) -> Mapping[str, HasHierarchy]:
        """Hierarchies by column, whatever its role."""

    @property
    def person(self) -> str | None:
        """Column whose values are persons; None if every record is one."""

    @property
    def microaggregation(self) -> Mapping[str, AggregateFunction]:
        """Aggregates of a class by quasi-identifying column, instead of labels."""

    def role(self, column: str) -> Role | None:
        """The role of a column; nothing of one without a role is written."""
