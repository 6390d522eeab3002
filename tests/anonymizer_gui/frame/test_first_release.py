"""*Get a first release* ends with a card: four lines and four actions, or the reason for no release."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt

from anonymizer_gui.frame.first_release_presenter import FirstReleaseCard
from engine.privacy import Requirement
from engine.privacy.k_anonymity import KAnonymity
from engine.records import Role
from tests.registers import blood_tests
from tests.window_driver import LONG, Driver


@pytest.fixture
def clinic(tmp_path: Path, examples: Path) -> Path:
    path = tmp_path / "clinic.csv"
    path.write_bytes((examples / "clinic" / "clinic.csv").read_bytes())
    return path


def first_release(driver: Driver, table: Path) -> FirstReleaseCard:
    driver.open_table(table)
    driver.click("firstReleaseButton")
    card = driver.wiring.first.card
    driver.wait(card.isVisible, LONG)
    driver.wait(lambda: driver.wiring.frame.is_settled)
    return card


def left_of(driver: Driver, card: FirstReleaseCard) -> int:
    return card.mapTo(driver.window, card.rect().topLeft()).x()


def lines(card: FirstReleaseCard) -> dict[str, str]:
    return {line.title: line.text for line in card.lines if line.title}


def test_the_card_shows_the_result_and_the_next_actions(driver: Driver, clinic: Path) -> None:
    card = first_release(driver, clinic)
    said, release = lines(card), driver.session.applied.release
    assert tuple(said) == ("Roles", "Levels", "Suppressed", "Unchanged")
    assert said["Roles"].endswith("l = 2 required for length of stay and diagnosis")
    assert said["Suppressed"].startswith(f"{release.n_suppressed} of 2\u202f000 records suppressed")
    assert said["Unchanged"].startswith("2 columns are released unchanged and single")
    assert all(value is None or value >= 2 for value in release.l.values())
    driver.window.resize(1440, 900)
    page = driver.window.shown_page
    driver.wait(lambda: page.mapTo(driver.window, page.rect().topRight()).x() < left_of(driver, card))
    assert driver.window.rect().contains(card.mapTo(driver.window, card.rect().bottomRight()))
    for name in ("Explore", "Risk"):
        driver.click(f"firstRelease{name}")
        assert driver.window.page == name.lower()
        assert not card.isVisible(), "it would cover what the button shows"
        card.show()
    driver.click("firstReleaseExport")
    dialog = driver.dialog("exportDialog")
    driver.key(Qt.Key.Key_Escape)
    driver.wait(lambda: not dialog.isVisible())
    card.show()
    driver.click("firstReleaseClose")
    assert not card.isVisible()


def test_undo_on_the_card_reverts_everything(driver: Driver, clinic: Path) -> None:
    card = first_release(driver, clinic)
    driver.click("firstReleaseUndo")
    project = driver.session.project
    assert project.undecided == project.table.names
    assert not project.hierarchies
    assert not card.isVisible()
    driver.wait(lambda: driver.wiring.frame.is_settled)


def test_a_change_of_the_settings_closes_the_card(driver: Driver, clinic: Path) -> None:
    card = first_release(driver, clinic)
    driver.set_role(Qt.Key.Key_4, "insurance")
    driver.wait(lambda: not card.isVisible())
    driver.wait(lambda: driver.wiring.frame.is_settled)


def test_measurements_are_not_insensitive_and_the_card_counts_unchanged_columns(
    driver: Driver, tmp_path: Path
) -> None:
    blood_tests().to_csv(tmp_path / "blood.csv", index=False)
    card = first_release(driver, tmp_path / "blood.csv")
    project, release = driver.session.project, driver.session.applied.release
    assert project.columns_of(Role.INSENSITIVE) == ()
    assert lines(card)["Unchanged"].lower().startswith(release.unchanged.words())


def test_without_a_release_the_card_shows_why(driver: Driver, tmp_path: Path) -> None:
    rows = "".join(f"{20 + i},{'fm'[i % 2]}\n" for i in range(8))
    (tmp_path / "few.csv").write_text(f"age,sex\n{rows}", encoding="utf-8")
    driver.open_table(tmp_path / "few.csv")
    session = driver.session
    session.edit("k", replace(session.project, requirement=Requirement((KAnonymity(9),), 0.05)))
    driver.click("firstReleaseButton")
    card = driver.wiring.first.card
    driver.wait(card.isVisible, LONG)
    assert card.title() == "No first release"
    assert card.lines[0].text.startswith("No node satisfies these settings.")
    assert not card.export_button.isVisible()
    assert session.applied.release is None
    driver.wait(lambda: driver.wiring.frame.is_settled)


def test_two_hundred_columns_end_with_a_card(driver: Driver, tmp_path: Path) -> None:
    header = ",".join(f"answer {i}" for i in range(200))
    rows = [",".join(str((r * (7 + i % 5) + i) % (2 + i % 9)) for i in range(200)) for r in range(200)]
    (tmp_path / "wide.csv").write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    card = first_release(driver, tmp_path / "wide.csv")
    assert driver.session.applied.release is not None
    assert any("hidden in advance" in line.text for line in card.lines)
