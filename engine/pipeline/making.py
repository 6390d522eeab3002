"""From a project to a release: search, recoding, and what a release has to satisfy."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Protocol

import numpy as np

from engine.advice.reach import fails_at_top, too_strict
from engine.errors import InputError, RequirementNotMetError
from engine.frequency import Problem
from engine.frequency.problem import narrowed
from engine.kernels.arrays import IntArray
from engine.lattice import Node
from engine.monitor import SILENT, Monitor
from engine.notebook import Brief, Facts
from engine.numbers import as_exact_count
from engine.privacy import Requirement
from engine.privacy.limit import most_suppressed
from engine.project import Project
from engine.project.compile import (
    attribute_weights,
    check_metric,
    chosen_metric,
    compile_problem,
    objective_of,
    searched_requirement,
)
from engine.project.deciding import refuse_undecided
from engine.project.ledger.joint import Beside, Joint
from engine.project.project import AFTERWARDS, CHECK
from engine.project.refusals import refuse_without_records
from engine.recoding import (
    Recoding,
    RecodingMethod,
    RecodingTask,
    Release,
    make_local_release,
    make_release,
    rooted,
)
from engine.recoding.base import recoded_records, refuse_unjudgeable
from engine.recoding.by_model import by_model, in_words
from engine.recoding.microaggregation import refuse_grouped
from engine.records.opening import memory_of
from engine.scoring import Evaluation, LatticeProfile
from engine.scoring.evaluate import evaluate
from engine.scoring.in_parts import evaluated_parts
from engine.search import Efficiency, SearchResult, SearchTask, search_algorithms
from engine.search.exhaustive import check_size
from engine.search.trace import Effort
from engine.utility.recoded import RecodedRecords
from engine.words import _, ngettext

_NAMED = 5  # classes named in an error


@dataclass(frozen=True, eq=False)
class Outcome(Brief):
    """Result of a run of the chain.

    Attributes
    ----------
    evaluation : Evaluation or RecodedRecords
        Evaluation of the released node or recoding, as node number 0.
    guarantee : str
        "optimal", "best_known" or "none".
    bound : float
        No satisfying node has a lower metric value; -inf if nothing is proved.
    seconds : float
        Wall time of the search.
    efficiency : Efficiency
        Effort of search and recoding.
    notes : tuple of str
        Sentences about what the search did differently from what its name promises.
    further : mapping of str to value
        Further figures of the summary, by key.
    """

    problem: Problem
    release: Release
    evaluation: Evaluation | RecodedRecords
    guarantee: str
    nodes_checked: int
    nodes_total: int
    bound: float
    seconds: float
    efficiency: Efficiency
    notes: tuple[str, ...]
    further: Mapping[str, Any] = field(default_factory=dict)

    def _facts(self) -> Facts:
        return [
            ("", repr(self.release)),
            ("guarantee", self.guarantee),
            *(("note", note) for note in self.notes),
        ]


class Gate(Protocol):
    """What a release has to meet besides the requirement of its project.

    The first node in the order of the search whose release meets it is released. A given node, levels that
    vary by record, and models that are enforced afterwards are not held to it.
    """

    def meets(self, project: Project, release: Release) -> bool:
        """Return whether a release meets it."""


def anonymize(
    project: Project, node: Node | None = None, monitor: Monitor = SILENT, gate: Gate | None = None
) -> Outcome:
    """Find the node to release, or use the given one, and make the release; nothing is written.

    Raises
    ------
    InputError
        A column has no role, or the project cannot be compiled.
    RequirementNotMetError
        No node satisfies the requirement, or the given one does not.
    """
    started = time.perf_counter()
    refuse_undecided(project)
    refuse_without_records(project)
    problem = compile_problem(project)
    check_metric(problem, project.search.metric)
    method = project.recoding
    if method is not None:
        refuse_unjudgeable(project.requirement)
        refuse_grouped(project, method.title)
    if node is None and method is None and (only := problem.declared_node) is not None:
        _check(
            project, make_release(project, problem, only), _("Declared node {node}").format(node=list(only))
        )
    refuse_impossible(project, problem, node)
    if method is not None and not method.needs_start:
        if node is not None:
            raise InputError(
                _("The recoding method '{method}' does not start from a node.").format(method=method.key),
                hint=_("Omit the node or the recoding method."),
                key=method.key,
            )
        found = _Found(None, "none", -np.inf, Efficiency())
    else:
        found = _found(project, problem, node, monitor, gate if method is None else None)
    efficiency = found.efficiency
    if method is None:
        assert found.node is not None
        release = make_release(project, problem, found.node)
        _check(project, release, _("Node {node}").format(node=list(found.node)))
        figures: Evaluation | RecodedRecords = evaluate_node(project, problem, found.node)
    else:
        with Effort() as effort:
            release = recode(project, problem, method, found.node, monitor)
            _check(project, release, method.title)
        efficiency = efficiency.followed_by(effort)
        assert release.recoding is not None
        objective = objective_of(project, problem)
        figures = recoded_records(release.problem, release.recoding, project.requirement.k, objective)
    return Outcome(
        problem,
        release,
        figures,
        found.guarantee if method is None else "none",
        efficiency.nodes_checked,
        problem.lattice.n_nodes,
        found.bound if method is None else -np.inf,
        time.perf_counter() - started,
        efficiency,
        found.notes,
    )


class _Found(NamedTuple):
    """Node that a search found, or that was given."""

    node: Node | None
    guarantee: str
    bound: float
    efficiency: Efficiency
    notes: tuple[str, ...] = ()


def _found(
    project: Project, problem: Problem, node: Node | None, monitor: Monitor, gate: Gate | None = None
) -> _Found:
    """Return the node to release, or raise `RequirementNotMetError` if none satisfies."""
    if node is not None:
        return _Found(node, "none", -np.inf, Efficiency(nodes_checked=1))
    result = search(project, problem, monitor)
    if result.node is None and not result.is_proved:
        raise _not_found(project, result)
    if result.node is None:
        _refuse_beside(project, problem, monitor)
        raise RequirementNotMetError(
            _sentences(
                _("No node of the lattice satisfies the requirement."), _closest(project, problem, result)
            ),
            hint=_("Lower k or l, raise t or the suppression limit, or allow higher levels."),
        )
    if project.search.enforce in (AFTERWARDS, CHECK):
        return _Found(result.node, "none", -np.inf, result.efficiency, result.notes)
    if gate is not None and not gate.meets(project, make_release(project, problem, result.node)):
        return _first_through(project, problem, result, gate, monitor)
    return _Found(result.node, result.guarantee, result.bound, result.efficiency, result.notes)


def _refuse_beside(project: Project, problem: Problem, monitor: Monitor) -> None:
    """Raise `RequirementNotMetError` if nodes would satisfy without earlier releases."""
    if problem.earlier is None or not problem.earlier.joined:
        return
    alone = replace(project, requirement=replace(project.requirement, earlier=None))
    result = search(alone, problem, monitor)
    if result.node is not None:
        release = make_release(project, problem, result.node)
        joint_of(release).refuse_unmet(_("The optimum, like every other satisfying node,"))


def joint_of(release: Release) -> Joint:
    """Measure what a release of a project with a ledger reveals beside the earlier ones."""
    assert isinstance(release.problem.earlier, Beside), "compiled with the ledger"
    return release.problem.earlier.joint_of(release)


def _first_through(
    project: Project, problem: Problem, result: SearchResult, gate: Gate, monitor: Monitor
) -> _Found:
    """Return the first satisfying node, in the order of the metric, whose release meets a gate.

    If there is none, it is the one that the search found.
    """
    assert result.node is not None, "the search found one"
    check_size(problem.lattice.n_nodes)
    evaluation = result.evaluation
    if evaluation.lattice.n_nodes < problem.lattice.n_nodes or not evaluation.scored.all():
        (evaluation,) = evaluated_parts(
            problem, project.requirement, objective_of(project, problem), monitor=monitor
        )
    nodes = np.flatnonzero(evaluation.satisfies)
    nodes = nodes[nodes != evaluation.lattice.number(result.node)]  # it does not meet the gate
    n_nodes = len(nodes)
    while len(nodes):
        monitor.step(n_nodes - len(nodes), n_nodes, _("Trying other nodes"))
        best = evaluation.best_among(project.search.metric, nodes)
        assert best is not None, "there are nodes"
        node = evaluation.lattice.node(best)
        if gate.meets(project, make_release(project, problem, node)):
            note = _("Nodes with a smaller value of the metric give away more than is accepted.")
            return _Found(node, "none", -np.inf, result.efficiency, (*result.notes, note))
        nodes = nodes[nodes != best]
    return _Found(result.node, "none", -np.inf, result.efficiency, result.notes)


def _closest(project: Project, problem: Problem, result: SearchResult) -> str:
    """Return sentences on the checked node that suppresses least, and each model's share in that."""
    evaluation = result.evaluation
    scored = np.flatnonzero(evaluation.scored)
    if not len(scored):
        return ""
    node = evaluation.lattice.node(int(scored[np.argmin(evaluation.suppressed[scored])]))
    release = make_release(project, problem, node)
    words = _alone(project, release)
    if not words:
        return ""
    least = _("Node {node} suppresses the fewest records: {n}.")
    return _sentences(least.format(node=list(node), n=as_exact_count(release.n_suppressed)), words)


