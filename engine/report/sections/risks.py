"""How likely the people of the table are found: three attackers, before and after."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from engine.analysis import FigureColumn, FigureTable
from engine.analysis.risk.attackers import Attacker, AttackerFigures, AttackersFound
from engine.analysis.tables import Figure
from engine.kernels.arrays import Counts
from engine.monitor import SILENT, Monitor
from engine.report.base import ReportSection, report_sections
from engine.report.content import Block, Chart, Paragraph, Series
from engine.report.disclosure import Disclosure
from engine.report.material import FileMaterial, ReleaseMaterial
from engine.risk import AttackerRisk, RiskDistribution, attacker_risk, risk_distribution

_COLUMNS = (
    FigureColumn("attacker", "Attacker"),
    FigureColumn("table", "Table"),
    FigureColumn("highest", "Highest risk", "", "Of the record easiest to find.", True),
    FigureColumn("average", "Average risk", "", "The share that guessing all of them expects to find.", True),
    FigureColumn(
        "records_at_risk", "At risk", "", "Share of records strictly above the accepted risk.", True
    ),
    FigureColumn("n_at_risk", "At risk", "records", "The same as a number of records."),
)
_FILE_COLUMNS = tuple(column for column in _COLUMNS if column.key != "table")


@report_sections.register("risks")
@dataclass(frozen=True, slots=True)
class Risks(ReportSection):
    """Risks of being found."""

    title: ClassVar[str] = "Risk of being found"
    place: ClassVar[int] = 110

    def of_release(self, material: ReleaseMaterial, monitor: Monitor = SILENT) -> tuple[Block, ...]:
        """See `ReportSection.of_release`."""
        settings, disclosure = material.settings, material.disclosure
        analysis = material.analysis("attackers", threshold=settings.accepted_risk)
        found = material.found(analysis, monitor)
        assert isinstance(found, AttackersFound), "it can be asked of every release"
        rows = [row for attacker in found.attackers for row in _attacker(disclosure, attacker)]
        blocks: list[Block] = [Paragraph(analysis.summary)]
        if not settings.is_public:
            blocks += [Paragraph(found.sentence, "strong"), Paragraph(f"{found.detail}. {found.people}")]
        blocks.append(FigureTable("attackers", "", _COLUMNS, rows))
        blocks.append(_accepted(settings.accepted_risk))
        blocks.append(Paragraph(analysis.reading, "note"))
        sides = [("Input", "input", material.subject.input_sizes)]
        if material.release.n_classes:
            sides.append(("Release", "release", material.release.kept_sizes))
        return (*blocks, *_charts(disclosure, sides))

    def of_file(self, material: FileMaterial, monitor: Monitor = SILENT) -> tuple[Block, ...]:
        """See `ReportSection.of_file`."""
        sizes, accepted = material.judged.classes.measured.sizes, material.settings.accepted_risk
        risk, disclosure = attacker_risk(sizes, accepted), material.disclosure
        n_records = int(sizes.sum())
        at_risk = round(risk.records_at_risk * n_records)
        searching = "Prosecutor, and journalist without a population"
        rows: list[tuple[Figure, ...]] = [
            (searching, *_figures(disclosure, risk, at_risk, n_records)),
            ("Marketer", None, disclosure.of_kept(risk.average), None, None),
        ]
        words = (
            "The prosecutor knows that a person is in the table; the journalist searches the population, for "
            "which the table itself stands in here; the marketer wants as many matches as possible."
        )
        return (
            Paragraph(words),
            FigureTable("attackers", "", _FILE_COLUMNS, rows),
            _accepted(accepted),
            *_charts(disclosure, [("File", "release", sizes)]),
        )


def _attacker(disclosure: Disclosure, attacker: Attacker) -> Iterator[tuple[Figure, ...]]:
    for side, found in (("input", attacker.before), ("release", attacker.after)):
        yield (f"{attacker.title}: {attacker.knows}", side, *_side(disclosure, attacker.key, side, found))


def _side(
    disclosure: Disclosure, attacker: str, side: str, found: AttackerFigures | None
) -> tuple[Figure, ...]:
    if found is None:
        return (None, None, None, None)
    average = found.risk.average
    if attacker == "marketer":
        told = disclosure.of_kept(average) if side == "release" else disclosure.figure(average)
        return (None, told, None, None)
    figures = _figures(disclosure, found.risk, found.n_at_risk, found.n_records)
    return figures if side == "release" else (figures[0], disclosure.figure(average), *figures[2:])


def _figures(disclosure: Disclosure, risk: AttackerRisk, at_risk: int, n_records: int) -> tuple[Figure, ...]:
    return (
        disclosure.risk(risk.highest),
        disclosure.of_kept(risk.average),
        disclosure.share(at_risk, n_records),
        disclosure.count(at_risk, n_records),
    )


def _accepted(risk: float) -> Paragraph:
    return Paragraph(f"Accepted is a risk of {risk:g}; a record at exactly that risk is not at risk.", "note")


def _charts(disclosure: Disclosure, sides: list[tuple[str, str, Counts]]) -> Iterator[Chart]:
    spreads = [(title, side, risk_distribution(sizes)) for title, side, sizes in sides]
    if not disclosure.is_public:
        yield _cumulative(spreads)
    yield _by_size(disclosure, spreads)


def _cumulative(spreads: list[tuple[str, str, RiskDistribution]]) -> Chart:
    """The share of records with at least a risk, from the lowest risk to the highest."""
    positions = sorted({0.0, *(float(risk) for _, _, spread in spreads for risk in spread.risks)})
    series = []
    for title, side, spread in spreads:
        order = spread.risks[::-1]  # from the lowest risk on
        shares = spread.cumulative_shares[::-1]
        # At a risk, and until the next one, those above it are what is left.
        left = {float(risk): share for risk, share in zip(order, [*shares[1:], 0.0], strict=True)}
        value, values = 1.0, []
        for position in positions:
            value = float(left.get(position, value))
            values.append(value)
        series.append(Series(title, tuple(values), side))
    return Chart(
        "risk_distribution",
        "Records by risk",
        "steps",
        "risk of being found (1 / class size)",
        "share of records with a higher risk",
        tuple(series),
        positions=tuple(positions),
        is_share=True,
        reading="The line of the release should reach zero at the accepted risk, or before it.",
    )


def _by_size(disclosure: Disclosure, spreads: list[tuple[str, str, RiskDistribution]]) -> Chart:
    """Shares of the records by the size of their class, in groups from each power of two to the next."""
    largest = max(int(spread.sizes.max()) for _, _, spread in spreads)
    n_groups = largest.bit_length()
    counts = [[0] * n_groups for _ in spreads]
    for own, (_, _, spread) in zip(counts, spreads, strict=True):
        for size, records in zip(spread.sizes.tolist(), spread.records.tolist(), strict=True):
            own[int(size).bit_length() - 1] += int(records)
    # One set of groups for both sides, in which neither has a small count.
    groups = _common(disclosure, counts)
    labels = [_sizes(1 << first, (1 << (last + 1)) - 1) for first, last in groups]
    series = [
        Series(
            title,
            tuple(
                float(disclosure.figure(sum(own[first : last + 1]) / spread.n_records) or 0.0)
                for first, last in groups
            ),
            side,
        )
        for own, (title, side, spread) in zip(counts, spreads, strict=True)
    ]
    return Chart(
        "class_sizes",
        "Records by the size of their class",
        "bars",
        "records that look alike (class size)",
        "share of the records",
        tuple(series),
        labels=tuple(labels),
        is_share=True,
        reading="Records in larger classes are harder to find; of the release suppressed ones are left out.",
    )


def _common(disclosure: Disclosure, counts: list[list[int]]) -> list[tuple[int, int]]:
    """Groups in which each side has no record, or so many that they may be told."""
    groups = [(i, i) for i in range(len(counts[0]))]
    if not disclosure.is_public:
        return groups
    place = 0
    while place < len(groups) and len(groups) > 1:
        first, last = groups[place]
        if any(disclosure.is_small(sum(own[first : last + 1])) for own in counts):
            other = place + 1 if place + 1 < len(groups) else place - 1
            low, high = sorted((place, other))
            groups[low : high + 1] = [(groups[low][0], groups[high][1])]
            place = low
        else:
            place += 1
    return groups


def _sizes(low: int, high: int) -> str:
    return str(low) if low == high else f"{low} to {high}"
