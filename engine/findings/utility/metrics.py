"""All utility metrics of a release, and the quality of its columns as reported by ARX."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from engine.errors import InputError
from engine.findings.base import Analysis, utility_analyses
from engine.findings.blocks import (
    Block,
    Chart,
    Figure,
    FigureColumn,
    FigureTable,
    Findings,
    Fold,
    Series,
    Statement,
)
from engine.findings.given_table import GivenTable
from engine.findings.subject import Subject
from engine.findings.utility.quality import QualityReport, quality_of
from engine.findings.utility.released_table import ReleasedTable
from engine.monitor import SILENT, Monitor, PartMonitor
from engine.numbers import as_general
from engine.project.compile import objective_of
from engine.records import Table
from engine.records.column_selection import by_value
from engine.utility import USUAL_METRICS, UtilityMetric, utility_metrics
from engine.utility.by_attribute import AttributeMetric
from engine.utility.objective import Objective
from engine.utility.recoded import RecodedRecords
from engine.words import N_, _, lazy


@dataclass(frozen=True)
class MetricFigure:
    """Value of one utility metric of the release; smaller is better.

    Attributes
    ----------
    natural : float or None
        Value in the metric's unit; None if it does not exist for this release.
    normalized : float or None
        Value from 0, no loss, to 1.
    low, high : float or None
        Smallest and largest possible natural value.
    unit : str
        Unit of the natural value; empty for a share or a pure number.
    meaning : str
        Both ends of the scale in plain words.
    by_attribute : mapping of str to float
        Contribution of each quasi-identifier; empty for a metric of complete records.
    is_objective : bool
        Whether the node was selected by it.
    why_not : str
        Why the value does not exist, in a sentence; empty if it does.
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
class MetricsFound(Findings):
    """Values of all metrics, that of the search first.

    Attributes
    ----------
    quality : QualityReport or None
        Values by column and of complete records, 1 is best except for "missings"; None if cells are
        aggregates without a hierarchy label.
    why_no_quality : str
        Why there is no quality report; empty if there is one.
    """

    metrics: tuple[MetricFigure, ...]
    quality: QualityReport | None
    why_no_quality: str = ""

    def metric(self, key: str) -> MetricFigure:
        """Return the value of a metric by its key."""
        return next(metric for metric in self.metrics if metric.key == key)

    def statement(self) -> Statement:
        chosen = next((metric for metric in self.metrics if metric.is_objective), self.metrics[0])
        meaning = chosen.meaning.rstrip(". ")
        if chosen.natural is None:
            text = _("{metric} has no value: {meaning}.").format(metric=chosen.title, meaning=meaning)
        else:
            text = _("{metric} is {value}: {meaning}.").format(
                metric=chosen.title, value=as_general(chosen.natural, 6), meaning=meaning
            )
        return Statement(text, caption=self.why_no_quality)

    def blocks(self) -> tuple[Block, ...]:
        """Return the metrics, their parts by attribute, and the quality of columns and of the table."""
        metrics = tuple(
            (m.key, m.title, m.natural, m.normalized, m.low, m.high, unit, m.why_not or m.meaning)
            for m in self.metrics
            for unit in (m.unit and _(m.unit),)
        )
        others = [i for i, m in enumerate(self.metrics) if not m.is_objective and m.key not in USUAL_METRICS]
        fold = Fold(_("All metrics"), tuple(others))
        found: list[Block] = [
            FigureTable("metrics", _("Utility metrics"), _METRICS, metrics, folds=[fold]),
            *(_chart(metric) for metric in self.metrics if metric.by_attribute),
            FigureTable(
                "by_attribute",
                _("Metrics by column"),
                (
                    FigureColumn("metric", _("Metric")),
                    FigureColumn("column", _("Column")),
                    FigureColumn("value", _("Value"), "", _("Loss of this column alone; 0 = nothing.")),
                ),
                tuple((m.key, name, value) for m in self.metrics for name, value in m.by_attribute.items()),
                is_listed=False,
            ),
        ]
        if self.quality is not None:
            found += _quality_tables(self.quality)
        return tuple(found)


