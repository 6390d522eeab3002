"""Supporting files of a release, written to a folder: mappings, hierarchies and the recipe."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from engine.errors import ExportError
from engine.files import atomic_write, make_folder, refuse_existing
from engine.hierarchies.files import write_hierarchy
from engine.monitor import SILENT, Monitor
from engine.numbers import as_exact_count
from engine.project.project import Project
from engine.project.recipe.files import files_beside, write_recipe
from engine.project.recipe.writing import file_names
from engine.recoding import Release
from engine.recoding.ruled import rule_of
from engine.records import Role
from engine.records.text.writing import write_records
from engine.words import _

MAPPING, HIERARCHIES, RECIPE, IDENTIFIERS = "mapping", "hierarchies", "recipe", "identifiers"
PARTS = (MAPPING, HIERARCHIES, RECIPE, IDENTIFIERS)


@dataclass(frozen=True)
class _File:
    path: Path
    write: Callable[[], object]


def existing_files(project: Project, release: Release, folder: Path, parts: Collection[str]) -> list[Path]:
    """Return the existing files that `write_bundle` would replace."""
    found = [file.path for file in _files(project, release, folder, parts) if os.path.lexists(file.path)]
    if RECIPE in parts and os.path.isdir(further := files_beside(folder / "recipe.toml")):
        found += sorted(path for path in further.iterdir() if path.is_file())
    return found


def write_bundle(
    project: Project,
    release: Release,
    folder: Path,
    parts: Collection[str],
    monitor: Monitor = SILENT,
    *,
    overwrite: bool = False,
) -> list[Path]:
    """Write the supporting files of a release; each file is complete or absent.

    Parameters
    ----------
    project : Project
        Project that the release was made with.
    folder : Path
        Created if it does not exist.
    parts : collection of str
        `mapping`: what became of each value, per quasi-identifying column; `hierarchies`: one file each;
        `recipe`: with its hierarchies, but never a table of people; `identifiers`: the text written for each
        value of identifying columns, as confidential as the table and readable only by its owner.
    overwrite : bool
        Whether existing files may be replaced.

    Returns
    -------
    list of Path
        The written files.

    Raises
    ------
    ExportError
        A file exists and may not be replaced, or cannot be written; files written before it stay.
    """
    if MAPPING in parts and project.requirement.sampling is not None:
        raise ExportError(
            _("The mapping counts drawn records, which differential privacy does not cover."),
            hint=_("Leave it out of the files."),
        )
    refuse_existing([] if overwrite else existing_files(project, release, folder, parts), folder)
    for name in reversible_columns(project, release) if IDENTIFIERS in parts else ():
        if (rule := rule_of(project, name)) is not None:
            rule.refuse_unready(name)
    files = list(_files(project, release, folder, parts))
    for done, file in enumerate(files):
        monitor.step(
            done,
            len(files),
            _("Wrote {n} of {total} files").format(n=as_exact_count(done), total=as_exact_count(len(files))),
        )
        make_folder(file.path.parent)
        file.write()
    monitor.step(len(files), len(files), _("Wrote {n} files").format(n=as_exact_count(len(files))))
    return [file.path for file in files]


def _files(project: Project, release: Release, folder: Path, parts: Collection[str]) -> Iterator[_File]:
    if MAPPING in parts:
        for name, file in file_names(mapped_columns(project, release)).items():
            yield _mapping(project, release, name, folder / MAPPING / file, is_private=False)
    if HIERARCHIES in parts:
        for attribute, file in zip(
            release.problem.attributes, file_names(release.problem.names).values(), strict=True
        ):
            path = folder / HIERARCHIES / file
            yield _File(path, partial(write_hierarchy, attribute.hierarchy, path))
    if IDENTIFIERS in parts:
        for name, file in file_names(reversible_columns(project, release)).items():
            yield _mapping(project, release, name, folder / IDENTIFIERS / file, is_private=True)
    if RECIPE in parts:
        path = folder / "recipe.toml"
        yield _File(path, partial(write_recipe, project, path, with_tables=False))


def _mapping(project: Project, release: Release, name: str, path: Path, *, is_private: bool) -> _File:
    def write() -> None:
        text = io.BytesIO()
        columns = list(zip(*value_mapping(project, release, name), strict=True))
        write_records(text, HEADER, columns)
        with atomic_write(path, is_private=is_private) as file:
            file.write(text.getvalue())

    return _File(path, write)


HEADER = ("original", "released", "records")


def mapped_columns(project: Project, release: Release) -> tuple[str, ...]:
    """Return the released quasi-identifying columns, in the order of the table."""
    return tuple(
        column.name for column in release.columns if project.role(column.name) is Role.QUASI_IDENTIFYING
    )


def reversible_columns(project: Project, release: Release) -> tuple[str, ...]:
    """Return the columns whose cells lead back to a value by a table of both."""
    rules = {column.name: rule_of(project, column.name) for column in release.columns}
    return tuple(name for name, rule in rules.items() if rule is not None and rule.is_reversible)


def value_mapping(project: Project, release: Release, name: str) -> Iterator[tuple[str, str, str]]:
    """Yield pairs of original and released text with their number of records.

    Suppressed records form separate pairs, even if they are not written. Pairs are in the order of the
    original values, then of the number of records, the largest first.

    Parameters
    ----------
    project : Project
        Project that the release was made with.
    name : str
        A column that is released.
    """
    released = release.column(name)
    assert released is not None, "a column that is left out has no mapping"
    original = project.records.column(name)
    n_released = len(released.labels)
    pairs, counts = np.unique(
        original.codes.astype(np.int64) * n_released + released.codes, return_counts=True
    )
    order = np.lexsort((pairs, -counts, pairs // n_released))
    for pair, count in zip(pairs[order].tolist(), counts[order].tolist(), strict=True):
        yield original.labels[pair // n_released], released.labels[pair % n_released], str(count)
