"""The pre-flight strip follows every edit, and its buttons fix the findings."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from anonymizer_gui.perspectives.configure.presenter import ConfigurePresenter
from anonymizer_gui.perspectives.configure.requirement.preflight import PreflightPanel
from anonymizer_gui.perspectives.configure.table.tick_list_dialog import SuggestDialog
from anonymizer_gui.session import Session
from anonymizer_gui.widgets.labels import ElidedLabel
from engine.advice.findings import Finding, Severity
from engine.hierarchies import Hierarchy
from engine.privacy.distinct_l_diversity import DistinctLDiversity
from engine.privacy.k_anonymity import KAnonymity
from engine.project import AttributeHierarchy
from engine.project.edits import set_hierarchy, set_roles
from engine.records import Role
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


def test_a_low_window_shows_one_line_of_findings(qtbot: QtBot, configure: ConfigurePresenter) -> None:
    tall = configure.view.preflight.height()
    configure.view.resize(1280, 622)
    qtbot.waitUntil(lambda: configure.view.preflight.height() < tall)


def test_titles_are_not_elided_if_there_is_room(qtbot: QtBot, configure: ConfigurePresenter) -> None:
    titles = [f.title for f in configure.view.preflight.findings]
    labels = configure.view.preflight.findChildren(ElidedLabel)
    shown = {label.text(): label.shown_text() for label in labels if label.text() in titles}
    assert shown == {title: title for title in titles}


@pytest.mark.parametrize("width", [900, 1256, 1900])
def test_long_fixes_leave_room_for_the_beginning_of_every_title(
    qtbot: QtBot, themed: QApplication, width: int
) -> None:
    fixes = (
        "allow hiding birth date, sex, postcode and 2 more",
        "suggest them",
        "add l-diversity, l = 2",
        "count people by first name",
        "count people by family name",
        "",
        "",
    )
    title = "A title that says in many words what was found"
    panel = PreflightPanel()
    qtbot.addWidget(panel)
    panel.resize(width, 100)
    with qtbot.waitExposed(panel):
        panel.show()
    panel.show_findings(
        [
            Finding(f"f{place}", Severity.LOOK_AT, title, "and much more about it " * 3, fix)
            for place, fix in enumerate(fixes)
        ]
    )
    titles = [label for label in panel.findChildren(ElidedLabel) if label.text() == title]
    assert len(titles) == len(fixes)
    qtbot.waitUntil(lambda: all(label.isVisible() for label in titles))
    panel.grab()  # with all of them in their places
    assert min(len(label.shown_text()) for label in titles) >= 12
