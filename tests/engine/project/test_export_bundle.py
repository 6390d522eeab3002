"""What explains a release: it agrees with the release, and replaces nothing unasked."""

from __future__ import annotations

import csv
import os
import stat
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from engine.errors import ExportError
from engine.hierarchies.files import read_hierarchy
from engine.pipeline import anonymize, export_release
from engine.project import Project
from engine.project.export_bundle import PARTS, existing_files, write_bundle
from engine.project.recipe.files import read_recipe, write_recipe
from engine.project.subset import Subset
from engine.recoding import Release
from engine.records.opening.files import read_table

TABLE = "name,age,illness\nAnn,31,flu\nBob,31,cold\nCem,52,flu\nDee,52,flu\nEve,70,flu\n"
RECIPE = """\
format = 1
[data]
path = "people.csv"
[roles]
identifying = ["name"]
quasi_identifying = ["age"]
insensitive = ["illness"]
[[privacy]]
model = "k_anonymity"
k = 2
[transformation]
suppression_limit = 0.2
identifying = "pseudonym"
"""


@pytest.fixture
def project(tmp_path: Path) -> Project:
    (tmp_path / "people.csv").write_text(TABLE, encoding="utf-8")
    (tmp_path / "people.toml").write_text(RECIPE, encoding="utf-8")
    return read_recipe(tmp_path / "people.toml")


@pytest.fixture
def release(project: Project) -> Release:
    return anonymize(project).release


def rows(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def test_the_files_say_what_became_of_each_value(project: Project, release: Release, tmp_path: Path) -> None:
    folder = tmp_path / "about"
    written = write_bundle(project, release, folder, PARTS)
    assert sorted(path.relative_to(folder).as_posix() for path in written) == [
        "hierarchies/age.csv",
        "identifiers/name.csv",
        "mapping/age.csv",
        "recipe.toml",
    ]
    out = tmp_path / "out.csv"
    assert export_release(project, release, out).ok
    before, after = rows(tmp_path / "people.csv")[1:], rows(out)[1:]
    for place, file in ((0, "identifiers/name.csv"), (1, "mapping/age.csv")):
        due = Counter((a[place], b[place]) for a, b in zip(before, after, strict=True))
        header, *found = rows(folder / file)
        assert header == ["original", "released", "records"]
        assert {(one, other): int(n) for one, other, n in found} == dict(due)
    hierarchy = read_hierarchy(folder / "hierarchies" / "age.csv")
    assert hierarchy.rows() == release.problem.attributes[0].hierarchy.rows()
    assert read_recipe(folder / "recipe.toml").transformation == project.transformation


def test_what_leads_back_to_people_is_for_its_owner_alone_and_only_on_request(
    project: Project, release: Release, tmp_path: Path
) -> None:
    write_bundle(project, release, tmp_path / "about", ("mapping", "hierarchies", "recipe"))
    assert not (tmp_path / "about" / "identifiers").exists()
    write_bundle(project, release, tmp_path / "secret", ("identifiers",))
    if os.name == "posix":
        mode = (tmp_path / "secret" / "identifiers" / "name.csv").stat().st_mode
        assert stat.S_IMODE(mode) == 0o600


@pytest.mark.parametrize("is_of_all", [True, False])
def test_no_table_of_people_is_written_next_to_a_release(
    project: Project, tmp_path: Path, is_of_all: bool
) -> None:
    """A table held in memory alone, as that of an opened project, and the rows chosen in it."""
    rows, options = read_table(tmp_path / "people.csv")
    project = replace(project, source=None)
    if not is_of_all:
        project = replace(project, subset=Subset(rows=rows, options=options))
    folder = tmp_path / "about"
    write_bundle(project, anonymize(project).release, folder, ("mapping", "hierarchies", "recipe"))
    assert (folder / "recipe.toml").exists()
    assert not any("Ann" in path.read_text("utf-8") for path in folder.rglob("*") if path.is_file())
    moved = {
        "recipe-files/data.csv": tmp_path / "people.csv",
        "recipe-files/subset.csv": tmp_path / "people.csv",
    }
    again = read_recipe(folder / "recipe.toml", moved=moved)
    assert again.transformation == project.transformation


@pytest.mark.skipif(os.name != "posix", reason="permissions are those of POSIX")
def test_tables_next_to_a_recipe_are_readable_by_their_owner_alone(project: Project, tmp_path: Path) -> None:
    rows, options = read_table(tmp_path / "people.csv")
    held = replace(project, source=None, subset=Subset(rows=rows, options=options))
    write_recipe(held, tmp_path / "held.toml")
    for name in ("data.csv", "subset.csv"):
        assert stat.S_IMODE((tmp_path / "held-files" / name).stat().st_mode) == 0o600


def test_suppressed_names_cannot_be_mapped_back_and_have_no_file(project: Project, tmp_path: Path) -> None:
    starred = replace(project, transformation=replace(project.transformation, identifying="star"))
    assert write_bundle(starred, anonymize(starred).release, tmp_path / "about", ("identifiers",)) == []


def test_files_that_are_there_are_named_and_replaced_only_when_allowed(
    project: Project, release: Release, tmp_path: Path
) -> None:
    folder = tmp_path / "about"
    write_bundle(project, release, folder, PARTS)
    (folder / "mapping" / "age.csv").write_text("notes of somebody", encoding="utf-8")
    assert len(existing_files(project, release, folder, PARTS)) == 4
    with pytest.raises(ExportError, match=r"'age\.csv' and 3 other files already exist in 'about'"):
        write_bundle(project, release, folder, PARTS)
    assert (folder / "mapping" / "age.csv").read_text(encoding="utf-8") == "notes of somebody"
    write_bundle(project, release, folder, PARTS, overwrite=True)
    assert rows(folder / "mapping" / "age.csv")[0] == ["original", "released", "records"]


def test_a_folder_that_cannot_be_made_is_named(project: Project, release: Release, tmp_path: Path) -> None:
    (tmp_path / "about").write_text("a file", encoding="utf-8")
    with pytest.raises(ExportError, match="could not be created"):
        write_bundle(project, release, tmp_path / "about", ("mapping",))
