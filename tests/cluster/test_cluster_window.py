"""A table of a real cluster in the window, by mouse and keyboard: opened, filtered, cancelled, released."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyarrow import dataset
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from engine.records.opening.files import read
from tests.spark import SparkServer
from tests.window_driver import LONG, Driver, driven_window

pytestmark = pytest.mark.cluster
CLINIC = Path(__file__).parents[2] / "resources" / "examples" / "clinic" / "clinic.csv"
CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def driver(qtbot: QtBot, qapp: QApplication) -> Iterator[Driver]:
    with driven_window(qtbot, qapp) as made:
        yield made


def records() -> list[tuple[str, ...]]:
    table = read(CLINIC).table
    return [table.record(row) for row in range(table.n_records)]


def opened(driver: Driver, spark: SparkServer) -> Any:
    """Open the files of Clinic by keys, and return what shows the records."""
    driver.trigger("File", "Open a database…")
    dialog: Any = driver.dialog("databaseDialog")
    driver.type_into(dialog.place, spark.address(path=str(CLINIC)))
    driver.key(Qt.Key.Key_Return)
    driver.wait(dialog.open_button.isEnabled, LONG)
    assert dialog.files.path.text() == str(CLINIC)
    dialog.open_button.setFocus()
    driver.key(Qt.Key.Key_Return)
    driver.wait(lambda: driver.session.project is not None, LONG)
    return driver.wiring.configure.view.table


def text(panel: Any, row: int, column: int) -> str:
    return str(panel.table.records.index(row, column).data())


def export_to(driver: Driver, place: Path) -> Any:
    driver.key(Qt.Key.Key_E, CONTROL)
    dialog: Any = driver.dialog("exportDialog")
    driver.type_into("exportPath", str(place))
    driver.key(Qt.Key.Key_Return)
    return dialog


def test_files_are_opened_filtered_and_released_by_the_cluster(
    driver: Driver, spark: SparkServer, tmp_path: Path
) -> None:
    panel, rows = opened(driver, spark), records()
    captions = [label.text() for label in driver.window.findChildren(QLabel)]
    assert any(found == "clinic · 2\u202f000 records · on a cluster" for found in captions)
    for row in range(0, 2000, 500):  # page by page
        driver.wait(lambda row=row: text(panel, row, 0) != "…", LONG)
    assert sorted(text(panel, row, 0) for row in range(2000)) == sorted(row[0] for row in rows)
    last = max(row[0] for row in rows)
    driver.key(Qt.Key.Key_F, CONTROL)
    driver.type_into(panel.find_field, last)
    driver.key(Qt.Key.Key_Return)
    driver.wait(lambda: panel.table.currentIndex().data() == last, LONG)
    panel.table.sort_requested.emit(("patient id", True))
    driver.wait(lambda: text(panel, 0, 0) == last, LONG)
    panel.table.sort_requested.emit(None)
    driver.key(Qt.Key.Key_F, CONTROL | SHIFT)
    driver.type_into("recordFilter", "sex = 'male' and age in (32, 33)")
    driver.key(Qt.Key.Key_Return)
    due = sorted(row[0] for row in rows if row[3] == "male" and row[2] in ("32", "33"))
    driver.wait(lambda: panel.table.records.n_shown == len(due), LONG)
    assert sorted(text(panel, row, 0) for row in range(len(due))) == due
    driver.set_role(Qt.Key.Key_1, "patient id")
    driver.set_role(Qt.Key.Key_2, "sex", "insurance")
    driver.set_role(Qt.Key.Key_3, "diagnosis")
    driver.set_role(Qt.Key.Key_4, "visit date", "age", "postal code", "length of stay")
    driver.wait_settled()
    driver.key(Qt.Key.Key_2, CONTROL)
    driver.wait_settled()
    driver.apply()
    driver.wait_settled()

    dialog = export_to(driver, tmp_path / "never.parquet")
    driver.wait(lambda: dialog.is_busy)
    driver.click(dialog.job._cancel)
    driver.wait(dialog.banner.isVisible, LONG)
    assert dialog.banner.problem() == "The export was cancelled."
    driver.key(Qt.Key.Key_Escape)
    driver.wait(lambda: not dialog.isVisible())

    place = tmp_path / "released.parquet"
    dialog = export_to(driver, place)
    driver.wait(lambda: dialog.written or dialog.banner.isVisible(), LONG)
    assert dialog.written == f"Written by the cluster and verified: {place}"
    assert "every record as often as expected" in dialog._details.text()
    columns = [column.to_pylist() for column in dataset.dataset(place).to_table().columns]
    assert Counter(zip(*columns, strict=True)) == Counter(("*", *row[1:]) for row in rows)


def test_a_table_of_the_catalogue_is_chosen_by_mouse(driver: Driver, spark: SparkServer) -> None:
    from engine.monitor import SILENT
    from engine.records.clusters.session import ClusterSession
    from engine.records.databases.address import NOBODY, parse_address

    address = spark.address().removesuffix("?")
    session = ClusterSession(parse_address(address)[0], NOBODY, SILENT)
    session.spark.sql("CREATE DATABASE IF NOT EXISTS town").collect()
    session.spark.sql("DROP TABLE IF EXISTS town.people").collect()
    values = "SELECT id, id % 3 AS n FROM range(9)"
    session.spark.sql(f"CREATE TABLE town.people USING parquet AS {values}").collect()
    session.close()
    driver.trigger("File", "Open a database…")
    dialog: Any = driver.dialog("databaseDialog")
    driver.type_into(dialog.place, address)
    driver.click(dialog.connect_button)
    driver.wait(lambda: dialog.tables.count() > 0, LONG)
    (item,) = dialog.tables.findItems("town.people", Qt.MatchFlag.MatchExactly)
    rect = dialog.tables.visualItemRect(item)
    driver.qtbot.mouseClick(dialog.tables.viewport(), Qt.MouseButton.LeftButton, pos=rect.center())
    driver.wait(dialog.open_button.isEnabled, LONG)
    driver.click(dialog.open_button)
    driver.wait(lambda: driver.session.project is not None, LONG)
    project = driver.session.project
    assert (project.name, project.table.n_records, project.table.names) == ("town.people", 9, ("id", "n"))
