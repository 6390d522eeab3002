"""What the top of the lattice tells of a project, as a finding with the edit that mends it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from engine.errors import InputError
from engine.hierarchies.builders.base import Around
from engine.hierarchies.propose import propose
from engine.project.compile import compile_problem
from engine.project.edits import set_hierarchies
from engine.project.findings import Finding, Severity, listed
from engine.project.project import AttributeHierarchy, Project
from engine.project.reach import NOTHING, fails_at_top


def reach_findings(project: Project) -> Iterator[Finding]:
    """Yield that no node can satisfy; of a project that other findings do not block."""
    try:
        found = fails_at_top(project, compile_problem(project))
    except InputError:
        return  # what does not compile has findings of its own
    if found is None:
        return
    columns = found.columns
    yield Finding(
        "reach",
        Severity.BLOCKING,
        "No node can satisfy",
        f"{found.problem.removeprefix(NOTHING).strip().capitalize()} {found.hint}".removesuffix("."),
        f"let {listed(columns)} be hidden" if columns else "",
        (lambda p: let_be_hidden(p, columns)) if columns else None,
    )


def let_be_hidden(project: Project, columns: tuple[str, ...]) -> Project:
    """Let columns be generalized until one value is left, with hierarchies where they have none."""
    changes: dict[str, AttributeHierarchy | None] = {}
    for name in columns:
        entry = project.hierarchies.get(name)
        if entry is None:
            column = project.table.column(name)
            builder, _ = propose(column)
            entry = AttributeHierarchy(builder.build(column, Around(project.table)), builder=builder)
        if entry.hierarchy.top_label is None:
            entry = replace(entry, hierarchy=entry.hierarchy.rooted(), path=None, builder=None)
        changes[name] = replace(entry, max_level=None)
    return set_hierarchies(project, changes)
