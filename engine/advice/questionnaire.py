"""Findings about the questionnaire: requirements that its answers demand and a project lacks."""

from __future__ import annotations

from collections.abc import Iterator

from engine.advice.findings import Finding, Severity
from engine.numbers import as_exact_count
from engine.project.project import Project
from engine.project.questionnaire import Demand, demands, strengthen
from engine.words import _, ngettext


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
