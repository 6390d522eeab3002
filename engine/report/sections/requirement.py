"""Requirement of the release with the sources of usual thresholds, its situation, and its random draw."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.findings.blocks import SHARE, Block, Fact, Facts, FigureColumn, FigureTable, Paragraph, Shown
from engine.monitor import SILENT, Monitor
from engine.privacy import PrivacyModel, Requirement
from engine.privacy.differential_privacy import DifferentialPrivacy
from engine.project import Project
from engine.project.presets import PRESETS, Preset
from engine.project.questionnaire import Demand, Reason, demands, effects
from engine.project.trade_off import complete_problem, expected_records
from engine.report.sections.material import ReportedRelease
from engine.words import N_, _, ngettext


def blocks(material: ReportedRelease, monitor: Monitor = SILENT) -> Iterator[Block]:
    """Yield models, limit and presets."""
    requirement, counted = material.release.requirement, material.subject.counted
    columns: Sequence[Shown[PrivacyModel]] = (
        (FigureColumn("model", _("Model")), lambda model: counted.worded(model, "title")),
        (FigureColumn("column", _("Sensitive column")), lambda model: ", ".join(model.columns)),
        (FigureColumn("asked", _("Required")), material.disclosure.asked),
        (FigureColumn("meaning", _("Meaning")), lambda model: model.summary),
        (FigureColumn("source", _("Definition")), lambda model: model.source),
    )
    counts_people = material.release.losses.are_people
    limit = Fact(
        "suppression_limit",
        _("People who may lose a record") if counts_people else _("Records that may be suppressed"),
        requirement.suppression_limit,
        SHARE,
        _("At most this share; records whose class fails a model are suppressed."),
        is_of_choice=True,
    )
    if requirement.models:
        yield Paragraph(_("Every kept class meets all of these models at once."))
        yield FigureTable.of_items("models_required", "", columns, requirement.models)
    else:
        yield Paragraph(_("No privacy model was required. The release has no measured protection."))
    if requirement.sampling is None:
        yield Facts("limit", "", (limit,))
    else:
        yield Paragraph(_("No suppression limit applies, since it would depend on the data."))
    found = _presets(requirement)
    yield _preset_table(found) if found else Paragraph(_(_UNPUBLISHED), "note")


_UNPUBLISHED = N_(
    "The thresholds of class sizes match no published recommendation known to this "
    "program; the person responsible must explain why they are sufficient."
)


def _presets(requirement: Requirement) -> list[Preset]:
    """Published recommendations that the required class sizes meet."""
    return [preset for preset in PRESETS if all(_covers(requirement, model) for model in preset.models)]


def _covers(requirement: Requirement, wanted: PrivacyModel) -> bool:
    return any(type(own) is type(wanted) and own.limit == wanted.limit for own in requirement.models)


def _preset_table(presets: list[Preset]) -> FigureTable:
    columns: Sequence[Shown[Preset]] = (
        (FigureColumn("preset", _("Publisher")), lambda preset: preset.title),
        (FigureColumn("says", _("Recommendation")), lambda preset: preset.says),
        (FigureColumn("source", _("Source")), lambda preset: preset.source),
        (FigureColumn("year", _("Year")), lambda preset: str(preset.year)),
        (FigureColumn("caution", _("Limits")), lambda preset: preset.caution),
    )
    title = _("Published thresholds that the requirement meets")
    return FigureTable.of_items("presets", title, columns, presets)


def situation(material: ReportedRelease, monitor: Monitor = SILENT) -> Iterator[Block]:
    """Yield each answer with its effect, and each requirement with the answers and publications behind it."""
    project = material.project
    if not project.answers.is_given or material.disclosure.hides_choice:
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
    columns: Sequence[Shown[Demand]] = (
        (FigureColumn("demand", _("Demanded")), lambda demand: demand.words),
        (FigureColumn("current", _("Setting")), lambda demand: demand.current),
        (FigureColumn("met", _("Met")), lambda demand: _yes_or_no(demand.is_met)),
        (FigureColumn("because", _("Decided by")), _decided_by),
        # It has the number of sensitive values.
        (FigureColumn("note", _("Remark"), is_internal=True), lambda demand: demand.note),
    )
    return FigureTable.of_items("demands", _("Requirements that follow from the answers"), columns, found)


def _decided_by(demand: Demand) -> str:
    return " / ".join(dict.fromkeys(reason.because for reason in demand.reasons if reason.decides))


def _yes_or_no(is_so: bool) -> str:
    return _("yes") if is_so else _("no")


def _reasons(found: tuple[Demand, ...]) -> FigureTable:
    columns: Sequence[Shown[Reason]] = (
        (FigureColumn("demand", _("Requirement")), lambda reason: reason.words),
        (FigureColumn("because", _("Answers")), lambda reason: reason.because),
        (FigureColumn("why", _("Reason")), lambda reason: reason.rule.why),
        (FigureColumn("source", _("Source")), lambda reason: reason.rule.source),
        (FigureColumn("decides", _("Strictest")), lambda reason: _yes_or_no(reason.decides)),
    )
    reasons = (reason for demand in found for reason in demand.reasons)
    return FigureTable.of_items("rules", _("Rules that apply"), columns, reasons)


def _remarks(project: Project, found: tuple[Demand, ...]) -> Iterator[Block]:
    """Yield the demands of the answers that the settings lack."""
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


def random_draw(material: ReportedRelease, monitor: Monitor = SILENT) -> Iterator[Block]:
    """Yield the guarantee by sampling."""
    model = material.release.requirement.sampling
    if model is None:
        return
    yield Paragraph(model.summary)
    yield Paragraph(model.covers, "strong")
    yield Facts("differential_privacy", "", tuple(_parameters(material, model)))
    yield Paragraph(
        _(
            "Each record was drawn independently with probability β. The drawn records were "
            "generalized, and classes of fewer than k of them suppressed. The file has only the "
            "kept records. The guarantee compares tables that differ in one record."
        )
    )
    yield Paragraph(_("Every further release of the same table adds its ε and δ to those of this release."))
    if material.verification is not None:
        yield from (Paragraph(words, "note") for words in material.verification.verdict.unchecked)
    if not material.settings.is_public:
        yield from _of_owner(material)


def _parameters(material: ReportedRelease, model: DifferentialPrivacy) -> Iterator[Fact]:
    yield Fact("epsilon", "ε", model.epsilon)
    yield Fact("delta", "δ", model.delta)
    yield Fact("beta", "β", model.beta, explanation=_("Probability that a record is drawn."))
    yield Fact(
        "k",
        "k",
        material.release.requirement.k,
        explanation=_("Smallest number of drawn records in a class that is kept."),
    )
    declared = model.node_words if model.is_node_fixed else _("chosen on the lattice")
    yield Fact("node", _("Node"), declared)
    found = material.verification
    if found is None:
        words = _("no: not yet written to a file")
    else:
        words = _("yes, from the written file") if found.verdict.ok else _("no")
    yield Fact("verified", _("Verified"), words)


def _of_owner(material: ReportedRelease) -> Iterator[Block]:
    """Yield numbers of the data, which the guarantee does not cover."""
    release, project = material.release, material.project
    yield Paragraph(
        _("The following numbers are not covered by the guarantee. Do not publish them."), "strong"
    )
    facts = [
        Fact("table_records", _("Records of the whole table"), project.table.n_records, "records"),
        Fact("drawn", _("Drawn"), release.n_records, "records"),
        Fact("suppressed_of_drawn", _("Suppressed of the drawn records"), release.n_suppressed, "records"),
        Fact("kept", _("Kept"), release.n_records - release.n_suppressed, "records"),
    ]
    if release.node is not None:
        expected = expected_records(complete_problem(project), release.node, release.requirement)
        facts.append(Fact("expected_kept", _("Expected to be kept, before drawing"), expected, "records"))
    yield Facts("drawn", "", tuple(facts))
    yield Paragraph(
        _(
            "The secret of the draw is in the project file only. It shows which records were drawn: keep the "
            "project file as confidential as the table."
        )
    )
