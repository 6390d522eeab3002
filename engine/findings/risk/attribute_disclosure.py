"""Attribute disclosure of a sensitive column by the classes of a release."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import ClassVar, Self

import numpy as np

from engine.errors import InputError, nearest
from engine.findings.base import Analysis, risk_analyses
from engine.findings.blocks import (
    Block,
    Chart,
    Figure,
    FigureColumn,
    FigureTable,
    Findings,
    Paragraph,
    Series,
    Statement,
    Tone,
)
from engine.findings.risk.bins import ValueBin, bins_of, edges_of
from engine.findings.subject import Subject
from engine.frequency import Measure
from engine.frequency.classes import (
    BASIC_GAIN,
    DISCLOSURE,
    DISTINCT,
    ENHANCED_GAIN,
    ENTROPY,
    LARGEST_SHARE,
)
from engine.frequency.counted import PEOPLE, Noun
from engine.kernels.arrays import Counts, FloatArray, IntArray
from engine.monitor import SILENT, Monitor
from engine.numbers import UNBOUNDED, as_decimal, as_exact_count, as_general, as_risk
from engine.params import ColumnRef, param
from engine.privacy import Relation, privacy_models
from engine.privacy.alpha_k_anonymity import AlphaKAnonymity
from engine.privacy.basic_beta_likeness import BasicBetaLikeness
from engine.privacy.delta_disclosure import DeltaDisclosure
from engine.privacy.distinct_l_diversity import DistinctLDiversity
from engine.privacy.enhanced_beta_likeness import EnhancedBetaLikeness
from engine.privacy.entropy_l_diversity import EntropyLDiversity
from engine.privacy.t_closeness import TCloseness
from engine.words import N_, Translated, _, lazy

DISTANCE, ENTROPY_L, SHARE = "t", "entropy_l", "largest_share"
_WORST = 5  # classes that are listed
_SHANNON = "shannon"


@dataclass(frozen=True)
class ClassMeasure:
    """Measure of a sensitive column in every class.

    Attributes
    ----------
    meaning : str
        Meaning of the value for a class, in one plain sentence.
    name : str
        Measure of classes; empty for the distance of the release.
    model : str
        Key of the privacy model whose threshold applies.
    """

    key: str
    symbol: str
    title: str = Translated(None)  # type: ignore[assignment]
    meaning: str = Translated(None)  # type: ignore[assignment]
    name: str  # type: ignore[misc]  # Translated(None) is no default
    model: str  # type: ignore[misc]  # Translated(None) is no default

    def number(self, value: float, decimals: int = 3) -> str:
        """Return a value as text, without limit as a sign."""
        if math.isinf(value):
            return UNBOUNDED
        return as_exact_count(value) if self.key == "distinct_l" else as_decimal(value, decimals)

    def words(self, value: float) -> str:
        """Return a value with its symbol: "t = 0.183"."""
        return f"{self.symbol} = {self.number(value)}"

    def of(self, column: str, distance: str) -> Measure:
        """Return the measure of a column."""
        return Measure(self.name or distance, column)

    @property
    def lowest_is_worst(self) -> bool:
        """Return whether the class of the lowest value reveals most."""
        return privacy_models[self.model].relation is Relation.AT_LEAST

    @property
    def usual(self) -> str:
        """Usual thresholds, and the source of the model."""
        kind = privacy_models[self.model]
        threshold = kind.threshold_parameter()
        return f"{threshold.help} {kind.title}: {kind.source}."


CLASS_MEASURES = (
    ClassMeasure(
        "distinct_l",
        "l",
        N_("Distinct values"),
        N_("Number of distinct values in the class; a single value is known to anyone who finds the class."),
        DISTINCT,
        DistinctLDiversity.key,
    ),
    ClassMeasure(
        ENTROPY_L,
        N_("entropy l"),
        N_("Effective values"),
        N_("As diverse as that many equally frequent values: e to the power of the entropy."),
        ENTROPY,
        EntropyLDiversity.key,
    ),
    ClassMeasure(
        SHARE,
        "α",
        N_("Largest share"),
        N_("Share of the most frequent value in the class: the certainty of guessing it."),
        LARGEST_SHARE,
        AlphaKAnonymity.key,
    ),
    ClassMeasure(
        DISTANCE,
        "t",
        N_("Distance from the table"),
        N_("Distance between the values of the class and those of the whole input table, from 0 to 1."),
        "",
        TCloseness.key,
    ),
    ClassMeasure(
        "beta",
        "β",
        N_("Largest gain"),
        N_(
            "Increase of a value's frequency in the class over the whole input table: 1 means "
            "twice as frequent."
        ),
        BASIC_GAIN,
        BasicBetaLikeness.key,
    ),
    ClassMeasure(
        "enhanced_beta",
        "enhanced β",
        N_("Largest gain, capped"),
        N_("The same, if no value may gain more than its cap of -ln p; unlimited if one does."),
        ENHANCED_GAIN,
        EnhancedBetaLikeness.key,
    ),
    ClassMeasure(
        "delta",
        "δ",
        N_("Largest disclosure"),
        N_(
            "Largest |ln| of a value's share in the class divided by its share in the whole "
            "input table; unlimited if a value never occurs in the class."
        ),
        DISCLOSURE,
        DeltaDisclosure.key,
    ),
)


@dataclass(frozen=True)
class ClassCompared(Findings):
    """Sensitive values of a class compared with those of the input table.

    Attributes
    ----------
    column : str
        Sensitive column.
    noun : Noun
        Noun of the counted things.
    number : int
        Number of the class, as `Release.labels`.
    n_people : int
        Records, or distinct people if these may have several, of the class; with the other sensitive
        columns as quasi-identifiers, of its worst part.
    bins : tuple of ValueBin
        Values, or ranges of numbers, in the order of the column.
    class_counts, table_counts : tuple of float
        Records per bin. If people may have several, each record has an equal share of its person, so
        that every person counts once in the table.
    cells : tuple of (str, str)
        Released cells of the class: quasi-identifying column and text.
    values : mapping of str to float
        Every measure of the class by key.
    measured : str
        The measure that was asked for, with its threshold if it has one.
    tone : {"text", "danger"}
        Whether the class is beyond that threshold.
    """

    column: str
    noun: Noun
    number: int
    n_people: int
    bins: tuple[ValueBin, ...]
    class_counts: tuple[float, ...]
    table_counts: tuple[float, ...]
    cells: tuple[tuple[str, str], ...]
    values: Mapping[str, float]
    measured: str = ""
    tone: Tone = "text"

    def statement(self) -> Statement:
        """Return the most frequent value in the class, compared with the table."""
        shares = self.class_shares
        place = max(range(len(shares)), key=shares.__getitem__)
        sentence = _(
            "{measured}. {own} of the class have {column} {label}, compared with {table} of the table."
        ).format(
            measured=self.measured,
            own=as_risk(shares[place]),
            column=self.column,
            label=self._labels[place],
            table=as_risk(self.table_shares[place]),
        )
        return Statement(sentence, self.tone)

    def blocks(self) -> tuple[Block, ...]:
        """Return the values of class and table as a chart, and the released cells of the class."""
        edges = edges_of(self.bins)
        size = _("class of {n} {n_people}").format(
            n=as_exact_count(self.n_people), n_people=self.noun.of(self.n_people)
        )
        cells = ", ".join(f"{name} {text or _('(missing)')}" for name, text in self.cells)
        chart = replace(
            self.chart(_("Sensitive values of a class compared with the whole table")),
            kind="bars" if edges else "rows",
            series=(
                Series(_("whole table"), self.table_shares, "input"),
                Series(size, self.class_shares, "release"),
            ),
            edges=edges,
            is_relative=True,
            decimals=1,
        )
        if edges:
            chart = replace(chart, x_title=chart.y_title, y_title=chart.x_title)
        return (chart, Paragraph(_("The class: {cells}").format(cells=cells)))

    def chart(self, title: str, reading: str = "") -> Chart:
        """Return the values of table and class as rows."""
        return Chart(
            "worst_class",
            title,
            "rows",
            _("share of the records"),
            self.column,
            (
                Series(_("Whole input"), self.table_shares, "input"),
                Series(_("The class"), self.class_shares, "release"),
            ),
            labels=self._labels,
            is_share=True,
            reading=reading,
        )

    @property
    def _labels(self) -> tuple[str, ...]:
        return tuple(value.label or _("(missing)") for value in self.bins)

    @property
    def class_shares(self) -> tuple[float, ...]:
        """Share of the class per bin."""
        return _shares(self.class_counts)

    @property
    def table_shares(self) -> tuple[float, ...]:
        """Share of the input table per bin."""
        return _shares(self.table_counts)


@dataclass(frozen=True, eq=False)
class AttributeDisclosureFound(Findings):
    """Attribute disclosure of a sensitive column by every kept class.

    Attributes
    ----------
    subject : Subject
        Release that `compare` reads.
    distance : {"equal", "ordered", "hierarchical"}
        Distance of t.
    numbers : ndarray of int64, shape (n_kept_classes,)
        Numbers of the kept classes, as `Release.labels`.
    sizes : ndarray of int64, shape (n_kept_classes,)
        Records, or people if they may have several.
    measured : mapping of str to ndarray, shape (n_kept_classes,)
        Values by key of `CLASS_MEASURES`.
    limits : mapping of str to float
        Thresholds of the requirement for this column by key; measures without one are absent.
    worst_before : mapping of str to float
        Value of the worst class of the input by key.
    """

    subject: Subject
    column: str
    distance: str
    numbers: IntArray
    sizes: Counts
    measured: Mapping[str, FloatArray]
    limits: Mapping[str, float]
    worst_before: Mapping[str, float]

    @property
    def measures(self) -> tuple[ClassMeasure, ...]:
        """Measures in display order."""
        return CLASS_MEASURES

    @property
    def n_single(self) -> int:
        """Number of records, or people, in kept classes with a single value, which the class reveals.

        If people may have several records, a class of one person counts regardless of their values.
        """
        chosen = np.zeros(len(self.subject.release.kept), dtype=np.bool_)
        chosen[self.numbers[self.measured["distinct_l"] == 1]] = True
        return self.subject.release.classes.by_size(chosen).n_people

    def worst(self, key: str, most: int = 1) -> IntArray:
        """Return the kept classes that reveal most, the worst first; indices into `numbers`.

        Ties are sorted by descending size, then by position.
        """
        values = self.measured[key]
        badness = values if _measure(key).lowest_is_worst else -values
        return np.lexsort((self.numbers, -self.sizes, badness))[:most]

    def worst_value(self, key: str) -> float | None:
        """Return the value of the worst kept class; None if no class is kept."""
        chosen = self.worst(key)
        return float(self.measured[key][chosen[0]]) if len(chosen) else None

    def cells(self, number: int) -> tuple[tuple[str, str], ...]:
        """Return the released cells of a class: quasi-identifying column and text."""
        record = int(np.argmax(self.subject.release.labels == number))
        columns = ((name, self.subject.release.column(name)) for name in self.subject.quasi_identifying)
        return tuple((name, column.text(record)) for name, column in columns if column is not None)

    def compare(self, number: int, key: str = DISTANCE) -> ClassCompared:
        """Compare the values of a kept class, numbered as in `Release.labels`, with those of the input table.

        Parameters
        ----------
        key : str
            With the other sensitive columns as quasi-identifiers, the part worst by this measure is used.

        Raises
        ------
        InputError
            No kept class has this number.
        """
        places = np.flatnonzero(self.numbers == number)
        if not len(places):
            raise InputError(
                _("Kept class {number} does not exist.").format(number=number),
                hint=_("Choose one of the listed classes."),
            )
        attribute = self.subject.release.problem.sensitive_attribute(self.column)
        measure = _measure(key).of(self.column, self.distance)
        counts, n_people = _counts_of(self.subject, self.column, number, measure)
        bins = bins_of(attribute.column)
        persons = self.subject.release.problem.repeated
        unit = 1 if persons is None else persons.unit
        inside, table = (
            np.bincount(bins.codes, weights=c / unit, minlength=len(bins.bins))
            for c in (counts, attribute.table_weights)
        )
        value, limit, measured = float(self.measured[key][places[0]]), self.limits.get(key), _measure(key)
        words, is_over = measured.words(value), False
        if limit is not None:
            words = _("{measured}, limit {limit}").format(measured=words, limit=measured.number(limit, 2))
            is_over = value < limit if measured.lowest_is_worst else value > limit
        return ClassCompared(
            self.column,
            self.subject.counted,
            number,
            n_people,
            bins.bins,
            tuple(inside.tolist()),
            tuple(table.tolist()),
            self.cells(number),
            MappingProxyType({key: float(values[places[0]]) for key, values in self.measured.items()}),
            words,
            "danger" if is_over else "text",
        )

    def meaning(self, key: str) -> str:
        """Return what a measure means, its usual thresholds, and its value in the input."""
        measure = _measure(key)
        before = measure.number(self.worst_before[key])
        text = _("{meaning}\n{usual}\nWorst class of the input: {before}.").format(
            meaning=measure.meaning, usual=measure.usual, before=before
        )
        if key == DISTANCE:
            text += _("\nDistance: {distance}.").format(distance=self.distance)
        if key in self.limits:
            return _("{text}\nThe threshold is that of the requirement of the release.").format(text=text)
        return _("{text}\nThe requirement of the release has no threshold for it.").format(text=text)

    def named(self, key: str, most: int) -> dict[int, str]:
        """Return names of the worst classes by a measure, by number, the worst first."""
        many, measure, names = self.subject.counted.many, _measure(key), {}
        for rank, place in enumerate(self.worst(key, most).tolist()):
            n, value = as_exact_count(int(self.sizes[place])), float(self.measured[key][place])
            name = _("Class {number}").format(number=rank + 1) if rank else _("Worst class")
            names[int(self.numbers[place])] = f"{name}: {n} {many}, {measure.words(value)}"
        return names

    def statement(self) -> Statement:
        n, noun = self.n_single, self.subject.counted
        if not n:
            return Statement(_("Every kept class has several values of {column}.").format(column=self.column))
        classes = _("classes of one person or one value") if noun == PEOPLE else _("classes of one value")
        words = _("{n} {noun} in {classes}").format(n=as_exact_count(n), noun=noun.of(n), classes=classes)
        return Statement(f"{self.column}: {words}.", "danger", words)

    def blocks(self) -> tuple[Block, ...]:
        """Return the worst values before and after, and every kept class."""
        summary = tuple(
            (
                measure.title,
                measure.symbol,
                self.worst_before[measure.key],
                self.worst_value(measure.key),
                self.limits.get(measure.key),
                measure.meaning,
            )
            for measure in CLASS_MEASURES
        )
        many = self.subject.counted.many
        columns = (
            FigureColumn("class", _("Class"), explanation=_("Its number in the release.")),
            FigureColumn("n_records", many.capitalize(), many),
            *(FigureColumn(m.key, m.title, explanation=m.meaning) for m in CLASS_MEASURES),
        )
        rows: list[tuple[Figure, ...]] = [
            (number, size, *values)
            for number, size, *values in zip(
                self.numbers.tolist(),
                self.sizes.tolist(),
                *(self.measured[measure.key].tolist() for measure in CLASS_MEASURES),
                strict=True,
            )
        ]
        return (
            FigureTable(
                "disclosure",
                _("What classes reveal of {column}").format(column=self.column),
                _SUMMARY_COLUMNS,
                summary,
            ),
            self._worst_classes(),
            self._worst_chart(),
            FigureTable(
                "disclosure_by_class",
                _("Classes"),
                columns,
                tuple(rows),
                is_by_record=True,
                is_listed=False,
            ),
        )

    def _worst_classes(self) -> FigureTable:
        columns = (
            FigureColumn("cells", _("Released cells of the class")),
            FigureColumn("records", _("Records"), "records"),
            *(FigureColumn(measure.key, measure.symbol) for measure in CLASS_MEASURES),
        )
        rows: list[tuple[Figure, ...]] = []
        for place in self.worst(DISTANCE, _WORST).tolist():
            cells = ", ".join(f"{name}: {text}" for name, text in self.cells(int(self.numbers[place])))
            values = (self.measured[measure.key][place].item() for measure in CLASS_MEASURES)
            rows.append((cells, int(self.sizes[place]), *values))
        title = _("'{column}': classes with the largest distance from the whole table")
        return FigureTable(
            "worst_classes", title.format(column=self.column), columns, rows, is_by_record=True
        )

    def _worst_chart(self) -> Chart:
        compared = self.compare(int(self.numbers[self.worst(DISTANCE)[0]]))
        title = _("'{column}': the class with the largest distance from the whole table")
        reading = _("t = {value}: 0 if both distributions are equal, at most 1.")
        return compared.chart(
            title.format(column=self.column), reading.format(value=as_general(compared.values[DISTANCE], 3))
        )


_SUMMARY_COLUMNS = (
    FigureColumn("measure", N_("Measure", "noun")),
    FigureColumn("symbol", N_("Symbol")),
    FigureColumn("input", N_("Input"), explanation=N_("Of the class of the input that reveals most.")),
    FigureColumn("release", N_("Release"), explanation=N_("Of the kept class that reveals most.")),
    FigureColumn("limit", N_("Threshold"), explanation=N_("Threshold in the requirement of the release.")),
    FigureColumn("meaning", N_("Meaning for a class")),
)


@risk_analyses.register("attribute_disclosure")
@dataclass(frozen=True, slots=True)
class AttributeDisclosure(Analysis):
    """Measure a sensitive column in every kept class, against the distribution of the input table."""

    title: ClassVar[str] = lazy("What a class reveals")
    summary: ClassVar[str] = lazy(
        "What an attacker learns about a sensitive column from a person's class alone, "
        "without identifying the record."
    )
    reading: ClassVar[str] = lazy(
        "Usual values: at least 2 to 5 distinct values, a distance t of at most 0.1 to 0.3, "
        "a gain β of at most 1 to 4. A class can differ from the table because its people "
        "are different, which makes the table useful, or because few values are left. t, β "
        "and δ compare with all records of the input, including suppressed ones; suppressed "
        "records form no class. If people may have several records, every person has the "
        "same weight, and l is what remains after removing the values of any one person."
    )
    source: ClassVar[str] = lazy("Machanavajjhala et al. 2007, Li et al. 2007, Cao and Karras 2012")

    report_place: ClassVar[int | None] = 130

    column: str = param(
        "",
        ColumnRef(
            label=N_("Sensitive column"), help=N_("Column to protect; the first sensitive one if empty.")
        ),
    )

    @classmethod
    def of_report(cls, subject: Subject) -> Mapping[str, Self]:
        return {name: cls(column=name) for name in subject.sensitive}

    def why_not(self, subject: Subject) -> str:
        if not subject.sensitive:
            return _("No column is sensitive; set that role in Configure and re-apply a release.")
        if not subject.release.n_classes:
            return _("Every record is suppressed, so no class reveals anything.")
        return ""

    def run(self, subject: Subject, monitor: Monitor = SILENT) -> AttributeDisclosureFound:
        self.refuse_impossible(subject)
        column = self.column or subject.sensitive[0]
        if column not in subject.sensitive:
            raise InputError(
                _("'{column}' is not a sensitive column of the release.").format(column=column),
                hint=nearest(column, subject.sensitive) or _("Choose a sensitive column."),
                column=column,
            )
        release = subject.release
        distance = release.distances[column]
        numbers = np.flatnonzero(release.kept)
        measured: dict[str, FloatArray] = {}
        before: dict[str, float] = {}
        for done, measure in enumerate(CLASS_MEASURES):
            monitor.step(done, len(CLASS_MEASURES), _("Measuring: {title}").format(title=measure.title))
            of = measure.of(column, distance)
            own = _values(measure.key, np.asarray(release.classes.measured(of), dtype=np.float64))
            was = _values(measure.key, np.asarray(subject.input_classes.measured(of), dtype=np.float64))
            measured[measure.key] = own[numbers]
            before[measure.key] = float(was.min() if measure.lowest_is_worst else was.max())
        return AttributeDisclosureFound(
            subject,
            column,
            distance,
            numbers,
            release.classes.sizes[numbers],
            MappingProxyType(measured),
            MappingProxyType(_limits(subject, column)),
            MappingProxyType(before),
        )


def _values(key: str, values: FloatArray) -> FloatArray:
    return np.exp(values) if key == ENTROPY_L else values


def _measure(key: str) -> ClassMeasure:
    return next(measure for measure in CLASS_MEASURES if measure.key == key)


def _limits(subject: Subject, column: str) -> dict[str, float]:
    """Return the strictest threshold of the requirement by measure, for models of the column."""
    distance = subject.release.distances[column]
    found: dict[str, float] = {}
    for measure in CLASS_MEASURES:
        own = [
            m for m in subject.release.requirement.models if m.key == measure.model and column in m.columns
        ]
        # Thresholds of another distance or estimator do not apply to these values.
        own = [m for m in own if (getattr(m, "distance", None) or distance) == distance]
        own = [m for m in own if getattr(m, "estimator", _SHANNON) == _SHANNON]
        if own:
            choose = max if own[0].relation is Relation.AT_LEAST else min
            found[measure.key] = float(choose(model.limit for model in own))
    return found


def _shares(counts: tuple[float, ...]) -> tuple[float, ...]:
    total = math.fsum(counts)
    return tuple(count / total for count in counts)


def _counts_of(subject: Subject, column: str, number: int, measure: Measure) -> tuple[Counts, int]:
    """Return the weight of every value in a class, or in its part worst by a measure, and its people."""
    classes = subject.release.classes
    parts = classes.parts(column)
    of_class = parts.of_class(number)
    part = of_class.start
    if len(of_class) > 1:
        values = classes.measured_parts(measure)[of_class.start : of_class.stop]
        is_lowest = measure.name in (DISTINCT, ENTROPY)
        part += int(np.argmin(values) if is_lowest else np.argmax(values))
    pairs = parts.pairs
    last = pairs.starts[part + 1] if part + 1 < len(pairs.starts) else len(pairs.values)
    inside = slice(int(pairs.starts[part]), int(last))
    counts = np.zeros(subject.release.problem.sensitive_attribute(column).n_values, dtype=np.int64)
    counts[pairs.values[inside]] = pairs.counts[inside]
    return counts, int(parts.sizes[part] if parts.holders is None else parts.holders().persons[part])
