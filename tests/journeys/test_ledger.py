"""Releases of the same people over time: each is measured beside the earlier ones before it is written.

The files are joined here, by their texts.
"""

from __future__ import annotations

import csv
import json
import random
import shutil
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QCheckBox, QLabel, QLineEdit, QListWidget, QPushButton
from pytestqt.qtbot import QtBot

from anonymizer_gui.perspectives.explore.knobs.bar import KnobBar
from anonymizer_gui.perspectives.export.dialog import ExportDialog
from engine.cli import main
from engine.privacy.earlier import Earlier
from tests.window_driver import LONG, Driver, driven_window

CLINIC = Path(__file__).parents[2] / "resources" / "examples" / "clinic"
K, L = 5, 2
FIRST, SECOND = (1, 5, 0, 3, 2), (3, 1, 1, 5, 0)


def rows_of(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))[1:]


def labels(row: list[str]) -> tuple[str, ...]:
    """Cells of the quasi-identifying columns, after the identifying and before the sensitive ones."""
    return tuple(row[1:-2])


def least_joined(first: Path, second: Path) -> int:
    """Fewest rows that have the same labels in both files, whose rows are in the same order."""
    pairs = zip(rows_of(first), rows_of(second), strict=True)
    return min(Counter((labels(a), labels(b)) for a, b in pairs).values())


@pytest.fixture
def window(qtbot: QtBot, qapp: QApplication) -> Iterator[Driver]:
    """Return the clinic example, scored."""
    with driven_window(qtbot, qapp) as driver:
        driver.open_example("clinic")
        driver.wait_settled()
        yield driver


def apply(driver: Driver, node: Sequence[int]) -> None:
    driver.session.selection.select(tuple(node))
    driver.wait_settled()
    driver.apply()
    driver.wait_settled()


def asked(driver: Driver) -> ExportDialog:
    driver.key(Qt.Key.Key_E, Qt.KeyboardModifier.ControlModifier)
    dialog = driver.dialog("exportDialog")
    assert isinstance(dialog, ExportDialog)
    driver.wait_settled()
    return dialog


def written(driver: Driver, dialog: ExportDialog, path: Path) -> None:
    driver.type_into("exportPath", str(path))
    driver.click(driver.button(dialog, "exportNowButton"))
    driver.wait(lambda: dialog.written == f"Written and verified: {path.name}", LONG)
    dialog.reject()
    driver.wait_settled()


