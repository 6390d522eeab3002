"""A database table, by mouse and keyboard: a file is read immediately, a server on request."""

from __future__ import annotations

import sqlite3
import threading
from pathlib import Path
from typing import Any

import duckdb
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QDialog, QLabel, QLineEdit, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from anonymizer_gui.perspectives.start.database_dialog import DatabaseDialog
from anonymizer_gui.session.preferences import Preferences
from anonymizer_gui.widgets.fitted_dialog import Question
from engine.records import Role
from engine.records.databases.address import DatabaseAddress, Login, parse_address
from engine.records.opening import open_database
from tests.window_driver import LONG, Driver

SECRET = "s3cret-of-the-town"


@pytest.fixture
def people(tmp_path: Path) -> Path:
    path = tmp_path / "clinic.sqlite3"
    connection = sqlite3.connect(path)
    with connection:
        connection.execute("CREATE TABLE people (name TEXT, age INTEGER)")
        connection.executemany(
            "INSERT INTO people VALUES (?, ?)", [(f"P{i}", 20 + i % 9) for i in range(300)]
        )
        connection.execute("CREATE TABLE visits (person TEXT)")
        connection.execute("INSERT INTO visits VALUES ('P1')")
    connection.close()
    return path


def opened(driver: Driver) -> Any:
    driver.trigger("File", "Open a database…")
    return driver.dialog("databaseDialog")


def choose(driver: Driver, dialog: Any, table: str) -> None:
    driver.wait(lambda: dialog.tables.count() > 0)
    item = dialog.tables.findItems(table, Qt.MatchFlag.MatchExactly)[0]
    driver.qtbot.mouseClick(
        dialog.tables.viewport(), Qt.MouseButton.LeftButton, pos=dialog.tables.visualItemRect(item).center()
    )


def test_a_dropped_file_lists_its_tables_and_one_becomes_a_project(driver: Driver, people: Path) -> None:
    driver.drop(people)
    dialog: Any = driver.dialog("databaseDialog")
    assert dialog.place.text() == str(people)
    choose(driver, dialog, "people")
    driver.wait(dialog.open_button.isEnabled)
    assert dialog.findChild(QWidget, "databasePreview").model().rowCount() == 200
    driver.click(dialog.open_button)
    driver.wait(lambda: driver.session.project is not None)
    project = driver.session.project
    assert (project.name, project.table.n_records, project.source) == ("people", 300, None)
    assert project.database == f"sqlite:///{people}?table=people"
    assert driver.session.saved.is_modified
    assert driver.session.saved.path is None
    assert driver.wiring.preferences.value.recent_databases == (f"sqlite:///{people}",)


@pytest.fixture
def town(tmp_path: Path) -> Path:
    """A file of DuckDB, and beside it the folder "town" with the same records in folders."""
    path = tmp_path / "town.duckdb"
    with duckdb.connect(path) as made:
        made.execute("CREATE TABLE people AS SELECT i % 9 AS age, i % 2 AS region FROM range(300) AS r(i)")
        made.execute(f"COPY people TO '{tmp_path / 'town'}' (FORMAT parquet, PARTITION_BY (region))")
    return path


def test_a_dropped_file_of_duckdb_opens_too(driver: Driver, town: Path) -> None:
    driver.drop(town)
    dialog: Any = driver.dialog("databaseDialog")
    choose(driver, dialog, "people")
    driver.wait(dialog.open_button.isEnabled)
    driver.click(dialog.open_button)
    driver.wait(lambda: driver.session.project is not None)
    assert driver.session.project.database == f"duckdb:///{town}?table=people"


def test_a_dropped_folder_of_folders_becomes_one_table(driver: Driver, town: Path) -> None:
    driver.drop(town.with_suffix(""))
    driver.click(driver.button(driver.dialog("openDialog"), "openDialogButton"))
    driver.wait(lambda: driver.session.project is not None)
    table = driver.session.project.table
    assert table.names == ("age", "region")
    assert table.column("region").labels == ("0", "1")


