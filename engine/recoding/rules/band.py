"""Values become labels of one level of the column's hierarchy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from engine.errors import InputError
from engine.hierarchies import Hierarchy
from engine.numbers import as_exact_count
from engine.params import Integer, param
from engine.recoding.rules.base import ColumnRule, RuleContext, Texts, column_rules, each_value
from engine.records import Column
from engine.words import N_, _, lazy, ngettext


@column_rules.register("band")
@dataclass(frozen=True, slots=True)
class Band(ColumnRule):
    """Every value becomes its label on one level of the hierarchy of its column; missing stays missing.

    Parameters
    ----------
    level : int
        0 are the original values.
    """

    title: ClassVar[str] = lazy("Band")
    summary: ClassVar[str] = lazy("Every value becomes its label on one level of the column's hierarchy.")
    unprotected: ClassVar[str] = lazy(
        "A band reveals that the value is in it; one with few records can single them out. Classes are not "
        "formed by it."
    )
    hides_values: ClassVar[bool] = False
    is_true: ClassVar[bool] = True

    level: int = param(
        1,
        Integer(label=N_("Level"), help=N_("Level of the hierarchy whose labels are released."), maximum=99),
    )

    @classmethod
    def fits(cls, column: Column, hierarchy: Hierarchy | None = None) -> bool:
        return hierarchy is not None and hierarchy.height > 0 and not hierarchy.gaps(column)

    def why_not(self, column: Column, hierarchy: Hierarchy | None = None) -> str:
        if hierarchy is None:
            return _("'{name}' has no hierarchy.").format(name=column.name)
        if self.level > hierarchy.height:
            return ngettext(
                "The hierarchy of '{name}' has {n} level above the values, but level {level} is released.",
                "The hierarchy of '{name}' has {n} levels above the values, but level {level} is released.",
                hierarchy.height,
            ).format(name=column.name, n=as_exact_count(hierarchy.height), level=self.level)
        if gaps := hierarchy.gaps(column):
            return _("The hierarchy of '{name}' lacks the value '{gap}'.").format(
                name=column.name, gap=gaps[0]
            )
        return ""

    def apply(self, column: Column, context: RuleContext) -> Texts | None:
        """The label for each value."""
        hierarchy = context.hierarchies.get(column.name)
        reason = self.why_not(column, hierarchy)
        if reason or hierarchy is None:
            raise InputError(
                reason, hint=_("Give the column a hierarchy, or use another rule."), column=column.name
            )
        return each_value(column, [hierarchy.label(value, self.level) for value in column.known_labels])

    def written_hierarchy(self, hierarchy: Hierarchy) -> Hierarchy:
        if self.level > hierarchy.height:
            return hierarchy
        return Hierarchy.from_rows([row[self.level :] for row in hierarchy.rows()])

    def statement(self, person: str | None = None) -> str:
        return _("Values replaced with the labels of level {level} of the hierarchy.").format(
            level=self.level
        )
