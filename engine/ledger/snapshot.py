"""What a release shows: the class of each record of the table, and the rows of each class."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from engine.errors import InputError
from engine.hierarchies.hierarchy import SUPPRESSED
from engine.kernels.arrays import BoolArray, IntArray
from engine.kernels.grouping import class_labels
from engine.ledger.attackers import ABSENT, GROUP, ClassTails
from engine.ledger.ledger_file import VARY, Coder, Entry, Ledger, file_digest
from engine.monitor import SILENT, Monitor
from engine.params import values_of
from engine.pipeline.judging import nodes_of
from engine.project import Project
from engine.project.compile import compile_problem
from engine.recoding import Release
from engine.recoding.ruled import rule_context, rule_of
from engine.recoding.transformation import BLANK, KEPT, REMOVED, RULED
from engine.records import Column, Role
from engine.records.formats import has_types
from engine.records.opening import open_table
from engine.records.options import JUDGED
from engine.records.programs.statistical_writing import variable_names
from engine.words import _

PUBLIC = "public"


@dataclass(frozen=True, eq=False)
class Snapshot:
    """What a release shows.

    Attributes
    ----------
    classes : ndarray of int64, shape (n_records,)
        Class of each record of the table: `GROUP` if it is one of the rows with `*` in all quasi-identifying
        columns, `ABSENT` if it is not in the file.
    names : tuple of str
        Columns that leave unchanged.
    values : tuple of tuple of str
        Their distinct texts.
    tails : ndarray of int64, shape (n_tails, n_columns)
        Texts that occur together, by place in `values`.
    rows : ClassTails
        All rows that show their tail.
    node : tuple of int or None
        None if levels vary.
    codes : tuple of str
        Keys of the rules by which identifying columns leave as codes.
    """

    classes: IntArray
    names: tuple[str, ...]
    values: tuple[tuple[str, ...], ...]
    tails: IntArray
    rows: ClassTails
    node: tuple[int, ...] | None
    way: str
    shuffled: bool
    codes: tuple[str, ...]


def snapshot_of_release(project: Project, release: Release) -> Snapshot:
    """Return what a release of a project's table shows."""
    names = [column.name for column in release.columns if is_unchanged(project, column.name)]
    own = {column.name: column for column in release.columns}
    qi = [own[name] for name in release.problem.names]
    classes = _classes_by_text([(column.labels, column.codes) for column in qi])
    shown = np.ones(len(classes), dtype=np.bool_)
    if release.n_suppressed and release.cells != KEPT:
        shown = ~release.suppressed
        classes[shown & (classes == GROUP)] = classes.max() + 1
        classes[~shown] = ABSENT if release.cells == REMOVED else GROUP
    columns = [project.records.column(name) for name in names]
    values, tails, rows = _contents([(c.labels, c.codes[shown]) for c in columns], classes[shown])
    return Snapshot(
        classes,
        tuple(names),
        values,
        tails,
        rows,
        None if release.recoding is not None else release.node,
        release.cells,
        release.transformation.shuffle,
        _codes(project, [column.name for column in release.columns]),
    )


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
    row_classes = _classes_by_text([(column.labels, column.codes) for column in qi])
    blank = _blank_rows(path, list(columns.values()))
    if blank.any():
        row_classes[~blank & (row_classes == GROUP)] = row_classes.max() + 1
    places, node = _matched(project, path, columns, names, row_classes)
    classes = np.where(places == ABSENT, ABSENT, row_classes[places])
    shown = [(columns[name].labels, columns[name].codes[~blank]) for name in names]
    values, tails, rows = _contents(shown, row_classes[~blank])
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


def entry_of(
    project: Project, snapshot: Snapshot, ledger: Ledger, file: Path, recipe: Path, join: str
) -> Entry:
    """Return a release as the ledger keeps it.

    Parameters
    ----------
    file, recipe : Path
        The released file, and the recipe of the project.
    join : str
        Column that records are joined by; empty for their order.
    """
    coder, classes = ledger.coder, snapshot.classes
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    time = datetime.fromtimestamp(int(epoch), UTC) if epoch else datetime.now(UTC)
    people: list[str] | None = None
    if join:
        column = project.records.column(join)
        codes = coder.codes(join, column.labels)
        people = [codes[place] for place in column.codes.tolist()]
    rows = snapshot.rows
    return Entry(
        ledger.next_number,
        time.isoformat(timespec="seconds"),
        "",
        PUBLIC,
        "" if project.file is None else file_digest(project.file),
        file_digest(file),
        _recipe_facts(project, recipe, coder),
        VARY if snapshot.node is None else list(snapshot.node),
        snapshot.way,
        snapshot.shuffled,
        list(snapshot.codes),
        coder.name(join) if join else "",
        people,
        [None if own == ABSENT else own for own in classes.tolist()],
        [coder.name(name) for name in snapshot.names],
        [coder.codes(name, own) for name, own in zip(snapshot.names, snapshot.values, strict=True)],
        snapshot.tails.tolist(),
        np.stack((rows.classes, rows.tails, rows.counts), axis=1).tolist(),
    )


