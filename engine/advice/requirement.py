"""Findings on parts of a requirement: differential privacy, attackers, questionnaire, survey weights."""

from __future__ import annotations

from collections.abc import Iterator

from engine.advice.findings import Finding, Severity, listed
from engine.errors import InputError
from engine.frequency.persons import is_repeated
from engine.frequency.population import weight_counts, why_no_weights
from engine.numbers import as_exact_count, as_people, as_records, as_typed
from engine.privacy import PrivacyModel
from engine.privacy.attackers import AttackerModel
from engine.privacy.profitability import Profitability
from engine.project.edits import remove_model, set_household, set_person, set_roles, set_weight
from engine.project.project import Project
from engine.project.questionnaire import Demand, demands, strengthen
from engine.project.refusals import refuse_uncovered, uncovered_columns
from engine.records import Role
from engine.words import _, ngettext

WEAK_EPSILON = 3.0


def sampling_findings(project: Project) -> Iterator[Finding]:
    """Yield findings on a model that draws records at random."""
    model = project.requirement.sampling
    if model is None:
        return
    uncovered = uncovered_columns(project)
    if uncovered:
        yield Finding(
            "sampling.columns",
            Severity.BLOCKING,
            _("Differential privacy does not cover {columns}").format(columns=listed(uncovered)),
            _("Released unchanged. Make them quasi-identifying with a hierarchy, or hide them"),
            _("hide {columns}").format(columns=listed(uncovered)),
            lambda p: set_roles(p, uncovered, Role.IDENTIFYING),
        )
    else:
        try:
            refuse_uncovered(project)
        except InputError as error:
            yield Finding(
                "sampling.refused",
                Severity.BLOCKING,
                error.problem.removesuffix("."),
                error.hint.removesuffix("."),
            )
    n_records = project.table.n_records
    try:
        n_drawn = project.records.n_records
    except InputError as error:
        yield Finding(
            "sampling.none", Severity.BLOCKING, error.problem.removesuffix("."), error.hint.removesuffix(".")
        )
    else:
        yield Finding(
            "sampling.drawn",
            Severity.NOTE,
            _("Drawn at random"),
            _("{n} of {total} records").format(n=as_exact_count(n_drawn), total=as_exact_count(n_records)),
        )
    if model.delta * n_records >= 1:
        yield Finding(
            "sampling.delta",
            Severity.LOOK_AT,
            _("δ is {delta}, at least 1 / {n}").format(
                delta=as_typed(model.delta, 0), n=as_exact_count(n_records)
            ),
            _("A release could reveal a whole record. Choose δ well below 1 / records"),
        )
    if model.epsilon > WEAK_EPSILON:
        yield Finding(
            "sampling.epsilon",
            Severity.LOOK_AT,
            _("ε is {epsilon}, above {weak}").format(
                epsilon=as_typed(model.epsilon, 0), weak=as_typed(WEAK_EPSILON, 0)
            ),
            _("Little is guaranteed. Up to 1 is strong"),
        )
    if not model.is_node_fixed:
        yield Finding(
            "sampling.node",
            Severity.LOOK_AT,
            _("Differential privacy does not cover the choice of the node"),
            _("Declare a degree or levels before looking at the data, for the full guarantee"),
        )


def attacker_findings(project: Project) -> Iterator[Finding]:
    """Yield the attackers whose demand follows from that of another model."""
    models, names = project.requirement.models, tuple(project.quasi_identifying)
    for index, model in enumerate(models):
        if not isinstance(model, AttackerModel):
            continue
        if model.confidence < 1.0 and project.person is not None:
            continue  # a share of people may be larger in a union of groups
        for place, other in enumerate(models):
            # of two that follow from each other, the first stays
            is_same = isinstance(other, AttackerModel) and other.follows_from(model, names)
            if place == index or (is_same and place > index) or not model.follows_from(other, names):
                continue
            yield Finding(
                f"follows:{index}",
                Severity.LOOK_AT,
                _("{model} adds nothing").format(model=_named(model)),
                _("It follows from {other}: same or more columns, and k at least as large").format(
                    other=_named(other)
                ),
                _("remove it"),
                lambda p, index=index: remove_model(p, index),  # type: ignore[misc]
            )
            break


def _named(model: PrivacyModel) -> str:
    return f"{model.title} ({model.details})" if model.details else model.title


def cost_findings(project: Project) -> Iterator[Finding]:
    """Yield the models that unchanged records meet whatever their classes, as attacks cost too little."""
    for index, model in enumerate(project.requirement.models):
        if not isinstance(model, Profitability):
            continue
        sums = model.sums
        if sums.most_attacked < 1:
            reason = _("No attack gains more than it costs")
        elif sums.loss < sums.benefit:
            reason = _("Even a record that is surely re-identified pays more than its damage")
        else:
            continue
        yield Finding(
            f"pays_unchanged:{index}",
            Severity.LOOK_AT,
            _("These sums never refuse to publish the table unchanged, so they give no protection"),
            reason,
        )


