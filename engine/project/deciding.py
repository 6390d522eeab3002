"""Columns that nobody gave a role: what a recipe says of them, and that nothing is released before all have.

Who decided a role is kept in `Project.decided_by`; only project files hold it, since whoever writes a recipe
names its columns.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from engine.errors import InputError
from engine.project.edits import set_roles
from engine.project.project import Project, frozen
from engine.qi_detection.suggest import suggest_role
from engine.recoding.identifiers import identifier_rules
from engine.table import Decider, Role
from engine.words import _

REFUSE, WITHHOLD, INSENSITIVE = "refuse", "withhold", "insensitive"
OTHERS = (REFUSE, WITHHOLD, INSENSITIVE)


def refuse_undecided(project: Project, recipe: str = "") -> None:
    """Refuse to release a table of which a column has no role.

    Parameters
    ----------
    project : Project
    recipe : str
        The file that should say the roles, if one does.

    Raises
    ------
    InputError
        It names every such column with the role suggested for it; `columns` are in the context.
    """
    names = project.undecided
    if not names:
        return
    suggested = [suggest_role(project.table.column(name), project.table.n_records) for name in names]
    listed = ", ".join(f"'{found.column}' (suggested: {found.role.value})" for found in suggested)
    where = f"'{recipe}': " if recipe else ""
    which = _("1 column has") if len(names) == 1 else _("{n:,} columns have").format(n=len(names))
    raise InputError(
        _("{where}{which} no role, and nothing is released before each has one: {listed}.").format(
            where=where, which=which, listed=listed
        ),
        hint=_(
            "Name each under [roles] of the recipe. Or say there what becomes of the rest: add "
            'the line others = "{WITHHOLD}" (they are not written) or others = "{INSENSITIVE}" '
            "(they leave as they are)."
        ).format(WITHHOLD=WITHHOLD, INSENSITIVE=INSENSITIVE),
        columns=names,
    )


def with_others(project: Project, others: str) -> Project:
    """Return the project with the role that its recipe gives all columns it does not name.

    Parameters
    ----------
    project : Project
    others : {"refuse", "withhold", "insensitive"}
        Refused columns are left without a role. Withheld ones are identifying, by the rule that leaves a
        column out.
    """
    names, project = project.undecided, replace(project, others=others)
    if not names or others == REFUSE:
        return project
    if others == INSENSITIVE:
        return set_roles(project, names, Role.INSENSITIVE, Decider.OTHERS)
    project = set_roles(project, names, Role.IDENTIFYING, Decider.OTHERS)
    rules = dict(project.transformation.identifiers) | dict.fromkeys(names, identifier_rules.create("drop"))
    return replace(project, transformation=replace(project.transformation, identifiers=frozen(rules)))


def by_recipe(project: Project) -> tuple[str, ...]:
    """The columns that have their role by what the recipe says of those it does not name."""
    return tuple(n for n in project.table.names if project.decider(n) is Decider.OTHERS)


def as_in_recipe(project: Project) -> Project:
    """Return the project without what its recipe decides of columns that it does not name.

    Where a column has no role the recipe must not decide on it when it is read again: then all others are
    named.
    """
    if project.others == REFUSE or project.undecided:
        return replace(project, others=REFUSE)
    # A column that names the persons is named itself.
    return set_roles(project, [name for name in by_recipe(project) if name != project.person], None)


def old_roles(project: Project, undecided: Collection[str]) -> Project:
    """Return the project with the roles it had while insensitive columns were not named in its file."""
    names = [name for name in project.undecided if name not in undecided]
    return set_roles(project, names, Role.INSENSITIVE) if names else project


def decided_to_json(project: Project) -> dict[str, Any]:
    """Who decided the roles, as a project file holds it; empty where all were decided by a person."""
    found: dict[str, Any] = {}
    if project.others != REFUSE:
        found["others"] = project.others
    if project.decided_by:
        found["decided_by"] = {name: decider.value for name, decider in project.decided_by.items()}
    return found


def with_decided(project: Project, kept: Mapping[str, Any]) -> Project:
    """Return the project with what a file holds of who decided its roles; what it cannot mean is left."""
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
