"""Find and replace: values of a column and its hierarchy change together, and the project remembers it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

import numpy as np

from engine.errors import AnonymizerError, InputError, TableError
from engine.filters import Among, Condition
from engine.hierarchies.builders.base import Around
from engine.hierarchies.editing import replace_leaves
from engine.monitor import SILENT, Monitor
from engine.project.population import with_people
from engine.project.project import AttributeHierarchy, Project, frozen
from engine.project.subset import records_of
from engine.table import Column, DataType, Kind, Table
from engine.table.filtering import read_filter
from engine.table.options import Replacement
from engine.table.values import exact_number, make_column
from engine.words import _

_PIECE = 10_000  # values between two looks at the monitor
_STAGES = 3  # the column, the tables beside it, the hierarchy


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
    column = project.table.column(name)
    pattern = re.compile(re.escape(needle), 0 if case else re.IGNORECASE)
    changes: dict[str, str | None] = {}
    labels = column.labels[:-1] if column.has_missing else column.labels
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
    project : Project
    column : str
    changes : mapping of str to str or None
        What each value becomes, all at once; None for missing, and so for a text that is read as missing.
    monitor : Monitor

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
            _("Missing cells of '{name}' cannot be replaced.").format(name=column.name),
            hint=_("Nothing is known of them; a hierarchy says where they belong."),
            column=column.name,
        )
    if not tokens and any(not new for new in changes.values()):
        raise InputError(
            _("Nothing is read as missing in '{name}', so no value can become missing.").format(
                name=column.name
            ),
            hint=_("Let empty cells be read as missing when the table is opened."),
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


def _beside(
    before: Project, made: Project, name: str, changes: Mapping[str, str | None], tokens: tuple[str, ...]
) -> Project:
    """The project with the values changed too where records are looked for by them, and people counted."""
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
    """A table beside the records after the change; the same one where it has none of the values."""
    if name not in table.names:
        return table
    column = table.column(name)
    own = {old: changes[old] for old in column.labels if old in changes and old != column.missing_label}
    if not own:
        return table
    try:
        return table.replace_column(_replaced(column, own, tokens))
    except TableError:  # read by itself, it may look like another type; texts are what is compared
        return table.replace_column(_replaced(replace(column, data_type=DataType()), own, tokens))


def _check_released(before: Project, after: Project, name: str) -> None:
    """Refuse a change after which the rows of the subset stand for other records, as where values merge."""
    assert before.subset is not None
    assert after.subset is not None
    try:
        chosen = records_of(before.subset, before.table)
    except InputError:
        return  # they stand for none now, which is said elsewhere
    if not np.array_equal(chosen, records_of(after.subset, after.table)):
        raise InputError(
            _("After this, the rows of the subset would stand for other records than now."),
            hint=_("Release all records first, replace, and choose the subset anew."),
            column=name,
        )


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
                    _("'{value}' and '{change}' would take each other's place.").format(
                        value=value, change=changes[value]
                    ),
                    hint=_("Replace one of them by a text that does not occur first."),
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
            hierarchy = entry.builder.build(with_people(column, project.population), Around(project.table))
            made = replace(entry, hierarchy=hierarchy, path=None)
        except InputError:  # as where it reads a file that is gone, or looked at a column that is no more
            made = None
    if made is None:
        hierarchy = replace_leaves(entry.hierarchy, changes)
        made = replace(entry, hierarchy=hierarchy, path=None, builder=None)
    height = made.hierarchy.height
    top = None if made.max_level is None else min(made.max_level, height)
    return replace(made, min_level=min(made.min_level, made.top_level, height), max_level=top)
