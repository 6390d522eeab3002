"""Find and replace: values change in a column and its hierarchy, and the replacement is stored."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

import numpy as np

from engine.errors import AnonymizerError, InputError, TableError
from engine.filters import Condition, OneOf
from engine.hierarchies.builders.base import BuilderContext
from engine.hierarchies.editing import replace_leaves
from engine.monitor import SILENT, Monitor
from engine.project.population import with_people
from engine.project.project import AttributeHierarchy, Project, frozen
from engine.project.subset import records_of
from engine.records import Column, DataType, Kind, Table
from engine.records.filtering import read_filter
from engine.records.options import Replacement
from engine.records.values import exact_number, recoded
from engine.words import _

_PIECE = 10_000  # values between two checks of the monitor
_STAGES = 3  # the column, the other tables, the hierarchy


@dataclass(frozen=True)
class Matches:
    """The values that contain a text, and their replacements.

    Attributes
    ----------
    changes : mapping of str to str or None
        New text of each value; None for missing. Values that do not change are omitted.
    n_cells : int
        Number of records whose value changes.
    n_merged : int
        Number of values that become equal to an existing value or to another changed one.
    """

    changes: Mapping[str, str | None]
    n_cells: int
    n_merged: int

    @property
    def n_missing(self) -> int:
        """Number of values that become missing."""
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
    name : str
        Name of the column.
    needle, new : str
        Text to find, and its replacement.
    whole : bool
        Whether the text must be the complete value.
    case : bool
        Whether upper and lower case are distinguished.
    """
    column = project.table.column(name)
    pattern = re.compile(re.escape(needle), 0 if case else re.IGNORECASE)
    changes: dict[str, str | None] = {}
    labels = column.known_labels
    tokens = _tokens(project, name)
    for done, label in enumerate(labels):
        if not done % _PIECE:
            monitor.step(done, len(labels), _("Finding"))
        if not needle or (pattern.fullmatch(label) if whole else pattern.search(label)) is None:
            continue
        made = pattern.sub(lambda _match: new, label)
        if made != label:
            changes[label] = None if made in tokens else made
    monitor.step(len(labels), len(labels), _("Finding"))
    changed = np.fromiter((label in changes for label in column.labels), np.bool_, len(column.labels))
    stays = {label for label in column.labels if label not in changes}
    made_of = Counter(made for made in changes.values() if made is not None)
    n_merged = sum(n for made, n in made_of.items() if made in stays or n > 1)
    return Matches(changes, int(column.counts[changed].sum()), n_merged)


