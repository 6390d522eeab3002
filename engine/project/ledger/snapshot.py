"""What a release shows: the class of each record of the table, and the rows of each class."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from engine.errors import InputError
from engine.hierarchies.hierarchy import SUPPRESSED
from engine.kernels.arrays import IntArray
from engine.kernels.grouping import class_labels
from engine.params import values_of
from engine.project.ledger.attackers import ABSENT, GROUP, ClassTails
from engine.project.ledger.ledger_file import VARY, Coder, Entry, Ledger, file_digest
from engine.project.project import Project
from engine.recoding import Release
from engine.recoding.ruled import rule_of
from engine.recoding.transformation import KEPT, REMOVED, RULED
from engine.records import Role
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
    classes = classes_by_text([(column.labels, column.codes) for column in qi])
    shown = np.ones(len(classes), dtype=np.bool_)
    if release.n_suppressed and release.cells != KEPT:
        shown = ~release.suppressed
        classes[shown & (classes == GROUP)] = classes.max() + 1
        classes[~shown] = ABSENT if release.cells == REMOVED else GROUP
    columns = [project.records.column(name) for name in names]
    values, tails, rows = contents_of([(c.labels, c.codes[shown]) for c in columns], classes[shown])
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


def entry_of(
    project: Project, snapshot: Snapshot, ledger: Ledger, file: Path, recipe: str, join: str
) -> Entry:
    """Return a release as the ledger keeps it.

    Parameters
    ----------
    file : Path
        The released file.
    recipe : str
        SHA-256 of the recipe of the project.
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


def _recipe_facts(project: Project, recipe: str, coder: Coder) -> Mapping[str, Any]:
    """Return what the ledger keeps of a recipe: nothing that can be a label or a name."""
    models = []
    for model in project.requirement.models:
        own = {name: value for name, value in values_of(model).items() if isinstance(value, int | float)}
        models.append({"model": model.key, **own, "columns": [coder.name(name) for name in model.columns]})
    limit, metric = project.requirement.suppression_limit, project.search.metric
    return {"file": recipe, "models": models, "suppression_limit": limit, "metric": metric}


def classes_by_text(columns: Sequence[tuple[tuple[str, ...], Any]]) -> IntArray:
    """Return the class of rows by their texts, numbered from 1 on; `GROUP` if all are `*`."""
    spans = [max(len(labels), 1) for labels, _codes_ in columns]
    classes = class_labels([codes for _labels, codes in columns], spans)[0] + 1
    stars = np.ones(len(classes), dtype=np.bool_)
    for labels, codes in columns:
        stars &= np.array([label == SUPPRESSED for label in labels] or [True])[codes]
    return np.where(stars, GROUP, classes)


def contents_of(
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
