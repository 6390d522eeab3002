"""Pre-flight findings on disclosure by order and codes of a release, each with a setting against it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from engine.advice.findings import Finding, Severity
from engine.advice.unchanged import withhold
from engine.errors import InputError
from engine.project.compile import compile_problem
from engine.project.project import Project
from engine.recoding import make_release
from engine.recoding.transformation import IF_HELD
from engine.records.remote import Order
from engine.words import N_, _, ngettext

MOST_RECORDS = 1_000_000  # of which a release is made for its values, which takes a second
_TITLES = {
    "linked": N_("Records of one person can be linked"),
    "readable": N_("Suppressed records can be recognized"),
    "group": N_("Suppressed records are in no class"),
    "neighbours": N_("Their order reveals suppressed records"),
}
_Fix = tuple[str, Callable[[Project], Project] | None]


def shuffled(project: Project) -> Project:
    """Return the project with its records in random order, if they have an order that can be drawn again."""
    if project.remote is not None and project.remote.order is Order.NONE:
        return project
    return replace(project, transformation=replace(project.transformation, shuffle=True))


def revealed_findings(project: Project, levels: Mapping[str, int] | None = None) -> Iterator[Finding]:
    """Yield what the release of a node reveals beyond its classes.

    Parameters
    ----------
    levels : mapping of str to int, optional
        Those of the applied node, or else of the optimum, by quasi-identifying column; without them nothing
        is found.
    """
    names = project.quasi_identifying
    if levels is None or set(levels) != set(names) or project.recoding is not None:
        return
    if project.table.home is not None:
        return  # its records would be read for it
    if project.n_records > MOST_RECORDS or (project.person is None and project.transformation.shuffle):
        return
    try:
        release = make_release(project, compile_problem(project), tuple(levels[name] for name in names))
    except InputError:
        return  # what cannot be compiled has findings of its own
    columns = list(release.links.columns)
    mix: _Fix = (_("shuffle the records"), shuffled)
    remove: _Fix = (_("remove suppressed records"), removing)
    whole: _Fix = (_("suppress all records of these people"), _whole_persons)
    drop: _Fix = (ngettext("withhold it", "withhold them", len(columns)), lambda p: withhold(p, columns))
    of_links = [*([mix] if release.links.are_together else []), *([drop] if columns else [])]
    blank: _Fix = (_("write * in all their cells if they miss the requirement"), _holding)
    fixes = {
        "linked": of_links,
        "readable": [whole, remove],
        "group": [remove, blank],
        "neighbours": [mix, remove],
    }
    for key, words in release.revealed.items():
        first, other = [*fixes[key], ("", None)][:2]
        detail = f"{words[:1].upper()}{words[1:]}"
        yield Finding(key, Severity.LOOK_AT, _(_TITLES[key]), detail, *first, *other)


def _whole_persons(project: Project) -> Project:
    return replace(project, requirement=replace(project.requirement, whole_persons=True))


def _holding(project: Project) -> Project:
    return replace(project, transformation=replace(project.transformation, suppressed_group=IF_HELD))


def removing(project: Project) -> Project:
    """Return the project with suppressed records left out of its release."""
    return replace(project, transformation=replace(project.transformation, suppressed_records="remove"))
