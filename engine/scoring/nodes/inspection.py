"""One node under a requirement, class by class, for the inspector."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from engine.frequency.earlier import Left
from engine.kernels.arrays import BoolArray, Counts
from engine.lattice import Node
from engine.privacy import PrivacyModel, Relation, Requirement
from engine.privacy.attackers import AttackerModel
from engine.privacy.limit import Losses, losses_of
from engine.privacy.table_wide import TableFigures, TableWideModel, kept_table
from engine.privacy.values import MeasuredModel
from engine.scoring.lookups.earlier_releases import left_at
from engine.scoring.nodes.class_table import AFTER_OTHERS, ClassChoice, ClassDistribution, ClassTable
from engine.scoring.nodes.kept import values_of_kept, values_of_whole
from engine.scoring.nodes.payout import PayoutReport, payout_asked
from engine.scoring.scored import Profile
from engine.utility import UtilityMetric


@dataclass(frozen=True)
class SetReport:
    """One set of columns at one node.

    Attributes
    ----------
    model : int
        Number of its model in the requirement.
    columns : tuple of str
        Known columns.
    worst : int
        Size of the smallest group among all records.
    worst_kept : int or None
        The same among kept records; None if nothing is kept.
    records_missing : int
        Records that fail at first, before suppression is repeated.
    """

    model: int
    columns: tuple[str, ...]
    worst: int
    worst_kept: int | None
    records_missing: int


def known_sets(table: ClassTable) -> tuple[SetReport, ...]:
    """Return the sets of all models of attackers, in the order of models and sets."""
    found = []
    for number, model in enumerate(table.requirement.models):
        if not isinstance(model, AttackerModel):
            continue
        for columns in model.sets(table.problem.names):
            before, after = table.whole.known_by(columns), table.classes.known_by(columns)
            assert before is not None, "classes of a node tell their columns apart"
            assert after is not None, "and so do their parts"
            kept = after.spread(after.classes.sizes)[table.fulfilled]
            fails = model.critical_of(before) < model.k
            found.append(
                SetReport(
                    number,
                    columns,
                    int(before.classes.sizes.min()),
                    int(kept.min()) if len(kept) else None,
                    int(table.whole.records[fails].sum()),
                )
            )
    return tuple(found)


@dataclass(frozen=True, eq=False)
class ModelReport:
    """One model at one node.

    Attributes
    ----------
    worst : float
        Value of the worst class of all records, including suppressed ones.
    worst_kept : float or None
        The same over kept classes; None if nothing is kept.
    n_missing, records_missing : int
        Number of classes that fail this model, and of records in them.
    records_missing_first : int
        Records in classes that fail this model and none before it; over all models they add up to the
        suppressed records, less `NodeReport.after_others`.
    holds : bool
        False if the model is table-wide and the kept classes do not meet it. The worst values of such a model
        are its values for all classes and for the kept ones; no class fails it.
    """

    model: PrivacyModel
    worst: float
    worst_kept: float | None
    n_missing: int
    records_missing: int
    records_missing_first: int
    holds: bool = True


class Beside(NamedTuple):
    """What a release of a node leaves beside earlier ones, and whether that is enough."""

    attacker: str
    left: Left
    withstands: bool


@dataclass(frozen=True, eq=False)
class NodeReport:
    """The contents of the inspector for one node.

    Attributes
    ----------
    sizes : ndarray of int64, shape (n_classes,)
    fulfilled : ndarray of bool, shape (n_classes,)
    table : ClassTable
        Table of the classes.
    furthest : tuple of ClassDistribution
        Per sensitive attribute the kept class furthest from the table, or of all if none is kept.
    values : tuple of MeasuredModel
        Values of every model that can be measured on the kept classes, whether it is required or not; empty
        if no class is kept.
    suppressed : int
        Number of suppressed records.
    losses : Losses
        What the suppression limit counts of them.
    kept_classes, kept_k : int
        `kept_k` is 0 if nothing is kept.
    sets : tuple of SetReport
        Sets of columns that attackers know; empty without models of attackers.
    rounds : int
        Repetitions that suppressed something; 0 if suppression is not repeated.
    payout : PayoutReport or None
        What the publisher keeps, and the classes worth an attack; None without sums of money.
    beside : Beside or None
        What earlier releases and this one leave together; None without earlier ones.
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
    sets: tuple[SetReport, ...] = ()
    rounds: int = 0
    payout: PayoutReport | None = None
    beside: Beside | None = None

    @property
    def after_others(self) -> int:
        """Suppressed records of classes that fail no model until others are suppressed."""
        return int(self.table.n_records[self.table.missed_first == AFTER_OTHERS].sum())

    @property
    def satisfies(self) -> bool:
        """Return whether the losses are within the limit, and the kept classes meet the table-wide models.

        So must the suppressed records as one class, and what is left beside earlier releases, if the
        requirement says so.
        """
        group = self.table.group if self.table.requirement.holds_group else None
        is_held = group is None or group.held
        withstands = self.beside is None or self.beside.withstands
        return is_held and withstands and self.losses.are_allowed and all(m.holds for m in self.models)


def inspect_node(
    profile: Profile, node: Node, requirement: Requirement, metric: UtilityMetric | None = None
) -> NodeReport:
    """Evaluate one node from the base tuples; a few milliseconds on Adult, without scoring.

    Sums of money are those of a model of the requirement, or of the metric.
    """
    problem, payout = profile.problem, payout_asked(requirement, metric)
    table = ClassTable.of(profile, node, requirement, payout)
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
        sets=known_sets(table),
        rounds=table.rounds,
        payout=None if payout is None else PayoutReport.of(problem, payout, classes, fulfilled),
        beside=_beside(profile, node, requirement),
    )


def _beside(profile: Profile, node: Node, requirement: Requirement) -> Beside | None:
    releases, earlier = profile.problem.earlier, requirement.earlier
    left = left_at(profile.scored_nodes(), requirement, node)
    if left is None or releases is None or earlier is None:
        return None
    attacker = releases.attacker(earlier)
    return Beside(attacker, left, requirement.withstands(attacker, left))


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


def _whole_report(model: TableWideModel, every: TableFigures, kept: TableFigures) -> ModelReport:
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
    number = table.pick(ClassChoice.FURTHEST, column)
    assert number is not None, "there is always a class"
    return table.distribution(column, number)
