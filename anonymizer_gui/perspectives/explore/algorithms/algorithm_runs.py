"""Runs of search algorithms with their results and effort."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from threading import Event
from typing import TYPE_CHECKING, Any

from anonymizer_gui.models.node_name import LevelWords, own_name
from anonymizer_gui.perspectives.explore.metric_text import metric_exact, metric_name, metric_text
from anonymizer_gui.tables.rows_model import Cell, Heading
from engine.monitor import SILENT, Monitor
from engine.numbers import DASH, as_count, as_decimal, as_exact_count, with_unit
from engine.params import Configurable, Integer, Real, describe, param, values_of
from engine.words import N_, _

if TYPE_CHECKING:
    from engine.frequency import Problem
    from engine.lattice import Node
    from engine.project import Project
    from engine.scoring.scored import Profile
    from engine.search import SearchAlgorithm, SearchResult
    from engine.search.trace import Efficiency

PROMISES = {
    "optimal": N_("The optimum, proven"),
    "best_known": N_("The best node found, not proven"),
    "none": N_("A satisfying node"),
}
_FOUND = {"optimal": N_("optimum, proven"), "best_known": N_("best found"), "none": "satisfies"}
_MEANINGS = {
    "optimal": N_("No satisfying node of the lattice is better."),
    "best_known": N_("Nodes that were not evaluated may be better."),
    "none": N_("It looks for any satisfying node, not for a good one."),
}
_MEGABYTE = 1 << 20


@dataclass(frozen=True, slots=True)
class Limits(Configurable):
    """Limits of a search, which returns the best node known when one is reached."""

    steps: int = param(
        0,
        Integer(
            minimum=0, label=N_("Largest number of nodes"), help=N_("0 for no limit."), usual=(0, 100, 1000)
        ),
    )
    seconds: float = param(
        0.0,
        Real(
            minimum=0.0,
            maximum=86_400.0,
            label=N_("Time limit (s)"),
            help=N_("0 for no limit. Then the best node so far is the result."),
            usual=(0, 10, 60),
        ),
    )


@dataclass(frozen=True)
class AlgorithmRun:
    """One run, as displayed in the table.

    Attributes
    ----------
    node : tuple of int or None
        None if no node was found that satisfies.
    words : str
        Description of the levels that differ from the input.
    metric : str
        Key of the minimized metric.
    value : float
        Metric value of the node; nan without one.
    guarantee : str
        As in `SearchResult`.
    is_proved : bool
        Whether the result is proven.
    """

    algorithm: SearchAlgorithm
    limits: Limits
    node: Node | None
    words: str
    metric: str
    value: float
    suppressed: int
    guarantee: str
    is_proved: bool
    efficiency: Efficiency
    notes: tuple[str, ...] = ()

    @property
    def found(self) -> str:
        """Status of the result in a few words."""
        if self.node is None:
            return _("none satisfies, proven") if self.is_proved else _("none found")
        return _(_FOUND[self.guarantee])

    @property
    def found_meaning(self) -> str:
        """Status of the result as a sentence."""
        if self.node is None:
            return (
                _("No node of the lattice satisfies the requirement.")
                if self.is_proved
                else _("Nodes that were not evaluated may satisfy.")
            )
        return _(_MEANINGS[self.guarantee])


def value_of(result: SearchResult, metric: str) -> float:
    """Return the value of the node found; nan without one."""
    import numpy as np

    if result.node is None:
        return math.nan
    number = result.evaluation.lattice.number(result.node)
    return float(result.evaluation.metric_at(metric, np.array([number]))[0])


def run_algorithm(
    algorithm: SearchAlgorithm,
    limits: Limits,
    project: Project,
    problem: Problem,
    profile: Profile | None,
    stop: Event | None = None,
    monitor: Monitor = SILENT,
) -> AlgorithmRun:
    """Search a node with an algorithm under the project's requirement, enforced if the project says so.

    Parameters
    ----------
    problem : Problem
        The compiled project.
    profile : Profile, optional
        Profile of the completely scored lattice, used to look nodes up. Without it, the algorithm counts.
    stop : Event, optional
        Set to end the search with the best node so far.

    Raises
    ------
    CancelledError
        If the monitor is cancelled.
    InputError
        If the algorithm does not support the lattice.
    RequirementNotMetError
        If no node can satisfy.
    """
    from engine.pipeline import refuse_impossible, search_task
    from engine.project.compile import check_metric
    from engine.project.project import AFTERWARDS, CHECK

    check_metric(problem, project.search.metric)
    refuse_impossible(project, problem)
    task = replace(
        search_task(project, problem),
        steps=limits.steps,
        seconds=limits.seconds,
        stop=stop,
        profile=profile if profile is not None and profile.is_complete else None,
    )
    result = algorithm.run(task, monitor)
    value, suppressed = value_of(result, task.metric), 0
    if result.node is not None:
        evaluation = result.evaluation
        suppressed = int(evaluation.suppressed[evaluation.lattice.number(result.node)])
    found = AlgorithmRun(
        algorithm,
        limits,
        result.node,
        "" if result.node is None else _words(problem, result.node),
        task.metric,
        value,
        suppressed,
        result.guarantee,
        result.is_proved,
        result.efficiency,
        result.notes,
    )
    return _enforced(found, project, problem) if project.search.enforce in (AFTERWARDS, CHECK) else found


def _enforced(found: AlgorithmRun, project: Project, problem: Problem) -> AlgorithmRun:
    """Return a run after enforcing the models that its search ignored."""
    from engine.pipeline import evaluate_node
    from engine.project.project import CHECK

    is_checked = project.search.enforce == CHECK
    words = _("Models of sensitive columns were met afterwards, by suppression.")
    if is_checked:
        words = _("Models of sensitive columns were only checked.")
    notes = (*found.notes, words)
    found = replace(found, guarantee="none", notes=notes)
    if found.node is None:
        return found
    judged = evaluate_node(project, problem, found.node)
    suppressed = int(judged.suppressed[0])
    if judged.satisfies[0]:
        return replace(
            found, value=float(judged.metric(found.metric)[0]), suppressed=suppressed, is_proved=False
        )
    template = _("At node {node} this suppresses {suppressed} records, more than the limit allows.")
    if is_checked:
        template = _("At node {node} some class fails them.")
    failed = template.format(node=own_name(found.node, problem), suppressed=as_exact_count(suppressed))
    return replace(
        found, node=None, words="", value=math.nan, suppressed=0, is_proved=False, notes=(*notes, failed)
    )


def run_headings(metric: str) -> list[Heading]:
    """Return the columns of the comparison."""
    return [
        Heading(_("Algorithm")),
        Heading(_("Node")),
        Heading(metric_name(metric), True, _("Value of the metric; smaller is better")),
        Heading(_("Suppressed"), True, _("Records suppressed in the release of the node")),
        Heading(_("Result")),
        Heading(_("Evaluated"), True, _("Nodes whose classes were counted, including parts of the columns")),
        Heading(_("Inferred"), True, _("Nodes decided without evaluation")),
        Heading(_("Roll-ups"), True, _("Frequency sets computed from those of other nodes (roll-ups)")),
        Heading(_("Steps"), True, _("Generalization steps: levels raised, column by column")),
        Heading(_("Time (s)"), True),
        Heading(_("Memory"), True, _("Largest memory in use, beyond the memory before the run")),
    ]


def run_rows(runs: Sequence[AlgorithmRun]) -> list[list[Cell]]:
    """Return one line per run with the best values marked."""
    best = min((run.value for run in runs if run.node is not None), default=math.nan)
    return [_row(run, is_best=run.node is not None and run.value == best) for run in runs]


def run_details(run: AlgorithmRun) -> str:
    """Return details of a run: all levels of its node, its parameters and its notes."""
    node = _("No node.") if run.node is None else _sentence(run)
    parts = [node, run.found_meaning]
    if settings := _settings(run):
        parts.append(_("Set: {settings}.").format(settings=settings))
    took = run.efficiency
    if took.scans:
        parts.append(
            _("{scans} frequency sets were counted from the records.").format(
                scans=as_exact_count(took.scans)
            )
        )
    return " ".join([*parts, *run.notes])


def _sentence(run: AlgorithmRun) -> str:
    kept = run.node is not None and any(level == 0 for level in run.node) and any(run.node)
    words = f"{run.words[:1].upper()}{run.words[1:]}"
    return _("{words}; the others kept.").format(words=words) if kept else f"{words}."


def _row(run: AlgorithmRun, *, is_best: bool) -> list[Cell]:
    took = run.efficiency
    value = DASH if run.node is None else metric_text(run.metric)(run.value)
    exact = metric_exact(run.metric, run.value)
    numbers = (took.nodes_checked, took.nodes_inferred, took.rollups, took.generalization_steps)
    settings = _settings(run)
    return [
        Cell(run.algorithm.title, f"{run.algorithm.title}, {settings}" if settings else "", is_strong=True),
        Cell(run.words or "none"),
        Cell(
            f"★ {value}" if is_best else value,
            _("{exact}, the best of these runs").format(exact=exact) if is_best else exact,
            is_strong=is_best,
            spoken=_("{value}, the best of these runs").format(value=value) if is_best else "",
        ),
        Cell(DASH if run.node is None else as_exact_count(run.suppressed)),
        Cell(run.found, run.found_meaning, "ok" if run.guarantee == "optimal" else "text"),
        *(Cell(as_count(number), as_exact_count(number)) for number in numbers),
        Cell(as_decimal(took.seconds, 2), f"{took.seconds:.6g}"),
        Cell(_memory(took.peak_bytes), _("{n} bytes").format(n=as_exact_count(took.peak_bytes))),
    ]


def _memory(n_bytes: int) -> str:
    return with_unit(as_decimal(n_bytes / _MEGABYTE, 1), "MB")


def _settings(run: AlgorithmRun) -> str:
    """Return the parameters of a run that differ from the defaults."""
    changed: dict[str, Any] = {**_labelled(run.algorithm), **_labelled(run.limits)}
    return ", ".join(f"{label} {value}" for label, value in changed.items())


def _labelled(member: Configurable) -> dict[str, Any]:
    usual = changed_values(member)
    return {d.label or d.name: usual[d.name] for d in describe(type(member)) if d.name in usual}


def changed_values(member: Configurable) -> dict[str, Any]:
    """Return the parameters of a member that differ from the defaults."""
    usual = values_of(type(member)())
    return {name: value for name, value in values_of(member).items() if usual.get(name) != value}


def _words(problem: Problem, node: Node) -> str:
    """Return a description of the levels of a node that differ from the input."""
    changed = [
        f"{name}: {words}"
        for (name, words), level in zip(LevelWords(problem).node(node), node, strict=True)
        if level
    ]
    return "; ".join(changed) or _("all kept")
