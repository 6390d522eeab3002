"""Projects of tables that stay in a database: they refer to it, and say what has changed there."""

from __future__ import annotations

import sqlite3
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from engine.errors import ProjectFileError
from engine.hierarchies.builders.base import BuilderContext, builders
from engine.privacy import Requirement
from engine.privacy.k_anonymity import KAnonymity
from engine.project import Project
from engine.project.edits import set_hierarchy, set_roles
from engine.project.pins_and_runs import ProjectState
from engine.project.project import AttributeHierarchy
from engine.project.storage import recovery
from engine.project.storage.file import open_project, save_project
from engine.project.storage.members import DamagedFileError
from engine.project.storage.opened_project import DamagedProject
from engine.project.storage.recovery import Recovery
from engine.project.storage.reference import SavedTable, TableAwayError
from engine.project.storage.salvage import restore, salvage
from engine.records import Role
from engine.records.databases.address import Connection, DatabaseAddress, Login, file_url, parse_address
from engine.records.opening import open_database
from engine.records.options import SERVER, ReadOptions, Replacement
from tests.fake_cluster import FakeCluster, installed
from tests.project_differences import project_differences
from tests.servers import PASSWORD, Server

pytestmark = pytest.mark.usefixtures("work_here")

COLUMNS = {"id": "integer", "name": "text", "town": "text", "age": "integer"}
TOWNS = ("Quillfeather", "Marrowby", "Thistledown")
ROWS = [(i, f"Zebulon-{i}", TOWNS[i % 3], 1730173010 + i % 4) for i in range(1, 61)]
LOGIN = Login("steward", PASSWORD)
HOW = ReadOptions(source=SERVER, missing=("", "?"))


def project_of(address: DatabaseAddress, login: Login = LOGIN) -> Project:
    table, options = open_database(address, HOW, login)
    made = Project("people", None, options, table, database=address.full)
    made = set_roles(made, ["id", "name"], Role.IDENTIFYING)
    made = set_roles(made, ["town", "age"], Role.QUASI_IDENTIFYING)
    for name in ("town", "age"):
        builder = builders.create("suppress")
        built = builder.build(table.column(name), BuilderContext(table))
        made = set_hierarchy(made, name, AttributeHierarchy(built, builder=builder))
    return replace(made, requirement=Requirement((KAnonymity(3),), 0.1))


@pytest.fixture
def address(server: Server) -> DatabaseAddress:
    server.make("people", COLUMNS, ROWS, "id")
    return parse_address(server.url("people"))[0]


@pytest.fixture
def connection(address: DatabaseAddress) -> Connection:
    """Return what the user enters: the address as it is saved, and user and password."""
    return Connection(address.without_user, LOGIN)


@pytest.fixture(scope="module")
def project(server: Server) -> Project:
    server.make("people", COLUMNS, ROWS, "id")
    return project_of(parse_address(server.url("people"))[0])


@pytest.fixture
def saved(project: Project, address: DatabaseAddress, tmp_path: Path) -> Path:
    path = tmp_path / "people.anon"
    save_project(project, path, ProjectState(applied=(0, 1)))
    return path


def assert_nothing_is_told(content: str) -> None:
    # No digest and no time has the number.
    secrets = ("steward", PASSWORD, "tide%26harbour", "Zebulon", "173017301", *TOWNS)
    assert [text for text in secrets if text in content] == []


def refused(path: Path, connection: Connection | None = None) -> TableAwayError:
    with pytest.raises(TableAwayError) as told:
        open_project(path, connection=connection)
    assert told.value.context["has_settings"]
    return told.value


def test_a_saved_project_names_the_table_and_holds_no_value_user_or_password(
    project: Project, saved: Path, connection: Connection, tmp_path: Path
) -> None:
    with zipfile.ZipFile(saved) as archive:
        members = {name: archive.read(name).decode() for name in archive.namelist()}
    assert "table.parquet" not in members
    assert not [name for name in members if name.startswith("hierarchies/")]
    assert "table=people" in members["database.json"]
    assert_nothing_is_told(str(members))
    opened = open_project(saved, connection=connection)
    assert opened.state.applied == (0, 1)
    assert opened.project.remote is not None
    assert opened.project.database == connection.address.full
    assert project_differences(project, opened.project) == ()
    save_project(opened.project, tmp_path / "again.anon", opened.state)
    assert (tmp_path / "again.anon").read_bytes() == saved.read_bytes()


