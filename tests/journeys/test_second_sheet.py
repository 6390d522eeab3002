"""A release with the originals on a second sheet: noticed by the window and by the commands."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import openpyxl
import pytest

from engine.cli import main
from tests.window_driver import Driver

HOSPITAL = Path(__file__).resolve().parents[2] / "resources" / "examples" / "hospital"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(HOSPITAL, tmp_path / "hospital"))


def paste_originals(path: Path, folder: Path) -> None:
    """What a person may do who compares a release with its original in a spreadsheet program."""
    book = openpyxl.load_workbook(path)
    sheet = book.create_sheet("raw")
    for line in (folder / "hospital.csv").read_text(encoding="utf-8").splitlines():
        sheet.append(line.split(","))
    book.save(path)


def test_assessing_the_release_in_the_window_warns_of_the_second_sheet(driver: Driver, folder: Path) -> None:
    driver.drop(folder / "recipe.toml")
    driver.wait(lambda: driver.session.project is not None)
    driver.wait_settled()
    driver.click("tab.explore")
    driver.wait_settled()
    driver.apply()
    path = folder / "released.xlsx"
    assert driver.export(path) == "Written and verified: released.xlsx"
    banner = driver.wiring.given_table.view.besides
    assess(driver, path)
    assert not banner.isVisible()
    paste_originals(path, folder)
    driver.click("judgeBack")
    driver.wait_settled()
    assess(driver, path)
    assert banner.problem().startswith("'released.xlsx' holds something besides its table: sheet 'raw'")
    assert banner.hint.text() == "Only the table is assessed. A recipient of the file gets everything in it."


def assess(driver: Driver, path: Path) -> None:
    """Assess a file by the menu."""
    driver.answer_file_dialog(path)
    driver.trigger("File", "Assess an anonymized file…")
    dialog = driver.dialog("openDialog")
    driver.wait(lambda: dialog.reading is not None)  # type: ignore[attr-defined]
    driver.click(driver.button(dialog, "openDialogButton"))
    driver.wait(lambda: driver.window.page == "judge")
    driver.wait(lambda: not driver.wiring.runner.is_busy)


def test_the_commands_refuse_the_second_sheet(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    recipe, path = str(folder / "recipe.toml"), folder / "released.xlsx"
    report = ["report", recipe, "--release", str(path), "--out", str(folder / "report.html"), "--quiet"]
    check = ["check", str(path), "--qi", "age", "--qi", "gender", "--sa", "disease", "--format", "json"]
    assert main(["anonymize", recipe, "--out", str(path), "--quiet"]) == 0
    assert main(["verify", str(path), "--recipe", recipe, "--quiet"]) == 0
    paste_originals(path, folder)
    capsys.readouterr()
    assert main(["verify", str(path), "--recipe", recipe, "--quiet"]) == 1
    assert "holds something besides its table: sheet 'raw'" in capsys.readouterr().err
    assert main(report) == 2
    assert not (folder / "report.html").exists()
    assert "sheet 'raw'" in capsys.readouterr().err
    assert main(check) == 0
    printed = capsys.readouterr()
    assert "Note: 'released.xlsx' holds something besides its table: sheet 'raw'" in printed.err
    assert [own["place"] for own in json.loads(printed.out)["besides"]] == ["'raw'"]
