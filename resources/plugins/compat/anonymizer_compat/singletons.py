"""The singleton program of isislab-unisa (2020): its groups of years, and its local recoding in turns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from engine.compat import OtherProgram
from engine.errors import InputError
from engine.hierarchies import Hierarchy
from engine.hierarchies.builders.base import HierarchyBuilder
from engine.hierarchies.builders.grouping import GroupingBuilder
from engine.hierarchies.hierarchy import SUPPRESSED
from engine.kernels.arrays import Codes
from engine.monitor import SILENT, Monitor
from engine.recoding import singleton_variants as by_definition
from engine.recoding.singleton_variants import Choice, SingletonStudy, SingletonTable, Ways
from engine.records import Column
from engine.records.column_selection import chosen_columns, without_missing
from engine.records.opening.data_frames import AnyTable, as_table

GROUP = 4  # distinct years; the paper says "at least k rows"


def representative(n_values: int) -> int:
    """Place of the value that the program calls the mean of a group, counted from 0.

    Element 2 of 4, 1 of 3, 0 of 2 or 1: half the size if that half is even, else the half rounded
    down from half a place before.
    """
    half = n_values / 2
    return int(half) if half % 2 == 0 else int(half - 0.5)


def year_groups(column: Column, n_values: int = GROUP, label: str = "range") -> Hierarchy:
    """Return groups of `size` distinct values as the program makes them.

    Parameters
    ----------
    column : Column
        In the order of its type; years in theirs.
    n_values : int
        Values per group; the last group may have fewer.
    label : str
        "range" for the first and last value as the program prints them, (1908, '/', 1911); "mean" for its
        `representative`.
    """
    ordered = column.known_labels
    rows = []
    for place, value in enumerate(ordered):
        start = place - place % n_values
        group = ordered[start : start + n_values]
        text = group[representative(len(group))] if label == "mean" else f"({group[0]}, '/', {group[-1]})"
        rows.append((value, text, SUPPRESSED))
    if column.missing_label is not None:
        rows.append((column.missing_label, column.missing_label, SUPPRESSED))
    return Hierarchy.from_rows(rows)


def in_turn(table: SingletonTable, choice: Choice) -> list[Codes]:
    """The texts of a local variant as the program makes it: one column after the other.

    For every column it looks for the records that read like a singleton of the original table. Records
    changed for an earlier column read so no longer, and are not found: only records whose
    coarse label is written like the value, or that now read like another person's singleton, are.
    """
    texts = list(table.original)
    wanted = _rows(table.original)[table.singled]
    for column, way in choice:
        is_found = _are_among(_rows(texts), wanted)
        texts[column] = np.where(is_found, table.coarse[column][way], texts[column])
    return texts


def singleton_variants(
    data: AnyTable,
    columns: Sequence[str] | str | None = None,
    ways: Ways | None = None,
    *,
    scope: str = "both",
    max_columns: int | None = None,
    monitor: Monitor = SILENT,
) -> SingletonStudy:
    """The study of a table as the program makes it; records with a missing cell are always left out.

    Columns are coarsened locally in the order they are named. Groups of a number of values are the
    program's, see `year_groups`; it has no groups of a number of records.

    Parameters
    ----------
    data, columns, ways, scope, max_columns, monitor
        As `engine.recoding.singleton_variants.singleton_variants` has them.

    Raises
    ------
    TableError, HierarchyError, InputError, ParameterError, CancelledError
        As there; or groups are asked for that the program does not have.
    """
    table = as_table(data, monitor)
    known = {column.name: column for column in without_missing(chosen_columns(table, columns))}
    own = {
        name: {way: _of_the_program(known[name], made) for way, made in entries.items()}
        if name in known
        else entries
        for name, entries in (ways or {}).items()
    }
    return by_definition.singleton_variants(
        table,
        columns,
        own,
        scope=scope,
        max_columns=max_columns,
        drop_missing=True,
        local=in_turn,
        monitor=monitor,
    )


def _of_the_program(column: Column, made: Hierarchy | HierarchyBuilder) -> Hierarchy | HierarchyBuilder:
    if not isinstance(made, GroupingBuilder):
        return made
    if made != replace(GroupingBuilder(), sizes=made.sizes, label=made.label) or len(made.sizes) != 1:
        raise InputError(
            "The singleton program groups only by a number of values, on one level.",
            hint="Use groups such as values=4, or omit --compat.",
            column=column.name,
        )
    return year_groups(column, made.sizes[0], made.label)


def _rows(texts: Sequence[Codes]) -> Codes:
    """One row per combination."""
    return np.column_stack(texts)


def _are_among(rows: Codes, wanted: Codes) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    both = np.concatenate((wanted, rows))
    _, labels = np.unique(both, axis=0, return_inverse=True)
    labels = labels.reshape(-1)
    return np.isin(labels[len(wanted) :], labels[: len(wanted)])


PROGRAM = OtherProgram(singletons=singleton_variants)
