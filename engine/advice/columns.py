"""Suggestions for columns: the roles suggested for them, and the hierarchies proposed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations

from engine.hierarchies.builders.base import BuilderContext
from engine.hierarchies.propose import propose
from engine.monitor import SILENT, Monitor
from engine.project.edits import set_hierarchies, set_roles
from engine.project.project import AttributeHierarchy, Project
from engine.qi_detection.suggest import RoleSuggestion, suggest_role
from engine.recoding.ruled import records_to_count
from engine.records import Column, Decider, Role, Table
from engine.records.remote import RemoteColumn, source_of
from engine.words import _


def apply_suggestions(project: Project, suggestions: Iterable[RoleSuggestion]) -> Project:
    """Give columns the roles suggested for them, and note that it was no more than that."""
    by_role: dict[Role, list[str]] = {}
    for suggestion in suggestions:
        by_role.setdefault(suggestion.role, []).append(suggestion.column)
    for role, columns in by_role.items():
        project = set_roles(project, columns, role, Decider.SUGGESTION)
    return project


def set_suggested(project: Project) -> Project:
    """Give the columns without a role the one suggested for each."""
    table = project.table
    return apply_suggestions(
        project, [suggest_role(table.column(name), table.n_records) for name in project.undecided]
    )


def singled_out_together(project: Project, names: Iterable[str], monitor: Monitor = SILENT) -> int:
    """Count the records whose values in some columns no other record has, or no record of another person.

    A server or cluster counts by itself, unless texts of it are joined here or records have persons.
    """
    records = project.records
    chosen = [records.column(name) for name in names if name != project.person]
    source, listed = source_of(records), Table(tuple(chosen)).listed
    if source is not None and listed and project.person is None and all(map(_is_told_apart, listed)):
        return source.singled_out([column.name for column in listed], monitor)
    counted = records_to_count(records, chosen, (), project.person, ())
    return counted.n_singled_out(monitor) if counted.columns else records.n_records


_MOST_PAIRED, _MOST_ALONE = 5, 12  # columns of which all pairs are counted, or each


def singled_out_by_sets(
    project: Project, names: Sequence[str], monitor: Monitor = SILENT
) -> dict[tuple[str, ...], int]:
    """Count what some columns single out: each alone, in pairs if they are few, and together, in this order.

    A server or cluster is asked for all of them only.
    """
    sets: list[tuple[str, ...]] = []
    if source_of(project.records) is None and len(names) <= _MOST_ALONE:
        sets = [(name,) for name in names]
        sets += combinations(names, 2) if len(names) <= _MOST_PAIRED else ()
    sets = list(dict.fromkeys([*sets, tuple(names)]))
    counts = {}
    for number, chosen in enumerate(sets):
        monitor.step(number, len(sets), _("Counting records that are singled out"))
        counts[chosen] = singled_out_together(project, chosen)
    return counts


def _is_told_apart(column: Column) -> bool:
    """Return whether each text of a source has a label of its own."""
    return isinstance(column, RemoteColumn) and len(column.vocabulary) == len(column.labels)


def proposed_hierarchy(table: Table, name: str) -> tuple[AttributeHierarchy, str]:
    """Return the hierarchy proposed for the type and values of a column, and why."""
    column = table.column(name)
    builder, reason = propose(column)
    return AttributeHierarchy(builder.build(column, BuilderContext(table)), builder=builder), reason


def propose_hierarchies(project: Project, columns: Iterable[str]) -> Project:
    """Give columns the hierarchies proposed for them."""
    return set_hierarchies(project, {name: proposed_hierarchy(project.table, name)[0] for name in columns})
