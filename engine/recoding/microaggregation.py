"""Columns released as aggregates of their classes, and classes that are written alike because of it."""

from __future__ import annotations

from collections.abc import Mapping

from engine.errors import InputError
from engine.frequency import Problem
from engine.hierarchies.hierarchy import SUPPRESSED
from engine.kernels.arrays import BoolArray, Counts, IntArray
from engine.kernels.grouping import class_labels
from engine.recoding.aggregation import AggregateFunction, aggregate
from engine.recoding.release import ReleasedColumn
from engine.recoding.transformation import ReleaseSource
from engine.records import Role
from engine.words import _, within_sentence


def aggregates_of(source: ReleaseSource, problem: Problem) -> dict[str, AggregateFunction]:
    """The quasi-identifiers that are released as aggregates, in lattice order."""
    chosen = source.microaggregation
    return {name: chosen[name] for name in problem.names if name in chosen}


def aggregated_columns(
    problem: Problem, functions: Mapping[str, AggregateFunction], labels: IntArray, suppressed: BoolArray
) -> dict[str, ReleasedColumn]:
    """The released columns of aggregates.

    Parameters
    ----------
    functions : mapping of str to AggregateFunction
        By quasi-identifier.
    labels : ndarray of int64, shape (n_records,)
        Class per record.
    suppressed : ndarray of bool, shape (n_records,)
        Whole classes are, or are not.
    """
    found = {}
    for attribute in problem.attributes:
        if attribute.name in functions:
            function = functions[attribute.name]
            texts, codes = aggregate(attribute.column, function, labels, ~suppressed, SUPPRESSED)
            found[attribute.name] = ReleasedColumn(attribute.name, Role.QUASI_IDENTIFYING, texts, codes)
    return found


def classes_as_written(
    columns: Mapping[str, ReleasedColumn], labels: IntArray, suppressed: BoolArray
) -> tuple[IntArray, IntArray, Counts]:
    """Join the kept classes whose records are written alike; suppressed ones stay apart.

    Parameters
    ----------
    columns : mapping of str to ReleasedColumn
        All quasi-identifiers.
    labels : ndarray of int64, shape (n_records,)
        Class per record, by the levels of a node.
    suppressed : ndarray of bool, shape (n_records,)

    Returns
    -------
    labels : ndarray of int64, shape (n_records,)
    first : ndarray of int64, shape (n_classes,)
        A record of each class.
    sizes : ndarray of int64, shape (n_classes,)
    """
    apart = (labels + 1) * suppressed
    spans = [len(column.labels) for column in columns.values()]
    codes = [column.codes for column in columns.values()]
    return class_labels([apart, *codes], [int(labels.max()) + 2, *spans])


def refuse_grouped(source: ReleaseSource, method: str) -> None:
    """Refuse columns that form classes by labels which are not released, where levels differ by record.

    Parameters
    ----------
    method : str
        Title of the recoding method.

    Raises
    ------
    InputError
    """
    for name, function in source.microaggregation.items():
        if function.grouping and source.role(name) is Role.QUASI_IDENTIFYING:
            raise InputError(
                _(
                    "'{name}' forms classes by its labels and is released as their {title}, which "
                    "requires one level for all records; with {method}, levels vary by record."
                ).format(name=name, title=within_sentence(function.title), method=method),
                hint=_("Release a node, or let '{name}' form no classes (grouping = false).").format(
                    name=name
                ),
                column=name,
            )


def refuse_removed(functions: Mapping[str, AggregateFunction], suppressed: BoolArray, rule: str) -> None:
    """Refuse to omit suppressed records if a recipient could not determine the records of a class.

    Without them a file whose levels differ by record does not say which records an aggregate is of.

    Raises
    ------
    InputError
    """
    if functions and rule == "remove" and suppressed.any():
        raise InputError(
            _(
                "Aggregates of classes whose levels vary by record can only be verified in a file "
                "with all records."
            ),
            hint=_('Write suppressed records as *: suppressed_records = "star".'),
        )
