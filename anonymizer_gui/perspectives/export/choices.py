"""Choices of an export on suppressed records, identifying columns and the order of the records."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

from engine.params import Choice, Configurable, Flag, param
from engine.project import Project, Transformation
from engine.recoding.transformation import BLANK, KEPT, REMOVED
from engine.words import N_

BY_COLUMN = "by column"
_RULES = (
    ("star", N_("Replace every cell with *")),
    ("drop", N_("Remove the columns")),
    ("constant", N_("Write the same text in every cell")),
    ("pseudonym", N_("Number the values in random order")),
    ("keyed_hash", N_("Write keyed hashes")),
    ("mask", N_("Mask all but the last characters")),
)


@dataclass(frozen=True)
class ReleaseChoices(Configurable):
    """Written form of a release, as one choice per subject.

    Attributes
    ----------
    way : {"kept", "blank", "removed"}
        Written form of suppressed records.
    identifying : str
        Key of the rule for all identifying columns, or `BY_COLUMN`.
    """

    way: str = param(
        KEPT,
        Choice(
            label=N_("Suppressed records"),
            help=N_(
                "A person in no class of the file has one of its suppressed records: these are released "
                "without their other cells, or must meet the requirement as one class"
            ),
            options=(
                (KEPT, N_("Replace quasi-identifying cells with *")),
                (BLANK, N_("Replace all cells with *")),
                (REMOVED, N_("Remove the records")),
            ),
        ),
    )
    identifying: str = param(
        "star",
        Choice(
            label=N_("Identifying columns"),
            help=N_("Text that replaces identifying columns."),
            options=(*_RULES, (BY_COLUMN, N_("Different rules per column"))),
        ),
    )
    shuffle: bool = param(
        False,
        Flag(
            label=N_("Shuffle the records"),
            help=N_("Releases the records in random order, so that their position reveals nothing"),
        ),
    )

    @classmethod
    def of(cls, project: Project) -> Self:
        """Return the choices that a project has made."""
        wanted = project.transformation
        has_own = any(name in wanted.identifiers for name in project.identifying)
        is_offered = wanted.identifying in dict(_RULES) and not has_own
        return cls(wanted.way, wanted.identifying if is_offered else BY_COLUMN, wanted.shuffle)

    def over(self, before: Transformation) -> Transformation:
        """Return a transformation with these choices; rules of single columns stay if those are chosen."""
        after = replace(before.with_way(self.way), shuffle=self.shuffle)
        is_same = self.identifying == before.identifying and not before.identifiers
        if self.identifying == BY_COLUMN or is_same:
            return after
        return replace(after, identifying=self.identifying, identifying_options={}, identifiers={})
