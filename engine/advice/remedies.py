"""Single changes that would recover suppressed records, each with its exact effect."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum
from itertools import islice
from typing import Any

import numpy as np

from engine.advice.nearest import limit_above, limit_below, next_limits
from engine.errors import HierarchyError, InputError
from engine.frequency.problem import narrowed
from engine.hierarchies.follow import merged
from engine.kernels.arrays import BoolArray, Codes, IntArray
from engine.lattice import Node
from engine.monitor import SILENT, Monitor
from engine.privacy import PrivacyModel, Requirement
from engine.project import edits
from engine.project.compile import compile_problem, objective_of
from engine.project.project import Project
from engine.scoring import Evaluation, LatticeProfile, score_lattice
from engine.scoring.evaluate import evaluate
from engine.scoring.lookups.earlier_releases import withstands
from engine.scoring.nodes.suppression_causes import NodeSuppression, RareValue
from engine.utility import utility_metrics
from engine.words import N_, _

_DIGITS = 9  # of what remedies are ranked by; beyond them sums differ by rounding
TEXT = N_("Trying single changes")


class RemedyKind(Enum):
    """Kinds of changes, in the order in which equally good remedies are listed."""

    LEVEL = "level"  # another node: one attribute one level higher
    MERGE = "merge"  # a rare group of a hierarchy joined with one beside it
    BOUND = "bound"  # the levels that may be used for a column
    LIMIT = "limit"  # the suppression limit
    THRESHOLD = "threshold"  # of a privacy model: it asks for less


@dataclass(frozen=True)
class Effect:
    """Effect of a remedy, measured after applying it.

    Attributes
    ----------
    node : tuple of int
        The node that is looked at then.
    suppressed : int
        Records of this node.
    value : float
        Natural value of the metric at this node; nan if it does not exist.
    knows_optimum : bool
        False where the optimum is not known before the lattice is scored again, or takes long to find.
    optimum : tuple of int or None
        None if no node satisfies, or the optimum is not known.
    optimum_value : float
        nan if there is no optimum.
    """

    node: Node
    suppressed: int
    value: float
    satisfies: bool
    knows_optimum: bool = False
    optimum: Node | None = None
    optimum_value: float = math.nan


@dataclass(frozen=True, eq=False)
class Remedy:
    """A single change.

    Attributes
    ----------
    project : Project or None
        The project with the change; None where another node is all there is to it.
    effect : Effect
        Its node becomes the selected one.
    now : Effect
        Of the node without the change.
    attribute : int or None
        Place of the quasi-identifier that changes.
    column : str
        Its name, or that of the sensitive column a model reads.
    level : int or None
        The level it goes to, the bound it gets, or the level whose groups are merged.
    is_upper : bool
        Whether the bound is the highest level allowed, not the lowest.
    labels : tuple of str
        The rare group and the one it joins.
    model : PrivacyModel or None
        The model after the change.
    index : int or None
        Place of the model in the requirement.
    limit : float or None
        The suppression limit, or the model's threshold, after the change.
    """

    kind: RemedyKind
    project: Project | None
    effect: Effect
    now: Effect
    attribute: int | None = None
    column: str = ""
    level: int | None = None
    is_upper: bool = False
    labels: tuple[str, ...] = ()
    model: PrivacyModel | None = None
    index: int | None = None
    limit: float | None = None

    @property
    def saved(self) -> int:
        """Records suppressed now, less those suppressed then."""
        return self.now.suppressed - self.effect.suppressed

    @property
    def added(self) -> float:
        """Value of the metric then, minus the current one."""
        return self.effect.value - self.now.value

    @property
    def is_weaker(self) -> bool:
        """Return whether the requirement then protects less; a suppression limit protects no one."""
        return self.kind is RemedyKind.THRESHOLD

    @property
    def moves_to_optimum(self) -> bool:
        """Return whether it excludes the current node, so that the optimum of the others replaces it."""
        return self.kind in (RemedyKind.BOUND, RemedyKind.LIMIT) and self.effect.node == self.effect.optimum

    @property
    def needs_scoring(self) -> bool:
        """Return whether classes of other nodes change, so that the lattice has to be scored again."""
        return self.kind is RemedyKind.MERGE or (self.kind is RemedyKind.BOUND and self.is_upper)

    @property
    def rate(self) -> float:
        """Records saved for each unit of the metric; inf where saving costs nothing."""
        if self.saved <= 0 or math.isnan(self.added):
            return 0.0
        return math.inf if self.added <= 0 else self.saved / self.added


def find_remedies(
    project: Project,
    evaluation: Evaluation,
    node: Node,
    metric: str | None = None,
    monitor: Monitor = SILENT,
) -> tuple[Remedy, ...]:
    """Try every single change that may bring suppressed records of a node back, or let it satisfy.

    Parameters
    ----------
    evaluation : Evaluation
        Of the project's requirement.
    node : tuple of int
        A node scored there.
    metric : str, optional
        The project's by default.

    Returns
    -------
    tuple of Remedy
        Those that do. First come those that protect no less, and of these the ones after which the node
        satisfies; among equals the ones that save most records per loss added.

    Raises
    ------
    InputError
        If the node is not scored.
    """
    tried = list(_Trials(project, evaluation, node, metric or project.search.metric, monitor).all())
    tried.sort(key=_rank)
    return tuple(tried)


def measured_alone(project: Project, node: Node, metric: str, monitor: Monitor = SILENT) -> Effect:
    """Compile a project and score one of its nodes; its optimum stays unknown."""
    problem = narrowed(compile_problem(project), node)
    profile = score_lattice(problem, monitor, LatticeProfile(problem, project.requirement), node_by_node=True)
    evaluation = evaluate(profile, project.requirement, objective_of(project, problem)).watched_by(monitor)
    return Effect(
        node,
        int(evaluation.suppressed[0]),
        float(evaluation.metric(metric)[0]),
        bool(evaluation.satisfies[0]),
    )


class _Trials:
    """One node with all that changes around it."""

    def __init__(
        self, project: Project, evaluation: Evaluation, node: Node, metric: str, monitor: Monitor
    ) -> None:
        self.project, self.evaluation, self.node, self.metric = project, evaluation, node, metric
        self.monitor = monitor
        self.problem = evaluation.problem
        self.number = evaluation.lattice.number(node)
        if not evaluation.scored[self.number]:
            raise InputError(
                _("Node {node} is not scored yet.").format(node=node), hint=_("Wait until it is scored.")
            )
        is_costly = utility_metrics[metric].costly
        is_costly |= any(model.is_costly for model in evaluation.requirement.models)
        is_costly |= evaluation.requirement.earlier is not None
        self.is_whole = evaluation.n_scored == self.problem.lattice.n_nodes
        self.finds_optimum = self.is_whole and not is_costly
        self.optimum = evaluation.optimum(metric) if self.finds_optimum else None
        self.now = self._effect(evaluation, self.number, self.optimum)
        self.classes = NodeSuppression.of(evaluation.profile, node, evaluation.requirement)

    def all(self) -> Iterator[Remedy]:
        """Every change that helps."""
        if self.now.satisfies and not self.now.suppressed:
            return
        kinds = (self.levels, self.merges, self.bounds, self.limits, self.thresholds)
        for done, kind in enumerate(kinds):
            self.monitor.step(done, len(kinds), _(TEXT))
            for remedy in kind():
                self.monitor.step(done, len(kinds), _(TEXT))
                if remedy.saved > 0 or (remedy.effect.satisfies and not self.now.satisfies):
                    yield remedy

    def levels(self) -> Iterator[Remedy]:
        """Each successor of the node."""
        for other in self.problem.lattice.successors(self.node):
            q = _changed_place(self.node, other)
            number = self.evaluation.lattice.find(other)
            if number is not None and self.evaluation.scored[number]:
                effect = self._effect(self.evaluation, number, self.optimum)
            else:
                effect = measured_alone(self.project, other, self.metric, self.monitor)
            yield self._remedy(RemedyKind.LEVEL, None, effect, q, level=other[q])

    def merges(self) -> Iterator[Remedy]:
        """Rare groups joined with the adjacent ones that share most with them."""
        for found in promising_merges(self.classes):
            name, level = self.problem.attributes[found.attribute].name, self.node[found.attribute]
            entry = self.project.hierarchies[name]
            try:
                joined = merged(entry.hierarchy, level, found.labels, self.project.table.column(name))
            except HierarchyError:  # of missing values, which need not have a group of their own there
                continue
            entry = replace(entry, hierarchy=joined, path=None, builder=None)
            project = edits.set_hierarchy(self.project, name, entry)
            effect = measured_alone(project, self.node, self.metric, self.monitor)
            yield self._remedy(
                RemedyKind.MERGE, project, effect, found.attribute, level=level, labels=found.labels
            )

    def bounds(self) -> Iterator[Remedy]:
        """Levels above the highest allowed, and lowest levels that forbid the present optimum."""
        for q, (attribute, level) in enumerate(zip(self.problem.attributes, self.node, strict=True)):
            entry = self.project.hierarchies.get(attribute.name)
            if entry is None or level >= entry.hierarchy.height:
                continue
            height = entry.hierarchy.height
            if level == attribute.maximum and not attribute.released_as:
                highest = None if level + 1 == height else level + 1
                project = edits.set_levels(self.project, attribute.name, entry.min_level, highest)
                node = (*self.node[:q], level + 1, *self.node[q + 1 :])
                effect = measured_alone(project, node, self.metric, self.monitor)
                yield self._remedy(RemedyKind.BOUND, project, effect, q, level=level + 1, is_upper=True)
            elif level < attribute.maximum and self.optimum == self.number:
                above = self.evaluation.lattice.levels[:, q] > level
                allowed = np.flatnonzero(self.evaluation.satisfies & above)
                number = self.evaluation.best_among(self.metric, allowed)
                if number is not None:
                    project = edits.set_levels(self.project, attribute.name, level + 1, entry.max_level)
                    effect = self._effect(self.evaluation, number, number)
                    yield self._remedy(RemedyKind.BOUND, project, effect, q, level=level + 1)

    def limits(self) -> Iterator[Remedy]:
        """A limit that lets a failing node pass; for the optimum one that it just exceeds."""
        losses = self.classes.losses
        if not losses.are_allowed:
            limit = limit_above(losses.count, losses.total)
            if limit == 1:
                return  # all may go then: that asks nothing
            project = edits.set_suppression_limit(self.project, limit)
            yield self._remedy(RemedyKind.LIMIT, project, self._under(project.requirement), limit=limit)
        elif losses.count and self.optimum == self.number:
            lower = limit_below(losses.count, losses.total)
            project = edits.set_suppression_limit(self.project, lower)
            turned = self._evaluated(project.requirement)
            number = turned.optimum(self.metric)
            if number is not None:
                effect = self._effect(turned, number, number)
                yield self._remedy(RemedyKind.LIMIT, project, effect, limit=lower)

    def thresholds(self) -> Iterator[Remedy]:
        """Per model the next weaker threshold that keeps more, and one by which the node satisfies."""
        for index, model in enumerate(self.evaluation.requirement.models):
            for limit in next_limits(self.classes, index):
                weaker = model.with_limit(limit)
                project = edits.replace_model(self.project, index, weaker)
                yield self._remedy(
                    RemedyKind.THRESHOLD,
                    project,
                    self._under(project.requirement),
                    column=", ".join(model.columns),
                    model=weaker,
                    index=index,
                    limit=limit,
                )

    def _remedy(
        self,
        kind: RemedyKind,
        project: Project | None,
        effect: Effect,
        attribute: int | None = None,
        **change: Any,
    ) -> Remedy:
        if attribute is not None:
            change["column"] = self.problem.attributes[attribute].name
        return Remedy(kind, project, effect, self.now, attribute, **change)

    def _effect(self, evaluation: Evaluation, number: int, optimum: int | None) -> Effect:
        """Summary of a scored node, and of the optimum if there is one."""
        numbers = [number] if optimum is None else [number, optimum]
        values = evaluation.metric_at(self.metric, np.array(numbers)).tolist()
        return Effect(
            evaluation.lattice.node(number),
            int(evaluation.suppressed[number]),
            values[0],
            bool(evaluation.satisfies[number]),
            self.finds_optimum,
            None if optimum is None else evaluation.lattice.node(optimum),
            math.nan if optimum is None else values[1],
        )

    def _under(self, requirement: Requirement) -> Effect:
        """The node under another requirement, for which the same is measured."""
        evaluation = self._evaluated(replace(requirement, earlier=None))
        number = evaluation.optimum(self.metric) if self.finds_optimum else None
        effect = self._effect(evaluation, self.number, number)
        if not effect.satisfies or requirement.earlier is None:
            return effect
        # beside earlier releases only this node is measured, since each takes milliseconds
        return replace(effect, satisfies=withstands(evaluation.profile, requirement, self.node))

    def _evaluated(self, requirement: Requirement) -> Evaluation:
        profile = self.evaluation.profile
        return evaluate(profile, requirement, self.evaluation.objective).watched_by(self.monitor)


def _changed_place(node: Node, other: Node) -> int:
    return next(q for q, (a, b) in enumerate(zip(node, other, strict=True)) if a != b)


def _rank(remedy: Remedy) -> tuple[object, ...]:
    """Most records per loss first, see `find_remedies`; then what the remedy is decides."""
    rate = remedy.rate
    shown = rate if rate in (0.0, math.inf) else float(f"{rate:.{_DIGITS - 1}e}")
    kinds = list(RemedyKind)
    return (
        remedy.is_weaker,
        not remedy.effect.satisfies,
        -shown,
        -remedy.saved,
        kinds.index(remedy.kind),
        -1 if remedy.attribute is None else remedy.attribute,
        remedy.column,
        remedy.labels,
        "" if remedy.model is None else remedy.model.key,
        remedy.limit or 0.0,
    )


MOST_RARE = 5  # groups looked at per attribute
MOST_MERGES = 6  # tried in all


@dataclass(frozen=True)
class Merge:
    """Two groups of one level, under one group above.

    Attributes
    ----------
    labels : tuple of str
        The rare group, and the one it would join.
    at_most : int
        Suppressed records of both whose classes would be joined; no merge keeps more of these.
    """

    attribute: int
    labels: tuple[str, str]
    at_most: int


def promising_merges(here: NodeSuppression) -> tuple[Merge, ...]:
    """Choose, for the rarest groups of each attribute, the neighbour that shares most classes with it.

    Groups share a class where records of both are alike in all other attributes and some of them are
    suppressed. Original values are left out, since they stay what they are on level 0, and so are the only
    two groups below a single one: joining them is going one level up.

    Returns
    -------
    tuple of Merge
        At most `MOST_MERGES`, those first that might keep most records.
    """
    found = [merge for q, level in enumerate(here.node) if level for merge in _of_attribute(here, q)]
    found.sort(key=lambda merge: (-merge.at_most, merge.attribute, merge.labels))
    distinct = {(merge.attribute, frozenset(merge.labels)): merge for merge in reversed(found)}
    return tuple(islice((m for m in found if distinct[m.attribute, frozenset(m.labels)] is m), MOST_MERGES))


def _of_attribute(here: NodeSuppression, attribute: int) -> Iterator[Merge]:
    rare = here.rare_values(attribute)[:MOST_RARE]
    hierarchy, level = here.problem.attributes[attribute].hierarchy, here.node[attribute]
    if not rare or (len(hierarchy.levels[level].labels) == 2 and level < hierarchy.height):
        return
    labels, places = here.codes(attribute), here.alike_but(attribute)
    for value in rare:
        best = _best_neighbour(here, value, labels, places)
        if best is not None:
            yield best


def _best_neighbour(here: NodeSuppression, value: RareValue, labels: Codes, places: IntArray) -> Merge | None:
    own, failing = labels == value.code, np.where(here.fulfilled, 0, here.n_records)
    by_place = np.bincount(places[own], weights=failing[own], minlength=int(places.max()) + 1)
    is_shared: BoolArray = np.isin(places, places[own]) & ~own
    texts = here.problem.attributes[value.attribute].hierarchy.levels[here.node[value.attribute]].labels
    gains = np.bincount(
        labels[is_shared],
        weights=by_place[places[is_shared]] + failing[is_shared],
        minlength=len(texts),
    )
    gains[~_siblings(here, value)] = 0
    best = int(gains.argmax())
    if not gains[best]:
        return None
    return Merge(value.attribute, (value.label, texts[best]), int(gains[best]))


def _siblings(here: NodeSuppression, value: RareValue) -> BoolArray:
    """Labels of the level that are under the same group above; all if there is no level above."""
    hierarchy, level = here.problem.attributes[value.attribute].hierarchy, here.node[value.attribute]
    if level == hierarchy.height:
        return np.ones(len(hierarchy.levels[level].labels), dtype=np.bool_)
    parents = hierarchy.parent_codes[level]
    same: BoolArray = parents == parents[value.code]
    return same
