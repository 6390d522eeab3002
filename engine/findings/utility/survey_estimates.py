"""Estimates of the population from survey weights: means, quartiles and shares, before and after."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from engine.findings.base import Analysis, utility_analyses
from engine.findings.blocks import SHARE, Block, Figure, FigureColumn, FigureTable, Findings, Statement
from engine.findings.cells import ReleasedCells
from engine.findings.subject import Subject
from engine.findings.words import with_left_out
from engine.frequency.population import weights_of_rows, why_no_weights
from engine.kernels.arrays import FloatArray, IntArray
from engine.kernels.survey import WeightedNumbers, weighted_numbers, weighted_shares
from engine.monitor import SILENT, Monitor
from engine.numbers import as_decimal
from engine.params import Integer, param
from engine.records import Kind
from engine.words import N_, _, lazy


@dataclass(frozen=True)
class ColumnEstimates:
    """Estimates of one column.

    Attributes
    ----------
    before, after : WeightedNumbers or None
        None for a column without numbers.
    shares : tuple of (str, float, float)
        Value, and its weighted share before and after, for the most frequent values of the input.
    largest_change : float
        Largest absolute difference of a share over all values.
    """

    name: str
    before: WeightedNumbers | None
    after: WeightedNumbers | None
    shares: tuple[tuple[str, float, float], ...]
    largest_change: float


@dataclass(frozen=True)
class SurveyEstimatesFound(Findings):
    """Estimates of the comparable columns, in the order of the table, and the columns left out."""

    columns: tuple[ColumnEstimates, ...]
    left_out: tuple[str, ...] = ()

    def statement(self) -> Statement:
        worst = max(self.columns, key=lambda column: column.largest_change, default=None)
        if worst is None:
            return Statement(_("No column of the release can be compared with the input."))
        text = _("The largest change of a weighted share is {change} percentage points, in '{column}'.")
        text = text.format(change=as_decimal(100 * worst.largest_change, 1), column=worst.name)
        return Statement(text, caption=with_left_out("", self.left_out))

    def blocks(self) -> tuple[Block, ...]:
        """Return means and quartiles of numeric columns, and shares of frequent values."""
        numbers: list[tuple[Figure, ...]] = []
        for column in self.columns:
            for side, found in (("before", column.before), ("after", column.after)):
                if found is not None:
                    numbers.append((column.name, side, *found))
        shares = tuple((column.name, *entry) for column in self.columns for entry in column.shares)
        return (
            FigureTable("survey_numbers", _("Weighted mean and quartiles"), _NUMBERS, tuple(numbers)),
            FigureTable("survey_shares", _("Weighted shares"), _SHARES, shares),
        )


_NUMBERS = (
    FigureColumn("column", N_("Column")),
    FigureColumn("side", N_("Side")),
    FigureColumn("mean", N_("Mean"), "", N_("Weighted by the people whom each record stands for.")),
    FigureColumn("lower_quartile", N_("Lower quartile"), "", N_("At or below: a quarter of the weights.")),
    FigureColumn("median", N_("Median"), "", N_("At or below: half of the weights.")),
    FigureColumn(
        "upper_quartile", N_("Upper quartile"), "", N_("At or below: three quarters of the weights.")
    ),
)
_SHARES = (
    FigureColumn("column", N_("Column")),
    FigureColumn("value", N_("Value")),
    FigureColumn("before", N_("Before"), SHARE, N_("Share of the weights of all records.")),
    FigureColumn("after", N_("After"), SHARE, N_("Share of the weights of kept records.")),
)


@utility_analyses.register("survey_estimates")
@dataclass(frozen=True, slots=True)
class SurveyEstimates(Analysis):
    """Compare weighted means, quartiles and shares of every column.

    Released cells of several values count as each of these with equal weight; an aggregate counts as its
    number, and a hidden cell is excluded.
    """

    title: ClassVar[str] = lazy("Survey")
    summary: ClassVar[str] = lazy(
        "Survey estimates of the population: weighted means, quartiles and shares, before and after."
    )
    reading: ClassVar[str] = lazy(
        "Each record counts as the people whom it stands for. If a released cell covers several values, each "
        "is counted as equally likely, so that the values after are estimates. Suppressed records and hidden "
        "cells are excluded, which changes shares if they are not typical."
    )
    is_costly: ClassVar[bool] = True
    needs_kept: ClassVar[bool] = True
    combines_columns: ClassVar[bool] = True

    most: int = param(
        20,
        Integer(
            minimum=1,
            maximum=1_000_000,
            label=N_("Values listed"),
            help=N_("The most frequent values of each column."),
            usual=(10, 20, 100),
        ),
    )

    def why_not(self, subject: Subject) -> str:
        name = subject.project.weight
        if name is None:
            return _("No column has survey weights. Choose one in Configure transformation.")
        return why_no_weights(subject.input.column(name)) or Analysis.why_not(self, subject)

    def run(self, subject: Subject, monitor: Monitor = SILENT) -> SurveyEstimatesFound:
        self.refuse_impossible(subject)
        name = subject.project.weight
        assert name is not None, "without weights it is not possible"
        weights = weights_of_rows(subject.input.column(name))
        names = [other for other in subject.comparable if other != name]
        found = []
        for done, other in enumerate(names):
            monitor.step(done, len(names), _("Estimating {name}").format(name=other))
            found.append(_estimates(other, subject.cells(other), weights, self.most))
        return SurveyEstimatesFound(tuple(found), subject.uncounted)


def _estimates(name: str, cells: ReleasedCells, weights: FloatArray, most: int) -> ColumnEstimates:
    axis = cells.axis
    before = _amounts(axis.codes, weights, axis.n_values)
    by_text = _amounts(cells.codes + 1, weights, len(cells.labels) + 1)[1:]  # without suppressed records
    visible = np.where(cells.is_hidden, 0.0, by_text)
    after = cells.stands_for.spread(visible, axis.n_values)
    numbers: tuple[WeightedNumbers | None, WeightedNumbers | None] = (None, None)
    if axis.is_numeric and axis.data_type.kind is not Kind.DATE:
        states = ~np.isnan(cells.points)
        spread = cells.stands_for.spread(np.where(states, 0.0, visible), axis.n_values)
        placed = slice(axis.n_placed)
        points = np.concatenate((axis.positions[placed], cells.points[states]))
        numbers = (
            weighted_numbers(axis.positions[placed], before[placed]),
            weighted_numbers(points, np.concatenate((spread[placed], visible[states]))),
        )
    every = np.arange(axis.n_values)
    shares = [weighted_shares(every, amounts, axis.n_values) for amounts in (before, after)]
    listed = np.argsort(-before, kind="stable")[:most].tolist()
    return ColumnEstimates(
        name,
        *numbers,
        tuple((axis.values[v], float(shares[0][v]), float(shares[1][v])) for v in listed if before[v] > 0),
        float(np.abs(shares[0] - shares[1]).max(initial=0.0)) if visible.any() else 0.0,
    )


def _amounts(codes: IntArray, weights: FloatArray, n_values: int) -> FloatArray:
    return np.asarray(np.bincount(codes, weights=weights, minlength=n_values), dtype=np.float64)
