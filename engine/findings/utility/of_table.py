"""Utility of a released table compared with its original: all values of a pair of tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np

from engine.errors import InputError, TableError, nearest
from engine.findings.blocks import SHARE, Fact, as_column, figure_row
from engine.findings.given_facts import person_facts
from engine.findings.given_table import GivenTable, given_table
from engine.findings.utility.quality import QualityReport, quality_of
from engine.findings.utility.released_table import ReleasedTable
from engine.frequency.measured import pairs_of
from engine.frequency.population import check_weights, weights_of_rows
from engine.hierarchies import Hierarchy
from engine.hierarchies.files import read_hierarchy
from engine.kernels.arrays import Counts
from engine.kernels.survey import WeightedNumbers, weighted_numbers, weighted_shares
from engine.monitor import SILENT, Monitor, with_progress
from engine.numbers import as_exact_count, as_general, as_percent
from engine.privacy.required import Measured
from engine.records import Column, Kind, Table
from engine.records.column_selection import by_value
from engine.records.opening.data_frames import AnyTable, as_table
from engine.records.values import exact_number
from engine.utility import utility_metrics
from engine.words import N_, _

HIERARCHY_METRICS = ("loss", "gen_iloss", "precision", "non_uniform_entropy", "ambiguity", "kl_divergence")


@figure_row
class ClassSizes:
    """Sizes of the equivalence classes of a table; mean and median are over classes, not over records."""

    count: int = as_column(N_("Number"), "classes", N_("Number of classes of equal records."), key="classes")
    minimum: int = as_column(N_("Smallest (k)"), "records", N_("Size of the smallest class."), key="smallest")
    maximum: int = as_column(N_("Largest"), "records", key="largest")
    mean: float = as_column(N_("Mean"), "records", N_("Records per class."))
    median: float = as_column(N_("Median"), "records", N_("Half of the classes are at most this size."))


@dataclass(frozen=True)
class UtilityReport(Measured):
    """Utility of a released table, suppressed records included.

    Attributes
    ----------
    n_raw, n_anonymized : int
        Records of both tables; records missing in the release are suppressed.
    k : int
        Size of the smallest class.
    c_avg : float
        Released records / (classes * k), with the requested or the measured k.
    aecs : float
        Original records / (classes + 1 if any record is suppressed).
    discernibility : int
        Sum of squared class sizes, plus the number of original records for each suppressed one.
    classification : mapping of str to float
        Per sensitive column, the share of original records that are suppressed or do not have the most
        frequent value of their class; of tied values one counts.
    columns : mapping of str to ColumnStatistics
        Statistics of the released quasi-identifying columns.
    average_risk, highest_risk : float
        Mean and largest of 1 / size over classes.
    average_record_risk : float
        Mean of 1 / size over records: classes / records.
    entropy : mapping of str to float
        Per sensitive column, the entropy of its released values, natural logarithm.
    metrics : mapping of str to float
        Metrics that need hierarchies, by key; empty without them.
    quality : QualityReport or None
        Quality by column as reported by ARX; None without hierarchies.
    persons : mapping of str to int or str
        See `CheckReport.persons`. k, `c_avg` and risks then count people, all else records.
    weighted : mapping of str to WeightedColumn
        Estimates of the population from each column; empty without weights.
    """

    n_raw: int
    n_anonymized: int
    k: int
    c_avg: float
    aecs: float
    discernibility: int
    classification: Mapping[str, float]
    classes: ClassSizes
    columns: Mapping[str, ColumnStatistics]
    average_risk: float
    highest_risk: float
    average_record_risk: float
    entropy: Mapping[str, float]
    metrics: Mapping[str, float]
    quality: QualityReport | None
    persons: Mapping[str, int | str] = field(default_factory=dict)
    weighted: Mapping[str, WeightedColumn] = field(default_factory=dict)

    def further_values(self) -> Mapping[str, float]:
        """Return the size of the smallest class."""
        return {"k": self.classes.minimum}

    def as_dict(self) -> dict[str, Any]:
        """Return the report as `anonymizer utility --format json` prints it."""
        sizes = self.classes
        found: dict[str, Any] = {
            "records": {"raw": self.n_raw, "anonymized": self.n_anonymized},
            "c_avg": self.c_avg,
            "discernibility": self.discernibility,
            "classification": dict(self.classification),
            "classes": {
                "count": sizes.count,
                "min": sizes.minimum,
                "max": sizes.maximum,
                "mean": sizes.mean,
                "median": sizes.median,
            },
            "columns": {name: entry.as_dict() for name, entry in self.columns.items()},
            "risk": {"average": self.average_risk, "max": self.highest_risk},
            "entropy": dict(self.entropy),
            **self.metrics,
        }
        if self.quality is not None:
            found["quality"] = self.quality.as_dict()
        if self.persons:
            found["persons"] = dict(self.persons)
        if self.weighted:
            found["weighted"] = {name: own.as_dict() for name, own in self.weighted.items()}
        return found


def utility_facts(result: Mapping[str, Any]) -> Iterator[Fact]:
    """Yield the values of `UtilityReport.as_dict`, or of another program in its form, as people read them."""
    records, classes = result["records"], result["classes"]
    kept = _("{n} of {total}").format(
        n=as_exact_count(records["anonymized"]), total=as_exact_count(records["raw"])
    )
    yield Fact("records", _("Records"), kept, explanation=_("Released of original records."))
    yield Fact("classes", _("Classes"), classes["count"], "classes", _("Sets of equal released records."))
    if persons := result.get("persons"):
        yield from person_facts(persons)
    for key, title in (
        ("min", _("Smallest class")),
        ("max", _("Largest class")),
        ("mean", _("Mean class size")),
        ("median", _("Median class size")),
    ):
        yield Fact(f"class.{key}", title, classes[key], "records", _("Records in a class."))
    for key in ("c_avg", "discernibility", *HIERARCHY_METRICS):
        if key in result:
            kind = utility_metrics[key]
            yield Fact(key, kind.title, result[key], kind.unit, f"{key}: {kind.meaning}.")
    for name, value in (result["classification"] or {}).items():
        title = _("Classification, {name}").format(name=name)
        meaning = _("Share of records whose class does not predict '{name}'.").format(name=name)
        yield Fact(f"classification.{name}", title, value, SHARE, meaning)
    for name, value in (result["entropy"] or {}).items():
        meaning = _("Of its values in the release; natural logarithm.")
        yield Fact(f"entropy.{name}", _("Entropy, {name}").format(name=name), value, "nats", meaning)
    if risk := result["risk"]:
        average, highest = _("Mean of 1 / size over classes."), _("1 / size of the smallest class.")
        yield Fact("risk.average", _("Risk, average"), risk["average"], SHARE, average)
        yield Fact("risk.max", _("Risk, highest"), risk["max"], SHARE, highest)
    for name, own in result.get("weighted", {}).items():
        yield _weighted_fact(name, own)
    yield from _quality_facts(result.get("quality", {}))
    for name, level in result.get("transformation", {}).items():
        meaning = _("The lowest level that has all labels of the column.")
        yield Fact(f"level.{name}", _("Level of {name}").format(name=name), level, explanation=meaning)
    for name, entry in (result["columns"] or {}).items():
        meaning = _("Most and least frequent value; moments of numbers.")
        title = _("Column {name}").format(name=name)
        yield Fact(f"column.{name}", title, _frequencies(entry), explanation=meaning)
    for place, reason in result.get("errors", {}).items():
        yield Fact(f"error.{place}", place, None, explanation=reason)


def _weighted_fact(name: str, own: Mapping[str, Any]) -> Fact:
    """Return the estimates of a survey from one column: its mean, or the share that changes most."""
    change = _("{before} before, {after} after")
    before, after = own["before"], own["after"]
    if before is not None and after is not None:
        text = change.format(before=as_general(before["mean"]), after=as_general(after["mean"]))
        title = _("Weighted mean, {name}").format(name=name)
        return Fact(f"weighted.{name}", title, text, explanation=_("By the survey weights."))
    value, shares = max(own["shares"].items(), key=lambda entry: abs(entry[1]["after"] - entry[1]["before"]))
    text = change.format(before=as_percent(shares["before"]), after=as_percent(shares["after"]))
    meaning = _("Share of '{value}', which changes most, by the survey weights.").format(value=value)
    return Fact(f"weighted.{name}", _("Weighted share, {name}").format(name=name), text, explanation=meaning)


def _quality_facts(quality: Mapping[str, Any]) -> Iterator[Fact]:
    for key, figure in quality.items():
        title = _("Quality, {key}").format(key=key)
        meaning = _("0 is best, 1 is worst.") if key == "missings" else _("1 is best, 0 is worst.")
        if "by_attribute" not in figure:
            yield Fact(f"quality.{key}", title, figure["value"], explanation=meaning)
            continue
        for name, value in figure["by_attribute"].items():
            yield Fact(f"quality.{key}.{name}", f"{title}, {name}", value, explanation=meaning)


def _frequencies(entry: Mapping[str, Any] | None) -> str:
    """Return the most and least frequent value of a column, and the moments of numbers."""
    if not entry or entry["max_freq_value"] is None:
        return _("no values")
    parts = [
        f"{entry[f'{end}_freq_value']}: {as_exact_count(entry[f'{end}_freq'])}" for end in ("max", "min")
    ]
    moments = [name for name in ("mean", "median", "std", "var") if name in entry]
    return "; ".join([*parts, *(f"{name} {as_general(entry[name])}" for name in moments)])


@with_progress
def measure_utility(
    raw: AnyTable,
    anonymized: AnyTable,
    quasi_identifying: str | Sequence[str],
    sensitive: str | Sequence[str] = (),
    *,
    k: int | None = None,
    hierarchies: Mapping[str, Hierarchy | Path | str] | None = None,
    leave_out_suppressed: bool = False,
    person: str = "",
    weight: str = "",
    monitor: Monitor = SILENT,
    progress: bool = False,
) -> UtilityReport:
    """Compare a table that was released by any program with its original.

    Parameters
    ----------
    raw, anonymized : Table, DataFrame, Path or str
        Tables or their files. The release may have fewer records; missing ones are suppressed.
    quasi_identifying : str or sequence of str
        Columns of both tables.
    sensitive : str or sequence of str
        Columns of the release whose values its classes should still predict.
    k : int, optional
        Requested class size, which `c_avg` divides by; by default the measured one.
    hierarchies : mapping of str to Hierarchy, Path or str, optional
        Hierarchies by quasi-identifying column. With any, the metrics that need hierarchies are measured
        too; a column without one counts as unchanged. A label of several levels counts as that of the
        lowest; records of only `*` are suppressed for these metrics.
    leave_out_suppressed : bool
        Exclude the records whose quasi-identifying cells are all `*`: they then count as suppressed
        everywhere. Otherwise they are ordinary records and form one class.
    person : str
        Column of the release whose values are persons; empty if every record is another person.
    weight : str
        Numeric column of both tables with the people of the population whom each record stands for; empty
        without survey weights.

    Raises
    ------
    TableError
        A table cannot be read, or lacks a column.
    InputError
        The release has more records than the original, k is not a class size, or the release does not
        follow from the original by the hierarchies.
    HierarchyGapError
        A value is not in its hierarchy; names column and value.

    References
    ----------
    The metrics have their sources in `engine.utility`. Statistics of columns and the risk over classes are
    those of pyCANON [1]; its own values are in `engine.compat`.

    .. [1] Sáinz-Pardo Díaz, López García (2022). A Python library to check the level of anonymity of a
       dataset. Scientific Data 9, 785.

    Examples
    --------
    >>> import pandas as pd
    >>> raw = pd.DataFrame({"age": [31, 34, 45, 47, 90], "illness": ["flu", "flu", "cough", "flu", "flu"]})
    >>> released = pd.DataFrame({
    ...     "age": ["30-39", "30-39", "40-49", "40-49"], "illness": ["flu", "flu", "cough", "flu"],
    ... })
    >>> report = measure_utility(raw, released, "age", "illness")
    >>> report.c_avg, report.discernibility, report.classification["illness"]
    (1.0, 13, 0.4)
    """
    original = as_table(raw, monitor)
    given = given_table(
        anonymized, quasi_identifying, sensitive, person=person, weight=weight, monitor=monitor
    )
    check_pair(original, given, k)
    given = given.in_memory(_("Comparing two tables"))
    judged = given.without_suppressed() if leave_out_suppressed else given
    sizes, people = judged.classes.measured.records, judged.classes.measured.sizes
    suppressed = original.n_records - judged.n_records
    smallest = int(people.min())
    by_size = judged.classes.measured.by_size(np.ones(len(people), dtype=np.bool_))
    metrics: dict[str, float] = {}
    quality = None
    if hierarchies is not None:
        whole = given.with_blank_rows().in_memory(_("Comparing two tables"))
        released = ReleasedTable(original, whole, _read(hierarchies, given))
        for done, key in enumerate(HIERARCHY_METRICS):
            monitor.step(done, len(HIERARCHY_METRICS) + 1, _("Comparing with the hierarchies"))
            metrics[key] = float(utility_metrics[key]().natural(released)[0])
        quality = quality_of(released, whole)
    return UtilityReport(
        n_raw=original.n_records,
        n_anonymized=judged.n_records,
        k=smallest,
        c_avg=int(people.sum()) / (len(sizes) * (k or smallest)),
        aecs=original.n_records / (len(sizes) + (suppressed > 0)),
        discernibility=int(sizes @ sizes) + suppressed * original.n_records,
        classification={
            name: (suppressed + _misses(judged, name)) / original.n_records for name in judged.sensitive
        },
        classes=class_sizes(sizes),
        columns={name: column_statistics(judged.table.column(name)) for name in judged.quasi_identifying},
        average_risk=float(np.mean(1 / people)),
        highest_risk=1 / smallest,
        average_record_risk=by_size.average_risk,
        entropy={name: _entropy(judged.table.column(name).counts) for name in judged.sensitive},
        metrics=metrics,
        quality=quality,
        persons=judged.persons_as_dict() if judged.person else {},
        weighted=weighted_columns(
            original, judged.table, (*judged.quasi_identifying, *judged.sensitive), weight
        )
        if weight
        else {},
    )


def class_sizes(sizes: Counts) -> ClassSizes:
    """Summarize the sizes of equivalence classes."""
    return ClassSizes(
        len(sizes), int(sizes.min()), int(sizes.max()), float(np.mean(sizes)), float(np.median(sizes))
    )


def check_pair(raw: Table, given: GivenTable, k: int | None = None) -> None:
    """Raise an error if two tables cannot be an original and its release.

    Raises
    ------
    TableError
        The original lacks a quasi-identifying column.
    InputError
        The release has more records than the original, or `k` is below 1.
    """
    for name in given.quasi_identifying:
        if name not in raw.names:
            raise TableError(
                _("The original table has no column '{name}'.").format(name=name),
                hint=nearest(name, raw.names),
                column=name,
            )
    if given.n_records > raw.n_records:
        raise InputError(
            _("The released table has {n_records} records, the original only {n_records_2}.").format(
                n_records=as_exact_count(given.n_records), n_records_2=as_exact_count(raw.n_records)
            ),
            hint=_("Give the original first, then the table released from it."),
        )
    if k is not None and k < 1:
        raise InputError(
            _("k cannot be {k}.").format(k=k),
            hint=_("It is the smallest class size, 1 or more."),
        )


def _read(hierarchies: Mapping[str, Hierarchy | Path | str], given: GivenTable) -> dict[str, Hierarchy]:
    """Return the hierarchies of the quasi-identifying columns, read from their files if necessary."""
    for name in hierarchies:
        if name not in given.quasi_identifying:
            raise InputError(
                _("A hierarchy is given for '{name}', which is not a quasi-identifying column.").format(
                    name=name
                ),
                hint=nearest(name, given.quasi_identifying),
                column=name,
            )
    return {
        name: entry if isinstance(entry, Hierarchy) else read_hierarchy(entry)
        for name, entry in hierarchies.items()
    }


def _misses(given: GivenTable, column: str) -> int:
    """Count the records without the most frequent value of their class."""
    values = given.table.column(column)
    pairs = pairs_of(given.classes.labels, values.codes, None, len(values.labels))
    return given.n_records - int(np.maximum.reduceat(pairs.counts, pairs.starts).sum())


def _entropy(counts: Counts) -> float:
    """Return the entropy of a distribution, natural logarithm."""
    shares = counts[counts > 0] / counts.sum()
    return float(-(shares * np.log(shares)).sum()) + 0.0


@dataclass(frozen=True)
class Moments:
    """Moments of the numbers of a column, other cells excluded; variance with divisor n."""

    mean: float
    median: float
    std: float
    var: float


@dataclass(frozen=True)
class ColumnStatistics:
    """Frequencies of the values of a column; a missing cell has no value.

    Attributes
    ----------
    max_freq_value, min_freq_value : str, int, float or None
        Most and least frequent value, a number in a numeric column; of tied ones the first in the order
        of the column. None if every cell is missing.
    moments : Moments or None
        None for columns without numbers.
    """

    max_freq_value: str | int | float | None = field(repr=False)
    max_freq: int
    min_freq_value: str | int | float | None = field(repr=False)
    min_freq: int
    n_missing: int
    moments: Moments | None

    def as_dict(self) -> dict[str, Any]:
        """Return plain JSON values; moments only of numbers, missing cells only if there are some."""
        found: dict[str, Any] = {
            "max_freq_value": self.max_freq_value,
            "max_freq": self.max_freq,
            "min_freq_value": self.min_freq_value,
            "min_freq": self.min_freq,
        }
        if self.moments is not None:
            found |= {name: getattr(self.moments, name) for name in ("mean", "median", "std", "var")}
        if self.n_missing:
            found["missing"] = self.n_missing
        return found


def column_statistics(column: Column) -> ColumnStatistics:
    """Count the values of a column; texts of equal numbers (1 and 1.0) are one value."""
    values: dict[str | int | Decimal, int] = {}
    for label, count in zip(column.known_labels, column.counts.tolist(), strict=False):
        value = _value(column, label)
        values[value] = values.get(value, 0) + count
    n_missing = len(column.codes) - sum(values.values())
    if not values:
        return ColumnStatistics(None, 0, None, 0, n_missing, None)
    most, least = max(values, key=values.__getitem__), min(values, key=values.__getitem__)
    moments = _moments(column) if column.data_type.is_numeric else None
    return ColumnStatistics(_plain(most), values[most], _plain(least), values[least], n_missing, moments)


def _value(column: Column, label: str) -> str | int | Decimal:
    """Return the identity of a value: for numbers the exact number, which a float may not represent."""
    number = exact_number(label, column.data_type) if column.data_type.is_numeric else None
    if number is None:
        return label
    return int(number) if column.data_type.kind is Kind.INTEGER else number


def _moments(column: Column) -> Moments:
    numbers = column.numbers[column.codes]
    numbers = numbers[~np.isnan(numbers)]
    return Moments(
        float(np.mean(numbers)), float(np.median(numbers)), float(np.std(numbers)), float(np.var(numbers))
    )


def _plain(value: str | int | Decimal) -> str | int | float:
    return float(value) if isinstance(value, Decimal) else value


MOST_VALUES = 20  # of a column, those with the largest shares of the original


@dataclass(frozen=True)
class WeightedColumn:
    """Estimates of the population from one column.

    Attributes
    ----------
    before, after : WeightedNumbers or None
        Of the original and of the released table; None if the column is not numeric there.
    shares : mapping of str to (float, float)
        Share of the weights of the most frequent original values, in both tables.
    """

    before: WeightedNumbers | None
    after: WeightedNumbers | None
    shares: dict[str, tuple[float, float]]

    def as_dict(self) -> dict[str, Any]:
        """Return the values by name."""
        sides = {"before": self.before, "after": self.after}
        return {
            **{side: None if own is None else own._asdict() for side, own in sides.items()},
            "shares": {
                value: {"before": before, "after": after} for value, (before, after) in self.shares.items()
            },
        }


def weighted_columns(
    raw: Table, released: Table, names: Sequence[str], weight: str
) -> dict[str, WeightedColumn]:
    """Compare columns of two tables that both have the weights.

    Raises
    ------
    TableError
        A table lacks the column of weights.
    InputError
        The values cannot be weights.
    """
    for table in (raw, released):
        check_weights(table.column(weight))
    found, original = {}, by_value(raw, [name for name in names if name in raw.names])
    for name in names:
        if name in raw.names:
            found[name] = _compared(
                original.column(name), raw.column(weight), released.column(name), released.column(weight)
            )
    return found


def _compared(before: Column, weights_before: Column, after: Column, weights_after: Column) -> WeightedColumn:
    own, other = _shares(before, weights_before), _shares(after, weights_after)
    most = sorted(own, key=lambda value: -own[value])[:MOST_VALUES]
    return WeightedColumn(
        _numbers(before, weights_before),
        _numbers(after, weights_after),
        {value: (own[value], other.get(value, 0.0)) for value in most},
    )


def _shares(column: Column, weights: Column) -> dict[str, float]:
    shares = weighted_shares(column.codes.astype(np.int64), weights_of_rows(weights), len(column.labels))
    return dict(zip(column.labels, shares.tolist(), strict=True))


def _numbers(column: Column, weights: Column) -> WeightedNumbers | None:
    numbers = column.numbers[column.codes] if column.data_type.is_numeric else np.array([])
    known = np.isfinite(numbers)
    if not known.any():
        return None
    return weighted_numbers(numbers[known], weights_of_rows(weights)[known])
