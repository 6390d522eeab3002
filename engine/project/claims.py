"""Claims about a release and its file, as plain values that the verifier reads."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any, get_args

import numpy as np

from engine.errors import InputError
from engine.filters import Condition, Missing, OneOf, ValueKind, parse
from engine.filters.conditions import Expression, Not
from engine.frequency import Problem
from engine.monitor import SILENT, Monitor
from engine.params import describe, plain_values_of, values_of
from engine.privacy import PrivacyModel, Requirement
from engine.project.population import Population, without_other_columns
from engine.project.project import Project
from engine.recoding import Release
from engine.recoding.ruled import rule_of
from engine.recoding.rules import ColumnRule
from engine.recoding.transformation import BLANK, Transformation
from engine.records import Column, Kind, Table
from engine.records.filtering import read_filter
from engine.records.formats import ending_of
from engine.records.opening.files import read_csv
from engine.records.opening.readers import reader_of
from engine.records.options import CODES, JSON_LINES, SPSS, STATA, ExportOptions, ReadOptions
from engine.records.places import cells_of_folders, has_column_folders
from engine.records.plan import WrittenColumn
from engine.records.programs.statistical_writing import description_of, variable_names
from engine.records.table_files import UNWRITABLE
from engine.records.text.writing import write_csv
from engine.records.values import DATE_FORMATS, decimal_mark, thousands_mark
from engine.verification.claims import (
    AggregateClaim,
    ColumnKind,
    Distance,
    Expected,
    ModelClaim,
    Reading,
    ReleaseClaim,
    RuleClaim,
    SingledOutClaim,
    SubsetClaim,
    TakenClaim,
    UnchangedClaim,
    ValueLabels,
)

_DISTANCES: dict[str, Distance] = {kind: kind for kind in get_args(Distance)}


def has_header(options: ExportOptions, reading: ReadOptions) -> bool:
    """Return whether a release has a line of names: as requested, or else as its input."""
    return (reading.header if options.header is None else options.header) is not False


def release_claim(
    project: Project,
    release: Release,
    original: Path,
    written: Path,
    asked: ExportOptions | None = None,
    *,
    is_copy: bool = False,
    monitor: Monitor = SILENT,
) -> ReleaseClaim:
    """Return what a written file must have, except for its population and subset.

    Parameters
    ----------
    project : Project
        Project that the release was made with.
    asked : ExportOptions, optional
        How the release was written, if not as the project says.
    is_copy : bool
        Whether the original is a CSV file written for verification, because the table has no file.
    monitor : Monitor
        Asked while counting what unchanged columns single out, if that was not counted before.
    """
    asked = asked or project.export
    options, problem, transformation = project.options, release.problem, release.transformation
    kept = release.n_records - release.n_suppressed
    read = _reading_of_original(project, original, is_copy=is_copy)
    names, labels = _typed_claims(project, release, asked)
    return ReleaseClaim(
        original=read,
        released=Reading(
            written,
            asked.delimiter or options.delimiter or ",",
            asked.text_encoding,
            has_header(asked, options),
            format=asked.kind,
            labels=replace(read.labels, catalog=None),
            safe_cells=asked.safe_cells,
            **names,
        ),
        expected=Expected(
            records=release.n_records,
            kept=kept,
            suppressed=release.n_suppressed,
            classes=release.n_classes,
            k=release.k,
            l=release.l,
            t=release.t,
            unchanged=_unchanged_claim(release, monitor),
            group=release.group_figures or {},
            **_expected_persons(release),
        ),
        quasi_identifying=problem.names,
        hierarchies={a.name: a.hierarchy.steps.rows() for a in problem.attributes}
        | _sensitive_hierarchies(problem),
        node=None if release.recoding is not None else release.levels,
        identifying=project.identifying,
        rules={
            name: _rule_claim(project, name, rule)
            for name in project.table.names
            if (rule := rule_of(project, name)) is not None
        },
        sensitive=tuple(attribute.name for attribute in problem.sensitive),
        models=tuple(_model_claim(release, model) for model in release.requirement.models),
        suppression_limit=_limit(release.requirement),
        satisfies=release.is_within,
        people="" if problem.people is None else repr(problem.people.size),
        suppressed_records="remove" if transformation.suppressed_records == "remove" else "star",
        blank_suppressed=release.cells == BLANK,
        suppressed_group=_asked_of_group(transformation),
        order_types={a.name: a.column.labels for a in problem.sensitive if not a.why_not_ordered},
        distances={name: _DISTANCES[kind] for name, kind in release.distances.items()},
        others_as_qi=problem.others_as_qi,
        aggregates=_aggregate_claims(release),
        shuffled=transformation.shuffle,
        seed=transformation.seed,
        originals=() if project.stored is None else project.stored.paths,
        # records in folders by a column have no order
        order="none"
        if has_column_folders(written)
        else "own"
        if project.remote is None
        else project.remote.order.value,
        **labels,
        **(_person_claims(release) | _weight_claims(release)),
    )


def _asked_of_group(transformation: Transformation) -> Any:
    """Return what decides whether suppressed records keep their other cells; empty if they do not anyway."""
    is_decided = transformation.suppressed_records == "remove" or transformation.blank_suppressed
    return "" if is_decided else transformation.suppressed_group


def _typed_claims(
    project: Project, release: Release, asked: ExportOptions
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what a file of typed cells does not show: names and texts for no value, and labels."""
    if asked.kind not in (SPSS, STATA, JSON_LINES):
        return {}, {}
    columns = written_columns(project, release)
    names = [column.name for column in columns]
    own = dict(zip(variable_names(names, asked.kind), columns, strict=True))
    of_cells = {
        "columns": {name: column.name for name, column in own.items()},
        "column_missing": {column.name: (column.missing,) for column in columns},
    }
    if asked.kind == JSON_LINES:
        return of_cells, {}
    return of_cells, {
        "released_labels": {
            name: (description_of(asked.kind, column, name),) for name, column in own.items()
        },
        "released_codes": {
            name: dict(column.coding.values.values())
            for name, column in own.items()
            if column.coding is not None
        },
    }


