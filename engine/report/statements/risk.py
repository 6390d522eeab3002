"""Facts about the risk that a project knows, and the attempts that it is weighed with."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from engine.findings.blocks import (
    SHARE,
    Block,
    Chart,
    Fact,
    Facts,
    Figure,
    FigureColumn,
    FigureTable,
    Paragraph,
)
from engine.findings.format_value import format_value
from engine.findings.risk.attack_test import (
    INFERENCE,
    LINKABILITY,
    RISKS,
    SINGLING_OUT,
)
from engine.findings.risk.verdict import class_clause, most_revealing, revealed_clauses
from engine.monitor import SILENT, Monitor
from engine.numbers import as_exact_count, as_risk
from engine.project.questionnaire import demands, model_words
from engine.report.sections import decision, risks, summary
from engine.report.sections.material import ReportedRelease
from engine.words import N_, _, ngettext

_ATTEMPTS = (
    ("deliberate", N_("A recipient tries to re-identify people")),
    ("acquaintance", N_("A recipient knows someone in the data")),
    ("breach", N_("The data are lost to someone who tries")),
)
NOT_TESTED = N_(
    "the result of an attack test: add [attack_test] to the recipe, or run 'anonymizer attack RECIPE'"
)


def status(material: ReportedRelease, monitor: Monitor = SILENT) -> Iterator[Block]:
    """Yield the status in the words of the law, with its basis."""
    yield decision.status(material)


def verdict(material: ReportedRelease, monitor: Monitor = SILENT) -> Iterator[Block]:
    """Yield the verdict, the worst clause first."""
    yield from decision.verdict(material, monitor)


def attackers(material: ReportedRelease, monitor: Monitor = SILENT) -> Iterator[Block]:
    """Yield the risk by attackers, before and after."""
    yield from (block for block in risks.blocks(material, monitor) if not isinstance(block, Chart))
    claim = material.selection_leak.claim.removesuffix(".")
    yield Paragraph(_("An attacker who knows how the node was chosen: {claim}.").format(claim=claim), "note")


def threshold(material: ReportedRelease, monitor: Monitor = SILENT) -> Iterator[Block]:
    """Yield the accepted risk, the highest one, the models, and the sources behind them."""
    k, requirement = material.subject.after.k, material.release.requirement
    hides = material.disclosure.hides_choice  # thresholds of sensitive columns
    models = "; ".join(model_words(own) for own in requirement.models if not (hides and own.columns))
    facts = (
        Fact("accepted", _("Accepted risk"), material.settings.accepted_risk, SHARE),
        Fact("highest", _("Highest risk of the release"), _highest(material, k), SHARE),
        Fact("required", _("Required"), models or _("nothing")),
    )
    yield Facts("threshold", "", facts)
    reasons = [reason for demand in demands(material.project) for reason in demand.reasons if reason.decides]
    for source in dict.fromkeys(reason.rule.source for reason in reasons):
        yield Paragraph(_("Source of a threshold: {source}.").format(source=source))


def _highest(material: ReportedRelease, k: int | None) -> Figure:
    return material.disclosure.highest(1 / k if k else None)


def attempts(material: ReportedRelease, monitor: Monitor = SILENT) -> Iterator[Block]:
    """Yield the probability of each attempt times the risk given an attempt, against the accepted risk."""
    accepted, highest = material.settings.accepted_risk, _highest(material, material.subject.after.k)
    columns = (
        FigureColumn("attempt", _("Attempt")),
        FigureColumn("probability", _("Probability"), SHARE),
        FigureColumn("origin", _("Taken from")),
        FigureColumn("conditional", _("Risk given an attempt"), SHARE),
        FigureColumn("risk", _("Risk"), SHARE, _("Probability of the attempt times risk given an attempt.")),
        FigureColumn("within", _("Within the accepted risk")),
    )
    rows: list[tuple[Figure, ...]] = []
    for key, title in _ATTEMPTS:
        chance, origin = _chance(material, key)
        risk: Figure = chance * highest if isinstance(highest, float) else highest
        within = (_("yes") if risk <= accepted else _("no")) if isinstance(risk, float) else None
        rows.append((_(title), chance, origin, highest, risk, within))
    yield FigureTable("attempts", "", columns, rows)
    yield Paragraph(_("The accepted risk is {risk}.").format(risk=as_risk(accepted)), "note")


def _chance(material: ReportedRelease, key: str) -> tuple[float, str]:
    """Return the probability of an attempt and its origin; without one the largest is assumed."""
    entered = getattr(material.project.statement, f"attempt_{key}")
    if entered is not None:
        return float(entered), _("entered")
    if key == "deliberate" and material.project.answers.is_open_to_anyone:
        return 1.0, _("the questionnaire: anyone may try")
    return 1.0, _("not entered; certainty is assumed")


def attack_test(material: ReportedRelease, monitor: Monitor = SILENT) -> Iterator[Block]:
    """Yield the measured attacks above the control group."""
    found = material.attack_test(monitor)
    if found is None:
        return
    yield Paragraph(_("Attacked on {date}. {basis}").format(date=material.moment, basis=found.basis))
    rows = [(one.title, *(one.interval or (None, None, None)), one.sentence) for one in found.attacks]
    yield FigureTable("attack_risks", "", RISKS, rows)


def question(attack: str) -> Callable[[ReportedRelease, Monitor], Iterator[Block]]:
    """Return the fact on one of the three questions of WP216: figures, and the measured attack."""
    of_classes = {SINGLING_OUT: _single, LINKABILITY: linked, INFERENCE: _inferred}[attack]

    def blocks(material: ReportedRelease, monitor: Monitor = SILENT) -> Iterator[Block]:
        yield from of_classes(material, monitor)
        found = material.attack_test(monitor)
        measured = () if found is None else tuple(one for one in found.attacks if one.attack == attack)
        yield from (Paragraph(one.measured_words(material.moment)) for one in measured)
        if not measured and not material.settings.is_public:
            yield Paragraph(_("Not measured by an attack: {remedy}.").format(remedy=_(NOT_TESTED)), "note")

    return blocks


def _single(material: ReportedRelease, monitor: Monitor = SILENT) -> Iterator[Block]:
    yield Paragraph(f"{decision.words_of_k(material)}.")


def _inferred(material: ReportedRelease, monitor: Monitor = SILENT) -> Iterator[Block]:
    if material.settings.is_public:
        yield Facts("models", "", tuple(summary.models(material)))
        return
    release, subject = material.release, material.subject
    reveals = most_revealing(release.classes, release.kept, subject.sensitive)
    if reveals is not None:
        words = class_clause(reveals, subject.counted).sentence
        yield Paragraph(f"{words[:1].upper()}{words[1:]}.")
    else:
        yield Paragraph(_("No sensitive column is released in a kept class."))


def linked(material: ReportedRelease, monitor: Monitor = SILENT) -> Iterator[Block]:
    """Yield which records order and codes show to belong together."""
    clauses = tuple(revealed_clauses(material.release))
    if material.settings.is_public:
        clauses = tuple(decision.revealed(material, clauses))
    for clause in clauses:
        yield Paragraph(f"{clause.sentence[:1].upper()}{clause.sentence[1:]}.", clause.tone)
    n_columns = len(material.release.columns)
    if not clauses:
        words = ngettext(
            "Neither the order of the records nor the {n} released column shows which belong together.",
            "Neither the order of the records nor one of the {n} released columns shows which belong "
            "together.",
            n_columns,
        )
        yield Paragraph(words.format(n=as_exact_count(n_columns)))


def earlier(material: ReportedRelease, monitor: Monitor = SILENT) -> Iterator[Block]:
    """Yield the number of earlier releases, if a ledger has it."""
    n = material.subject.n_earlier
    if n is not None:
        words = ngettext(
            "{n} earlier release of the source is in the ledger; all other figures are of this file alone.",
            "{n} earlier releases of the source are in the ledger; all other figures are of this file alone.",
            n,
        )
        yield Paragraph(words.format(n=format_value(n)))
