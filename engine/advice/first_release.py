"""Settings of a first release from a new table, and a description of that release; all stay editable."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod

from engine.advice.columns import proposed_hierarchy, set_suggested
from engine.advice.findings import listed
from engine.advice.persons import repeated_identifying
from engine.advice.revealed import removing, shuffled
from engine.hierarchies.builders.suppress import SuppressBuilder
from engine.hierarchies.words import describe_level
from engine.monitor import SILENT, Monitor
from engine.numbers import as_exact_count, as_people, in_records
from engine.privacy import PrivacyModel
from engine.privacy.distinct_l_diversity import DistinctLDiversity
from engine.privacy.k_anonymity import KAnonymity
from engine.project.edits import set_hierarchies, set_person
from engine.project.project import AttributeHierarchy, Project
from engine.recoding import Release
from engine.records import Role, role_word
from engine.scoring import Evaluation
from engine.scoring.evaluate import evaluate
from engine.words import _, ngettext

FIRST_K, FIRST_L = 5, 2
MOST_NODES = 100_000  # more would keep a person waiting for a first look
_MOST_IN_WORDS = 6  # columns whose levels are told one by one


@dataclass(frozen=True, eq=False)
class FirstSettings:
    """Settings for a first release.

    Attributes
    ----------
    asked : tuple of PrivacyModel
        The l-diversities that were added: one for each column made sensitive that can have it.
    notes : tuple of str
        Sentences about what could not be asked, and about what had to be hidden.
    """

    project: Project
    asked: tuple[PrivacyModel, ...] = ()
    notes: tuple[str, ...] = ()


def first_settings(project: Project, monitor: Monitor = SILENT) -> FirstSettings:
    """Take suggested roles for columns without one, propose missing hierarchies, add k = 5 unless set.

    Columns that become sensitive so are to have at least two values in every class. Where values of an
    identifying column repeat, people are counted by it: their records are not as many people. Records are
    shuffled, so that their order reveals nothing, and suppressed ones are removed.

    Parameters
    ----------
    project : Project
        Roles, hierarchies and models that are set stay unchanged, and so does the suppression limit
        (5 % in a fresh project).

    Returns
    -------
    FirstSettings
        Its lattice has at most 100,000 nodes where the proposals decide that: the tallest proposed
        hierarchies are replaced by keep or hide until it does; then columns are hidden, those with most
        values first.
    """
    was_sensitive = set(project.sensitive)
    project, notes = _counting_people(removing(shuffled(set_suggested(project))))
    columns = project.columns_of(Role.QUASI_IDENTIFYING)
    proposed: dict[str, AttributeHierarchy] = {}
    for done, column in enumerate(columns):
        monitor.step(done, len(columns), _("Suggesting a hierarchy for {name}").format(name=column.name))
        if column.name not in project.hierarchies:
            proposed[column.name] = proposed_hierarchy(project.table, column.name)[0]
    hidden = _lower(project, proposed)
    if proposed:
        project = set_hierarchies(project, proposed)
    if hidden:
        notes.append(_hidden(hidden))
    asked = tuple(
        DistinctLDiversity(name, FIRST_L) for name in project.sensitive if name not in was_sensitive
    )
    requirement = project.requirement
    models = (*requirement.models, *asked)
    if requirement.k is None:  # what a person asked for is never weakened
        models = (KAnonymity(FIRST_K), *models)
    if models != requirement.models:
        project = replace(project, requirement=replace(requirement, models=models))
    return FirstSettings(project, asked, tuple(notes))


def _counting_people(project: Project) -> tuple[Project, list[str]]:
    """Count people by the identifying column with most people whose values repeat, if there is one."""
    if project.person is not None or not (repeated := repeated_identifying(project, project.table)):
        return project, []
    name = repeated[0].name
    note = _(
        "{name} repeats, so people are counted by it; undo this in Configure if its values are not people."
    ).format(name=name)
    return set_person(project, name), [note]


def attainable(settings: FirstSettings, evaluation: Evaluation) -> FirstSettings | None:
    """Ask for less l-diversity if no node satisfies all added models.

    Parameters
    ----------
    evaluation : Evaluation
        Of its requirement, without an optimum.

    Returns
    -------
    FirstSettings or None
        Without as few of the added models as it takes, one or all, each said; None if that is not
        enough either.
    """
    project, asked = settings.project, settings.asked
    tries: list[tuple[PrivacyModel, ...]] = [(model,) for model in asked]
    if len(asked) > 1:
        tries.append(asked)
    for dropped in tries:
        left = tuple(model for model in project.requirement.models if model not in dropped)
        requirement = replace(project.requirement, models=left)
        turned = evaluate(evaluation.profile, requirement, evaluation.objective)
        if turned.optimum(project.search.metric) is None:
            continue
        names = listed([model.columns[0] for model in dropped])
        return FirstSettings(
            replace(project, requirement=requirement),
            tuple(model for model in asked if model not in dropped),
            (
                *settings.notes,
                _("l = {FIRST_L} is not required for {names}: no node satisfies it.").format(
                    FIRST_L=FIRST_L, names=names
                ),
            ),
        )
    return None


@dataclass(frozen=True)
class FirstAccount:
    """Summary of a first release, one line per topic.

    Attributes
    ----------
    notes : tuple of str
        Sentences of `FirstSettings`.
    singles_out : bool
        Whether the unchanged columns single out a record.
    """

    roles: str
    levels: str
    suppressed: str
    unchanged: str
    notes: tuple[str, ...] = ()
    singles_out: bool = False


def account_of(settings: FirstSettings, release: Release) -> FirstAccount:
    """Say what a release of first settings did: roles, levels, suppressed records, unchanged columns."""
    losses = release.losses
    if losses.are_people:
        suppressed = ngettext(
            "{n} of {total} suppressed; {people} loses a record, and {allowed} were allowed to",
            "{n} of {total} suppressed; {people} lose a record, and {allowed} were allowed to",
            losses.count,
        )
    else:
        suppressed = _("{n} of {total} suppressed; {allowed} were allowed")
    unchanged = release.unchanged
    words = unchanged.words()
    words = words[:1].upper() + words[1:]
    if unchanged.columns:
        words += f" ({listed(unchanged.columns)})"
    return FirstAccount(
        _roles(settings),
        _levels(release),
        suppressed.format(
            n=as_exact_count(release.n_suppressed),
            total=in_records(release.n_records),
            people=as_people(losses.count),
            allowed=as_exact_count(losses.allowed),
        ),
        words,
        (*settings.notes, *_revealed(release)),
        bool(unchanged.exposed.together),
    )


def _revealed(release: Release) -> list[str]:
    """Say that records are shuffled, and what is revealed beyond the classes."""
    notes = [f"{words[:1].upper()}{words[1:]}." for words in release.revealed.values()]
    if release.transformation.shuffle:
        notes.append(_("The records are shuffled, so that their order reveals nothing; undo this in Export."))
    return notes


def _roles(settings: FirstSettings) -> str:
    project = settings.project
    n_of = Counter(project.roles.values())
    words = ", ".join(f"{as_exact_count(n_of[role])} {role_word(role)}" for role in Role if n_of[role])
    names = [model.columns[0] for model in settings.asked]
    return (
        _("{words}; l = {l} required for {names}").format(words=words, l=FIRST_L, names=listed(names))
        if names
        else words
    )


def _levels(release: Release) -> str:
    """Describe the levels of the quasi-identifying columns; unchanged and hidden ones are named."""
    if release.levels is None:
        return _("they vary by record")
    changed, kept, hidden = [], [], []
    for attribute in release.problem.attributes:
        hierarchy, level = attribute.hierarchy, release.levels[attribute.name]
        if level == 0:
            kept.append(attribute.name)
        elif len(hierarchy.levels[level].labels) == 1:
            hidden.append(attribute.name)
        else:
            words = describe_level(hierarchy, level, attribute.column.data_type, attribute.name)
            changed.append(f"{attribute.name}: {words}")
    parts = []
    if len(changed) > _MOST_IN_WORDS:
        parts.append(_("{n} columns generalized").format(n=as_exact_count(len(changed))))
    elif changed:
        parts.append(", ".join(changed))
    if kept:
        parts.append(_("unchanged: {names}").format(names=listed(kept)))
    if hidden:
        parts.append(_("hidden: {names}").format(names=listed(hidden)))
    return "; ".join(parts)


def _hidden(names: Sequence[str]) -> str:
    return ngettext(
        "{n} column was hidden in advance, because its levels would make too many nodes: {names}.",
        "{n} columns were hidden in advance, because their levels would make too many nodes: {names}.",
        len(names),
    ).format(n=as_exact_count(len(names)), names=listed(names))


def _lower(project: Project, proposed: dict[str, AttributeHierarchy]) -> list[str]:
    """Make proposals keep-or-hide, the tallest first, and then hidden, until the lattice is small enough.

    The answer is the columns that are hidden.
    """
    n_levels = {
        name: 1 + proposed[name].hierarchy.height
        if name in proposed
        else 1 + project.hierarchies[name].top_level - project.hierarchies[name].min_level
        for name in project.quasi_identifying
    }

    def is_small() -> bool:
        return prod(n_levels.values()) <= MOST_NODES

    for name in sorted(proposed, key=lambda name: -n_levels[name]):
        if is_small():
            return []
        column, builder = project.table.column(name), SuppressBuilder()
        proposed[name] = replace(proposed[name], hierarchy=builder.build(column), builder=builder, path=None)
        n_levels[name] = 2
    hidden: list[str] = []
    for name in sorted(proposed, key=lambda name: -len(project.table.column(name).labels)):
        if is_small():
            break
        height = proposed[name].hierarchy.height
        proposed[name] = replace(proposed[name], min_level=height)
        n_levels[name] = 1
        hidden.append(name)
    return hidden
