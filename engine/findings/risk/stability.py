"""Stability of a node: how often it satisfies, and is the optimum, in tables drawn from the records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from engine.findings.attack.statistics import wilson_rate
from engine.findings.base import Analysis, risk_analyses
from engine.findings.blocks import (
    SHARE,
    Block,
    FigureTable,
    Findings,
    Paragraph,
    Statement,
    as_column,
    figure_row,
)
from engine.findings.sample import sampled
from engine.findings.subject import Subject
from engine.frequency import Persons, Problem
from engine.frequency.problem import of_rows
from engine.kernels.arrays import IntArray
from engine.lattice import Node
from engine.monitor import SILENT, Monitor, PartMonitor
from engine.numbers import as_exact_count, as_risk
from engine.params import Integer, param
from engine.privacy import Requirement
from engine.project.compile import objective_of, searched_requirement
from engine.records import Column, DataType
from engine.scoring.evaluate import evaluate
from engine.scoring.explored import ExploredNodes, ExploredProfile
from engine.search.exploration import Exploration
from engine.utility.objective import Objective
from engine.words import N_, _, lazy

_AT_A_TIME = 32  # nodes explored before it is asked whether one is better
_MOST_RIVALS = 4  # optima of other draws that are tried first
_STABLE, _UNSTABLE = 0.95, 0.8  # shares of draws; own
_CAUTION = N_(
    "Probably optimistic: a drawn table repeats records, so it has no new combination of values, and a "
    "single record drawn twice looks like a pair. A real file of another month is the better test."
)


@figure_row
class Draw:
    """A node in one drawn table.

    Attributes
    ----------
    loss : float or None
        Value of the metric of the search.
    is_optimum : bool
        Whether the exact search selects the node there.
    """

    seed: int = as_column(N_("Draw"), explanation=N_("Seed of the generator PCG64, from 0."))
    suppressed: int = as_column(N_("Suppressed"), N_("records"))
    satisfies: bool = as_column(N_("Satisfies"))
    loss: float | None = as_column(N_("Utility metric"))
    is_optimum: bool = as_column(N_("Optimum"), key="optimum")


@figure_row
class Chance:
    """Share of the drawn tables in which something holds, with Wilson's interval."""

    event: str = as_column(N_("The node"))
    draws: int = as_column(N_("Drawn tables"))
    share: float = as_column(N_("Share"), SHARE)
    low: float = as_column(N_("From"), SHARE, N_("Interval of 95 % by Wilson."))
    high: float = as_column(N_("To"), SHARE)

    @classmethod
    def of(cls, event: str, n_draws: int, n_found: int) -> Chance:
        rate = wilson_rate(n_draws, n_found)
        low = rate.value - rate.error if n_found else 0.0
        high = rate.value + rate.error if n_found < n_draws else 1.0
        return cls(event, n_found, n_found / n_draws, low, high)


@dataclass(frozen=True, eq=False)
class StabilityFound(Findings):
    """A node in all drawn tables."""

    draws: tuple[Draw, ...]

    @property
    def satisfying(self) -> Chance:
        """Return how often the node satisfies."""
        return Chance.of(_("satisfies"), len(self.draws), sum(draw.satisfies for draw in self.draws))

    @property
    def optimal(self) -> Chance:
        """Return how often the node is the optimum."""
        return Chance.of(_("is the optimum"), len(self.draws), sum(draw.is_optimum for draw in self.draws))

    def statement(self) -> Statement:
        kept, chosen = self.satisfying, self.optimal
        text = _(
            "The node satisfies in {share} of {n} tables drawn from the records ({low} to {high}), and is "
            "the optimum in {optimum}."
        )
        numbers = {"share": kept.share, "low": kept.low, "high": kept.high, "optimum": chosen.share}
        sentence = text.format(
            n=as_exact_count(len(self.draws)), **{name: as_risk(share) for name, share in numbers.items()}
        )
        tone = "ok" if kept.share >= _STABLE else "warn" if kept.share >= _UNSTABLE else "danger"
        return Statement(sentence, tone)  # type: ignore[arg-type]  # one of the tones

    def blocks(self) -> tuple[Block, ...]:
        """Return both shares, a caution, and every draw, which only files and programs have."""
        chances = self.satisfying, self.optimal
        return (
            FigureTable.of("stability", _("In tables drawn from the records"), Chance, chances),
            Paragraph(_(_CAUTION), "note"),
            FigureTable.of("draws", _("Drawn tables"), Draw, self.draws, is_listed=False),
        )

    def named_values(self) -> Mapping[str, Any]:
        kept, chosen = self.satisfying, self.optimal
        return {
            "draws": len(self.draws),
            "satisfies": kept.share,
            "optimum": chosen.share,
            "interval": [kept.low, kept.high],
            "optimum_interval": [chosen.low, chosen.high],
        }


