"""Cost and benefit from a recipe, and in the window, to a verified file: the optima of ARX on Adult."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from anonymizer_gui.perspectives.explore.inspector.panel import InspectorPanel
from anonymizer_gui.perspectives.explore.inspector.payout_part import PayoutPart
from anonymizer_gui.widgets.knob import Knob
from engine.cli import main
from engine.params import values_of
from engine.project import Project, edits
from engine.project.compile import compile_problem
from engine.project.recipe.files import write_recipe
from engine.scoring import LatticeProfile
from engine.scoring.nodes.inspection import inspect_node
from engine.scoring.nodes.payout import PayoutReport
from tests.adult import ARX_COLUMNS, arx_project
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


@pytest.mark.parametrize(
    "columns", [("sex", "age", "race", "salary-class"), pytest.param(ARX_COLUMNS, marks=pytest.mark.thorough)]
)
def test_in_the_window_knobs_of_money_change_who_is_attacked_and_what_is_kept(
    qtbot: QtBot, qapp: QApplication, tmp_path: Path, columns: tuple[str, ...]
) -> None:
    """With all columns, node and payout are those of ARX; with few, they are recounted."""
    row, stricter = (ROWS[NAMES.index(name)] for name in ("p_default", "p_loss_2400"))
    project = replace(arx_project(columns), requirement=requirement_of(row))
    with driven_window(qtbot, qapp) as driver:
        driver.session.open_project(edits.set_metric(project, "payout", {}))
        driver.click("tab.explore")
        driver.wait_settled()
        node = driver.session.selection.node
        assert node == (0,) * len(columns)
        found = reported(project, node, row)
        if columns == ARX_COLUMNS:
            assert found.total == pytest.approx(row["payout"], rel=1e-9)
        part = driver.find("inspector", InspectorPanel).payout
        assert shown(part) == [found.total, found.n_attacked, found.damage, found.unchanged]
        best = "Publishing unchanged pays best under these sums. That gives no protection."
        assert part.warning.text() == best
        driver.type_into(driver.find("knob.needed benefit/loss", Knob).entry, "60000")
        driver.key(Qt.Key.Key_Return)
        driver.wait_settled()
        harmful = {**row, "publisher_loss": 60000}
        assert driver.session.project.requirement == requirement_of(harmful)
        found = reported(project, node, harmful)
        assert shown(part) == [found.total, found.n_attacked, found.damage, found.unchanged]
        assert part.warning.text() != best
        if columns == ARX_COLUMNS:
            driver.type_into(driver.find("knob.needed benefit/loss", Knob).entry, "2400")
            driver.key(Qt.Key.Key_Return)
            driver.wait_settled()
            node = tuple(stricter["optimum"][name] for name in ARX_COLUMNS)
            driver.click_node(node)
            driver.wait_settled()
            assert shown(part)[0] == round(stricter["payout"])
            assert not part.warning.isVisible()
        driver.apply()
        assert driver.export(tmp_path / "out.csv").startswith("Written and verified: out.csv")


def reported(project: Project, node: tuple[int, ...], row: dict[str, Any]) -> PayoutReport:
    """Return what a node pays, from its base tuples."""
    requirement = requirement_of(row)
    report = inspect_node(LatticeProfile(compile_problem(project), requirement), node, requirement)
    assert report.payout is not None
    return replace(
        report.payout,
        **{name: round(getattr(report.payout, name)) for name in ("total", "damage", "unchanged")},
    )


def shown(part: PayoutPart) -> list[float]:
    """Return the numbers of the inspector."""
    texts = [value for _name, value, _note in part.lines.texts()]
    return [int(text.replace("\u202f", "").replace("\u2212", "-")) for text in texts]
