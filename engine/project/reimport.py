"""A project with another reading of its table, and the differences."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from engine.errors import InputError, TableError
from engine.monitor import SILENT, Monitor
from engine.project.edits import set_roles
from engine.project.project import AttributeHierarchy, Project, frozen
from engine.project.subset import records_of
from engine.table import Column, Table
from engine.table.options import ReadOptions
from engine.table.types import DataType
from engine.table.values import retype
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
    project : Project
    table : Table
    options : ReadOptions
        How it was read.
    source : Path or None
        Its file.
    monitor : Monitor
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
    n_models = len(project.requirement.models)
    after = _without(project, removed)
    after = replace(
        after,
        source=source,
        database=database,
        table=whole,
        sampling_key="",  # records of another table are drawn anew
        options=replace(options, types=frozen({c.name: c.data_type for c in columns})),
    )
    added = tuple(name for name in whole.names if name not in before.names)
    gaps = {
        name: tuple(found)
        for name, entry in after.hierarchies.items()
        if (found := entry.hierarchy.gaps(whole.column(name)))
    }
    return after, Changes(
        before.n_records,
        whole.n_records,
        added,
        removed,
        retyped,
        new_values,
        gone_values,
        gaps,
        n_models - len(after.requirement.models),
        len(project.options.replacements) if options.replacements != project.options.replacements else 0,
        subset_problem(after),
        lost_person=project.person if project.person is not None and after.person is None else "",
        lost_weight=project.weight if project.weight is not None and after.weight is None else "",
        lost_household=project.household if project.household is not None and after.household is None else "",
        left_out=options.left_out,
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
    if column.is_remote or old.is_remote:
        return column
    is_same = (column.labels, column.has_missing) == (old.labels, old.has_missing)
    return old if is_same and np.array_equal(column.codes, old.codes) else column


def _values(column: Column) -> set[str]:
    return set(column.known_labels)


def _without(project: Project, removed: tuple[str, ...]) -> Project:
    """Return the project without anything about removed columns."""
    if not removed:
        return project
    # removes their models and aggregates, and the persons they name
    project = set_roles(project, removed, None)
    gone = set(removed)
    transformation = project.transformation
    kept = {name: _alone(entry, gone) for name, entry in project.hierarchies.items() if name not in gone}
    return replace(
        project,
        target=None if project.target in gone else project.target,
        answers=project.answers.without(gone),
        hierarchies=frozen(kept),
        search=replace(
            project.search, weights=frozen({n: w for n, w in project.search.weights.items() if n not in gone})
        ),
        transformation=replace(
            transformation,
            identifiers=frozen({n: r for n, r in transformation.identifiers.items() if n not in gone}),
            rules=frozen({n: r for n, r in transformation.rules.items() if n not in gone}),
        ),
        attack_test=None if project.attack_test is None else project.attack_test.without(gone),
    )


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
