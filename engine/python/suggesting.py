"""Roles and hierarchies proposed for the columns of a DataFrame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from engine.advice.first_release import first_settings
from engine.hierarchies import Hierarchy
from engine.monitor import SILENT, Monitor
from engine.privacy import Requirement
from engine.privacy.k_anonymity import KAnonymity
from engine.project import Project
from engine.project.edits import set_hierarchies, set_roles
from engine.qi_detection.suggest import RoleSuggestion
from engine.qi_detection.suggest import suggest_roles as suggestions_for
from engine.table import Role
from engine.table.column_selection import names_of
from engine.table.frames import as_table
from engine.table.options import ReadOptions

SUGGEST = "suggest"


def suggest_roles(data: Any, monitor: Monitor = SILENT) -> tuple[RoleSuggestion, ...]:
    """Suggest a role for every column of a table, with its confidence and reason.

    Parameters
    ----------
    data : DataFrame, Table or path
    monitor : Monitor
    """
    return suggestions_for(as_table(data), monitor)


def suggest_hierarchies(
    data: Any, columns: str | Sequence[str] | None = None, monitor: Monitor = SILENT
) -> dict[str, Hierarchy]:
    """Suggest hierarchies by the types and values of columns.

    Parameters
    ----------
    data : DataFrame, Table or path
    columns : str or sequence of str, optional
        All by default. Together, their lattice has at most 100,000 nodes if that can be reached.
    monitor : Monitor
    """
    table = as_table(data)
    names = table.names if columns is None else names_of(columns)
    for name in names:
        table.column(name)
    project = Project("", None, ReadOptions(), table)
    project = set_roles(project, names, Role.QUASI_IDENTIFYING)
    project = set_roles(project, [n for n in table.names if n not in names], Role.INSENSITIVE)
    found = with_suggested(project, monitor).hierarchies
    return {name: found[name].hierarchy for name in names}


def with_suggested(project: Project, monitor: Monitor = SILENT) -> Project:
    """Return a project whose quasi-identifying columns without a hierarchy have the suggested one."""
    asked = replace(project, requirement=Requirement((KAnonymity(),)))  # proposals do not depend on it
    found = first_settings(asked, monitor).project.hierarchies
    return set_hierarchies(project, {name: found[name] for name in project.quasi_identifying})
