"""Cost and benefit: what the publisher keeps of a release, and which classes are worth an attack."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Self

from engine.findings.base import Analysis, risk_analyses
from engine.findings.blocks import Block, Figure, FigureColumn, FigureTable, Findings, Statement, Tone
from engine.findings.subject import Subject
from engine.monitor import SILENT, Monitor
from engine.numbers import as_exact_count
from engine.scoring.nodes.payout import PayoutReport, payout_asked
from engine.utility import utility_metrics
from engine.utility.payout import Payout
from engine.words import N_, _, lazy, ngettext


@dataclass(frozen=True)
class CostBenefitFound(Findings):
    """Money of the publisher."""

    report: PayoutReport

    def statement(self) -> Statement:
        found = self.report
        tone: Tone = "warn" if found.gained <= 0 or found.n_attacked else "ok"
        words = ngettext("{n} class worth an attack", "{n} classes worth an attack", found.n_attacked).format(
            n=as_exact_count(found.n_attacked)
        )
        return Statement(" ".join(filter(None, (found.sentence, found.warning()))), tone, words)

    def blocks(self) -> tuple[Block, ...]:
        return (FigureTable("cost_benefit", _("Cost and benefit"), _COLUMNS, tuple(self._rows())),)

    def _rows(self) -> list[tuple[Figure, ...]]:
        found = self.report
        sums = found.payout
        return [
            (_("Publisher keeps"), found.total, _("Payout of all kept records, attacks deducted")),
            (_("At most"), found.most, _("Benefit of every record unchanged, without attacks")),
            (_("Published unchanged"), found.unchanged, _("Payout of every record unchanged")),
            (_("Expected damage"), found.damage, _("Cost of attacks for the publisher")),
            (_("Classes"), found.n_classes, _("Kept classes")),
            (_("Classes worth an attack"), found.n_attacked, _("Expected gain above the cost of an attack")),
            (_("Records worth an attack"), found.records_attacked, _("Records of these classes")),
            (_("Benefit"), sums.benefit, _("Of an unchanged record, for the publisher")),
            (_("Damage"), sums.loss, _("Of a re-identified record, for the publisher")),
            (_("Gain"), sums.gain, _("Of a re-identified record, for the attacker")),
            (_("Cost"), sums.cost, _("Of an attack on a record, for the attacker")),
        ]


_COLUMNS = (
    FigureColumn("value", N_("Value")),
    FigureColumn("release", N_("Release")),
    FigureColumn("meaning", N_("Meaning")),
)


def payout_of(subject: Subject) -> Payout | None:
    """Return the sums of money of the project of a release; None if it has none."""
    search = subject.project.search
    metric = utility_metrics.create(search.metric, **search.metric_options)
    return payout_asked(subject.release.requirement, metric)


@risk_analyses.register("cost_benefit")
@dataclass(frozen=True, slots=True)
class CostBenefit(Analysis):
    """Weigh what records pay against what attacks cost [1]_.

    References
    ----------
    .. [1] Wan, Vorobeychik, Xia, Clayton, Kantarcioglu, Ganta, Heatherly, Malin (2015). A Game Theoretic
       Framework for Analyzing Re-Identification Risk. PLoS ONE 10(3).
    """

    title: ClassVar[str] = lazy("Cost and benefit")
    summary: ClassVar[str] = lazy(
        "What the publisher keeps of the benefit of the records, how many classes are worth an attack, and "
        "what attacks cost."
    )
    reading: ClassVar[str] = lazy(
        "The sums are those of the model profitability, or of the metric. An attacker attacks a class if the "
        "expected gain, the gain divided by the people of the class, exceeds the cost. If publishing "
        "unchanged pays more, these sums require no protection; use a model of another kind too."
    )
    source: ClassVar[str] = lazy("Wan, Vorobeychik, Xia, Clayton and others 2015")

    report_place: ClassVar[int | None] = 114  # after the risks
    public_words: ClassVar[str] = lazy(
        "The release weighs what a record pays against what an attack on it costs. What the publisher keeps "
        "is only in the internal report."
    )

    @classmethod
    def of_report(cls, subject: Subject) -> Mapping[str, Self]:
        return {} if payout_of(subject) is None else {"": cls()}

    def why_not(self, subject: Subject) -> str:
        if payout_of(subject) is None:
            return _("No sums of money are set. Add the model profitability, or choose the metric payout.")
        return ""

    def run(self, subject: Subject, monitor: Monitor = SILENT) -> CostBenefitFound:
        self.refuse_impossible(subject)
        payout, release = payout_of(subject), subject.release
        assert payout is not None, "without sums it is not possible"
        monitor.step(0, 2, _("Weighing cost and benefit"))
        total = float(payout.total(subject.recoded)[0])
        monitor.step(1, 2, _("Weighing cost and benefit"))
        return CostBenefitFound(
            PayoutReport.of(release.problem, payout, release.classes, release.kept, total)
        )
