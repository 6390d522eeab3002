"""Attackers who know some columns: from CSV to a verified file and its report, by the window."""

from __future__ import annotations

import random
from itertools import combinations
from pathlib import Path

import pandas as pd
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QCheckBox, QLabel

from engine.privacy.any_columns import AnyColumns
from engine.privacy.known_columns import KnownColumns
from tests.window_driver import LONG, Driver

QUASI = Qt.Key.Key_2
LEFT = Qt.MouseButton.LeftButton
QI = ["age", "job", "region", "sex"]


def people() -> pd.DataFrame:
    source = random.Random(5)
    rows = [
        (source.randint(20, 69), source.choice("ABCDEFGH"), source.choice("NSEW"), source.choice("fm"))
        for _unused in range(300)
    ]
    return pd.DataFrame(rows, columns=QI)


def smallest(kept: pd.DataFrame, *columns: str) -> int:
    """Return the smallest group of records that are equal in some columns."""
    return int(kept.groupby(list(columns)).size().min())


def test_attackers_ticked_in_the_matrix_lead_to_a_verified_file(driver: Driver, tmp_path: Path) -> None:
    table = tmp_path / "people.csv"
    people().to_csv(table, index=False)
    driver.open_table(table)
    driver.set_role(QUASI, *QI)
    preflight = driver.wiring.configure.view.preflight
    driver.wait(lambda: driver.wiring.is_settled and preflight.fix_button("no_hierarchy") is not None, LONG)
    button = preflight.fix_button("no_hierarchy")
    assert button is not None
    driver.click(button)
    driver.wait(lambda: len(driver.session.project.hierarchies) == len(QI), LONG)  # type: ignore[union-attr]
    project = driver.session.project
    for _unused in project.requirement.models:
        driver.click("removeModel.0")
    driver.pick_model("Who knows what")
    dialog = driver.dialog("attackersDialog")
    driver.type_into("attacker.1.name", "neighbour")
    for name in QI:
        box = driver.find(f"attacker.1.{name}", QCheckBox)
        if box.isChecked() != (name in ("age", "sex")):
            driver.click(box, QPoint(box.height() // 2, box.height() // 2))
    driver.type_into("attacker.1.k", "4")
    driver.click("addAnybody")
    driver.wait(lambda: dialog.findChild(QLabel, "consequenceLine").text().strip(), LONG)  # type: ignore[union-attr]
    driver.type_into("attacker.2.m", "2")
    driver.type_into("attacker.2.k", "3")
    driver.key(Qt.Key.Key_Return)
    driver.wait(lambda: not dialog.isVisible())
    assert driver.session.project.requirement.models == (
        KnownColumns(4, "neighbour", ("age", "sex")),
        AnyColumns(2, 3),
    )
    driver.click("tab.explore")
    driver.wait_settled()
    assert driver.session.results.optimum is not None
    driver.click_node(driver.session.results.optimum)
    driver.wait_settled()
    driver.apply()
    out = tmp_path / "out.csv"
    assert driver.export(out).startswith("Written and verified: out.csv")
    written = pd.read_csv(out, dtype=str)
    kept = written[~(written[QI] == "*").all(axis=1)]
    assert smallest(kept, "age", "sex") >= 4
    assert all(smallest(kept, *pair) >= 3 for pair in combinations(QI, 2))
    assert smallest(kept, *QI) < 3, "k-anonymity would have asked for more"
