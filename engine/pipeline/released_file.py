"""What a file shows that was released from the table of a project, here or elsewhere."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from engine.errors import InputError
from engine.hierarchies.hierarchy import SUPPRESSED
from engine.kernels.arrays import BoolArray, IntArray
from engine.monitor import SILENT, Monitor
from engine.pipeline.judging import nodes_of
from engine.project import Project
from engine.project.compile import compile_problem
from engine.project.ledger.attackers import ABSENT, GROUP
from engine.project.ledger.snapshot import Snapshot, classes_by_text, contents_of, is_unchanged
from engine.recoding.ruled import rule_context, rule_of
from engine.recoding.transformation import BLANK, KEPT, REMOVED
from engine.records import Column, Role
from engine.records.formats import has_types
from engine.records.opening import open_table
from engine.records.options import JUDGED
from engine.records.programs.statistical_writing import variable_names
from engine.words import _


def snapshot_of_file(project: Project, path: Path, monitor: Monitor = SILENT) -> Snapshot:
    """Return what a file shows that was released from a project's table, here or elsewhere.

    Records are found in it by a code or record key, else by their order, else by their labels.

    Raises
    ------
    TableError
        It cannot be read.
    InputError
        Its rows cannot be matched with the records of the table.
    """
    columns = _file_columns(project, path, monitor)
    names = [name for name in project.table.names if name in columns and is_unchanged(project, name)]
    qi = [columns[name] for name in project.quasi_identifying if name in columns]
    if not qi:
        raise InputError(
            _("'{name}' has none of the quasi-identifying columns of the recipe.").format(name=path.name),
            hint=_("Give a file that was released from the table of the recipe."),
        )
    row_classes = classes_by_text([(column.labels, column.codes) for column in qi])
    blank = _blank_rows(path, list(columns.values()))
    if blank.any():
        row_classes[~blank & (row_classes == GROUP)] = row_classes.max() + 1
    places, node = _matched(project, path, columns, names, row_classes)
    classes = np.where(places == ABSENT, ABSENT, row_classes[places])
    shown = [(columns[name].labels, columns[name].codes[~blank]) for name in names]
    values, tails, rows = contents_of(shown, row_classes[~blank])
    n_missing = int((places == ABSENT).sum())
    way = BLANK if blank.any() else KEPT if (row_classes == GROUP).any() else REMOVED if n_missing else KEPT
    present = np.flatnonzero(places != ABSENT)
    is_ordered = np.array_equal(classes[present], row_classes)
    is_ordered = is_ordered and _same_order(project, columns, names, blank, present)
    codes = tuple(
        rule_of(project, name).key  # type: ignore[union-attr]  # identifying columns have a rule
        for name in project.identifying
        if name in columns and len({*columns[name].labels} - {SUPPRESSED}) > 1
    )
    return Snapshot(classes, tuple(names), values, tails, rows, node, way, not is_ordered, codes)


def _blank_rows(path: Path, columns: Sequence[Column]) -> BoolArray:
    """Return the rows with `*` in every column, or nothing in one whose type holds no text."""
    blank = np.ones(columns[0].n_rows, dtype=np.bool_)
    some = np.zeros(columns[0].n_rows, dtype=np.bool_)
    for column in columns:
        star = np.array([label == SUPPRESSED for label in column.labels])[column.codes]
        holds_no_text = has_types(path) and not np.isnan(column.numbers).all()
        empty = column.codes == len(column.labels) - 1 if column.has_missing and holds_no_text else star
        blank &= star | empty
        some |= star
    return blank & some


def _file_columns(project: Project, path: Path, monitor: Monitor) -> dict[str, Column]:
    """Return the columns of a file by the names of the table."""
    reading = replace(JUDGED, missing=project.options.missing)
    table = open_table(path, reading, monitor).table
    if table.home is not None:
        raise InputError(
            _("'{name}' is too large to be joined with other releases.").format(name=path.name),
            hint=_("Add the release where it fits into memory."),
        )
    names = project.table.names
    known = dict(zip(variable_names(names, path.suffix.lower()[1:]), names, strict=True))
    return {known.get(column.name, column.name): column for column in table.columns}


def _matched(
    project: Project,
    path: Path,
    columns: Mapping[str, Column],
    names: Sequence[str],
    row_classes: IntArray,
) -> tuple[IntArray, tuple[int, ...] | None]:
    """Return a row of the class of each record, `ABSENT` if it is not in the file; and the node, if known."""
    n_rows, n_records = len(row_classes), project.records.n_records
    # A key does not tell which of the rows of a person is which record, but their labels do.
    has_several = project.person and len(project.records.column(project.person).labels) < n_records
    by_key = _matched_by_key(project, columns)
    if by_key is not None and not has_several:
        return by_key, None
    found = _matched_by_labels(project, columns, row_classes)
    if found is not None:
        return found
    if by_key is not None:
        return by_key, None
    blank = _blank_rows(path, list(columns.values()))
    if n_rows == n_records and not _is_reordered(project, columns, names, blank):
        return np.arange(n_rows, dtype=np.int64), None
    raise InputError(
        _("The rows of '{name}' cannot be matched with the records of the table.").format(name=path.name),
        hint=_("Name the recipe and the table that it was released from, or keep a code of each record."),
    )


def _texts(column: Column) -> Any:
    return np.array(column.labels, dtype=object)[column.codes]


def _same_order(
    project: Project,
    columns: Mapping[str, Column],
    names: Sequence[str],
    blank: BoolArray,
    records: IntArray,
) -> bool:
    """Return whether rows have the unchanged cells of these records, one after the other."""
    if len(records) != len(blank):
        return False
    return all(
        bool((blank | (_texts(columns[name]) == _texts(project.records.column(name))[records])).all())
        for name in names
    )


def _is_reordered(
    project: Project, columns: Mapping[str, Column], names: Sequence[str], blank: BoolArray
) -> bool:
    """Return whether rows have unchanged cells of the records, but in another order."""
    if not names or _same_order(project, columns, names, blank, np.arange(len(blank))):
        return False
    cells = np.stack([_texts(columns[name]) for name in names], axis=1)[~blank].tolist()
    own = zip(*(_texts(project.records.column(name)).tolist() for name in names), strict=True)
    return Counter(map(tuple, cells)) <= Counter(own)


def _matched_by_key(project: Project, columns: Mapping[str, Column]) -> IntArray | None:
    """Return the row of each record by a code that left, or a key; None without one of every record."""
    for original in project.columns_of(Role.IDENTIFYING):
        file, rule = columns.get(original.name), project.transformation.identifier_rule(original.name)
        if file is None:
            continue
        for written in (rule.apply(original, rule_context(project)), (original.labels, original.codes)):
            if written is None or len(written[0]) < len(original.labels):
                continue
            rows: dict[str, list[int]] = {}
            for row, text in reversed(list(enumerate(_texts(file)))):
                rows.setdefault(text, []).append(row)
            rows.pop(SUPPRESSED, None)
            texts = [written[0][code] for code in written[1].tolist()]
            places = np.array([rows[t].pop() if rows.get(t) else ABSENT for t in texts], dtype=np.int64)
            if (places != ABSENT).any() and not any(rows.values()):
                return places
    return None


def _matched_by_labels(
    project: Project, columns: Mapping[str, Column], row_classes: IntArray
) -> tuple[IntArray, tuple[int, ...]] | None:
    """Return a row of the class of each record, if the levels of one node explain all rows, and the node."""
    if project.recoding is not None:
        return None
    problem = compile_problem(project)
    attributes = [(a, columns.get(a.name)) for a in problem.attributes]
    stars = np.flatnonzero(row_classes == GROUP)
    first: dict[tuple[str, ...], int] = {}
    for row, labels in enumerate(zip(*(_texts(c) for _a, c in attributes if c is not None), strict=True)):
        first.setdefault(labels, row)
    for node in nodes_of(problem, columns):
        parts = []
        for (attribute, column), g in zip(attributes, node, strict=True):
            level = attribute.hierarchy.levels[g]
            if column is not None:
                parts.append(np.array(level.labels, dtype=object)[level.codes[attribute.leaves]])
        wanted = list(zip(*parts, strict=True))
        found = np.array([first.get(labels, ABSENT) for labels in wanted], dtype=np.int64)
        hidden = found == ABSENT
        if len(stars):
            found[hidden] = stars[0]
        rows = np.bincount(row_classes, minlength=1)
        records = np.bincount(row_classes[found[found != ABSENT]], minlength=len(rows))
        if np.array_equal(rows, records):
            return found, node
    return None
