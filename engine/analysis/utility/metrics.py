"""Every utility metric of a release, and the quality of its columns as ARX reports it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from engine.analysis.tables import Figure, FigureColumn, FigureTable
from engine.measuring.quality import QualityReport


@dataclass(frozen=True)
class MetricFigure:
    """One utility metric of the release; smaller is better.

    Attributes
    ----------
    key, title : str
    natural : float or None
        In its own unit; None where it does not exist for this release.
    normalized : float or None
        The same from 0, nothing lost, to 1.
    low, high : float or None
        The least and the largest natural value there can be.
    unit : str
        Of the natural value; empty for a share or a pure number.
    meaning : str
        Both ends of the scale in plain words.
    by_attribute : mapping of str to float
        Its part of each quasi-identifier; empty for a metric of whole records.
    is_objective : bool
        Whether the node was chosen by it.
    why_not : str
        Why it does not exist, in a sentence; empty where it does.
    """

    key: str
    title: str
    natural: float | None
    normalized: float | None
    low: float | None
    high: float | None
    unit: str
    meaning: str
    by_attribute: Mapping[str, float]
    is_objective: bool
    why_not: str = ""


@dataclass(frozen=True)
class MetricsFound:
    """All metrics, that of the search first.

    Attributes
    ----------
    metrics : tuple of MetricFigure
    quality : QualityReport or None
        Figures by column and of whole records, 1 is best but for "missings"; None where cells are
        aggregates that no hierarchy has.
    why_no_quality : str
        Why there is none; empty where there is.
    """

    metrics: tuple[MetricFigure, ...]
    quality: QualityReport | None
    why_no_quality: str = ""

    def metric(self, key: str) -> MetricFigure:
        """One metric by its key."""
        return next(metric for metric in self.metrics if metric.key == key)

    def tables(self) -> tuple[FigureTable, ...]:
        """The metrics, what each attribute loses by them, and the quality of columns and of the table."""
        found = [
            FigureTable(
                "metrics",
                "Utility metrics",
                _METRICS,
                tuple((m.key, m.title, m.natural, m.normalized, m.low, m.high, m.unit) for m in self.metrics),
            ),
            FigureTable(
                "by_attribute",
                "Metrics by attribute",
                (
                    FigureColumn("metric", "Metric"),
                    FigureColumn("column", "Column"),
                    FigureColumn("value", "Value", "", "What this column alone loses; 0 = nothing."),
                ),
                tuple((m.key, name, value) for m in self.metrics for name, value in m.by_attribute.items()),
            ),
        ]
        if self.quality is not None:
            found += _quality_tables(self.quality)
        return tuple(found)


def _quality_tables(quality: QualityReport) -> list[FigureTable]:
    columns: list[tuple[Figure, ...]] = [
        (key, name, value)
        for key, figure in quality.columns.items()
        for name, value in (
            *figure.by_column.items(),
            ("arithmetic mean", figure.arithmetic_mean),
            ("geometric mean", figure.geometric_mean),
            ("maximum", figure.maximum),
        )
    ]
    table: list[tuple[Figure, ...]] = [
        (key, scale.quality, scale.result, scale.minimum, scale.maximum)
        for key, scale in quality.table.items()
    ]
    value = FigureColumn(
        "value", "Quality", "", "1 is best and 0 worst, but of missings the other way round."
    )
    return [
        FigureTable(
            "quality_of_columns",
            "Quality of columns",
            (FigureColumn("figure", "Figure"), FigureColumn("column", "Column or mean"), value),
            tuple(columns),
        ),
        FigureTable(
            "quality_of_records",
            "Quality of records",
            (
                FigureColumn("figure", "Figure"),
                value,
                FigureColumn("result", "Result"),
                FigureColumn("minimum", "Nothing lost"),
                FigureColumn("maximum", "All lost"),
            ),
            tuple(table),
        ),
    ]


_METRICS = (
    FigureColumn("metric", "Key"),
    FigureColumn("title", "Metric"),
    FigureColumn("natural", "Value", "", "In the metric's own unit; smaller is better."),
    FigureColumn("normalized", "Normalized", "", "From 0, nothing lost, to 1."),
    FigureColumn("low", "Least possible"),
    FigureColumn("high", "Largest possible"),
    FigureColumn("unit", "Unit"),
)
