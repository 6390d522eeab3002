"""Cost and benefit from a recipe, and in the window, to a verified file: the optima of ARX on Adult."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from anonymizer_gui.perspectives.explore.inspector.panel import InspectorPanel
from anonymizer_gui.widgets.knob import Knob
from engine.cli import main
from engine.numbers import as_exact_count
from engine.params import values_of
from engine.project import edits
from engine.project.recipe.files import write_recipe
from tests.adult import ARX_COLUMNS
from tests.engine.privacy.test_cost_benefit import NAMES, ROWS, payout_of, project_of, requirement_of
from tests.window_driver import driven_window


def test_a_recipe_finds_the_optimum_of_arx_among_all_nodes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    row = ROWS[NAMES.index("p_loss_2400")]
    project = replace(project_of(0), requirement=requirement_of(row))
    project = edits.set_metric(project, "payout", values_of(payout_of(row)))
    recipe, target = tmp_path / "recipe.toml", tmp_path / "adult.csv"
    write_recipe(project, recipe)
    assert main(["anonymize", str(recipe), "--out", str(target), "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["node"] == {name: row["optimum"][name] for name in ARX_COLUMNS}
    assert (found["metric"], found["verified"], found["guarantee"]) == ("payout", True, "optimal")
    assert row["maximal_payout"] - found["value"] == pytest.approx(row["payout"], rel=1e-9)
    counts = {"suppressed": row["suppressed"], "classes": row["classes"], "k": row["min_class"]}
    assert {key: found[key] for key in counts} == counts
    assert found["models"] == [
        {"model": "profitability", "column": None, "suppressed": row["suppressed"], "met": True}
    ]


def test_in_the_window_knobs_of_money_change_who_is_attacked_and_what_is_kept(
    qtbot: QtBot, qapp: QApplication, tmp_path: Path
) -> None:
    row, stricter = (ROWS[NAMES.index(name)] for name in ("p_default", "p_loss_2400"))
    project = replace(project_of(0), requirement=requirement_of(row))
    with driven_window(qtbot, qapp) as driver:
        driver.session.open_project(edits.set_metric(project, "payout", {}))
        driver.click("tab.explore")
        driver.wait_settled()
        assert driver.session.selection.node == tuple(row["optimum"][name] for name in ARX_COLUMNS)
        part = driver.find("inspector", InspectorPanel).payout
        kept = {
            "Publisher keeps": as_exact_count(row["payout"]),
            "Published as it is": as_exact_count(row["payout"]),
        }
        assert {name: part.texts()[name][0] for name in kept} == kept
        assert part.texts()["Classes worth an attack"] == (
            as_exact_count(19502),
            f"of {as_exact_count(19502)}",
        )
        assert part.warning.text() == (
            "Publishing as it is pays best under these sums. That is no protection."
        )
        knob = driver.find("knob.needed benefit/loss", Knob)
        driver.type_into(knob.entry, "2400")
        driver.key(Qt.Key.Key_Return)
        driver.wait_settled()
        assert driver.session.project is not None
        assert driver.session.project.requirement == requirement_of(stricter)
        node = tuple(stricter["optimum"][name] for name in ARX_COLUMNS)
        driver.click_node(node)
        driver.wait_settled()
        assert part.texts()["Publisher keeps"][0] == as_exact_count(stricter["payout"])
        assert part.texts()["Classes worth an attack"][1] == f"of {as_exact_count(stricter['classes'])}"
        assert part.texts()["Published as it is"][0] == as_exact_count(row["maximal_payout"] - 2400 * 19502)
        assert not part.warning.isVisible()
        driver.apply()
        assert driver.export(tmp_path / "out.csv").startswith("Written and verified: out.csv")
