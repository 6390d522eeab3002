"""What each column means for privacy, and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from engine.assessment import FigureColumn, FigureTable
from engine.assessment.base import Figure
from engine.monitor import SILENT, Monitor
from engine.project import Project
from engine.project.deciding import WITHHOLD, by_recipe
from engine.qi_detection.suggest import RoleSuggestion, suggest_roles
from engine.report.base import ReportSection, report_sections
from engine.report.content import Block, Paragraph
from engine.report.material import FileMaterial, ReleaseMaterial
from engine.report.shown import shown
from engine.table import NO_ROLE, Decider, Role
from engine.words import N_, _, lazy

MEANINGS = {
    Role.IDENTIFYING: N_(
        "Tells by itself who somebody is; its rule says what is written instead of its values."
    ),
    Role.QUASI_IDENTIFYING: N_("Others can know it from elsewhere; it is generalized."),
    Role.SENSITIVE: N_(
        "Nobody should learn it of a person; it is released as it is, its class may protect it."
    ),
    Role.INSENSITIVE: N_("Neither known to others nor sensitive; it is released as it is."),
}
_DECIDERS = {
    Decider.PERSON: "a person",
    Decider.SUGGESTION: N_("a suggestion, accepted as it stood"),
    Decider.OTHERS: N_("the recipe"),
}
_GIVEN = {
    Role.QUASI_IDENTIFYING: N_("Taken to be known to others from elsewhere."),
    Role.SENSITIVE: N_("Taken to be what nobody should learn of a person."),
    Role.IDENTIFYING: N_("Its values are taken for people, who are counted."),
    Role.INSENSITIVE: N_("Not looked at."),
}


@report_sections.register("roles")
@dataclass(frozen=True, slots=True)
class Roles(ReportSection):
    """Roles with their reasons."""

    title: ClassVar[str] = lazy("Roles of the columns")
    place: ClassVar[int] = 40

    def of_release(self, material: ReleaseMaterial, monitor: Monitor = SILENT) -> tuple[Block, ...]:
        project, table = material.project, material.subject.input
        rows: list[tuple[Figure, ...]] = [_row(project, name) for name in table.names]
        columns = [
            FigureColumn("column", _("Column")),
            FigureColumn("role", _("Role")),
            FigureColumn("meaning", _("What that means")),
            FigureColumn("decided", _("Decided by")),
        ]
        if not material.settings.is_public:
            columns.append(FigureColumn("reason", _("Reason")))
            found = suggest_roles(table, monitor)
            rows = [
                (*row, _reason(suggestion, project.role(suggestion.column)))
                for row, suggestion in zip(rows, found, strict=True)
            ]
        blocks: list[Block] = [FigureTable("roles", "", tuple(columns), rows)]
        if by_others := by_recipe(project):
            blocks.insert(0, Paragraph(_said_by_recipe(project, by_others), "strong"))
        if project.others_as_qi:
            blocks.append(
                Paragraph(
                    _(
                        "Of several sensitive columns the others may be known too: each is judged "
                        "among records that are alike in the others as well."
                    )
                )
            )
        if (persons := material.release.persons) is not None:
            column = persons.persons.column
            words = _("says whose each record is: classes, models and risks count people.")
            blocks.append(Paragraph(f"'{column}' {words}"))
        if (target := project.target) is not None:
            blocks.append(
                Paragraph(
                    _("The release should still tell '{target}', its target column.").format(target=target)
                )
            )
        return tuple(blocks)

    def of_file(self, material: FileMaterial, monitor: Monitor = SILENT) -> tuple[Block, ...]:
        given = material.given
        roles = dict.fromkeys(given.quasi_identifying, Role.QUASI_IDENTIFYING)
        roles |= dict.fromkeys(given.sensitive, Role.SENSITIVE)
        roles |= dict.fromkeys([given.person] if given.person else [], Role.IDENTIFYING)
        rows = [
            (name, role.value, _(_GIVEN[role]))
            for name in given.table.names
            for role in (roles.get(name, Role.INSENSITIVE),)
        ]
        columns = (
            FigureColumn("column", _("Column")),
            FigureColumn("role", _("Role")),
            FigureColumn("meaning", _("What that means")),
        )
        words = _("As they were named for this report; a column that was forgotten is not protected by it.")
        return (FigureTable("roles", "", columns, rows), Paragraph(words, "note"))


def _row(project: Project, name: str) -> tuple[Figure, ...]:
    role, decider = project.role(name), project.decider(name)
    if role is None or decider is None:
        return (name, NO_ROLE, _("Nobody decided; it is not released."), "nobody")
    if decider is not Decider.OTHERS:
        return (name, role.value, _(MEANINGS[role]), _(_DECIDERS[decider]))
    words = f'{_DECIDERS[decider]}: others = "{project.others}"'
    if role is Role.IDENTIFYING:
        return (name, "withheld", _("It is not written."), words)
    return (name, role.value, _("Nobody looked at it; it is released as it is."), words)


def _said_by_recipe(project: Project, names: Sequence[str]) -> str:
    """What became of the columns that the recipe does not name, and that no person decided it of each."""
    some = f"'{names[0]}'" if len(names) == 1 else f"{shown(len(names))} columns"
    verb = "is" if len(names) == 1 else "are"
    became = _("not written") if project.others == WITHHOLD else _("released as they stand in the input")
    listed = "" if len(names) == 1 else f": {', '.join(names)}"
    return _(
        'The recipe says others = "{others}", so {some} that it does not name {verb} '
        "{became}{listed}. No person decided that of each."
    ).format(others=project.others, some=some, verb=verb, became=became, listed=listed)


def _reason(suggestion: RoleSuggestion, role: Role | None) -> str:
    if suggestion.role is role:
        return _("As suggested ({confidence_word}): {reason}").format(
            confidence_word=suggestion.confidence_word, reason=suggestion.reason
        )
    return _("Suggested was {value} ({confidence_word}): {reason}").format(
        value=suggestion.role.value, confidence_word=suggestion.confidence_word, reason=suggestion.reason
    )
