"""A project whose table is lost: its settings, roles and hierarchies are put on the table, read again."""

from __future__ import annotations

import sqlite3
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from engine.errors import InputError, ProjectFileError
from engine.pipeline import anonymize, export_release
from engine.privacy import Requirement
from engine.privacy.k_anonymity import KAnonymity
from engine.project import Project, edits
from engine.project.pins_and_runs import Choice, Pin, ProjectState
from engine.project.recipe.files import read_recipe
from engine.project.storage import recovery
from engine.project.storage.file import save_project
from engine.project.storage.members import DamagedFileError
from engine.project.storage.opened_project import DamagedProject
from engine.project.storage.recovery import Recovery
from engine.project.storage.salvage import restore, salvage
from engine.records import Role
from engine.records.databases.address import DatabaseAddress, file_url

PEOPLE = "who;age;zip;ill;note\nAnn;31;10;flu;a\nBob;34;10;gout;b\nCid;52;20;flu;c\nDan;58;20;gout;d\n"
RECIPE = """
[data]
path = "people.csv"
delimiter = ";"
columns = [{source = "who", name = "name"}, {source = "age", name = "age"}, {source = "zip", name = "zip"},
           {source = "ill", name = "illness"}]
[data.types]
"zip" = "text"
[roles]
identifying = ["name"]
quasi_identifying = ["age", "zip"]
sensitive = ["illness"]
[hierarchies."age"]
builder = "intervals"
width = 10
[hierarchies."zip"]
path = "zip.csv"
[[privacy]]
model = "k_anonymity"
k = 2
[transformation]
suppression_limit = 0.5
identifying = "mask"
"""
PIN = Pin(Choice(("age", "zip"), (2, 0), Requirement((KAnonymity(2),), 0.1)), "idea")
STATE = ProjectState((0, 1), (0, 0), (), (PIN,))


@pytest.fixture
def project(tmp_path: Path) -> Project:
    (tmp_path / "people.csv").write_text(PEOPLE)
    (tmp_path / "zip.csv").write_text("10;*\n20;*\n30;*\n")
    (tmp_path / "recipe.toml").write_text(RECIPE)
    made = read_recipe(tmp_path / "recipe.toml")
    entry = replace(made.hierarchies["zip"], path=None)  # as after an edit: it is in the project alone
    return edits.set_hierarchy(made, "zip", entry)


def damaged(project: Project, path: Path, *names: str) -> DamagedProject:
    """A project file some members of which are others than those that were saved."""
    save_project(project, path, STATE)
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data[:40] + bytes(8) + data[48:] if name in names else data)
    return DamagedProject(path, path.name)


def test_the_settings_come_back_on_the_table_and_its_release_is_verified(
    project: Project, tmp_path: Path
) -> None:
    remains = damaged(project, tmp_path / "saved.anon", "table.parquet")
    with pytest.raises(DamagedFileError, match="its table is lost") as refusal:
        salvage(remains.path)
    assert refusal.value.context["has_settings"] is True
    (found, state, losses), changes = restore(remains, tmp_path / "people.csv")
    assert found.roles == project.roles
    assert found.quasi_identifying == ("age", "zip")
    assert found.requirement == project.requirement
    assert found.transformation == project.transformation
    assert [c.labels for c in found.table.columns] == [c.labels for c in project.table.columns]
    assert found.hierarchies["zip"].hierarchy.rows() == project.hierarchies["zip"].hierarchy.rows()
    assert found.hierarchies["age"].builder == project.hierarchies["age"].builder
    assert (state, [loss.what for loss in losses]) == (ProjectState(pins=(PIN,)), ["The table"])
    assert not any((changes.added, changes.removed, changes.retyped, changes.gaps, changes.lost_hierarchies))
    assert export_release(found, anonymize(found).release, tmp_path / "out.csv").ok


def test_differences_in_the_table_are_reported(project: Project, tmp_path: Path) -> None:
    remains = damaged(project, tmp_path / "saved.anon", "table.parquet")
    (tmp_path / "people.csv").write_text("who;age;zip;extra\nAnn;31;40;x\nBob;34;10;y\n")
    (found, _, _), changes = restore(remains, tmp_path / "people.csv")
    assert changes.removed == ("illness",)
    assert changes.gaps == {"zip": ("40",)}
    assert found.sensitive == ()


