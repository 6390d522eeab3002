"""Projects of tables that stay in files: they refer to the files, and say what has changed in them."""

from __future__ import annotations

import os
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from engine.errors import CancelledError
from engine.numbers import as_exact_count
from engine.privacy import Requirement
from engine.privacy.k_anonymity import KAnonymity
from engine.project import Project
from engine.project.edits import set_column, set_roles
from engine.project.pins_and_runs import ProjectState
from engine.project.recipe.files import read_recipe, write_recipe
from engine.project.replacing import replace_values
from engine.project.run_settings import settings_of, with_settings
from engine.project.storage import recovery
from engine.project.storage.file import open_project, save_project
from engine.project.storage.members import DamagedFileError
from engine.project.storage.opened_project import DamagedProject
from engine.project.storage.recovery import Recovery
from engine.project.storage.reference import TableAwayError
from engine.project.storage.salvage import restore, salvage
from engine.records import DataType, Kind, Role
from engine.records.opening import open_table
from engine.records.options import DISK, ReadOptions
from engine.records.values import retype
from tests.formats import write_parquet
from tests.project_differences import project_differences
from tests.stopping import Stopping

HOW = ReadOptions(comment="#", missing=("", "?"), encoding="cp1252", memory="200 MB")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "people"
    made.mkdir()
    for part in "ab":
        lines = [f"# part {part}", "name;age;sex"]
        lines += [f"Person-{part}{i};{20 + i % 40};{'fm?'[i % 3]}" for i in range(300)]
        (made / f"{part}.csv").write_text("\n".join(lines) + "\n", encoding="cp1252")
    return made


@pytest.fixture
def project(folder: Path) -> Project:
    reading = open_table(folder, HOW)
    made = Project("people", folder, reading.options, reading.table)
    made = set_roles(made, ["name"], Role.IDENTIFYING)
    made = set_roles(made, ["age", "sex"], Role.QUASI_IDENTIFYING)
    made = replace_values(made, "sex", {"f": "female"})
    made = set_column(made, retype(made.table.column("age"), DataType(Kind.TEXT)))
    return replace(made, requirement=Requirement((KAnonymity(3),), 0.1))


@pytest.fixture
def saved(project: Project, tmp_path: Path) -> Path:
    path = tmp_path / "people.anon"
    save_project(project, path, ProjectState(applied=(0, 0)))
    return path


def changes_of(path: Path) -> TableAwayError:
    with pytest.raises(TableAwayError) as told:
        open_project(path)
    assert told.value.context["has_settings"]
    return told.value


def test_a_saved_project_names_the_files_and_holds_no_record(project: Project, saved: Path) -> None:
    with zipfile.ZipFile(saved) as archive:
        members = {name: archive.read(name).decode() for name in archive.namelist()}
    assert "table.parquet" not in members
    assert "Person" not in str(members)
    assert '"place": "people"' in members["files.json"]
    assert str(saved.parent) not in str(members)
    found = open_project(saved)
    assert found.state.applied == (0, 0)
    assert found.project.source == saved.parent / "people"
    assert found.project.options == project.options
    never = Stopping()  # the digests are known, not computed again
    assert found.project.stored.digests(never) == project.stored.digests(never)  # type: ignore[union-attr]
    assert project_differences(replace(project, source=found.project.source), found.project) == ()
    again = saved.with_name("again.anon")
    save_project(found.project, again, found.state)
    assert again.read_bytes() == saved.read_bytes()


def test_project_and_files_are_moved_together(saved: Path, tmp_path: Path) -> None:
    new = tmp_path / "elsewhere"
    new.mkdir()
    for name in ("people", "people.anon"):
        (tmp_path / name).rename(new / name)
    os.utime(new / "people" / "a.csv", (1, 1))  # as after copying
    assert open_project(new / "people.anon").project.table.n_records == 600


def test_files_that_moved_are_located(saved: Path, folder: Path, tmp_path: Path) -> None:
    folder.rename(tmp_path / "archive")
    error = changes_of(saved)
    assert error.problem == "The table of 'people.anon' is not at 'people'."
    assert error.context["missing"] == "people"
    found = open_project(saved, moved={"people": tmp_path / "archive"}).project
    assert found.source == tmp_path / "archive"


def rewritten(path: Path, old: str, new: str) -> None:
    path.write_bytes(path.read_bytes().replace(old.encode(), new.encode(), 1))


def test_every_change_of_the_files_is_named(saved: Path, folder: Path) -> None:
    before = (folder / "b.csv").read_bytes()
    rewritten(folder / "b.csv", "Person-b7;", "Person-b8;")
    assert "'b.csv' has other content of the same size." in changes_of(saved).problem
    rewritten(folder / "b.csv", "Person-b9;", "Someone;")
    now, n = as_exact_count(len(before) - 2), as_exact_count(len(before))
    assert f"'b.csv' has {now} bytes instead of {n}." in changes_of(saved).problem
    (folder / "b.csv").rename(folder / "c.csv")
    assert "'b.csv' is missing; 'c.csv' is new." in changes_of(saved).problem
    (folder / "c.csv").unlink()
    (folder / "b.csv").write_bytes(before)
    assert open_project(saved).project.table.n_records == 600


