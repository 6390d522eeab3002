"""A table with its hierarchies as CSV files that ARX imports, and a text that says how."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from engine.arx.measures import ARX_NAMES
from engine.arx.models import arx_words
from engine.files import atomic_write, make_folder, refuse_existing
from engine.hierarchies.files import write_hierarchy
from engine.monitor import SILENT, Monitor
from engine.numbers import as_general
from engine.project.project import Project
from engine.project.recipe.writing import file_names
from engine.records import Kind, Role
from engine.records.text.writing import write_csv
from engine.words import N_, _, ngettext

DATA, HIERARCHIES, STEPS = "data.csv", "hierarchies", "import.txt"
_MISSING = "NULL"  # how ARX reads a missing value
_ROLES = {
    Role.IDENTIFYING: "Identifying",
    Role.QUASI_IDENTIFYING: "Quasi-identifying",
    Role.SENSITIVE: "Sensitive",
    Role.INSENSITIVE: "Insensitive",
}
_TYPES = {
    Kind.TEXT: "String",
    Kind.BOOLEAN: "String",
    Kind.INTEGER: "Integer",
    Kind.DECIMAL: "Decimal",
    Kind.DATE: "Date/Time",
    Kind.ORDERED: "Ordinal",
}
_NOT_THERE = N_("ARX has no such model")


def write_for_arx(
    project: Project, folder: Path, monitor: Monitor = SILENT, *, overwrite: bool = False
) -> list[Path]:
    """Write the table and the hierarchies of a project for ARX, which only imports CSV.

    The table is the original: only its owner may read the file.

    Returns
    -------
    list of Path
        The written files.

    Raises
    ------
    ExportError
        A file exists and may not be replaced, or cannot be written.
    """
    names = file_names(project.hierarchies)
    places = [folder / DATA, *(folder / HIERARCHIES / name for name in names.values()), folder / STEPS]
    refuse_existing([] if overwrite else list(filter(os.path.lexists, places)), folder)
    monitor.step(0, 1, _("Writing files for ARX"))
    make_folder(folder / HIERARCHIES if names else folder)
    columns = [
        ([*column.labels[:-1], _MISSING] if column.has_missing else column.labels, column.codes)
        for column in project.table.columns
    ]
    write_csv(folder / DATA, project.table.names, columns, ";", is_private=True)
    for column, name in names.items():
        write_hierarchy(project.hierarchies[column].hierarchy, folder / HIERARCHIES / name)
    with atomic_write(folder / STEPS) as file:
        file.write(("\n".join(_steps(project, names)) + "\n").encode("utf-8"))
    return places


def _steps(project: Project, names: dict[str, str]) -> Iterator[str]:
    yield _("How to import “{name}” into ARX").format(name=project.name)
    yield ""
    yield "1. " + _("Choose File > New project, then File > Import data.")
    yield "2. " + _(
        'Choose CSV and {file}: charset UTF-8, delimiter ; and quote ", with a header row.'
    ).format(file=DATA)
    yield "3. " + _(
        "Select each column and set type and role; import its hierarchy by File > Import hierarchy."
    )
    for column in project.table.columns:
        role = project.role(column.name)
        words = [_TYPES[column.data_type.kind], "" if role is None else _ROLES[role]]
        if entry := project.hierarchies.get(column.name):
            words.append(f"{HIERARCHIES}/{names[column.name]}")
            if entry.min_level or entry.max_level is not None:
                levels = _("levels {low} to {high}").format(low=entry.min_level, high=entry.top_level)
                words.append(levels)
        yield f"   {column.name}: {', '.join(filter(None, words))}"
    yield "4. " + _("Add the privacy models.")
    for model in project.requirement.models:
        yield f"   {arx_words(model) or f'{model.title}: {_(_NOT_THERE)}'}"
    limit = as_general(project.requirement.suppression_limit * 100, 12)
    yield "5. " + _("Set the suppression limit to {limit} %.").format(limit=limit)
    yield "6. " + _("Choose the utility measure.")
    search = project.search
    yield "   " + ARX_NAMES.get(search.metric, _("ARX has no such measure"))
    for name, value in search.metric_options.items():
        yield f"   {name}: {value}"
    for weighed, weight in search.weights.items():
        yield "   " + _("weight of {column}").format(column=weighed) + f": {as_general(weight)}"
    if project.subset is not None:
        n_records = project.n_records
        yield "7. " + ngettext(
            "Choose the research sample: {n} record.", "Choose the research sample: {n} records.", n_records
        ).format(n=n_records)
