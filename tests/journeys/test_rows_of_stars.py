"""Rows of stars that nobody counts: the file that leaves is safe, or the verdict says so."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from anonymizer_gui.perspectives.export.dialog import ExportDialog
from engine.cli import main
from tests.window_driver import LONG, driven_window

# Two people of Ayas have HIV; without them l is 6, and their class is suppressed.
TABLE = "town,illness\n" + "".join(
    f"{town},{illness}\n"
    for town, illness in [("Ayas", "HIV")] * 2 + [("Brusson", illness) for illness in "abcdefgh"]
)
RECIPE = """
format = 1
[data]
path = "people.csv"
[roles]
quasi_identifying = ["town"]
sensitive = ["illness"]
[hierarchies."town"]
builder = "suppress"
[[privacy]]
model = "k_anonymity"
k = 2
[[privacy]]
model = "distinct_l_diversity"
column = "illness"
l = 2
[transformation]
suppression_limit = 0.2
"""


@pytest.fixture
def recipe(tmp_path: Path) -> Path:
    (tmp_path / "people.csv").write_text(TABLE, encoding="utf-8")
    path = tmp_path / "recipe.toml"
    path.write_text(RECIPE, encoding="utf-8")
    return path


def rows_of(path: Path) -> list[tuple[str, ...]]:
    with path.open(newline="", encoding="utf-8") as file:
        return [tuple(row) for row in csv.reader(file)][1:]


def test_by_command_two_stars_with_one_illness_leave_without_it(
    recipe: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, summary = recipe.with_name("out.csv"), recipe.with_name("summary.json")
    assert main(["anonymize", str(recipe), "--out", str(out), "--summary", str(summary), "--quiet"]) == 0
    assert [row for row in rows_of(out) if "HIV" in row] == []
    assert rows_of(out)[:2] == [("*", "*"), ("*", "*")]
    group = json.loads(summary.read_text(encoding="utf-8"))["group"]
    assert (group["cells"], group["l"], group["held"]) == ("blank", {"illness": 1}, False)
    # Whoever writes the illness back has a file that is refused.
    text = out.read_text(encoding="utf-8").replace("*,*", "*,HIV")
    out.write_text(text, encoding="utf-8")
    assert main(["verify", str(out), "--recipe", str(recipe), "--quiet"]) == 1
    assert "but the record is suppressed: expected '*'" in capsys.readouterr().err


def test_by_command_rows_that_stay_unasked_are_counted_in_the_verdict(
    recipe: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recipe.write_text(RECIPE + 'suppressed_group = "ignore"\n', encoding="utf-8")
    out = recipe.with_name("out.csv")
    assert main(["anonymize", str(recipe), "--out", str(out), "--format", "json", "--quiet"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert rows_of(out)[:2] == [("*", "HIV"), ("*", "HIV")]
    assert (found["verified"], found["group"]["held"]) == (True, False)
    assert any("2 rows of * are in no class" in note for note in found["notes"])
    words = ["check", str(out), "--qi", "town", "--sa", "illness", "--format", "json", "--quiet"]
    assert main(words) == 0
    assert json.loads(capsys.readouterr().out)["distinct_l_diversity"] == {"l": 1}


def test_in_the_window_a_first_release_has_no_stars_and_rows_that_stay_meet_the_requirement(
    qtbot: QtBot, qapp: QApplication, tmp_path: Path, examples: Path
) -> None:
    table = tmp_path / "clinic.csv"
    table.write_bytes((examples / "clinic" / "clinic.csv").read_bytes())
    with driven_window(qtbot, qapp) as driver:
        driver.open_table(table)
        driver.click("firstReleaseButton")
        driver.wait(lambda: driver.session.applied.release is not None, LONG)
        driver.wait_settled()
        release = driver.session.applied.release
        assert (release.n_suppressed > 0, release.cells) == (True, "removed")
        assert driver.export(tmp_path / "removed.csv") == "Written and verified: removed.csv"
        assert len(rows_of(tmp_path / "removed.csv")) == release.n_records - release.n_suppressed
        driver.key(Qt.Key.Key_E, Qt.KeyboardModifier.ControlModifier)
        dialog = driver.dialog("exportDialog")
        assert isinstance(dialog, ExportDialog)
        driver.choose("param.way", "Replace quasi-identifying cells with *")
        group = release.group
        said = "meet the requirement as one class" if group.held else "* in all columns"
        assert any(said in label.text() for label in dialog.findChildren(QLabel))
        driver.type_into("exportPath", str(tmp_path / "kept.csv"))
        driver.click(driver.button(dialog, "exportNowButton"))
        driver.wait(lambda: dialog.written == "Written and verified: kept.csv", LONG)
        rows = rows_of(tmp_path / "kept.csv")
        stars = [row for row in rows if row.count("*") > len(release.problem.names)]
        blank = [row for row in stars if set(row) == {"*"}]
        assert len(rows) == release.n_records
        assert (len(blank) == release.n_suppressed) == (not group.held)
