"""Comparison of two nodes, each with its own requirement: values, classes, and differing records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from engine.errors import InputError
from engine.frequency import Problem
from engine.kernels.arrays import BoolArray, IntArray
from engine.lattice import Node
from engine.monitor import SILENT, Monitor
from engine.project.compile import check_model
from engine.project.pins_and_runs import Choice
from engine.project.project import Project
from engine.project.run_settings import records_of
from engine.recoding import Release, make_release
from engine.scoring.nodes.inspection import NodeReport, inspect_node
from engine.scoring.scored import Profile
from engine.utility import utility_metrics
from engine.words import _


@dataclass(frozen=True, eq=False)
class Side:
    """One of two compared nodes.

    Attributes
    ----------
    metrics : mapping of str to float
        Natural values of the fast metrics; nan if one is undefined.
    release : Release
        Release that applying the node would give, whether or not it satisfies.
    """

    choice: Choice
    report: NodeReport
    metrics: Mapping[str, float]
    release: Release

    @property
    def node(self) -> Node:
        """The node; only nodes are compared."""
        assert self.choice.node is not None, "checked before"
        return self.choice.node


@dataclass(frozen=True, eq=False)
class NodeComparison:
    """Two compared nodes of one problem.

    Attributes
    ----------
    differing : mapping of str to ndarray of bool, shape (n_records,)
        Records whose released cells differ, by quasi-identifying column.
    """

    left: Side
    right: Side
    differing: Mapping[str, BoolArray]

    @property
    def records(self) -> IntArray:
        """Numbers of the records in which any cell differs."""
        return np.flatnonzero(np.logical_or.reduce(list(self.differing.values())))


def compare_nodes(
    project: Project, profile: Profile, left: Choice, right: Choice, monitor: Monitor = SILENT
) -> NodeComparison:
    """Compare two nodes, each with its own requirement; suppressed cells are written as in a release.

    Parameters
    ----------
    project : Project
        Determines how a release is written; its requirement is not used.
    profile : Profile
        The problem with its scores.

    Raises
    ------
    InputError
        A choice has other quasi-identifying columns, no node, or one outside the lattice.
    """
    sides = []
    for done, choice in enumerate((left, right)):
        monitor.step(done, 3, _("Comparing"))
        sides.append(_side(project, profile, choice))
    monitor.step(2, 3, _("Comparing"))
    first, second = sides
    return NodeComparison(first, second, _differing(profile.problem, first.release, second.release))


def why_not_comparable(problem: Problem, choice: Choice) -> str:
    """Return why a choice cannot be inspected in a problem; empty if it can."""
    if choice.node is None:
        return _("It is a release whose levels vary by record, not made from a node.")
    if choice.columns != problem.names:
        return _("It belongs to other quasi-identifying columns.")
    if choice.node not in problem.lattice:
        return _("The hierarchies no longer have its levels.")
    known = {attribute.name for attribute in problem.sensitive}
    missing = [c for model in choice.requirement.models for c in model.columns if c not in known]
    if missing:
        return _("Its requirement uses '{column}', which is no longer sensitive.").format(column=missing[0])
    for model in choice.requirement.models:
        try:
            check_model(problem, model)
        except InputError as error:
            return error.problem
    return ""


def _side(project: Project, profile: Profile, choice: Choice) -> Side:
    problem, requirement = profile.problem, choice.requirement
    if why := why_not_comparable(problem, choice):
        raise InputError(_("The nodes cannot be compared."), hint=why)
    assert choice.node is not None, "said above"
    made_with = replace(project, requirement=requirement)
    release = make_release(made_with, problem, choice.node)
    records = records_of(made_with, problem, release)
    metrics = {key: float(records.metric(key)[0]) for key, kind in utility_metrics.items() if not kind.costly}
    return Side(choice, inspect_node(profile, choice.node, requirement), metrics, release)


def _differing(problem: Problem, left: Release, right: Release) -> dict[str, BoolArray]:
    found = {}
    for name in problem.names:
        one, other = left.column(name), right.column(name)
        assert one is not None, "quasi-identifiers are never dropped"
        assert other is not None, "quasi-identifiers are never dropped"
        number = {text: code for code, text in enumerate(dict.fromkeys((*one.labels, *other.labels)))}
        renumbered = [
            np.array([number[text] for text in column.labels], dtype=np.int64)[column.codes]
            for column in (one, other)
        ]
        found[name] = renumbered[0] != renumbered[1]
    return found