def test_changed_files_are_read_as_they_are_now_with_the_settings(saved: Path, folder: Path) -> None:
    rewritten(folder / "b.csv", "Person-b7;", "Someone-b7;")
    place = changes_of(saved).context["place"]
    assert place == folder
    opened, changes = restore(DamagedProject(saved, saved.name), folder)
    assert (changes.added, changes.removed, opened.losses) == ((), (), ())
    found = opened.project
    assert found.stored is not None
    assert found.quasi_identifying == ("age", "sex")
    assert "female" in found.table.column("sex").labels
    assert "Someone-b7" in found.table.column("name").labels


def test_a_file_that_changed_after_reading_is_reported_when_the_project_is_opened(
    project: Project, folder: Path, tmp_path: Path
) -> None:
    rewritten(folder / "a.csv", "Person-a1;", "Person-a2;")
    os.utime(folder / "a.csv", (5, 5))
    save_project(project, tmp_path / "p.anon")
    assert "'a.csv' has other content" in changes_of(tmp_path / "p.anon").problem


def test_unsaved_work_refers_to_the_files_too(
    project: Project, config_dir: Path, monkeypatch: pytest.MonkeyPatch, folder: Path
) -> None:
    Recovery().write(project, ProjectState(), None)
    stored = b"".join(path.read_bytes() for path in (config_dir / "recovery").rglob("*") if path.is_file())
    assert b"Person" not in stored
    monkeypatch.setattr(recovery, "is_running", lambda pid, start: False)
    kept = Recovery()
    (offer,) = kept.offers()
    assert project_differences(project, kept.read(offer).project) == ()
    rewritten(folder / "a.csv", "Person-a1;", "Person-a2;")
    with pytest.raises(TableAwayError, match="has other content"):
        kept.read(offer)


def test_the_settings_of_a_release_are_restored(project: Project) -> None:
    settings = settings_of(project)
    assert settings
    other = replace(project, requirement=Requirement((KAnonymity(9),), 0.1))
    assert with_settings(other, settings).requirement == project.requirement


def test_a_damaged_project_leads_to_its_files(saved: Path, folder: Path) -> None:
    with zipfile.ZipFile(saved) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    members["notes.json"] = b"[1]"
    with zipfile.ZipFile(saved, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    with pytest.raises(DamagedFileError):
        open_project(saved)
    with pytest.raises(TableAwayError, match=r"is damaged\. Its table is in other files\.") as told:
        salvage(saved)
    assert told.value.context["place"] == folder
    assert restore(DamagedProject(saved, saved.name), folder)[0].project.table.n_records == 600


@pytest.mark.parametrize("while_", ["Checking", "Reading", "Ordering"])
def test_saving_and_opening_are_cancelled_while_files_are_compared_and_read(
    saved: Path, folder: Path, while_: str, tmp_path: Path
) -> None:
    with pytest.raises(CancelledError):
        open_project(saved, Stopping(words=while_))
    if while_ == "Checking":
        read = open_table(folder, HOW)
        fresh = Project("people", folder, read.options, read.table)
        target = tmp_path / "other.anon"
        with pytest.raises(CancelledError):
            save_project(fresh, target, monitor=Stopping(words=while_))
        assert not target.exists()


@pytest.mark.parametrize("pattern", ["part-*.parquet", "part-1.parquet"])
def test_patterns_and_single_files_are_found_again(tmp_path: Path, pattern: str) -> None:
    for number in (1, 2):
        write_parquet(tmp_path / f"part-{number}.parquet", {"n": [1.5, 2.25, None], "x": ["a", "b", "a"]})
    reading = open_table(tmp_path / pattern, ReadOptions(source=DISK))
    project = Project("p", tmp_path / pattern, reading.options, reading.table)
    save_project(project, tmp_path / "p.anon")
    assert project_differences(project, open_project(tmp_path / "p.anon").project) == ()


@pytest.mark.parametrize("names", ["ba", "a"])
def test_a_table_of_some_files_of_a_folder_refers_to_these_alone(folder: Path, names: str) -> None:
    (folder / "c.csv").write_bytes((folder / "a.csv").read_bytes())  # not of the table
    reading = open_table(folder / ("{" + ",".join(f"{name}.csv" for name in names) + "}"), HOW)
    project = Project("p", None, reading.options, reading.table)
    save_project(project, folder / "p.anon")
    found = open_project(folder / "p.anon").project
    assert [path.stem for path in found.stored.paths] == list(names)
    assert found.table.column("name").text(0) == f"Person-{names[0]}0"


def test_a_recipe_and_its_project_agree(saved: Path, project: Project, tmp_path: Path) -> None:
    write_recipe(project, tmp_path / "people.toml")
    by_recipe = read_recipe(tmp_path / "people.toml")
    assert project_differences(open_project(saved).project, replace(by_recipe, name="people")) == ()
