"""Privacy models measured on a finished table."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.errors import InputError, nearest
from engine.findings.blocks import Figure, FigureColumn, FigureTable
from engine.findings.given_table import GivenTable, given_table
from engine.findings.known_columns import KnownGroups, known_groups
from engine.findings.not_assessed import NotAssessed, not_assessed
from engine.findings.risk.of_table import n_people_of, people_by_class
from engine.frequency.counted import Noun
from engine.frequency.measured import MeasuredClasses
from engine.frequency.population import PopulationMembers
from engine.hierarchies import Hierarchy
from engine.monitor import SILENT, Monitor, with_progress
from engine.notebook import Facts
from engine.params import Choice, describe, values_of
from engine.privacy import Group, PrivacyModel, privacy_models
from engine.privacy.measured_text import parameters_text, titled, value_text
from engine.privacy.required import Measured
from engine.privacy.table_wide import TableFigures, TableWideModel
from engine.privacy.values import MeasuredModel, measured_models
from engine.records import Role, Table
from engine.records.column_selection import by_value
from engine.records.opening.data_frames import AnyTable, as_table
from engine.records.plan import PlannedColumn, PlannedSuppression, ReleasePlan
from engine.records.stored import refuse_cut
from engine.words import _

if TYPE_CHECKING:
    from engine.recoding.unchanged import UnchangedColumns

_DISTANCES = ("equal", "ordered", "hierarchical")


@dataclass(frozen=True)
class CheckReport(Measured):
    """Values of every privacy model that needs only a table.

    Attributes
    ----------
    n_records, n_classes : int
        Number of assessed records, and of their equivalence classes.
    models : tuple of MeasuredModel
        One per model, the worst over all sensitive columns.
    by_attribute : mapping of str to tuple of MeasuredModel
        The same for each sensitive column alone.
    further : tuple of MeasuredModel
        Values of the risk models, and of the population models if the population is known; one per
        estimator.
    persons : mapping of str to int or str
        With a person column, for which every model counts persons: `column`, `count` of distinct persons,
        `k` over persons, `k_records` over records, and `records_without_person`, counted as one person.
        Empty otherwise.
    attackers : tuple of KnownGroups
        Groups by the columns that single attackers know, as requested; then those by any m columns.
    not_assessed : NotAssessed or None
        Columns of the table that were not named, with those that may identify people; None if there are none.
    blank_rows : int
        Rows with `*` in all columns, which are suppressed records without a cell; they are left out.
    n_suppressed : int
        Records whose quasi-identifying cells are all `*`.
    """

    n_records: int
    n_classes: int
    quasi_identifying: tuple[str, ...]
    sensitive: tuple[str, ...]
    models: tuple[MeasuredModel, ...]
    by_attribute: Mapping[str, tuple[MeasuredModel, ...]]
    further: tuple[MeasuredModel, ...] = ()
    persons: Mapping[str, int | str] = field(default_factory=dict)
    attackers: tuple[KnownGroups, ...] = ()
    not_assessed: NotAssessed | None = None
    blank_rows: int = 0
    n_suppressed: int = 0

    def further_values(self) -> Mapping[str, int]:
        """Return the numbers of records and classes."""
        return {"records": self.n_records, "classes": self.n_classes, "suppressed": self.n_suppressed}

    def totals(self) -> Mapping[str, int]:
        """Return the number of records that suppressed ones are some of."""
        return {"suppressed": self.n_records}

    def _facts(self) -> Facts:
        facts = [("records", str(self.n_records)), ("classes", str(self.n_classes))]
        facts += [(model.key, model.words) for model in self.models if model.value is not None]
        return [*facts, ("not assessed", self.not_assessed.sentence() if self.not_assessed else "")]

    def __getitem__(self, key: str) -> MeasuredModel:
        """Return the value of a model by its key, such as "t_closeness", over all sensitive columns."""
        measured = (*self.models, *self.further)
        found = next((model for model in measured if model.key == key), None)
        if found is None:
            hint = nearest(key, [model.key for model in measured])
            raise InputError(_("'{key}' is not a measured model.").format(key=key), hint=hint, key=key)
        return found

    @property
    def k(self) -> int:
        """Size of the smallest class in records, or in persons with a person column."""
        return int(self["k_anonymity"].value or 0)

    def table(self, counted: Noun) -> FigureTable:
        """Return the value of every model over all sensitive columns, and for each if there are several."""
        several = tuple(self.by_attribute) if len(self.by_attribute) > 1 else ()
        rows: list[tuple[Figure, ...]] = []
        for place, model in enumerate((*self.models, *self.weighted)):
            own: list[Figure] = []
            for name in several:
                alone = self.by_attribute[name][place] if place < len(self.models) else None
                own.append(None if alone is None or not alone.column else _worded(alone, model))
            rows.append((model.key, titled(model, counted), value_text(model), *own, _explained(model)))
        columns = (
            FigureColumn("key", _("Key"), is_listed=False),
            FigureColumn("model", _("Model")),
            FigureColumn(
                "value", _("Value"), "", _("The worst value over all classes and sensitive columns")
            ),
            *(
                FigureColumn(name, name, "", _("The value for {name} only").format(name=name))
                for name in several
            ),
            FigureColumn("meaning", _("Meaning")),
        )
        return FigureTable("models", _("Privacy models"), columns, rows)

    def as_dict(self) -> dict[str, Any]:
        """Return the report as `anonymizer check --format json` prints it.

        An unbounded value is the word "inf", a missing value None.
        """
        return {
            **_by_key(self.models),
            "by_attribute": {column: _by_key(models) for column, models in self.by_attribute.items()},
            **({"persons": dict(self.persons)} if self.persons else {}),
            **_by_key(self.weighted),
            "blank_rows": self.blank_rows,
            **({"attackers": [own.as_dict() for own in self.attackers]} if self.attackers else {}),
            **({"not_assessed": self.not_assessed.as_dict()} if self.not_assessed else {}),
        }

    @property
    def weighted(self) -> tuple[MeasuredModel, ...]:
        """Values of the models that read survey weights; none without weights."""
        return tuple(
            model
            for model in self.further
            if privacy_models.create(model.key, **model.reported).needs_weights
        )


def _worded(alone: MeasuredModel, worst: MeasuredModel) -> str:
    """Return the value of a column, with its parameters if they differ from those of the worst one."""
    parameters = parameters_text(alone)
    is_other = parameters != parameters_text(worst) and alone.value is not None
    return f"{value_text(alone)} ({parameters})" if is_other else value_text(alone)


def _explained(model: MeasuredModel) -> str:
    """Return what a model means, after the reason why its value is missing or without limit."""
    reason = ""
    if model.value is None:
        reason = _("Requires a sensitive column.")
        if model.column:
            reason = _("Undefined: a class has only one sensitive value.")
    elif math.isinf(model.value):
        reason = _("No threshold is met: in a class, a value gains without limit or is absent.")
    return f"{reason} {model.kind.summary}".strip()


@with_progress
def check(
    data: AnyTable,
    quasi_identifying: str | Sequence[str],
    sensitive: str | Sequence[str] = (),
    *,
    others_as_qi: bool = False,
    leave_out_suppressed: bool = False,
    drop_missing: bool = False,
    distances: Mapping[str, str] | None = None,
    hierarchies: Mapping[str, Hierarchy | Path | str] | None = None,
    population: float | AnyTable | None = None,
    reference: AnyTable | None = None,
    person: str = "",
    weight: str = "",
    known: Sequence[Sequence[str]] = (),
    any_columns: int = 0,
    monitor: Monitor = SILENT,
    progress: bool = False,
) -> CheckReport:
    """Measure a table, original or anonymized by any program; hierarchies are not needed.

    Parameters
    ----------
    data : Table, DataFrame, Path or str
        A table or its file. The index of a DataFrame is ignored.
    quasi_identifying : str or sequence of str
        Columns that an attacker could know.
    sensitive : str or sequence of str
        Columns to protect. Without any, only k exists.
    others_as_qi : bool
        With several sensitive columns: whether the others count as quasi-identifying when one is
        measured. k remains that of the quasi-identifying columns.
    leave_out_suppressed : bool
        Exclude records whose quasi-identifying cells are all `*`. Otherwise they are ordinary records
        and form one class.
    drop_missing : bool
        Exclude records with a missing quasi-identifying cell. Otherwise missing is an ordinary value,
        as it always is in sensitive columns.
    distances : mapping of str to str, optional
        Distance of t-closeness by sensitive column: "equal", all values equally far; "ordered",
        adjacent values close; "hierarchical", values of one group close. By default ordered for
        numbers, dates, booleans and ordered categories without missing values, else equal.
    hierarchies : mapping of str to Hierarchy, Path or str, optional
        Hierarchies of sensitive columns, or their files, for the hierarchical distance.
    population : number, Table, DataFrame, Path or str, optional
        Population: its size, or its table with the same columns and labels. Used by the population
        models in `CheckReport.further`.
    reference : Table, DataFrame, Path or str, optional
        Table with whose distribution of sensitive values t-closeness, beta-likeness and delta-disclosure
        compare, such as the original of a release without its suppressed records; by default this table.
    person : str
        Column whose values are persons, compared as texts; the missing value is one person. Every model
        then counts persons: class sizes are numbers of distinct persons, and all persons have equal
        weight in distributions. Empty if every record is another person.
    weight : str
        Numeric column with the people of the population whom each record stands for, for the models in
        `CheckReport.weighted`. Empty without survey weights.
    known : sequence of sequences of str
        Sets of quasi-identifying columns, each known to one attacker; for `CheckReport.attackers`.
    any_columns : int
        Also measure the worst set of this number of quasi-identifying columns; 0 for none.

    Raises
    ------
    TableError, HierarchyError
        The table or a hierarchy cannot be read, or the table lacks a column.
    InputError
        No quasi-identifying column is given, one is given twice or with both roles, no record remains,
        or a distance is unknown or meaningless for its column, such as hierarchical without hierarchy.

    Notes
    -----
    Rows with `*` in all columns are left out; those with `*` in the quasi-identifying ones are a class.
    Classes are the records equal in all quasi-identifying columns; equal numbers in different notation,
    such as 1 and 1.0, are equal. A model's value is that of the class furthest from meeting it, by the
    definitions in the papers that the models name: entropy l is the real e^H; c is the number that
    (c, l)-diversity must exceed at the measured distinct l; beta of enhanced likeness is inf if a value
    exceeds its cap; delta, a natural logarithm, is inf if a value is absent from a class.
    `engine.compat` has the values of other libraries.

    Examples
    --------
    >>> import pandas as pd
    >>> people = pd.DataFrame({
    ...     "age": ["30-39", "30-39", "40-49", "40-49"],
    ...     "sex": ["f", "f", "m", "m"],
    ...     "illness": ["flu", "asthma", "flu", "flu"],
    ... })
    >>> report = check(people, ["age", "sex"], "illness")
    >>> report.k, report["distinct_l_diversity"].value, report["t_closeness"].as_dict()
    (2, 1, {'t': 0.25, 'distance': 'equal'})
    """
    given = given_table(
        data,
        quasi_identifying,
        sensitive,
        leave_out_suppressed=leave_out_suppressed,
        drop_missing=drop_missing,
        hierarchies=hierarchies,
        person=person,
        others_as_qi=others_as_qi,
        weight=weight,
        reference=reference,
        monitor=monitor,
    )
    if population is not None and not isinstance(population, int | float):
        population = as_table(population, monitor)
    return check_given(
        given,
        distances=distances,
        population=population,
        known=known,
        any_columns=any_columns,
        monitor=monitor,
    )


def check_given(
    given: GivenTable,
    *,
    distances: Mapping[str, str] | None = None,
    population: float | Table | None = None,
    known: Sequence[Sequence[str]] = (),
    any_columns: int = 0,
    monitor: Monitor = SILENT,
) -> CheckReport:
    """Measure a given table; see `check`. Progress is reported after every model."""
    _check_distances(given, distances or {})
    given = given.count(monitor)
    classes = given.classes.measured
    columns = {name: given.classes_for(name).measured for name in given.sensitive}
    return CheckReport(
        given.n_records,
        len(classes.sizes),
        given.quasi_identifying,
        given.sensitive,
        measured_models(classes, columns, distances, monitor),
        {name: measured_models(classes, {name: own}, distances, monitor) for name, own in columns.items()},
        further_models(given, population),
        given.persons_as_dict() if given.person else {},
        known_groups(given, known, any_columns, monitor),
        not_assessed(given, monitor),
        given.n_blank,
        given.n_suppressed,
    )


def _check_distances(given: GivenTable, distances: Mapping[str, str]) -> None:
    """Raise `InputError` for distances that are unknown, or not possible for their column."""
    attributes = {attribute.name: attribute for attribute in given.attributes}
    for column, distance in distances.items():
        if column not in attributes:
            raise InputError(
                _("A distance is given for '{column}', which is not a sensitive column.").format(
                    column=column
                ),
                hint=nearest(column, attributes),
                column=column,
            )
        if distance not in _DISTANCES:
            raise InputError(
                _("Unknown distance '{distance}'.").format(distance=distance),
                hint=nearest(distance, _DISTANCES),
                column=column,
            )
        reason = attributes[column].why_not(distance)
        if reason:
            raise InputError(reason, column=column)


def _by_key(models: Sequence[MeasuredModel]) -> dict[str, Any]:
    return {model.key: model.as_dict() for model in models}


def further_models(given: GivenTable, population: float | Table | None = None) -> tuple[MeasuredModel, ...]:
    """Measure the risk models, and the population models if the population or weights are known.

    Parameters
    ----------
    population : number or Table, optional
        Population size, or population table with the labels of the given table.

    Returns
    -------
    tuple of MeasuredModel
        One per model and estimator; without a value if it cannot be computed.

    Raises
    ------
    InputError
        The population is smaller than the table.
    """
    everybody, people = None, None
    if isinstance(population, Table):
        everybody = population
        people = float(n_people_of(given, everybody))
    elif population is not None:
        people = float(population)
    known = given.classes.measured
    classes = MeasuredClasses(
        known.records,
        given.carried,
        lambda number: known.pairs(given.carried[number].name),
        population=None if everybody is None else lambda: people_by_class(given, everybody),
        sampling_fraction=None if people is None else PopulationMembers(people).fraction(given.n_people),
        sizes=known.sizes,
        persons=known.persons,
    )
    has_weights = len(given.carried) > len(given.attributes)
    return tuple(
        MeasuredModel(type(model), _value(model, classes, people), _reported(model))
        for kind in privacy_models.values()
        if kind.group in (Group.RISK, Group.POPULATION)
        for model in _variants(kind)
        if (everybody is not None or not model.needs_members)
        and (people is not None or not model.needs_people)
        and (has_weights or not model.needs_weights)
    )


def _variants(kind: type[PrivacyModel]) -> Iterator[PrivacyModel]:
    """Return a model with its defaults, once per estimator."""
    choice = next((d for d in describe(kind) if isinstance(d, Choice)), None)
    if choice is None:
        yield kind()
    else:
        for option, _unused in choice.options:
            yield kind(**{choice.name: option})


def _reported(model: PrivacyModel) -> dict[str, Any]:
    """Return the parameters other than the measured one."""
    return {name: value for name, value in values_of(model).items() if name != model.threshold_name}


def _value(model: PrivacyModel, classes: MeasuredClasses, people: float | None) -> int | float | None:
    if not isinstance(model, TableWideModel):
        return model.worst(classes)
    figure = float(model.figures(TableFigures.of(classes, people), np.ones(1, dtype=np.bool_))[0])
    return figure if math.isfinite(figure) else None


def given_unchanged(given: GivenTable, names: Sequence[str], monitor: Monitor = SILENT) -> UnchangedColumns:
    """Count the records that columns single out, alone, together and with the quasi-identifiers.

    Parameters
    ----------
    names : sequence of str
        Columns that were released unchanged; they may be sensitive.

    Returns
    -------
    UnchangedColumns
        Without dependencies, since the original values of the labels are unknown.

    Raises
    ------
    TableError
        If a column does not exist, or has more values than are listed.
    InputError
        If a column is given twice, or is quasi-identifying.
    """
    whole = given.origin or given
    for place, name in enumerate(names):
        whole.table.column(name)
        if name in given.quasi_identifying or name in names[:place]:
            problem = (
                _("The unchanged column '{name}' is also listed as quasi-identifying.")
                if name in given.quasi_identifying
                else _("The unchanged column '{name}' is listed twice.")
            )
            raise InputError(
                problem.format(name=name),
                hint=_("List it once."),
                column=name,
            )
    if whole.is_large:
        return _unchanged_in_files(given, whole, names, monitor)
    table = by_value(given.in_memory(_("Counting records of unchanged columns"), names).table, names)
    return _counted(given, table, names, None, monitor)


def _unchanged_in_files(
    given: GivenTable, whole: GivenTable, names: Sequence[str], monitor: Monitor
) -> UnchangedColumns:
    """Count what `given_unchanged` does of records that are not read into memory, block by block."""
    table, tuples = by_value(whole.table, names), whole.count(monitor).table
    for name in names:
        refuse_cut(table.column(name))
    own = [table.column(name) for name in given.quasi_identifying]
    left_out = np.ones(tuples.n_rows, dtype=np.bool_)
    left_out[slice(None) if given.rows is None else given.rows] = False
    suppressed = PlannedSuppression(
        given.quasi_identifying,
        tuple(np.arange(len(column.labels), dtype=np.int32) for column in own),
        tuple(len(column.labels) for column in own),
        tuple(tuples.column(column.name).codes[left_out] for column in own),
        are_kept=False,
    )
    return _counted(given, table, names, suppressed if left_out.any() else None, monitor)


def _counted(
    given: GivenTable,
    table: Table,
    names: Sequence[str],
    suppressed: PlannedSuppression | None,
    monitor: Monitor,
) -> UnchangedColumns:
    """Count records that are written unchanged, except suppressed ones."""
    from engine.recoding.written import PlannedRecords

    person = given.person or None
    roles = dict.fromkeys(names, Role.INSENSITIVE)
    roles |= dict.fromkeys(given.quasi_identifying, Role.QUASI_IDENTIFYING)
    planned = tuple(
        PlannedColumn(own.name, roles[own.name], own.labels, np.arange(len(own.labels), dtype=np.int32))
        for own in table.columns
        if own.name in roles
    )
    needed = tuple(column for column in table.columns if column.name in roles or column.name == person)
    plan = ReleasePlan(planned, suppressed, removes=True, person=person)
    return PlannedRecords(plan, Table(needed)).count_unchanged(monitor)
