"""The attack test: settings by mouse and keys, intervals, Cancel, and what project and report keep."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from threading import Event

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QLabel, QPushButton

from anonymizer_gui.help.presenter import topic_of
from anonymizer_gui.perspectives.report.presenter import of_release, write
from engine.findings.risk.attack_test import AttackTest, AttackTestFound
from engine.findings.subject import Subject
from engine.monitor import Monitor
from engine.numbers import DASH, as_risk
from engine.project.attack_settings import AttackSettings
from engine.report import ReportSettings
from tests.anonymizer_gui.look_checks import focus_problems
from tests.anonymizer_gui.perspectives.risk.conftest import Bench
from tests.anonymizer_gui.perspectives.risk.test_risk_look import faults

LEFT = Qt.MouseButton.LeftButton
MEASURE = "attack-testAction"


@pytest.fixture
def attacking(bench: Bench) -> Bench:
    """Return the page of the attack test, visible."""
    bench.show_page("attack_test")
    return bench


def measured(bench: Bench) -> AttackTestFound:
    """Measure by the button, and return what the engine says of the same settings."""
    bench.click(MEASURE)
    bench.settle()
    assert bench.risk.view.tests.attack_test.pane.is_shown
    settings = bench.risk.view.tests.attack_test.setup.settings()
    return AttackTest(**{name: getattr(settings, name) for name in settings.__dataclass_fields__}).run(
        bench.subject
    )


def tick(bench: Bench, name: str) -> None:
    """Click the box of a check box, in view."""
    box = bench.find(name)
    holder = box.parentWidget()
    while holder is not None and not hasattr(holder, "ensureWidgetVisible"):
        holder = holder.parentWidget()
    if holder is not None:
        holder.ensureWidgetVisible(box)
    bench.qtbot.mouseClick(box, LEFT, pos=QPoint(8, box.height() // 2))


def check_rows(bench: Bench, found: AttackTestFound) -> None:
    """Compare numbers, intervals and meanings with the engine's."""
    view = bench.risk.view.tests.attack_test.view
    assert view.sentence().text() == found.statement().sentence
    assert any(label.text() == found.basis for label in view.findChildren(QLabel))
    listed = view.list_of("attack_risks").texts.texts()
    assert [(row[0], row[-1]) for row in listed] == [(one.title, one.sentence) for one in found.attacks]
    measured_ones = [one for one in found.attacks if one.interval is not None]
    drawn = view.part("attack_intervals").rows
    for (name, _caption, text), row, attack in zip(drawn.texts(), drawn._rows, measured_ones, strict=True):
        assert name == attack.title
        assert text.startswith(as_risk(attack.statistics.risk))
        assert row.bars[0].ends == (attack.statistics.risk_low, attack.statistics.risk_high)
    assert view.part("attack_intervals").chart.marks == ((0.2, "accepted risk 20.0\u202f%"),)
    for row, attack in zip(listed, found.attacks, strict=True):
        assert (row[1] == DASH) == (attack.interval is None)


def test_a_test_is_measured_drawn_with_intervals_and_kept_by_the_project(
    attacking: Bench, tmp_path: Path
) -> None:
    page, session = attacking.risk.view.tests.attack_test, attacking.session
    assert "control group" in page.pane.sentence()
    found = measured(attacking)
    assert all(attack.interval for attack in found.attacks)
    check_rows(attacking, found)
    assert faults(attacking) == []
    assert focus_problems(attacking.window) == []
    assert topic_of(page.setup) == "attack-test.md"
    attacking.window.resize(1180, 640)
    assert faults(attacking) == []
    box = attacking.find("param.seed")
    box.setFocus()
    attacking.qtbot.keyClick(box, Qt.Key.Key_Up)
    attacking.qtbot.waitUntil(lambda: not page.pane.is_shown)
    assert session.project.attack_test is None
    tick(attacking, "attackKeep")
    assert session.project.attack_test == AttackSettings(seed=1)
    tick(attacking, "param.columns.age")
    kept = AttackSettings(seed=1, columns=("age",))
    assert session.project.attack_test == kept
    assert not session.applied.stale_text
    found = measured(attacking)
    assert found.columns == ("age",)
    assert [attack.interval is None for attack in found.attacks].count(True) >= 1
    check_rows(attacking, found)
    made_with, release = session.applied.made_with, session.applied.release
    assert made_with is not None
    assert release is not None
    material = of_release(replace(made_with, attack_test=kept), release, None, None, tmp_path)
    out = tmp_path / "report.json"
    assert write(material, ReportSettings(language="en"), out, overwrite=False)
    sections = {section["key"]: section for section in json.loads(out.read_text())["sections"]}
    assert found.statement().sentence in json.dumps(sections["attack_test"], ensure_ascii=False)
    session.history.undo()
    attacking.settle()
    assert not attacking.find("param.columns.age").isChecked()
    session.history.undo()
    assert session.project.attack_test is None
    assert not attacking.find("attackKeep").isChecked()


def test_cancel_offers_a_test_again_and_a_small_table_says_what_is_missing(
    attacking: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    page, begun = attacking.risk.view.tests.attack_test, Event()

    def endless(self: AttackTest, subject: Subject, monitor: Monitor) -> AttackTestFound:
        begun.set()
        while True:
            monitor.step(1, 2, "attacking")

    monkeypatch.setattr(AttackTest, "run", endless)
    attacking.click(MEASURE)
    attacking.qtbot.waitUntil(begun.is_set)
    attacking.click("analysisCancel")
    attacking.settle()
    assert page.pane.sentence() == "Cancelled."
    monkeypatch.undo()
    check_rows(attacking, measured(attacking))
    project = attacking.session.project
    few = replace(project, table=project.table.take(np.arange(150)))
    attacking.apply(few, (2, 3, 1, 3, 1))
    attacking.show_page("attack_test")
    assert "at least 200 records" in page.pane.sentence()
    buttons = [button.text() for button in page.pane.findChildren(QPushButton) if button.isVisible()]
    assert buttons == []
