"""From a fresh table to settings that give a first release; everything stays editable."""

from __future__ import annotations

from dataclasses import replace
from math import prod

from engine.hierarchies.builders.base import Around
from engine.hierarchies.builders.suppress import SuppressBuilder
from engine.hierarchies.propose import propose
from engine.monitor import SILENT, Monitor
from engine.privacy.k_anonymity import KAnonymity
from engine.project.edits import set_hierarchies, set_requirement
from engine.project.preflight import set_suggested
from engine.project.project import AttributeHierarchy, Project
from engine.table import Column, Role, Table

FIRST_K = 5
MOST_NODES = 100_000  # more would keep a person waiting for a first look


def first_settings(project: Project, monitor: Monitor = SILENT) -> Project:
    """Take suggested roles where there is none, propose missing hierarchies, add k = 5 where no k is.

    Parameters
    ----------
    project : Project
        Roles, hierarchies and models that are set stay as they are, and so does the suppression limit
        (5 % in a fresh project).

    Returns
    -------
    Project
        Its lattice has at most 100,000 nodes where the proposals decide that: the tallest proposed
        hierarchies are replaced by keep or hide until it does.
    """
    project = set_suggested(project)
    columns = project.columns_of(Role.QUASI_IDENTIFYING)
    proposed: dict[str, AttributeHierarchy] = {}
    for done, column in enumerate(columns):
        monitor.step(done, len(columns), f"Proposing a hierarchy for {column.name}")
        if column.name not in project.hierarchies:
            proposed[column.name] = _proposed(column, project.table)
    _lower(project, proposed)
    project = set_hierarchies(project, proposed)
    if project.requirement.k is not None:  # what a person asked for is never weakened
        return project
    models = (KAnonymity(FIRST_K), *project.requirement.models)
    return set_requirement(project, replace(project.requirement, models=models))


def _proposed(column: Column, table: Table) -> AttributeHierarchy:
    builder, _reason = propose(column)
    return AttributeHierarchy(builder.build(column, Around(table)), builder=builder)


def _lower(project: Project, proposed: dict[str, AttributeHierarchy]) -> None:
    """Make the tallest proposals keep-or-hide until the lattice is small enough."""
    heights = {
        name: proposed[name].hierarchy.height
        if name in proposed
        else project.hierarchies[name].top_level - project.hierarchies[name].min_level
        for name in project.quasi_identifying
    }
    for name in sorted(proposed, key=lambda name: -heights[name]):
        if prod(height + 1 for height in heights.values()) <= MOST_NODES:
            return
        column, builder = project.table.column(name), SuppressBuilder()
        proposed[name] = replace(proposed[name], hierarchy=builder.build(column), builder=builder, path=None)
        heights[name] = 1