def _alone(project: Project, release: Release) -> str:
    """Return a sentence on what each model alone suppresses; empty if none does."""
    return in_words(by_model(project, release), most_suppressed(release.problem, release.requirement))


def _failing(release: Release) -> str:
    """Return a sentence on the largest classes of a node that fail; empty if levels vary by record."""
    if release.recoding is not None or release.node is None:
        return ""
    failing = np.flatnonzero(~release.kept)
    many = ngettext("{n} class fails: {classes}.", "{n} classes fail: {classes}.", len(failing))
    return many.format(n=as_exact_count(len(failing)), classes=_largest(release, failing))


def _largest(release: Release, classes: IntArray) -> str:
    """Return the labels and records of the largest of some classes of a node."""
    records = release.classes.records
    largest = classes[np.argsort(-records[classes], kind="stable")][:_NAMED].tolist()
    shown = [f"({release.class_words(number)}): {as_exact_count(int(records[number]))}" for number in largest]
    return ", ".join([*shown, *(["…"] if len(classes) > _NAMED else [])])


def _sentences(*parts: str) -> str:
    """Return sentences as one text, without empty ones."""
    return " ".join(part for part in parts if part)


def _not_found(project: Project, result: SearchResult) -> RequirementNotMetError:
    """Return the error for a search that ended without a node, and without a proof that there is none."""
    n_others = result.nodes_total - result.nodes_checked
    has_limit = project.search.steps or project.search.seconds
    return RequirementNotMetError(
        _(
            "None of the {n} checked nodes satisfies the requirement. The search ended before "
            "checking the other {others}."
        ).format(n=as_exact_count(result.nodes_checked), others=as_exact_count(n_others)),
        hint=_("Raise the limit of steps or seconds of the search, or set it to 0 for no limit.")
        if has_limit
        else _("Use best_first, which checks every node; '{algorithm}' does not.").format(
            algorithm=project.search.algorithm
        ),
    )


