"""Recipes from Python: a frame in place of their table, and the verification of a release by them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

from engine.kernels.arrays import IntArray
from engine.monitor import SILENT, Monitor, with_progress
from engine.pipeline import verify_promises
from engine.project import Project
from engine.project.recipe.data import read_data_options
from engine.project.recipe.files import Folder, parsed, placed, project_in
from engine.project.recipe.reading import build, parse
from engine.project.recipe.section import Section
from engine.python.anonymizing import made
from engine.python.frames import Frame, frame_of, selected
from engine.python.released import Released
from engine.python.verified import Verification
from engine.records import Table
from engine.records.opening.data_frames import as_table, read_frame
from engine.records.options import MEMORY, ExportOptions, ReadOptions
from engine.records.text.writing import write_csv
from engine.scratch import scratch_folder
from engine.words import _


@with_progress
def apply(
    recipe: Path | str,
    data: Any,
    *,
    node: Mapping[str, int] | Sequence[int] | None = None,
    monitor: Monitor = SILENT,
    progress: bool = False,
) -> Released:
    """Make the release that a recipe makes, of a frame in place of its table, and verify it.

    Roles, hierarchies, models, rules, search and output are those of the recipe. It also selects columns,
    leaves out records and replaces values of the frame, as of its file. A ledger that it names is taken into
    account, but the release is not recorded there, because no file is written.

    Parameters
    ----------
    recipe : Path or str
        Path of a recipe, or its text, of several lines; paths in a text are relative to the working folder.
    data : DataFrame
        As in `engine.anonymize`. The released frame is of the same library, in the order of the written file.
    node : mapping of str to int, or sequence of int, optional
        As in `engine.anonymize`.

    Raises
    ------
    RecipeError
        The recipe cannot be read, or contains an unknown key or name.
    TableError
        The frame lacks a column that the recipe names, or a value does not have the type that it gives.
    RequirementNotMetError
        No node, or not the given one, satisfies the requirement.
    """
    given = _Given.read(recipe, data, monitor)
    return made(given.frame, given.project, node, monitor, records=given.records)


@with_progress
def verify(
    data: Any,
    recipe: Path | str | Released,
    *,
    original: Any = None,
    monitor: Monitor = SILENT,
    progress: bool = False,
) -> Verification:
    """Verify a released table by independent code against what its recipe promises.

    Parameters
    ----------
    data : DataFrame, Path or str
        The release: a frame of any library, which is written to a file for it, or a file, folder of parts, or
        URL of a table.
    recipe : Path, str or Released
        As in `apply`; or the release that the table is one of, whose original it has.
    original : DataFrame, Path or str, optional
        The table that was released; by default the one that the recipe names.

    Raises
    ------
    RecipeError, TableError
        The recipe or a table cannot be read.
    """
    if isinstance(recipe, Released):
        project = recipe.project
    elif original is None or isinstance(original, Path | str):
        section, name, base = _section(recipe)
        named = section.section("data").get("path", str, "")
        moved = {} if original is None else {named: Path(original).absolute()}
        project = project_in(section, name, Folder(base, moved), monitor)
    else:
        project = _Given.read(recipe, original, monitor).project
    if isinstance(data, Path | str):
        return Verification(verify_promises(project, data, monitor=monitor))
    with scratch_folder("verifying") as folder:
        file, table = folder / "release.csv", as_table(data)
        columns = []
        for own in table.columns:
            missing = _missing_of(project, own.name)
            labels = (missing if label == own.missing_label else label for label in own.labels)
            columns.append((tuple(labels), own.codes))
        write_csv(file, table.names, columns, is_private=True)
        options = ExportOptions(delimiter=",", header=True)
        return Verification(verify_promises(project, file, monitor=monitor, options=options))


def _missing_of(project: Project, name: str) -> str:
    """Return the text by which a release writes a missing cell of a column."""
    own = project.table.column(name).missing_label if name in project.table.names else None
    return project.blank if own is None else own


@dataclass(frozen=True, eq=False)
class _Given:
    """A frame, the project of a recipe with its table, and the record of the frame of each of its records."""

    frame: Frame
    project: Project
    records: IntArray

    @classmethod
    def read(cls, recipe: Path | str, data: Any, monitor: Monitor) -> Self:
        section, name, base = _section(recipe)
        of_table = {"path": name, **section.section("data").values}  # a recipe of a frame needs no path
        section = replace(section, values={**section.values, "data": of_table})
        options = replace(read_data_options(section.section("data")), source=MEMORY)
        frame = frame_of(data)
        taken = options.columns_of(frame.table.names, type(frame.data).__name__)
        frame = frame_of(selected(frame.data, {name: place for place, name in taken}))
        reading, records = read_frame(frame.data, replace(options, take=()), monitor)
        folder = _FrameFolder(base, {}, given=(reading.table, reading.options))
        return cls(frame, placed(section, build(section, name, folder, monitor), base), records)


@dataclass(frozen=True)
class _FrameFolder(Folder):
    """Files that a recipe names, but for its table, which is given."""

    given: tuple[Table, ReadOptions] | None = None

    def table(self, path: str, options: ReadOptions, monitor: Monitor) -> tuple[Table, ReadOptions]:
        assert self.given is not None, "made with it"
        return self.given


def _section(recipe: Path | str) -> tuple[Section, str, Path]:
    """Return a recipe, the name of its project and its folder."""
    if isinstance(recipe, str) and "\n" in recipe:
        return parse(recipe, _("recipe")), _("DataFrame"), Path.cwd()
    path = Path(recipe)
    return *parsed(path), path.parent
