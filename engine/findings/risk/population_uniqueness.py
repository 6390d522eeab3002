"""Estimated population uniques by sampling fraction."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import ClassVar

import numpy as np

from engine.errors import ParameterError
from engine.findings.base import Analysis, risk_analyses
from engine.findings.blocks import SHARE, Block, Chart, FigureColumn, FigureTable, Findings, Series, Statement
from engine.findings.subject import Subject
from engine.frequency.counted import Noun
from engine.kernels.arrays import Counts
from engine.kernels.population.estimate import ESTIMATORS, Estimate, estimate
from engine.monitor import SILENT, Monitor
from engine.numbers import as_exact_count, as_people, as_percent, as_risk
from engine.params import Reals, param
from engine.project.population import MANKIND
from engine.words import N_, _, lazy, ngettext

FRACTIONS = (1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
_MOST_DECIMALS = 6  # of tiny fractions in percent
ESTIMATOR_TITLES: Mapping[str, str] = MappingProxyType(
    {"dankar": N_("Rule of Dankar et al."), "pitman": N_("Pitman"), "zayatz": N_("Zayatz"), "snb": "SNB"}
)


@dataclass(frozen=True)
class UniquenessPoint:
    """Estimates for one sampling fraction.

    Attributes
    ----------
    fraction : float
        Records of the input, or people if these may have several, divided by population size.
    population : float
        Population size; equal before and after, since suppressed records belong to people too.
    before, after : mapping of str to Estimate
        Estimates by estimator, `uniques` None with a reason if there is no result; empty if nothing is kept.
    """

    fraction: float
    population: float
    before: Mapping[str, Estimate]
    after: Mapping[str, Estimate]

    def shares(self, estimator: str) -> tuple[float | None, float | None]:
        """Return the share of population uniques by the input, and by the kept records; None if unknown."""
        estimates = (side.get(estimator) for side in (self.before, self.after))
        uniques = (None if found is None else found.uniques for found in estimates)
        before, after = (None if n is None else n / self.population for n in uniques)
        return before, after


@dataclass(frozen=True)
class PopulationUniquenessFound(Findings):
    """Estimates over sampling fractions.

    Attributes
    ----------
    points : tuple of UniquenessPoint
        Estimates in ascending order of the fraction.
    own : UniquenessPoint or None
        Estimate for the project's population; None if it is unknown.
    """

    points: tuple[UniquenessPoint, ...]
    own: UniquenessPoint | None
    sentence: str

    def statement(self) -> Statement:
        return Statement(self.sentence, caption=_("share of the population that is unique"))

    def blocks(self) -> tuple[Block, ...]:
        """Return one row per fraction; that of the project is marked."""
        points = [(point, False) for point in self.points]
        if self.own is not None:
            points = sorted([*points, (self.own, True)], key=lambda pair: (pair[0].fraction, pair[1]))
        rows = tuple(
            (
                point.fraction,
                point.population,
                "yes" if is_own else "no",
                *(point.shares(key)[side] for side in (0, 1) for key in ESTIMATORS),
            )
            for point, is_own in points
        )
        least = min((point.fraction for point, _is_own in points), default=1.0)
        decimals = min(max(math.ceil(-math.log10(100 * least) - 1e-9), 2), _MOST_DECIMALS)
        columns = (
            replace(_COLUMNS[0], decimals=decimals),
            *_COLUMNS[1:],
            *(_column(key, "input") for key in ESTIMATORS),
            *(_column(key, "release") for key in ESTIMATORS),
        )
        details = [_details(point, is_own=is_own) for point, is_own in points]
        title = _("Unique people of the population")
        charts = (self._chart(key) for key in (ESTIMATORS if self.points else ()))
        return (*charts, FigureTable("population_uniqueness", title, columns, rows, details=details))

    def _chart(self, estimator: str) -> Chart:
        shares = [point.shares(estimator) for point in self.points]
        before, after = (tuple(_or_nan(each[side]) for each in shares) for side in (0, 1))
        mark = _("this project: {own}")
        own = (
            () if self.own is None else ((self.own.fraction, mark.format(own=as_percent(self.own.fraction))),)
        )
        return Chart(
            "estimates",
            _(ESTIMATOR_TITLES[estimator]),
            "lines",
            _("records / population size (log scale)"),
            _("unique in the population"),
            (Series(_("input"), before, "input"), Series(_("release"), after, "release")),
            positions=tuple(point.fraction for point in self.points),
            is_share=True,
            marks=own,
        )


def _or_nan(share: float | None) -> float:
    return math.nan if share is None else share


def _details(point: UniquenessPoint, *, is_own: bool) -> str:
    """Say whether a fraction is that of the project, and why estimates are missing."""
    words = [_("The sampling fraction of this project")] if is_own else []
    for key in ESTIMATORS:
        for side, found in ((_("input"), point.before), (_("release"), point.after)):
            if key not in found or found[key].uniques is None:
                reason = found[key].reason if key in found else _("No record is kept")
                words.append(f"{_(ESTIMATOR_TITLES[key])}, {side}: {reason}")
    return "\n".join(words)


_COLUMNS = (
    FigureColumn(
        "sampling_fraction",
        N_("Sampling fraction"),
        SHARE,
        N_("Records, or people of the table, divided by the population size."),
    ),
    FigureColumn("population", N_("Population"), "people"),
    FigureColumn(
        "is_own",
        N_("Of this project"),
        explanation=N_("Whether this is the population of the project."),
        is_listed=False,
    ),
)


def _column(estimator: str, side: str) -> FigureColumn:
    return FigureColumn(
        f"{estimator}_{side}",
        (_("{estimator}, input") if side == "input" else _("{estimator}, release")).format(
            estimator=_(ESTIMATOR_TITLES[estimator])
        ),
        SHARE,
        _("Estimated share of the population that is unique; empty if the model does not fit."),
        is_listed=estimator == "dankar",  # the others are charts, and in files
    )


@risk_analyses.register("population_uniqueness")
@dataclass(frozen=True, slots=True)
class PopulationUniqueness(Analysis):
    """Estimate population uniques from class sizes by four estimators, over sampling fractions.

    References
    ----------
    .. [1] Dankar, El Emam, Neisa, Roffey (2012). Estimating the Re-identification Risk of Clinical Data
       Sets. BMC Medical Informatics and Decision Making 12:66.
    """

    title: ClassVar[str] = lazy("Uniqueness in the population")
    summary: ClassVar[str] = lazy(
        "Estimated number of people who are unique in the population, for sampling fractions "
        "from very small to almost 1. Fractions that would need more people than there are, "
        "8.2 billion, are not listed."
    )
    reading: ClassVar[str] = lazy(
        "A record that is unique in the table is not necessarily unique in the population: "
        "the smaller the sample, the more people match it. Four estimators are shown because "
        "each fails for some tables; the rule of Dankar et al. (2012) selects the one that "
        "was best in their trials: Pitman up to a fraction of 0.1, above it the smaller of "
        "SNB and Zayatz. If no record is unique, none is expected to be unique in the "
        "population. The fraction of this project is marked if its population is known. If "
        "people may have several records, people are counted; people in several classes make "
        "the estimates approximate."
    )
    source: ClassVar[str] = lazy("Dankar, El Emam, Neisa and Roffey 2012")
    is_costly: ClassVar[bool] = True

    fractions: tuple[float, ...] = param(
        FRACTIONS,
        Reals(
            label=N_("Sampling fractions"),
            help=N_(
                "Shares of the population that are in the table, in increasing order, above 0 and at most 1."
            ),
        ),
    )

    def __post_init__(self) -> None:
        Analysis.__post_init__(self)
        if not self.fractions or self.fractions[0] <= 0 or self.fractions[-1] > 1:
            raise ParameterError(
                _("Sampling fractions must be shares of a population."),
                hint=_("Give at least one, each above 0 and at most 1: 2 % is 0.02."),
                parameter="fractions",
            )

    def run(self, subject: Subject, monitor: Monitor = SILENT) -> PopulationUniquenessFound:
        n_people, n_found = subject.n_people, (subject.n_people, subject.after.people.n_people)
        before, after = _histogram(subject.input_sizes), _histogram(subject.release.kept_sizes)
        people = subject.release.problem.people
        wanted = [(f, n_people / f) for f in self.fractions if n_people / f <= MANKIND]
        if people is not None:
            wanted.append((n_people / people.size, people.size))
        points = []
        for done, (fraction, population) in enumerate(wanted):
            found: list[dict[str, Estimate]] = [{}, {}]
            for place, (sizes, counts) in enumerate((before, after)):
                for number, key in enumerate(ESTIMATORS):
                    step = (2 * done + place) * len(ESTIMATORS) + number
                    monitor.step(
                        step,
                        2 * len(wanted) * len(ESTIMATORS),
                        _("Estimating for a fraction of {fraction:g}").format(fraction=fraction),
                    )
                    if len(sizes):
                        found[place][key] = estimate(key, sizes, counts, population, n_found[place])
            points.append(UniquenessPoint(fraction, population, *map(MappingProxyType, found)))
        own = points.pop() if people is not None else None
        n_before, n_after = subject.before.people.n_below(2), subject.after.people.n_below(2)
        noun = subject.counted
        return PopulationUniquenessFound(tuple(points), own, _sentence(n_before, n_after, own, noun))


def _histogram(sizes: Counts) -> tuple[Counts, Counts]:
    distinct, counts = np.unique(sizes, return_counts=True)
    return distinct, counts


def _sentence(n_before: int, n_after: int, own: UniquenessPoint | None, noun: Noun) -> str:
    before = noun.said(
        ngettext("{n} {record} of the input is unique", "{n} {records} of the input are unique", n_before)
    ).format(n=as_exact_count(n_before))
    after = ngettext(
        "{n} is unique in the kept records", "{n} are unique in the kept records", n_after
    ).format(n=as_exact_count(n_after))
    if own is None:
        return _("{before}, {after}; the population size is unknown.").format(before=before, after=after)
    was, now = own.shares("dankar")
    if was is None:
        return _("{before}, {after}; there is no estimate for the population.").format(
            before=before, after=after
        )
    text = (
        _("{before}, {after}; of {people} about {was} would be unique by the input, {now} by the release.")
        if now
        else _(
            "{before}, {after}; of {people} about {was} would be unique by the input, none by the release."
        )
    )
    return text.format(
        before=before,
        after=after,
        people=as_people(round(own.population)),
        was=as_risk(was),
        now=as_risk(now or 0),
    )
