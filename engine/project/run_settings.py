"""An applied release: its node and values, and the settings it was made with, stored as text."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from types import MappingProxyType
from typing import Any

import numpy as np

from engine.errors import InputError, ProjectFileError
from engine.frequency import Problem
from engine.hierarchies import Hierarchy
from engine.monitor import SILENT, Monitor
from engine.project.compile import objective_of
from engine.project.deciding import decided_to_json
from engine.project.edits import set_column
from engine.project.pins_and_runs import Choice, ProjectState, Run
from engine.project.project import AttributeHierarchy, Project
from engine.project.storage.file import (
    FORMAT,
    NAMES_INSENSITIVE,
    build_project,
    hierarchy_text,
    members_of,
    parse_recipe,
)
from engine.project.storage.members import POPULATION, RECIPE, SUBSET, TABLE, Members, hierarchy_members
from engine.recoding import Recoding, Release
from engine.recoding.base import recoded_records
from engine.records import Table, retype
from engine.records.options import ReadOptions
from engine.utility import utility_metrics
from engine.utility.recoded import RecodedRecords
from engine.words import N_, _

MOST = 1 << 20  # characters; beyond this, only the basic settings of a run are stored
MOST_OF_ALL = 16 << 20  # characters of all runs together, far below the limit of a project file
_NAME = N_("the run history")
_OF_THE_TABLE = ("name", "source", "options", "table", "database")
_DECIDED = tuple(field.name for field in fields(Project) if field.name not in _OF_THE_TABLE)
_ROLES_OF = ("format", "without_role", "decided_by", "others", "sampling_key")
_COLUMNS, _FORMAT, _DIGESTS = "columns", "format", "digests"


def settings_of(project: Project) -> str:
    """Return all decisions of the user, without the records; empty if they are too large to store."""
    alone = replace(project, requirement=replace(project.requirement, earlier=None))  # it is of the project
    held = members_of(alone, ProjectState(), lambda _table: b"", hierarchy_text, SILENT)
    kept: dict[str, Any] = {
        name: data.decode("utf-8") for name, data in held.items() if name == RECIPE or name.endswith(".csv")
    }
    kept[_COLUMNS] = list(project.table.names)
    kept |= decided_to_json(project)
    kept[_FORMAT] = FORMAT
    if project.sampling_key:  # only for project files, as the table is: the same records are drawn again
        kept["sampling_key"] = project.sampling_key
    kept[_DIGESTS] = {name: _digest(table) for name, table in _further_tables(project).items()}
    text = json.dumps(kept, ensure_ascii=False, sort_keys=True)
    return text if len(text) <= MOST else ""


def with_settings(project: Project, settings: str, monitor: Monitor = SILENT) -> Project:
    """Give a project the settings of an earlier release; table, name and file stay.

    Raises
    ------
    InputError
        The settings were not stored, or the table, the population table or the rows of the subset have
        changed since.
    """
    kept = _read(settings)
    if kept.get(_COLUMNS) != list(project.table.names):
        raise InputError(
            _("The columns of the table have changed since this release was made."),
            hint=_("Adopt its settings instead, or open an earlier copy of the project."),
        )
    members = _SavedSettings(kept, project)
    recipe = parse_recipe(members, _(_NAME))
    about = {name: part for name, part in kept.items() if name in _ROLES_OF}
    about.setdefault(_FORMAT, NAMES_INSENSITIVE - 1)
    built = build_project(recipe, about, members, _(_NAME), monitor)
    now = project
    for column in project.table.columns:
        wanted = built.options.types.get(column.name)
        if wanted is not None and wanted != column.data_type:
            now = set_column(now, retype(column, wanted))
    there = {name: getattr(built, name) for name in _DECIDED}
    there["requirement"] = replace(built.requirement, earlier=project.requirement.earlier)
    there["hierarchies"] = _same_where_equal(built.hierarchies, project.hierarchies)
    if project.transformation.with_paths(lambda _key: None) == built.transformation:
        there["transformation"] = project.transformation
    # Equal parts stay the same objects, so that others see what must be compiled again.
    return replace(now, **{name: part for name, part in there.items() if part != getattr(now, name)})


def thinned(runs: Sequence[Run]) -> tuple[Run, ...]:
    """Keep the settings of as many runs as there is room for: pinned ones first, then the latest."""
    room, kept = MOST_OF_ALL, set()
    for number in sorted(range(len(runs)), key=lambda n: (runs[n].is_pinned, n), reverse=True):
        room -= len(runs[number].settings)
        if room < 0:
            break
        kept.add(number)
    return tuple(
        run if number in kept or not run.settings else replace(run, settings="")
        for number, run in enumerate(runs)
    )


def _read(settings: str) -> dict[str, Any]:
    try:
        kept = json.loads(settings)
    except (ValueError, RecursionError):
        kept = None
    if not isinstance(kept, dict):
        raise InputError(
            _("The settings of this release were not stored."),
            hint=_("Adopt the known settings: privacy models, suppression limit and metric."),
        )
    return kept


class _SavedSettings(Members):
    """Members that a stored recipe names: hierarchies as text, tables as the project has them now."""

    judges_choices = True

    def __init__(self, kept: Mapping[str, Any], project: Project) -> None:
        super().__init__(self._text_of, _(_NAME))
        self._kept = kept
        self._project = project
        self._digests = kept.get(_DIGESTS)
        self._names = hierarchy_members(project.table.names)

    def _text_of(self, name: str) -> bytes:
        text = self._kept.get(name)
        if not isinstance(text, str):
            raise ProjectFileError(_("The run history does not contain '{name}'.").format(name=name))
        return text.encode("utf-8")

    def _from_files(self, options: ReadOptions, monitor: Monitor) -> tuple[Table, ReadOptions]:
        return self._project.table, options

    def _table(self, name: str, options: ReadOptions) -> Table:
        if name == TABLE:
            return self._project.table
        found = _further_tables(self._project).get(name)
        digests = self._digests if isinstance(self._digests, dict) else {}
        if found is None or digests.get(name) != _digest(found):
            raise InputError(
                _("This release was made with an additional table that the project no longer has."),
                hint=_("Add it again in Configure, then restore the release."),
            )
        return found


def _further_tables(project: Project) -> dict[str, Table]:
    """Return the additional tables, by their names in a project file."""
    population, subset = project.population, project.subset
    found = {
        POPULATION: None if population is None else population.table,
        SUBSET: None if subset is None else subset.rows,
    }
    return {name: table for name, table in found.items() if table is not None}


def _digest(table: Table) -> str:
    """Return a checksum of a table by its names and cells, however its columns are typed."""
    whole = hashlib.sha256(json.dumps(table.names).encode("ascii"))
    for column in table.columns if table.n_records else ():
        cells = [hashlib.sha256(label.encode("utf-8", "surrogatepass")).digest() for label in column.labels]
        if column.has_missing:
            cells[-1] = bytes(hashlib.sha256().digest_size)
        numbers = np.frombuffer(b"".join(cells), dtype="V32")
        whole.update(numbers[column.codes].tobytes())
    return whole.hexdigest()


def _same_where_equal(
    then: Mapping[str, AttributeHierarchy], now: Mapping[str, AttributeHierarchy]
) -> Mapping[str, AttributeHierarchy]:
    """Return the earlier hierarchies, or equal current ones, so that nothing is compiled again."""
    found = {}
    for column, entry in then.items():
        other = now.get(column)
        if other is not None and _is_same(entry.hierarchy, other.hierarchy):
            levels = (entry.min_level, entry.max_level)
            is_equal = levels == (other.min_level, other.max_level)
            entry = other if is_equal else replace(other, min_level=levels[0], max_level=levels[1])
        found[column] = entry
    return MappingProxyType(found)


def _is_same(one: Hierarchy, other: Hierarchy) -> bool:
    if one is other:
        return True
    return one.level_names == other.level_names and hierarchy_text(one) == hierarchy_text(other)


def choice_of(project: Project, problem: Problem, release: Release) -> Choice:
    """Return the node of a release with the settings it was made with."""
    return Choice(problem.names, release.node, release.requirement, project.search.metric)


def records_of(project: Project, problem: Problem, release: Release) -> RecodedRecords:
    """Return what metrics see of a release, whether of a node or of a recoding."""
    recoding = release.recoding
    if recoding is None:
        assert release.node is not None, "what is no recoding is a node"
        recoding = Recoding.of_node(release.node, release.suppressed)
    return recoded_records(release.problem, recoding, release.requirement.k, objective_of(project, problem))


def run_of(project: Project, problem: Problem, release: Release, made_at: str) -> Run:
    """Measure a release: its classes, l and t of every sensitive column, and the values of metrics.

    Slow metrics are omitted, except that of the project.

    Parameters
    ----------
    project : Project
        Project that the release was made with.
    made_at : str
        See `Run`.
    """
    records = records_of(project, problem, release)
    figures: dict[str, float | None] = {
        "records": release.n_records,
        "suppressed": release.n_suppressed,
        "classes": release.n_classes,
        "k": release.k,
    }
    figures |= {f"l.{column}": value for column, value in release.l.items()}
    figures |= {f"t.{column}": value for column, value in release.t.items()}
    for key, kind in utility_metrics.items():
        is_known = problem.target is not None or not kind.needs_target
        if key == project.search.metric or (is_known and not kind.costly):
            value = float(records.metric(key)[0])
            figures[key] = value if math.isfinite(value) else None
    choice = choice_of(project, problem, release)
    return Run(choice, made_at, figures, release.method, settings=settings_of(project))
