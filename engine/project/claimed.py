"""Population and subset of a project in the plain values that the judge of a written file reads."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

from engine.errors import InputError
from engine.filters import Among, Condition, Missing
from engine.filters.conditions import Expression, Not
from engine.project.compare import same_texts
from engine.project.population import Population, without_other_columns
from engine.project.project import Project
from engine.table import Column, Kind, Table
from engine.table.filtering import read_filter
from engine.table.options import ReadOptions
from engine.table.reading import read_csv
from engine.table.sources import UNWRITABLE
from engine.table.values import DATE_FORMATS, decimal_mark, thousands_mark
from engine.table.writing import write_csv
from engine.verification.claims import ColumnKind, OtherTable, SubsetClaim


def population_claim(project: Project, folder: Path, *, copies: bool) -> OtherTable | None:
    """Say where the table of the population lies.

    Parameters
    ----------
    project : Project
    folder : Path
        Where a table that is held only in memory, or is no longer there, is written to.
    copies : bool
        Whether all tables are written there, as the original is.
    """
    population = project.population
    if population is None or population.table is None:
        return None
    path = None if copies else population.path
    return _other_table(population.table, path, population.options, folder / "population.csv")


def subset_claim(project: Project, folder: Path, *, copies: bool) -> SubsetClaim | None:
    """Say how the released records were chosen; parameters as `population_claim`."""
    subset = project.subset
    if subset is None:
        return None
    if subset.rows is not None:
        path = None if copies else subset.path
        return SubsetClaim(rows=_other_table(subset.rows, path, subset.options, folder / "subset.csv"))
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
    """The file of the population or of the subset's rows that is not what was read any more."""
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


def _other_table(table: Table, path: Path | None, options: ReadOptions, copy: Path) -> OtherTable:
    if path is None or not path.exists():
        write_csv(copy, table.names, [(column.labels, column.codes) for column in table.columns])
        return OtherTable(copy)
    is_text = path.suffix.lower() not in UNWRITABLE
    return OtherTable(
        path,
        options.delimiter or ",",
        options.encoding or ("utf-8" if is_text else ""),
        options.header is not False,
        sheet=options.sheet or "",
    )


def _condition(expression: Expression) -> tuple[Any, ...]:
    if isinstance(expression, Condition):
        return (expression.operator, expression.name, _text(expression.value))
    if isinstance(expression, Among):
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
    """What the cells of a column mean, as the judge is told."""
    data_type = column.data_type
    match data_type.kind:
        case Kind.DATE:
            return ColumnKind("date", data_type.format or DATE_FORMATS[0])
        case Kind.INTEGER | Kind.DECIMAL:
            return ColumnKind(data_type.kind.value, decimal_mark(data_type) + thousands_mark(data_type))
        case Kind.ORDERED:
            return ColumnKind("ordered", values=data_type.values)
    return ColumnKind(data_type.kind.value)
