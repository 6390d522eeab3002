"""Utility of the release: metrics, loss by attribute, statistics, associations and classification."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from engine.findings.base import analysis_of
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
    Series,
)
from engine.findings.disclosure import WITHHELD, Disclosure
from engine.findings.utility.class_sizes import ClassSizesFound
from engine.findings.utility.loss_by_attribute import LossByAttributeFound
from engine.findings.utility.metrics import MetricsFound
from engine.findings.utility.of_table import UtilityReport
from engine.findings.utility.statistics import SideStatistics, StatisticsFound
from engine.monitor import SILENT, Monitor, PartMonitor
from engine.report.sections.material import ReportedFile, ReportedRelease, ReportInput
from engine.utility import utility_metrics
from engine.words import N_, _

_PARTS = ("metrics", "loss_by_attribute", "class_sizes", "statistics")


def blocks(material: ReportInput, monitor: Monitor = SILENT) -> Iterator[Block]:
    """Yield the utility of the release."""
    disclosure = material.disclosure
    report = None if isinstance(material, ReportedRelease) else material.utility
    is_small = report is not None and disclosure.is_small(report.n_anonymized, report.n_raw)
    if isinstance(material, ReportedFile) and report is None:
        yield Paragraph(_("Utility is not reported because the original table was not given."), "note")
    elif disclosure.hides_classes or is_small:
        yield Paragraph(_withheld(disclosure), "note")
    elif isinstance(material, ReportedRelease):
        yield from _of_release(material, monitor)
    elif report is not None:
        yield _file_facts(disclosure, report)
        yield _file_columns(report)


def _of_release(material: ReportedRelease, monitor: Monitor) -> list[Block]:
    blocks: list[Block] = []
    parts = _PARTS[:-1] if material.settings.is_public else _PARTS  # statistics name values of columns
    for number, key in enumerate(parts):
        analysis = analysis_of(key)
        found = material.found(analysis, PartMonitor(monitor, number, len(parts)))
        if found is None:
            why = Paragraph(material.why_not(analysis))  # once, where it holds of all of them
            blocks += [] if why in blocks else [why]
        match found:
            case MetricsFound():
                blocks += _metrics(material.disclosure, found)
            case LossByAttributeFound():
                blocks += _losses(material.disclosure, found)
            case ClassSizesFound():
                blocks += _class_sizes(material.disclosure, found)
            case StatisticsFound():
                blocks += _statistics(found)
    return blocks


_FEW = N_(
    "Utility is withheld: each suppressed record affects its values, and too few are "
    "suppressed, or kept, to hide their number."
)
_SIZES = N_(
    "Utility is withheld: the size of the smallest class could be derived, because "
    "it has few records, and the classes are few or similar."
)


def _withheld(disclosure: Disclosure) -> str:
    return _(_SIZES) if disclosure.hides_classes and not disclosure.hides_kept else _(_FEW)


def _metrics(disclosure: Disclosure, found: MetricsFound) -> Iterator[Block]:
    columns = (
        FigureColumn("metric", _("Metric")),
        FigureColumn("natural", _("Value"), "", _("In the unit of the metric; smaller is better.")),
        FigureColumn("unit", _("Unit")),
        FigureColumn(
            "normalized", _("From 0 to 1"), "", _("0 is nothing lost, 1 the most that can be lost.")
        ),
        FigureColumn("meaning", _("Meaning of both ends")),
    )
    rows: list[tuple[Figure, ...]] = [
        (
            _("{metric} (of the search)").format(metric=metric.title)
            if metric.is_objective
            else metric.title,
            disclosure.lost(_real(metric.natural), metric.low, metric.high),
            metric.unit,
            disclosure.lost(_real(metric.normalized)),
            metric.meaning,
        )
        for metric in found.metrics
    ]
    yield FigureTable("metrics", _("Metrics"), columns, rows)


def _real(value: float | None) -> float | None:
    """A figure that may be whole, such as a sum of squared sizes, is rounded like others."""
    return None if value is None else float(value)


def _losses(disclosure: Disclosure, found: LossByAttributeFound) -> Iterator[Block]:
    losses = [disclosure.lost(entry.loss) for entry in found.attributes]
    if losses and WITHHELD not in losses:
        # "less than 0.01" is drawn at that end of the scale
        release = tuple(
            loss if isinstance(loss, float) else float(round(entry.loss))
            for loss, entry in zip(losses, found.attributes, strict=True)
        )
        yield Chart(
            "loss_by_attribute",
            _("Loss by column"),
            "rows",
            _("loss: 0 = original values, 1 = all hidden"),
            _("quasi-identifying column"),
            (Series(_("Release"), release, "release"),),
            labels=tuple(entry.name for entry in found.attributes),
            reading=_("Suppressed records count as fully hidden."),
        )
    columns = (
        FigureColumn("column", _("Quasi-identifying column")),
        FigureColumn("loss", _("Loss")),
        FigureColumn("values_before", _("Values of the input"), "values", is_internal=True),
        FigureColumn("values_after", _("Values of the release"), "values", is_internal=True),
    )
    rows: list[tuple[Figure, ...]] = [
        (entry.name, loss, entry.values_before, entry.values_after)
        for entry, loss in zip(found.attributes, losses, strict=True)
    ]
    yield FigureTable("loss_by_attribute", "", columns, rows)


def _class_sizes(disclosure: Disclosure, found: ClassSizesFound) -> Iterator[Block]:
    columns = (
        FigureColumn("table", _("Table")),
        FigureColumn("classes", _("Classes"), "classes", _("Sets of equal records.")),
        FigureColumn("smallest", _("Smallest"), "records"),
        FigureColumn("largest", _("Largest"), "records"),
        FigureColumn("mean", _("Mean"), "records"),
        FigureColumn("median", _("Median"), "records"),
    )
    sides = [] if disclosure.hides_input else [(_("Input"), found.before, found.n_records)]
    if found.after is not None:
        n_after = found.n_records - found.n_suppressed
        sides.append((_("Release, kept records"), found.after, n_after))
    sizes = [disclosure.sizes(side.minimum, side.maximum, side.median) for _title, side, _total in sides]
    rows: list[tuple[Figure, ...]] = [
        (
            title,
            disclosure.count(side.count, total) if side.count >= disclosure.threshold else side.count,
            *own[:2],
            _size(disclosure, side.mean),
            own[2],
        )
        for (title, side, total), own in zip(sides, sizes, strict=True)
    ]
    yield FigureTable("class_size_figures", _("Class sizes"), columns, rows)


def _size(disclosure: Disclosure, size: float) -> Figure:
    """A mean of counts is withheld like a count."""
    return disclosure.few if disclosure.is_public and size < disclosure.threshold else disclosure.figure(size)


def _statistics(found: StatisticsFound) -> Iterator[Block]:
    columns = (
        FigureColumn("column", _("Column")),
        FigureColumn("table", _("Table")),
        FigureColumn("scale", _("Scale")),
        FigureColumn("missing", _("Missing"), "records"),
        FigureColumn("mode", _("Most frequent")),
        FigureColumn("median", _("Median")),
        FigureColumn("minimum", _("Minimum")),
        FigureColumn("maximum", _("Maximum")),
        FigureColumn("mean", _("Mean")),
        FigureColumn("deviation", _("Standard deviation")),
    )
    rows: list[tuple[Figure, ...]] = []
    for column in found.columns:
        for title, side in ((_("Input"), column.before), (_("Release"), column.after)):
            if side is not None:
                rows.append((column.name, title, column.scale.value, *_side(side)))
    yield FigureTable("statistics", _("Columns before and after"), columns, rows)
    yield Paragraph(
        _(
            "If a released cell covers several values, each counts as equally likely; such "
            "values are estimates. Suppressed records are excluded from the release."
        ),
        "note",
    )


def _side(side: SideStatistics) -> tuple[Figure, ...]:
    return (side.n_missing, side.mode, side.median, side.minimum, side.maximum, side.mean, side.deviation)


def _file_facts(disclosure: Disclosure, report: UtilityReport) -> Facts:
    sizes = disclosure.sizes(report.classes.minimum, report.classes.maximum, report.classes.median)
    rows: Sequence[tuple[str, str, Figure, str]] = (
        ("raw", _("Records of the original"), report.n_raw, "records"),
        ("anonymized", _("Records released"), disclosure.count(report.n_anonymized, report.n_raw), "records"),
        ("c_avg", utility_metrics["c_avg"].title, disclosure.lost(report.c_avg), ""),
        ("aecs", utility_metrics["aecs"].title, disclosure.lost(report.aecs), ""),
        (
            "discernibility",
            utility_metrics["discernibility"].title,
            disclosure.lost(_real(report.discernibility)) if disclosure.is_public else report.discernibility,
            "",
        ),
        ("classes", _("Classes"), report.classes.count, "classes"),
        ("mean_size", _("Mean class size"), _size(disclosure, report.classes.mean), "records"),
        ("median_size", _("Median class size"), sizes[2], "records"),
    )
    facts = [Fact(*one) for one in rows]
    for name, value in report.classification.items():
        title = _("{metric} of '{column}'").format(
            metric=utility_metrics["classification"].title, column=name
        )
        facts.append(Fact(f"classification.{name}", title, disclosure.lost(value), SHARE))
    for name, value in report.entropy.items():
        facts.append(
            Fact(
                f"entropy.{name}", _("Entropy of '{name}'").format(name=name), disclosure.lost(value), "nats"
            )
        )
    return Facts("utility", _("Compared with the original"), tuple(facts))


def _file_columns(report: UtilityReport) -> FigureTable:
    columns = (
        FigureColumn("column", _("Column")),
        FigureColumn("figure", _("Value")),
        FigureColumn("value", _("Value")),
    )
    rows: list[tuple[Figure, ...]] = []
    for name, entry in report.as_dict()["columns"].items():
        values: dict[str, Any] = entry or {}
        rows += [(name, key, value) for key, value in values.items()]
    title = _("Columns of the release")
    return FigureTable("column_statistics", title, columns, rows, is_by_record=True)
