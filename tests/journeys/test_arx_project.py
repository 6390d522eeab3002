"""A project of ARX opened in the window, by mouse and keys, and files of ARX that are refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel

from engine.privacy.k_anonymity import KAnonymity
from engine.records import Role
from tests.arx_projects import arx_project, configuration, java_rows, measure_object
from tests.window_driver import Driver


@pytest.fixture
def project(tmp_path: Path) -> Path:
    config = configuration(
        measure=measure_object("MetricMDNMLoss", "GEOMETRIC_MEAN", 0.5),
        researchSubset=java_rows([0, 1, 2, 3, 4, 5], 8),
    )
    return arx_project(tmp_path, models=("2-anonymity", "Inclusion", "new-model"), config=config)


def said(driver: Driver) -> str:
    banner = driver.window.banner
    return f"{banner.problem()} {banner.hint.text()}"


def test_a_project_opens_after_the_list_of_what_was_not_taken_over(driver: Driver, project: Path) -> None:
    assert driver.drop(project)
    dialog = driver.dialog("arxDialog")
    texts = [label.text() for label in dialog.findChildren(QLabel)]
    assert "Privacy model “new-model”" in texts
    assert any("less is required than in ARX" in text for text in texts)
    assert driver.session.project is None
    driver.key(Qt.Key.Key_Escape)
    driver.wait(lambda: not dialog.isVisible())
    assert driver.session.project is None

    driver.answer_file_dialog(project)
    driver.key(Qt.Key.Key_O, Qt.KeyboardModifier.ControlModifier)
    driver.dialog("arxDialog")
    driver.key(Qt.Key.Key_Return)
    driver.wait(lambda: driver.session.project is not None)
    opened = driver.session.project
    assert opened.name == "Clinic"
    assert opened.role("age") is Role.QUASI_IDENTIFYING
    assert opened.requirement.models == (KAnonymity(2),)
    assert opened.n_records == 6
    assert not driver.window.banner.isVisible()
    assert str(project) in driver.wiring.preferences.value.recent_files
    driver.wait_settled()
    evaluation = driver.session.results.evaluation
    assert evaluation.lattice.node(evaluation.optimum("loss")) == (1, 0)


def test_files_for_arx_are_written_from_the_menu_and_none_is_replaced(
    driver: Driver, project: Path, tmp_path: Path
) -> None:
    assert driver.drop(project)
    driver.dialog("arxDialog")
    driver.key(Qt.Key.Key_Return)
    driver.wait_settled()
    folder = tmp_path / "for-arx"
    folder.mkdir()
    driver.answer_file_dialog(folder)
    driver.trigger("File", "Write files for ARX")
    driver.wait(lambda: "are in “for-arx”" in said(driver))
    assert "original" in said(driver)
    assert sorted(path.name for path in folder.rglob("*.*")) == [
        "age.csv",
        "data.csv",
        "import.txt",
        "sex.csv",
    ]
    driver.answer_file_dialog(folder)
    driver.trigger("File", "Write files for ARX")
    driver.wait(lambda: "already exist" in said(driver))


def test_a_damaged_project_and_a_hierarchy_file_are_refused_with_a_way_out(
    driver: Driver, tmp_path: Path
) -> None:
    (tmp_path / "age.ahs").write_bytes(b"\xac\xed\x00\x05")
    (tmp_path / "broken.deid").write_bytes(b"PK\x03\x04")
    for name, words in (("age.ahs", "Export hierarchy"), ("broken.deid", "not a complete zip archive")):
        assert driver.drop(tmp_path / name)
        driver.wait(lambda words=words: words in said(driver))
        assert driver.session.project is None
