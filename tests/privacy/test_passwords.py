"""The password of a database is in no file, list, message or log after its use."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from engine.monitor import SILENT, Monitor
from engine.project.storage.recovery import Recovery
from engine.records import Table
from engine.records.databases.address import PASSWORD, DatabaseAddress, Login, file_url
from engine.records.databases.tables import database_tables, read_database
from engine.records.options import ReadOptions
from tests.privacy.sources import ROOT
from tests.window_driver import Driver, driven_window

SECRET = "hunter2-of-the-town"
TYPED = f"postgresql://steward:{SECRET}@db.invalid/town?table=people"


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Login]:
    """Return the recorded logins to a server; a file serves its data."""
    path = tmp_path / "stand-in.db"
    connection = sqlite3.connect(path)
    with connection:
        connection.execute("CREATE TABLE people (name TEXT, age INTEGER)")
        connection.execute("INSERT INTO people VALUES ('Ann', 31), ('Bob', 31)")
    connection.close()
    seen: list[Login] = []

    def tables(address: DatabaseAddress, login: Login, monitor: Monitor = SILENT) -> tuple[str, ...]:
        seen.append(login)
        return database_tables(DatabaseAddress(file_url(path)), monitor=monitor)

    def read(
        address: DatabaseAddress, options: ReadOptions, login: Login, monitor: Monitor = SILENT, **how: Any
    ) -> tuple[Table, ReadOptions]:
        seen.append(login)
        return read_database(DatabaseAddress(file_url(path), "people"), options, monitor=monitor, **how)

    monkeypatch.setattr("anonymizer_gui.perspectives.start.database_opening.database_tables", tables)
    monkeypatch.setattr("anonymizer_gui.perspectives.start.database_opening.read_database", read)
    monkeypatch.setattr("anonymizer_gui.perspectives.start.database_opening.open_database", read)
    return seen


@pytest.fixture
def driver(qtbot: QtBot, qapp: QApplication) -> Iterator[Driver]:
    with driven_window(qtbot, qapp) as made:
        yield made


def holders(*folders: Path) -> list[Path]:
    """Return the files that contain the password, including packed ones in a project."""
    found = []
    for path in (path for folder in folders for path in folder.rglob("*") if path.is_file()):
        parts = [path.read_bytes(), str(path).encode()]
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                parts += [archive.read(name) for name in archive.namelist()]
        found += [path] if any(SECRET.encode() in part for part in parts) else []
    return found


def test_a_password_typed_in_the_window_is_stored_nowhere(
    driver: Driver,
    asked: list[Login],
    tmp_path: Path,
    config_dir: Path,
    capfd: pytest.CaptureFixture[str],
) -> None:
    driver.trigger("File", "Open a database…")
    dialog: Any = driver.dialog("databaseDialog")
    driver.type_into(dialog.place, TYPED)
    driver.click(dialog.connect_button)
    driver.wait(dialog.open_button.isEnabled)
    driver.click(dialog.open_button)
    driver.wait(lambda: driver.session.project is not None)
    assert {login.password for login in asked} == {SECRET}
    assert SECRET not in repr(asked)
    project = driver.session.project
    assert project.database == "postgresql://steward@db.invalid/town?table=people"
    assert SECRET not in repr(project.options)
    driver.answer_file_dialog(tmp_path / "saved.anon")
    driver.key(Qt.Key.Key_S, Qt.KeyboardModifier.ControlModifier)
    driver.wait(lambda: not driver.session.saved.is_modified)
    driver.answer_file_dialog(tmp_path / "saved.toml")
    driver.trigger("File", "Save recipe…")
    driver.wait((tmp_path / "saved.toml").exists)
    driver.wiring.preferences.save()
    Recovery().write(*driver.session.snapshot(), None)
    assert (tmp_path / "saved.toml").read_text().count("db.invalid") == 1
    assert holders(tmp_path, config_dir) == []
    assert SECRET not in str(driver.wiring.preferences.value)
    assert SECRET not in "".join(capfd.readouterr())


def test_a_password_of_a_command_is_in_none_of_its_arguments(tmp_path: Path) -> None:
    recipe = tmp_path / "recipe.toml"
    recipe.write_text(
        '[data]\npath = "nothing+driver://me@db.invalid/town?table=t"\n[roles]\nquasi_identifying = ["a"]\n'
    )
    words = [
        sys.executable,
        "-m",
        "anonymizer_gui",
        "anonymize",
        str(recipe),
        "--out",
        str(tmp_path / "o.csv"),
    ]
    done = subprocess.run(
        words,
        cwd=ROOT,
        env=os.environ | {PASSWORD: SECRET},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 2
    assert "'db.invalid/town'" in done.stderr
    assert SECRET not in done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    assert holders(tmp_path) == []
