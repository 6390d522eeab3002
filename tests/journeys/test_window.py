"""From an empty window to a verified file, by mouse and keys alone; the commands write the same bytes."""

from __future__ import annotations

import csv
import json
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from engine.cli import main as run_command
from tests.window_driver import LONG, Driver, driven_window

ROOT = Path(__file__).resolve().parents[2]
CRIME = json.loads((ROOT / "tests" / "data" / "published" / "thesis_crime.json").read_text(encoding="utf-8"))
CONTROL = Qt.KeyboardModifier.ControlModifier
IDENTIFYING, QUASI, SENSITIVE = Qt.Key.Key_1, Qt.Key.Key_2, Qt.Key.Key_3


def write_table(path: Path, columns: dict[str, list[object]]) -> Path:
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter=";", lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
    return path


def read_columns(path: Path) -> dict[str, list[str]]:
    with open(path, encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file, delimiter=";")
    return dict(zip(header, map(list, zip(*rows, strict=True)), strict=True))


def import_hierarchy(driver: Driver, column: str, path: Path) -> None:
    driver.select_columns(column)
    driver.click("editHierarchyButton")
    driver.answer_file_dialog(path)
    driver.click("importHierarchyButton")
    driver.wait(lambda: not driver.wiring.runner.is_busy and driver.find("doneButton").isEnabled())
    driver.click("doneButton")
    driver.wait(lambda: column in driver.session.project.hierarchies)  # type: ignore[union-attr]


def save_recipe(driver: Driver, path: Path) -> None:
    driver.answer_file_dialog(path)
    driver.trigger("File", "Save recipe")
    driver.wait(path.exists, LONG)


def same_by_command(recipe: Path, exported: Path, *words: str) -> bool:
    """Return whether the command writes the bytes the window exported."""
    out = recipe.with_name("by-command.csv")
    assert run_command(["anonymize", str(recipe), "--out", str(out), "--quiet", *words]) == 0
    return out.read_bytes() == exported.read_bytes()


def test_the_thesis_example_exported_by_the_window_matches_its_table(driver: Driver, tmp_path: Path) -> None:
    table = write_table(tmp_path / "crime.csv", CRIME["raw"])
    for column in ("marital stat", "ZIP code"):
        lines = [";".join(row) for row in CRIME["hierarchies"][column]]
        (tmp_path / f"{column}.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")

    driver.open_table(table)
    driver.set_role(IDENTIFYING, "name")
    driver.set_role(SENSITIVE, "crime")
    driver.set_role(QUASI, "marital stat", "age", "ZIP code")
    for column in ("marital stat", "ZIP code"):
        import_hierarchy(driver, column, tmp_path / f"{column}.csv")

    driver.select_columns("age")
    driver.click("editHierarchyButton")
    driver.choose("builderBox", "Intervals")
    driver.type_into("param.width", "5")
    driver.click("param.merge.3.remove")
    driver.choose("param.label", driver.find("param.label").itemText(1))  # type: ignore[attr-defined]
    driver.wait(lambda: driver.wiring.frame.is_settled and driver.find("doneButton").isEnabled())
    driver.click("doneButton")
    driver.wait(lambda: "age" in driver.session.project.hierarchies)  # type: ignore[union-attr]

    driver.click("tab.explore")
    driver.wait_settled()
    driver.type_into("knob.k", "2")
    driver.key(Qt.Key.Key_Return)
    driver.type_into("knob.suppression", "0")
    driver.key(Qt.Key.Key_Return)
    driver.wait(lambda: driver.session.project.requirement.k == 2)  # type: ignore[union-attr]
    driver.wait_settled()
    driver.click_node((1, 2, 1))
    driver.apply()
    assert driver.session.applied.release.node == (1, 2, 1)  # type: ignore[union-attr]
    exported = tmp_path / "out.csv"
    assert driver.export(exported) == "Written and verified: out.csv"

    expected = {column: [t.replace(".0", "") for t in texts] for column, texts in CRIME["expected"].items()}
    assert read_columns(exported) == expected
    save_recipe(driver, tmp_path / "crime.toml")
    assert same_by_command(tmp_path / "crime.toml", exported, "--node", "1,2,1")


def test_a_saved_project_opens_with_its_release_and_gives_the_same_file(
    driver: Driver, qtbot: QtBot, qapp: QApplication, tmp_path: Path
) -> None:
    driver.open_example("hospital")
    driver.apply()
    first = tmp_path / "first.csv"
    driver.export(first)
    saved = tmp_path / "h.anon"
    driver.answer_file_dialog(saved)
    driver.key(Qt.Key.Key_S, CONTROL)
    driver.wait(lambda: driver.session.saved.path == saved)
    assert "saved" in driver.window._facts.text()

    with driven_window(qtbot, qapp) as second:
        assert second.drop(saved)
        second.wait(lambda: second.session.applied.release is not None)
        second.wait_settled()
        again = tmp_path / "again.csv"
        assert second.export(again) == "Written and verified: again.csv"
    assert again.read_bytes() == first.read_bytes()


def test_the_first_save_warns_once_that_a_project_contains_the_original_table(
    driver: Driver, qtbot: QtBot, qapp: QApplication, tmp_path: Path
) -> None:
    def save(driver: Driver, path: Path) -> None:
        driver.answer_file_dialog(path)
        driver.key(Qt.Key.Key_S, CONTROL | Qt.KeyboardModifier.ShiftModifier)
        driver.wait(lambda: driver.session.saved.path == path)

    driver.open_example("hospital")
    save(driver, tmp_path / "h.anon")
    banner = driver.window.banner
    driver.wait(banner.isVisible)
    assert banner.problem() == "“h.anon” contains the original table; only you can read the file."
    assert "share the recipe instead" in banner.hint.text()
    banner.dismiss()
    save(driver, tmp_path / "again.anon")
    assert not banner.isVisible()
    driver.wiring.preferences.save()

    with driven_window(qtbot, qapp) as second:  # the same person, another day
        second.open_example("hospital")
        save(second, tmp_path / "third.anon")
        assert not second.window.banner.isVisible()


def test_the_original_is_never_overwritten(driver: Driver, tmp_path: Path, examples: Path) -> None:
    for name in ("hospital.csv", "recipe.toml"):
        (tmp_path / name).write_bytes((examples / "hospital" / name).read_bytes())
    (tmp_path / "hierarchies").mkdir()
    for path in (examples / "hospital" / "hierarchies").iterdir():
        (tmp_path / "hierarchies" / path.name).write_bytes(path.read_bytes())
    before = (tmp_path / "hospital.csv").read_bytes()
    driver.drop(tmp_path / "recipe.toml")
    driver.wait(lambda: driver.session.project is not None)
    driver.wait_settled()
    driver.apply()
    assert "original" in driver.export(tmp_path / "hospital.csv")
    assert (tmp_path / "hospital.csv").read_bytes() == before
