"""Sweep of the window: its settings, and its results as text."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from anonymizer_gui.models.node_name import LevelWords, own_name
from anonymizer_gui.perspectives.explore.knobs.bar import KnobSpec
from anonymizer_gui.perspectives.explore.knobs.specs import knob_grid, turned
from anonymizer_gui.perspectives.explore.metric_text import metric_name, metric_text
from anonymizer_gui.perspectives.explore.sweep.table import Cell, SweepTable
from engine.monitor import SILENT, Monitor
from engine.numbers import as_decimal, as_exact_count, as_percent
from engine.privacy import Requirement
from engine.words import _

if TYPE_CHECKING:
    from engine.lattice import Node, Nodes
    from engine.scoring import Evaluation
    from engine.scoring.sweep import Sweep


class Swept(Protocol):
    """Results of a run, as the views need them."""

    @property
    def run(self) -> SweepRun: ...

    def node(self, cell: Cell) -> Node | None: ...

    def table(self, model_words: str) -> SweepTable: ...

    def line(self, cell: Cell) -> str: ...

    def lines(self, cell: Cell, words: LevelWords | None) -> str: ...

    def settings(self, cell: Cell) -> str: ...


@dataclass(frozen=True, eq=False)
class SweepRun:
    """Input of a sweep.

    Attributes
    ----------
    evaluation : Evaluation
        Evaluation of the initial settings, whose nodes are compared.
    spec : KnobSpec
        Knob of the threshold.
    metric : str
    thresholds, limits : tuple of float
    """

    evaluation: Evaluation
    spec: KnobSpec
    metric: str
    thresholds: tuple[float, ...]
    limits: tuple[float, ...]

    @classmethod
    def of(cls, evaluation: Evaluation, spec: KnobSpec, metric: str) -> SweepRun:
        """Return a sweep around the settings of an evaluation."""
        limits = swept_limits(evaluation.requirement.suppression_limit)
        return cls(evaluation, spec, metric, swept_thresholds(spec), limits)

    def requirement(self, cell: Cell) -> Requirement:
        """Return the requirement of a cell."""
        at = turned(self.evaluation.requirement, self.spec.key, self.thresholds[cell.threshold])
        return replace(at, suppression_limit=self.limits[cell.limit])

    def cell_of(self, requirement: Requirement) -> Cell | None:
        """Return the cell of a requirement, if this sweep has one."""
        for place, threshold in enumerate(self.thresholds):
            if turned(self.evaluation.requirement, self.spec.key, threshold).models == requirement.models:
                if requirement.suppression_limit in self.limits:
                    return Cell(place, self.limits.index(requirement.suppression_limit))
                return None
        return None

    def swept(self, monitor: Monitor = SILENT) -> Swept:
        """Compute the sweep; takes seconds, so run it in a task."""
        from engine.scoring.sweep import sweep

        requirements = [self.requirement(Cell(place, 0)) for place in range(len(self.thresholds))]
        evaluation = self.evaluation
        found = sweep(
            evaluation.profile, requirements, self.limits, self.metric, evaluation.objective, monitor
        )
        return SweepResult(self, found)

    def has_settings_of(self, other: SweepRun) -> bool:
        """Return whether another run starts in a cell of this one, and differs by new nodes at most."""
        mine, wanted = self.evaluation, other.evaluation
        return (
            mine.problem is wanted.problem
            and (self.metric, self.spec.key) == (other.metric, other.spec.key)
            and mine.objective.index(self.metric) == wanted.objective.index(self.metric)
            and self.cell_of(wanted.requirement) is not None
        )

    def answers(self, other: SweepRun) -> bool:
        """Return whether the results apply to another run too."""
        mine, wanted = self.evaluation, other.evaluation
        is_same = mine.profile is wanted.profile and mine.lattice is wanted.lattice
        return is_same and mine.n_scored == wanted.n_scored and self.has_settings_of(other)


@dataclass(frozen=True, eq=False)
class SweepResult:
    """Results of a run."""

    run: SweepRun
    sweep: Sweep

    @property
    def nodes(self) -> Nodes:
        """Nodes by index."""
        return self.run.evaluation.lattice

    def node(self, cell: Cell) -> Node | None:
        """Return the optimum of a cell."""
        number = int(self.sweep.numbers[cell])
        return None if number < 0 else self.nodes.node(number)

    def table(self, model_words: str) -> SweepTable:
        """Return the values for the views; `model_words` is the name of the threshold."""
        run = self.run
        return SweepTable(
            threshold_name=model_words,
            limit_name=_("suppression limit"),
            value_name=metric_name(run.metric),
            thresholds=run.thresholds,
            threshold_texts=tuple(self._threshold(value) for value in run.thresholds),
            limit_texts=tuple(as_percent(limit) for limit in run.limits),
            values=self.sweep.values,
            value_text=metric_text(run.metric),
            is_logarithmic=run.spec.scale.is_logarithmic,
        )

    def line(self, cell: Cell) -> str:
        """Return a cell in one line."""
        settings = self.settings(cell)
        node = self.node(cell)
        if node is None:
            return _("{settings}: no node satisfies").format(settings=settings)
        return f"{settings}: {self._value(cell)}, {self._suppressed(cell)}, {self._name(node)}"

    def lines(self, cell: Cell, words: LevelWords | None) -> str:
        """Return a cell with the description of its optimum."""
        node, settings = self.node(cell), self.settings(cell)
        if node is None:
            return "\n".join([settings, _("No node satisfies")])
        satisfying = _("{satisfying} of {n_nodes} nodes satisfy").format(
            satisfying=as_exact_count(int(self.sweep.satisfying[cell])),
            n_nodes=as_exact_count(self.nodes.n_nodes),
        )
        found = [
            settings,
            _("Optimum {node} · {cell}").format(node=self._name(node), cell=self._value(cell)),
        ]
        found += [self._suppressed(cell), satisfying]
        found += [f"{name}: {text}" for name, text in words.node(node)] if words is not None else []
        return "\n".join(found)

    def _name(self, node: Node) -> str:
        return own_name(node, self.run.evaluation.problem)

    def settings(self, cell: Cell) -> str:
        """Return threshold and limit of a cell."""
        run = self.run
        threshold, limit = self._threshold(run.thresholds[cell.threshold]), as_percent(run.limits[cell.limit])
        return _("{name} = {threshold}, limit {limit}").format(
            name=run.spec.name, threshold=threshold, limit=limit
        )

    def _threshold(self, value: float) -> str:
        spec = self.run.spec
        return f"{as_decimal(value * spec.scale.factor, spec.scale.decimals)}{spec.suffix}"

    def _value(self, cell: Cell) -> str:
        value = float(self.sweep.values[cell])
        return f"{metric_name(self.run.metric)} {metric_text(self.run.metric)(value)}"

    def _suppressed(self, cell: Cell) -> str:
        count, n_records = int(self.sweep.suppressed[cell]), self.run.evaluation.profile.problem.n_records
        share = as_percent(count / max(n_records, 1))
        return _("{count} records suppressed ({share})").format(count=as_exact_count(count), share=share)


_SIZES = (1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 15, 20, 30, 50)
_LIMITS = (0.0, 0.01, 0.02, 0.03, 0.05, 0.075, 0.1, 0.15, 0.2)
_MOST = 14  # values of a linear axis


def swept_thresholds(spec: KnobSpec) -> tuple[float, ...]:
    """Return ascending values over the range of a knob: usual sizes or equal steps, and the present one."""
    scale = spec.scale
    if scale.is_logarithmic:
        decades = [size * factor for factor in (1, 100, 10_000, 1_000_000) for size in _SIZES]
        values = {float(size) for size in decades if scale.minimum <= size < scale.maximum}
        values |= {scale.minimum, scale.maximum}
    else:
        grid = knob_grid(scale)
        steps = min(len(grid), _MOST) - 1
        values = {grid[round(step * (len(grid) - 1) / max(steps, 1))] for step in range(steps + 1)}
    return tuple(sorted(values | {spec.value}))


def swept_limits(present: float) -> tuple[float, ...]:
    """Return usual limits and the present one, ascending."""
    return tuple(sorted({*_LIMITS, present}))
