"""Whether any release can satisfy, as far as the table and the top of its lattice tell.

What carries over from nodes to their successors and fails at the top of the lattice fails at every node.
The top is one frequency set, so that this is known before any search.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from engine.advice.findings import counted, listed
from engine.frequency import Attribute, Problem
from engine.privacy import PrivacyModel, Requirement
from engine.privacy.alpha_k_anonymity import AlphaKAnonymity
from engine.privacy.entropy_l_diversity import TOLERANCE, EntropyLDiversity
from engine.privacy.highest_risk import HighestRisk
from engine.privacy.limit import limits_persons, most_suppressed
from engine.project.project import Project
from engine.recoding import rooted
from engine.scoring import LatticeProfile
from engine.scoring.evaluate import evaluate
from engine.scoring.single_node_problem import narrowed
from engine.search.exploration import inherited
from engine.words import N_, _

NOTHING = N_("No node of the lattice satisfies the requirement:")


@dataclass(frozen=True)
class OutOfReach:
    """Why nothing can satisfy.

    Attributes
    ----------
    problem, hint : str
        As errors say them: what is wrong, and what mends it.
    columns : tuple of str
        The quasi-identifying columns that would have to be coarser.
    """

    problem: str
    hint: str
    columns: tuple[str, ...] = ()


def too_strict(project: Project, problem: Problem) -> OutOfReach | None:
    """Return which model no class of this table can meet, however its columns are generalized."""
    requirement = project.requirement
    if most_suppressed(problem, requirement) == problem.n_records:
        return None  # all may be suppressed
    for model in requirement.models:
        if (model.required_k or 0) > problem.n_people:
            return _too_large(model, problem)
        for name in model.columns:
            n_values = problem.sensitive_attribute(name).n_values
            if found := _too_diverse(model, name, n_values):
                return found
    return None


def fails_at_top(project: Project, problem: Problem) -> OutOfReach | None:
    """Return what even the highest levels allowed do not meet."""
    n_records, requirement = problem.n_records, project.requirement
    if most_suppressed(problem, requirement) == n_records:
        return None
    lasting = inherited(requirement, problem)
    if not lasting.models:
        return None
    if project.recoding is not None and not project.recoding.needs_start:
        whole = _hidden(problem)
    else:
        whole = narrowed(problem, problem.lattice.maximum)
    profile = _scored(whole, lasting)
    evaluation = evaluate(profile, lasting)
    if evaluation.satisfies[0]:
        return None
    failing = [
        model.title
        for model in lasting.models
        if not evaluate(profile, replace(lasting, models=(model,))).satisfies[0]
    ]
    titles = listed(failing or [model.title for model in lasting.models])
    n_suppressed = int(evaluation.suppressed[0])
    if evaluation.is_within[0]:
        said = _("{NOTHING} even at the highest allowed levels, {titles} is not met.").format(
            NOTHING=_(NOTHING), titles=titles
        )
    else:
        unit = _(" people to lose one") if limits_persons(problem, requirement) else ""
        said = _(
            "{NOTHING} even at the highest allowed levels, {n_suppressed:,} of {n_records:,} "
            "records are in classes that fail {titles}; the limit allows {allowed:,}{unit}."
        ).format(
            NOTHING=_(NOTHING),
            n_suppressed=n_suppressed,
            n_records=n_records,
            titles=titles,
            allowed=evaluation.allowed,
            unit=unit,
        )
    open_ended = [a for a in whole.attributes if len(np.unique(a.hierarchy.levels[a.maximum].codes)) > 1]
    names = tuple(attribute.name for attribute in open_ended)
    return OutOfReach(said, _mended(project, open_ended), names)


def _too_large(model: PrivacyModel, problem: Problem) -> OutOfReach:
    what = counted(problem.n_people, *problem.counted)
    if isinstance(model, HighestRisk):
        return OutOfReach(
            _(
                "A highest risk of {threshold:g} requires classes of {required_k} {many}; the table "
                "has {n_people}."
            ).format(
                threshold=model.threshold,
                required_k=model.required_k,
                many=problem.counted.many,
                n_people=problem.n_people,
            ),
            _("Choose a higher threshold."),
        )
    return OutOfReach(
        _("A table of {what} cannot meet k = {required_k}.").format(required_k=model.required_k, what=what),
        _("Choose a k of at most {n_people}.").format(n_people=problem.n_people),
    )


def _too_diverse(model: PrivacyModel, name: str, n_values: int) -> OutOfReach | None:
    wanted = getattr(model, "l", 0)
    least = wanted * (1 - TOLERANCE) if isinstance(model, EntropyLDiversity) else wanted
    # Grassberger's estimate may lie above the entropy of as many values, all equally frequent.
    is_estimated = isinstance(model, EntropyLDiversity) and model.estimator != "shannon"
    if least > n_values and not is_estimated:
        return OutOfReach(
            _(
                "{title} with l = {wanted:g} cannot be met: '{name}' has {n_values}, so no class can "
                "have more."
            ).format(
                title=model.title, wanted=wanted, name=name, n_values=counted(n_values, "value", "values")
            ),
            _("Choose an l of at most {n_values}.").format(n_values=n_values),
        )
    if isinstance(model, AlphaKAnonymity) and model.alpha < 1 / n_values:
        return OutOfReach(
            _(
                "{title} with alpha = {alpha:g} cannot be met: '{name}' has {n_values}, so in every "
                "class one has a share of at least 1/{n_values_2}."
            ).format(
                title=model.title,
                alpha=model.alpha,
                name=name,
                n_values=counted(n_values, "value", "values"),
                n_values_2=n_values,
            ),
            _("Choose an alpha of at least 1/{n_values}.").format(n_values=n_values),
        )
    return None


def _hidden(problem: Problem) -> Problem:
    """The problem of the one node that hides every cell, which a recoding from no node may always do."""
    attributes = tuple(
        replace(attribute, minimum=attribute.hierarchy.root_level, maximum=attribute.hierarchy.root_level)
        for attribute in rooted(problem).attributes
    )
    return replace(problem, attributes=attributes)


def _scored(problem: Problem, requirement: Requirement) -> LatticeProfile:
    profile = LatticeProfile(problem, requirement)
    for number, tuples in profile.pending():
        profile.record(number, tuples)
    return profile


def _mended(project: Project, open_ended: list[Attribute]) -> str:
    """What would let the columns that keep several values at the top be coarser."""
    without = [a.name for a in open_ended if a.name not in project.hierarchies]
    if len(without) == 1:
        return _(
            "'{without}' has no hierarchy and cannot be generalized: add one, such as builder = "
            '"suppress", or another role.'
        ).format(without=without[0])
    if without:
        return _(
            "{without} have no hierarchy and cannot be generalized: add hierarchies, such as "
            'builder = "suppress", or other roles.'
        ).format(without=listed(without))
    held = [a.name for a in open_ended if a.maximum < a.hierarchy.height]
    if held:
        return _("Allow higher levels of {held} (max_level).").format(held=listed(held))
    if open_ended:
        names = listed([a.name for a in open_ended])
        return _("End the hierarchy of {names} with one label, such as *; or lower the threshold.").format(
            names=names
        )
    return _("Choose a weaker threshold, or raise the suppression limit.")