def written_columns(project: Project, release: Release) -> list[WrittenColumn]:
    """Return what writers of typed cells know of the columns of a release."""
    found = []
    for released in release.written.columns:
        own = project.table.column(released.name)
        missing = project.blank if own.missing_label is None else own.missing_label
        coding = own.coding
        if coding is not None and not _keeps_codes(project, release, own):
            coding = replace(coding, values={})
        found.append(WrittenColumn(own.name, own.data_type, missing, coding))
    return found


def _keeps_codes(project: Project, release: Release, column: Column) -> bool:
    """Return whether a released text that looks like a code is this code, so that its label fits.

    A mean of 2 or a rounded 10 may look like a code that means something else.
    """
    name = column.name
    if project.options.value_labels != CODES or column.coding is None:
        return True
    if name in release.aggregates or rule_of(project, name) is not None:
        return False
    known = column.coding.values
    rows = (row for a in release.problem.attributes if a.name == name for row in a.hierarchy.rows())
    return all(label == row[0] or label not in known for row in rows for label in row[1:])


def _rule_claim(project: Project, name: str, rule: ColumnRule) -> RuleClaim:
    """Return the rule of a column with the part of it that the files do not show."""
    column, entry = project.records.column(name), project.hierarchies.get(name)
    rows = entry.hierarchy.rows() if rule.key == "band" and entry is not None else []
    return RuleClaim(rule.key, plain_values_of(rule), column_kind(column), rows, rule.n_coded(column))


def _expected_persons(release: Release) -> dict[str, Any]:
    """Return the expected values of persons, if records belong to persons."""
    persons = release.persons
    if persons is None:
        return {}
    return {
        "persons": persons.n_persons,
        "affected_persons": persons.affected,
        "lost_persons": persons.lost,
        "k_records": persons.k_of_records,
        **({"chained": persons.chained_figures} if release.links.tell_persons_apart else {}),
    }