def test_a_column_that_is_new_has_no_role(project: Project, tmp_path: Path) -> None:
    whole = replace(project, options=replace(project.options, take=()))
    remains = damaged(whole, tmp_path / "saved.anon", "table.parquet")
    text = PEOPLE.replace("who;age;zip;ill;note", "name;age;zip;illness;note")
    (tmp_path / "people.csv").write_text(text)
    (found, _, _), changes = restore(remains, tmp_path / "people.csv")
    assert (changes.added, found.undecided) == (("note",), ("note",))


def test_a_hierarchy_that_is_lost_as_well_is_named(project: Project, tmp_path: Path) -> None:
    remains = damaged(project, tmp_path / "saved.anon", "table.parquet", "hierarchies/003.csv")
    (found, _, _), changes = restore(remains, tmp_path / "people.csv")
    assert tuple(changes.lost_hierarchies) == ("zip",)
    assert tuple(found.hierarchies) == ("age",)


def test_the_table_may_be_read_from_a_database(project: Project, tmp_path: Path) -> None:
    remains = damaged(project, tmp_path / "saved.anon", "table.parquet")
    connection = sqlite3.connect(tmp_path / "t.db")
    with connection:
        connection.execute("CREATE TABLE people (who TEXT, age INTEGER, zip TEXT, ill TEXT)")
        connection.execute("INSERT INTO people VALUES ('Ann', 31, '10', 'flu')")
    connection.close()
    (found, _, _), _ = restore(remains, DatabaseAddress(file_url(tmp_path / "t.db"), "people"))
    assert (found.table.names, found.role("zip")) == (
        ("name", "age", "zip", "illness"),
        Role.QUASI_IDENTIFYING,
    )


def test_without_its_settings_there_is_nothing_to_put_on_a_table(project: Project, tmp_path: Path) -> None:
    remains = damaged(project, tmp_path / "saved.anon", "table.parquet", "recipe.toml")
    with pytest.raises(DamagedFileError) as refusal:
        salvage(remains.path)
    assert refusal.value.context["has_settings"] is False
    with pytest.raises(DamagedFileError):
        restore(remains, tmp_path / "people.csv")


def test_a_table_of_something_else_is_refused(project: Project, tmp_path: Path) -> None:
    remains = damaged(project, tmp_path / "saved.anon", "table.parquet")
    (tmp_path / "other.csv").write_text("a;b\n1;2\n")
    with pytest.raises(InputError, match=r"none of the columns that 'saved\.anon' names"):
        restore(remains, tmp_path / "other.csv")


def test_recovered_work_whose_table_is_lost_is_put_on_the_table(
    project: Project, tmp_path: Path, config_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = Recovery()
    kept.write(project, STATE, tmp_path / "saved.anon")
    (folder,) = (config_dir / "recovery").iterdir()
    member = next(folder.glob("*.member"))
    member.write_bytes(member.read_bytes()[:50])
    monkeypatch.setattr(recovery, "is_running", lambda pid, start: False)
    after_crash = Recovery()
    (offer,) = after_crash.offers()
    with pytest.raises(ProjectFileError, match="'recipe' is damaged, and its table is lost") as refusal:
        after_crash.read(replace(offer, name="recipe"))
    assert refusal.value.context["has_settings"] is True
    (found, state, _), _ = restore(offer.remains, tmp_path / "people.csv")
    assert found.hierarchies["zip"].hierarchy.rows() == project.hierarchies["zip"].hierarchy.rows()
    assert state.pins == (PIN,)


def test_recovered_work_that_is_damaged_elsewhere_opens_partly(
    project: Project, tmp_path: Path, config_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Recovery().write(project, STATE, None)
    (folder,) = (config_dir / "recovery").iterdir()
    archive = folder / "project.anon"
    with zipfile.ZipFile(archive) as file:
        members = {name: file.read(name) for name in file.namelist()}
    with zipfile.ZipFile(archive, "w") as file:
        for name, data in members.items():
            file.writestr(name, b"[1]" if name == "notes.json" else data)
    monkeypatch.setattr(recovery, "is_running", lambda pid, start: False)
    after_crash = Recovery()
    (offer,) = after_crash.offers()
    found, state, losses = after_crash.read(offer)
    assert [loss.what for loss in losses] == ["The pinned nodes"]
    assert state.pins == ()
    assert found.requirement == project.requirement
    assert found.table.n_records == 4
