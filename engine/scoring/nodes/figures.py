"""Values of models at every node: of the kept classes, and of all classes before suppression."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from engine.kernels.arrays import FloatArray
from engine.monitor import SILENT, Monitor
from engine.privacy import PrivacyModel, Relation, Requirement
from engine.privacy.differential_privacy import DifferentialPrivacy
from engine.privacy.distinct_l_diversity import DistinctLDiversity
from engine.privacy.k_anonymity import KAnonymity
from engine.privacy.repetition import repeats
from engine.privacy.t_closeness import TCloseness
from engine.privacy.table_wide import TableWideModel
from engine.scoring.lookups.evaluated_sets import evaluated_sets
from engine.words import _, english

if TYPE_CHECKING:
    from engine.frequency import Problem
    from engine.scoring.evaluate import Evaluation

CELLS_AT_ONCE = 2_000_000  # so that little memory is needed for any lattice


def figure_models(problem: Problem, requirement: Requirement) -> dict[str, PrivacyModel]:
    """Return the models measured at the nodes in addition to k, by the name of their column.

    Distinct values and distance of every sensitive attribute, then the further models of the requirement
    except slow ones. A name is the model's English symbol, followed by a point and the sensitive attribute
    if it reads one, and by a number if two models have the same name.

    Parameters
    ----------
    requirement : Requirement
        The requirement, covered by the profile.
    """
    found: dict[str, PrivacyModel] = {}
    for attribute in problem.sensitive:
        name = attribute.name
        distance = requirement.distance(name) or attribute.default_distance
        found[f"l.{name}"] = DistinctLDiversity(column=name)
        found[f"t.{name}"] = TCloseness(column=name, distance=distance)
    for model in requirement.models:
        if isinstance(model, KAnonymity | DistinctLDiversity | DifferentialPrivacy) or model.is_costly:
            continue
        if isinstance(model, TCloseness) and model.distance in (None, requirement.distance(model.column)):
            continue
        name = ".".join((english(model, "symbol"), *model.columns))
        names = (name, *(f"{name} {number}" for number in range(2, len(found) + 3)))
        found[next(name for name in names if name not in found)] = model
    return found


def node_figures(evaluation: Evaluation, monitor: Monitor = SILENT) -> dict[str, FloatArray]:
    """Measure every node by the models of `figure_models`, and by classes and k.

    Returns
    -------
    dict of str to ndarray of float64, shape (n_nodes,)
        `k`, `classes` and the names of `figure_models` refer to the kept classes, nan if none is kept. `all
        k`, `all classes`, and `all l.` and `all t.` with the sensitive attribute, refer to all classes. All
        are nan if a node is not scored.
    """
    problem, requirement, profile = evaluation.problem, evaluation.requirement, evaluation.profile
    scored = evaluation.scored
    figures = {
        "k": np.where(evaluation.kept_k > 0, evaluation.kept_k.astype(np.float64), np.nan),
        "classes": np.where(scored, evaluation.kept_classes.astype(np.float64), np.nan),
        "all k": np.where(scored, profile.k.astype(np.float64), np.nan),
        "all classes": np.where(scored, profile.n_classes.astype(np.float64), np.nan),
    }
    models = figure_models(problem, requirement)
    for done, (name, model) in enumerate(models.items()):
        monitor.step(done, len(models), _("Measuring {model}").format(model=model.title))
        if isinstance(model, TableWideModel):
            figures[name] = model.figures(evaluation.figures, scored)
        else:
            figures[name] = worst_of_kept(evaluation, model)
    every = Requirement()
    for attribute in problem.sensitive:
        for name in (f"l.{attribute.name}", f"t.{attribute.name}"):
            figures[f"all {name}"] = worst_of_kept(evaluation, models[name], every)
    return figures


def worst_of_kept(
    evaluation: Evaluation, model: PrivacyModel, requirement: Requirement | None = None
) -> FloatArray:
    """Return the value of the kept class furthest from meeting a model, per node; nan if none is kept.

    Parameters
    ----------
    model : PrivacyModel
        A model that measures classes, by measures of the profile.
    requirement : Requirement, optional
        Which classes are kept; by default those that the evaluation keeps.
    """
    cells = evaluation.figures.cells
    keeps = (evaluation.requirement if requirement is None else requirement).by_class
    found = np.full(evaluation.lattice.n_nodes, np.nan)
    if not len(cells.nodes):
        return found
    lowest = model.relation is Relation.AT_LEAST
    if repeats(evaluation.problem, keeps):
        for node in evaluated_sets(evaluation.profile, keeps, evaluation.scored):
            measured = model.measure(node.classes)[node.kept]
            if len(measured):
                found[node.number] = measured.min() if lowest else measured.max()
        return found
    none = np.inf if lowest else -np.inf
    by_kind = np.where(keeps.fulfilled(cells.classes), model.measure(cells.classes), none)
    choose = np.minimum if lowest else np.maximum
    for nodes, of_nodes, starts in cells.blocks(CELLS_AT_ONCE):
        worst = choose.reduceat(cells.by_cell(by_kind, of_nodes), starts)
        found[cells.nodes[nodes]] = np.where(worst == none, np.nan, worst)
    return found
