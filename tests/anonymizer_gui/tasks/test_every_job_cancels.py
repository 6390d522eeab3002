"""A job cancelled in the middle of its work ends within half a second and changes nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import count
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QMenu, QTableView, QWidget
from pytestqt.qtbot import QtBot

from anonymizer_gui.perspectives.explore.algorithms import improve_presenter
from anonymizer_gui.session.session import Session
from anonymizer_gui.widgets import file_dialogs
from anonymizer_gui.widgets.segmented import SegmentedControl
from engine.project import Project, edits
from tests.anonymizer_gui.tasks.cancelling import CONTROL, SHIFT, Gate, cancelled
from tests.anonymizer_gui.tasks.job_keys import job_keys
from tests.conftest import EXAMPLES
from tests.hierarchy_hands import HierarchyHands
from tests.window_driver import Driver, driven_window

LEFT = Qt.MouseButton.LeftButton
FILES = {"files for arx", "open", "save", "save recipe", "export", "export.about", "reimport", "report"}
RELEASES = {"release", "first release", "score"}
COLUMNS = {
    "configure.suggest",
    "configure.find",
    "configure.order",
    "configure.copy",
    "configure.retype",
    "configure.edit",
    "configure.propose",
    "configure.columns",
    "configure.replace",
    "configure.replace.edit",
    "configure.preview",
    "undo",
}
HIERARCHIES = {"hierarchy.build", "hierarchy.copy", "hierarchy.library", "hierarchy.file"}
NODES = {"compare", "go back", "node-export", "algorithm", "improve", "improve base"}
NODES |= {"explore.walk"}
FOLLOWING = {  # jobs that follow an edit or a selection automatically
    "compile",
    "explore.layout",
    "evaluate",
    "configure.preflight",
    "explore.inspect.node",
    "explore.inspect.record",
    "explore.details",
    "explore.inspect.metrics",
    "optima",
    "explore.curves",
    "explore.short list",
    "run",
}


def test_a_job_that_reads_or_writes_a_file_changes_neither_project_nor_files(
    driver: Driver, gate: Gate, tmp_path: Path
) -> None:
    saved, recipe = tmp_path / "kept.anon", tmp_path / "kept.toml"
    table = EXAMPLES / "hospital" / "hospital.csv"
    driver.answer_file_dialog(saved)
    driver.key(Qt.Key.Key_S, CONTROL | SHIFT)
    driver.wait(lambda: driver.session.saved.path == saved)
    driver.answer_file_dialog(recipe)
    driver.trigger("File", "Save recipe")
    driver.wait(recipe.exists)
    driver.wait_settled()
    found = {
        "table": cancelled(driver, gate, "open", lambda: driver.drop(table), tmp_path),
        "project": cancelled(driver, gate, "open", lambda: driver.drop(saved), tmp_path),
        "recipe": cancelled(driver, gate, "open", lambda: driver.drop(recipe), tmp_path),
    }
    driver.session.edit("Set the limit", edits.set_suppression_limit(driver.session.project, 0.4))
    driver.wait_settled()
    found["save"] = cancelled(driver, gate, "save", lambda: driver.key(Qt.Key.Key_S, CONTROL), tmp_path)

    def save_recipe() -> None:
        driver.answer_file_dialog(tmp_path / "other.toml")
        driver.trigger("File", "Save recipe")

    found["save recipe"] = cancelled(driver, gate, "save recipe", save_recipe, tmp_path)

    def write_for_arx() -> None:
        driver.answer_file_dialog(tmp_path)
        driver.trigger("File", "Write files for ARX")

    found["files for arx"] = cancelled(driver, gate, "files for arx", write_for_arx, tmp_path)
    driver.key(Qt.Key.Key_Z, CONTROL)
    driver.wait_settled()

    driver.answer_file_dialog(table)
    driver.key(Qt.Key.Key_O, CONTROL | SHIFT)
    dialog = driver.dialog("openDialog")
    driver.wait(lambda: dialog.reading is not None)  # type: ignore[attr-defined]
    take = driver.button(dialog, "openDialogButton")
    found["reimport"] = cancelled(driver, gate, "reimport", lambda: driver.click(take), tmp_path)
    assert dict.fromkeys(found, "") == found


def test_a_job_that_exports_changes_nothing_in_its_folder(driver: Driver, gate: Gate, tmp_path: Path) -> None:
    (tmp_path / "released.csv").write_text("kept")

    def asked() -> QWidget:
        driver.key(Qt.Key.Key_E, CONTROL)
        return driver.dialog("exportDialog")

    def export() -> None:
        asked()
        driver.type_into("exportPath", str(tmp_path / "new.csv"))
        driver.key(Qt.Key.Key_Return)

    def write_about() -> None:
        driver.click(driver.button(asked(), "filesAboutButton"))
        driver.dialog("bundleDialog")
        driver.type_into("bundlePath", str(tmp_path / "about"))
        driver.click("writeBundleButton")

    def write_report() -> None:
        driver.key(Qt.Key.Key_E, CONTROL | SHIFT)
        driver.dialog("reportDialog")
        driver.type_into("reportPath", str(tmp_path / "report.html"))
        driver.key(Qt.Key.Key_Return)

    found = {
        "report": cancelled(driver, gate, "report", write_report, tmp_path),
        "export": cancelled(driver, gate, "export", export, tmp_path),
        "export.about": cancelled(driver, gate, "export.about", write_about, tmp_path),
    }
    assert dict.fromkeys(found, "") == found
    assert not list(tmp_path.glob("about/*"))


def test_a_job_that_computes_changes_neither_release_nor_settings(
    driver: Driver, gate: Gate, tmp_path: Path
) -> None:
    found = {
        "apply": cancelled(driver, gate, "release", lambda: driver.key(Qt.Key.Key_Return, CONTROL), tmp_path),
        "first release": cancelled(
            driver, gate, "first release", lambda: driver.key(Qt.Key.Key_R, CONTROL), tmp_path
        ),
        "score": cancelled(driver, gate, "score", lambda: driver.key(Qt.Key.Key_F5), tmp_path),
    }
    assert found["score"] in ("", "problem")  # scoring again compiles the same settings again
    found["score"] = ""
    assert driver.session.results.profile.is_complete  # earlier scores are kept
    driver.key(Qt.Key.Key_F5)
    driver.wait_settled()
    driver.session.edit("Set the limit", edits.set_suppression_limit(driver.session.project, 0.4))
    driver.wait_settled()
    again = CONTROL | SHIFT
    found["again"] = cancelled(
        driver, gate, "release", lambda: driver.key(Qt.Key.Key_Return, again), tmp_path
    )
    assert dict.fromkeys(found, "") == found


def test_a_job_of_the_columns_does_not_change_the_project(driver: Driver, gate: Gate, tmp_path: Path) -> None:
    driver.click("tab.configure")
    driver.wait_settled()
    QApplication.clipboard().setText("before")

    def select(*names: str) -> None:
        driver.select_columns(*names)

    def find() -> None:
        driver.key(Qt.Key.Key_F, CONTROL)
        driver.qtbot.keyClicks(driver.find("findField"), "a")
        driver.key(Qt.Key.Key_Return)

    def order() -> None:
        driver.key(Qt.Key.Key_F, CONTROL | SHIFT)
        driver.type_into("recordFilter", "age > 40")
        driver.key(Qt.Key.Key_Return)

    def copy() -> None:
        select("age", "city")
        driver.key(Qt.Key.Key_C, CONTROL)

    def retype() -> None:
        select("age")
        driver.choose("typeBox", "Text")

    def propose_one() -> None:
        select("name")
        driver.click("proposeButton")

    def propose_all() -> None:
        driver.click("proposeHierarchiesButton")

    def set_columns() -> None:
        driver.key(Qt.Key.Key_F6)
        columns = driver.wiring.configure.view.table.columns
        for row, keys in ((1, Qt.KeyboardModifier.NoModifier), (2, CONTROL)):
            place = columns.view.visualRect(columns.model.index(row, 0)).center()
            driver.qtbot.mouseClick(columns.view.viewport(), LEFT, keys, place)
        driver.qtbot.mouseClick(columns.set_button, LEFT)
        driver.choose("columns.role", "Insensitive")
        driver.click(driver.button(driver.dialog("columnsDialog"), "acceptButton"))

    def count_matches() -> None:
        driver.key(Qt.Key.Key_F6)
        driver.key(Qt.Key.Key_H, CONTROL)
        driver.type_into("replaceFind", "a")

    def replace_values() -> None:
        driver.choose("replaceColumn", "name")
        driver.type_into("replaceFind", "i")
        driver.wait(driver.find("replaceAll").isEnabled)
        driver.click("replaceAll")

    def preview_people() -> None:
        driver.click("peopleButton")

    begin = {
        "configure.suggest": lambda: driver.click("suggestRolesButton"),
        "configure.find": find,
        "configure.order": order,
        "configure.copy": copy,
        "configure.retype": retype,
        "configure.edit": propose_one,
        "configure.propose": propose_all,
        "configure.columns": set_columns,
        "configure.replace": count_matches,
        "configure.replace.edit": replace_values,
        "configure.preview": preview_people,
    }
    found = {key: cancelled(driver, gate, key, act, tmp_path) for key, act in begin.items()}
    assert QApplication.clipboard().text() == "before"

    def change_a_table() -> None:
        driver.session.edit("Roll", rolled(driver.session))

    found["undo"] = cancelled(driver, gate, "undo", change_a_table, tmp_path, follows=True)
    assert set(found) == COLUMNS
    assert found["undo"] in ("", "problem")  # another table is compiled in the meantime
    found["undo"] = ""
    assert dict.fromkeys(found, "") == found
    before = driver.session.history.texts
    driver.key(Qt.Key.Key_Z, CONTROL)  # an unpacked step is undone anyway
    assert driver.session.history.texts == before
    assert driver.session.history.step == len(before) - 1
    driver.wait_settled()


def rolled(session: Session) -> Project:
    """Return the project with every value of a column moved to the next record."""
    column = session.project.table.column("city")
    return edits.set_column(session.project, replace(column, codes=np.roll(column.codes, 1)))


def test_a_job_of_the_hierarchy_editor_changes_neither_project_nor_draft(
    driver: Driver, gate: Gate, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "age.csv"
    target.write_text("kept")
    monkeypatch.setattr(file_dialogs, "ask_save", lambda *_args: target)
    hands = HierarchyHands(driver)
    hands.open("age")
    lines = hands.lines

    def export() -> None:
        menu = driver.wiring.configure.view.editor.more_button.menu()
        click_entry(driver, "moreHierarchyButton", menu, "Export")

    def library() -> None:
        menu = driver.wiring.configure.view.editor.more_button.menu()
        click_entry(driver, "moreHierarchyButton", menu, "Library")

    begin = {
        "hierarchy.copy": lambda: driver.click("copyHierarchyButton"),
        "hierarchy.library": library,
        "hierarchy.file": export,
        "hierarchy.build": lambda: driver.choose("builderBox", "Keep or hide"),
    }
    found = {key: cancelled(driver, gate, key, act, tmp_path) for key, act in begin.items()}
    assert set(found) == HIERARCHIES
    assert dict.fromkeys(found, "") == found
    assert hands.lines == lines


def click_entry(driver: Driver, button: str, menu: QMenu | None, text: str) -> None:
    """Open the menu of a button and click one of its entries."""
    driver.click(button)
    driver.wait(menu.isVisible)
    action = next(action for action in menu.actions() if action.text().startswith(text))
    driver.qtbot.mouseClick(menu, LEFT, pos=menu.actionGeometry(action).center())


def test_a_job_about_nodes_changes_neither_release_nor_history(
    driver: Driver, gate: Gate, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "nodes.csv"
    target.write_text("kept")
    monkeypatch.setattr(file_dialogs, "ask_save", lambda *_args: target)
    monkeypatch.setattr(improve_presenter, "MOST_BY_ITSELF", 0)  # one job of its sheet at a time
    driver.click("tab.explore")
    driver.session.selection.select((0, 0, 0))
    driver.wait_settled()
    view = driver.wiring.explore.view

    def show_page(key: str) -> None:
        switch = view.pages.findChild(SegmentedControl, "listSwitch")
        assert switch is not None
        driver.qtbot.mouseClick(switch.segment(key), LEFT)

    def click_line(number: int) -> None:
        show_page("remembered")
        table = driver.find("rememberedTable", QTableView)
        place = table.visualRect(table.model().index(number, 0)).center()
        driver.qtbot.mouseClick(table.viewport(), LEFT, pos=place)

    def compare() -> None:
        click_line(0)
        driver.click("comparePinned")

    def go_back() -> None:
        click_line(0)
        driver.click("goBackToRun")

    def export_nodes() -> None:
        show_page("list")
        driver.click("listMore")
        driver.wait(lambda: isinstance(QApplication.activePopupWidget(), QMenu))
        menu = QApplication.activePopupWidget()
        action = next(action for action in menu.actions() if action.text().startswith("Export"))
        driver.qtbot.mouseClick(menu, LEFT, pos=menu.actionGeometry(action).center())

    def search() -> None:
        driver.click("algorithmButton")
        driver.click("runAlgorithmButton")

    def try_method() -> None:
        driver.click("improveButton")
        driver.click("tryButton")

    begin = {
        "compare": compare,
        "go back": go_back,
        "node-export": export_nodes,
        "algorithm": search,
        "improve base": lambda: driver.click("improveButton"),
        "improve": try_method,
        "explore.walk": lambda: driver.click("walkButton"),
    }
    found = {key: cancelled(driver, gate, key, act, tmp_path) for key, act in begin.items()}
    assert set(found) == NODES
    assert dict.fromkeys(found, "") == found


def test_a_cancelled_automatic_job_changes_nothing(
    driver: Driver, gate: Gate, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Quick jobs otherwise run at once, without a task.
    monkeypatch.setattr("anonymizer_gui.perspectives.explore.inspector.report_presenter._DIRECT_SECONDS", 0.0)
    driver.click("tab.explore")
    limits = count(0.2, 0.01)  # a limit evaluated before would be cached

    def edit() -> None:
        assert driver.session.project is not None
        driver.session.edit("Limit", edits.set_suppression_limit(driver.session.project, next(limits)))

    def look_elsewhere() -> None:
        driver.session.selection.select(
            (0, 0, 0) if driver.session.selection.node != (0, 0, 0) else (4, 1, 2)
        )

    scored_anew = ("explore.layout", "compile")
    begin: dict[str, Callable[[], object]] = {"run": lambda: driver.key(Qt.Key.Key_Return, CONTROL)}
    begin |= dict.fromkeys(sorted(FOLLOWING - {"run", *scored_anew}), edit)
    begin |= dict.fromkeys(("explore.inspect.node", "explore.inspect.record"), look_elsewhere)
    begin |= dict.fromkeys(scored_anew, lambda: driver.key(Qt.Key.Key_F5))
    found = {}
    for key, act in begin.items():
        found[key] = cancelled(driver, gate, key, act, tmp_path, follows=True)
    assert set(found) == FOLLOWING
    assert dict.fromkeys(found, "") == found
    edit()
    driver.wait_settled()  # the window continues


def test_a_cancelled_preview_is_made_when_a_page_is_shown_again(
    qtbot: QtBot, themed: QApplication, gate: Gate, tmp_path: Path
) -> None:
    with driven_window(qtbot, themed) as driver:
        driver.click("example.hospital")
        driver.wait(lambda: driver.session.selection.node is not None)
        driver.wait_settled()
        view = driver.wiring.utility.view

        def show_page() -> None:
            driver.click("tab.utility")

        assert cancelled(driver, gate, "preview", show_page, tmp_path, follows=True) == ""
        assert not view.shows_results
        assert "Select a node" in view.empty.sentence()
        driver.click("tab.explore")
        show_page()
        driver.wait(lambda: view.shows_results)


# Jobs that only read, and show the result in `succeeded`, which a cancelled task never emits.
LOOKS = {
    "analysis.prepare",
    "complete",
    "configure.count",
    "configure.people",
    "configure.rows",
    "export.unchanged",
    "configure.suggest one",
    "consequence.form",
    "consequence.next",
    "consequence.suggested",
    "first account",
    "hierarchy.mislabel",
    "hierarchy.statistics",
    "hierarchy.unplaced",
    "imports",
    "explore.inspect.classes",
    "explore.front",
    "explore.nearest changes",
    "explore.rows",
    "explore.scores",
    "open.candidates",
    "open.compare",
    "open.look",
    "open.misfits",
    "open.offers",
    "open.raw",
    "score node",
    "explore.suppression",
    "utility.find",
    "utility.order",
    "utility.sides",
    "prepare",
    "recovery",
}
# Jobs of other pages and dialogs are cancelled in their tests.
GUI = "anonymizer_gui/perspectives"
ELSEWHERE = {
    "judge": f"{GUI}/given_table/test_given_table.py",
    "judge.besides": f"{GUI}/given_table/test_given_table.py",
    "judge.roles": f"{GUI}/given_table/test_given_table.py",
    "judge.stars": f"{GUI}/given_table/test_given_table.py",
    "judge.save": f"{GUI}/given_table/test_given_table.py",
    "paste": f"{GUI}/start/test_pasting.py",
    "analysis": f"{GUI}/utility/test_utility_states.py",
    "risk.link": f"{GUI}/risk/test_risk_linkage_page.py",
    "risk.leak_remedies": f"{GUI}/risk/test_risk_tests.py",
    "apply": f"{GUI}/start/test_applying_recipe.py",
    "database": f"{GUI}/start/test_database_dialog.py",
    "explore.inspect.records": "journeys/test_records_in_files.py",
}
# Small jobs without a key, ended only with the program.
UNSTOPPED = {
    "perspectives/configure/hierarchy/sharing_presenter.py",
    "perspectives/start/recovery_offers.py",
    "session/autosave.py",
}


def test_every_job_of_the_window_is_cancelled_in_a_test() -> None:
    here = FILES | RELEASES | COLUMNS | HIERARCHIES | NODES | FOLLOWING | LOOKS | UNSTOPPED | {"preview"}
    missing = {key: place for key, place in job_keys().items() if key not in here | set(ELSEWHERE)}
    assert missing == {}, "cancel them in a test of this file, and name their keys above"
    tests = Path(__file__).parents[2]
    silent = [path for path in ELSEWHERE.values() if "cancel" not in (tests / path).read_text("utf-8")]
    assert silent == []