def test_nothing_is_asked_because_a_project_names_a_server(saved: Path, server: Server) -> None:
    since = server.mark()
    error = refused(saved)
    assert error.problem.startswith("The table of 'people.anon' stays in '/postgres'")
    assert error.context["database"] == parse_address(server.url("people"))[0].without_user.full
    assert server.said(since) == ""


def test_what_changed_is_named(saved: Path, server: Server, connection: Connection) -> None:
    server.run("UPDATE people SET id = 61 WHERE id = 60")
    assert "the least or the greatest value of its key is another one." in refused(saved, connection).problem
    server.run("UPDATE people SET town = 'Elsewhere' WHERE id = 7")
    assert "'town' has 4 different values instead of 3." in refused(saved, connection).problem
    server.run("DELETE FROM people WHERE id = 61", "ALTER TABLE people ADD COLUMN note text")
    problem = refused(saved, connection).problem
    assert "column 'note' is new; it has 59 records instead of 60; 'id' has 59" in problem
    assert problem.endswith("(and 2 more).")
    server.run("ALTER TABLE people DROP COLUMN age")
    assert refused(saved, connection).problem.startswith("'people' has no column 'age'")


def test_a_changed_table_is_read_as_it_is_now_with_the_settings(
    saved: Path, server: Server, connection: Connection
) -> None:
    server.run("UPDATE people SET town = 'Elsewhere' WHERE id = 7")
    place = refused(saved, connection).context["place"]
    opened, changes = restore(DamagedProject(saved, saved.name), place, login=connection.login)
    assert (changes.added, changes.removed, changes.gaps, opened.losses) == ((), (), {}, ())
    assert opened.project.remote is not None
    assert "Elsewhere" in opened.project.table.column("town").labels
    assert opened.project.quasi_identifying == ("town", "age")


