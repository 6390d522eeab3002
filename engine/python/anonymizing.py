"""From a DataFrame to proposed roles and hierarchies, and to a verified release."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.advice.first_release import first_settings
from engine.errors import InputError, nearest
from engine.findings.selection_gate import anonymize as run_chain
from engine.hierarchies import Hierarchy, read_hierarchy
from engine.hierarchies.builders.base import BuilderContext, HierarchyBuilder, builders
from engine.kernels.arrays import IntArray
from engine.lattice import Node
from engine.monitor import SILENT, Monitor, with_progress
from engine.params import describe
from engine.pipeline import export_release, summary
from engine.privacy import PrivacyModel, Requirement, privacy_models
from engine.privacy.k_anonymity import KAnonymity
from engine.project import Project
from engine.project.edits import (
    set_hierarchies,
    set_household,
    set_levels,
    set_person,
    set_roles,
    set_rules,
    set_weight,
)
from engine.project.population import Population
from engine.project.project import AttributeHierarchy, SearchSettings
from engine.project.subset import Subset, records_of
from engine.python.frames import Cells, Frame, Texts, frame_of, is_frame, numbered
from engine.python.released import Released
from engine.qi_detection.suggest import RoleSuggestion
from engine.qi_detection.suggest import suggest_roles as suggestions_for
from engine.recoding import RecodingMethod, Release, Transformation, recoding_methods
from engine.recoding.drawing import drawn_order, start_for_rows, start_of
from engine.recoding.rules import ColumnRule, column_rules
from engine.recoding.transformation import BLANK
from engine.records import Column, Kind, Role, Table
from engine.records.column_selection import listed, names_of, shown
from engine.records.opening.data_frames import as_table, table_from_frame
from engine.records.options import ReadOptions
from engine.scratch import scratch_folder
from engine.utility.base import utility_metrics
from engine.words import _

if TYPE_CHECKING:
    import pandas as pd

    AnyHierarchy = Hierarchy | HierarchyBuilder | Path | str | Sequence[Sequence[str]] | pd.DataFrame

SUGGEST = "suggest"
FIVE = (KAnonymity(5),)


@with_progress
def anonymize(
    data: Any,
    quasi_identifying: str | Sequence[str] = (),
    sensitive: str | Sequence[str] = (),
    insensitive: str | Sequence[str] = (),
    *,
    person: str | None = None,
    models: PrivacyModel | Iterable[PrivacyModel] = FIVE,
    hierarchies: Mapping[str, AnyHierarchy] | str = SUGGEST,
    suppression_limit: float = 0.05,
    node: Mapping[str, int] | Sequence[int] | None = None,
    recoding: RecodingMethod | str | None = None,
    metric: str = "loss",
    suppressed: str = "star",
    keep_index: bool = False,
    population: Population | int | Any = None,
    subset: Subset | str | Any = None,
    weight: str | None = None,
    household: str | None = None,
    rules: Mapping[str, ColumnRule] | None = None,
    levels: Mapping[str, int | tuple[int, int | None]] | None = None,
    monitor: Monitor = SILENT,
    progress: bool = False,
    **settings: Any,
) -> Released:
    """Make a release of a table, and verify it by independent code.

    Parameters
    ----------
    data : DataFrame
        Of pandas, polars or Arrow, or anything with `__arrow_c_stream__` or `__dataframe__`; also a `Table`
        or the path of a file, which are released as a DataFrame of pandas. A stream is read once; streams and
        relations of DuckDB are released as a table of Arrow.
    quasi_identifying, sensitive, insensitive : str or sequence of str
        Columns by role. All others are identifying: their cells become `*`.
    person : str, optional
        Identifying column that names the person of each record, if a person may have several.
    models : PrivacyModel or iterable of PrivacyModel
        All of them must be met.
    hierarchies : mapping of str to hierarchy, or "suggest"
        Of quasi-identifying columns: a `Hierarchy`, a builder, the path of a file, or rows of a value and its
        labels, also as a DataFrame. "suggest" proposes them, for all columns or as the entry of one.
    suppression_limit : float
        Largest share of suppressed records.
    node : mapping of str to int, or sequence of int, optional
        Level of every quasi-identifying column; by default the optimum is searched.
    recoding : RecodingMethod or str, optional
        Method by which levels vary by record, such as "mondrian".
    metric : str
        Key of the utility metric that the search minimizes.
    suppressed : {"star", "remove"}
        Whether suppressed records stay with `*` in their quasi-identifying columns.
    keep_index : bool
        Whether the frame that comes back keeps the index of a DataFrame of pandas, which is not verified. By
        default its records are numbered, as no file would have the index.
    population : Population, int or DataFrame, optional
        That the records were sampled from: a number of people, or a table with a row per person. `Population`
        also takes a sampling fraction.
    subset : Subset, str or DataFrame, optional
        Records that are released: by a filter such as "age >= 40", or equal to the rows of a table; all
        records are the population.
    weight, household : str, optional
        Columns of survey weights, and of households.
    rules : mapping of str to ColumnRule, optional
        How identifying, sensitive and insensitive columns are written, such as `Drop()` or `Round(...)`.
    levels : mapping of str to int or (int, int or None), optional
        Fixed level, or lowest and highest level, of columns with a hierarchy.
    **settings
        Any setting of [search] and [transformation] of a recipe by its name, such as `algorithm`, `weights`,
        `enforce`, `selection_gain`, `shuffle`, `seed` or `whole_persons`.

    Raises
    ------
    RequirementNotMetError
        No node, or not the given one, satisfies the requirement.
    InputError
        A column does not exist or has two roles, or a setting does not suit the table.
    VerificationError
        The release does not have the claimed properties, which is a bug of the program.
    """
    frame = frame_of(data)
    project = _project(
        frame.table, names_of(quasi_identifying), names_of(sensitive), names_of(insensitive), person
    )
    utility_metrics.create(metric)  # refuses an unknown one
    settings |= {"suppression_limit": suppression_limit, "metric": metric, "suppressed_records": suppressed}
    project = replace(
        _with_settings(project, settings),
        recoding=recoding if recoding is None else _method(recoding),
        population=_population(population),
        subset=_subset(subset),
    )
    project = replace(project, requirement=replace(project.requirement, models=_models(models)))
    for name in project.search.weights:
        project.table.column(name)
    project = set_rules(set_household(set_weight(project, weight), household), _rules(rules or {}))
    project = _with_levels(with_suggested(_with_hierarchies(project, hierarchies), monitor), levels or {})
    return made(frame, project, node, monitor, keep_index=keep_index)


def made(
    frame: Frame,
    project: Project,
    node: Mapping[str, int] | Sequence[int] | None,
    monitor: Monitor,
    *,
    records: IntArray | None = None,
    keep_index: bool = False,
) -> Released:
    """Make and verify the release of a project whose table is a frame, or some `records` of one."""
    outcome = run_chain(project, _node(project, node), monitor)
    with scratch_folder("releasing") as folder:
        verdict = export_release(project, outcome.release, folder / "release.csv", monitor)
    return Released(
        project,
        outcome,
        verdict,
        _released(frame, project, outcome.release, records, keep_index=keep_index),
        summary(project, outcome, verified=verdict.ok),
    )


def _models(models: PrivacyModel | Iterable[PrivacyModel]) -> tuple[PrivacyModel, ...]:
    given = listed(models)
    if not given:
        raise InputError(_("No privacy model was given."), hint=_("Give models such as KAnonymity(5)."))
    for model in given:
        if not isinstance(model, PrivacyModel):
            raise InputError(
                _("{value} is not a privacy model.").format(value=shown(model)),
                hint=_("Give models such as KAnonymity(5)."),
            )
    return tuple(map(privacy_models.recognized, given))


def _method(recoding: RecodingMethod | str) -> RecodingMethod:
    if isinstance(recoding, str):
        return recoding_methods.create(recoding)
    return recoding_methods.recognized(recoding)


def _with_settings(project: Project, settings: Mapping[str, Any]) -> Project:
    """Return the project with declared settings of its parts, each checked as in a recipe."""
    parts = {"requirement": Requirement, "transformation": Transformation, "search": SearchSettings}
    known = {found.name: (part, found) for part, kind in parts.items() for found in describe(kind)}
    for name, value in settings.items():
        if name not in known:
            raise InputError(
                _("'{name}' is not a setting.").format(name=name), hint=nearest(name, known), key=name
            )
        part, declared = known[name]
        changed = replace(getattr(project, part), **{name: declared.check(value)})
        project = replace(project, **{part: changed})
    return project


def _population(given: Any) -> Population | None:
    if given is None or isinstance(given, Population):
        return given
    if isinstance(given, int | np.integer) and not isinstance(given, bool):
        return Population(size=int(given))
    return Population(table=as_table(given))


def _subset(given: Any) -> Subset | None:
    if given is None or isinstance(given, Subset):
        return given
    return Subset(given) if isinstance(given, str) else Subset(rows=as_table(given))


def _by_column(setting: str, given: Any) -> Mapping[str, Any]:
    if not isinstance(given, Mapping):
        raise InputError(
            _("'{name}' cannot be of type {kind}.").format(name=setting, kind=type(given).__name__),
            hint=_("Give a mapping by the names of columns."),
        )
    return given


def _rules(given: Any) -> dict[str, ColumnRule]:
    for name, rule in _by_column("rules", given).items():
        if not isinstance(rule, ColumnRule):
            raise InputError(
                _("The rule of '{name}' cannot be of type {kind}.").format(
                    name=name, kind=type(rule).__name__
                ),
                hint=_("Give rules such as Drop() or Round(10)."),
                column=name,
            )
    return {name: column_rules.recognized(rule) for name, rule in given.items()}


def _with_levels(project: Project, levels: Any) -> Project:
    for name, given in _by_column("levels", levels).items():
        if name not in project.hierarchies:
            raise InputError(
                _("The column '{name}' has no hierarchy.").format(name=name),
                hint=nearest(name, project.hierarchies),
                column=name,
            )
        low, high = given if isinstance(given, tuple | list) else (given, given)
        if not isinstance(low, int | np.integer) or not isinstance(high, int | np.integer | None):
            raise InputError(
                _("The levels of '{name}' are not whole numbers.").format(name=name),
                hint=_("Give one level, or the lowest and the highest one."),
                column=name,
            )
        project = set_levels(project, name, int(low), None if high is None else int(high))
    return project


def _project(
    table: Table,
    quasi_identifying: Sequence[str],
    sensitive: Sequence[str],
    insensitive: Sequence[str],
    person: str | None,
) -> Project:
    """Return a project of a table with the given roles."""
    by_role = {
        Role.QUASI_IDENTIFYING: quasi_identifying,
        Role.SENSITIVE: sensitive,
        Role.INSENSITIVE: insensitive,
    }
    given: dict[str, Role] = {}
    for role, names in by_role.items():
        for name in names:
            table.column(name)
            if name in given:
                raise InputError(
                    _("The column '{name}' is listed twice.").format(name=name),
                    hint=_("Give every column one role."),
                    column=name,
                )
            given[name] = role
    project = Project(_("DataFrame"), None, ReadOptions(), table)
    for role in Role:
        columns = [name for name in table.names if given.get(name, Role.IDENTIFYING) is role]
        project = set_roles(project, columns, role)
    project = replace(project, qi_order=tuple(quasi_identifying))
    return project if person is None else set_person(project, person)


def _with_hierarchies(project: Project, hierarchies: Mapping[str, AnyHierarchy] | str) -> Project:
    """Return the project with the given hierarchies; those to be suggested are missing."""
    if not isinstance(hierarchies, Mapping):
        if hierarchies != SUGGEST:
            raise InputError(
                _("Hierarchies cannot be {text!r}.").format(text=hierarchies),
                hint=_("Give a hierarchy for every column, or 'suggest'."),
            )
        return project
    unknown = next((name for name in hierarchies if name not in project.table.names), None)
    if unknown is not None:
        raise InputError(
            _("The table has no column '{name}'.").format(name=unknown),
            hint=nearest(unknown, project.table.names),
            column=unknown,
        )
    lacking = next((name for name in project.qi_order if name not in hierarchies), None)
    if lacking is not None:
        raise InputError(
            _("The column '{name}' has no hierarchy.").format(name=lacking),
            hint=_("Add one to the hierarchies, or 'suggest' for this column."),
            column=lacking,
        )
    own = {
        name: _hierarchy(project.table, name, given)
        for name, given in hierarchies.items()
        if not (isinstance(given, str) and given == SUGGEST)
    }
    return set_hierarchies(project, own)


def _hierarchy(table: Table, name: str, given: Any) -> AttributeHierarchy:
    if isinstance(given, AttributeHierarchy):
        return given
    if isinstance(given, Hierarchy):
        return AttributeHierarchy(given)
    if isinstance(given, HierarchyBuilder):
        context, builder = BuilderContext(table, Path(os.curdir)), builders.recognized(given)
        return AttributeHierarchy(builder.build(table.column(name), context), builder=builder)
    if isinstance(given, str | Path):
        return AttributeHierarchy(read_hierarchy(given), Path(given))
    if is_frame(given):
        columns = table_from_frame(numbered(given)).columns
        return AttributeHierarchy(
            Hierarchy.from_rows(
                [[column.text(row) for column in columns] for row in range(columns[0].n_rows)]
            )
        )
    rows = listed(given)
    if any(isinstance(row, str | Mapping) or not isinstance(row, Iterable) for row in rows):
        raise InputError(
            _("The hierarchy of '{name}' cannot be of type {kind}.").format(
                name=name, kind=type(given).__name__
            ),
            hint=_("Give a Hierarchy, a builder, the path of a file, or rows of a value and its labels."),
            column=name,
        )
    return AttributeHierarchy(Hierarchy.from_rows([[str(label) for label in row] for row in rows]))


def _node(project: Project, node: Mapping[str, int] | Sequence[int] | None) -> Node | None:
    if node is None:
        return None
    if not isinstance(node, Mapping):
        levels = tuple(listed(node))
    elif set(node) == set(project.qi_order):
        levels = tuple(node[name] for name in project.qi_order)
    else:
        levels = ()
    are_whole = all(isinstance(level, int | np.integer) for level in levels)
    if len(levels) != len(project.qi_order) or not are_whole:
        raise InputError(
            _("The node does not have a level for each quasi-identifying column."),
            hint=_("The columns are {names}.").format(names=", ".join(project.qi_order)),
        )
    return levels


def _released(
    frame: Frame, project: Project, release: Release, records: IntArray | None, *, keep_index: bool
) -> Any:
    """Return the release as a DataFrame of the kind that came in, in the order of the written file."""
    rows = release.rows()
    if project.transformation.shuffle:
        start = start_of(project.records, project.transformation.seed)
        rows = rows[drawn_order(len(rows), start_for_rows(start))]
    places = np.arange(project.table.n_records) if records is None else records
    if project.subset is not None:
        places = places[records_of(project.subset, project.table)]
    blank = release.suppressed[rows] & (release.cells == BLANK)
    columns: dict[str, Cells] = {}
    for column in release.columns:
        original = project.records.column(column.name)
        place = {label: code for code, label in enumerate(original.labels)}
        own = np.array([place.get(label, -1) for label in column.labels], dtype=np.int32)
        codes = original.codes[rows]
        holds_texts = original.data_type.kind in (Kind.TEXT, Kind.ORDERED)
        is_empty = blank & (not holds_texts)  # such a column has no value where others have `*`
        is_own = project.table is frame.table or _are_equal(frame.table.column(column.name), original, places)
        if is_own and np.array_equal(np.where(is_empty, codes, own[column.codes[rows]]), codes):
            # Equal cells become one: a frame, but no file, distinguishes 1 from 1.0 and 0.0 from -0.0.
            first = np.zeros(len(original.labels), dtype=np.int64)
            first[codes[::-1]] = places[rows[::-1]]
            columns[column.name] = np.where(is_empty, -1, first[codes])
            continue
        missing = original.labels[-1] if original.has_missing else None
        labels = tuple(None if label == missing else label for label in column.labels)
        columns[column.name] = Texts(labels, column.codes[rows])
    return frame.released(columns, places[rows] if keep_index else None)


def _are_equal(given: Column, read: Column, places: IntArray) -> bool:
    """Return whether the records at places of a given column have the texts that were read of them."""
    texts = np.array(["" if own == given.missing_label else own for own in given.labels], dtype=object)
    own = np.array(["" if own == read.missing_label else own for own in read.labels], dtype=object)
    return bool((texts[given.codes[places]] == own[read.codes]).all())


def suggest_roles(data: Any, monitor: Monitor = SILENT) -> tuple[RoleSuggestion, ...]:
    """Suggest a role for every column of a table, with its confidence and reason."""
    return suggestions_for(as_table(data), monitor)


def suggest_hierarchies(
    data: Any, columns: str | Sequence[str] | None = None, monitor: Monitor = SILENT
) -> dict[str, Hierarchy]:
    """Suggest hierarchies by the types and values of columns.

    Parameters
    ----------
    columns : str or sequence of str, optional
        All by default. Together, their lattice has at most 100,000 nodes if that can be reached.
    """
    table = as_table(data)
    names = table.names if columns is None else names_of(columns)
    for name in names:
        table.column(name)
    project = Project("", None, ReadOptions(), table)
    project = set_roles(project, names, Role.QUASI_IDENTIFYING)
    project = set_roles(project, [n for n in table.names if n not in names], Role.INSENSITIVE)
    found = with_suggested(project, monitor).hierarchies
    return {name: found[name].hierarchy for name in names}


def with_suggested(project: Project, monitor: Monitor = SILENT) -> Project:
    """Return a project whose quasi-identifying columns without a hierarchy have the suggested one."""
    asked = replace(project, requirement=Requirement((KAnonymity(),)))  # proposals do not depend on it
    found = first_settings(asked, monitor).project.hierarchies
    return set_hierarchies(project, {name: found[name] for name in project.quasi_identifying})
