"""What each column means for privacy, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from engine.analysis import FigureColumn, FigureTable
from engine.analysis.tables import Figure
from engine.monitor import SILENT, Monitor
from engine.qi_detection.suggest import RoleSuggestion, suggest_roles
from engine.report.base import ReportSection, report_sections
from engine.report.content import Block, Paragraph
from engine.report.material import FileMaterial, ReleaseMaterial
from engine.table import Role

MEANINGS = {
    Role.IDENTIFYING: "Tells by itself who somebody is; its rule says what is written instead of its values.",
    Role.QUASI_IDENTIFYING: "Others can know it from elsewhere; it is generalized.",
    Role.SENSITIVE: "Nobody should learn it of a person; it is released as it is, its class may protect it.",
    Role.INSENSITIVE: "Neither known to others nor sensitive; it is released as it is.",
}
_GIVEN = {
    Role.QUASI_IDENTIFYING: "Taken to be known to others from elsewhere.",
    Role.SENSITIVE: "Taken to be what nobody should learn of a person.",
    Role.INSENSITIVE: "Not looked at.",
}


@report_sections.register("roles")
@dataclass(frozen=True, slots=True)
class Roles(ReportSection):
    """Roles with their reasons."""

    title: ClassVar[str] = "Roles of the columns"
    place: ClassVar[int] = 40

    def of_release(self, material: ReleaseMaterial, monitor: Monitor = SILENT) -> tuple[Block, ...]:
        """See `ReportSection.of_release`."""
        project, table = material.project, material.subject.input
        roles = [project.role(name) for name in table.names]
        rows: list[tuple[Figure, ...]] = [
            (name, role.value, MEANINGS[role]) for name, role in zip(table.names, roles, strict=True)
        ]
        columns = [
            FigureColumn("column", "Column"),
            FigureColumn("role", "Role"),
            FigureColumn("meaning", "What that means"),
        ]
        if not material.settings.is_public:
            columns.append(FigureColumn("reason", "Reason"))
            found = suggest_roles(table, monitor)
            rows = [
                (*row, _reason(suggestion, role))
                for row, suggestion, role in zip(rows, found, roles, strict=True)
            ]
        blocks: list[Block] = [FigureTable("roles", "", tuple(columns), rows)]
        if project.others_as_qi:
            blocks.append(
                Paragraph(
                    "Of several sensitive columns the others may be known too: each is judged among records "
                    "that are alike in the others as well."
                )
            )
        if (target := project.target) is not None:
            blocks.append(Paragraph(f"The release should still tell '{target}', its target column."))
        return tuple(blocks)

    def of_file(self, material: FileMaterial, monitor: Monitor = SILENT) -> tuple[Block, ...]:
        """See `ReportSection.of_file`."""
        given = material.given
        roles = dict.fromkeys(given.quasi_identifying, Role.QUASI_IDENTIFYING)
        roles |= dict.fromkeys(given.sensitive, Role.SENSITIVE)
        rows = [
            (name, role.value, _GIVEN[role])
            for name in given.table.names
            for role in (roles.get(name, Role.INSENSITIVE),)
        ]
        columns = (
            FigureColumn("column", "Column"),
            FigureColumn("role", "Role"),
            FigureColumn("meaning", "What that means"),
        )
        words = "As they were named for this report; a column that was forgotten is not protected by it."
        return (FigureTable("roles", "", columns, rows), Paragraph(words, "note"))


def _reason(suggestion: RoleSuggestion, role: Role) -> str:
    if suggestion.role is role:
        return f"As suggested ({suggestion.confidence_word}): {suggestion.reason}"
    return (
        f"Decided by a person; suggested was {suggestion.role.value} ({suggestion.confidence_word}): "
        f"{suggestion.reason}"
    )
