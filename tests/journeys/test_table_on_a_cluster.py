"""A table on a cluster in the window: opened by its address, looked at, filtered, released by the cluster."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel

from engine.monitor import Monitor
from engine.numbers import as_exact_count
from engine.records.databases.address import TOKEN
from tests.fake_cluster import FakeCluster, installed
from tests.window_driver import LONG, Driver

SECRET = "t0ken-of-the-town"
CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def source(examples: Path, monkeypatch: pytest.MonkeyPatch) -> FakeCluster:
    monkeypatch.delenv(TOKEN, raising=False)
    return installed(FakeCluster(examples / "clinic" / "clinic.csv", most_shown=600), monkeypatch)


def opened(driver: Driver) -> Any:
    driver.trigger("File", "Open a database…")
    dialog: Any = driver.dialog("databaseDialog")
    driver.type_into(dialog.place, "sc://spark.example:15002/")
    return dialog


def text(panel: Any, row: int, column: int) -> str:
    return str(panel.table.records.index(row, column).data())


def open_people(driver: Driver) -> Any:
    """Open the table by mouse, and return what shows its records."""
    dialog = opened(driver)
    driver.type_into(dialog.password, SECRET)
    driver.click(dialog.connect_button)
    driver.wait(lambda: dialog.tables.count() == 2)
    people = dialog.tables.item(0)
    assert people.text() == "shop.people"
    rect = dialog.tables.visualItemRect(people)
    driver.qtbot.mouseClick(dialog.tables.viewport(), Qt.MouseButton.LeftButton, pos=rect.center())
    driver.wait(dialog.open_button.isEnabled)
    driver.click(dialog.open_button)
    driver.wait(lambda: driver.session.project is not None)
    return driver.wiring.configure.view.table


def release_of(driver: Driver) -> None:
    driver.set_role(Qt.Key.Key_1, "patient id")
    driver.set_role(Qt.Key.Key_2, "sex", "insurance")
    driver.set_role(Qt.Key.Key_3, "diagnosis")
    driver.set_role(Qt.Key.Key_4, "visit date", "age", "postal code", "length of stay")
    driver.wait_settled()
    driver.key(Qt.Key.Key_2, CONTROL)
    driver.wait_settled()
    driver.apply()
    driver.wait_settled()


def test_a_table_on_a_cluster_is_opened_filtered_and_released_there(
    driver: Driver, source: FakeCluster, tmp_path: Path, config_dir: Path
) -> None:
    panel = open_people(driver)
    assert {login.password for login in source.logins} == {SECRET}
    project = driver.session.project
    assert (project.name, project.database) == (
        "shop.people",
        "sc://spark.example:15002/?table=shop.people",
    )
    captions = [label.text() for label in driver.window.findChildren(QLabel)]
    assert any("on a cluster · the first 600 are shown" in found for found in captions)
    driver.wait(lambda: text(panel, 0, 0) == source.rows[0][0], LONG)
    assert panel.table.records.n_shown == 600 < source.n_records
    panel.table.show_cell(599, 0)
    driver.wait(lambda: text(panel, 599, 0) == source.rows[599][0], LONG)
    driver.key(Qt.Key.Key_F, CONTROL)
    driver.type_into(panel.find_field, source.rows[77][0])
    driver.key(Qt.Key.Key_Return)
    driver.wait(lambda: panel.table.currentIndex().row() == 77)
    panel.table.sort_requested.emit(("patient id", True))
    last = max(row[0] for row in source.rows[:600])
    driver.wait(lambda: text(panel, 0, 0) == last)
    panel.table.sort_requested.emit(None)
    driver.wait(lambda: text(panel, 0, 0) == source.rows[0][0])
    driver.key(Qt.Key.Key_F, CONTROL | SHIFT)
    driver.type_into("recordFilter", "sex = 'male' and age in (32, 33)")
    driver.key(Qt.Key.Key_Return)
    due = [row for row in source.rows if row[3] == "male" and row[2] in ("32", "33")]
    driver.wait(lambda: panel.table.records.n_shown == len(due) < 600)
    assert [text(panel, row, 0) for row in range(len(due))] == [row[0] for row in due]
    release_of(driver)

    driver.key(Qt.Key.Key_E, CONTROL)
    dialog: Any = driver.dialog("exportDialog")
    formats = dialog.target.format_box
    assert [formats.itemText(i) for i in range(formats.count())] == ["Text (CSV)", "Parquet"]
    assert not dialog.form.editor("shuffle").widget.isEnabled()
    assert not dialog.target.browse_button.isVisible()
    driver.type_into("exportPath", "hdfs://town/released.parquet")
    assert dialog.target.ending == ".parquet"
    driver.key(Qt.Key.Key_Return)
    driver.wait(lambda: dialog.written or dialog.banner.isVisible(), LONG)
    assert dialog.written == "Written by the cluster and verified: hdfs://town/released.parquet"
    assert "every record as often as expected" in dialog._details.text()
    assert list(source.folders) == ["hdfs://town/released.parquet"]
    assert not dialog.form.editor("shuffle").widget.isEnabled()

    driver.key(Qt.Key.Key_Escape)
    driver.wait(lambda: not dialog.isVisible())
    driver.answer_file_dialog(tmp_path / "saved.toml")
    driver.trigger("File", "Save recipe…")
    driver.wait((tmp_path / "saved.toml").exists)
    kept = [path for folder in (tmp_path, config_dir) for path in folder.rglob("*") if path.is_file()]
    assert not any(SECRET.encode() in path.read_bytes() for path in kept)


def test_a_damaged_release_is_told_and_a_cancelled_one_is_not_there(
    driver: Driver, source: FakeCluster
) -> None:
    open_people(driver)
    release_of(driver)
    source.damage = lambda rows: [*rows[:-1], rows[0]]
    said = driver.export(Path("/data/damaged"))
    assert said.startswith("The written folder '/data/damaged' does not have the claimed properties")

    def waits(monitor: Monitor) -> None:
        while True:
            monitor.step(0, 1, "The cluster writes the release")

    source.before_writing = waits
    driver.key(Qt.Key.Key_E, CONTROL)
    dialog: Any = driver.dialog("exportDialog")
    driver.type_into("exportPath", "/data/never")
    driver.key(Qt.Key.Key_Return)
    driver.wait(lambda: dialog.is_busy)
    driver.click(dialog.job._cancel)
    driver.wait(dialog.banner.isVisible)
    assert dialog.banner.problem() == "The export was cancelled."
    assert "The cluster removes" in dialog.banner.hint.text()
    assert list(source.folders) == ["/data/damaged"]


def test_files_on_a_cluster_are_named_by_their_path(driver: Driver, source: FakeCluster) -> None:
    dialog = opened(driver)
    assert not dialog.user.isVisible()
    assert dialog.password.accessibleName() == "Token"
    driver.click(dialog.connect_button)
    driver.wait(lambda: dialog.tables.count() == 2)
    assert not dialog.ways.segment("query").isVisible()
    driver.click(dialog.ways.segment("files"))
    driver.qtbot.keyClicks(dialog.files.path, "/data/people/*.csv")
    driver.key(Qt.Key.Key_Return)
    driver.wait(dialog.open_button.isEnabled)
    driver.click(dialog.open_button)
    driver.wait(lambda: driver.session.project is not None)
    project = driver.session.project
    assert project.database == "sc://spark.example:15002/?path=%2Fdata%2Fpeople%2F%2A.csv"
    assert project.name == "people"
    assert source.logins[0].password is None


def test_the_token_of_the_environment_is_used_and_not_shown(
    driver: Driver, source: FakeCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(TOKEN, SECRET)
    dialog = opened(driver)
    assert dialog.password.placeholderText() == TOKEN
    driver.click(dialog.connect_button)
    driver.wait(lambda: dialog.tables.count() == 2)
    assert source.logins[0].password == SECRET
    assert dialog.password.text() == ""


def test_a_connection_that_is_not_encrypted_is_accepted_by_a_box(driver: Driver, source: FakeCluster) -> None:
    dialog = opened(driver)
    assert not dialog.unencrypted.isVisible()
    driver.type_into(dialog.place, "sc://spark.example/?use_ssl=false")
    assert dialog.unencrypted.isVisible()
    assert dialog.login.accepted == ""
    dialog.unencrypted.setFocus()
    driver.key(Qt.Key.Key_Space)
    driver.click(dialog.connect_button)
    driver.wait(lambda: dialog.tables.count() == 2)
    assert source.logins[0].accepted == "not encrypted"
    driver.type_into(dialog.place, "sc://spark.example/")
    assert not dialog.unencrypted.isVisible()
    assert dialog.login.accepted == ""


def test_a_recipe_is_applied_to_a_table_on_a_cluster(
    driver: Driver, source: FakeCluster, tmp_path: Path, examples: Path
) -> None:
    recipe = tmp_path / "recipe.toml"
    text = (examples / "clinic" / "recipe.toml").read_text(encoding="utf-8")
    place = 'path = "sc://spark.example:15002/?table=shop.people"'
    text = text.replace('path = "clinic.csv"', f'{place}\ncolumn_missing = {{age = ["99"]}}')
    hierarchies = (examples / "clinic" / "hierarchies").as_posix()
    recipe.write_text(text.replace('"hierarchies/', f'"{hierarchies}/'), encoding="utf-8")
    driver.drop(recipe)
    banner = driver.window.banner
    driver.wait(lambda: banner.isVisible() and banner._action.text() == "Connect…")
    driver.click(banner._action)
    dialog: Any = driver.dialog("databaseDialog")
    assert dialog.place.text() == "sc://spark.example:15002/"
    driver.click(dialog.connect_button)
    driver.wait(dialog.open_button.isEnabled)
    driver.click(dialog.open_button)
    driver.click(driver.button(driver.dialog("changesDialog"), "takeOverButton"))
    driver.wait(lambda: driver.session.project is not None)
    project = driver.session.project
    assert project.remote is not None
    assert project.quasi_identifying == ("visit date", "age", "sex", "postal code", "insurance")
    driver.wait_settled()


def connect(driver: Driver) -> None:
    """Confirm the connection that the banner offers; the token is not known."""
    banner = driver.window.banner
    driver.wait(lambda: banner.isVisible() and banner._action.text() == "Connect…")
    assert "which was not asked" in banner.problem()
    driver.click(banner._action)
    dialog: Any = driver.dialog("databaseDialog")
    assert dialog.place.text() == "sc://spark.example:15002/"
    assert dialog.password.text() == ""
    driver.type_into(dialog.password, SECRET)
    driver.click(dialog.connect_button)
    driver.wait(dialog.open_button.isEnabled)
    driver.click(dialog.open_button)


@pytest.mark.thorough  # of a server and without a window: test_reference_to_databases, test_reimport
def test_a_project_of_a_cluster_is_saved_opened_and_told_of_changes(
    driver: Driver, source: FakeCluster, tmp_path: Path
) -> None:
    open_people(driver)
    release_of(driver)
    applied, saved = driver.session.applied.node, tmp_path / "people.anon"
    driver.answer_file_dialog(saved)
    driver.key(Qt.Key.Key_S, CONTROL)
    driver.wait(lambda: not driver.session.saved.is_modified)
    assert "names the table on its cluster" in driver.window.banner.problem()
    assert "no token" in driver.window.banner.hint.text()
    driver.trigger("File", "Close")
    driver.drop(saved)
    connect(driver)
    driver.wait(lambda: driver.session.project is not None)
    driver.wait_settled()
    assert driver.session.applied.node == applied
    driver.trigger("File", "Re-import table…")
    dialog: Any = driver.dialog("databaseDialog")
    source.take([row for row in source.rows if row[3] != "male"])
    driver.type_into(dialog.password, SECRET)
    driver.click(dialog.connect_button)
    driver.wait(dialog.open_button.isEnabled)
    driver.click(dialog.open_button)
    driver.click(driver.button(driver.dialog("changesDialog"), "takeOverButton"))
    driver.wait(lambda: driver.session.project.table.n_records == source.n_records)  # type: ignore[union-attr]
    project = driver.session.project
    assert project.remote is source
    assert project.quasi_identifying == ("sex", "insurance")
    driver.wait_settled()
    driver.key(Qt.Key.Key_S, CONTROL)
    driver.wait(lambda: not driver.session.saved.is_modified)
    driver.trigger("File", "Close")
    source.take(source.rows[:-5])
    driver.drop(saved)
    connect(driver)
    banner = driver.window.banner
    driver.wait(lambda: banner._action.text() == "Read it as it is now")
    assert f"it has {as_exact_count(source.n_records)} records instead of" in banner.problem()
    driver.click(banner._action)
    driver.click(driver.button(driver.dialog("changesDialog"), "takeOverButton"))
    driver.wait(lambda: driver.session.project is not None)
    assert driver.session.project.remote is source  # type: ignore[union-attr]
    driver.wait_settled()
    assert SECRET.encode() not in saved.read_bytes()