def _person_claims(release: Release) -> dict[str, Any]:
    """Return whose records they are, and the part of that which the file does not show."""
    persons, requirement = release.problem.persons, release.requirement
    if persons is None:
        return {}
    return {
        "person": persons.column,
        "limit_counts": requirement.limit_counts,
        "whole_persons": requirement.whole_persons,
        "are_linked": release.links.tell_persons_apart,
        **_kept_claims(release),
    }


def _weight_claims(release: Release) -> dict[str, Any]:
    """Return the weights that models read, and the part of them that the file does not show."""
    weight = release.problem.weight
    if weight is None or not any(model.needs_weights for model in release.requirement.models):
        return {}
    return {
        "weight": weight.column.name,
        "weight_kind": column_kind(weight.column),
        **_kept_claims(release),
    }


def _kept_claims(release: Release) -> dict[str, Any]:
    """Return the kept records, if the file does not show which these are."""
    is_visible = release.recoding is None or release.transformation.suppressed_records != "remove"
    return {"kept_records": None if is_visible else tuple(np.flatnonzero(~release.suppressed).tolist())}


def _reading_of_original(project: Project, original: Path, *, is_copy: bool) -> Reading:
    """Return how the original is read, or its copy that the program wrote."""
    options = project.options
    read = Reading(original) if is_copy else replace(_reading(original, options), trim=options.trim)
    if not is_copy and project.stored is not None and project.source is not None:
        read = replace(read, folders=len(cells_of_folders(project.source, original)))
    return replace(
        read, names=project.table.names, missing=options.missing, column_missing=options.column_missing
    )


def _reading(path: Path, options: ReadOptions) -> Reading:
    """Return how a file of a table is read, but for what cells mean."""
    is_text = ending_of(path) not in UNWRITABLE and reader_of(path) is None
    left_out = parse(options.leave_out, dict.fromkeys(options.types, ValueKind.TEXTS)).expression
    return Reading(
        path,
        options.delimiter or ",",
        options.encoding or ("utf-8" if is_text else ""),
        options.header is not False,
        sheet=options.sheet or "",
        quote='"' if options.quote is None else options.quote,
        comment=options.comment,
        skip=options.skip_lines,
        ragged=options.ragged,
        labels=ValueLabels(
            coded=options.value_labels == CODES,
            catalog=path.parent / options.catalog if options.catalog else None,
        ),
        taken=tuple(
            TakenClaim(own.source, own.name, (own.previous, own.next), own.occurrence) for own in options.take
        ),
        replacements=tuple((r.column, r.old, r.new) for r in options.replacements),
        forms=options.forms,
        leave_out=None if left_out is None else _condition(left_out),
        number_mark=options.decimal or ".",
    )


def _unchanged_claim(release: Release, monitor: Monitor) -> UnchangedClaim:
    counted = release.count_unchanged(monitor)
    of_one = counted.of_one_person
    is_complete = not release.written.compares_some
    return UnchangedClaim(
        **counted.counts(),
        of_one_person=None if of_one is None else SingledOutClaim(**of_one.counts()),
        determines={
            (found.column, found.determined): found.share for found in counted.determines if is_complete
        },
    )


def _aggregate_claims(release: Release) -> dict[str, AggregateClaim]:
    columns = {attribute.name: attribute.column for attribute in release.problem.attributes}
    return {
        name: AggregateClaim(
            function.key,
            column_kind(columns[name]),
            function.grouping,
            function.ignore_missing,
            values_of(function).get("decimals", 0),
        )
        for name, function in release.aggregates.items()
    }


def _sensitive_hierarchies(problem: Problem) -> dict[str, list[tuple[str, ...]]]:
    """Return the hierarchies that the hierarchical distance can compare by."""
    return {
        a.name: a.hierarchy.covering(a.column).rows()
        for a in problem.sensitive
        if a.hierarchy is not None and not a.why_not_hierarchical
    }


def _model_claim(release: Release, model: PrivacyModel) -> ModelClaim:
    problem, parameters = release.problem, values_of(model)
    if any(descriptor.name == "distance" for descriptor in describe(type(model))):
        parameters.setdefault("distance", problem.sensitive_attribute(model.columns[0]).default_distance)
    holds = model not in release.missed
    return ModelClaim(model.key, parameters, met=holds or not model.is_table_wide, holds=holds)


