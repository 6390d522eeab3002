"""The text of a recipe from a project: every choice written out, column names quoted."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from engine.params import Configurable
from engine.project.deciding import REFUSE, as_in_recipe
from engine.project.population import Population
from engine.project.project import AttributeHierarchy, Project
from engine.project.recipe.data import data_blocks, quoted, table_blocks, table_text
from engine.project.recipe.plugins import plugins_of
from engine.project.recipe.section import BESIDE, FORMAT
from engine.project.recipe.settings import written, written_member
from engine.project.subset import Subset
from engine.records import Role
from engine.records.options import ReadOptions

_DEVICES = ("con", "prn", "aux", "nul", *(f"{port}{i}" for port in ("com", "lpt") for i in range(10)))
# Tables have their own files, and Windows reserves some names.
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
    data_path : str
        Path of the table in the recipe.
    encoding : str or None
        Encoding of that file.
    hierarchy_paths : mapping of str to str
        Paths of the hierarchies that are read from a file, by column; the others name their builder.
    population_path, subset_path : str
        Paths of the population table and of the rows of the subset, if there are any.
    """
    project = as_in_recipe(project)
    blocks = [f"format = {FORMAT}"]
    if packages := plugins_of(project, data_path):
        blocks.append(table_text("[plugins]", packages))
    blocks += [*data_blocks(project, data_path, encoding), _roles(project)]
    for column in project.table.names:
        if column in project.hierarchies:
            entry = project.hierarchies[column]
            blocks.append(_hierarchy(column, entry, hierarchy_paths.get(column)))
    models = project.requirement.models
    blocks += [table_text("[[privacy]]", written_member(model, "model")) for model in models]
    if project.others_as_qi:
        blocks.append(table_text("[sensitive]", {"others_as_qi": True}))
    if project.answers.is_given:
        blocks.append(table_text("[questionnaire]", written(project.answers)))
    if project.population is not None:
        blocks.append(_population(project.population, population_path))
    if project.subset is not None and project.subset.draw is None:
        blocks.append(_subset(project.subset, subset_path))
    limits, chosen = written(project.requirement), written(project.transformation)
    if (earlier := project.requirement.earlier) is not None:
        blocks.append(table_text("[[earlier]]", written(earlier)))
        chosen["shuffle"] = project.transformation.shuffle  # its default depends on the ledger
    blocks += table_blocks("transformation", {**limits, **chosen})
    if release := written(project.export):
        blocks += table_blocks("release", release)
    blocks += _by_column("identifiers", project.transformation.identifiers, "rule")
    blocks += _by_column("rules", project.transformation.rules, "rule")
    blocks += table_blocks("search", written(project.search))
    if project.recoding is not None:
        blocks.append(table_text("[recoding]", written_member(project.recoding, "method")))
    blocks += _by_column("microaggregation", project.microaggregation, "function")
    if project.attack_test is not None:
        blocks += table_blocks("attack_test", written(project.attack_test))
    if statement := written(project.statement):
        blocks.append(table_text("[statement]", statement))
    return "\n\n".join(blocks) + "\n"


def relative(path: Path, base: Path) -> str:
    """Return a path as seen from a folder, with slashes; absolute if no relative path exists."""
    try:
        return Path(os.path.relpath(path, base)).as_posix()
    except ValueError:  # another drive
        return path.absolute().as_posix()


def file_names(columns: Iterable[str]) -> dict[str, str]:
    """Return a file name for each column: its own name if a file can have it."""
    taken = set(_RESERVED)
    names = {}
    for number, column in enumerate(columns, start=1):
        word = "".join(c if c.isalnum() or c in "-_" else "_" for c in column)[:60]
        if not word or word.casefold() in taken:
            word = f"{word}-{number}"
        taken.add(word.casefold())
        names[column] = f"{word}.csv"
    return names


def _roles(project: Project) -> str:
    values = {
        "identifying": list(project.identifying) or None,
        "quasi_identifying": list(project.quasi_identifying),
        "sensitive": list(project.sensitive) or None,
        "insensitive": [column.name for column in project.columns_of(Role.INSENSITIVE)] or None,
        "others": project.others if project.others != REFUSE else None,
        "person": project.person,
        "target": project.target,
        "weight": project.weight,
        "household": project.household,
    }
    return table_text("[roles]", values)


def _hierarchy(column: str, entry: AttributeHierarchy, path: str | None) -> str:
    values: dict[str, Any] = {"path": path}
    if path is None:
        assert entry.builder is not None, "a hierarchy without a builder is written to a file"
        values = written_member(entry.builder, "builder")
    values["min_level"] = entry.min_level or None
    values["max_level"] = entry.max_level
    if any(names := entry.hierarchy.level_names):
        values["level_names"] = list(names)
    return table_text(f"[hierarchies.{quoted(column)}]", values)


def _population(population: Population, path: str) -> str:
    values: dict[str, Any] = {"size": population.size, "sampling_fraction": population.sampling_fraction}
    if population.table is not None:
        values |= _other_table(path, population.path, population.options)
    return table_text("[population]", values)


def _subset(subset: Subset, path: str) -> str:
    values: dict[str, Any] = {"filter": subset.filter.strip() or None}
    if subset.rows is not None:
        values |= _other_table(path, subset.path, subset.options)
    values |= {"fraction": subset.fraction, "size": subset.size, "seed": subset.seed or None}
    return table_text("[subset]", values)


def _other_table(path: str, read_from: Path | None, options: ReadOptions) -> dict[str, Any]:
    """Return how an additional table is read; one that the program wrote needs only its path."""
    if read_from is None:
        return {"path": path}
    values = written(options)
    return {"path": path, **{key: values[key] for key in BESIDE if key in values}}


def _by_column(title: str, members: Mapping[str, Configurable], word: str) -> list[str]:
    return [
        table_text(f"[{title}.{quoted(column)}]", written_member(member, word))
        for column, member in members.items()
    ]
