"""Files of earlier programs open, and saved again they are the same: recipes, and projects of all formats.

`make_saved_files` wrote the files in `tests/data/saved/`, which the README there describes. Every byte of a
recipe and of every member of a project file is compared, with two exceptions that do not depend on the
program: how zlib compresses a member, and the bytes of a Parquet member that another version of pyarrow
wrote. For these, the schema and all values are compared.
"""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from engine.project.recipe.files import read_recipe, recipe_text, write_recipe
from engine.project.storage.file import open_project, save_project
from engine.project.storage.members import PROJECT, checksum

SAVED = Path(__file__).resolve().parents[1] / "data" / "saved"
WRITTEN, NOW = ".written.toml", ".now.anon"
BY_HAND = sorted(path for path in SAVED.glob("recipes/by-hand-*.toml") if not path.name.endswith(WRITTEN))
RECIPES = sorted(set(SAVED.glob("recipes/*.toml")) - set(BY_HAND))
PROJECTS = sorted(SAVED.glob("projects/*.anon"))
REWRITTEN = sorted(path for path in SAVED.glob("rewritten/*.anon") if not path.name.endswith(NOW))

Parts = dict[str, bytes]


def name_of(path: Path) -> str:
    return path.name.partition(".")[0]


def parts(path: Path) -> Parts:
    """Return the members of a project file, in order."""
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def held_to(saved: Parts, again: Parts) -> Parts:
    """Return what was saved again, with the saved Parquet members if only the version of pyarrow differs."""
    held = dict(again)
    for name in saved.keys() & again.keys():
        if name.endswith(".parquet") and saved[name] != again[name] and hold_same(saved[name], again[name]):
            held[name] = saved[name]
            sums = checksum(again[name]).encode(), checksum(saved[name]).encode()
            held[PROJECT] = held[PROJECT].replace(*sums)
    return held


def hold_same(one: bytes, other: bytes) -> bool:
    """Return whether two Parquet files of two versions of pyarrow have the same table."""
    files = [parquet.ParquetFile(io.BytesIO(data)) for data in (one, other)]
    if files[0].metadata.created_by == files[1].metadata.created_by:
        return False
    tables: list[pa.Table] = [file.read() for file in files]
    return bool(tables[0].equals(tables[1], check_metadata=True))


def saved_again(path: Path, folder: Path) -> Parts:
    """Return what the program saves of a project file that it opened."""
    opened = open_project(path)
    assert opened.losses == ()
    save_project(opened.project, folder / "again.anon", opened.state)
    return parts(folder / "again.anon")


def files_in(folder: Path, name: str) -> dict[str, bytes]:
    """Return a recipe and the files in the folder next to it."""
    found = [folder / f"{name}.toml", *folder.glob(f"{name}-files/*")]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


def test_files_of_all_kinds_exist() -> None:
    assert [len(BY_HAND), len(PROJECTS), len(REWRITTEN)] == [2, 8, 5]
    assert len(RECIPES) >= 100
    families = {name_of(path).partition("-")[0] for path in RECIPES}
    assert families > {"aggregate", "builder", "identifiers", "metric", "privacy", "recoding", "search"}


@pytest.mark.parametrize("path", RECIPES, ids=name_of)
def test_a_recipe_that_is_saved_again_has_the_same_bytes(path: Path) -> None:
    text = recipe_text(read_recipe(path), path.parent, f"{path.stem}-files")
    assert text == path.read_bytes().decode()


@pytest.mark.parametrize("path", BY_HAND, ids=name_of)
def test_a_recipe_by_hand_is_saved_with_every_choice_written_out(path: Path) -> None:
    text = recipe_text(read_recipe(path), path.parent)
    assert text == path.with_suffix(WRITTEN).read_bytes().decode()


@pytest.mark.parametrize("path", PROJECTS, ids=name_of)
def test_a_project_that_is_saved_again_has_the_same_members(path: Path, tmp_path: Path) -> None:
    saved, again = parts(path), saved_again(path, tmp_path)
    assert list(saved) == list(again)
    assert held_to(saved, again) == saved


@pytest.mark.parametrize("path", PROJECTS, ids=name_of)
def test_a_project_is_written_as_the_same_recipe_with_the_same_files(path: Path, tmp_path: Path) -> None:
    write_recipe(open_project(path).project, tmp_path / f"{path.stem}.toml")
    assert files_in(tmp_path, path.stem) == files_in(path.parent, path.stem)


@pytest.mark.parametrize("path", REWRITTEN, ids=name_of)
def test_a_project_of_an_older_format_opens_and_keeps_its_parts(path: Path, tmp_path: Path) -> None:
    old, now, again = parts(path), parts(path.with_suffix(NOW)), saved_again(path, tmp_path)
    assert list(now) == list(again)
    assert held_to(now, again) == now
    # The settings have other names; all else is as in the file.
    for members in (old, now):
        del members[PROJECT], members["recipe.toml"]
    assert old == now
