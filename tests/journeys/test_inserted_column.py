"""A recipe on a file with an inserted column of identifiers: refused by window and by command."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from engine.cli import main
from tests.window_driver import Driver, driven_window

JUNE = [("", "age", "sex", "chapter")]
JUNE += [(str(n), str(20 + n % 10), "fm"[n % 2], ("flu", "gout")[n % 3 % 2]) for n in range(1, 61)]
PIN = ["pin", *(f"4711{n:04}" for n in range(1, 61))]
POSITIONS = "".join(
    f'[[data.columns]]\nsource = {place}\nname = "{name}"\n'
    for place, name in enumerate(("column 1", "age", "sex", "chapter"), start=1)
)
OLD = f"""
[data]
path = "june.csv"
{POSITIONS}
[roles]
identifying = ["column 1"]
quasi_identifying = ["age", "sex"]
insensitive = ["chapter"]
[hierarchies."age"]
builder = "intervals"
width = 5
[hierarchies."sex"]
builder = "suppress"
[[privacy]]
model = "k_anonymity"
k = 2
"""


def written(path: Path, rows: list[tuple[str, ...]]) -> Path:
    """A file as `write.csv` of R writes it."""
    path.write_text("".join(",".join(f'"{cell}"' for cell in row) + "\n" for row in rows))
    return path


def with_pins(place: int) -> list[tuple[str, ...]]:
    """The table of June with a column of identifiers."""
    return [(*row[:place], pin, *row[place:]) for row, pin in zip(JUNE, PIN, strict=True)]


@pytest.fixture
def recipe(qtbot: QtBot, qapp: QApplication, tmp_path: Path) -> Path:
    """A recipe saved in another window, after the table of June was opened and its columns got roles."""
    with driven_window(qtbot, qapp) as driver:
        driver.drop(written(tmp_path / "june.csv", JUNE))
        dialog = driver.dialog("openDialog")
        driver.click(driver.button(dialog, "openDialogButton"))
        driver.wait(lambda: driver.session.project is not None)
        for key, names in ((1, ["column 1"]), (2, ["age", "sex"]), (4, ["chapter"])):
            driver.set_role(Qt.Key(Qt.Key.Key_0 + key), *names)
        path = tmp_path / "monthly.toml"
        driver.answer_file_dialog(path)
        driver.trigger("File", "Save recipe…")
        driver.wait(path.exists)
    return path


def test_the_window_refuses_a_file_with_an_inserted_column_and_shows_the_way_out(
    driver: Driver, recipe: Path, tmp_path: Path
) -> None:
    assert recipe.read_text().count("source = 1") == 1
    assert 'source = "age"' in recipe.read_text()
    driver.apply_recipe(recipe, written(tmp_path / "july.csv", with_pins(1)))
    banner = driver.window.banner
    driver.wait(lambda: "'pin' is after column 1 ('column 1'), but 'age' is expected" in banner.problem())
    assert driver.session.project is None
    assert banner._action.text() == "Change import settings…"
    driver.click(banner._action)
    driver.wait(lambda: driver.dialog("openDialog").reading is not None)  # type: ignore[attr-defined]
    driver.click(driver.button(driver.dialog("openDialog"), "openDialogButton"))
    dialog: Any = driver.dialog("changesDialog")
    assert [row[1] for row in dialog.table.texts.texts() if row[0] == "New column"] == ["pin"]
    driver.click(driver.button(dialog, "takeOverButton"))
    driver.wait(lambda: driver.session.project is not None)
    july = driver.session.project
    assert july.undecided == ("pin",)
    assert july.table.column("age").labels == tuple(str(20 + n) for n in range(10))


def test_the_way_out_keeps_the_names_that_the_recipe_gives(driver: Driver, tmp_path: Path) -> None:
    recipe = tmp_path / "renaming.toml"
    own = 'source = 1\nname = "row"\nnext = "years"'
    renamed = OLD.replace('source = 1\nname = "column 1"', own).replace('"column 1"', '"row"')
    recipe.write_text(renamed.replace("source = 2", 'source = "years"'))
    july = [tuple("years" if cell == "age" else cell for cell in row) for row in with_pins(1)]
    driver.apply_recipe(recipe, written(tmp_path / "july.csv", july))
    banner = driver.window.banner
    driver.wait(lambda: "'pin' is after column 1 ('row'), but 'years' is expected" in banner.problem())
    driver.click(banner._action)
    driver.wait(lambda: driver.dialog("openDialog").reading is not None)  # type: ignore[attr-defined]
    driver.click(driver.button(driver.dialog("openDialog"), "openDialogButton"))
    dialog: Any = driver.dialog("changesDialog")
    assert {tuple(row[:2]) for row in dialog.table.texts.texts() if "olumn" in row[0]} == {
        ("Column is missing", "row"),
        ("New column", "column 1"),
        ("New column", "pin"),
    }


def test_the_window_names_a_new_column_that_the_recipe_does_not_select(
    driver: Driver, recipe: Path, tmp_path: Path
) -> None:
    driver.apply_recipe(recipe, written(tmp_path / "july.csv", with_pins(4)))
    dialog: Any = driver.dialog("changesDialog")
    assert ["Column not selected", "pin"] in [row[:2] for row in dialog.table.texts.texts()]
    driver.click(driver.button(dialog, "takeOverButton"))
    driver.wait(lambda: driver.session.project is not None)
    assert driver.session.project.table.names == ("column 1", "age", "sex", "chapter")  # type: ignore[union-attr]


def test_the_window_refuses_positions_of_an_earlier_version_that_have_other_headings(
    driver: Driver, tmp_path: Path
) -> None:
    recipe = tmp_path / "old.toml"
    recipe.write_text(OLD)
    driver.apply_recipe(recipe, written(tmp_path / "july.csv", with_pins(1)))
    told = "column 2 has the heading 'pin', but 'age' is expected"
    driver.wait(lambda: told in driver.window.banner.problem())
    assert driver.session.project is None


def test_the_commands_refuse_it_and_write_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    recipe, out = tmp_path / "old.toml", tmp_path / "out.csv"
    recipe.write_text(OLD)
    written(tmp_path / "june.csv", JUNE)
    assert main(["anonymize", str(recipe), "--out", str(out), "--quiet"]) == 0
    assert main(["verify", str(out), "--recipe", str(recipe), "--quiet"]) == 0
    july = written(tmp_path / "july.csv", with_pins(1))
    assert main(["verify", str(out), "--recipe", str(recipe), "--original", str(july)]) == 2
    assert "column 2 has the heading 'pin', but 'age' is expected" in capsys.readouterr().err
    recipe.write_text(OLD.replace("june.csv", "july.csv"))
    out.unlink()
    assert main(["anonymize", str(recipe), "--out", str(out)]) == 2
    assert "column 2 has the heading 'pin', but 'age' is expected" in capsys.readouterr().err
    assert not out.exists()
