"""Effect of each level of a hierarchy on a node: another hierarchy for one column, the rest kept."""

from __future__ import annotations

from dataclasses import dataclass, replace

from engine.errors import InputError
from engine.hierarchies import Hierarchy
from engine.lattice import Node
from engine.monitor import SILENT, Monitor
from engine.project import edits
from engine.project.compile import check_metric, compile_problem, objective_of
from engine.project.project import AttributeHierarchy, Project
from engine.records import Role
from engine.scoring import LatticeProfile, score_lattice
from engine.scoring.evaluate import evaluate
from engine.words import _, within_sentence


@dataclass(frozen=True)
class LevelEffect:
    """A node with one of its levels exchanged.

    Attributes
    ----------
    value : float
        Natural value of the metric; nan if it does not exist.
    suppressed : int
        Records.
    is_within : bool
        Whether the suppressed records stay within the limit.
    satisfies : bool
        Whether they do, and the kept records meet the table-wide models.
    """

    level: int
    value: float
    suppressed: int
    is_within: bool
    satisfies: bool


def level_effects(
    project: Project,
    name: str,
    hierarchy: Hierarchy,
    node: Node,
    metric: str | None = None,
    monitor: Monitor = SILENT,
) -> tuple[LevelEffect, ...]:
    """Score every level of a hierarchy at a node whose other levels stay; bounds on levels play no part.

    Parameters
    ----------
    project : Project
        The project with the requirement.
    name : str
        A quasi-identifying column.
    hierarchy : Hierarchy
        Takes the place of the one the column has.
    node : tuple of int
        One level per quasi-identifier; that of the column itself is not read.
    metric : str, optional
        The project's by default.

    Returns
    -------
    tuple of LevelEffect
        From level 0 to the height.

    Raises
    ------
    InputError
        Where levels of the column change nothing, since it is not quasi-identifying or is released as an
        aggregate that forms no classes; and where the project cannot be compiled.
    HierarchyGapError
        If the hierarchy lacks values.
    """
    if project.role(name) is not Role.QUASI_IDENTIFYING:
        raise InputError(
            _("'{name}' is not quasi-identifying, so its levels do not change the release.").format(
                name=name
            ),
            hint=_("Set that role first."),
            column=name,
        )
    function = project.microaggregation.get(name)
    if function is not None and not function.grouping:
        raise InputError(
            _("'{name}' is released as the {title} of each class, regardless of its hierarchy.").format(
                name=name, title=within_sentence(function.title)
            ),
            hint=_("Release it as labels to compare levels."),
            column=name,
        )
    monitor.step(0, 1)
    problem = compile_problem(edits.set_hierarchy(project, name, AttributeHierarchy(hierarchy)))
    metric = metric or project.search.metric
    check_metric(problem, metric)
    attributes = tuple(
        attribute if attribute.name == name else replace(attribute, minimum=level, maximum=level)
        for attribute, level in zip(problem.attributes, node, strict=True)
    )
    problem = replace(problem, attributes=attributes)
    profile = score_lattice(problem, monitor, LatticeProfile(problem, project.requirement), node_by_node=True)
    evaluation = evaluate(profile, project.requirement, objective_of(project, problem)).watched_by(monitor)
    values = evaluation.metric(metric)
    return tuple(
        LevelEffect(
            level,
            float(values[level]),
            int(evaluation.suppressed[level]),
            bool(evaluation.is_within[level]),
            bool(evaluation.satisfies[level]),
        )
        for level in range(len(values))
    )
