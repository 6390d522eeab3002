"""Requirements that no release can satisfy, found from the table and the top of its lattice.

What carries over from nodes to their successors and fails at the top of the lattice fails at every node.
The top is one frequency set, so that this is known before any search.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from engine.advice.findings import listed
from engine.frequency import Attribute, Problem
from engine.frequency.counted import PEOPLE
from engine.frequency.problem import narrowed
from engine.numbers import as_exact_count, as_people, as_values, in_records
from engine.privacy import PrivacyModel, Requirement
from engine.privacy.alpha_k_anonymity import AlphaKAnonymity
from engine.privacy.entropy_l_diversity import TOLERANCE, EntropyLDiversity
from engine.privacy.highest_risk import HighestRisk
from engine.privacy.limit import limits_persons, most_suppressed
from engine.project.project import Project
from engine.recoding import rooted
from engine.scoring import LatticeProfile
from engine.scoring.evaluate import evaluate
from engine.search.exploration import inherited
from engine.words import _


@dataclass(frozen=True)
class OutOfReach:
    """Reason why no node can satisfy the requirement.

    Attributes
    ----------
    problem, hint : str
        The sentences of an error: what happened, and the next step.
    columns : tuple of str
        The quasi-identifying columns that would have to be generalized further.
    detail : str
        The problem without its first sentence, for a finding.
    """

    problem: str
    hint: str
    columns: tuple[str, ...] = ()
    detail: str = ""


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
        detail = _("On the highest allowed levels, the release does not meet {models}.")
    elif limits_persons(problem, requirement):
        detail = _(
            "On the highest allowed levels, {n} of {total} records are in classes that do not meet {models}; "
            "the limit allows {allowed} people to lose a record."
        )
    else:
        detail = _(
            "On the highest allowed levels, {n} of {total} records are in classes that do not meet {models}; "
            "the limit allows {allowed}."
        )
    detail = detail.format(
        models=titles,
        n=as_exact_count(n_suppressed),
        total=as_exact_count(n_records),
        allowed=as_exact_count(evaluation.allowed),
    )
    said = _("No node of the lattice satisfies the requirement. {detail}").format(detail=detail)
    open_ended = [a for a in whole.attributes if len(np.unique(a.hierarchy.levels[a.maximum].codes)) > 1]
    names = tuple(attribute.name for attribute in open_ended)
    return OutOfReach(said, _mended(project, open_ended), names, detail)


def _too_large(model: PrivacyModel, problem: Problem) -> OutOfReach:
    if isinstance(model, HighestRisk):
        words = _("A highest risk of {risk:g} needs classes of {k} {records}; the table has {n}.")
        return OutOfReach(
            problem.counted.said(words).format(risk=model.threshold, k=model.required_k, n=problem.n_people),
            _("Choose a higher threshold."),
        )
    counts_people = problem.counted is PEOPLE
    what = as_people(problem.n_people) if counts_people else in_records(problem.n_people)
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
            ).format(title=model.title, wanted=wanted, name=name, n_values=as_values(n_values)),
            _("Choose an l of at most {n_values}.").format(n_values=n_values),
        )
    if isinstance(model, AlphaKAnonymity) and model.alpha < 1 / n_values:
        return OutOfReach(
            _(
                "{title} with alpha = {alpha:g} cannot be met: '{name}' has {n_values}, so one of them has "
                "a share of at least 1/{n_values_2} in every class."
            ).format(
                title=model.title,
                alpha=model.alpha,
                name=name,
                n_values=as_values(n_values),
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
    """Return the next step that lets columns with several values at the top be generalized further."""
    without = [a.name for a in open_ended if a.name not in project.hierarchies]
    if len(without) == 1:
        return _(
            "'{column}' has no hierarchy and cannot be generalized. Add one, such as "
            'builder = "suppress", or choose another role.'
        ).format(column=without[0])
    if without:
        return _(
            "{columns} have no hierarchy and cannot be generalized. Add one, such as "
            'builder = "suppress", or choose other roles.'
        ).format(columns=listed(without))
    held = [a.name for a in open_ended if a.maximum < a.hierarchy.height]
    if held:
        return _("Allow higher levels of {held} (max_level).").format(held=listed(held))
    if open_ended:
        names = listed([a.name for a in open_ended])
        return _("End the hierarchy of {names} with one label, such as *; or lower the threshold.").format(
            names=names
        )
    return _("Choose a weaker threshold, or raise the suppression limit.")
