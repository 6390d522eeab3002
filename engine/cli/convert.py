"""`anonymizer convert`: an ARX project as a recipe with its files, or a recipe as files for ARX."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any

import typer

from engine.arx.reading import read_arx
from engine.arx.writing import write_for_arx
from engine.cli.console import Format, FormatOption, QuietOption, progress, show
from engine.errors import InputError
from engine.files import atomic_write, make_folder, refuse_existing
from engine.project.recipe.files import files_beside, own_files, read_recipe, write_recipe
from engine.project.storage.opened_project import Loss, OpenedProject
from engine.records.table_files import ARX_ENDING, ARX_ENDINGS

RECIPE, LOSSES = "recipe.toml", "not-taken-over.txt"


def convert(
    project: Annotated[Path, typer.Argument(metavar="PROJECT", help="An ARX project (.deid), or a recipe.")],
    out: Annotated[Path, typer.Option("--out", help="Folder for the result.")],
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace existing files.")] = False,
    suppress_as_arx: Annotated[
        bool,
        typer.Option(
            "--suppress-as-arx",
            help="For risk models of the whole release, such as population uniqueness: also suppress "
            "records, as ARX does, by k-anonymity with a class size at which they are met.",
        ),
    ] = False,
    output: FormatOption = Format.TABLE,
    quiet: QuietOption = False,
) -> None:
    """Convert an ARX project to a recipe with table and hierarchies, or a recipe to files for ARX.

    A .deid file becomes recipe.toml, recipe-files/ with the table and the hierarchies, and
    not-taken-over.txt, a list of settings without a counterpart or to be checked. A recipe becomes data.csv,
    hierarchies/ and import.txt, which says how to import them into ARX. The table is the original one.
    """
    with progress(quiet) as monitor:
        if project.suffix.lower() in ARX_ENDINGS:
            opened = read_arx(project, monitor, suppresses=suppress_as_arx)
            files = _write(opened, out, overwrite=overwrite)
            _show(project, opened.losses, files, output, quiet)
        elif project.suffix.lower() == ".toml":
            files = write_for_arx(read_recipe(project, monitor), out, monitor, overwrite=overwrite)
            _show(project, (), files, output, quiet)
        else:
            raise InputError(
                f"'{project.name}' is neither an ARX project nor a recipe.",
                hint=f"Give a file with the ending {ARX_ENDING} or .toml.",
            )


def _write(opened: OpenedProject, folder: Path, *, overwrite: bool) -> list[Path]:
    recipe, losses = folder / RECIPE, folder / LOSSES
    beside = files_beside(recipe)
    written = [] if overwrite else [path for path in (recipe, losses, beside) if os.path.lexists(path)]
    refuse_existing(written, recipe.parent)
    make_folder(folder)
    write_recipe(opened.project, recipe)
    with atomic_write(losses) as file:
        file.write("".join(f"{_sentence(loss)}\n" for loss in opened.losses).encode("utf-8"))
    own = own_files(opened.project).values()
    subset = opened.project.subset
    names = ["data.csv", *own, *(["subset.csv"] if subset is not None and subset.rows is not None else [])]
    return [recipe, *(beside / name for name in names), losses]


def _sentence(loss: Loss) -> str:
    return f"{loss.what}: {loss.why}. {loss.hint}".strip()


def _show(source: Path, losses: tuple[Loss, ...], files: list[Path], output: Format, quiet: bool) -> None:
    result: dict[str, Any] = {
        "source": source.name,
        "files": [str(file) for file in files],
        "not_taken_over": [{"what": loss.what, "why": loss.why, "hint": loss.hint} for loss in losses],
    }
    rows = [(loss.what, loss.why, loss.hint) for loss in losses]
    if not losses:
        rows = [(file.name, "", "") for file in files]
    titles = ("not taken over", "why", "hint") if losses else ("written", "", "")
    show(result, rows, output, quiet, titles)
    if losses and not quiet and output is Format.TABLE:
        typer.echo(f"Written to {files[0].parent}: {', '.join(file.name for file in files)}.")
