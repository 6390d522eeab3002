"""A survey with weights and households: from CSV to a verified file and its report, by window and command."""

from __future__ import annotations

import json
import random
from collections import defaultdict
from pathlib import Path

import pandas as pd
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QLabel, QWidget

from engine.cli import main as run_command
from engine.numbers import as_risk
from tests.engine.findings.risk.slow_survey import slow_households, slow_risk
from tests.window_driver import LONG, Driver

IDENTIFYING, QUASI, INSENSITIVE = Qt.Key.Key_1, Qt.Key.Key_2, Qt.Key.Key_4
LEFT = Qt.MouseButton.LeftButton
QI, THRESHOLD = ["region", "age"], 0.01
RECIPE = """
[data]
path = "survey.csv"
[roles]
quasi_identifying = ["region", "age"]
insensitive = ["weight"]
weight = "weight"
household = "home"
[hierarchies."region"]
builder = "suppress"
[hierarchies."age"]
builder = "intervals"
width = 10
origin = 0
merge = [2]
[[privacy]]
model = "individual_risk"
threshold = 0.01
[[privacy]]
model = "k_map"
k = 100
estimator = "weights"
[transformation]
suppression_limit = 0.3
suppressed_records = "remove"
"""


def sample() -> pd.DataFrame:
    source = random.Random(3)
    rows = [
        (f"h{i // 3}", source.choice("NSEW"), source.randint(18, 79), source.choice([7.5, 40, 120.25]))
        for i in range(240)
    ]
    return pd.DataFrame(rows, columns=["home", "region", "age", "weight"])


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "survey.csv"
    sample().to_csv(path, index=False)
    return path


def recounted(written: pd.DataFrame, original: pd.DataFrame) -> tuple[list[float], list[float]]:
    """Individual and household risks of written records, given their original ones."""
    groups: dict[tuple[str, ...], list[float]] = defaultdict(list)
    cells = list(map(tuple, written[QI].to_numpy().tolist()))
    for cell, weight in zip(cells, original["weight"], strict=True):
        groups[cell].append(weight)
    risks = [slow_risk(len(groups[cell]), sum(groups[cell])) for cell in cells]
    return risks, slow_households(risks, original["home"].tolist())


def recount_of_people(written: pd.DataFrame, original: pd.DataFrame) -> float:
    """Return the least sum of weights of a class."""
    return float(original.groupby([written[name] for name in QI])["weight"].sum().min())


def texts_of(parent: QWidget) -> list[str]:
    return [label.text() for label in parent.findChildren(QLabel)]


def facts_of(path: Path) -> dict[str, float]:
    report = json.loads(path.read_text(encoding="utf-8"))
    section = next(section for section in report["sections"] if section["key"] == "survey")
    return {f["key"]: f["value"] for block in section["blocks"] for f in block.get("facts", ())}


def test_by_command_the_file_is_verified_and_the_report_has_its_risks(
    table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recipe, out, report = (table.with_name(name) for name in ("recipe.toml", "out.csv", "report.json"))
    recipe.write_text(RECIPE.replace('suppressed_records = "remove"\n', ""), encoding="utf-8")
    summary = table.with_name("summary.json")
    words = ["--out", str(out), "--report", str(report), "--summary", str(summary), "--quiet"]
    assert run_command(["anonymize", str(recipe), *words]) == 0
    assert json.loads(summary.read_text(encoding="utf-8"))["verified"] is True
    written = pd.read_csv(out, dtype=str, keep_default_na=False)
    assert set(written["home"]) == {"*"}, "households are not released unless asked"
    kept = ~(written[QI] == "*").all(axis=1)
    risks, homes = recounted(written[kept], sample()[kept])
    assert max(risks) <= THRESHOLD
    assert recount_of_people(written[kept], sample()[kept]) >= 100
    facts = facts_of(report)
    assert facts["expected"] == pytest.approx(sum(risks))
    assert facts["highest"] == pytest.approx(max(risks))
    assert facts["household_global"] == pytest.approx(sum(homes) / len(homes))
    capsys.readouterr()
    analyzed = ["analyze", str(recipe), "survey_risk", "--format", "json", "--quiet"]
    assert run_command(analyzed) == 0
    assert "expected to be re-identified" in capsys.readouterr().out
    removed = table.with_name("removed.csv")
    recipe.write_text(RECIPE, encoding="utf-8")
    assert run_command(["anonymize", str(recipe), "--out", str(removed), "--quiet"]) == 0
    rest = pd.read_csv(removed, dtype=str)
    assert len(rest) == kept.sum()
    assert rest["weight"].tolist() == written["weight"][kept].tolist()


def test_in_the_window_weights_and_households_lead_to_a_verified_file(
    driver: Driver, table: Path, tmp_path: Path
) -> None:
    driver.open_table(table)
    driver.set_role(IDENTIFYING, "home")
    box = driver.find("householdBox")
    box.setFocus()
    driver.qtbot.keyClick(box, Qt.Key.Key_Space)
    driver.set_role(INSENSITIVE, "weight")
    box = driver.find("weightBox")
    driver.click(box, QPoint(8, box.height() // 2))
    driver.set_role(QUASI, *QI)
    project = driver.session.project
    assert (project.weight, project.household) == ("weight", "home")
    preflight = driver.wiring.configure.view.preflight
    driver.wait(lambda: any(finding.key == "weights" for finding in preflight.findings), LONG)
    driver.wait(lambda: driver.wiring.is_settled and preflight.fix_button("no_hierarchy") is not None, LONG)
    button = preflight.fix_button("no_hierarchy")
    assert button is not None
    driver.click(button)
    driver.wait(lambda: len(driver.session.project.hierarchies) == len(QI), LONG)  # type: ignore[union-attr]
    driver.pick_model("individual risk")
    dialog = driver.dialog("memberDialog")
    driver.key(Qt.Key.Key_Return)
    driver.wait(lambda: not dialog.isVisible())
    driver.wait(lambda: "individual_risk" in [m.key for m in driver.session.project.requirement.models])  # type: ignore[union-attr]
    driver.click("tab.explore")
    driver.wait_settled()
    driver.apply()
    out = tmp_path / "out.csv"
    assert driver.export(out).startswith("Written and verified: out.csv")
    written = pd.read_csv(out, dtype=str, keep_default_na=False)
    kept = ~(written[QI] == "*").all(axis=1)
    risks, homes = recounted(written[kept], sample()[kept])
    assert max(risks) <= 0.05
    driver.click("tab.risk")
    driver.wait_settled()
    driver.click(driver.wiring.risk.view.switch.segments.segment("tests"))
    driver.wait_settled()
    driver.click("trialRun.survey_risk")
    driver.wait_settled()
    card = driver.find("card.survey_risk")
    driver.wait(lambda: any("expected to be re-identified" in text for text in texts_of(card)))
    highest = as_risk(max(risks))
    assert any(f"the highest individual risk is {highest}" in text for text in texts_of(card))
    assert max(homes) > max(risks)
