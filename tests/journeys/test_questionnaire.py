"""From answers to thresholds in the window, by mouse and keys, and what is said of weaker settings later."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QCheckBox, QLabel, QPushButton
from pytestqt.qtbot import QtBot

from anonymizer_gui.forms.questionnaire_dialog import AnswerChips
from anonymizer_gui.tables.table_view import TextsTable
from engine.privacy.average_risk import AverageRisk
from engine.privacy.distinct_l_diversity import DistinctLDiversity
from engine.privacy.k_anonymity import KAnonymity
from engine.project import Project
from engine.project.answers import QUESTIONS, Answers
from engine.project.pins_and_runs import ProjectState
from engine.project.storage.file import open_project, save_project
from engine.records import Role
from tests.window_driver import LONG, Driver, driven_window

TABLE = "age,job,illness\n" + "".join(f"{20 + i % 3},{'ab'[i % 2]},{'xyz'[i % 3]}\n" for i in range(60))


@pytest.fixture
def driver(qtbot: QtBot, qapp: QApplication, tmp_path: Path) -> Iterator[Driver]:
    with driven_window(qtbot, qapp) as driven:
        (tmp_path / "people.csv").write_text(TABLE, encoding="utf-8")
        driven.open_table(tmp_path / "people.csv")
        driven.set_role(Qt.Key.Key_2, "age")
        driven.set_role(Qt.Key.Key_3, "illness")
        driven.set_role(Qt.Key.Key_4, "job")
        yield driven


def project_of(driver: Driver) -> Project:
    project = driver.session.project
    assert project is not None
    return project


def choose(driver: Driver, answers: Answers) -> None:
    """Choose answers by mouse and keys; a second press takes an answer back."""
    for question, answer in answers.pairs:
        chip = driver.find(f"answer.{question.key}.{answer.key}", QPushButton)
        driver.click(chip)
        driver.click(chip)
        assert driver.find(f"answer.{question.key}", AnswerChips).answer() == ""
        driver.key(Qt.Key.Key_Space)  # it has the focus
        assert driver.find(f"effect.{question.key}", QLabel).text() == answer.effect


def test_answers_set_requirements_and_weaker_settings_are_said_afterwards(
    driver: Driver, tmp_path: Path
) -> None:
    before = project_of(driver)
    assert before.requirement.models == (KAnonymity(5),)
    driver.wait_settled()
    driver.click("questionnaireButton")
    dialog = driver.dialog("questionnaireDialog")
    driver.wake()
    line = driver.find("consequenceLine", QLabel)
    driver.wait(lambda: line.text() == "1 of 1 node satisfies.")  # k = 5, before any answer
    assert (
        driver.find("demandSummary", QLabel).text()
        == "Nothing is demanded yet. 5 questions are not answered."
    )
    accept = driver.button(dialog, "acceptButton")
    assert (accept.isEnabled(), accept.toolTip()) == (False, "Answer a question first")
    answers = Answers("partner", "agreement", "acquaintance", "high", "ema")
    choose(driver, answers)
    assert accept.isEnabled()
    table = driver.find("demandTable", TextsTable)
    shown = [row[:3] for row in table.texts.texts()]
    assert shown == [
        ["k ≥ 11", "k ≥ 5", "will be set"],
        ["k ≥ 5", "k ≥ 5", "less strict"],
        ["average risk ≤ 5\u202f%", "k ≥ 5", "will be set"],
        ["l of illness ≥ 3", "none", "will be set"],
        ["l of illness ≥ 2", "none", "less strict"],
    ]
    driver.wait(lambda: line.text() == "0 of 1 node satisfies.")  # each age has one illness only
    box = dialog.findChild(QCheckBox, "param.known.job")
    driver.click(box, QPoint(box.height() // 2, box.height() // 2))
    assert table.texts.texts()[-1][:3] == ["job is quasi-identifying", "insensitive", "will be set"]
    driver.click(table.viewport(), table.visualRect(table.texts.index(0, 0)).center())
    driver.key(Qt.Key.Key_Down)
    detail = driver.find("demandDetail", QLabel).text()
    assert detail.startswith("k ≥ 5. Recipient: Named recipients outside the organization.")
    assert detail.endswith("JAMIA 15(5), 2008)")
    summary = driver.find("demandSummary", QLabel).text()
    assert summary == "4 of 4 requirements will be added or strengthened."
    driver.key(Qt.Key.Key_Return)
    driver.wait(lambda: not dialog.isVisible())
    after = project_of(driver)
    assert after.answers == Answers("partner", "agreement", "acquaintance", "high", "ema", ("job",))
    assert after.requirement.models == (KAnonymity(11), AverageRisk(0.05), DistinctLDiversity("illness", 3))
    assert after.role("job") is Role.QUASI_IDENTIFYING
    driver.session.history.undo()
    assert (project_of(driver).requirement, project_of(driver).answers) == (before.requirement, Answers())
    driver.session.history.redo()
    save_project(after, tmp_path / "p.anon", ProjectState())
    assert open_project(tmp_path / "p.anon").project.answers == after.answers
    preflight = driver.wiring.configure.view.preflight
    driver.wait(lambda: driver.wiring.is_settled and preflight.fix_button("weaker:k_anonymity") is None, LONG)
    driver.type_into("modelLimit.0", "7")
    driver.key(Qt.Key.Key_Return)
    driver.wait(lambda: preflight.fix_button("weaker:k_anonymity") is not None, LONG)
    button = preflight.fix_button("weaker:k_anonymity")
    assert button is not None
    driver.click(button)
    driver.wait(lambda: project_of(driver).requirement.k == 11)
    driver.click("tab.explore")
    driver.wait_settled()
    driver.click("presetsButton")
    presets = driver.dialog("presetDialog")
    driver.click(driver.button(presets, "questionnaireButton"))
    again = driver.dialog("questionnaireDialog")
    chosen = [driver.find(f"answer.{q.key}", AnswerChips).answer() for q in QUESTIONS]
    assert chosen == ["partner", "agreement", "acquaintance", "high", "ema"]
    words = "The settings meet everything that the answers demand."
    assert driver.find("demandSummary", QLabel).text() == words
    evaluation = driver.session.results.evaluation
    counted = f"{evaluation.n_satisfying} of {evaluation.n_scored} node"
    driver.wait(lambda: driver.find("consequenceLine", QLabel).text().startswith(counted))
    driver.key(Qt.Key.Key_Escape)
    driver.wait(lambda: not again.isVisible())
