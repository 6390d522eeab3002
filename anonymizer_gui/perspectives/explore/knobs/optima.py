"""Values of every knob at which the optimum changes, computed for one knob after the other."""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from anonymizer_gui.models.node_name import own_name
from anonymizer_gui.perspectives.explore.knobs.bar import SUPPRESSION, KnobSpec
from anonymizer_gui.perspectives.explore.knobs.specs import knob_grid, turned
from anonymizer_gui.perspectives.explore.metric_text import metric_name, metric_text
from anonymizer_gui.session import Session
from anonymizer_gui.widgets.knob_scale import KnobScale
from engine.monitor import SILENT, Monitor
from engine.numbers import as_decimal
from engine.words import _

if TYPE_CHECKING:
    from engine.scoring import Evaluation

Optima = list[tuple[float, str]]
_KEY = "optima"

_MOST_REPEATED = 2000  # nodes at which suppression is repeated a hundred times


class OptimaMeasuring(QObject):
    """Runs in tasks; the knob changed last goes first, and the newest request counts."""

    measured = Signal(str, list)  # key of a knob, `Optima`

    def __init__(self, session: Session, parent: QObject) -> None:
        super().__init__(parent)
        self._session, self._runner = session, session.runner
        self._evaluation: Evaluation | None = None
        self._metric = ""
        self._waiting: tuple[Evaluation, list[KnobSpec]] | None = None
        self._left: list[KnobSpec] = []
        session.shown.changed.connect(self._on_preview_changed)

    @property
    def is_settled(self) -> bool:
        return not (self._runner.running(_KEY) or self._left)

    def forget(self) -> None:
        """Stop until there is another evaluation."""
        self._runner.cancel(_KEY)
        self._evaluation, self._waiting, self._left = None, None, []

    def measure(self, evaluation: Evaluation, specs: list[KnobSpec]) -> None:
        """Measure the knobs of settled settings, unless that is done or running."""
        if evaluation is self._evaluation and self._metric == self._session.shown.metric:
            return
        if evaluation.requirement != self._session.shown.requirement:
            return  # the settings have changed; the new ones are measured when settled
        if not self.is_settled and self._session.results.is_explored:
            self._waiting = evaluation, specs  # cancelling at each change would never let a run finish
            return
        self._runner.cancel(_KEY)
        self._evaluation, self._metric = evaluation, self._session.shown.metric
        self._waiting = None
        # other values of a draw draw other records
        self._left = [spec for spec in specs if spec.is_threshold and not spec.draws_anew]
        if _takes_too_long(evaluation, self._metric):
            self._left = []
            for spec in specs:
                self.measured.emit(spec.key, [])
        self._go_on()

    def _go_on(self) -> None:
        evaluation = self._evaluation
        if evaluation is None or self._runner.running(_KEY):
            return
        if not self._left:
            if self._waiting is not None:
                self.measure(*self._waiting)
            return
        spec = self._left.pop(0)
        show = partial(self._on_measured, evaluation, spec)
        self._runner.run(measure_optima, evaluation, spec, self._metric, then=show, key=_KEY)

    def _on_measured(self, evaluation: Evaluation, spec: KnobSpec, optima: Optima) -> None:
        if evaluation is self._evaluation:
            self.measured.emit(spec.key, optima)
            QTimer.singleShot(0, self, self._go_on)  # after this task has ended

    def _on_preview_changed(self) -> None:
        """Pause while a knob is dragged; measuring resumes when it is released."""
        if self._session.shown.is_preview and not self.is_settled:
            self.forget()


def _takes_too_long(evaluation: Evaluation, metric: str) -> bool:
    """Return whether evaluating a hundred other settings would take too long in the background."""
    from engine.utility import utility_metrics

    requirement = evaluation.requirement
    is_costly = utility_metrics[metric].costly or requirement.earlier is not None
    if is_costly or any(m.is_costly for m in requirement.models):
        return True
    return requirement.has_attackers and evaluation.lattice.n_nodes > _MOST_REPEATED


def measure_optima(evaluation: Evaluation, spec: KnobSpec, metric: str, monitor: Monitor = SILENT) -> Optima:
    """Return the values of a knob at which the optimum changes, ascending, with a sentence each.

    The first entry is the least value of the knob.
    """
    known: dict[float, tuple[int, float]] = {}  # index and value of the optimum
    wanted = knob_grid(spec.scale)
    if spec.scale.minimum <= spec.value <= spec.scale.maximum:
        wanted = sorted({*wanted, spec.value})
    while wanted:
        known.update(zip(wanted, _optima_at(evaluation, spec, metric, wanted, monitor), strict=True))
        wanted = _between_changes(known, spec.scale)
    optima: Optima = []
    before: int | None = None
    for value, (number, loss_there) in sorted(known.items()):
        if number == before:
            continue
        before = number
        at = f"{as_decimal(value * spec.scale.factor, spec.scale.decimals)}{spec.suffix}"
        if number < 0:
            optima.append((value, _("From {name} = {at}, no node satisfies").format(name=spec.name, at=at)))
            continue
        node = own_name(evaluation.lattice.node(number), evaluation.problem)
        loss = f"{metric_name(metric)} {metric_text(metric)(loss_there)}"
        text = _("From {name} = {at}, the optimum: {node}, {loss}")
        if evaluation.n_scored < evaluation.problem.lattice.n_nodes:
            text = _("From {name} = {at}, the best so far: {node}, {loss}")
        optima.append((value, text.format(name=spec.name, at=at, node=node, loss=loss)))
    return optima


def _optima_at(
    evaluation: Evaluation, spec: KnobSpec, metric: str, values: list[float], monitor: Monitor
) -> list[tuple[int, float]]:
    """Return index and value of the optimum for each value of the knob."""
    from engine.scoring.sweep import sweep

    requirement = evaluation.requirement
    requirements, limits = [requirement], values
    if spec.key != SUPPRESSION:
        requirements = [turned(requirement, spec.key, value) for value in values]
        limits = [requirement.suppression_limit]
    return sweep(evaluation.profile, requirements, limits, metric, evaluation.objective, monitor)


def _between_changes(known: dict[float, tuple[int, float]], scale: KnobScale) -> list[float]:
    """Return values halfway between two with different optima, if the knob allows any between them."""
    places = sorted(known)
    middles = [
        scale.tidy((low + high) / 2)
        for low, high in pairwise(places)
        if known[low][0] != known[high][0] and high - low > scale.unit * 1.5
    ]
    return [value for value in middles if value not in known]
