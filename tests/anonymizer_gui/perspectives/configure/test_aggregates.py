"""An aggregate and its parameters are chosen next to the hierarchy, and undone as one step."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QCheckBox
from pytestqt.qtbot import QtBot

from anonymizer_gui.models.node_name import LevelWords
from anonymizer_gui.perspectives.configure.presenter import ConfigurePresenter
from anonymizer_gui.perspectives.configure.table.rule_presenter import AggregateDialog
from anonymizer_gui.session import Session
from anonymizer_gui.session.scoring_controller import ScoringController
from anonymizer_gui.theming import THEMES, theme_manager
from engine.project.edits import set_aggregate
from engine.recoding.aggregation import AggregateFunction, aggregate_functions
from engine.records import Role
from tests.anonymizer_gui.hands import pick
from tests.anonymizer_gui.look_checks import clipped_texts, focus_problems, overlapping_siblings
from tests.anonymizer_gui.perspectives.configure.conftest import Settle

LEFT = Qt.MouseButton.LeftButton


def choose(qtbot: QtBot, configure: ConfigurePresenter, settle: Settle, column: str, key: str) -> None:
    """Choose an entry of the list of a column."""
    configure.view.table.table.select_columns((column,))
    settle()
    pick(qtbot, configure.view.column.aggregate.box, key)
    settle()


def chosen(session: Session, column: str) -> AggregateFunction | None:
    return session.project.microaggregation.get(column)


def test_only_quasi_identifying_columns_have_the_choice(
    configure: ConfigurePresenter, settle: Settle
) -> None:
    for names, is_shown in ((("age",), True), (("disease",), False), (("age", "sex"), False)):
        configure.view.table.table.select_columns(names)
        settle()
        assert configure.view.column.aggregate.isVisible() is is_shown


def test_functions_that_cannot_be_taken_of_a_column_are_not_offered(
    configure: ConfigurePresenter, settle: Settle
) -> None:
    offered = {}
    for name in ("age", "sex"):
        configure.view.table.table.select_columns((name,))
        settle()
        box = configure.view.column.aggregate.box
        offered[name] = {box.itemData(i) for i in range(box.count())}
    assert offered["age"] == {"", *aggregate_functions}
    assert offered["sex"] == {"", "mode", "mode_by_column", "set"}


def test_a_choice_is_one_step_that_can_be_undone(
    qtbot: QtBot, configure: ConfigurePresenter, session: Session, settle: Settle
) -> None:
    aggregate = configure.view.column.aggregate
    choose(qtbot, configure, settle, "age", "mean")
    assert chosen(session, "age") == aggregate_functions.create("mean")
    assert aggregate.words.text() == "forms no classes"
    assert session.history.own.undoText() == "Release an aggregate of age"
    session.history.undo()
    settle()
    assert chosen(session, "age") is None
    assert aggregate.box.currentText() == "Generalized value"
    assert not aggregate.settings_button.isVisible()
    session.history.redo()
    choose(qtbot, configure, settle, "age", "")
    assert chosen(session, "age") is None


def test_the_dialog_sets_parameters_which_another_function_keeps(
    qtbot: QtBot, configure: ConfigurePresenter, session: Session, settle: Settle
) -> None:
    choose(qtbot, configure, settle, "age", "mean")
    qtbot.mouseClick(configure.view.column.aggregate.settings_button, LEFT)
    (dialog,) = configure.view.window().findChildren(AggregateDialog)
    box = dialog.form.editor("grouping").widget
    check = box if isinstance(box, QCheckBox) else box.findChild(QCheckBox)
    check.setChecked(True)
    dialog.form.editor("decimals").set_value(0)
    qtbot.mouseClick(dialog.accept_button, LEFT)
    settle()
    assert chosen(session, "age") == aggregate_functions.create("mean", grouping=True, decimals=0)
    assert configure.view.column.aggregate.words.text() == "forms classes, decimals 0"
    choose(qtbot, configure, settle, "age", "median")
    assert chosen(session, "age") == aggregate_functions.create("median", grouping=True)


def test_another_role_removes_the_choice(
    qtbot: QtBot, configure: ConfigurePresenter, session: Session, settle: Settle
) -> None:
    choose(qtbot, configure, settle, "age", "interval")
    qtbot.mouseClick(configure.view.column.role_buttons[Role.INSENSITIVE], LEFT)
    settle()
    assert not session.project.microaggregation
    session.history.undo()
    assert chosen(session, "age") == aggregate_functions.create("interval")


def test_a_type_that_has_no_mean_is_a_finding_with_its_fix(
    configure: ConfigurePresenter, session: Session, settle: Settle
) -> None:
    wrong = set_aggregate(session.project, "sex", aggregate_functions.create("mean"))
    session.edit("Take the mean", wrong)
    settle()
    assert "aggregate:sex" in {finding.key for finding in configure.view.preflight.findings}
    configure.view.preflight.fix_requested.emit("aggregate:sex")
    settle()
    assert chosen(session, "sex") is None


def test_the_lattice_has_no_choice_for_a_column_that_forms_no_classes(
    qtbot: QtBot, configure: ConfigurePresenter, session: Session, settle: Settle
) -> None:
    scoring = ScoringController(session)
    scoring.score_again()
    qtbot.waitUntil(lambda: session.results.problem is not None and scoring.is_settled)
    assert session.results.problem.lattice.shape == (3, 1)
    choose(qtbot, configure, settle, "age", "mean")
    qtbot.waitUntil(lambda: session.results.is_problem_current and scoring.is_settled)
    assert session.results.problem.lattice.shape == (1, 1)
    assert LevelWords(session.results.problem).node((2, 0)) == [
        ("age", "mean of the class"),
        ("sex", "unchanged"),
    ]


@pytest.mark.parametrize("key", sorted(aggregate_functions))
def test_the_dialog_of_every_function_fits(qtbot: QtBot, themed: QApplication, key: str) -> None:
    theme_manager().apply(themed, THEMES["light"], 1.5)
    dialog = AggregateDialog("age", aggregate_functions.create(key))
    qtbot.addWidget(dialog)
    dialog.show()
    dialog.activateWindow()
    qtbot.waitUntil(dialog.isActiveWindow)
    assert [*clipped_texts(dialog), *overlapping_siblings(dialog), *focus_problems(dialog)] == []
