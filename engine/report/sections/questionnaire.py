"""Answers on who gets the release, the requirements that follow, and what was set instead."""

from __future__ import annotations

from collections.abc import Iterator

from engine.findings.blocks import Block, FigureColumn, FigureTable, Paragraph
from engine.monitor import SILENT, Monitor
from engine.project import Project
from engine.project.questionnaire import Demand, demands, effects
from engine.report.material.reported import ReportedRelease
from engine.words import _, ngettext


def blocks(material: ReportedRelease, monitor: Monitor = SILENT) -> Iterator[Block]:
    """Yield each answer with its effect, and each requirement with the answers and publications behind it."""
    project = material.project
    if not project.answers.is_given:
        return
    found = demands(project)
    words = _(
        "The person responsible answered these questions. Published rules lead from answers to "
        "requirements: they add up, and the strictest wins."
    )
    yield Paragraph(words)
    yield _answers(project)
    if found:
        yield _requirements(found)
        yield _reasons(found)
    else:
        yield Paragraph(_("No rule demands anything of these answers."))
    yield from _remarks(project, found)


def _answers(project: Project) -> FigureTable:
    demanded = effects(project, project.answers)
    columns = (
        FigureColumn("question", _("Question")),
        FigureColumn("answer", _("Answer")),
        FigureColumn("effect", _("Effect")),
        FigureColumn("demands", _("Demands")),
    )
    rows = [
        (
            question.asks,
            answer.title if answer is not None else _("not answered"),
            answer.effect if answer is not None else _("Rules that need the answer demand nothing."),
            "; ".join(demanded[question.key]) or _("nothing"),
        )
        for question, answer in project.answers.pairs
    ]
    if known := project.answers.known:
        effect = _("These columns must be quasi-identifying, or known if they are sensitive.")
        rows.append((_("Which columns could an attacker know?"), ", ".join(known), effect, ""))
    return FigureTable("answers", "", columns, rows)


def _requirements(found: tuple[Demand, ...]) -> FigureTable:
    columns = (
        FigureColumn("demand", _("Demanded")),
        FigureColumn("current", _("Setting")),
        FigureColumn("met", _("Met")),
        FigureColumn("because", _("Decided by")),
        FigureColumn("note", _("Remark"), is_internal=True),  # it has the number of sensitive values
    )
    rows = [
        (
            demand.words,
            demand.current,
            _("yes") if demand.is_met else _("no"),
            " / ".join(dict.fromkeys(reason.because for reason in demand.reasons if reason.decides)),
            demand.note,
        )
        for demand in found
    ]
    return FigureTable("demands", _("Requirements that follow from the answers"), columns, rows)


def _reasons(found: tuple[Demand, ...]) -> FigureTable:
    columns = (
        FigureColumn("demand", _("Requirement")),
        FigureColumn("because", _("Answers")),
        FigureColumn("why", _("Reason")),
        FigureColumn("source", _("Source")),
        FigureColumn("decides", _("Strictest")),
    )
    rows = [
        (
            reason.words,
            reason.because,
            reason.rule.why,
            reason.rule.source,
            _("yes") if reason.decides else _("no"),
        )
        for demand in found
        for reason in demand.reasons
    ]
    return FigureTable("rules", _("Rules that apply"), columns, rows)


def _remarks(project: Project, found: tuple[Demand, ...]) -> Iterator[Block]:
    """Yield what the settings lack of what the answers demand."""
    lacking = [demand for demand in found if not demand.is_met]
    if lacking:
        listed = "; ".join(
            _("{demand} (set: {current})").format(demand=demand.words, current=demand.current)
            for demand in lacking
        )
        words = _("The settings are weaker than the answers demand: {listed}.").format(listed=listed)
        yield Paragraph(words, "warn")
    elif found:
        yield Paragraph(_("The settings meet everything that the answers demand."), "ok")
    if n_open := len(project.answers.open_questions):
        words = ngettext("{n} question was not answered.", "{n} questions were not answered.", n_open)
        yield Paragraph(words.format(n=n_open), "warn")
    words = _(
        "Thresholds are one part of a decision. The answers are statements of the person responsible, which "
        "this program cannot check."
    )
    yield Paragraph(words, "note")