def questionnaire_findings(project: Project) -> Iterator[Finding]:
    """Yield the requirements that are weaker than the answers demand, and questions without an answer."""
    answers = project.answers
    if not answers.is_given:
        return
    if asked := answers.open_questions:
        yield Finding(
            "questionnaire_open",
            Severity.LOOK_AT,
            ngettext(
                "Questionnaire: {n} question is not answered",
                "Questionnaire: {n} questions are not answered",
                len(asked),
            ).format(n=as_exact_count(len(asked))),
            _("Rules that need an answer demand nothing yet: {questions}").format(
                questions=", ".join(question.title for question in asked)
            ),
        )
    found = demands(project)
    for demand in found:
        if not demand.is_met:
            yield _of_demand(demand)
    if found and all(demand.is_met for demand in found):
        yield Finding(
            "questionnaire",
            Severity.READY,
            _("Questionnaire"),
            ngettext(
                "{n} requirement follows from the answers and is set",
                "{n} requirements follow from the answers and are set",
                len(found),
            ).format(n=as_exact_count(len(found))),
        )


def _of_demand(demand: Demand) -> Finding:
    reason = demand.reasons[0]
    return Finding(
        f"weaker:{demand.key}",
        Severity.LOOK_AT,
        _("Weaker than your answers demand: {demand}").format(demand=demand.words),
        _("Now: {current}. {because}: {why} ({source})").format(
            current=demand.current, because=reason.because, why=reason.rule.why, source=reason.rule.source
        ),
        _("set it"),
        lambda p: strengthen(p, demand),
    )


def survey_findings(project: Project) -> Iterator[Finding]:
    """Yield findings on the columns of weights and households, and on models that need weights."""
    try:
        records = project.records
    except InputError:
        return  # a subset that cannot be found has a finding of its own
    if project.weight is not None:
        column = records.column(project.weight)
        if problem := why_no_weights(column):
            yield Finding(
                "weights",
                Severity.BLOCKING,
                _("Survey weights cannot be used"),
                problem,
                _("ignore the weights"),
                lambda p: set_weight(p, None),
            )
        elif n_small := weight_counts(column).below_one:
            yield Finding(
                "small_weights",
                Severity.LOOK_AT,
                ngettext(
                    "{column}: {n} record with a weight below 1",
                    "{column}: {n} records with a weight below 1",
                    n_small,
                ).format(column=column.name, n=as_exact_count(n_small)),
                _("A record stands for at least one person. Check whether these are survey weights"),
            )
        else:
            yield Finding(
                "weights",
                Severity.READY,
                _("Survey weights"),
                _("{records} stand for {people}, by {column}").format(
                    records=as_records(records.n_records),
                    people=as_people(round(float(column.numbers @ column.counts))),
                    column=column.name,
                ),
            )
    if project.household is not None:
        column = records.column(project.household)
        n_missing = int(column.counts[-1]) if column.has_missing else 0
        if n_missing:
            yield Finding(
                "no_household",
                Severity.NOTE,
                ngettext(
                    "{column}: {n} record without a household",
                    "{column}: {n} records without a household",
                    n_missing,
                ).format(column=column.name, n=as_exact_count(n_missing)),
                _("Each counts as a household"),
            )
        elif int(column.counts.max(initial=0)) <= 1:
            yield Finding(
                "single_households",
                Severity.LOOK_AT,
                _("{column}: every household has one record").format(column=column.name),
                _("Household risk then equals individual risk"),
                _("ignore the households"),
                lambda p: set_household(p, None),
            )
    yield from _models(project)


def _models(project: Project) -> Iterator[Finding]:
    """Yield findings on models that need weights and have none."""
    person = None if project.person is None else project.table.column(project.person)
    for index, model in enumerate(project.requirement.models):
        if not model.needs_weights:
            continue
        if project.weight is None:
            yield Finding(
                f"needs_weights:{index}",
                Severity.BLOCKING,
                _("{model} needs survey weights").format(model=model.title),
                _("Select a numeric column, check Survey weights, or remove the model"),
                _("remove the model"),
                lambda p, number=index: remove_model(p, number),  # type: ignore[misc]
            )
        elif person is not None and is_repeated(person):
            yield Finding(
                f"weights_of_people:{index}",
                Severity.BLOCKING,
                _("{model} needs one record per person").format(model=model.title),
                _("'{column}' repeats, so people have several records").format(column=person.name),
                _("count records"),
                lambda p: set_person(p, None),
            )
