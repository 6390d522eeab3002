"""Reasons why an attack is resisted or not, with the numbers that decide."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from engine.assessment.risk.resistance import AttackReport, Resistance
from engine.assessment.subject import Subject
from engine.assessment.words import as_number, listed, listed_or, quoted
from engine.frequency import Measure
from engine.frequency.classes import BASIC_GAIN, DISTINCT, EQUAL, LARGEST_SHARE
from engine.frequency.counted import PEOPLE, Noun, who
from engine.frequency.measured import MeasuredClasses
from engine.kernels.arrays import BoolArray, Counts, FloatArray, IntArray
from engine.numbers import as_decimal, as_exact_count, as_risk
from engine.privacy import Attack
from engine.privacy.distinct_l_diversity import DistinctLDiversity
from engine.privacy.k_map import KMap
from engine.privacy.t_closeness import TCloseness
from engine.recoding.ruled import rule_of
from engine.table import Role
from engine.words import N_, _, ngettext

NOTHING_MEASURED = N_("no column is marked as sensitive, so nothing was measured")
NOTHING_KEPT = N_("no record is kept")
_CLOSE = 0.1  # numbers within this share of the range of a column are close


@dataclass(frozen=True, eq=False)
class AttackEvidence:
    """The classes of one side, as evidence for the verdicts.

    Attributes
    ----------
    classes : MeasuredClasses
    kept : ndarray of bool, shape (n_classes,)
    subject : Subject
    """

    classes: MeasuredClasses
    kept: BoolArray
    subject: Subject

    @property
    def sizes(self) -> Counts:
        """Records per kept class; people if they may have several records."""
        return self.classes.sizes[self.kept]

    @property
    def who(self) -> Noun:
        """The counted thing: records, or people who may have several."""
        return who(counts_people=self.classes.persons is not None)

    @property
    def n_alone(self) -> int:
        """Number of records or people that are alone in a kept class."""
        return self.classes.by_size(self.kept).n_below(2)

    def measured(self, name: str, column: str) -> IntArray | FloatArray:
        """Return a measure of a sensitive column per kept class."""
        found: IntArray | FloatArray = self.classes.measured(Measure(name, column))[self.kept]
        return found


def reason_for(report: AttackReport, side: AttackEvidence) -> str:
    """Say why a side resists an attack or not, without capital and full stop."""
    if not side.kept.any():
        return _(NOTHING_KEPT)
    if report.model is None:
        return _(NOTHING_MEASURED)
    if report.model.key == DistinctLDiversity.key and report.model.value == 1:
        return _homogeneous(report, side)
    return _REASONS[report.attack](report, side)


def example_for(report: AttackReport, side: AttackEvidence) -> str:
    """Return values of the input that show the reason, such as "40 and 42"; empty if none do."""
    if report.attack is not Attack.SIMILARITY or report.model is None or report.model.kind is not TCloseness:
        return ""
    close = _closest(side, report.model.column)
    return "" if close is None or close[0] == close[1] else listed(close)


def _re_identification(report: AttackReport, side: AttackEvidence) -> str:
    smallest, is_people = int(side.sizes.min()), side.who is PEOPLE
    if smallest == 1:
        n = side.n_alone
        text = (
            ngettext(
                "{n} person shares the values of a record with no other",
                "{n} people share the values of a record with no other",
                n,
            )
            if is_people
            else ngettext(
                "{n} record shares its values with no other",
                "{n} records share their values with no other",
                n,
            )
        )
    else:
        n = smallest - 1
        text = (
            ngettext(
                "each record shares its values with at least one other person",
                "each record shares its values with at least {n} other people",
                n,
            )
            if is_people
            else ngettext(
                "each record shares its values with at least one other",
                "each record shares its values with at least {n} others",
                n,
            )
        )
    return _with_population(text.format(n=as_exact_count(n)), report)


def _linkage(report: AttackReport, side: AttackEvidence) -> str:
    n = smallest = int(side.sizes.min())
    if smallest > 1:
        text = _("linking returns {n} or more candidates")
    else:
        n = side.n_alone
        text = (
            _("linking returns a single candidate for {n} of the people")
            if side.who is PEOPLE
            else _("linking returns a single candidate for {n} of the records")
        )
    return _with_population(text.format(n=as_exact_count(n)), report)


def _with_population(text: str, report: AttackReport) -> str:
    """Add the k-map of the population to a reason, if it is measured."""
    models = (report.model, *report.weaker)
    counted = next((model for model in models if model is not None and model.kind is KMap), None)
    if counted is None or counted.value is None:
        return text
    return _("{text}; {n} or more people of the population match each").format(
        text=text, n=as_exact_count(int(counted.value))
    )


def _homogeneous(report: AttackReport, side: AttackEvidence) -> str:
    """Say how many classes have a single value, which anyone who finds the class learns."""
    column = _column(report)
    n = int((side.measured(DISTINCT, column) == 1).sum())
    text = (
        ngettext(
            "{n} of {total} classes has one person or a single value of '{column}'",
            "{n} of {total} classes have one person or a single value of '{column}'",
            n,
        )
        if side.who is PEOPLE
        else ngettext(
            "{n} of {total} classes has a single value of '{column}'",
            "{n} of {total} classes have a single value of '{column}'",
            n,
        )
    ).format(n=as_exact_count(n), total=as_exact_count(len(side.sizes)), column=column)
    if side.subject.release.problem.measures_parts:
        text = _("{text} for an attacker who knows the other sensitive columns").format(text=text)
    if report.attack is Attack.BACKGROUND_KNOWLEDGE:
        return _("without any knowledge: {text}").format(text=text)
    return text


def _homogeneity(report: AttackReport, side: AttackEvidence) -> str:
    if report.resistance is Resistance.RESISTED:
        return _("no class has a single value of {columns}").format(
            columns=listed_or(quoted(side.subject.sensitive))
        )
    column = _column(report)
    text = (
        _("no class has a single value of '{column}', but in one {share} of the people are equal")
        if side.who is PEOPLE
        else _("no class has a single value of '{column}', but in one {share} of the records are equal")
    )
    return text.format(column=column, share=as_risk(float(side.measured(LARGEST_SHARE, column).max())))


def _background_knowledge(report: AttackReport, side: AttackEvidence) -> str:
    column = _column(report)
    n = int(side.measured(DISTINCT, column).min()) - 1
    text = ngettext(
        "one value of '{column}' can be excluded before one remains",
        "{n} values of '{column}' can be excluded before one remains",
        n,
    ).format(n=as_number(n), column=column)
    if report.resistance is Resistance.RESISTED:
        return text
    largest = (
        _("{text}, and in one class {share} of the people are equal")
        if side.who is PEOPLE
        else _("{text}, and in one class {share} of the records are equal")
    )
    return largest.format(text=text, share=as_risk(float(side.measured(LARGEST_SHARE, column).max())))


def _skewness(report: AttackReport, side: AttackEvidence) -> str:
    if report.resistance is Resistance.RESISTED:
        return _("no class differs much from the table")
    column = _column(report)
    times = float(side.measured(BASIC_GAIN, column).max()) + 1
    text = as_decimal(times, 1) if times < 10 else as_exact_count(round(times))
    return _("in one class, a value of '{column}' is {text} times as frequent as in the table").format(
        column=column, text=text
    )


def _similarity(report: AttackReport, side: AttackEvidence) -> str:
    assert report.model is not None
    column = report.model.column
    is_near = report.resistance is Resistance.RESISTED
    start = (
        _("no class differs much from the table")
        if is_near
        else _("one class differs much from the table in '{column}'").format(column=column)
    )
    if _closest(side, column) is not None:
        return _("{start}, but the values of '{column}' in a class may be close to each other").format(
            start=start, column=column
        )
    if report.model.reported.get("distance") == EQUAL:
        return _("{start}; which values of '{column}' have a similar meaning is not measured").format(
            start=start, column=column
        )
    return _("{start}; close values count as similar").format(start=start)


def _inference(report: AttackReport, side: AttackEvidence) -> str:
    assert report.model is not None
    column, value = report.model.column, float(report.model.value or 0.0)
    if math.isinf(value):
        text = _("in one class, a value of '{column}' never occurs, so it can be excluded").format(
            column=column
        )
    elif report.resistance is Resistance.RESISTED:
        text = _("each value is about as frequent in every class as in the table")
    else:
        times = math.exp(min(value, 700.0))
        text = _(
            "in one class, a value of '{column}' is {times} times as frequent as in the table, or as rare"
        ).format(column=column, times=as_decimal(times, 1))
    unchanged = [
        name
        for name in side.subject.names
        if side.subject.project.role(name) is Role.INSENSITIVE and rule_of(side.subject.project, name) is None
    ]
    if not unchanged:
        return text
    if len(unchanged) > 3:
        return _("{text}; no model covers the {n} columns released unchanged").format(
            text=text, n=as_number(len(unchanged))
        )
    return ngettext(
        "{text}; no model covers {names}, which is released unchanged",
        "{text}; no model covers {names}, which are released unchanged",
        len(unchanged),
    ).format(text=text, names=listed(quoted(unchanged)))


def _membership(report: AttackReport, side: AttackEvidence) -> str:
    assert report.model is not None
    value = report.model.value
    if value is None or math.isinf(value):
        return _("one class has records but no person of the population")
    return _("up to {value} of the people who match a class are in the table").format(
        value=as_risk(min(float(value), 1.0))
    )


_REASONS = {
    Attack.RE_IDENTIFICATION: _re_identification,
    Attack.LINKAGE: _linkage,
    Attack.HOMOGENEITY: _homogeneity,
    Attack.BACKGROUND_KNOWLEDGE: _background_knowledge,
    Attack.SKEWNESS: _skewness,
    Attack.SIMILARITY: _similarity,
    Attack.INFERENCE: _inference,
    Attack.MEMBERSHIP: _membership,
}


def _column(report: AttackReport) -> str:
    assert report.model is not None
    return report.model.column


def _closest(side: AttackEvidence, column: str) -> tuple[str, str] | None:
    """Return the smallest and the largest value of the class with the closest numbers.

    Of several such classes the largest one; None if values are not numbers, or never close.
    """
    attribute = side.subject.release.problem.sensitive_attribute(column)
    numbers = attribute.column.numbers
    if attribute.column.has_missing or not len(numbers) or np.isnan(numbers).any():
        return None
    pairs = side.classes.pairs(column)
    first = pairs.values[pairs.starts]
    last = pairs.values[np.append(pairs.starts[1:], len(pairs.values)) - 1]
    kept = np.flatnonzero(side.kept)
    widths = (numbers[last] - numbers[first])[kept]
    if widths.min() > _CLOSE * (numbers.max() - numbers.min()):
        return None
    chosen = kept[np.lexsort((-side.classes.sizes[kept], widths))[0]]
    labels = attribute.column.labels
    return labels[int(first[chosen])], labels[int(last[chosen])]
