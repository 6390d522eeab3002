"""Find and replace: values of a column and its hierarchy change together, and the project remembers it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

import numpy as np

from engine.errors import AnonymizerError, HierarchyError, InputError
from engine.filters import Among, Condition
from engine.hierarchies.builders.base import Around
from engine.hierarchies.editing import replace_leaves
from engine.monitor import SILENT, Monitor
from engine.project.project import AttributeHierarchy, Project, frozen
from engine.table import Column, DataType, Kind
from engine.table.filtering import read_filter
from engine.table.reading import Replacement
from engine.table.values import exact_number, make_column


@dataclass(frozen=True)
class Matches:
    """The values that contain a text, and what they would become.

    Attributes
    ----------
    changes : mapping of str to str or None
        What each value becomes; None for missing. Values that stay as they are are left out.
    n_cells : int
        Records whose value changes.
    n_merged : int
        Values that become one that other records have already, or that another one becomes too.
    """

    changes: Mapping[str, str | None]
    n_cells: int
    n_merged: int

    @property
    def n_missing(self) -> int:
        """Values that become missing."""
        return sum(new is None for new in self.changes.values())


def find_matches(
    project: Project,
    name: str,
    needle: str,
    new: str,
    *,
    whole: bool = False,
    case: bool = False,
    monitor: Monitor = SILENT,
) -> Matches:
    """Find the values of a column that contain a text; the missing value is never one of them.

    Parameters
    ----------
    project : Project
    name : str
        The column.
    needle, new : str
        What is looked for, and what takes its place.
    whole : bool
        Whether the text must be all of the value.
    case : bool
        Whether capital and small letters differ.
    """
    monitor.step(0, 1, "Finding")
    column = project.table.column(name)
    pattern = re.compile(re.escape(needle), 0 if case else re.IGNORECASE)
    changes: dict[str, str | None] = {}
    for label in column.labels[:-1] if column.has_missing else column.labels:
        if not needle or (pattern.fullmatch(label) if whole else pattern.search(label)) is None:
            continue
        made = pattern.sub(lambda _match: new, label)
        if made != label:
            changes[label] = None if made in _tokens(project, name) else made
    changed = np.fromiter((label in changes for label in column.labels), np.bool_, len(column.labels))
    stays = {label for label in column.labels if label not in changes}
    made_of = Counter(made for made in changes.values() if made is not None)
    n_merged = sum(n for made, n in made_of.items() if made in stays or n > 1)
    return Matches(changes, int(column.counts[changed].sum()), n_merged)


def replace_values(project: Project, column: str, changes: Mapping[str, str | None]) -> Project:
    """Replace values of a column, in the table and its hierarchy together.

    Parameters
    ----------
    project : Project
    column : str
    changes : mapping of str to str or None
        What each value becomes, all at once; None for missing, and so for a text that is read as missing.

    Returns
    -------
    Project
        A hierarchy that was built from the column is built anew; in any other a value takes its new name in
        its place, and goes where it becomes one that is there already. The replacements are kept with how
        the table is read, so that the file and next month's give the same. Filters stay as they are; see
        `filters_that_name`.

    Raises
    ------
    InputError
        A value would become empty though nothing is read as missing, is the missing one, or values would
        take each other's place.
    TableError
        A new value does not fit the type of the column.
    """
    before = project.table.column(column)
    tokens = _tokens(project, column)
    wanted = {
        old: None if new is None or new in tokens else new for old, new in changes.items() if old != new
    }
    _check(before, wanted, tokens)
    if not wanted:
        return project
    after = _replaced(before, wanted, tokens)
    steps = tuple(Replacement(column, old, wanted[old]) for old in _in_turn(wanted))
    options = replace(
        project.options,
        types=frozen(dict(project.options.types) | {column: after.data_type}),
        replacements=(*project.options.replacements, *steps),
    )
    made = replace(project, table=project.table.replace_column(after), options=options)
    entry = project.hierarchies.get(column)
    if entry is None:
        return made
    return replace(
        made, hierarchies=frozen(dict(project.hierarchies) | {column: _followed(entry, made, column, wanted)})
    )


def filters_that_name(project: Project, column: str, values: Iterable[str]) -> tuple[str, ...]:
    """Return the filters that compare a column with one of some values, and so mean others after a change."""
    if project.subset is None or not project.subset.filter:
        return ()
    data_type, texts = project.table.column(column).data_type, set(values)
    numbers = {exact_number(text, data_type) for text in texts} if data_type.is_numeric else set()
    try:
        conditions = read_filter(project.table, project.subset.filter).conditions
    except AnonymizerError:
        return ()  # it cannot be read now, which is said elsewhere
    for leaf in conditions:
        compared: tuple[Decimal | str, ...] = ()
        if isinstance(leaf, Condition):
            compared = (leaf.value,)
        elif isinstance(leaf, Among):
            compared = leaf.values
        if leaf.name == column and any(value in texts or value in numbers for value in compared):
            return (project.subset.filter,)
    return ()


def _tokens(project: Project, column: str) -> tuple[str, ...]:
    """What is read as missing in a column, the text it is written as first."""
    found = (*project.options.missing, *project.options.column_missing.get(column, ()))
    missing = project.table.column(column).missing_label
    return found if missing is None or missing in found else (missing, *found)


def _check(column: Column, changes: Mapping[str, str | None], tokens: tuple[str, ...]) -> None:
    if column.missing_label in changes:
        raise InputError(
            f"Missing cells of '{column.name}' cannot be replaced.",
            hint="Nothing is known of them; a hierarchy says where they belong.",
            column=column.name,
        )
    if not tokens and any(not new for new in changes.values()):
        raise InputError(
            f"Nothing is read as missing in '{column.name}', so no value can become missing.",
            hint="Let empty cells be read as missing when the table is opened.",
            column=column.name,
        )


def _replaced(column: Column, changes: Mapping[str, str | None], tokens: tuple[str, ...]) -> Column:
    missing = column.missing_label if column.missing_label is not None else next(iter(tokens), None)
    texts = [missing or "" if (new := changes.get(label, label)) is None else new for label in column.labels]
    index: dict[str, int] = {}
    recode = np.fromiter((index.setdefault(text, len(index)) for text in texts), np.int32, len(texts))
    data_type = column.data_type
    if data_type.kind is Kind.ORDERED:
        data_type = DataType(Kind.ORDERED, data_type.format, _categories(data_type.values, changes))
    return make_column(column.name, list(index), recode[column.codes], data_type, missing)


def _categories(values: Sequence[str], changes: Mapping[str, str | None]) -> tuple[str, ...]:
    """The categories in their order; where several become one, that which had the name keeps its place."""
    stays = {value for value in values if value not in changes}
    made = [changes.get(value, value) for value in values]
    chosen = [
        new
        for value, new in zip(values, made, strict=True)
        if new is not None and (value not in changes or new not in stays)
    ]
    return tuple(dict.fromkeys(chosen))


def _in_turn(changes: Mapping[str, str | None]) -> list[str]:
    """Values in an order in which replacing one after the other gives the same as all at once.

    Raises
    ------
    InputError
        There is none, since values take each other's place.
    """
    order: list[str] = []
    for start in changes:
        chain = []
        value: str | None = start
        while value is not None and value in changes and value not in order:
            if value in chain:
                raise InputError(
                    f"'{value}' and '{changes[value]}' would take each other's place.",
                    hint="Replace one of them by a text that does not occur first.",
                )
            chain.append(value)
            value = changes[value]
        order += reversed(chain)
    return order


def _followed(
    entry: AttributeHierarchy, project: Project, name: str, changes: Mapping[str, str | None]
) -> AttributeHierarchy:
    """The hierarchy after the values have changed."""
    column = project.table.column(name)
    made = None
    if entry.builder is not None:
        try:
            hierarchy = entry.builder.build(column, Around(project.table))
            made = replace(entry, hierarchy=hierarchy, path=None)
        except HierarchyError:  # as where it reads a file that is gone
            made = None
    if made is None:
        hierarchy = replace_leaves(entry.hierarchy, changes)
        made = replace(entry, hierarchy=hierarchy, path=None, builder=None)
    height = made.hierarchy.height
    top = None if made.max_level is None else min(made.max_level, height)
    return replace(made, min_level=min(made.min_level, made.top_level, height), max_level=top)