def _check(project: Project, release: Release, subject: str) -> None:
    """Raise `RequirementNotMetError` with what a release fails."""
    if missed := release.missed:
        counted = release.problem.counted
        raise RequirementNotMetError(
            _("{subject}: the kept records do not meet {models}.").format(
                subject=subject, models=", ".join(counted.worded(model, "title") for model in missed)
            ),
            hint=_("Choose another node or threshold, or add a model that suppresses, such as k-anonymity."),
        )
    if release.is_within and release.misses_group:
        group = release.group
        assert group is not None, "it misses the requirement"
        raise RequirementNotMetError(
            ngettext(
                "{subject}: {n} suppressed record does not meet the requirement as a class of its own.",
                "{subject}: {n} suppressed records do not meet the requirement as one class.",
                group.records,
            ).format(subject=subject, n=as_exact_count(group.records)),
            hint=_(
                "Remove these records or write * in all their cells, or choose suppressed_group = "
                '"if_held", which does so where necessary.'
            ),
        )
    if release.node is not None and len(release.large_failing):
        n_failing = len(release.large_failing)
        raise RequirementNotMetError(
            ngettext(
                "{subject}: {n} class is large enough and fails the other models: {classes}.",
                "{subject}: {n} classes are large enough and fail the other models: {classes}.",
                n_failing,
            ).format(
                subject=subject, n=as_exact_count(n_failing), classes=_largest(release, release.large_failing)
            ),
            hint=_('Raise k, choose higher levels, or let enforce = "during" suppress such classes.'),
        )
    if release.is_within and release.misses_earlier:
        joint_of(release).refuse_unmet(subject)
    if not release.satisfies:
        losses, n_suppressed = release.losses, release.n_suppressed
        if losses.are_people:
            template = ngettext(
                "{subject}: {n} suppressed record of {people} people; at most {limit} people may lose one.",
                "{subject}: {n} suppressed records of {people} people; at most {limit} people may lose one.",
                n_suppressed,
            )
        else:
            template = ngettext(
                "{subject}: {n} suppressed record; the limit allows {limit}.",
                "{subject}: {n} suppressed records; the limit allows {limit}.",
                n_suppressed,
            )
        text = template.format(subject=subject, n=n_suppressed, people=losses.count, limit=losses.allowed)
        raise RequirementNotMetError(
            _sentences(text, _failing(release), _alone(project, release)),
            hint=_("Choose another node, or raise the suppression limit."),
        )


