"""The kept classes of a node, as privacy models see them, and values of models at every node."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from typing import TYPE_CHECKING

import numpy as np

from engine.cached import cached_property
from engine.frequency import Measure
from engine.frequency.measured import MeasuredClasses
from engine.kernels.arrays import BoolArray, Counts, FloatArray, IntArray
from engine.monitor import SILENT, Monitor
from engine.privacy import PrivacyModel, Relation, Requirement, privacy_models
from engine.privacy.base import Group
from engine.privacy.delta_presence import DeltaPresence
from engine.privacy.differential_privacy import DifferentialPrivacy
from engine.privacy.distinct_l_diversity import DistinctLDiversity
from engine.privacy.individual_risk import IndividualRisk
from engine.privacy.k_anonymity import KAnonymity
from engine.privacy.k_map import KMap
from engine.privacy.repetition import repeats
from engine.privacy.t_closeness import TCloseness
from engine.privacy.table_wide import TableFigures, TableWideModel
from engine.privacy.values import MeasuredModel, measured_models
from engine.scoring.evaluate import evaluate
from engine.scoring.lookups.evaluated_sets import evaluated_sets
from engine.words import _, english

if TYPE_CHECKING:
    from engine.frequency import Problem
    from engine.scoring.evaluate import Evaluation


@dataclass(frozen=True, eq=False)
class KeptClasses:
    """Some of the classes of a node; their measures compare with the whole table.

    Attributes
    ----------
    kept : ndarray of bool, shape (n_classes,)
    """

    classes: MeasuredClasses
    kept: BoolArray

    @cached_property
    def sizes(self) -> Counts:
        """Number of records per kept class."""
        return self.classes.sizes[self.kept]

    def measured(self, measure: Measure) -> IntArray | FloatArray:
        values: IntArray | FloatArray = self.classes.measured(measure)[self.kept]
        return values

    def default_distance(self, column: str) -> str:
        return self.classes.default_distance(column)

    @property
    def sampling_fraction(self) -> float | None:
        return self.classes.sampling_fraction


def values_of_kept(
    classes: MeasuredClasses, kept: BoolArray, columns: Sequence[str], distances: dict[str, str]
) -> tuple[MeasuredModel, ...]:
    """Measure every model that needs only the table and the known population.

    Parameters
    ----------
    kept : ndarray of bool, shape (n_classes,)
    columns : sequence of str
        The sensitive columns.
    distances : dict of str to str
        The distance of t-closeness by sensitive column, if it is not the default.

    Returns
    -------
    tuple of MeasuredModel
        In the order of `measured_kinds`; a model with a sensitive column has one entry for each of them. Then
        those that compare with a population, if it or survey weights are known. Empty if no class is kept.
    """
    if not kept.any():
        return ()
    some = KeptClasses(classes, kept)
    of_column = {}
    for column in columns:
        own = {column: distances[column]} if column in distances else {}
        of_column[column] = measured_models(some, {column: some}, own)
    found = []
    for place, model in enumerate(measured_models(some, {})):
        reads_none = model.value is not None
        found += [model] if reads_none else [models[place] for models in of_column.values()]
    return (*found, *_of_people(some, classes.knows_members))


def values_of_whole(
    classes: MeasuredClasses, kept: BoolArray, whole: TableFigures, requirement: Requirement
) -> tuple[MeasuredModel, ...]:
    """Measure the risk models and table-wide models over the kept classes of a node.

    Models of cost and benefit are measured if they are required, since their sums of money have no default.

    Parameters
    ----------
    kept : ndarray of bool, shape (n_classes,)
    whole : TableFigures
        The kept classes together.
    requirement : Requirement
        Its models give their further parameters, others use the defaults.

    Returns
    -------
    tuple of MeasuredModel
        In the order of the registry. Models that need a population are omitted if none is known; empty if no
        class is kept.
    """
    if not kept.any():
        return ()
    some, found = KeptClasses(classes, kept), []
    for kind in privacy_models.values():
        model = next((own for own in requirement.models if type(own) is kind), None) or kind()
        value: float | int | None
        if isinstance(model, TableWideModel):
            if model.needs_people and whole.people is None:
                continue
            value = float(model.figures(whole, np.ones(1, dtype=np.bool_))[0])
            value = value if isfinite(value) else None  # the estimator has no answer
        elif kind.group is Group.RISK or (kind.group is Group.COST and model in requirement.models):
            value = model.worst(some)
        else:
            continue
        found.append(MeasuredModel(kind, value, {name: getattr(model, name) for name in kind.reported}))
    return tuple(found)


def _of_people(classes: KeptClasses, knows_members: bool) -> Iterator[MeasuredModel]:
    """Measure the models that compare single classes with the population, if it or weights are known."""
    has_weights = classes.classes.has_weights
    if knows_members:
        counted = KMap(estimator="table")
        yield MeasuredModel(KMap, counted.worst(classes))
        yield MeasuredModel(DeltaPresence, DeltaPresence().worst(classes))
    elif classes.sampling_fraction is not None:
        estimated = KMap(estimator="poisson")
        yield MeasuredModel(KMap, estimated.worst(classes), {"estimator": "estimated"})
    elif has_weights:
        yield MeasuredModel(KMap, KMap(estimator="weights").worst(classes), {"estimator": "estimated"})
    if has_weights:
        yield MeasuredModel(IndividualRisk, IndividualRisk().worst(classes))


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


SATISFIES, SUPPRESSED, AS_CLASS, BESIDE = -1, -2, -3, -4  # where no model fails


def what_fails(evaluation: Evaluation) -> tuple[IntArray, FloatArray]:
    """Return why every node fails: the first condition that it does not meet.

    Returns
    -------
    ndarray of int64, shape (n_nodes,)
        Number of a model in the requirement; `SUPPRESSED` if too many records are suppressed, where some may
        be or no single model says why; `AS_CLASS` if the kept or suppressed ones fail together for another
        reason; `BESIDE` if only earlier releases are the reason; `SATISFIES` also for nodes not scored.
    ndarray of float64, shape (n_nodes,)
        The value of that model: of all classes if none may be suppressed, of the kept ones if it is
        table-wide.
    """
    failing = evaluation.scored & ~evaluation.satisfies
    found = np.where(failing, np.where(evaluation.is_within, AS_CLASS, SUPPRESSED), SATISFIES)
    values = np.full(len(found), np.nan)
    for number, model in enumerate(evaluation.requirement.models):
        wanted = found == (AS_CLASS if model.checks_table_wide else SUPPRESSED)
        if isinstance(model, TableWideModel):
            own = model.figures(evaluation.figures, wanted)
            fails = wanted & ~model.holds(evaluation.figures, wanted)
        elif evaluation.allowed or model.checks_table_wide or model.is_of_attackers or not wanted.any():
            continue
        else:
            own = worst_of_kept(evaluation, model, Requirement())
            fails = wanted & ~model.meets(own)
        found[fails], values[fails] = number, own[fails]
    if evaluation.requirement.earlier is not None:
        alone = evaluate(evaluation.profile, replace(evaluation.requirement, earlier=None))
        found[failing & alone.satisfies] = BESIDE
    return found, values