def population_claim(project: Project, folder: Path, *, copies: bool) -> Reading | None:
    """Return the claim about the table of the population.

    Parameters
    ----------
    folder : Path
        Folder for a table that is only in memory, or no longer exists.
    copies : bool
        Whether all tables are written there, as the original is.
    """
    population = project.population
    if population is None or population.table is None:
        return None
    path = None if copies else population.path
    return _other_table(population.table, path, population.options, folder / "population.csv")


def _limit(requirement: Requirement) -> str:
    """Return the suppression limit as typed; no limit if records are drawn at random."""
    return "1" if requirement.sampling is not None else repr(requirement.suppression_limit)


def subset_claim(project: Project, folder: Path, *, copies: bool) -> SubsetClaim | None:
    """Return the claim about the selection of the released records; parameters as `population_claim`."""
    subset = project.subset
    if subset is None:
        return None
    if subset.rows is not None:
        path = None if copies else subset.path
        return SubsetClaim(rows=_other_table(subset.rows, path, subset.options, folder / "subset.csv"))
    if subset.draw is not None:
        return SubsetClaim(beta=subset.draw.beta, key=subset.key)
    if subset.filter:
        found = read_filter(project.table, subset.filter)
        assert found.expression is not None, "an empty filter chooses no subset"
        columns = [project.table.column(name) for name in {leaf.name for leaf in found.conditions}]
        return SubsetClaim(
            _condition(found.expression), {column.name: column_kind(column) for column in columns}
        )
    fraction = "" if subset.fraction is None else repr(subset.fraction)
    return SubsetClaim(fraction=fraction, size=subset.size or 0, seed=subset.seed)


def changed_file(project: Project) -> Path | None:
    """Return the file of the population or of the subset's rows if it has changed since it was read."""
    for other in (project.population, project.subset):
        if other is None or other.path is None or not other.path.exists():
            continue
        table = other.table if isinstance(other, Population) else other.rows
        assert table is not None, "only tables have a path"
        try:
            now = read_csv(other.path, other.options)
            if isinstance(other, Population):
                now = without_other_columns(now, project.table)
        except InputError:
            return other.path
        if not same_texts(now, table):
            return other.path
    return None


def _other_table(table: Table, path: Path | None, options: ReadOptions, copy: Path) -> Reading:
    if path is None or not path.exists():
        write_csv(copy, table.names, [(column.labels, column.codes) for column in table.columns])
        return Reading(copy)
    return _reading(path, options)


def _condition(expression: Expression) -> tuple[Any, ...]:
    if isinstance(expression, Condition):
        return (expression.operator, expression.name, _text(expression.value))
    if isinstance(expression, OneOf):
        return ("in", expression.name, tuple(map(_text, expression.values)), expression.negated)
    if isinstance(expression, Missing):
        asked = ("missing", expression.name)
        return ("not", asked) if expression.negated else asked
    if isinstance(expression, Not):
        return ("not", _condition(expression.part))
    return (expression.word, *map(_condition, expression.parts))


def _text(value: Decimal | str) -> str:
    return value if isinstance(value, str) else format(value, "f")


def column_kind(column: Column) -> ColumnKind:
    """Return the kind of a column's cells in the terms of the verifier."""
    data_type = column.data_type
    match data_type.kind:
        case Kind.DATE:
            return ColumnKind("date", data_type.format or DATE_FORMATS[0])
        case Kind.INTEGER | Kind.DECIMAL:
            return ColumnKind(data_type.kind.value, decimal_mark(data_type) + thousands_mark(data_type))
        case Kind.ORDERED:
            return ColumnKind("ordered", values=data_type.values)
    return ColumnKind(data_type.kind.value)


def same_texts(a: Table | None, b: Table | None) -> bool:
    """Return whether two tables hold the same texts, however typed and ordered; None means no table."""
    if a is None or b is None:
        return a is b
    return a.names == b.names and all(
        [x.labels[code] for code in x.codes] == [y.labels[code] for code in y.codes]
        for x, y in zip(a.columns, b.columns, strict=True)
    )
