"""Distribution of risk over the records, before and after."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

from engine.findings.base import Analysis, risk_analyses
from engine.findings.blocks import SHARE, Block, FigureColumn, FigureTable, Findings, Statement, Tone
from engine.findings.risk.attacker_risk import RiskDistribution as Spread
from engine.findings.risk.attacker_risk import risk_distribution
from engine.findings.risk.declared import risk_threshold
from engine.findings.subject import Subject
from engine.frequency.counted import RECORDS, Noun, either
from engine.kernels.risks import least_size
from engine.monitor import SILENT, Monitor
from engine.numbers import as_risk, as_risk_limit
from engine.words import _, lazy

BOUNDS = (0.0, 0.001, 0.01, 0.05, 0.1, 0.2, 1 / 3, 0.5, 1.0)


@dataclass(frozen=True, eq=False)
class RiskDistributionFound(Findings):
    """Records by risk; or people, each by their highest risk, if they may have several records.

    Attributes
    ----------
    before : engine.findings.risk.attacker_risk.RiskDistribution
        All records of the input: distinct risks in descending order, the share of records, or people, with
        each (`shares`) and with at least it (`cumulative_shares`).
    after : engine.findings.risk.attacker_risk.RiskDistribution or None
        Kept records; None if no record is kept.
    counted : Noun
        What is counted: records, or people, who may have several.
    """

    threshold: float
    before: Spread
    after: Spread | None
    counted: Noun = RECORDS

    @property
    def n_at_risk(self) -> tuple[int, int]:
        """Those of the input and of the release whose risk is strictly above the threshold."""
        return _n_above(self.before, self.threshold), _n_above(self.after, self.threshold)

    def ranges(self) -> tuple[tuple[float, float, int, float, int, float | None], ...]:
        """Return bounds, the lower one excluded, with number and share of the input and of the release."""
        found = []
        for above, up_to in pairwise(BOUNDS):
            sides = (self.before, self.after)
            n_before, n_after = (_n_above(side, above) - _n_above(side, up_to) for side in sides)
            share_after = None if self.after is None else n_after / self.after.n_records
            found.append((above, up_to, n_before, n_before / self.before.n_records, n_after, share_after))
        return tuple(found)

    def statement(self) -> Statement:
        noun = self.counted
        n_before, n_after = self.n_at_risk
        if self.after is None:
            sentence = noun.said(_("{before} of the {records} of the input have a risk above {limit}."))
        else:
            sentence = noun.said(
                _("{before} of the {records} of the input have a risk above {limit}, {after} of those kept.")
            )
        tone: Tone = "warn" if n_after else "text"
        caption = noun.said(_("share of {records} with at least this risk"))
        return Statement(
            sentence.format(
                before=as_risk(n_before / self.before.n_records),
                limit=as_risk_limit(self.threshold),
                after=as_risk(0.0 if self.after is None else n_after / self.after.n_records),
            ),
            tone,
            caption,
        )

    def blocks(self) -> tuple[Block, ...]:
        """Return the steps of both sides, and the ranges."""
        noun = self.counted
        steps = [("input", *row) for row in _steps(self.before)]
        if self.after is not None:
            steps += [("release", *row) for row in _steps(self.after)]
        return (
            FigureTable(
                "risk_ranges",
                noun.said(_("{Records} by range of risk")),
                _range_columns(noun.unit),
                self.ranges(),
            ),
            FigureTable(
                "risk_steps",
                noun.said(_("{Records} by risk")),
                _step_columns(noun),
                tuple(steps),
            ),
        )


def _step_columns(noun: Noun) -> tuple[FigureColumn, ...]:
    many = noun.unit
    return (
        FigureColumn(
            "side", _("Table"), explanation=_("The input, or the release without its suppressed records.")
        ),
        FigureColumn(
            "class_size",
            _("Class size"),
            many,
            either(noun, _("Number of equal records."), _("Number of people with equal records.")),
        ),
        FigureColumn("risk", _("Risk"), SHARE, _("1 divided by the class size.")),
        FigureColumn(
            "n_records",
            noun.many.capitalize(),
            many,
            either(
                noun, _("Records in classes of this size."), _("People whose smallest class has this size.")
            ),
        ),
        FigureColumn(
            "share",
            _("Share"),
            SHARE,
            noun.said(_("The same as a share of the {records}.")),
        ),
        FigureColumn(
            "share_at_least",
            _("At least"),
            SHARE,
            noun.said(_("Share of {records} with this risk or more.")),
        ),
    )


def _range_columns(many: str) -> tuple[FigureColumn, ...]:
    return (
        FigureColumn("above", _("Risk above"), SHARE, _("Excluded from the range.")),
        FigureColumn("up_to", _("Up to"), SHARE, _("Included in the range.")),
        FigureColumn("n_input", _("Input"), many),
        FigureColumn("share_input", _("Share of the input"), SHARE),
        FigureColumn("n_release", _("Release"), many),
        FigureColumn("share_release", _("Share of the release"), SHARE, _("Of the kept records.")),
    )


def _steps(spread: Spread) -> list[tuple[int, float, int, float, float]]:
    return list(
        zip(
            spread.sizes.tolist(),
            spread.risks.tolist(),
            spread.records.tolist(),
            spread.shares.tolist(),
            spread.cumulative_shares.tolist(),
            strict=True,
        )
    )


@risk_analyses.register("risk_distribution")
@dataclass(frozen=True, slots=True)
class RiskDistribution(Analysis):
    """Count records by their risk, 1 / size of their class."""

    title: ClassVar[str] = lazy("Records by risk")
    summary: ClassVar[str] = lazy("Number of records with at least a certain risk, before and after.")
    reading: ClassVar[str] = lazy(
        "The line of the release should reach zero before the threshold: then no record is "
        "above it. Each step is a class size. A threshold of 0.2 means classes of at least "
        "5, one of 0.09 classes of 12; 0.2 is common in health research (El Emam and Dankar "
        "2008), 0.09 is what the European Medicines Agency (2016) and Health Canada (2019) "
        "accept for public data (1 in 11, rounded). Suppressed records are excluded from the "
        "release. If people may have several records, people are counted, each by their "
        "record with the highest risk."
    )
    source: ClassVar[str] = lazy("El Emam 2013")

    threshold: float = risk_threshold()

    def run(self, subject: Subject, monitor: Monitor = SILENT) -> RiskDistributionFound:
        monitor.step(0, 2, _("Counting classes of the input"))
        before = risk_distribution(subject.before.people)
        monitor.step(1, 2, _("Counting classes of the release"))
        after = risk_distribution(subject.after.people) if subject.after.people.n_people else None
        return RiskDistributionFound(self.threshold, before, after, subject.counted)


def _n_above(spread: Spread | None, threshold: float) -> int:
    """Return the number of records, or people, with a risk strictly above a threshold."""
    return 0 if spread is None else int(spread.records[spread.sizes < least_size(threshold)].sum())