def _chart(metric: MetricFigure) -> Chart:
    """Return the loss of each column, the largest first."""
    values = dict(sorted(metric.by_attribute.items(), key=lambda item: -item[1]))
    series = (Series(_("lost"), tuple(values.values())),)
    return Chart("by_attribute", metric.title, "rows", _("lost"), _("column"), series, tuple(values))


_QUALITY_TITLES = {
    "granularity": N_("Granularity"),
    "generalization_intensity": N_("Generalization intensity"),
    "non_uniform_entropy": N_("Non-uniform entropy"),
    "missings": N_("Missing values"),
    "squared_error": N_("Squared error"),
    "discernibility": N_("Discernibility"),
    "average_class_size": N_("Average class size"),
    "ambiguity": N_("Ambiguity"),
    "squared_error_of_records": N_("Squared error of records"),
    "distance_of_records": N_("Distance of records"),
}


def _quality_tables(quality: QualityReport) -> list[Block]:
    columns: list[tuple[Figure, ...]] = [
        (key, _(_QUALITY_TITLES[key]), name, float(value))
        for key, figure in quality.columns.items()
        for name, value in (
            *figure.by_column.items(),
            (_("arithmetic mean"), figure.arithmetic_mean),
            (_("geometric mean"), figure.geometric_mean),
            (_("maximum"), figure.maximum),
        )
    ]
    table: list[tuple[Figure, ...]] = [
        (
            key,
            _(_QUALITY_TITLES[key]),
            *map(float, (scale.quality, scale.result, scale.minimum, scale.maximum)),
        )
        for key, scale in quality.table.items()
    ]
    value = FigureColumn(
        "value", _("Quality"), "", _("1 is best and 0 is worst, except for missing values, where 0 is best.")
    )
    key, title = FigureColumn("figure", _("Key"), is_listed=False), FigureColumn("title", _("Value"))
    return [
        FigureTable(
            "quality_of_columns",
            _("Quality of columns"),
            (key, title, FigureColumn("column", _("Column or mean")), value),
            tuple(columns),
        ),
        FigureTable(
            "quality_of_records",
            _("Quality of records"),
            (
                key,
                title,
                value,
                FigureColumn("result", _("Result")),
                FigureColumn("minimum", _("Nothing lost")),
                FigureColumn("maximum", _("All lost")),
            ),
            tuple(table),
        ),
    ]


_METRICS = (
    FigureColumn("metric", N_("Key"), is_listed=False),
    FigureColumn("title", N_("Metric")),
    FigureColumn("natural", N_("Value"), "", N_("In the unit of the metric; smaller is better.")),
    FigureColumn("normalized", N_("Normalized"), "", N_("From 0 (nothing lost) to 1."), look="bar"),
    FigureColumn("low", N_("Least possible")),
    FigureColumn("high", N_("Largest possible")),
    FigureColumn("unit", N_("Unit")),
    FigureColumn("meaning", N_("Meaning of both ends")),
)


@utility_analyses.register("metrics")
@dataclass(frozen=True, slots=True)
class Metrics(Analysis):
    """Every registered metric with the weights and settings of the search; see `engine.utility`."""

    title: ClassVar[str] = lazy("Utility metrics")
    summary: ClassVar[str] = lazy("What the release has lost, by every available measure.")
    reading: ClassVar[str] = lazy(
        "Every metric answers a different question, so their values cannot be compared with "
        "each other: compare releases by the same metric. A bar at 0 has lost nothing, a "
        "full bar everything. Of quality values, 100 % is best."
    )
    source: ClassVar[str] = lazy("each metric has its own source")
    needs_kept: ClassVar[bool] = True
    is_costly: ClassVar[bool] = True

    def run(self, subject: Subject, monitor: Monitor = SILENT) -> MetricsFound:
        self.refuse_impossible(subject)
        problem, chosen = subject.release.problem, subject.project.search.metric
        objective = objective_of(subject.project, problem)
        keys = sorted(utility_metrics, key=lambda key: (key != chosen, utility_metrics[key].title))
        n_steps = len(keys) + 3
        monitor.step(0, n_steps, _("Finding the labels of records"))
        _prepare(subject.recoded, monitor, 0, n_steps)
        figures = []
        for number, key in enumerate(keys):
            monitor.step(number, n_steps, _("Measuring {metric}").format(metric=utility_metrics[key].title))
            figures.append(_figure(subject, objective, objective.member(key), is_objective=key == chosen))
        aggregated = ", ".join(_("'{name}'").format(name=name) for name in subject.release.aggregates)
        if aggregated:
            reason = _(
                "Cells of {aggregated} are aggregates of their classes, which are in no hierarchy."
            ).format(aggregated=aggregated)
            return MetricsFound(tuple(figures), None, reason)
        return MetricsFound(tuple(figures), _quality(subject, monitor, len(keys), n_steps))


