"""A project with another reading of its table, and the differences."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from engine.errors import InputError, TableError
from engine.monitor import SILENT, Monitor
from engine.project.edits import set_roles
from engine.project.project import AttributeHierarchy, Project, frozen
from engine.project.subset import records_of
from engine.records import Column, Table
from engine.records.options import ReadOptions
from engine.records.types import DataType
from engine.records.values import retype
from engine.words import _


@dataclass(frozen=True)
class Changes:
    """Differences that another reading of a table makes in a project.

    Attributes
    ----------
    n_before, n_after : int
        Number of records; None before if the earlier table is unknown.
    added, removed : tuple of str
        Columns; with removed ones, their roles, hierarchies and models are removed.
    left_out : tuple of str
        Columns of the file that the import settings do not select: nothing of them is read or released.
    retyped : mapping of str to pair of DataType
        Columns that no longer parse as before: the earlier type, and the new one.
    new_values, gone_values : mapping of str to int
        Numbers of distinct values of a column that are new, and that were removed.
    gaps : mapping of str to tuple of str
        Values that the hierarchy of a column lacks.
    n_models_lost : int
        Number of models of the requirement on removed columns.
    n_replaced : int
        Number of values replaced in the earlier table; they are as in the file again.
    subset : str
        Why the subset can no longer be found in the table; empty if it can, or if there is none.
    lost_hierarchies : mapping of str to str
        Why the hierarchy of a column could not be built from its new values.
    lost_person : str
        The person column, if it was removed: every record then counts as one person.
    lost_weight, lost_household : str
        The columns of survey weights and households, if they were removed.
    """

    n_before: int | None
    n_after: int
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    retyped: Mapping[str, tuple[DataType, DataType]] = field(default_factory=dict)
    new_values: Mapping[str, int] = field(default_factory=dict)
    gone_values: Mapping[str, int] = field(default_factory=dict)
    gaps: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    n_models_lost: int = 0
    n_replaced: int = 0
    subset: str = ""
    lost_hierarchies: Mapping[str, str] = field(default_factory=dict)
    lost_person: str = ""
    lost_weight: str = ""
    lost_household: str = ""
    left_out: tuple[str, ...] = ()


def reimport(
    project: Project,
    table: Table,
    options: ReadOptions,
    source: Path | None,
    monitor: Monitor = SILENT,
    *,
    chosen: Collection[str] = (),
    database: str = "",
) -> tuple[Project, Changes]:
    """Return the project with another table, and the differences.

    Roles, types, hierarchies and settings stay for every column that still exists. Unchanged columns keep
    their identity, so that nothing is recomputed for them. New columns have no role.

    Parameters
    ----------
    options : ReadOptions
        How it was read.
    source : Path or None
        Its file.
    chosen : collection of str
        Columns whose type the user chose for this table; the others get their earlier type, if it fits.
    database : str
        URL of the table or query that it was read from; it then has no file.

    Raises
    ------
    InputError
        The tables have no column in common.
    """
    before = project.table
    if not set(before.names) & set(table.names):
        raise InputError(
            _("The file has none of the columns of this project."),
            hint=_("Choose a file with the same columns, or open this one as a new project."),
        )
    removed = tuple(name for name in before.names if name not in table.names)
    columns: list[Column] = []
    retyped: dict[str, tuple[DataType, DataType]] = {}
    new_values, gone_values = {}, {}
    for i, column in enumerate(table.columns):
        monitor.step(i, len(table.columns), _("Comparing {column}").format(column=column.name))
        if column.name in before.names:
            old = before.column(column.name)
            kept = _as_before(column, old, keeps_type=column.name in chosen)
            if kept.data_type != old.data_type:
                retyped[column.name] = (old.data_type, kept.data_type)
            values, old_values = _values(kept), _values(old)
            if n_new := len(values - old_values):
                new_values[column.name] = n_new
            if n_gone := len(old_values - values):
                gone_values[column.name] = n_gone
            column = kept
        columns.append(column)
    whole = Table(tuple(columns))
    after, lost = without_columns(project, removed)
    after = replace(
        after,
        source=source,
        database=database,
        table=whole,
        sampling_key="",  # records of another table are drawn anew
        options=replace(options, types=frozen({c.name: c.data_type for c in columns})),
    )
    added = tuple(name for name in whole.names if name not in before.names)
    is_as_in_file = options.replacements != project.options.replacements
    return after, Changes(
        before.n_records,
        whole.n_records,
        added,
        removed,
        retyped,
        new_values,
        gone_values,
        gaps_in(after),
        n_replaced=len(project.options.replacements) if is_as_in_file else 0,
        subset=subset_problem(after),
        left_out=options.left_out,
        **lost,
    )


def _as_before(column: Column, old: Column, *, keeps_type: bool) -> Column:
    """Return the column with its earlier type, if its values fit; the earlier one if nothing differs.

    A column that stays in a database or on a cluster belongs to the source that was asked now.
    """
    if column.data_type != old.data_type:
        if keeps_type:
            return column
        try:
            column = retype(column, old.data_type)
        except TableError:
            return column
    if column.cells is None or old.cells is None:
        return column
    is_same = (column.labels, column.has_missing) == (old.labels, old.has_missing)
    return old if is_same and np.array_equal(column.codes, old.codes) else column


def _values(column: Column) -> set[str]:
    return set(column.known_labels)


def without_columns(project: Project, removed: Collection[str]) -> tuple[Project, dict[str, Any]]:
    """Return the project without anything about some columns, and what `Changes` has of that."""
    gone = set(removed)
    if not gone:
        return project, {}
    # removes their models and aggregates, and the persons they name
    left = set_roles(project, removed, None)
    transformation = left.transformation
    kept = {name: _alone(entry, gone) for name, entry in left.hierarchies.items() if name not in gone}
    left = replace(
        left,
        target=None if left.target in gone else left.target,
        answers=left.answers.without(gone),
        hierarchies=frozen(kept),
        search=replace(
            left.search, weights=frozen({n: w for n, w in left.search.weights.items() if n not in gone})
        ),
        transformation=replace(
            transformation,
            identifiers=frozen({n: r for n, r in transformation.identifiers.items() if n not in gone}),
            rules=frozen({n: r for n, r in transformation.rules.items() if n not in gone}),
        ),
        attack_test=None if left.attack_test is None else left.attack_test.without(gone),
        statement=left.statement.without(gone),
    )
    lost: dict[str, Any] = {"n_models_lost": len(project.requirement.models) - len(left.requirement.models)}
    for name in ("person", "weight", "household"):
        if getattr(left, name) is None:
            lost[f"lost_{name}"] = getattr(project, name) or ""
    return left, lost


def gaps_in(project: Project) -> dict[str, tuple[str, ...]]:
    """Return the values that hierarchies lack, by column."""
    lacking = {
        name: own.hierarchy.gaps(project.table.column(name)) for name, own in project.hierarchies.items()
    }
    return {name: tuple(found) for name, found in lacking.items() if found}


def _alone(entry: AttributeHierarchy, gone: set[str]) -> AttributeHierarchy:
    """Return the hierarchy without a builder that looks at a removed column."""
    if entry.builder is None or gone.isdisjoint(entry.builder.looks_at):
        return entry
    return replace(entry, builder=None)


def subset_problem(project: Project) -> str:
    """Return why the subset cannot be found in the table; empty if it can, or if there is none."""
    if project.subset is None:
        return ""
    try:
        records_of(project.subset, project.table)
    except InputError as error:
        return error.problem
    return ""
