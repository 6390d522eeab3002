"""Statements: each field of an outline filled by facts of the project and by answers, and how many are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from engine.findings.blocks import Block, Fact, Facts, FigureColumn, FigureTable, Paragraph, Shown, Signatures
from engine.findings.risk.attack_test import INFERENCE, LINKABILITY, SINGLING_OUT
from engine.monitor import SILENT, Monitor, PartMonitor
from engine.numbers import as_exact_count, as_percent
from engine.project.outlines import CORE, Field, Outline, outline_of
from engine.project.statement import QUESTIONS
from engine.records import Role
from engine.report.sections import requirement, search, suppressed, unchanged
from engine.report.sections.material import ReportedRelease
from engine.report.statements import data, method, risk
from engine.words import N_, _, pgettext

PROJECT, ANSWERS, OPEN, WITHHELD = "project", "answers", "open", "withheld"
_STATES = {
    PROJECT: N_("the project"),
    ANSWERS: N_("answers"),
    OPEN: N_("to be entered"),
    WITHHELD: N_("withheld"),
}
_ABOUT = {
    "data": N_("data"),
    "method": N_("method"),
    "risk": N_("risk"),
    "context": N_("context"),
    "governance": N_("governance"),
}


@dataclass(frozen=True)
class Filler:
    """Fact of a project.

    Attributes
    ----------
    blocks : callable
        Returns its blocks as readers of this audience may see them; none if the project does not have it.
    is_of_settings : bool
        Whether it follows from the settings alone, so that it is published even if records are drawn.
    lacks : str
        What to do so that the project has it; empty if it always has.
    """

    blocks: Callable[[ReportedRelease, Monitor], Iterable[Block]]
    is_of_settings: bool = False
    lacks: str = ""


_ASK = N_("answers to the questionnaire ('anonymizer questionnaire RECIPE')")
FACTS: Mapping[str, Filler] = {
    "table": Filler(data.table),
    "cells": Filler(data.cells),
    "roles": Filler(data.roles, is_of_settings=True),
    "identifiers": Filler(data.of_role(Role.IDENTIFYING), is_of_settings=True),
    "quasi_identifiers": Filler(data.of_role(Role.QUASI_IDENTIFYING), is_of_settings=True),
    "sensitive": Filler(data.of_role(Role.SENSITIVE), is_of_settings=True),
    "persons": Filler(data.persons),
    "population": Filler(data.population, lacks=N_("the reference population")),
    "availability": Filler(data.availability, is_of_settings=True),
    "distinguishability": Filler(data.distinguishability),
    "recipient_kind": Filler(data.answered("recipient", "contract"), is_of_settings=True, lacks=_ASK),
    "knowledge": Filler(data.answered("knowledge"), is_of_settings=True, lacks=_ASK),
    "harm": Filler(data.answered("harm"), is_of_settings=True, lacks=_ASK),
    "models": Filler(requirement.blocks, is_of_settings=True),
    "search": Filler(search.blocks),
    "changed": Filler(method.changed, is_of_settings=True),
    "rules": Filler(method.rules, is_of_settings=True),
    "codes": Filler(method.codes, is_of_settings=True),
    "suppressed": Filler(suppressed.blocks),
    "utility": Filler(method.utility),
    "verification": Filler(method.verified, lacks=N_("a written and verified file")),
    "program": Filler(method.program, is_of_settings=True),
    "alternatives": Filler(
        search.alternatives, lacks=N_("pinned nodes, as alternatives that were considered")
    ),
    "status": Filler(risk.status, is_of_settings=True),
    "verdict": Filler(risk.verdict),
    "attackers": Filler(risk.attackers),
    "threshold": Filler(risk.threshold),
    "attempts": Filler(risk.attempts),
    "unchanged": Filler(unchanged.blocks),
    "linked": Filler(risk.linked),
    "singling_out": Filler(risk.question(SINGLING_OUT)),
    "linkability": Filler(risk.question(LINKABILITY)),
    "inference": Filler(risk.question(INFERENCE)),
    "attack_test": Filler(risk.attack_test, lacks=risk.NOT_TESTED),
    "earlier": Filler(
        risk.earlier, lacks=N_("a release ledger ('anonymizer anonymize RECIPE --ledger FILE')")
    ),
}


@dataclass(frozen=True)
class Filled:
    """Field with its content.

    Attributes
    ----------
    state : {"project", "answers", "open", "withheld"}
        Where the content is from: facts of the project, answers alone, or none as long as a fact or an answer
        is to be entered, or because it is not for these readers.
    """

    field: Field
    state: str
    blocks: tuple[Block, ...]


def filled(material: ReportedRelease, outline: Outline, monitor: Monitor = SILENT) -> tuple[Filled, ...]:
    """Return the fields of an outline with their content."""
    known: dict[str, tuple[Block, ...]] = {}
    found = []
    for number, field in enumerate(outline.fields):
        part = PartMonitor(monitor, number, len(outline.fields))
        part.step(0, 1, _("Writing: {title}").format(title=field.heading))
        for key in field.facts:
            if key not in known:
                known[key] = _blocks_of(material, FACTS[key], part)
        found.append(_filled(material, field, known))
    return tuple(found)


def _blocks_of(material: ReportedRelease, filler: Filler, monitor: Monitor) -> tuple[Block, ...]:
    if material.hides_data and not filler.is_of_settings:
        return ()
    return material.disclosure.shown(filler.blocks(material, monitor))


def _filled(material: ReportedRelease, field: Field, known: Mapping[str, tuple[Block, ...]]) -> Filled:
    blocks: list[Block] = [block for key in field.facts for block in known[key]]
    of_facts, lacking = len(blocks), [key for key in field.facts if not known[key]]
    answers = {name: answer_of(material, name) for name in field.asks}
    missing = [name for name, text in answers.items() if not text]
    given = tuple(Fact(name, QUESTIONS[name].label, text) for name, text in answers.items() if text)
    blocks += [Facts("answers", "", given)] if given else []
    hints = [_(FACTS[key].lacks) for key in lacking if FACTS[key].lacks]
    asked = [f"{QUESTIONS[name].label}: {QUESTIONS[name].help}" for name in missing]
    if material.settings.is_public and lacking and not of_facts and not field.asks:
        return Filled(field, WITHHELD, (Paragraph(_("The internal statement may have it."), "note"),))
    state = OPEN if missing or not blocks else PROJECT if of_facts else ANSWERS
    words = _("To be entered: {what}")
    blocks += [Paragraph(words.format(what=what), "note") for what in (*hints, *asked)]
    return Filled(field, state, tuple(blocks))


def answer_of(material: ReportedRelease, name: str) -> str:
    """Return the answer to a question as text, for which the settings of the report come first."""
    of_report = {"purpose": "purpose", "recipient": "recipient", "responsible": "author"}
    given = getattr(material.settings, of_report[name]).strip() if name in of_report else ""
    answer: Any = given or getattr(material.project.statement, name)
    if isinstance(answer, float):
        return as_percent(answer)
    return ", ".join(answer) if isinstance(answer, tuple) else str(answer or "")


SectionParts: TypeAlias = tuple[str, str, tuple[Block, ...]]
"""Key, title and blocks of a section."""


def statement_sections(material: ReportedRelease, monitor: Monitor = SILENT) -> Iterator[SectionParts]:
    """Yield the sections of a statement: its source and the count of fields, then one for each field."""
    outline = outline_of(material.settings.form)
    fields = filled(material, outline, monitor)
    yield "statement", _("Statement"), tuple(_head(outline, fields))
    for number, found in enumerate(fields, 1):
        yield f"field.{number}", found.field.title, found.blocks
    author = answer_of(material, "responsible") or _("Prepared by")
    expert = answer_of(material, "expert") or _("Approved by")
    yield "signatures", _("Signatures"), (Signatures((author, expert)),)


def _head(outline: Outline, fields: Sequence[Filled]) -> Iterator[Block]:
    counts = {state: sum(found.state == state for found in fields) for state in _STATES}
    core = [found for found in fields if found.field.about in CORE]
    n_core, n_known = len(core), sum(found.state == PROJECT for found in core)
    yield Paragraph(
        _(
            "{n} fields: {project} filled from the project, {answers} by answers, {open} to be entered, "
            "{withheld} withheld."
        ).format(n=as_exact_count(len(fields)), **{key: as_exact_count(n) for key, n in counts.items()}),
        "strong",
    )
    words = _("Of the {n} fields on data, method and risk, {known} ({share}) are filled from the project.")
    share = as_percent(n_known / n_core if n_core else None, 0)
    yield Paragraph(words.format(n=as_exact_count(n_core), known=as_exact_count(n_known), share=share))
    facts = (
        Fact("form", _("Form"), outline.key),
        Fact("source", _("Source"), outline.source),
        Fact("edition", _("Edition"), outline.edition),
        Fact("published", _("Date of the edition"), outline.published.isoformat()),
        Fact("address", _("Address"), outline.address),
    )
    yield Facts("outline", "", facts)
    yield Paragraph(outline.note, "note")
    columns: Sequence[Shown[Filled]] = (
        (FigureColumn("number", pgettext("of a field", "Number")), lambda found: found.field.number),
        (FigureColumn("heading", _("Field")), lambda found: found.field.heading),
        (FigureColumn("about", _("About")), lambda found: _(_ABOUT[found.field.about])),
        (FigureColumn("state", _("Filled from")), lambda found: _(_STATES[found.state])),
    )
    yield FigureTable.of_items("fields", _("Fields"), columns, fields)
