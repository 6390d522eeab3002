"""Visits every screen of the window with the clinic example, for pictures of each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QComboBox, QDialog, QLabel, QTableView, QWidget

from anonymizer_gui.widgets.card_places import PageSwitch
from anonymizer_gui.widgets.segmented import SegmentedControl
from engine.project.recipe.files import read_recipe
from engine.words import _
from tests.anonymizer_gui.hands import let_run
from tests.anonymizer_gui.look_checks import laid_out
from tests.engine.report.test_wildcards_in_reports import RECIPE, REGIONS
from tests.window_driver import LONG, Driver

_UPDATING = ("updating", "updating curves")
CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
BETWEEN_LOOKS, MOST_LOOKS = 30, 400  # milliseconds; looks
NODE = (2, 3, 1, 3, 1)  # satisfies, 61 suppressed, 125 classes
UTILITY = (
    ("columns", ("distribution", "statistics", "class_sizes", "classification")),
    ("pairs", ("contingency", "metrics", "local_queries", "settings")),
)
RISK = ("crowd", "attackers", "attacks", "tests", "suppressed_groups", "exposed_records")
TESTS = ("population_uniqueness", "linkage", "attack_test")
RULE = "Mask"

Screen = tuple[str, QWidget]  # name of the screen, and the widget in the picture


def screens(driver: Driver, folder: Path) -> Iterator[Screen]:
    """Yield every screen in turn, ready for a picture; `folder` contains the examples."""
    yield from _start(driver, folder)
    driver.drop(folder / "clinic" / "recipe.toml")
    driver.wait(lambda: driver.session.project is not None)
    driver.wait_settled()
    yield from _configure(driver)
    yield from _hierarchies(driver)
    yield from _explore(driver)
    driver.session.selection.select(NODE)
    driver.wait_settled()
    for page in ("utility", "risk"):
        driver.click(f"tab.{page}")
        driver.wait_settled()
        yield at_rest(driver, f"{page}-preview")
    driver.click("tab.explore")
    driver.apply()
    driver.wait_settled()
    yield from _release(driver)
    yield from _frame(driver)
    yield from _judge(driver, folder)
    yield from _small(driver, folder)


def at_rest(driver: Driver, name: str, shown: QWidget | None = None) -> Screen:
    """Return a screen without focus, once idle and unchanged between two checks.

    A picture takes long: it is compared only where pictures are taken, and texts of labels elsewhere.
    """
    shown = shown or driver.window
    if (held := QApplication.focusWidget()) is not None:
        held.clearFocus()
    before: object = None
    for _look in range(MOST_LOOKS):
        driver.wait(lambda: is_idle(driver), LONG)
        let_run(BETWEEN_LOOKS)
        laid_out(shown)
        now = shown.grab().toImage() if driver.takes_pictures else _labels(shown)
        if now == before and is_idle(driver) and not _is_updating(shown):
            return name, shown
        before = now
    raise AssertionError(f"{name} does not come to rest")


def _labels(shown: QWidget) -> list[tuple[QLabel, str]]:
    return [(label, label.text()) for label in shown.findChildren(QLabel) if label.isVisible()]


def is_idle(driver: Driver) -> bool:
    """Return whether no job runs and everything shown is up to date."""
    return not driver.wiring.runner.is_busy and driver.wiring.frame.is_settled and driver.wiring.is_settled


def _is_updating(shown: QWidget) -> bool:
    captions = tuple(map(_, _UPDATING))
    return any(
        label.isVisible() and label.text().startswith(captions) for label in shown.findChildren(QLabel)
    )


def _dialog(driver: Driver, name: str, opened: Callable[[], object]) -> Iterator[Screen]:
    """Show a dialog by its object name, and close it afterwards."""
    opened()
    dialog = driver.dialog(name)
    yield at_rest(driver, name.removesuffix("Dialog") + "-dialog", dialog)
    dialog.reject()
    driver.wait(lambda: not any(d.isVisible() for d in driver.window.findChildren(QDialog)))
    driver.wake()


def segment(driver: Driver, switch: str, key: str) -> None:
    """Click a segment of a visible switch."""
    kinds = (SegmentedControl, PageSwitch)
    (found,) = (s for kind in kinds for s in driver.window.findChildren(kind, switch) if s.isVisible())
    driver.click((found.segments if isinstance(found, PageSwitch) else found).segment(key))


def _start(driver: Driver, folder: Path) -> Iterator[Screen]:
    yield at_rest(driver, "start")
    yield from _dialog(driver, "openDialog", lambda: driver.drop(folder / "clinic" / "clinic.csv"))
    yield from _dialog(driver, "databaseDialog", driver.wiring.actions["open_database"].trigger)


def _configure(driver: Driver) -> Iterator[Screen]:
    driver.click("tab.configure")
    driver.select_columns("age")
    yield at_rest(driver, "configure")
    driver.key(Qt.Key.Key_F6)
    yield at_rest(driver, "configure-columns")
    driver.key(Qt.Key.Key_F6)
    driver.key(Qt.Key.Key_F, CONTROL | SHIFT)
    driver.key(Qt.Key.Key_H, CONTROL)
    yield at_rest(driver, "configure-strips")
    for _strip in range(2):
        driver.key(Qt.Key.Key_Escape)
    yield from _dialog(driver, "suggestDialog", lambda: driver.click("suggestRolesButton"))
    yield from _dialog(driver, "proposeDialog", lambda: driver.click("proposeHierarchiesButton"))
    yield from _dialog(driver, "peopleDialog", lambda: driver.click("peopleButton"))
    yield from _dialog(driver, "questionnaireDialog", lambda: driver.click("questionnaireButton"))
    yield from _dialog(driver, "metricDialog", lambda: driver.click("metricSettingsButton"))
    driver.select_columns("diagnosis")
    yield from _rule_dialog(driver)
    wanted = driver.wiring.configure.view.requirement.model_wanted
    yield from _dialog(driver, "modelsDialog", lambda: driver.click("addModelButton"))
    yield from _dialog(driver, "memberDialog", lambda: wanted.emit("t_closeness"))


def _rule_dialog(driver: Driver) -> Iterator[Screen]:
    """Show the settings of a rule that is being chosen for the selected column."""

    def opened() -> None:
        driver.click("columnRuleSettings")
        driver.choose(driver.dialog("identifierDialog").findChildren(QComboBox)[0], _(RULE))

    yield from _dialog(driver, "identifierDialog", opened)


def _hierarchies(driver: Driver) -> Iterator[Screen]:
    driver.select_columns("age")
    driver.click("editHierarchyButton")
    driver.wait(lambda: driver.find("doneButton").isVisible())
    yield at_rest(driver, "hierarchy")
    yield from _dialog(driver, "copyDialog", lambda: driver.click("copyHierarchyButton"))
    library = driver.wiring.configure.view.editor.library_action
    yield from _dialog(driver, "libraryDialog", library.trigger)
    driver.click("backButton")


def _explore(driver: Driver) -> Iterator[Screen]:
    driver.click("tab.explore")
    driver.wait_settled()
    yield at_rest(driver, "explore")
    for stop in ("chips", "cards", "fit"):
        segment(driver, "zoomStops", stop)
        yield at_rest(driver, f"explore-{stop}")
    driver.click("pinNode")
    yield from views_of_nodes(driver)
    _page(driver, "remembered")
    table = driver.find("rememberedTable", QTableView)
    driver.session.selection.select(NODE)
    driver.wait_settled()
    driver.click(table.viewport(), table.visualRect(table.model().index(0, 0)).center())
    yield from _dialog(driver, "compareDialog", lambda: driver.click("comparePinned"))
    _page(driver, "list")
    yield from _dialog(driver, "classesDialog", lambda: driver.click("classesButton"))
    yield from _dialog(driver, "presetDialog", driver.wiring.explore.view.knobs.presets.click)
    yield from _dialog(driver, "weightsDialog", driver.wiring.explore.view.knobs.weights.click)
    yield from _dialog(driver, "algorithmDialog", lambda: driver.click("algorithmButton"))
    driver.click("walkButton")
    driver.wait_settled()
    driver.click("walkEnd")
    yield at_rest(driver, "walk")
    yield from _dialog(driver, "walkDialog", lambda: driver.click("walkSettings0"))
    driver.click("walkClose")


def views_of_nodes(driver: Driver) -> Iterator[Screen]:
    """Yield each view next to the map."""
    for page in ("remembered", "list"):
        _page(driver, page)
        yield at_rest(driver, f"explore-{page}")


def _page(driver: Driver, key: str) -> None:
    """Show a page next to the map by its segments, or by the combo box in place of them."""
    driver.wiring.explore.view.pages.show_page(key)
    driver.wait_settled()


def _release(driver: Driver) -> Iterator[Screen]:
    yield from _dialog(driver, "improveDialog", lambda: driver.click("improveButton"))
    driver.click("tab.utility")
    driver.wait_settled()
    yield at_rest(driver, "utility")
    for page in analysis_pages(driver):
        yield at_rest(driver, page)
    yield from _export(driver)


def analysis_pages(driver: Driver) -> Iterator[str]:
    """Show every page and pane of Analyze utility and Analyze risk in turn, and yield its name."""
    driver.click("tab.utility")
    driver.wait_settled()
    view = driver.wiring.utility.view
    for card, panes in UTILITY:
        for pane in panes:
            if not view.lower_cards.is_in_sight(card):
                shown = next(k for k in ("loss", "columns", "pairs") if view.lower_cards.is_in_sight(k))
                segment(driver, f"{shown}Switch", card)
            chooser = view.cards[card].chooser
            driver.click(chooser.segment(pane))
            driver.wait_settled()
            yield f"utility-{pane}"
    driver.click("tab.risk")
    driver.wait_settled()
    for page in RISK:
        driver.wiring.risk.view.show_page(page)
        driver.wait_settled()
        yield f"risk-{page}"
    for test in TESTS:
        driver.wiring.risk.show_place(test)
        driver.wait_settled()
        action = driver.window.findChild(QWidget, "attack-testAction")
        if test == "attack_test" and action is not None and action.isVisible():  # a small table has no test
            driver.click(action)
            driver.wait_settled()
        yield f"risk-{test}"
        driver.wiring.risk.view.tests.close_all()


def _export(driver: Driver) -> Iterator[Screen]:
    driver.key(Qt.Key.Key_E, CONTROL)
    dialog = driver.dialog("exportDialog")
    yield at_rest(driver, "export-dialog", dialog)
    for button, name in (
        ("formatOptionsButton", "formatDialog"),
        ("identifierRulesButton", "identifiersDialog"),
        ("filesAboutButton", "bundleDialog"),
    ):
        driver.click(driver.button(dialog, button))
        further = driver.dialog(name)
        yield at_rest(driver, name.removesuffix("Dialog") + "-dialog", further)
        further.reject()
    dialog.reject()
    yield from _dialog(driver, "reportDialog", driver.wiring.actions["report"].trigger)


def _frame(driver: Driver) -> Iterator[Screen]:
    for name, action in (
        ("preferencesDialog", "preferences"),
        ("shortcutsDialog", "shortcuts"),
        ("aboutDialog", "about"),
        ("commandPalette", "palette"),
    ):
        yield from _dialog(driver, name, driver.wiring.actions[action].trigger)
    driver.click("historyButton")
    yield at_rest(driver, "history", driver.find("historyList"))
    driver.key(Qt.Key.Key_Escape)


def _judge(driver: Driver, folder: Path) -> Iterator[Screen]:
    driver.answer_file_dialog(folder / "hospital" / "hospital.csv")
    driver.wiring.actions["judge"].trigger()
    dialog = driver.dialog("openDialog")
    driver.wait(lambda: dialog.reading is not None)  # type: ignore[attr-defined]
    driver.click(driver.button(dialog, "openDialogButton"))
    driver.wait(lambda: driver.window.page == "judge")
    driver.wait(lambda: not driver.wiring.runner.is_busy)
    yield at_rest(driver, "judge")


def _small(driver: Driver, folder: Path) -> Iterator[Screen]:
    """Show a lattice of 30 nodes, with the optimum applied and a neighbour selected and pinned."""
    driver.session.open_project(read_recipe(folder / "hospital" / "recipe.toml"))
    driver.wait_settled()
    driver.click("tab.explore")
    driver.wait_settled()
    driver.apply()
    driver.session.selection.select((3, 0, 2))
    driver.wait_settled()
    driver.click("pinNode")
    yield at_rest(driver, "explore-small")
    yield from _starred(driver, folder)


def _starred(driver: Driver, folder: Path) -> Iterator[Screen]:
    """Show the wildcards of a release with stars in single cells."""
    (folder / "regions.csv").write_text("\n".join(["region,sex", *REGIONS]) + "\n", encoding="utf-8")
    (folder / "regions.toml").write_text(RECIPE, encoding="utf-8")
    driver.session.open_project(read_recipe(folder / "regions.toml"))
    driver.wait_settled()
    driver.apply()
    driver.wait_settled()
    driver.click("improveButton")
    dialog = driver.dialog("improveDialog")
    driver.wait(lambda: not dialog.is_running, LONG)  # type: ignore[attr-defined]
    dialog.choice.choose("cells")  # type: ignore[attr-defined]
    driver.click("tryButton")
    use = driver.button(dialog, "useReleaseButton")
    driver.wait(use.isEnabled, LONG)
    driver.click(use)
    driver.wait_settled()
    driver.click("tab.risk")
    driver.wait_settled()
    driver.wiring.risk.show_place("wildcards")
    driver.wait_settled()
    yield at_rest(driver, "risk-wildcards")