def test_recent_addresses_have_no_users_or_passwords(qtbot: QtBot) -> None:
    secret = DatabaseAddress("postgresql://ann:secret@db/x", "people")
    preferences = Preferences().with_database("sc://c/").with_database(secret.without_user.url)
    assert preferences.with_database("sc://c/").recent_databases == ("sc://c/", "postgresql://db/x")
    dialog = DatabaseDialog(recent=preferences.recent_databases)
    qtbot.addWidget(dialog)
    dialog.show()
    links = dialog.findChildren(QPushButton, "databaseLink")
    assert [link.text() for link in links[:2]] == ["postgresql://db/x", "sc://c/"]
    for link in links:
        qtbot.mouseClick(link, Qt.MouseButton.LeftButton)
        assert dialog.place.text() == link.text()


def test_a_query_is_previewed_before_opening_and_an_error_in_it_is_shown(
    driver: Driver, people: Path
) -> None:
    dialog = opened(driver)
    driver.answer_file_dialog(people)
    driver.click(dialog.choose_button)
    driver.wait(lambda: dialog.tables.count() == 2)
    driver.click(dialog.ways.segment("query"))
    driver.qtbot.keyClicks(dialog.query, "DELETE FROM people")
    driver.click(dialog.run_button)
    driver.wait(dialog.banner.isVisible)
    assert "does more than read" in dialog.banner.problem()
    assert not dialog.open_button.isEnabled()
    driver.qtbot.keyClick(dialog.query, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    driver.qtbot.keyClicks(dialog.query, "SELECT age, count(*) AS n FROM people GROUP BY age")
    driver.click(dialog.run_button)
    driver.wait(dialog.open_button.isEnabled)
    driver.click(dialog.open_button)
    driver.wait(lambda: driver.session.project is not None)
    assert driver.session.project.table.names == ("age", "n")  # type: ignore[union-attr]
    assert driver.session.project.name == "clinic"  # type: ignore[union-attr]


@pytest.mark.usefixtures("work_here")
@pytest.mark.parametrize("stays", [False, True])
def test_the_table_is_read_again_from_its_database_and_changes_are_shown(
    driver: Driver, people: Path, stays: bool
) -> None:
    driver.drop(people)
    dialog: Any = driver.dialog("databaseDialog")
    choose(driver, dialog, "people")
    driver.wait(dialog.open_button.isEnabled)
    if stays:
        driver.click(dialog.stay)
    driver.click(dialog.open_button)
    driver.wait(lambda: driver.session.project is not None)
    before = driver.session.project
    driver.select_columns("age")
    driver.key(Qt.Key.Key_2)
    driver.wait(lambda: driver.session.project is not before)
    connection = sqlite3.connect(people)
    with connection:
        connection.execute("INSERT INTO people VALUES ('New', 99)")
    connection.close()
    driver.trigger("File", "Re-import table…")
    again: Any = driver.dialog("databaseDialog")
    assert again is not dialog
    driver.wait(again.open_button.isEnabled)  # the previous table is chosen immediately
    driver.click(again.open_button)
    driver.wait(lambda: driver.window.findChild(QDialog, "changesDialog") is not None, LONG)
    changes: Any = driver.dialog("changesDialog")
    assert ["Records", "", "300 before, 301 now"] in changes.table.texts.texts()
    driver.click(driver.button(changes, "takeOverButton"))
    driver.wait(lambda: driver.session.project.table.n_records == 301)  # type: ignore[union-attr]
    project = driver.session.project
    assert (project.quasi_identifying, project.database) == (("age",), f"sqlite:///{people}?table=people")
    assert (project.remote is not None) == stays
    driver.wait_settled()


def test_a_file_that_is_not_a_database_shows_an_error_in_the_dialog(driver: Driver, tmp_path: Path) -> None:
    path = tmp_path / "text.db"
    path.write_text("no database" * 100)
    driver.drop(path)
    dialog: Any = driver.dialog("databaseDialog")
    driver.wait(dialog.banner.isVisible)
    assert "it is not a database of its ending" in dialog.banner.problem()
    driver.click(dialog.cancel_button)
    assert driver.session.project is None


@pytest.fixture
def dialog(qtbot: QtBot, themed: QApplication) -> DatabaseDialog:
    made = DatabaseDialog()
    qtbot.addWidget(made)
    made.show()
    return made


def test_nothing_is_connected_to_before_the_button_is_pressed(qtbot: QtBot, dialog: DatabaseDialog) -> None:
    wishes: list[tuple[str, Login]] = []
    dialog.tables_wanted.connect(lambda address, login: wishes.append((address.full, login)))
    dialog.set_place("postgresql://steward@host/town?table=people")
    assert dialog.place.text() == "postgresql://steward@host/town"
    assert wishes == []
    qtbot.keyClicks(dialog.password, SECRET)
    assert dialog.password.echoMode() is QLineEdit.EchoMode.Password
    qtbot.mouseClick(dialog.connect_button, Qt.MouseButton.LeftButton)
    assert wishes == [("postgresql://steward@host/town?table=people", Login(password=SECRET))]


def test_the_url_follows_the_fields_and_the_fields_follow_the_url(
    qtbot: QtBot, dialog: DatabaseDialog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "engine.records.databases.address.find_spec", lambda module: None if module == "pymysql" else module
    )
    form = dialog.server
    missing = form.findChild(QLabel, "missingDriver")
    assert form.isVisible()
    assert not form.host.isEnabled()
    form.kind.setFocus()
    qtbot.keyClicks(form.kind, "MySQL")
    assert dialog.place.text() == "mysql+pymysql:///"
    assert missing.isVisible()
    assert missing.text().endswith('pip install "PyMySQL"')
    qtbot.keyClick(form.kind, Qt.Key.Key_Up)
    assert not missing.isVisible()
    qtbot.keyClicks(form.host, "db.town")
    assert form.port.placeholderText() == "5432"
    qtbot.keyClicks(form.port, "5433x")
    qtbot.keyClicks(form.name, "registry")
    assert dialog.place.text() == "postgresql+psycopg://db.town:5433/registry"
    assert dialog.unencrypted.isVisible()
    assert dialog.password.isVisible()
    dialog.place.selectAll()
    qtbot.keyClicks(dialog.place, "oracle://me@localhost/?service_name=people")
    shown = (form.kind.currentText(), form.host.text(), form.port.text(), form.name.text())
    assert shown == ("Oracle", "localhost", "", "people")
    qtbot.keyClicks(form.name, "2")
    assert dialog.place.text() == "oracle://me@localhost/?service_name=people2"
    dialog.place.selectAll()
    qtbot.keyClicks(dialog.place, "people.db")
    assert not form.isVisible()


def test_a_connection_that_is_not_encrypted_is_accepted_for_one_server(
    qtbot: QtBot, dialog: DatabaseDialog
) -> None:
    wishes: list[str] = []
    dialog.tables_wanted.connect(lambda _address, login: wishes.append(login.accepted))

    def connect() -> str:
        qtbot.mouseClick(dialog.connect_button, Qt.MouseButton.LeftButton)
        return wishes[-1]

    for place in ("postgresql://steward@localhost/town", "postgresql:///town?host=/tmp"):
        dialog.set_place(place)
        assert not dialog.unencrypted.isVisible()
    dialog.set_place("postgresql://steward@host/town")
    assert dialog.unencrypted.isVisible()
    assert connect() == ""
    qtbot.mouseClick(dialog.unencrypted, Qt.MouseButton.LeftButton, pos=QPoint(8, 8))
    assert connect() == "not encrypted"
    dialog.set_place("postgresql://steward@other/town")
    assert connect() == ""


@pytest.mark.parametrize("database", ["sqlite:////data/town.db", "postgresql://steward@host/town"])
def test_an_earlier_query_is_filled_in_again(qtbot: QtBot, dialog: DatabaseDialog, database: str) -> None:
    wishes: list[str] = []
    dialog.tables_wanted.connect(lambda address, _login: wishes.append(address.full))
    previews: list[str] = []
    dialog.preview_wanted.connect(lambda address, _login: previews.append(address.query))
    dialog.set_place(f"{database}?query=SELECT%201%20AS%20a")
    if not wishes:
        qtbot.mouseClick(dialog.connect_button, Qt.MouseButton.LeftButton)
    assert wishes == [f"{database}?query=SELECT%201%20AS%20a"]
    dialog.show_tables(parse_address(wishes[0])[0], ("people",))
    assert dialog.query.toPlainText() == "SELECT 1 AS a"
    assert previews == ["SELECT 1 AS a"]


def test_a_password_in_the_url_moves_to_the_password_field(qtbot: QtBot, dialog: DatabaseDialog) -> None:
    addresses: list[Any] = []
    dialog.tables_wanted.connect(lambda address, login: addresses.extend((address, login)))
    qtbot.keyClicks(dialog.place, f"mysql+pymysql://me:{SECRET}@host/town")
    qtbot.mouseClick(dialog.connect_button, Qt.MouseButton.LeftButton)
    assert dialog.place.text() == "mysql+pymysql://me@host/town"
    assert dialog.password.text() == SECRET
    assert SECRET not in repr(addresses)
    assert addresses[1].password == SECRET


def test_an_invalid_url_is_reported_without_a_possible_password(qtbot: QtBot, dialog: DatabaseDialog) -> None:
    qtbot.keyClicks(dialog.place, f"postgresql://me:a/{SECRET}@host/town")
    qtbot.keyClick(dialog.place, Qt.Key.Key_Return)
    assert dialog.banner.isVisible()
    assert SECRET not in dialog.banner.problem() + dialog.banner.hint.text()


def test_tables_of_the_database_typed_before_are_not_shown_for_the_one_typed_now(
    qtbot: QtBot, dialog: DatabaseDialog
) -> None:
    wishes: list[tuple[DatabaseAddress, Login]] = []
    dialog.tables_wanted.connect(lambda *wish: wishes.append(wish))
    dialog.preview_wanted.connect(lambda *wish: wishes.append(wish))
    dialog.set_place("postgresql://steward@host/town")
    qtbot.keyClicks(dialog.password, SECRET)
    qtbot.mouseClick(dialog.connect_button, Qt.MouseButton.LeftButton)
    qtbot.keyClicks(dialog.place, "2")
    dialog.show_tables(wishes[0][0], ["people"])
    assert dialog.tables.count() == 0
    assert dialog.address is None
    assert len(wishes) == 1  # no request for the first database with the login of the second


def test_rows_are_read_with_the_login_that_listed_the_tables(qtbot: QtBot, dialog: DatabaseDialog) -> None:
    wishes: list[tuple[DatabaseAddress, Login]] = []
    dialog.tables_wanted.connect(lambda *wish: wishes.append(wish))
    dialog.preview_wanted.connect(lambda *wish: wishes.append(wish))
    dialog.set_place("postgresql://steward@host/town")
    qtbot.keyClicks(dialog.password, SECRET)
    qtbot.mouseClick(dialog.connect_button, Qt.MouseButton.LeftButton)
    dialog.show_tables(wishes[0][0], ["people"])
    assert wishes[1][1] == Login(password=SECRET)
    qtbot.keyClicks(dialog.password, "x")
    assert dialog.tables.count() == 0  # another user may have access to other tables


def test_changes_made_while_a_database_table_is_read_are_asked_about(
    driver: Driver, people: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_end = threading.Event()

    def slow(*asked: Any, **how: Any) -> Any:
        may_end.wait(10)
        return open_database(*asked, **how)

    monkeypatch.setattr("anonymizer_gui.perspectives.start.database_opening.open_database", slow)
    (tmp_path / "small.csv").write_text("a,b\n1,2\n3,4\n")
    driver.open_table(tmp_path / "small.csv")
    driver.drop(people)
    dialog: Any = driver.dialog("databaseDialog")
    choose(driver, dialog, "people")
    driver.wait(dialog.open_button.isEnabled)
    driver.click(dialog.open_button)
    driver.set_role(Qt.Key.Key_1, "a")
    asked: list[str] = []

    def cancel(box: Question) -> None:
        asked.append(box.question)
        driver.click(box.answers["cancel"])

    driver.when_modal(Question, cancel)
    may_end.set()
    driver.wait(lambda: asked)
    project = driver.session.project
    assert (project.name, project.role("a")) == ("small", Role.IDENTIFYING)