def test_a_second_release_is_refused_and_a_node_that_withstands_is_exported(
    window: Driver, tmp_path: Path
) -> None:
    ledger, a, b = tmp_path / "clinic.ledger", tmp_path / "a.csv", tmp_path / "b.csv"
    apply(window, FIRST)
    dialog = asked(window)
    window.type_into("exportPath", str(a))
    window.click("ledgerButton")
    asking = window.dialog("ledgerDialog")
    window.type_into(asking.findChildren(QLineEdit)[0], str(ledger))
    window.click(window.button(asking, "acceptButton"))
    window.wait_settled()
    clause = window.find("besideClause", QLabel)
    assert clause.text() == "The first release of its ledger; further ones are measured beside it."
    shuffle = next(box for box in dialog.findChildren(QCheckBox) if box.text() == "Shuffle the records")
    assert shuffle.isChecked(), "set with the ledger"
    window.click(shuffle, QPoint(8, shuffle.height() // 2))
    window.wait_settled()
    assert "in the order of the input" in clause.text()
    written(window, dialog, a)

    assert window.session.results.evaluation.n_satisfying == 18, "of 155 alone"
    (bar,) = window.window.findChildren(KnobBar)
    for k, n_satisfying in ((6, 0), (5, 18)):
        entry = bar.knobs["joint k"].entry
        window.type_into(entry, str(k))
        window.key(Qt.Key.Key_Return)
        window.wait_settled()
        assert window.session.project.requirement.earlier.k == k
        assert window.session.results.evaluation.n_satisfying == n_satisfying
    apply(window, SECOND)
    dialog = asked(window)
    assert not window.button(dialog, "exportNowButton").isEnabled()
    assert dialog.banner.problem() == "This release reveals too much beside the earlier ones of its ledger."
    assert dialog.banner.hint.text().startswith("18 nodes satisfy beside the earlier releases")
    words = window.find("besideClause", QLabel).text().replace("\u202f", " ")
    assert "Beside the earlier release 1 (" in words
    assert "as few as 1 person match; 1 149 people match nobody else, 1 978 people fewer than 5" in words
    dialog.reject()

    apply(window, window.session.results.optimum)
    dialog = asked(window)
    assert window.button(dialog, "exportNowButton").isEnabled(), dialog.banner.problem()
    written(window, dialog, b)
    assert least_joined(a, b) >= K
    entries = [json.loads(line) for line in ledger.read_text(encoding="utf-8").splitlines()[1:]]
    assert [own["node"] for own in entries] == [list(FIRST), list(window.session.applied.release.node)]

    dialog = asked(window)
    window.click("ledgerButton")
    asking = window.dialog("ledgerDialog")
    window.wait_settled()
    listed = window.find("ledgerReleases", QListWidget)
    assert listed.count() == 2
    assert "in the order of the input" in listed.item(0).text()
    listed.setCurrentRow(0)
    window.click(window.button(asking, "forgetRelease"))
    window.key(Qt.Key.Key_Space)  # its question has the focus
    window.wait(lambda: listed.item(0).text().endswith("forgotten"), LONG)
    assert json.loads(ledger.read_text(encoding="utf-8").splitlines()[1])["people"] is None


def test_a_ledger_that_cannot_be_read_is_told_and_given_up(window: Driver, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.ledger"
    wrong.write_text("no ledger", encoding="utf-8")
    (tmp_path / "wrong.ledger.key").write_text("0" * 64, encoding="utf-8")
    project = window.session.project
    requirement = replace(project.requirement, earlier=Earlier(str(wrong)))
    window.session.edit("Set the ledger", replace(project, requirement=requirement))
    banner = window.window.banner
    window.wait(lambda: banner.isVisible() and "not a release ledger" in banner.problem(), LONG)
    window.click(next(button for button in banner.findChildren(QPushButton) if button.text() == "Ledger…"))
    asking = window.dialog("ledgerDialog")
    field = asking.findChildren(QLineEdit)[0]
    field.setFocus()
    field.clear()
    window.click(window.button(asking, "acceptButton"))
    window.wait_settled()
    assert window.session.project.requirement.earlier is None
    assert window.session.results.evaluation.n_satisfying == 155


def test_a_second_export_without_a_ledger_says_what_is_not_measured(window: Driver, tmp_path: Path) -> None:
    apply(window, SECOND)
    dialog = asked(window)
    clause = dialog.findChild(QLabel, "besideClause")
    assert clause is not None
    assert clause.isHidden()
    written(window, dialog, tmp_path / "a.csv")
    asked(window)
    assert "has been exported before. Without a release ledger" in window.find("besideClause", QLabel).text()


def months(n_months: int) -> list[list[list[str]]]:
    """Tables of four months: of 600 people of the clinic, 60 leave and 60 others come every month."""
    with (CLINIC / "clinic.csv").open(encoding="utf-8", newline="") as file:
        head, *people = list(csv.reader(file))
    draw = random.Random(4)
    present, waiting, tables = people[:600], people[600:], []
    for _month in range(n_months):
        tables.append([head, *sorted(present, key=lambda _row: draw.random())])
        gone = set(map(id, draw.sample(present, 60)))
        present = [row for row in present if id(row) not in gone] + waiting[:60]
        waiting = waiting[60:]
    return tables


def left(tables: Sequence[list[list[str]]], files: Sequence[Path]) -> dict[str, set[tuple[str, ...]]]:
    """Tails that occur in every class of a person, whose row has the same place in table and file."""
    found: dict[str, set[tuple[str, ...]]] = {}
    for table, path in zip(tables, files, strict=True):
        rows, tails = rows_of(path), defaultdict(set)
        for row in rows:
            tails[labels(row)].add(tuple(row[-2:]))
        for (person, *_cells), row in zip(table[1:], rows, strict=True):
            if row[-1] != "*":
                found[person] = found.get(person, tails[labels(row)]) & tails[labels(row)]
    return found


def test_every_month_withstands_those_who_have_all_earlier_ones(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(CLINIC, tmp_path, dirs_exist_ok=True)
    recipe, earlier = tmp_path / "recipe.toml", f'path = "people.ledger"\nattacker = "intersection"\nl = {L}'
    text = recipe.read_text(encoding="utf-8")
    text = text.replace("[transformation]", f"[[earlier]]\n{earlier}\n[transformation]\nshuffle = false")
    recipe.write_text(text, encoding="utf-8")
    tables, files, alone = months(4), [], []
    for number, table in enumerate(tables):
        with (tmp_path / "clinic.csv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows(table)
        files.append(tmp_path / f"released{number}.csv")
        assert main(["anonymize", str(recipe), "--out", str(files[-1]), "--format", "json"]) == 0
        found = json.loads(capsys.readouterr().out)
        assert found["verified"]
        joint = found["joint"]
        assert (joint["earlier"], joint["attacker"]) == (list(range(1, number + 1)), "intersection")
        assert all("l" in joint[name] for name in ("aligned", "intersection", "insider"))
        sizes = Counter(labels(row) for row in rows_of(files[-1]) if set(labels(row)) != {"*"})
        assert min(sizes.values()) >= K, "alone"
        candidates = left(tables[: number + 1], files).values()
        for place, name in enumerate(("length of stay", "diagnosis")):
            fewest = min(len({tail[place] for tail in tails}) for tails in candidates)
            assert fewest == joint["intersection"]["l"][name] >= L, "together"
        alone.append(found["value"])
    for name in ("people.ledger", "people.ledger.key"):
        shutil.move(tmp_path / name, tmp_path / f"kept-{name}")
    out = ["--out", str(tmp_path / "unaware.csv"), "--format", "json"]
    assert main(["anonymize", str(recipe), *out]) == 0
    assert json.loads(capsys.readouterr().out)["value"] < alone[-1], "the ledger costs detail"