def test_unsaved_work_refers_to_the_table_too(
    project: Project, connection: Connection, config_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Recovery().write(project, ProjectState(), None)
    for path in (config_dir / "recovery").rglob("*"):
        if path.suffix == ".anon":
            with zipfile.ZipFile(path) as archive:
                assert_nothing_is_told(str([archive.read(name).decode() for name in archive.namelist()]))
    monkeypatch.setattr(recovery, "is_running", lambda pid, start: False)
    kept = Recovery()
    (offer,) = kept.offers()
    with pytest.raises(TableAwayError) as told:
        kept.read(offer)
    assert told.value.context["database"] == connection.address.full
    assert project_differences(project, kept.read(offer, connection=connection).project) == ()


def test_edited_hierarchies_and_replaced_values_are_settings_and_kept(
    project: Project, connection: Connection, tmp_path: Path
) -> None:
    entry = project.hierarchies["town"]
    edited = set_hierarchy(project, "town", AttributeHierarchy(entry.hierarchy))
    edited = replace(
        edited, options=replace(edited.options, replacements=(Replacement("name", "Zebulon-1", None),))
    )
    save_project(edited, tmp_path / "edited.anon")
    found = open_project(tmp_path / "edited.anon", connection=connection).project
    assert found.hierarchies["town"].hierarchy.levels[0].labels == entry.hierarchy.levels[0].labels
    assert found.table.column("name").has_missing


def test_a_damaged_project_leads_to_its_database(saved: Path, connection: Connection) -> None:
    with zipfile.ZipFile(saved) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    members["recipe.toml"] += b"# changed"
    with zipfile.ZipFile(saved, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    with pytest.raises(DamagedFileError):
        open_project(saved, connection=connection)
    with pytest.raises(TableAwayError, match=r"is damaged\. Its table is in a database\.") as told:
        salvage(saved)
    assert told.value.context["place"] == connection.address
    assert not told.value.context["has_settings"]


def test_a_member_that_names_no_table_is_refused(saved: Path) -> None:
    about = {"place": "postgresql:///x?table=people", "n_records": 1, "state": "1", "columns": {"a": 1}}
    assert SavedTable.from_json(about) is not None
    for key, value in (
        ("place", "people.csv"),
        ("place", "postgresql://u:secret@host/x?table=people"),
        ("place", "postgresql:///x?query=SELECT%201"),
        ("n_records", "1"),
        ("columns", {"a": "b"}),
        ("more", 1),
    ):
        assert SavedTable.from_json(about | {key: value}) is None


def file_of(folder: Path) -> DatabaseAddress:
    with sqlite3.connect(folder / "people.db") as connection:
        connection.execute("CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT, town TEXT, age INTEGER)")
        connection.executemany("INSERT INTO people VALUES (?, ?, ?, ?)", ROWS)
    connection.close()
    return DatabaseAddress(file_url(folder / "people.db"), "people")


def test_an_sqlite_file_and_its_project_are_moved_together_or_it_is_located(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    old.mkdir()
    project = project_of(file_of(old))
    save_project(project, old / "people.anon")
    with zipfile.ZipFile(old / "people.anon") as archive:
        assert str(tmp_path) not in str([archive.read(name) for name in archive.namelist()])
    old.rename(new)
    found = open_project(new / "people.anon").project
    assert project_differences(project, found) == ()
    assert found.database == f"sqlite:///{new / 'people.db'}?table=people"
    (new / "people.db").rename(tmp_path / "archived.db")
    error = refused(new / "people.anon")
    assert error.problem == "The table of 'people.anon' is not at 'people.db'."
    moved = {str(error.context["missing"]): tmp_path / "archived.db"}
    assert open_project(new / "people.anon", moved=moved).project.table.n_records == 60
    (new / "people.db").write_text("no database")
    assert "not a database of its ending" in refused(new / "people.anon").problem
    with pytest.raises(ProjectFileError):
        open_project(tmp_path / "people.anon")


def test_a_table_on_a_cluster_is_named_without_token_and_asked_again(
    examples: Path, tmp_path: Path, config_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = installed(FakeCluster(examples / "clinic" / "clinic.csv"), monkeypatch)
    address = DatabaseAddress("sc://spark.example:15002/", "shop.people")
    given = Connection(address, Login(None, "t0ken-of-the-town"))
    table, options = open_database(address, ReadOptions(missing=("", "?")), given.login)
    project = Project("people", None, options, table, database=address.full)
    project = set_roles(project, ["sex", "insurance"], Role.QUASI_IDENTIFYING)
    project = set_roles(project, ["patient id"], Role.IDENTIFYING)
    path = tmp_path / "people.anon"
    save_project(project, path)
    Recovery().write(project, ProjectState(), None)
    for file in (path, *(config_dir / "recovery").rglob("*.anon")):
        with zipfile.ZipFile(file) as archive:
            content = str([archive.read(name) for name in archive.namelist()])
        assert "sc://spark.example:15002/?table=shop.people" in content
        assert [text for text in ("t0ken", "pat-0", source.rows[0][0]) if text in content] == []
    source.logins.clear()
    assert refused(path).context["database"] == address.full
    assert not source.logins
    assert project_differences(project, open_project(path, connection=given).project) == ()
    assert source.logins == [given.login]
    monkeypatch.setattr(recovery, "is_running", lambda pid, start: False)
    kept = Recovery()
    (offer,) = kept.offers()
    with pytest.raises(TableAwayError, match="which was not asked"):
        kept.read(offer)
    assert project_differences(project, kept.read(offer, connection=given).project) == ()
    source.state = "another day"
    assert "its files have other names, sizes or times." in refused(path, given).problem
    source.take([row for row in source.rows if row[3] != "male"])
    assert "records instead of" in refused(path, given).problem
    opened, changes = restore(DamagedProject(path, path.name), address, login=given.login)
    assert (opened.project.remote, changes.removed, opened.losses) == (source, (), ())
