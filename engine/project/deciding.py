"""Columns without a role: the rule of a recipe for them, and the check before a release.

`Project.decided_by` holds who decided a role. Only project files store it, because a recipe names its
columns.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from engine.errors import InputError
from engine.numbers import as_exact_count
from engine.project.edits import set_roles
from engine.project.project import Project, frozen
from engine.recoding.rules import column_rules
from engine.records import Decider, Role, role_word
from engine.words import _, ngettext

REFUSE, WITHHOLD, INSENSITIVE = "refuse", "withhold", "insensitive"
OTHERS = (REFUSE, WITHHOLD, INSENSITIVE)


def refuse_undecided(project: Project, recipe: str = "") -> None:
    """Refuse to release a table with a column that has no role.

    Parameters
    ----------
    recipe : str
        The file that should define the roles, if any.

    Raises
    ------
    InputError
        The message has every such column with its suggested role; `columns` is in the context.
    """
    names = project.undecided
    if not names:
        return
    from engine.qi_detection.suggest import suggest_role

    suggested = [suggest_role(project.table.column(name), project.table.n_records) for name in names]
    listed = ", ".join(
        _("'{column}' (suggested: {role})").format(column=found.column, role=role_word(found.role))
        for found in suggested
    )
    problem = ngettext(
        "{n} column has no role, and nothing is released until it has one: {columns}.",
        "{n} columns have no role, and nothing is released until each has one: {columns}.",
        len(names),
    ).format(n=as_exact_count(len(names)), columns=listed)
    raise InputError(
        f"'{recipe}': {problem}" if recipe else problem,
        hint=_(
            "Add each to a role under [roles] of the recipe. To treat all others alike, add "
            'others = "{withhold}" (not written) or others = "{insensitive}" (released '
            "unchanged)."
        ).format(withhold=WITHHOLD, insensitive=INSENSITIVE),
        columns=names,
    )


def with_others(project: Project, others: str) -> Project:
    """Return the project with the role that its recipe gives all columns it does not name.

    Parameters
    ----------
    others : {"refuse", "withhold", "insensitive"}
        Refused columns stay without a role. Withheld columns become identifying, with the rule that drops a
        column.
    """
    names, project = project.undecided, replace(project, others=others)
    if not names or others == REFUSE:
        return project
    if others == INSENSITIVE:
        return set_roles(project, names, Role.INSENSITIVE, Decider.OTHERS)
    project = set_roles(project, names, Role.IDENTIFYING, Decider.OTHERS)
    rules = dict(project.transformation.identifiers) | dict.fromkeys(names, column_rules.create("drop"))
    return replace(project, transformation=replace(project.transformation, identifiers=frozen(rules)))


def by_recipe(project: Project) -> tuple[str, ...]:
    """Return the columns whose role follows from the recipe's rule for columns it does not name."""
    return tuple(n for n in project.table.names if project.decider(n) is Decider.OTHERS)


def as_in_recipe(project: Project) -> Project:
    """Return the project without the roles that its recipe gives to columns it does not name.

    If a column has no role, the recipe must not decide on it when it is read again; all other columns are
    then named.
    """
    if project.others == REFUSE or project.undecided:
        return replace(project, others=REFUSE)
    # The column that names persons is named itself.
    return set_roles(project, [name for name in by_recipe(project) if name != project.person], None)


def old_roles(project: Project, undecided: Collection[str]) -> Project:
    """Return the project with its roles from when files did not name insensitive columns."""
    names = [name for name in project.undecided if name not in undecided]
    return set_roles(project, names, Role.INSENSITIVE) if names else project


def decided_to_json(project: Project) -> dict[str, Any]:
    """Return who decided the roles, as a project file stores it; empty if the user decided all."""
    found: dict[str, Any] = {}
    if project.others != REFUSE:
        found["others"] = project.others
    if project.decided_by:
        found["decided_by"] = {name: decider.value for name, decider in project.decided_by.items()}
    return found


def with_decided(project: Project, kept: Mapping[str, Any]) -> Project:
    """Return the project with the stored deciders of its roles; invalid entries are ignored."""
    known = {decider.value: decider for decider in Decider}
    named = kept.get("decided_by")
    decided_by = {
        name: known[word]
        for name, word in (named.items() if isinstance(named, dict) else ())
        if name in project.roles and isinstance(word, str) and word in known
    }
    others = kept.get("others")
    return replace(
        project, decided_by=frozen(decided_by), others=others if others in OTHERS else project.others
    )
