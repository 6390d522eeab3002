"""What stands between a project and the aggregates it releases: findings of the pre-flight with their fix."""

from __future__ import annotations

from collections.abc import Iterator

from engine.project.edits import set_aggregate, set_recoding
from engine.project.findings import Finding, Severity
from engine.project.project import Project
from engine.table import Role


def aggregate_findings(project: Project) -> Iterator[Finding]:
    """Look over the columns that are released as aggregates."""
    for column in project.columns_of(Role.QUASI_IDENTIFYING):
        function = project.microaggregation.get(column.name)
        if function is None:
            continue
        if reason := function.why_not(column):
            yield Finding(
                f"aggregate:{column.name}",
                Severity.BLOCKING,
                f"{column.name} has no {function.title.lower()}",
                reason,
                "release its labels",
                lambda p, name=column.name: set_aggregate(p, name, None),  # type: ignore[misc]
            )
        elif function.grouping and project.recoding is not None:
            yield Finding(
                f"grouped:{column.name}",
                Severity.BLOCKING,
                f"{column.name} forms classes and is aggregated",
                f"{project.recoding.title} gives records levels of their own, so its labels form no classes",
                "release one node",
                lambda p: set_recoding(p, None),
            )
