"""Releases require a role for every column, by window and command, also for a later table."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton

from engine.cli import main as run_command
from engine.records import Decider, Role
from tests.window_driver import LONG, Driver

FORGOTTEN = ("visit date", "postal code")
REASON = "give every column a role first"


@pytest.fixture
def clinic(tmp_path: Path, examples: Path) -> Path:
    """Return the example's recipe without the roles of two columns."""
    for file in ("clinic.csv", "recipe.toml"):
        (tmp_path / file).write_bytes((examples / "clinic" / file).read_bytes())
    text = (tmp_path / "recipe.toml").read_text(encoding="utf-8")
    text = text.replace('"visit date", "age", "sex", "postal code", "insurance"', '"age", "sex", "insurance"')
    sections = text.split("\n\n")
    kept = [
        part for part in sections if not part.startswith(tuple(f'[hierarchies."{n}"]' for n in FORGOTTEN))
    ]
    assert len(kept) == len(sections) - 2
    (tmp_path / "recipe.toml").write_text("\n\n".join(kept), encoding="utf-8")
    return tmp_path / "recipe.toml"


def saying(recipe: Path, line: str) -> Path:
    """Return the recipe with another line under its roles."""
    text = recipe.read_text(encoding="utf-8")
    recipe.write_text(text.replace("[roles]\n", f"[roles]\n{line}\n", 1), encoding="utf-8")
    return recipe


def released(recipe: Path, *words: str) -> list[dict[str, str]]:
    out = recipe.with_name("out.csv")
    assert run_command(["anonymize", str(recipe), "--out", str(out), "--quiet", *words]) == 0
    with open(out, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def original(recipe: Path, column: str) -> list[str]:
    with open(recipe.with_name("clinic.csv"), encoding="utf-8", newline="") as file:
        return [row[column] for row in csv.DictReader(file)]


@pytest.mark.parametrize("command", ["anonymize", "report"])
def test_a_recipe_that_forgets_columns_is_refused_with_their_suggested_roles(
    clinic: Path, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    out = clinic.with_name("out.html" if command == "report" else "out.csv")
    assert run_command([command, str(clinic), "--out", str(out)]) == 2
    printed = capsys.readouterr()
    message = " ".join(printed.err.split())
    assert printed.out == ""
    assert "'recipe.toml': 2 columns have no role" in message
    for name in FORGOTTEN:
        assert f"'{name}' (suggested: quasi-identifying)" in message
    assert 'add others = "withhold"' in message
    assert not out.exists()


def test_nodes_are_listed_before_every_column_has_a_role(clinic: Path) -> None:
    out = clinic.with_name("nodes.csv")
    assert run_command(["lattice", str(clinic), "--out", str(out), "--quiet"]) == 0
    assert out.read_text(encoding="utf-8").startswith("level.")


def test_a_recipe_that_withholds_others_writes_a_file_without_them(clinic: Path) -> None:
    summary = clinic.with_name("s.json")
    rows = released(saying(clinic, 'others = "withhold"'), "--summary", str(summary))
    assert not set(FORGOTTEN) & set(rows[0])
    assert len(rows[0]) == 6
    figures = json.loads(summary.read_text(encoding="utf-8"))
    assert figures["verified"]
    assert figures["others"] == {"rule": "withhold", "columns": list(FORGOTTEN)}


def test_a_recipe_that_marks_others_insensitive_releases_them_and_reports_it(clinic: Path) -> None:
    saying(clinic, 'others = "insensitive"')
    for audience in ("internal", "public"):
        report = clinic.with_name(f"{audience}.json")
        rows = released(clinic, "--report", str(report), "--audience", audience)
        for name in FORGOTTEN:
            assert [row[name] for row in rows] == original(clinic, name)
        text = report.read_text(encoding="utf-8")
        assert 'The recipe has others = \\"insensitive\\", so 2 columns that it does not name are' in text
        roles = next(
            block
            for section in json.loads(text)["sections"]
            for block in section["blocks"]
            if block.get("key") == "roles"
        )
        decided = {row[0]: row[3] for row in roles["rows"]}
        assert decided["age"] == "a person"
        assert {decided[name] for name in FORGOTTEN} == {'the recipe: others = "insensitive"'}


def test_next_month_s_new_column_stops_the_same_recipe(
    clinic: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    saying(clinic, 'insensitive = ["visit date", "postal code"]')
    assert len(released(clinic)) == len(original(clinic, "age"))
    table = clinic.with_name("clinic.csv")
    header, *rows = table.read_text(encoding="utf-8").splitlines()
    lines = [f"{header},phone", *(f"{row},030 {i:06d}" for i, row in enumerate(rows))]
    table.write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert run_command(["anonymize", str(clinic), "--out", str(clinic.with_name("july.csv"))]) == 2
    assert "'phone' (suggested: identifying)" in " ".join(capsys.readouterr().err.split())
    assert not clinic.with_name("july.csv").exists()
    assert "phone" not in released(saying(clinic, 'others = "withhold"'))[0]


def test_a_fresh_table_is_neither_applied_nor_exported_before_all_columns_have_roles(
    driver: Driver, tmp_path: Path
) -> None:
    table = tmp_path / "people.csv"
    rows = "".join(f"P{i:02d},{30 + i % 2},{'fm'[i % 2]},{('flu', 'cold')[i % 4 < 2]}\n" for i in range(40))
    table.write_text("name,age,sex,illness\n" + rows, encoding="utf-8")
    driver.open_table(table)
    session = driver.session
    assert session.project.undecided == session.project.table.names
    driver.set_role(Qt.Key.Key_2, "age", "sex")
    driver.wait(lambda: session.project.undecided == ("name", "illness"))  # type: ignore[union-attr]
    driver.click("tab.explore")
    driver.wait_settled()
    driver.click_node((0, 0))
    for name in ("applyButton", "exportButton"):
        button = driver.find(name, QPushButton)
        assert not button.isEnabled()
        assert REASON in button.toolTip()
        assert "name and illness" in button.toolTip()
    assert REASON in driver.wiring.actions["apply_optimum"].toolTip()
    assert not driver.wiring.actions["apply_optimum"].isEnabled()
    driver.click("tab.configure")
    driver.click("fix.undecided")
    driver.wait(lambda: session.project.undecided == ())  # type: ignore[union-attr]
    assert session.project.role("name") is Role.IDENTIFYING
    assert session.project.decider("name") is Decider.SUGGESTION
    assert session.project.decider("age") is Decider.PERSON
    driver.wait_settled()
    driver.key(Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    driver.wait(lambda: session.applied.release is not None, LONG)
    assert driver.export(tmp_path / "out.csv") == "Written and verified: out.csv"
    driver.key(Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)  # undo Apply
    driver.wait(lambda: session.applied.release is None)
    driver.key(Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)  # undo the roles
    driver.wait(lambda: session.project.undecided == ("name", "illness"))  # type: ignore[union-attr]
    assert not driver.find("exportButton", QPushButton).isEnabled()