def recode(
    project: Project,
    problem: Problem,
    method: RecodingMethod,
    node: Node | None = None,
    monitor: Monitor = SILENT,
    requirement: Requirement | None = None,
) -> Release:
    """Make a release whose levels differ by record; `Release.satisfies` says whether it satisfies.

    Parameters
    ----------
    problem : Problem
        The compiled project.
    node : tuple of int, optional
        Node whose release is improved, for a method that needs one.
    requirement : Requirement, optional
        By default that of the project.

    Raises
    ------
    InputError
        The method does not support such a problem or requirement.
    """
    refuse_without_records(project)
    refuse_unjudgeable(project.requirement)
    refuse_grouped(project, method.title)
    requirement = requirement or project.requirement
    whole, start = rooted(problem), None
    if node is not None:
        start = Recoding.of_node(node, make_release(project, problem, node, requirement).suppressed)
    objective = objective_of(project, problem)
    task = RecodingTask(
        whole,
        requirement,
        project.search.metric,
        objective.weights,
        start,
        project.transformation.seed,
        objective.chosen,
    )
    return make_local_release(project, whole, method.improve(task, monitor), method.key, node, requirement)


def search(project: Project, problem: Problem, monitor: Monitor = SILENT) -> SearchResult:
    """Run the project's search algorithm with the part of the requirement that it enforces."""
    task = search_task(project, problem)
    algorithm = search_algorithms.create(project.search.algorithm, **project.search.options)
    return algorithm.run(task, monitor)


def search_task(project: Project, problem: Problem) -> SearchTask:
    """Return the task that a project sets for a search algorithm."""
    return SearchTask(
        problem,
        searched_requirement(project),
        project.search.metric,
        attribute_weights(project, problem),
        project.search.steps,
        project.search.seconds,
        project.transformation.seed,
        chosen=chosen_metric(project),
        memory=memory_of(project.options),
    )


def evaluate_node(project: Project, problem: Problem, node: Node) -> Evaluation:
    """Score a single node under the project's requirement; its node number is 0."""
    single = narrowed(problem, node)
    profile = LatticeProfile(single, project.requirement)
    for number, tuples in profile.pending():
        profile.record(number, tuples)
    return evaluate(profile, project.requirement, objective_of(project, problem))


def refuse_impossible(project: Project, problem: Problem, node: Node | None = None) -> None:
    """Raise `RequirementNotMetError` if it is known without a lattice that nothing can satisfy.

    With a given node the others do not matter, and it is evaluated separately.
    """
    found, words = too_strict(project, problem), ""
    if found is None and node is None:
        found = fails_at_top(project, problem)
        if found is not None and len(project.requirement.models) > 1:
            words = _alone(project, make_release(project, problem, problem.lattice.maximum))
    if found is not None:
        raise RequirementNotMetError(_sentences(found.problem, words), hint=found.hint)
