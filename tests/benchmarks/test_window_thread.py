"""Processor time of the window's thread without a look at new events, for every action on the Adult example.

.venv/bin/python -m pytest -q -s tests/benchmarks/test_window_thread.py
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QDialog, QTableView

from anonymizer_gui.widgets.knob import Knob
from tests.anonymizer_gui.hands import let_run
from tests.benchmarks.conftest import SIZE
from tests.benchmarks.report import Report, duration
from tests.hierarchy_hands import CONTROL, SHIFT, HierarchyHands
from tests.screens import RISK, UTILITY, is_idle, segment
from tests.watchdog import Watchdog
from tests.window_driver import LEFT, LONG, Driver

BOUND = 0.05  # seconds
SHOWN = 15  # actions listed within the bound
LOOKS, BETWEEN_LOOKS = 3, 20
DIALOGS = {
    "preferences": "preferencesDialog",
    "shortcuts": "shortcutsDialog",
    "about": "aboutDialog",
    "palette": "commandPalette",
    "open_database": "databaseDialog",
}
THEMES = ("theme_dark", "theme_contrast-light", "theme_light")
_Key = Qt.Key


class User:
    """Makes every action, each until the window is idle, for which it waits some milliseconds at most."""

    def __init__(self, driver: Driver, watchdog: Watchdog, folder: Path, patience: int = LONG) -> None:
        self._driver, self._watchdog, self._folder, self._patience = driver, watchdog, folder, patience
        self._hands = HierarchyHands(driver)

    def do(self, what: str, act: Callable[[], object]) -> None:
        """Make an action and wait for all that follows from it."""
        with self._watchdog.action(what):
            act()
            self._rest()

    def _rest(self) -> None:
        n_calm = 0
        while n_calm < LOOKS:
            self._driver.wait(lambda: is_idle(self._driver), self._patience)
            let_run(BETWEEN_LOOKS)
            n_calm = n_calm + 1 if is_idle(self._driver) else 0

    def key(
        self, what: str, key: Qt.Key, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier
    ) -> None:
        self._driver.wake()
        self.do(what, lambda: self._driver.key(key, modifiers))

    def trigger(self, name: str) -> None:
        self.do(f"menu: {name}", self._driver.wiring.actions[name].trigger)

    def click(self, name: str, what: str = "") -> None:
        self._driver.wake()
        widget = self._driver.find(name)
        self.do(what or f"click {name}", lambda: self._driver.click(widget))

    def dialog(self, what: str, name: str, opened: Callable[[], object]) -> QDialog:
        """Open a dialog."""
        self._driver.wake()
        self.do(f"{what}: open", opened)
        return self._driver.dialog(name)

    def close(self, what: str, dialog: QDialog) -> None:
        self.do(f"{what}: close", dialog.reject)
        self._driver.wait(lambda: not any(d.isVisible() for d in self._driver.window.findChildren(QDialog)))
        self._driver.wake()

    def visit_dialog(self, what: str, name: str, opened: Callable[[], object]) -> None:
        for which in ("first", "second"):
            words = f"{what}, {which} time"
            self.close(words, self.dialog(words, name, opened))

    # Steps ---------------------------------------------------------------------------------------

    def start(self) -> None:
        self.do("prepare the perspectives", self._driver.wiring.prepare)
        self._driver.wait(lambda: "risk" in self._driver.window.pages)
        self.do("open the example", lambda: self._driver.click("example.adult"))
        self._driver.wait(lambda: self._driver.session.project is not None)
        self.do("first scores", self._driver.wait_settled)

    def perspectives(self) -> None:
        for which in ("first", "second"):
            for page in ("explore", "utility", "risk", "configure"):
                self.click(f"tab.{page}", f"{page}, {which} visit")
                self.do(f"{page}, {which} visit", self._driver.wait_settled)

    def columns(self) -> None:
        self.click("tab.configure")
        for name in ("education", "hours-per-week"):
            self.do(f"select a column: {name}", lambda name=name: self._driver.select_columns(name))
        self.do("select a column: age", lambda: self._driver.select_columns("age"))
        table = self._driver.find("dataTable")
        for number, role in ((_Key.Key_4, "insensitive"), (_Key.Key_2, "quasi-identifying")):
            self.do(f"role: {role}", lambda number=number: QTest.keyClick(table, number))
        self.key("table of columns", _Key.Key_F6)
        self.key("table of columns, back", _Key.Key_F6)
        self.key("filter strip", _Key.Key_F, CONTROL | SHIFT)
        self.key("filter strip, close", _Key.Key_Escape)
        self.key("replace strip", _Key.Key_H, CONTROL)
        self.key("replace strip, close", _Key.Key_Escape)
        bar = self._driver.find("dataTable", QTableView).verticalScrollBar()
        self.do("scroll the records", lambda: bar.setValue(bar.maximum() // 2))
        for button, name in (
            ("suggestRolesButton", "suggestDialog"),
            ("proposeHierarchiesButton", "proposeDialog"),
            ("peopleButton", "peopleDialog"),
            ("metricSettingsButton", "metricDialog"),
        ):
            self.visit_dialog(name, name, lambda button=button: self._driver.click(button))
        wanted = self._driver.wiring.configure.view.requirement.model_wanted
        self.visit_dialog("memberDialog", "memberDialog", lambda: wanted.emit("t_closeness"))

    def hierarchies(self) -> None:
        self._driver.select_columns("age")
        for which in ("first", "second"):
            self.click("editHierarchyButton", f"hierarchy editor, {which} time")
            self._driver.wait(lambda: self._hands.is_open)
            self.do("hierarchy: select a value", lambda: self._hands.click("30"))
            self.do("hierarchy: select values", lambda: self._hands.click("34", keys=SHIFT))
            self.do(
                "hierarchy: drop on a new group",
                lambda: self._hands.drag_to_header(self._hands.row("34"), 0, 1),
            )
            self.do("hierarchy: rename", lambda: self._hands.rename("renamed"))
            self.key("hierarchy: undo", _Key.Key_Z, CONTROL)
            self.key("hierarchy: redo", _Key.Key_Z, CONTROL | SHIFT)
            self.visit_dialog("copyDialog", "copyDialog", lambda: self._driver.click("copyHierarchyButton"))
            library = self._driver.wiring.configure.view.editor.library_action
            self.visit_dialog("libraryDialog", "libraryDialog", library.trigger)
            self.click("backButton" if which == "first" else "doneButton", "hierarchy editor, close")
        self.key("undo", _Key.Key_Z, CONTROL)
        self.key("redo", _Key.Key_Z, CONTROL | SHIFT)
        self.key("undo", _Key.Key_Z, CONTROL)

    def knobs(self) -> None:
        self.click("tab.explore")
        for knob in [k for k in self._driver.window.findChildren(Knob) if k.isVisible()]:
            name = f"turn {knob.accessibleName()}"
            at = knob.handle_center().toPoint()
            self.do(name, lambda knob=knob, at=at: QTest.mousePress(knob, LEFT, pos=at))
            for x in (*range(at.x(), knob.width() - 12, 12), *range(knob.width() - 12, at.x(), -24)):
                place = QPoint(x, at.y())
                with self._watchdog.action(name):
                    QTest.mouseMove(knob, place)
                    let_run(BETWEEN_LOOKS)
            self.do(name, lambda knob=knob: QTest.keyClick(knob, _Key.Key_Escape))
            QTest.mouseRelease(knob, LEFT, pos=at)
            self._rest()

    def nodes(self) -> None:
        lattice = self._driver.find("lattice")
        optimum = self._driver.session.results.optimum
        assert optimum is not None
        self.do("node by click", lambda: self._driver.click_node(optimum))
        lattice.setFocus()
        for key in (_Key.Key_Down, _Key.Key_Right, _Key.Key_Up, _Key.Key_Left):
            self.do("node by key", lambda key=key: QTest.keyClick(lattice, key))
        for stop in ("chips", "cards", "fit"):
            self.do(f"zoom to {stop}", lambda stop=stop: segment(self._driver, "zoomStops", stop))
        for key in (_Key.Key_Plus, _Key.Key_Plus, _Key.Key_Minus, _Key.Key_Home):
            self.do("zoom by key", lambda key=key: QTest.keyClick(lattice, key))
        self.click("pinNode")

    def views(self) -> None:
        show = self._driver.wiring.explore.view.pages.show_page
        for which in ("first", "second"):
            for page in ("remembered", "list"):
                self.do(f"page of {page}, {which} time", lambda page=page: show(page))
        self.lists()
        self._driver.click_node(self._driver.session.results.optimum)
        self._rest()
        self.visit_dialog("classesDialog", "classesDialog", lambda: self._driver.click("classesButton"))
        knobs = self._driver.wiring.explore.view.knobs
        self.visit_dialog("presetDialog", "presetDialog", knobs.presets.click)
        self.visit_dialog("weightsDialog", "weightsDialog", knobs.weights.click)

    def lists(self) -> None:
        table = self._driver.find("nodeList", QTableView)
        header = table.horizontalHeader()
        for section in range(header.count()):
            if header.isSectionHidden(section) or section in (1, 2):
                continue
            x = header.sectionViewportPosition(section) + header.sectionSize(section) // 2
            if 0 < x < header.viewport().width():
                place = QPoint(x, header.height() // 2)
                self.do("list: sort", lambda p=place: QTest.mouseClick(header.viewport(), LEFT, pos=p))
        bar = table.verticalScrollBar()
        self.do("list: scroll", lambda: bar.setValue(bar.maximum() // 2))
        box = self._driver.find("nodeStatus", QComboBox)
        for _ in range(2):
            self.do("list: status", lambda: QTest.keyClick(box, _Key.Key_Down))
        for _ in range(2):
            self.do("list: status", lambda: QTest.keyClick(box, _Key.Key_Up))
        self.click("filterColumns", "list: filter")
        self.click("filterColumns", "list: filter")

    def algorithms(self) -> None:
        table = self._driver.wiring.explore.view.pages
        self.do("page of pinned", lambda: table.show_page("remembered"))
        pinned = self._driver.find("rememberedTable", QTableView)
        self.do(
            "select a pinned node",
            lambda: self._driver.click(
                pinned.viewport(), pinned.visualRect(pinned.model().index(0, 0)).center()
            ),
        )
        self.visit_dialog("compareDialog", "compareDialog", lambda: self._driver.click("comparePinned"))
        self.visit_dialog("algorithmDialog", "algorithmDialog", lambda: self._driver.click("algorithmButton"))
        self.click("walkButton", "walk: open")
        self._driver.wait_settled()
        self.key("walk: step", _Key.Key_Right)
        self.click("walkEnd", "walk: end")
        self.visit_dialog("walkDialog", "walkDialog", lambda: self._driver.click("walkSettings0"))
        self.click("walkClose", "walk: close")

    def release(self) -> None:
        self._driver.click_node(self._driver.session.results.optimum)
        self.do("apply", self._driver.apply)
        self.visit_dialog("improveDialog", "improveDialog", lambda: self._driver.click("improveButton"))
        for which in ("first", "second"):
            self.click("tab.utility", f"utility of a release, {which} visit")
            view = self._driver.wiring.utility.view
            for card, panes in UTILITY:
                for pane in panes:
                    if not view.lower_cards.is_in_sight(card):
                        shown = next(
                            k for k in ("loss", "columns", "pairs") if view.lower_cards.is_in_sight(k)
                        )
                        segment(self._driver, f"{shown}Switch", card)
                    chooser = view.cards[card].chooser
                    self.do(
                        f"utility: {pane}, {which} time",
                        lambda c=chooser, p=pane: self._driver.click(c.segment(p)),
                    )
            self.click("tab.risk", f"risk of a release, {which} visit")
            for page in RISK:
                self.do(
                    f"risk: {page}, {which} time",
                    lambda page=page: self._driver.wiring.risk.view.show_page(page),
                )
        self.exporting()
        self.visit_dialog("report", "reportDialog", self._driver.wiring.actions["report"].trigger)

    def exporting(self) -> None:
        for which in ("first", "second"):
            opened = f"exportDialog, {which} time"
            dialog = self.dialog(opened, "exportDialog", lambda: self._driver.key(_Key.Key_E, CONTROL))
            for button, name in (
                ("formatOptionsButton", "formatDialog"),
                ("identifierRulesButton", "identifiersDialog"),
                ("filesAboutButton", "bundleDialog"),
            ):
                click = self._driver.button(dialog, button)
                words = f"{name}, {which} time"
                further = self.dialog(words, name, lambda click=click: self._driver.click(click))
                self.do(f"{words}: close", further.reject)
            self._driver.type_into("exportPath", str(self._folder / f"{which}.csv"))
            self.key("export", _Key.Key_Return)
            self._driver.wait(lambda d=dialog: d.written or d.banner.isVisible(), self._patience)  # type: ignore[misc]
            self.close(opened, dialog)

    def frame(self) -> None:
        for name, dialog in DIALOGS.items():
            self.visit_dialog(name, dialog, self._driver.wiring.actions[name].trigger)
        for page in ("configure", "explore", "utility", "risk"):
            self.click(f"tab.{page}")
            for _ in range(2):
                self.key(f"help on {page}", _Key.Key_F1)
        self.trigger("contents")
        self.trigger("news")
        self.trigger("help")
        self.click("tab.explore")
        for theme in THEMES:
            self.trigger(theme)
        for size in ("larger", "normal_size"):
            self.trigger(size)
        self.click("historyButton", "history: open")
        self.key("history: close", _Key.Key_Escape)


PARTS: Mapping[str, tuple[Callable[[User], object], ...]] = {
    "perspectives": (User.perspectives, User.columns, User.hierarchies),
    "explore": (User.knobs, User.nodes, User.views, User.algorithms),
    "release": (User.release,),
    "frame": (User.frame,),
}


@pytest.mark.parametrize("part", PARTS)
def test_no_action_on_adult_blocks_the_window(driver: Driver, tmp_path: Path, part: str) -> None:
    with Watchdog(BOUND) as watchdog:
        user = User(driver, watchdog, tmp_path)
        try:
            user.start()
            for steps in PARTS[part]:
                steps(user)
        finally:
            print_blocks(watchdog, f"Adult example, {part}", BOUND)
    assert not watchdog.blocks, watchdog.complaint()


def print_blocks(watchdog: Watchdog, what: str, bound: float) -> None:
    """Print the table, longest block first."""
    report = Report()
    report.section()
    for block in sorted(watchdog.blocks, key=lambda block: -block.seconds):
        report.at_most(f"{block.action}: {block.place}", block.seconds, bound, unit="seconds")
    report.section()
    rest = sorted(((s, name) for name, s in watchdog.longest.items() if s <= bound), reverse=True)
    for seconds, name in rest[:SHOWN]:
        report.at_most(name, seconds, bound, unit="seconds")
    report.show(
        f"Longest blocks of the window's thread, {SIZE[0]} x {SIZE[1]}, {what}: "
        f"{len(rest)} of {len(watchdog.longest)} actions within {duration(bound)}"
    )