def replace_values(
    project: Project, column: str, changes: Mapping[str, str | None], monitor: Monitor = SILENT
) -> Project:
    """Replace values of a column, in the table and its hierarchy together.

    Parameters
    ----------
    changes : mapping of str to str or None
        New text of each value, all at once; None for missing, and so for a text that is read as missing.

    Returns
    -------
    Project
        A hierarchy that was built from the column is built again; in any other a value takes its new name in
        its place, or is removed if it becomes equal to an existing one. The replacements are stored with the
        reading options, so that the file, and next month's, give the same. Filters do not change; see
        `filters_that_name`.

    Raises
    ------
    InputError
        A value would become empty although nothing is read as missing, is the missing value, or values would
        be swapped.
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
    monitor.step(0, _STAGES, _("Replacing"))
    after = _replaced(before, wanted, tokens)
    monitor.step(1, _STAGES, _("Replacing"))
    steps = tuple(Replacement(column, old, wanted[old]) for old in _in_turn(wanted))
    options = replace(
        project.options,
        types=frozen(dict(project.options.types) | {column: after.data_type}),
        replacements=(*project.options.replacements, *steps),
    )
    made = replace(project, table=project.table.replace_column(after), options=options)
    made = _beside(project, made, column, wanted, tokens)
    monitor.step(2, _STAGES, _("Replacing"))
    entry = project.hierarchies.get(column)
    if entry is None:
        return made
    return replace(
        made, hierarchies=frozen(dict(project.hierarchies) | {column: _followed(entry, made, column, wanted)})
    )


def filters_that_name(project: Project, column: str, values: Iterable[str]) -> tuple[str, ...]:
    """Return the filters that compare a column with some values, and so change their meaning."""
    if project.subset is None or not project.subset.filter:
        return ()
    data_type, texts = project.table.column(column).data_type, set(values)
    numbers = {exact_number(text, data_type) for text in texts} if data_type.is_numeric else set()
    try:
        conditions = read_filter(project.table, project.subset.filter).conditions
    except AnonymizerError:
        return ()  # it cannot be read now, which is reported elsewhere
    for leaf in conditions:
        compared: tuple[Decimal | str, ...] = ()
        if isinstance(leaf, Condition):
            compared = (leaf.value,)
        elif isinstance(leaf, OneOf):
            compared = leaf.values
        if leaf.name == column and any(value in texts or value in numbers for value in compared):
            return (project.subset.filter,)
    return ()


def _tokens(project: Project, column: str) -> tuple[str, ...]:
    """Return the texts read as missing in a column, the one that is written first."""
    found = (*project.options.missing, *project.options.column_missing.get(column, ()))
    missing = project.table.column(column).missing_label
    return found if missing is None or missing in found else (missing, *found)


def _check(column: Column, changes: Mapping[str, str | None], tokens: tuple[str, ...]) -> None:
    if column.missing_label in changes:
        raise InputError(
            _("Missing cells of '{name}' cannot be replaced.").format(name=column.name),
            hint=_("Assign them to a group in the hierarchy instead."),
            column=column.name,
        )
    if not tokens and any(not new for new in changes.values()):
        raise InputError(
            _("Values of '{name}' cannot become missing, because no missing tokens are set.").format(
                name=column.name
            ),
            hint=_("Open the table again and read empty cells as missing."),
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
    return recoded(column, list(index), recode, data_type, missing)


def _beside(
    before: Project, made: Project, name: str, changes: Mapping[str, str | None], tokens: tuple[str, ...]
) -> Project:
    """Return the project with the values changed in its other tables too, which are matched by them."""
    population, subset = made.population, made.subset
    if population is not None and population.table is not None:
        people = _with_changes(population.table, name, changes, tokens)
        if people is not population.table:
            made = replace(made, population=replace(population, table=people, path=None))
    if subset is not None and subset.rows is not None and name in subset.rows.names:
        rows = _with_changes(subset.rows, name, changes, tokens)
        if rows is not subset.rows:
            made = replace(made, subset=replace(subset, rows=rows, path=None))
        _check_released(before, made, name)
    return made


def _with_changes(
    table: Table, name: str, changes: Mapping[str, str | None], tokens: tuple[str, ...]
) -> Table:
    """Return another table after the change; the same one if it has none of the values."""
    if name not in table.names:
        return table
    column = table.column(name)
    own = {old: changes[old] for old in column.labels if old in changes and old != column.missing_label}
    if not own:
        return table
    try:
        return table.replace_column(_replaced(column, own, tokens))
    except TableError:  # read on its own it may have another type; only its texts are compared
        return table.replace_column(_replaced(replace(column, data_type=DataType()), own, tokens))


def _check_released(before: Project, after: Project, name: str) -> None:
    """Refuse a change after which the rows of the subset match other records, as if values merge."""
    assert before.subset is not None
    assert after.subset is not None
    try:
        chosen = records_of(before.subset, before.table)
    except InputError:
        return  # they match no records now, which is reported elsewhere
    if not np.array_equal(chosen, records_of(after.subset, after.table)):
        raise InputError(
            _("After this change, the rows of the subset would match other records."),
            hint=_("Release all records first, replace the values, then choose the subset again."),
            column=name,
        )


def _categories(values: Sequence[str], changes: Mapping[str, str | None]) -> tuple[str, ...]:
    """Return the categories in order; if several become one, the one that had the name keeps its place."""
    stays = {value for value in values if value not in changes}
    made = [changes.get(value, value) for value in values]
    chosen = [
        new
        for value, new in zip(values, made, strict=True)
        if new is not None and (value not in changes or new not in stays)
    ]
    return tuple(dict.fromkeys(chosen))


def _in_turn(changes: Mapping[str, str | None]) -> list[str]:
    """Return values in an order in which replacing them one by one gives the same as all at once.

    Raises
    ------
    InputError
        There is none, because values would be swapped.
    """
    order: list[str] = []
    for start in changes:
        chain = []
        value: str | None = start
        while value is not None and value in changes and value not in order:
            if value in chain:
                raise InputError(
                    _("'{value}' and '{new}' would be swapped.").format(value=value, new=changes[value]),
                    hint=_("First replace one of them with a text that does not occur."),
                )
            chain.append(value)
            value = changes[value]
        order += reversed(chain)
    return order


def _followed(
    entry: AttributeHierarchy, project: Project, name: str, changes: Mapping[str, str | None]
) -> AttributeHierarchy:
    """Return the hierarchy after the values have changed."""
    column = project.table.column(name)
    made = None
    if entry.builder is not None:
        try:
            hierarchy = entry.builder.build(
                with_people(column, project.population), BuilderContext(project.table)
            )
            if hierarchy.height == entry.hierarchy.height:
                hierarchy = hierarchy.with_level_names(entry.hierarchy.level_names)
            made = replace(entry, hierarchy=hierarchy, path=None)
        except InputError:  # for example if it reads a missing file, or looks at a removed column
            made = None
    if made is None:
        hierarchy = replace_leaves(entry.hierarchy, changes)
        made = replace(entry, hierarchy=hierarchy, path=None, builder=None)
    height = made.hierarchy.height
    top = None if made.max_level is None else min(made.max_level, height)
    return replace(made, min_level=min(made.min_level, made.top_level, height), max_level=top)
