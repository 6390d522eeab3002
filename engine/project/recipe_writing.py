"""Project -> the text of a recipe: every choice written out, column names quoted."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import tomli_w

from engine.params import plain_values_of
from engine.project.population import Population
from engine.project.project import AttributeHierarchy, Project, SearchSettings
from engine.project.sections import FORMAT
from engine.project.subset import Subset
from engine.recoding import Transformation
from engine.table import Column, DataType, Kind
from engine.table.reading import ReadOptions

_DEVICES = ("con", "prn", "aux", "nul", *(f"{port}{i}" for port in ("com", "lpt") for i in range(10)))
# Tables have files of their own, and there are names that Windows allows no file.
_RESERVED = frozenset({"data", "population", "subset", *_DEVICES})


def compose(
    project: Project,
    data_path: str,
    encoding: str | None,
    hierarchy_paths: Mapping[str, str],
    population_path: str = "",
    subset_path: str = "",
) -> str:
    """Compose the text of a recipe.

    Parameters
    ----------
    project : Project
    data_path : str
        Where the table lies, as the recipe shall say it.
    encoding : str or None
        Encoding of that file.
    hierarchy_paths : mapping of str to str
        Paths of the hierarchies that are read from a file, by column; the others name their builder.
    population_path, subset_path : str
        Where the table of the population and the rows of the subset lie, if there are any.
    """
    blocks = [f"format = {FORMAT}", _data(project, data_path, encoding), _types(project), _roles(project)]
    for column in project.table.names:
        if column in project.hierarchies:
            entry = project.hierarchies[column]
            blocks.append(_hierarchy(column, entry, hierarchy_paths.get(column)))
    models = project.requirement.models
    blocks += [_table("[[privacy]]", {"model": model.key, **plain_values_of(model)}) for model in models]
    if project.others_as_qi:
        blocks.append(_table("[sensitive]", {"others_as_qi": True}))
    if project.population is not None:
        blocks.append(_population(project.population, population_path))
    if project.subset is not None:
        blocks.append(_subset(project.subset, subset_path))
    blocks.append(_transformation(project))
    blocks.extend(_search(project.search))
    if project.recoding is not None:
        values = {"method": project.recoding.key, **plain_values_of(project.recoding)}
        blocks.append(_table("[recoding]", values))
    for column, function in project.microaggregation.items():
        values = {"function": function.key, **plain_values_of(function)}
        blocks.append(_table(f"[microaggregation.{_quoted(column)}]", values))
    return "\n\n".join(blocks) + "\n"


def relative(path: Path, base: Path) -> str:
    """Return a path as seen from a folder, with slashes; absolute where no relative path exists."""
    try:
        return Path(os.path.relpath(path, base)).as_posix()
    except ValueError:  # another drive
        return path.absolute().as_posix()


def file_names(columns: Iterable[str]) -> dict[str, str]:
    """Return a file name for each column: its own name where a file can be called that."""
    taken = set(_RESERVED)
    names = {}
    for number, column in enumerate(columns, start=1):
        word = "".join(c if c.isalnum() or c in "-_" else "_" for c in column)[:60]
        if not word or word.casefold() in taken:
            word = f"{word}-{number}"
        taken.add(word.casefold())
        names[column] = f"{word}.csv"
    return names


def _data(project: Project, path: str, encoding: str | None) -> str:
    options = project.options
    is_own = project.source is None  # then the text file that the program writes is what is read
    values: dict[str, Any] = {
        "path": path,
        "sheet": None if is_own else options.sheet,
        "delimiter": options.delimiter or ("," if is_own else None),
        "encoding": encoding,
        "decimal": options.decimal,
        "header": options.header is not False if is_own else options.header,
        "missing": list(options.missing),
        "trim": options.trim or None,
    }
    return _table("[data]", values)


def _types(project: Project) -> str:
    mark = project.options.decimal or "."
    lines = [f"{_quoted(c.name)} = {_type(c, mark)}" for c in project.table.columns]
    return "\n".join(["[data.types]", *lines])


def _type(column: Column, mark: str) -> str:
    data_type: DataType = column.data_type
    word = data_type.kind.value
    if data_type.kind is Kind.ORDERED:
        return _value({"type": word, "values": list(data_type.values)})
    if data_type.kind is Kind.DECIMAL:
        own = data_type.format or "."
        return _value(word if own == mark else {"type": word, "format": own})
    return _value({"type": word, "format": data_type.format} if data_type.format else word)


def _roles(project: Project) -> str:
    values = {
        "identifying": list(project.identifying) or None,
        "quasi_identifying": list(project.quasi_identifying),
        "sensitive": list(project.sensitive) or None,
        "target": project.target,
    }
    return _table("[roles]", values)


def _hierarchy(column: str, entry: AttributeHierarchy, path: str | None) -> str:
    values: dict[str, Any] = {"path": path}
    if path is None:
        assert entry.builder is not None, "a hierarchy without a builder is written to a file"
        values = {"builder": entry.builder.key, **plain_values_of(entry.builder)}
    values["min_level"] = entry.min_level or None
    values["max_level"] = entry.max_level
    return _table(f"[hierarchies.{_quoted(column)}]", values)


def _population(population: Population, path: str) -> str:
    values: dict[str, Any] = {"size": population.size, "sampling_fraction": population.sampling_fraction}
    if population.table is not None:
        values |= _other_table(path, population.path, population.options)
    return _table("[population]", values)


def _subset(subset: Subset, path: str) -> str:
    values: dict[str, Any] = {"filter": subset.filter.strip() or None}
    if subset.rows is not None:
        values |= _other_table(path, subset.path, subset.options)
    values |= {"fraction": subset.fraction, "size": subset.size, "seed": subset.seed or None}
    return _table("[subset]", values)


def _other_table(path: str, read_from: Path | None, options: ReadOptions) -> dict[str, Any]:
    """How another table than the records is read; one that the program wrote itself is plain."""
    if read_from is None:
        return {"path": path}
    return {
        "path": path,
        "delimiter": options.delimiter,
        "encoding": options.encoding,
        "header": options.header,
        "sheet": options.sheet,
    }


def _transformation(project: Project) -> str:
    chosen, usual = project.transformation, Transformation()
    values: dict[str, Any] = {"suppression_limit": project.requirement.suppression_limit}
    values |= {name: getattr(chosen, name) for name in ("suppressed_records", "identifying")}
    for name in ("blank_suppressed", "shuffle", "seed"):
        if getattr(chosen, name) != getattr(usual, name):
            values[name] = getattr(chosen, name)
    return _table("[transformation]", values)


def _search(search: SearchSettings) -> list[str]:
    values: dict[str, Any] = {"algorithm": search.algorithm, "metric": search.metric}
    values |= {"steps": search.steps or None, "seconds": search.seconds or None}
    values |= {"enforce": search.enforce if search.enforce != SearchSettings().enforce else None}
    values |= {**search.options, **search.metric_options}
    blocks = [_table("[search]", values)]
    if search.weights:
        lines = [f"{_quoted(column)} = {_value(weight)}" for column, weight in search.weights.items()]
        blocks.append("\n".join(["[search.weights]", *lines]))
    return blocks


def _table(title: str, values: Mapping[str, Any]) -> str:
    """A titled table; absent values (None) are left out."""
    lines = [f"{key} = {_value(value)}" for key, value in values.items() if value is not None]
    return "\n".join([title, *lines])


def _value(value: Any) -> str:
    """A value on one line, which tomli-w writes so for plain values only."""
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(_value, value)) + "]"
    if isinstance(value, Mapping):
        pairs = (
            f"{key if key.isidentifier() and key.isascii() else _quoted(key)} = {_value(v)}"
            for key, v in value.items()
        )
        return "{" + ", ".join(pairs) + "}"
    return tomli_w.dumps({"v": value})[len("v = ") : -1]


def _quoted(name: str) -> str:
    return _value(name)
