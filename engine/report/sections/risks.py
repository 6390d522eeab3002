"""Re-identification risk: of attackers, by survey weights and with wildcards."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from engine.findings.base import analysis_of
from engine.findings.blocks import (
    Block,
    Chart,
    Fact,
    Facts,
    Figure,
    FigureColumn,
    FigureTable,
    Paragraph,
    Series,
)
from engine.findings.disclosure import WITHHELD, Disclosure
from engine.findings.given_table import Side
from engine.findings.risk.attacker_risk import AttackerRisk, RiskDistribution, risk_curve, risk_distribution
from engine.findings.risk.attackers import Attacker, AttackersFound, attacker_columns, attackers_of
from engine.findings.risk.population_in_classes import unknown_population
from engine.findings.risk.survey_risk import SurveyRiskAnalysis, SurveyRiskFound
from engine.findings.risk.wildcards import CAUTION
from engine.frequency.counted import PEOPLE, Noun
from engine.kernels.risks import least_size
from engine.monitor import SILENT, Monitor
from engine.privacy.attackers import AttackerModel
from engine.project.ledger.joint import Beside
from engine.recoding import Release
from engine.report.sections.material import ReportedRelease, ReportInput
from engine.scoring.nodes.inspection import inspect_node
from engine.scoring.profile import LatticeProfile
from engine.words import _, ngettext

_USUAL = (1, 2, 5, 10, 50, 200)  # least sizes of the groups of classes
_SHOWN = ("highest", "average", "records_at_risk", "n_at_risk")


def _columns(noun: Noun) -> tuple[FigureColumn, ...]:
    further = [column for column in attacker_columns(noun) if column.key in _SHOWN]
    return (FigureColumn("attacker", _("Attacker")), FigureColumn("table", _("Table")), *further)


def blocks(material: ReportInput, monitor: Monitor = SILENT) -> Iterator[Block]:
    """Yield risks of being found."""
    accepted, subject = material.settings.accepted_risk, material.subject
    analysis, noun = analysis_of("attackers", threshold=accepted), subject.counted
    yield Paragraph(analysis.summary)
    if isinstance(material, ReportedRelease):
        found = material.found(analysis, monitor)
        assert isinstance(found, AttackersFound), "it can be asked of every release"
        attackers = found.attackers
        if not material.settings.is_public:
            yield Paragraph(found.statement().sentence, "strong")
            yield Paragraph(f"{found.detail}. {found.people}")
    else:
        attackers = attackers_of(subject, unknown_population(), accepted)
    rows = [row for attacker in attackers for row in _attacker(material, attackers[0], attacker)]
    yield FigureTable("attackers", "", _columns(noun), rows)
    yield _accepted(accepted, noun)
    yield Paragraph(analysis.reading, "note")
    if not material.settings.is_public and (spreads := _spreads(material)):
        yield risk_curve(spreads, noun)


def _sides(material: ReportInput) -> Iterator[tuple[str, str, Side, bool]]:
    """Yield key, title and classes of each table, and whether what is made of all its classes is withheld."""
    subject, disclosure = material.subject, material.disclosure
    if subject.before is not None:
        yield "input", _("Input"), subject.before, disclosure.hides_input
    key, title = ("file", _("File")) if subject.before is None else ("release", _("Release"))
    yield key, title, subject.after, disclosure.hides_classes


def _attacker(
    material: ReportInput, prosecutor: Attacker, attacker: Attacker
) -> Iterator[tuple[Figure, ...]]:
    disclosure, before, after = material.disclosure, attacker.before, attacker.after
    tells = False
    if before is not None and after is not None:
        tells = disclosure.hides_before(before.n_at_risk, after.n_at_risk, _n_lost(material))
    for key, _title, _side, hides in _sides(material):
        is_input = key == "input"
        own = before if is_input else after
        records = prosecutor.before if is_input else prosecutor.after
        figures: tuple[Figure, ...] = (None,) * 4
        if own is not None and records is not None:
            figures = _figures(disclosure, own, hides=hides)
            figures = (disclosure.highest(own.highest, records.highest), *figures[1:])
            if tells and is_input:
                figures = (*figures[:2], WITHHELD, WITHHELD)
        if own is not None and attacker is not prosecutor and disclosure.hides_people:
            figures = (WITHHELD,) * 4
        if attacker.key == "marketer":
            figures = (None, figures[1], None, None)
        yield (f"{attacker.title}: {attacker.knows}", key, *figures)


def _n_lost(material: ReportInput) -> int:
    """Return how many people of the input, or records, are not in the release at all."""
    if not isinstance(material, ReportedRelease):
        return 0
    persons = material.release.persons
    return (
        persons.lost
        if persons is not None and persons.persons.are_repeated
        else material.release.n_suppressed
    )


def _figures(disclosure: Disclosure, risk: AttackerRisk, *, hides: bool) -> tuple[Figure, ...]:
    """Highest and average risk, and records at risk as a share and a number.

    `hides` is whether what is made of all classes is withheld; that no record is at risk follows from the
    highest risk.
    """
    average, share = _average(disclosure, risk), disclosure.share(risk.n_at_risk, risk.n_records)
    count = disclosure.count(risk.n_at_risk, risk.n_records)
    if hides:
        average = WITHHELD
        if risk.n_at_risk:
            share = count = WITHHELD
    return (disclosure.highest(risk.highest), average, share, count)


def _average(disclosure: Disclosure, risk: AttackerRisk) -> Figure:
    """The average is classes by records: where nearly each record is a class, the others are few."""
    others = risk.n_records - round(risk.n_expected)
    return WITHHELD if disclosure.is_small(others) else disclosure.figure(risk.average)


def _accepted(risk: float, noun: Noun) -> Paragraph:
    if noun is PEOPLE:
        words = _("The accepted risk is {risk:g}; a person with exactly that risk is not at risk.")
    else:
        words = _("The accepted risk is {risk:g}; a record with exactly that risk is not at risk.")
    return Paragraph(words.format(risk=risk), "note")


def _spreads(material: ReportInput) -> list[tuple[str, str, RiskDistribution]]:
    """Return title, side and distribution of each table whose classes the readers may know."""
    return [
        (title, "input" if key == "input" else "release", risk_distribution(side.people))
        for key, title, side, hides in _sides(material)
        if side.chosen.any() and not hides
    ]


def class_sizes(material: ReportInput) -> Iterator[Chart]:
    """Yield the shares of the records by the size of their class, if the readers may know them."""
    if spreads := _spreads(material):
        yield _by_size(
            material.disclosure, spreads, material.settings.accepted_risk, material.subject.counted
        )


def _by_size(
    disclosure: Disclosure, spreads: list[tuple[str, str, RiskDistribution]], accepted: float, noun: Noun
) -> Chart:
    """Shares of the records, or people, by the size of their class; of people the smallest counts."""
    largest = max(int(spread.sizes.max()) for _unused, _unused, spread in spreads)
    edges = _edges(disclosure, largest, accepted)
    counts = []
    for _unused, _unused, spread in spreads:
        places = np.searchsorted(edges, spread.sizes, side="right") - 1
        found = np.bincount(places, weights=spread.records, minlength=len(edges))
        counts.append([int(count) for count in found])
    groups = disclosure.joined(counts)
    ends = [*(edge - 1 for edge in edges[1:]), largest]
    series = [
        Series(title, tuple(_shares(disclosure, own, groups)), side)
        for own, (title, side, _unused) in zip(counts, spreads, strict=True)
    ]
    return Chart(
        "class_sizes",
        noun.said(_("{Records} by class size")),
        "bars",
        noun.said(_("class size ({records})")),
        noun.said(_("share of the {records}")),
        tuple(series),
        labels=tuple(
            _sizes(edges[first], None if disclosure.is_public and last == len(edges) - 1 else ends[last])
            for first, last in groups
        ),
        is_share=True,
        reading=noun.said(
            _(
                "{Records} in larger classes have a lower risk; suppressed records are excluded from the "
                "release."
            )
        ),
    )


def _edges(disclosure: Disclosure, largest: int, accepted: float) -> list[int]:
    """The least size of each group.

    For the public all sizes at risk are one group: parted otherwise than the figures above, groups would
    reveal by subtraction how many records are in classes of one size.
    """
    if not disclosure.is_public:
        return [edge for edge in _USUAL if edge <= largest]
    edges = [1 << power for power in range(largest.bit_length())]
    least = int(least_size(accepted))
    return sorted({1, *(edge for edge in (least, *edges) if least <= edge <= largest)})


def _shares(disclosure: Disclosure, counts: list[int], groups: list[tuple[int, int]]) -> Iterator[float]:
    total = sum(counts)
    for first, last in groups:
        share = disclosure.figure(sum(counts[first : last + 1]) / total)
        assert isinstance(share, float), "joined groups are shown"
        yield share


def _sizes(low: int, high: int | None) -> str:
    if high is None:
        return _("{low} or more").format(low=low)
    if high == 1:
        return _("unique")
    return str(low) if low == high else _("{first} to {last}").format(first=low, last=high)


def by_weights(material: ReportInput, monitor: Monitor = SILENT) -> Iterator[Block]:
    """Yield the risk of the records of a weighted sample."""
    weight, household = material.subject.weight, material.subject.household
    if not weight:
        return
    words = _(
        "The column '{weight}' has the weights of the records: each stands for as many people of the "
        "population."
    )
    yield Paragraph(words.format(weight=weight))
    if material.settings.is_public:
        yield Paragraph(_("Risks by weights are only in the internal report."), "note")
        return
    analysis = SurveyRiskAnalysis(threshold=material.settings.accepted_risk)
    found = material.found(analysis, monitor)
    if not isinstance(found, SurveyRiskFound) or found.after is None:
        yield Paragraph(material.why_not(analysis) if found is None else found.statement().sentence)
        return
    facts = [Fact("weight", _("Column of weights"), weight), *found.after.facts()]
    facts += [Fact("household", _("Column of households"), household)] if household else []
    yield Facts("survey", "", tuple(facts))
    yield Paragraph(analysis.reading, "note")


def with_wildcards(material: ReportInput, monitor: Monitor = SILENT) -> Iterator[Block]:
    """Yield the second reading of cells with `*` or missing values; no claim of a release is based on it."""
    if isinstance(material, ReportedRelease):
        words = _(
            "Some stars of this release are in single cells. If a star could be anything, records have "
            "these values; the release itself was made and verified with stars as values."
        )
    elif material.wildcards is not None:
        words = _("Cells that could be anything: {wildcards}.").format(wildcards=material.wildcards.words)
        if material.settings.is_public:
            yield Paragraph(words)
            yield Paragraph(_("Values with wildcards are only in the internal report."), "note")
    if not material.settings.is_public and (found := material.read_with_wildcards(monitor)) is not None:
        yield Paragraph(words)
        yield from found.blocks()
        yield Paragraph(_(CAUTION), "note")


def beside_earlier(material: ReportedRelease, monitor: Monitor = SILENT) -> Iterator[Block]:
    """Yield the number of earlier releases, and for the owner what is revealed beside them."""
    releases = material.release.problem.earlier
    if not isinstance(releases, Beside):
        return
    yield Facts("earlier", "", (Fact("earlier", _("Earlier releases counted"), len(releases.joined)),))
    if releases.not_joined and not material.settings.is_public:
        text = ngettext(
            "Release {numbers} of the ledger is not counted: it is forgotten, or has no common key.",
            "Releases {numbers} of the ledger are not counted: they are forgotten, or have no common key.",
            len(releases.not_joined),
        )
        yield Paragraph(text.format(numbers=", ".join(map(str, releases.not_joined))), "note")
    if releases.joined and not material.settings.is_public:
        joint = releases.joint_of(material.release)
        met = _("The release withstands the attacker that its requirement names.")
        unmet = _("The release does not withstand the attacker that its requirement names.")
        for line in (met if joint.is_met else unmet, *joint.lines):
            yield Paragraph(line)


def by_known_columns(material: ReportedRelease, monitor: Monitor = SILENT) -> Iterator[Block]:
    """Yield every set of columns that an attacker of the requirement knows."""
    release, disclosure = material.release, material.disclosure
    if not release.requirement.has_attackers:
        return
    monitor.step(0, 1, _("Counting classes of attackers"))
    counted = material.subject.counted.many
    columns = [
        FigureColumn("attacker", _("Attacker")),
        FigureColumn("known", _("Knows")),
        FigureColumn("asked", _("Required")),
        FigureColumn("reached", _("Smallest class"), counted),
    ]
    first, rounds = _at_first(release)
    if first:
        what = _("Before others were suppressed.")
        columns.append(FigureColumn("failing", _("Fail at first"), _("records"), what, is_internal=True))
    rows: list[tuple[Figure, ...]] = []
    for place, (model, known, reached) in enumerate(_reached(release)):
        row = (model.details, ", ".join(known), model.k, disclosure.count(reached))
        rows.append((*row, first[place]) if first else row)
    words = _(
        "Each attacker knows only some columns of a person. Every group of kept records that are equal "
        "in these columns is at least as large as required."
    )
    yield Paragraph(words)
    yield FigureTable("attackers", "", tuple(columns), rows)
    if rounds > 1 and not material.settings.is_public:
        words = ngettext(
            "Suppressed records made others fail: suppression was repeated {n} time.",
            "Suppressed records made others fail: suppression was repeated {n} times.",
            rounds - 1,
        )
        yield Paragraph(words.format(n=rounds - 1))


def _reached(release: Release) -> list[tuple[AttackerModel, tuple[str, ...], int | None]]:
    """Return every model and set with the size of its smallest class of kept records."""
    found: list[tuple[AttackerModel, tuple[str, ...], int | None]] = []
    for model in release.requirement.models:
        for known in model.sets(release.problem.names) if isinstance(model, AttackerModel) else ():
            groups = release.classes.known_by(known)
            assert groups is not None, "classes of a release tell their columns apart"
            sizes = groups.spread(groups.classes.sizes)[release.kept]
            assert isinstance(model, AttackerModel)
            found.append((model, known, int(np.min(sizes)) if len(sizes) else None))
    return found


def _at_first(release: Release) -> tuple[list[int], int]:
    """Return the records that fail at first per set, and the repetitions.

    Nothing if levels vary by record or cells are aggregates.
    """
    if release.node is None or release.recoding is not None or release.aggregates:
        return [], 0
    report = inspect_node(LatticeProfile(release.problem), release.node, release.requirement)
    return [own.records_missing for own in report.sets], report.rounds
