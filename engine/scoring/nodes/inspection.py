"""One node under a requirement, class by class: what a person asks when they click it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from engine.kernels.arrays import BoolArray, Counts
from engine.lattice import Node
from engine.privacy import PrivacyModel, Relation, Requirement
from engine.privacy.limit import Losses, losses_of
from engine.privacy.table_wide import KeptTable, TableWideModel, kept_table
from engine.privacy.values import MeasuredModel
from engine.scoring.nodes.class_table import AFTER_OTHERS, ClassDistribution, ClassTable, Pick
from engine.scoring.nodes.kept import values_of_kept, values_of_whole
from engine.scoring.scored import Profile


@dataclass(frozen=True, eq=False)
class ModelReport:
    """One model at one node.

    Attributes
    ----------
    model : PrivacyModel
    worst : float
        Measured value of the worst class of all records, suppressed ones included.
    worst_kept : float or None
        The same over kept classes; None where nothing is kept.
    n_missing, records_missing : int
        Classes, and records in classes, that miss this model.
    records_missing_first : int
        Records in classes that miss this model and none before it; over all models they add up to
        the suppressed records, less `NodeReport.after_others`.
    holds : bool
        False where the model judges what is kept as a whole, and what is kept does not meet it. The worst
        values of such a model are its figure of all classes and of the kept ones; no class misses it.
    """

    model: PrivacyModel
    worst: float
    worst_kept: float | None
    n_missing: int
    records_missing: int
    records_missing_first: int
    holds: bool = True


@dataclass(frozen=True, eq=False)
class NodeReport:
    """Everything the inspector shows of one node.

    Attributes
    ----------
    node : tuple of int
    sizes : ndarray of int64, shape (n_classes,)
    fulfilled : ndarray of bool, shape (n_classes,)
    models : tuple of ModelReport
    table : ClassTable
        The classes themselves.
    furthest : tuple of ClassDistribution
        Per sensitive attribute the kept class furthest from the table, or of all if none is kept.
    values : tuple of MeasuredModel
        What every model that can be measured at all measures of the kept classes, whether it is required
        or not; nothing where no class is kept.
    suppressed : int
        Records.
    losses : Losses
        What the suppression limit counts of them.
    kept_classes, kept_k : int
        `kept_k` is 0 where nothing is kept.
    satisfies : bool
    """

    node: Node
    sizes: Counts
    fulfilled: BoolArray
    models: tuple[ModelReport, ...]
    table: ClassTable
    furthest: tuple[ClassDistribution, ...]
    values: tuple[MeasuredModel, ...]
    suppressed: int
    losses: Losses
    kept_classes: int
    kept_k: int

    @property
    def after_others(self) -> int:
        """Suppressed records of classes that miss no model until whole persons are suppressed elsewhere."""
        return int(self.table.n_records[self.table.missed_first == AFTER_OTHERS].sum())

    @property
    def satisfies(self) -> bool:
        """Whether suppressed records stay within the limit, and what is kept meets the rest."""
        return self.losses.are_allowed and all(model.holds for model in self.models)


def inspect_node(profile: Profile, node: Node, requirement: Requirement) -> NodeReport:
    """Judge one node from the base tuples; a few milliseconds on Adult, no scoring needed."""
    problem, table = profile.problem, ClassTable.of(profile, node, requirement)
    classes, fulfilled, sizes = table.classes, table.fulfilled, table.sizes
    kept, whole = sizes[fulfilled], kept_table(problem, classes, fulfilled)
    columns = [attribute.name for attribute in problem.sensitive]
    named = {column: requirement.distance(column) for column in columns}
    distances = {column: distance for column, distance in named.items() if distance is not None}
    return NodeReport(
        node=node,
        sizes=sizes,
        fulfilled=fulfilled,
        models=_model_reports(table),
        table=table,
        furthest=tuple(_furthest(table, column) for column in columns),
        values=(
            *values_of_kept(classes, fulfilled, columns, distances),
            *values_of_whole(classes, fulfilled, whole, requirement),
        ),
        suppressed=int(classes.records[~fulfilled].sum()),
        losses=losses_of(problem, requirement, classes, fulfilled),
        kept_classes=len(kept),
        kept_k=int(kept.min()) if len(kept) else 0,
    )


def _model_reports(table: ClassTable) -> tuple[ModelReport, ...]:
    reports = []
    every = kept_table(table.problem, table.whole, np.ones(len(table.whole.sizes), dtype=np.bool_))
    kept = kept_table(table.problem, table.classes, table.fulfilled)
    for number, model in enumerate(table.requirement.models):
        if isinstance(model, TableWideModel):
            reports.append(_whole_report(model, every, kept))
            continue
        report = _model_report(table, number)
        reports.append(replace(report, holds=bool(model.holds(kept, np.ones(1, dtype=np.bool_))[0])))
    return tuple(reports)


def _whole_report(model: TableWideModel, every: KeptTable, kept: KeptTable) -> ModelReport:
    one = np.ones(1, dtype=np.bool_)
    figure = model.figures(kept, one).item()
    return ModelReport(
        model=model,
        worst=model.figures(every, one).item(),
        worst_kept=None if np.isnan(figure) else figure,
        n_missing=0,
        records_missing=0,
        records_missing_first=0,
        holds=bool(model.holds(kept, one)[0]),
    )


def _model_report(table: ClassTable, number: int) -> ModelReport:
    model: PrivacyModel = table.requirement.models[number]
    missing, records = table.missing_model(number), table.n_records
    worst = np.min if model.relation is Relation.AT_LEAST else np.max
    kept = model.measure(table.classes)[table.fulfilled]
    return ModelReport(
        model=model,
        worst=worst(model.measure(table.whole)).item(),
        worst_kept=worst(kept).item() if len(kept) else None,
        n_missing=int(missing.sum()),
        records_missing=int(records[missing].sum()),
        records_missing_first=int(records[table.missed_first == number].sum()),
    )


def _furthest(table: ClassTable, column: str) -> ClassDistribution:
    number = table.pick(Pick.FURTHEST, column)
    assert number is not None, "there is always a class"
    return table.distribution(column, number)