def join_column(project: Project, ledger: Ledger) -> str:
    """Return the column that records are joined by: persons, else a record key; empty for their order.

    A record key is an identifying column without equal or missing values; first one that the ledger has used.

    Raises
    ------
    InputError
        The records are a subset without either.
    """
    if project.person is not None:
        return project.person
    columns = project.columns_of(Role.IDENTIFYING)
    keys = [c.name for c in columns if not c.has_missing and len(c.labels) == project.records.n_records]
    used = {entry.joined_by for entry in ledger.entries}
    known = [column.name for column in columns if ledger.coder.name(column.name) in used]
    found = next(iter([*known, *keys]), "")
    if not found and project.subset is not None:
        raise InputError(
            _("Without a key, releases are joined by the order of the table, and a subset has none."),
            hint=_("Name a person column, or give an identifying column without equal values."),
        )
    return found


def is_unchanged(project: Project, name: str) -> bool:
    """Return whether a column leaves with its values as they are."""
    return project.role(name) in RULED and rule_of(project, name) is None


def refuse_elsewhere(project: Project) -> None:
    """Raise `InputError` if the records are not in memory, where releases can be joined."""
    if project.records.home is not None:
        raise InputError(
            _("A release ledger needs the records in memory; those of this table are elsewhere."),
            hint=_("Read the table into memory, or release it without a ledger."),
        )


def _recipe_facts(project: Project, recipe: Path, coder: Coder) -> Mapping[str, Any]:
    """Return what the ledger keeps of a recipe: nothing that can be a label or a name."""
    models = []
    for model in project.requirement.models:
        own = {name: value for name, value in values_of(model).items() if isinstance(value, int | float)}
        models.append({"model": model.key, **own, "columns": [coder.name(name) for name in model.columns]})
    limit, metric = project.requirement.suppression_limit, project.search.metric
    return {"file": file_digest(recipe), "models": models, "suppression_limit": limit, "metric": metric}


def _classes_by_text(columns: Sequence[tuple[tuple[str, ...], Any]]) -> IntArray:
    """Return the class of rows by their texts, numbered from 1 on; `GROUP` if all are `*`."""
    spans = [max(len(labels), 1) for labels, _codes_ in columns]
    classes = class_labels([codes for _labels, codes in columns], spans)[0] + 1
    stars = np.ones(len(classes), dtype=np.bool_)
    for labels, codes in columns:
        stars &= np.array([label == SUPPRESSED for label in labels] or [True])[codes]
    return np.where(stars, GROUP, classes)


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


def _contents(
    columns: Sequence[tuple[tuple[str, ...], Any]], classes: IntArray
) -> tuple[tuple[tuple[str, ...], ...], IntArray, ClassTails]:
    """Return the distinct texts of columns, those that occur together, and the rows of each class."""
    if not columns:
        return (), np.zeros((1, 0), dtype=np.int64), ClassTails.of_rows(classes, np.zeros_like(classes))
    used = [np.unique(codes, return_inverse=True) for _labels, codes in columns]
    values = tuple(
        tuple(labels[place] for place in places.tolist())
        for (labels, _codes_), (places, _own) in zip(columns, used, strict=True)
    )
    matrix = np.stack([own for _places, own in used], axis=1).astype(np.int64)
    tails, first, _sizes = class_labels(list(matrix.T), [max(len(own), 1) for own in values])
    return values, matrix[first], ClassTails.of_rows(classes, tails)


def _codes(project: Project, released: Sequence[str]) -> tuple[str, ...]:
    """Return the keys of the rules by which identifying columns leave with codes that differ."""
    rules = [rule_of(project, name) for name in project.identifying if name in released]
    return tuple(rule.key for rule in rules if rule is not None and not rule.is_constant)


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
    by_key = _matched_by_key(project, columns)
    if by_key is not None:
        return by_key, None
    places, everybody = np.arange(n_rows, dtype=np.int64), np.arange(n_records)
    blank = _blank_rows(path, list(columns.values()))
    if n_rows == n_records and _same_order(project, columns, names, blank, everybody):
        return places, None
    found = _matched_by_labels(project, columns, row_classes)
    if found is not None:
        return found
    if n_rows == n_records:
        return places, None
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
