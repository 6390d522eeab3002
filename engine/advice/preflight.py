"""Pre-flight findings before a release, each with the edit that fixes it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from math import prod

from engine.advice.columns import apply_suggestions, propose_hierarchies, proposed_hierarchy, set_suggested
from engine.advice.findings import Finding, Severity, listed
from engine.advice.persons import person_findings
from engine.advice.population import population_findings
from engine.advice.reach import fails_at_top
from engine.advice.requirement import (
    attacker_findings,
    cost_findings,
    questionnaire_findings,
    sampling_findings,
    survey_findings,
)
from engine.advice.revealed import fixes, revealed_findings, unchanged_findings
from engine.advice.rules import rule_findings
from engine.advice.spellings import spelling_findings
from engine.errors import InputError
from engine.frequency import SensitiveAttribute
from engine.hierarchies.relabel import find_mislabel
from engine.numbers import as_exact_count, as_general, as_percent, as_size, as_values
from engine.privacy import PrivacyModel
from engine.privacy.distinct_l_diversity import DistinctLDiversity
from engine.privacy.highest_risk import HighestRisk
from engine.privacy.k_anonymity import KAnonymity
from engine.project.compile import ONE_WAY, compile_problem, released_attribute, why_sensitive_refused
from engine.project.edits import (
    add_model,
    replace_model,
    set_aggregate,
    set_algorithm,
    set_hierarchies,
    set_hierarchy,
    set_metric,
    set_roles,
)
from engine.project.project import AttributeHierarchy, Project
from engine.qi_detection.suggest import RoleSuggestion, suggest_role, suggest_roles
from engine.recoding.ruled import rule_of
from engine.recoding.transformation import RULED
from engine.records import Column, Role
from engine.scoring.limits import LARGEST_LATTICE
from engine.search import search_algorithms
from engine.utility import utility_metrics
from engine.words import _, ngettext, within_sentence

LARGE_LATTICE = 200_000  # nodes from which scoring them all takes minutes


def preflight(project: Project, levels: Mapping[str, int] | None = None) -> tuple[Finding, ...]:
    """Look over a project; the most pressing findings come first.

    Parameters
    ----------
    levels : mapping of str to int, optional
        Those of the applied node, or else of the optimum, by quasi-identifying column.

    Returns
    -------
    tuple of Finding
        Those with an edit can be fixed by applying it to the project they were found in, or to a
        later one whose table is the same.
    """
    checks = (
        _roles,
        _lattice,
        _revealing,
        _hierarchies,
        _labels,
        aggregate_findings,
        population_findings,
        survey_findings,
        rule_findings,
        unchanged_findings,
        sampling_findings,
        _models,
        questionnaire_findings,
        attacker_findings,
        cost_findings,
        _sensitive,
        spelling_findings,
        _metric,
    )
    found = [finding for check in checks for finding in check(project)]
    found += person_findings(project, levels)
    if not any(finding.severity is Severity.BLOCKING for finding in found):
        found += [*reach_findings(project), *revealed_findings(project, levels)]
    order = list(Severity)
    return tuple(sorted(found, key=lambda finding: order.index(finding.severity)))


def add_gaps(project: Project, name: str) -> Project:
    """Add the values of a column that its hierarchy lacks."""
    entry = project.hierarchies[name]
    whole = entry.hierarchy.extended(entry.hierarchy.gaps(project.table.column(name)))
    return set_hierarchy(project, name, replace(entry, hierarchy=whole, path=None, builder=None))


def relabel(project: Project, name: str) -> Project:
    """Write the ranges of a hierarchy from their smallest to their largest value."""
    entry = project.hierarchies[name]
    mislabel = find_mislabel(entry.hierarchy, project.table.column(name))
    if mislabel is None or mislabel.relabelled is None:
        return project
    return set_hierarchy(
        project, name, replace(entry, hierarchy=mislabel.relabelled, path=None, builder=None)
    )


def _lattice(project: Project) -> Iterator[Finding]:
    columns = project.columns_of(Role.QUASI_IDENTIFYING)
    if not columns and project.undecided:
        return  # which is said of them
    if not columns:
        suggested = _of_role(suggest_roles(project.table), Role.QUASI_IDENTIFYING)
        names = {suggestion.column for suggestion in suggested}
        yield Finding(
            "no_qi",
            Severity.BLOCKING,
            _("No quasi-identifying column"),
            _("Mark the columns that outsiders may know, such as age or postal code"),
            _("mark {columns}").format(columns=listed(sorted(names, key=project.table.names.index)))
            if names
            else "",
            (lambda p: apply_suggestions(p, suggested)) if names else None,
        )
        return
    n_nodes = prod(_levels_allowed(project, column) for column in columns)
    if n_nodes > LARGEST_LATTICE:
        algorithm = search_algorithms[project.search.algorithm]
        refused = algorithm.settles_all
        detail = (
            _(
                "{n} nodes: the most promising are scored first, each exactly; commands refuse "
                "{algorithm} here"
            )
            if refused
            else _("{n} nodes: the most promising are scored first, each exactly")
        )
        yield Finding(
            "lattice",
            Severity.LOOK_AT,
            _("Lattice too large to score completely"),
            detail.format(n=as_exact_count(n_nodes), algorithm=algorithm.title),
            _("search best first") if refused else "",
            (lambda p: set_algorithm(p, "best_first")) if refused else None,
        )
    elif n_nodes > LARGE_LATTICE:
        yield Finding(
            "lattice",
            Severity.LOOK_AT,
            _("Large lattice"),
            _("{n_nodes} nodes take long to score; allow fewer levels or mark fewer columns").format(
                n_nodes=as_exact_count(n_nodes)
            ),
        )
    else:
        detail = ngettext("{n} node to score", "{n} nodes, few enough to score all", n_nodes).format(
            n=as_exact_count(n_nodes)
        )
        yield Finding("lattice", Severity.READY, _("Lattice"), detail)


def _levels_allowed(project: Project, column: Column) -> int:
    entry = None if _is_fixed(project, column.name) else project.hierarchies.get(column.name)
    return max(entry.top_level - entry.min_level + 1, 1) if entry else 1


def _is_fixed(project: Project, name: str) -> bool:
    """Return whether a column is released as an aggregate of classes that it has no part in forming."""
    function = project.microaggregation.get(name)
    return function is not None and not function.grouping


def _roles(project: Project) -> Iterator[Finding]:
    names = project.undecided
    if not names:
        return
    detail = ngettext(
        "{n} of {total} columns has no role yet: {names}. To release a column unchanged, make it insensitive",
        "{n} of {total} columns have no role yet: {names}. To release a column unchanged, make it "
        "insensitive",
        len(names),
    )
    yield Finding(
        "undecided",
        Severity.BLOCKING,
        _("Nothing can be released until every column has a role"),
        detail.format(
            n=as_exact_count(len(names)), total=as_exact_count(len(project.table.names)), names=listed(names)
        ),
        _("set suggested roles"),
        set_suggested,
    )


def _revealing(project: Project) -> Iterator[Finding]:
    table = project.table
    unchanged = [
        suggest_role(table.column(name), table.n_records)
        for name, role in project.roles.items()
        if role in RULED and rule_of(project, name) is None
    ]
    for suggestion in _of_role(unchanged, Role.IDENTIFYING):
        yield Finding(
            f"revealing:{suggestion.column}",
            Severity.LOOK_AT,
            _("{column} may identify").format(column=suggestion.column),
            _("{reason} Its role is {role}, so it is released unchanged").format(
                reason=suggestion.reason, role=_(project.roles[suggestion.column].value)
            ),
            _("set it identifying"),
            lambda p, name=suggestion.column: set_roles(p, [name], Role.IDENTIFYING),  # type: ignore[misc]
        )
    for suggestion in _of_role(unchanged, Role.QUASI_IDENTIFYING):
        role = project.roles[suggestion.column]
        yield Finding(
            f"linkable:{suggestion.column}",
            Severity.LOOK_AT,
            _("{column} may be quasi-identifying").format(column=suggestion.column),
            _("{reason} Its role is {role}, so it is released unchanged").format(
                reason=suggestion.reason, role=_(role.value)
            ),
            *fixes([suggestion.column] if role is Role.INSENSITIVE else []),
        )


def _hierarchies(project: Project) -> Iterator[Finding]:
    columns = [
        column
        for column in project.columns_of(Role.QUASI_IDENTIFYING)
        if column.name in project.hierarchies or not _is_fixed(project, column.name)
    ]
    without = [column.name for column in columns if column.name not in project.hierarchies]
    n_complete = 0
    for column in columns:
        if (entry := project.hierarchies.get(column.name)) is None:
            continue
        problems = list(_hierarchy(column, entry))
        n_complete += not problems
        yield from problems
    if without:
        yield Finding(
            "no_hierarchy",
            Severity.LOOK_AT,
            ngettext("{n} column has no hierarchy", "{n} columns have no hierarchy", len(without)).format(
                n=as_exact_count(len(without))
            ),
            _("Cannot be generalized: {columns}").format(columns=listed(without)),
            ngettext("suggest one", "suggest them", len(without)),
            lambda p: propose_hierarchies(p, without),
        )
    if columns and n_complete == len(columns):
        yield Finding(
            "hierarchies",
            Severity.READY,
            _("Hierarchies"),
            _("{n_complete} of {n} cover every value").format(n_complete=n_complete, n=len(columns)),
        )


def _hierarchy(column: Column, entry: AttributeHierarchy) -> Iterator[Finding]:
    name, hierarchy = column.name, entry.hierarchy
    gaps = hierarchy.gaps(column)
    if gaps:
        yield Finding(
            f"gaps:{name}",
            Severity.BLOCKING,
            ngettext(
                "{column}: {n} value is not in its hierarchy",
                "{column}: {n} values are not in its hierarchy",
                len(gaps),
            ).format(column=name, n=as_exact_count(len(gaps))),
            listed([_("'{name}'").format(name=value) for value in gaps]),
            ngettext("add it", "add them", len(gaps)),
            lambda p: add_gaps(p, name),
        )
    if not 0 <= entry.min_level <= entry.top_level <= hierarchy.height:
        yield Finding(
            f"levels:{name}",
            Severity.BLOCKING,
            _("{name}: levels that do not exist").format(name=name),
            _("{min_level} to {top_level} are allowed, but it has 0 to {height}").format(
                min_level=entry.min_level, top_level=entry.top_level, height=hierarchy.height
            ),
            _("allow all levels"),
            lambda p: set_hierarchy(p, name, replace(p.hierarchies[name], min_level=0, max_level=None)),
        )


def _labels(project: Project) -> Iterator[Finding]:
    for column in project.columns_of(Role.QUASI_IDENTIFYING):
        entry = project.hierarchies.get(column.name)
        mislabel = find_mislabel(entry.hierarchy, column) if entry else None
        if mislabel is None:
            continue
        (value, label), *further = mislabel.examples
        detail = _("{name} {value} is in group {label}").format(name=column.name, value=value, label=label)
        detail += "".join(
            _(", {name} {value} in {label}").format(name=column.name, value=value, label=label)
            for value, label in further
        )
        can_fix = mislabel.relabelled is not None
        yield Finding(
            f"labels:{column.name}",
            Severity.LOOK_AT,
            f"{column.name}: {mislabel.summary}",
            detail,
            _("relabel") if can_fix else "",
            (lambda p, name=column.name: relabel(p, name)) if can_fix else None,  # type: ignore[misc]
        )


def _models(project: Project) -> Iterator[Finding]:
    n_records, n_counted, requirement = project.n_records, project.n_people, project.requirement
    if not requirement.models:
        k = min(5, max(n_records, 1))
        yield Finding(
            "no_model",
            Severity.LOOK_AT,
            _("No privacy model"),
            _("Every node satisfies, including the original values"),
            _("add k-anonymity, k = {k}").format(k=as_general(k, 3)),
            lambda p: add_model(p, KAnonymity(k)),
        )
    for index, model in enumerate(requirement.models):
        if model.required_k is not None and model.required_k > n_counted > 0:
            can_suppress_all = requirement.allowed(n_records) == n_records
            size = min(5, n_counted)
            # the class size of differential privacy follows from its parameters, which no edit chooses
            lower = None if model is requirement.sampling else _for_class_size(model, size)
            title, fix = _("k = {size} is more than all {records}"), _("use k = {k}")
            if isinstance(model, HighestRisk):
                title = _("Risk {limit}: classes of {size} are larger than all {records} together")
                fix = _("use a risk of {risk}")
            yield Finding(
                f"k:{index}",
                Severity.LOOK_AT if can_suppress_all else Severity.BLOCKING,
                project.counted.said(title).format(
                    limit=as_percent(model.limit), size=as_size(model.required_k)
                ),
                _("The table has {n_counted}, so no class can be that large").format(
                    n_counted=as_exact_count(n_counted)
                ),
                "" if lower is None else fix.format(risk=as_percent(lower.limit), k=as_general(size, 3)),
                None if lower is None else _with_model(index, lower),
            )
        for name in model.columns:
            if (attribute := _measured(project, name)) is not None:
                yield from _model_on(index, model, attribute)


def _measured(project: Project, name: str) -> SensitiveAttribute | None:
    """Return a sensitive column as released; None if it is not, which other findings report."""
    try:
        return released_attribute(project, name)
    except InputError:
        return None


def _for_class_size(model: PrivacyModel, size: int) -> PrivacyModel:
    """The model asking for classes of a size, by the corresponding risk if it is stated as one."""
    if isinstance(model, HighestRisk):
        return replace(model, threshold=1 / size)
    return replace(model, k=size)  # type: ignore[type-var]  # members are dataclasses


def _model_on(index: int, model: PrivacyModel, attribute: SensitiveAttribute) -> Iterator[Finding]:
    column, n_values = attribute.column, attribute.n_values
    wanted = getattr(model, "l", 0)
    if wanted > n_values > 0:
        lower = replace(model, l=n_values)  # type: ignore[type-var]  # members are dataclasses
        yield Finding(
            f"l:{index}",
            Severity.BLOCKING,
            _("l = {wanted} is more than the values of {name}").format(
                wanted=as_size(wanted), name=column.name
            ),
            _("It has {n_values}, so no class can have more").format(n_values=as_values(n_values)),
            _("use l = {n_values}").format(n_values=n_values),
            _with_model(index, lower),
        )
    distance = getattr(model, "distance", None) or ""
    reason = attribute.why_not(distance)
    if reason:
        equal = replace(model, distance="equal")  # type: ignore[type-var]  # members are dataclasses
        yield Finding(
            f"distance:{index}",
            Severity.BLOCKING,
            _("{column}: no distance '{distance}'").format(column=column.name, distance=distance),
            reason,
            _("use equal distance"),
            _with_model(index, equal),
        )


def _with_model(index: int, model: PrivacyModel) -> Callable[[Project], Project]:
    return lambda project: replace_model(project, index, model)


def _metric(project: Project) -> Iterator[Finding]:
    metric = utility_metrics[project.search.metric]
    if metric.needs_target and project.target_column is None:
        yield Finding(
            "target",
            Severity.BLOCKING,
            _("{title} needs a target").format(title=metric.title),
            _("It measures how well a sensitive column can be predicted from the release; there is none"),
            _("use the metric loss instead"),
            lambda p: set_metric(p, "loss"),
        )


def _sensitive(project: Project) -> Iterator[Finding]:
    names = project.sensitive
    if not names:
        yield Finding(
            "no_sensitive",
            Severity.NOTE,
            _("No sensitive column"),
            _("Records are protected against linkage, but not what a class has in common"),
        )
        return
    for name in names:
        if reason := _why_refused(project, name):
            yield Finding(f"ways:{name}", Severity.BLOCKING, reason.removesuffix("."), _(ONE_WAY))
    n_models = {name: sum(name in model.columns for model in project.requirement.models) for name in names}
    for name in names:
        if n_models[name]:
            continue
        attribute = _measured(project, name)
        can_vary = attribute is not None and attribute.n_values >= 2
        yield Finding(
            f"unprotected:{name}",
            Severity.LOOK_AT,
            _("{name}: no model protects it").format(name=name),
            _("All records of a class could have the same value, which would then be learned"),
            _("add l-diversity, l = 2") if can_vary else "",
            (lambda p, name=name: add_model(p, DistinctLDiversity(name, 2))) if can_vary else None,  # type: ignore[misc]
        )
    protected = [name for name in names if n_models[name]]
    if len(protected) == 1:
        n = n_models[protected[0]]
        detail = ngettext("{column} has {n} model", "{column} has {n} models", n)
        yield Finding(
            "sensitive",
            Severity.NOTE,
            _("Sensitive"),
            detail.format(column=protected[0], n=as_exact_count(n)),
        )
    elif protected:
        yield Finding(
            "sensitive",
            Severity.NOTE,
            _("Sensitive"),
            _("{n} of {total} columns have models").format(n=len(protected), total=len(names)),
        )


def _why_refused(project: Project, name: str) -> str:
    try:
        return why_sensitive_refused(project, name)
    except InputError:
        return ""  # of its rule, which has findings of its own


def _of_role(suggestions: Iterable[RoleSuggestion], role: Role) -> list[RoleSuggestion]:
    return [suggestion for suggestion in suggestions if suggestion.role is role]


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
                _("{name} has no {title}").format(name=column.name, title=within_sentence(function.title)),
                reason,
                _("release its labels"),
                lambda p, name=column.name: set_aggregate(p, name, None),  # type: ignore[misc]
            )
        elif function.grouping and project.recoding is not None:
            yield Finding(
                f"grouped:{column.name}",
                Severity.BLOCKING,
                _("{name} forms classes and is aggregated").format(name=column.name),
                _("With {title}, levels vary by record, so its labels form no classes").format(
                    title=project.recoding.title
                ),
                _("release one node"),
                lambda p: replace(p, recoding=None),
            )


def reach_findings(project: Project) -> Iterator[Finding]:
    """Yield that no node can satisfy; of a project that other findings do not block."""
    try:
        found = fails_at_top(project, compile_problem(project))
    except InputError:
        return  # what does not compile has findings of its own
    if found is None:
        return
    columns = found.columns
    fix = _("allow hiding {columns}").format(columns=listed(columns)) if columns else ""
    if columns and project.hierarchies.keys().isdisjoint(columns):
        fix = _("suggest hierarchies")
    yield Finding(
        "reach",
        Severity.BLOCKING,
        _("No node can satisfy"),
        f"{found.detail} {found.hint}".removesuffix("."),
        fix,
        (lambda p: let_be_hidden(p, columns)) if columns else None,
    )


def let_be_hidden(project: Project, columns: tuple[str, ...]) -> Project:
    """Let columns be generalized until one value remains, adding the missing hierarchies."""
    changes: dict[str, AttributeHierarchy | None] = {}
    for name in columns:
        entry = project.hierarchies.get(name)
        if entry is None:
            entry, _reason = proposed_hierarchy(project.table, name)
        if entry.hierarchy.top_label is None:
            entry = replace(entry, hierarchy=entry.hierarchy.rooted(), path=None, builder=None)
        changes[name] = replace(entry, max_level=None)
    return set_hierarchies(project, changes)