def _quality(subject: Subject, monitor: Monitor, done: int, n_steps: int) -> QualityReport:
    """Return the quality that a recipient can compute, or else that of the levels used.

    A recipient assigns a label of several levels to the lowest one. If levels differ by record, that level
    may have fewer such records, and only the levels used are correct.
    """
    monitor.step(done, n_steps, _("Finding released cells in their hierarchies"))
    given = _as_given(subject)
    hierarchies = {a.name: a.hierarchy for a in subject.release.problem.attributes}
    try:
        released = ReleasedTable(subject.input, given, hierarchies, PartMonitor(monitor, done, n_steps))
        _prepare(released, monitor, done + 1, n_steps)
        monitor.step(n_steps - 1, n_steps, _("Measuring the quality of columns"))
        return quality_of(released, given)
    except InputError:
        return quality_of(_AsRecoded(subject), given)


class _AsRecoded(ReleasedTable):
    """Release with the levels it was made by instead of those derived from its texts."""

    def __init__(self, subject: Subject) -> None:
        records = subject.recoded
        self.kept = subject.kept
        RecodedRecords.__init__(self, records.problem, records.columns, records.n_kept)


def _prepare(records: RecodedRecords, monitor: Monitor, done: int, n_steps: int) -> None:
    """Compute the shared parts of many values step by step, so that cancelling is possible in between."""
    for column in records.columns:
        monitor.step(done, n_steps, _("Counting the cells of {name}").format(name=column.attribute.name))
        _unused_column = column.n_leaves, column.levels_present, column.texts
    monitor.step(done, n_steps, _("Counting classes"))
    _unused_sizes = records.class_sizes
    monitor.step(done, n_steps, _("Counting combinations of values"))
    _unused_counts = records.problem.joint_counts


def _figure(
    subject: Subject, objective: Objective, metric: UtilityMetric, *, is_objective: bool
) -> MetricFigure:
    kind, records = type(metric), subject.recoded
    problem = subject.release.problem
    why_not = ""
    if metric.needs_target and problem.target is None:
        why_not = _(
            "It requires a target: the column that the release should still predict. Choose one in Configure."
        )
    natural = float(metric.natural(records, objective.weights)[0])
    exists = natural == natural
    if not exists and not why_not:
        why_not = _("It divides by the required class size, and none is required.")
    low, high = metric.bounds(problem, objective.weights) if exists else (None, None)
    by_attribute: Mapping[str, float] = {}
    if isinstance(metric, AttributeMetric):
        by_attribute = dict(zip(problem.names, metric.by_attribute(records)[0].tolist(), strict=True))
    return MetricFigure(
        key=kind.key,
        title=kind.title,
        natural=natural if exists else None,
        normalized=_normalized(natural, low, high),
        low=low,
        high=high,
        unit=kind.unit,
        meaning=kind.meaning,
        by_attribute=by_attribute,
        is_objective=is_objective,
        why_not=why_not,
    )


def _normalized(natural: float, low: float | None, high: float | None) -> float | None:
    """Return the value of `UtilityMetric.normalized` without measuring again."""
    if low is None or high is None:
        return None
    return (natural - low) / (high - low) if high > low else 0.0


def _as_given(subject: Subject) -> GivenTable:
    """Return the release as a recipient reads it."""
    names = subject.quasi_identifying
    columns = (subject.released(name) for name in names)
    table = Table(tuple(column for column in columns if column is not None))
    return GivenTable(by_value(table, names), names)
