"""Findings on what columns of a release reveal by order, codes and unchanged cells, each with a setting."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from weakref import WeakKeyDictionary

from engine.advice.findings import Finding, Severity, listed
from engine.errors import InputError
from engine.numbers import as_exact_count, as_percent
from engine.project.compile import compile_problem
from engine.project.edits import set_roles
from engine.project.project import Project, frozen
from engine.recoding import make_release
from engine.recoding.ruled import records_to_count, released_column, rule_of
from engine.recoding.rules import column_rules
from engine.recoding.transformation import IF_HELD, RULED
from engine.recoding.unchanged import UnchangedColumns
from engine.records import Role, Table
from engine.records.remote import Order
from engine.words import N_, _, ngettext

_counted: WeakKeyDictionary[Table, tuple[Hashable, UnchangedColumns]] = WeakKeyDictionary()


def unchanged_findings(project: Project) -> Iterator[Finding]:
    """Report the columns released unchanged besides the quasi-identifying ones."""
    if not project.quasi_identifying or project.remote is not None:
        return
    try:
        found = project_unchanged(project)
    except InputError:  # no records are chosen; other findings say why
        return
    if not found.columns:
        return
    title, exposed = found.words(), found.exposed
    if not exposed.together:
        yield Finding("unchanged", Severity.READY, title, listed(found.columns))
    else:
        open_columns = [name for name in found.columns if project.role(name) is Role.INSENSITIVE]
        several = [name for name in open_columns if exposed.alone[name]] or open_columns
        alone = listed([f"{name} {as_exact_count(exposed.alone[name])}" for name in found.columns])
        yield Finding(
            "unchanged",
            Severity.LOOK_AT if several else Severity.NOTE,
            title,
            _("Unique: {alone}. k does not cover them").format(alone=alone),
            *fixes(several),
        )
    for one in found.determines:
        is_open = project.role(one.column) is Role.INSENSITIVE
        yield Finding(
            f"determines:{one.column}:{one.determined}",
            Severity.LOOK_AT,
            _("{column} reveals the original {determined}").format(
                column=one.column, determined=one.determined
            ),
            _(
                "For {share} of the records, its value occurs with a single value of '{determined}', on "
                "whatever level that is released"
            ).format(share=as_percent(one.share, 1), determined=one.determined),
            *fixes([one.column] if is_open else []),
        )


def project_unchanged(project: Project) -> UnchangedColumns:
    """Return what unchanged columns would single out if every hierarchy hid its column.

    The released labels are not known yet, so that what quasi-identifiers add is not in it. Counted once
    for the records, their roles and whose they are.

    Raises
    ------
    InputError
        If the subset that is released cannot be found.
    """
    records = project.records
    named = [name for name in records.names if project.role(name) in RULED]
    unchanged = [c for name in named if (c := released_column(project, name, records)) is not None]
    hidden = [
        records.column(name)
        for name in project.quasi_identifying
        if name in project.hierarchies and project.hierarchies[name].top_level
    ]
    ruled = tuple(name for name in named if rule_of(project, name) is not None)
    key = (tuple(unchanged), tuple(c.name for c in hidden), project.person, ruled)
    known = _counted.get(records)
    if known is None or known[0] != key:
        found = records_to_count(records, unchanged, hidden, project.person, ruled).count_unchanged()
        known = _counted[records] = (key, found)
    return known[1]


def withhold(project: Project, names: Sequence[str]) -> Project:
    """Return the project with columns that no release shows: identifying, by the rule that drops them."""
    project = set_roles(project, names, Role.IDENTIFYING)
    rules = dict(project.transformation.identifiers) | dict.fromkeys(names, column_rules.create("drop"))
    return replace(project, transformation=replace(project.transformation, identifiers=frozen(rules)))


def fixes(
    names: Sequence[str],
) -> tuple[str, Callable[[Project], Project] | None, str, Callable[[Project], Project] | None]:
    """Return the two fixes for unchanged columns, with their texts; empty without columns."""
    if not names:
        return "", None, "", None
    return (
        ngettext("make it quasi-identifying", "make them quasi-identifying", len(names)),
        lambda p: set_roles(p, names, Role.QUASI_IDENTIFYING),
        ngettext("withhold it", "withhold them", len(names)),
        lambda p: withhold(p, names),
    )


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
