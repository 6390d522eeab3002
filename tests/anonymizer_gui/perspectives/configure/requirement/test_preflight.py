"""The pre-flight strip follows every edit, and its buttons fix the findings."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QScrollArea
from pytestqt.qtbot import QtBot

from anonymizer_gui.perspectives.configure.presenter import ConfigurePresenter
from anonymizer_gui.perspectives.configure.requirement.preflight import PreflightItem, PreflightPanel
from anonymizer_gui.perspectives.configure.table.tick_list_dialog import SuggestDialog
from anonymizer_gui.session import Session
from anonymizer_gui.theming import LIGHT, theme_manager
from engine.advice.findings import Finding, Severity
from engine.hierarchies import Hierarchy
from engine.privacy.distinct_l_diversity import DistinctLDiversity
from engine.privacy.k_anonymity import KAnonymity
from engine.project import AttributeHierarchy
from engine.project.edits import set_hierarchy, set_roles
from engine.records import Role
from tests.anonymizer_gui.look_checks import laid_out
from tests.anonymizer_gui.perspectives.configure.conftest import Settle

LEFT = Qt.MouseButton.LeftButton


def keys(configure: ConfigurePresenter) -> set[str]:
    return {finding.key for finding in configure.view.preflight.findings}


def fix(qtbot: QtBot, configure: ConfigurePresenter, key: str) -> str:
    button = configure.view.preflight.fix_button(key)
    qtbot.mouseClick(button, LEFT)
    return button.text()


def test_findings_are_shown_with_the_most_severe_first(configure: ConfigurePresenter) -> None:
    findings = configure.view.preflight.findings
    assert [f.key for f in findings] == ["no_hierarchy", "unprotected:disease", "unchanged", "lattice"]
    assert findings[0].severity is Severity.LOOK_AT


def test_a_fix_names_its_effect_and_is_one_undo_step(
    qtbot: QtBot, configure: ConfigurePresenter, session: Session, settle: Settle
) -> None:
    assert fix(qtbot, configure, "no_hierarchy") == "Fix: suggest one"
    settle()
    assert "sex" in session.project.hierarchies
    assert "no_hierarchy" not in keys(configure)
    assert "hierarchies" in keys(configure)
    session.history.undo()
    settle()
    assert "no_hierarchy" in keys(configure)


def test_a_sensitive_column_is_protected_by_one_click(
    qtbot: QtBot, configure: ConfigurePresenter, session: Session, settle: Settle
) -> None:
    fix(qtbot, configure, "unprotected:disease")
    settle()
    assert session.project.requirement.models == (KAnonymity(2), DistinctLDiversity("disease", 2))
    assert len(configure.view.requirement.rows) == 2


def test_missing_values_block_until_they_are_added(
    qtbot: QtBot, configure: ConfigurePresenter, session: Session, settle: Settle
) -> None:
    short = AttributeHierarchy(Hierarchy.from_rows([["20", "*"]]))
    session.edit("short", set_hierarchy(session.project, "age", short))
    settle()
    assert configure.view.preflight.findings[0].severity is Severity.BLOCKING
    assert fix(qtbot, configure, "gaps:age") == "Fix: add them"
    settle()
    assert session.project.hierarchies["age"].hierarchy.label("42", 1) == "*"


def test_groups_that_start_a_year_late_are_relabelled(
    qtbot: QtBot, configure: ConfigurePresenter, session: Session, settle: Settle
) -> None:
    rows = [[str(age), f"{(age - 1) // 10 * 10}-{(age - 1) // 10 * 10 + 9}", "*"] for age in range(11, 51)]
    late = AttributeHierarchy(Hierarchy.from_rows(rows))
    session.edit("late", set_hierarchy(session.project, "age", late))
    settle()
    assert fix(qtbot, configure, "labels:age") == "Fix: relabel"
    settle()
    assert session.project.hierarchies["age"].hierarchy.label("30", 1) == "21-30"


def test_suggested_roles_are_explained_and_some_of_them_taken(
    qtbot: QtBot, configure: ConfigurePresenter, session: Session, settle: Settle
) -> None:
    session.edit("none", set_roles(session.project, session.project.table.names, Role.INSENSITIVE))
    settle()
    qtbot.mouseClick(configure.view.table.suggest_button, LEFT)
    settle()
    asked = configure.view.findChildren(SuggestDialog)[0]
    assert all(box.isChecked() for box in asked.boxes.values())
    assert "Names identify a person directly." in asked.boxes["name"].accessibleDescription()
    box = asked.boxes["sex"]
    qtbot.keyClick(box, Qt.Key.Key_Space)
    assert asked.accept_button.text() == "Set 3 roles"
    qtbot.mouseClick(asked.accept_button, LEFT)
    found = [session.project.role(name) for name in session.project.table.names]
    assert found == [Role.IDENTIFYING, Role.QUASI_IDENTIFYING, Role.INSENSITIVE, Role.SENSITIVE]
    assert session.history.own.count() == 2


@pytest.mark.parametrize(("width", "text_size"), [(1264, 1.0), (1264, 1.5), (1900, 1.0)])
def test_every_word_of_twelve_findings_is_shown_and_four_are_in_sight(
    qtbot: QtBot, themed: QApplication, width: int, text_size: float
) -> None:
    theme_manager().apply(themed, LIGHT, text_size)
    fixes = (
        "allow hiding birth date, sex, postcode and 2 more",
        "suggest them",
        "count people by family name",
        "",
    )
    severities = (Severity.BLOCKING, *[Severity.LOOK_AT] * 7, *[Severity.NOTE] * 2, *[Severity.READY] * 2)
    findings = [
        Finding(
            f"f{place}", severity, f"Finding <{place}>", "and a lot about it " * (place + 1), fixes[place % 4]
        )
        for place, severity in enumerate(severities)
    ]
    panel = PreflightPanel()
    qtbot.addWidget(panel)
    panel.resize(width, panel.design_height())
    with qtbot.waitExposed(panel):
        panel.show()
    panel.show_findings(findings)
    laid_out(panel)
    items = panel.findChildren(PreflightItem)
    assert [item.finding.severity for item in items] == [*severities[:10], Severity.READY]
    assert "Finding &lt;10&gt;" in items[-1].words.text()  # what is ready is one line
    assert "Finding &lt;11&gt;" in items[-1].words.text()
    for item in items:
        assert item.words.height() >= item.words.heightForWidth(item.words.width())
    area = panel.findChild(QScrollArea)
    bottom = items[3].mapTo(area.viewport(), items[3].rect().bottomLeft()).y()
    assert bottom <= area.viewport().height()
    theme_manager().apply(themed, LIGHT)
