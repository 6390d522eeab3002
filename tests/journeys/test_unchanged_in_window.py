"""The window reports the records that unchanged columns single out, and offers a fix."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from engine.records import Role
from tests.journeys.test_unchanged_columns import BLOOD
from tests.registers import BLOOD_UNCHANGED, blood_tests
from tests.window_driver import LONG, Driver, driven_window

CONTROL = Qt.KeyboardModifier.ControlModifier
ALL = "4 columns are released unchanged and single out 1\u202f000 of 1\u202f000 records"


@pytest.fixture
def opened(qtbot: QtBot, qapp: QApplication, tmp_path: Path) -> Iterator[Driver]:
    """Return blood tests with four insensitive measurements."""
    blood_tests().to_csv(tmp_path / "blood.csv", index=False, lineterminator="\n")
    (tmp_path / "recipe.toml").write_text(BLOOD, encoding="utf-8")
    with driven_window(qtbot, qapp) as driver:
        assert driver.drop(tmp_path / "recipe.toml")
        driver.wait(lambda: driver.session.project is not None, LONG)
        driver.wait_settled()
        yield driver


def text(driver: Driver, name: str) -> str:
    return driver.find(name, QLabel).text()


def test_a_release_of_unique_records_is_never_all_green(opened: Driver, tmp_path: Path) -> None:
    opened.apply_by_keys()
    opened.wait_settled()
    opened.click("tab.risk")
    opened.wait(lambda: ALL in text(opened, "riskClause.unchanged"), LONG)
    identity = f"{text(opened, 'riskClause.identity')}."
    assert "certainty" in identity
    strip = opened.wiring.risk.view.strip
    assert strip.tone == "warn"
    opened.key(Qt.Key.Key_E, CONTROL)
    dialog = opened.dialog("exportDialog")
    opened.wait(lambda: text(opened, "unchangedColumns") == f"{ALL}: kappa, lambda, creatinine, futime.")
    assert text(opened, "identityClause") == identity
    opened.type_into("exportPath", str(tmp_path / "out.csv"))
    opened.key(Qt.Key.Key_Return)
    opened.wait(lambda: dialog.written, LONG)  # type: ignore[attr-defined]
    facts = text(opened, "exportDetails")
    assert facts.startswith("k = ")
    assert f" for these 4 columns; {ALL}. " in facts
    assert opened.find("exportDone", QLabel).property("tone") == "warn"


def test_the_pre_flight_counts_them_and_withholds_them_by_a_click(opened: Driver) -> None:
    preflight = opened.wiring.configure.view.preflight
    opened.click("tab.configure")
    opened.wait(lambda: any(found.title == ALL for found in preflight.findings), LONG)
    opened.click("otherFix.unchanged")

    def roles() -> set[Role | None]:
        project = opened.session.project
        assert project is not None
        return {project.role(name) for name in BLOOD_UNCHANGED}

    opened.wait(lambda: roles() == {Role.IDENTIFYING})
    opened.wait_settled()
    opened.wait(lambda: "unchanged" not in {found.key for found in preflight.findings})
    opened.key(Qt.Key.Key_Z, CONTROL)
    opened.wait(lambda: roles() == {Role.INSENSITIVE})
    opened.wait_settled()
    opened.wait(lambda: preflight.fix_button("unchanged") is not None, LONG)
    opened.click("fix.unchanged")
    opened.wait(lambda: roles() == {Role.QUASI_IDENTIFYING})