@risk_analyses.register("stability")
@dataclass(frozen=True, slots=True)
class Stability(Analysis):
    """Evaluate a node in bootstrap tables [1]_: records, or whole persons, drawn with replacement.

    References
    ----------
    .. [1] Efron (1979). Bootstrap Methods: Another Look at the Jackknife. Annals of Statistics 7(1), 1-26.
    """

    title: ClassVar[str] = lazy("Stability")
    summary: ClassVar[str] = lazy(
        "Whether the node will still satisfy for the table of the next month, and stay the optimum."
    )
    reading: ClassVar[str] = lazy(
        "Tables of the same size are drawn from the records with replacement, by persons if these may have "
        "several records, and the requirement is evaluated in each of them anew. The first share is that of "
        "the tables in which the node satisfies, the second that of the tables in which it is the optimum. "
        "A node that satisfies in few tables is at the limit: keep its levels in a series only with a "
        "margin, such as a lower suppression limit. The shares are probably optimistic, because a drawn "
        "table repeats records and has no new combination of values."
    )
    source: ClassVar[str] = lazy("Efron 1979")
    is_costly: ClassVar[bool] = True
    needs_records: ClassVar[bool] = True
    keeps_levels: ClassVar[bool] = True

    draws: int = param(
        200,
        Integer(
            minimum=1,
            maximum=100_000,
            label=N_("Drawn tables"),
            help=N_("Number of tables that are drawn from the records; 200 is usual."),
            usual=(100, 200, 1000),
        ),
    )

    def why_not(self, subject: Subject) -> str:
        if reason := self.why_not_counted(subject):
            return reason
        if subject.release.recoding is not None:
            return _("Levels of this release vary by record, and stability is a property of one node.")
        if subject.release.requirement.sampling is not None:
            return _("The records of this release were drawn at random, and each release draws others.")
        return ""

    def run(self, subject: Subject, monitor: Monitor = SILENT) -> StabilityFound:
        self.refuse_impossible(subject)
        monitor.step(0, self.draws + 1, _("Drawing tables"))
        subject, _unused = sampled(subject, monitor=PartMonitor(monitor, 0, self.draws + 1))
        project, problem, node = subject.project, subject.release.problem, subject.release.node
        assert node is not None, "what is no recoding is a node"
        chosen = _Choice(node, searched_requirement(project), project.search.metric)
        found: list[Draw] = []
        rivals: list[Node] = []
        for seed in range(self.draws):
            monitor.step(seed + 1, self.draws + 1, _("Drawing tables"))
            drawn = resampled(problem, seed)
            objective = objective_of(project, drawn)
            scores = ExploredProfile(drawn, subject.release.requirement)
            own = evaluate(_scored(scores, node), subject.release.requirement, objective)
            part = PartMonitor(monitor, seed + 1, self.draws + 1)
            better = chosen.better(scores, objective, rivals, part)
            if better is not None and better != node:
                rivals = [better, *(rival for rival in rivals if rival != better)][:_MOST_RIVALS]
            loss = float(own.metric(project.search.metric)[0])
            found.append(
                Draw(
                    seed,
                    int(own.suppressed[0]),
                    bool(own.satisfies[0]),
                    None if np.isnan(loss) else loss,
                    better == node,
                )
            )
        return StabilityFound(tuple(found))


@dataclass(frozen=True)
class _Choice:
    """The choice of a node by an exact search."""

    node: Node
    requirement: Requirement
    metric: str

    def better(
        self, scores: ExploredProfile, objective: Objective, rivals: list[Node], monitor: Monitor
    ) -> Node | None:
        """Return the node if it is proven to be the optimum, or else any better one; None if it fails."""
        if not evaluate(_scored(scores, self.node), self.requirement).satisfies[0]:
            return None
        for rival in rivals:
            scores.score(rival)
        exploration = Exploration(scores, self.requirement, self.metric, objective)
        while (best := self._best(scores, objective)) == self.node and not exploration.is_proved:
            exploration.advance(monitor, steps=_AT_A_TIME)
        return best

    def _best(self, scores: ExploredProfile, objective: Objective) -> Node:
        evaluation = evaluate(scores, self.requirement, objective)
        number = evaluation.optimum(self.metric)
        assert number is not None, "the node satisfies"
        return evaluation.lattice.node(number)


def _scored(scores: ExploredProfile, node: Node) -> ExploredNodes:
    number = scores.score(node)
    return scores.part(number, number + 1)


def resampled(problem: Problem, seed: int) -> Problem:
    """Return the problem of a table drawn from the records: as many, or as many whole persons, with repeats.

    Hierarchies and the population stay. A person drawn twice is two persons.

    Parameters
    ----------
    problem : Problem
        Every row is a record.
    seed : int
        Of the generator PCG64, which draws the numbers of records, or of persons by their first record.
    """
    generator, persons = np.random.Generator(np.random.PCG64(seed)), problem.persons
    if persons is None:
        rows: IntArray = generator.integers(0, problem.n_records, problem.n_records)
    else:
        rows, owners = _rows_of_persons(persons, generator)
        texts = tuple(map(str, range(int(owners[-1]) + 1)))
        codes = owners.astype(np.int32)
        nothing = np.full(len(texts), np.nan)
        persons = Persons.of(Column(persons.column, DataType(), texts, codes, False, nothing))
    return of_rows(problem, rows, persons)


def _rows_of_persons(persons: Persons, generator: np.random.Generator) -> tuple[IntArray, IntArray]:
    """Return the rows of drawn persons, and for each row the place of its person in the draw."""
    _unused, first, owners = np.unique(persons.numbers, return_index=True, return_inverse=True)
    places = np.empty(len(first), dtype=np.int64)
    places[np.argsort(first)] = np.arange(len(first))
    owners = places[owners]
    rows, counts = np.argsort(owners, kind="stable"), np.bincount(owners)
    drawn = generator.integers(0, len(counts), len(counts))
    lengths = counts[drawn]
    within = np.arange(int(lengths.sum())) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    starts = np.cumsum(counts) - counts
    return rows[np.repeat(starts[drawn], lengths) + within], np.repeat(np.arange(len(drawn)), lengths)
