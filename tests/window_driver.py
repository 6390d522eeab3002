"""Operates the real window in tests by mouse and keys only; reads what it shows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QTimer, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QDialog,
    QFileDialog,
    QLineEdit,
    QPushButton,
    QWidget,
)
from pytestqt.qtbot import QtBot

from anonymizer_gui.perspectives.explore import view as explore_view
from anonymizer_gui.theming import LIGHT, theme_manager
from anonymizer_gui.wiring import Wiring
from engine.scoring.acceleration import warm_up

W = TypeVar("W", bound=QWidget)
LEFT = Qt.MouseButton.LeftButton
LONG = 150_000
A_LOOK, LOOKS = 30, 8  # milliseconds between checks, checks before acting


class Driver:
    """Window with all its objects, operated by mouse and keys."""

    def __init__(
        self,
        qtbot: QtBot,
        app: QApplication,
        size: tuple[int, int] = (1280, 720),
        *,
        theme_of_pictures: str = "",
        opens_at_once: bool = True,
        first_view: str = "all",
    ) -> None:
        """Create a window, in which Explore shows lattice, map and list unless another view is named.

        `theme_of_pictures` creates it as for pictures, in that theme; `opens_at_once` as for a file named on
        the command line, which is fastest if a project is opened anyway.
        """
        warm_up()  # as the window does a moment after it is shown
        explore_view.FIRST_VIEW = first_view
        self.qtbot = qtbot
        self.takes_pictures = False
        self.wiring = Wiring(
            app,
            theme=theme_of_pictures,
            is_for_picture=bool(theme_of_pictures),
            opens_at_once=opens_at_once,
        )
        self.window = self.wiring.window
        self.session = self.wiring.session
        self.window.resize(*size)
        with qtbot.waitExposed(self.window):
            self.window.show()
        self.window.activateWindow()

    def close(self) -> None:
        """Close the window without saving."""
        self.window.may_close = lambda: True
        for dialog in self.window.findChildren(QDialog):
            dialog.done(0)
        self.window.close()
        self.wiring.shutdown()
        self.window.deleteLater()
        self.wiring.deleteLater()

    # Input --------------------------------------------------------------------------------------

    def find(self, name: str, kind: type[W] = QWidget) -> W:  # type: ignore[assignment]
        """Return the visible widget of a name."""
        found = [w for w in self.window.findChildren(kind, name) if w.isVisible()]
        assert len(found) == 1, f"{len(found)} visible widgets are called {name}"
        return found[0]

    def click(self, target: str | QWidget, pos: QPoint | None = None) -> None:
        widget = self.find(target) if isinstance(target, str) else target
        assert widget.isEnabled(), f"{target} cannot be used: {widget.toolTip()}"
        self.wake()
        if pos is None:
            pos = widget.rect().center()
        self.qtbot.mouseClick(widget, LEFT, pos=pos)

    def key(self, key: Qt.Key, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        """Press a key in the focused widget."""
        self.wake()
        front = QApplication.activeModalWidget() or self.window
        self.qtbot.keyClick(QApplication.focusWidget() or front, key, modifiers)

    def wake(self) -> None:
        """Activate the window, or the dialog over it, as a window manager would."""
        front = QApplication.activeModalWidget() or self.window
        for attempt in range(6):
            if QApplication.activeWindow() is front:
                return
            if attempt == 3:  # the offscreen platform sometimes loses a window
                front.hide()
                front.show()
            front.activateWindow()
            with suppress(self.qtbot.TimeoutError):
                self.qtbot.waitUntil(lambda: QApplication.activeWindow() is front, timeout=50)
        raise AssertionError(f"{front.objectName()} does not become active")

    def type_into(self, target: str | QWidget, text: str) -> None:
        """Replace the text of a field."""
        self.wake()
        widget = self.find(target) if isinstance(target, str) else target
        field = widget if isinstance(widget, QLineEdit) else widget.findChild(QLineEdit) or widget
        self.qtbot.mouseClick(field, LEFT)
        holder = QApplication.focusWidget() or field  # a spin box has the focus instead of its line edit
        self.qtbot.keyClick(holder, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
        self.qtbot.keyClicks(holder, text)

    def pick_model(self, title: str) -> None:
        """Add a privacy model by its title, up to its form."""
        self.click("addModelButton")
        self.dialog("modelsDialog")
        self.type_into("modelsField", title)
        self.key(Qt.Key.Key_Return)

    def choose(self, target: str | QComboBox, text: str) -> None:
        """Select an entry of a combo box by keys."""
        box = self.find(target, QComboBox) if isinstance(target, str) else target
        wanted = box.findText(text)
        assert wanted >= 0, f"no entry {text!r} in {[box.itemText(i) for i in range(box.count())]}"
        box.setFocus()
        while box.currentIndex() != wanted:
            step = Qt.Key.Key_Down if box.currentIndex() < wanted else Qt.Key.Key_Up
            self.qtbot.keyClick(box, step)

    def trigger(self, menu: str, *entries: str) -> None:
        """Open a menu by mouse and click an entry, after the submenus that lead to it."""
        bar = self.window.menuBar()
        top = next(a for a in bar.actions() if a.text().replace("&", "") == menu)
        self.qtbot.mouseClick(bar, LEFT, pos=bar.actionGeometry(top).center())
        popup = top.menu()
        for entry in entries:
            self.qtbot.waitUntil(popup.isVisible)
            action = next(a for a in popup.actions() if a.text().replace("&", "").startswith(entry))
            assert action.isEnabled(), f"{entry} cannot be chosen: {action.toolTip()}"
            self.qtbot.mouseClick(popup, LEFT, pos=popup.actionGeometry(action).center())
            popup = action.menu()

    def answer_file_dialog(self, *paths: Path) -> None:
        """Type a path, or several, into the file dialog that is about to open, and press Enter."""
        text = str(paths[0]) if len(paths) == 1 else " ".join(f'"{path}"' for path in paths)

        def answer(dialog: QDialog) -> None:
            field = dialog.findChild(QLineEdit, "fileNameEdit")
            assert field is not None
            field.selectAll()
            self.qtbot.keyClicks(field, text)
            QTimer.singleShot(A_LOOK, dialog, lambda: confirm(field))

        def confirm(field: QLineEdit) -> None:
            if (completions := QApplication.activePopupWidget()) is not None:
                self.qtbot.keyClick(completions, Qt.Key.Key_Escape)
            self.qtbot.keyClick(field, Qt.Key.Key_Return)

        self.when_modal(QFileDialog, answer)

    def when_modal(self, kind: type[QDialog], act: Callable[[Any], None]) -> None:
        """Run a function as soon as a modal dialog is open; close the dialog if that fails."""
        seen = [0]

        def look() -> None:
            dialog = QApplication.activeModalWidget()
            is_there = isinstance(dialog, kind) and dialog.isVisible()
            seen[0] += is_there
            if not is_there or seen[0] < LOOKS:  # a new dialog is still reading its folder
                QTimer.singleShot(A_LOOK, self.window, look)
                return
            try:
                act(dialog)
            except BaseException:
                dialog.reject()  # type: ignore[union-attr]
                raise

        QTimer.singleShot(0, self.window, look)

    def drop(self, *paths: Path) -> bool:
        """Drop files on the window; return whether they were accepted."""
        mime = QMimeData()
        mime.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
        copy, none = Qt.DropAction.CopyAction, Qt.KeyboardModifier.NoModifier
        enter = QDragEnterEvent(QPoint(300, 300), copy, mime, LEFT, none)
        QApplication.sendEvent(self.window, enter)
        if not enter.isAccepted():
            return False
        drop = QDropEvent(QPointF(300, 300), copy, mime, LEFT, none)
        QApplication.sendEvent(self.window, drop)
        return drop.isAccepted()

    # State --------------------------------------------------------------------------------------

    def wait(self, condition: Callable[[], Any], timeout: int = 30_000) -> None:
        self.qtbot.waitUntil(lambda: bool(condition()), timeout=timeout)

    def wait_settled(self, timeout: int = LONG) -> None:
        """Wait until nothing is in progress."""
        self.wait(lambda: self.wiring.is_settled and self.session.results.evaluation is not None, timeout)

    def dialog(self, name: str) -> QDialog:
        """Wait for the open dialog of a name and return it."""
        self.wait(lambda: any(d.isVisible() for d in self.window.findChildren(QDialog, name)))
        return next(d for d in self.window.findChildren(QDialog, name) if d.isVisible())

    def button(self, parent: QWidget, name: str) -> QAbstractButton:
        found = parent.findChild(QAbstractButton, name)
        assert found is not None, f"no button {name}"
        return found

    # Common steps ---------------------------------------------------------------------------------

    def open_example(self, name: str) -> None:
        """Click an example on the start page, and wait until nothing is in progress."""
        self.click(f"example.{name}")
        self.wait(lambda: self.session.project is not None)
        self.wait_settled()

    def apply_recipe(self, recipe: Path, table: Path) -> None:
        """Ask for a recipe and a table, and type both into the file dialogs that open."""

        def answer_second() -> None:
            dialog = QApplication.activeModalWidget()
            if dialog is not None and dialog.windowTitle().startswith("Choose the table"):
                self.answer_file_dialog(table)
            else:
                QTimer.singleShot(A_LOOK, self.window, answer_second)

        self.answer_file_dialog(recipe)
        QTimer.singleShot(A_LOOK, self.window, answer_second)
        self.trigger("File", "Apply a recipe to another table…")

    def open_table(self, path: Path) -> None:
        """Select a file on the start page, check the preview, open it."""
        self.answer_file_dialog(path)
        self.click("openButton")
        dialog = self.dialog("openDialog")
        self.click(self.button(dialog, "openDialogButton"))
        self.wait(lambda: self.session.project is not None)

    def select_columns(self, *names: str) -> None:
        """Click column headers, all but the first with Ctrl."""
        table = self.find("dataTable")
        header = table.horizontalHeader()  # type: ignore[attr-defined]
        columns = self.session.project.table.names  # type: ignore[union-attr]
        for i, name in enumerate(names):
            section = columns.index(name)
            table.scrollTo(table.model().index(0, section))  # type: ignore[attr-defined]
            x = header.sectionViewportPosition(section) + header.sectionSize(section) // 2
            control = Qt.KeyboardModifier.ControlModifier if i else Qt.KeyboardModifier.NoModifier
            self.qtbot.mouseClick(header.viewport(), LEFT, control, QPoint(x, 30))

    def set_role(self, key: Qt.Key, *names: str) -> None:
        """Select columns and press the key of a role."""
        self.select_columns(*names)
        self.qtbot.keyClick(self.find("dataTable"), key)

    def click_node(self, node: tuple[int, ...]) -> None:
        """Click a node of the lattice; in a partly scored lattice a scored one."""
        evaluation = self.session.results.evaluation
        lattice = self.find("lattice")
        number = evaluation.lattice.number(node)
        self.wake()  # first, because the lattice may move
        self.wait(lambda: lattice.node_at(lattice.node_rect(number).center()) == number)  # type: ignore[attr-defined]
        self.click(lattice, lattice.node_rect(number).center())  # type: ignore[attr-defined]
        assert self.session.selection.node == node

    def apply(self) -> None:
        """Click Apply, of a failing node also the answer to the question, and wait for the release."""
        with self.qtbot.waitSignal(self.session.applied.changed, timeout=LONG):
            self.click("applyButton")
            if self.find("applyButton").property("kind") != "primary":
                self.click(self.window.banner.findChildren(QPushButton)[0])

    def apply_by_keys(self) -> None:
        """Press Ctrl+Enter and wait for the release."""
        self.key(Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
        self.wait(lambda: self.session.applied.release is not None, LONG)

    def export(self, path: Path) -> str:
        """Export by keys; return the verdict."""
        self.key(Qt.Key.Key_E, Qt.KeyboardModifier.ControlModifier)
        dialog = self.dialog("exportDialog")
        self.type_into("exportPath", str(path))
        self.key(Qt.Key.Key_Return)
        self.wait(lambda: dialog.written or dialog.banner.isVisible(), LONG)  # type: ignore[attr-defined]
        verdict: str = dialog.written or dialog.banner.problem()  # type: ignore[attr-defined]
        self.key(Qt.Key.Key_Escape)
        self.wait(lambda: not dialog.isVisible())
        return verdict


@contextmanager
def driven_window(qtbot: QtBot, app: QApplication, size: tuple[int, int] = (1280, 720)) -> Iterator[Driver]:
    """Yield a window for one test."""
    driver = Driver(qtbot, app, size)
    try:
        yield driver
    finally:
        driver.close()


@contextmanager
def shared_window(request: pytest.FixtureRequest, size: tuple[int, int] = (1280, 720)) -> Iterator[Driver]:
    """Yield a window for several tests, in the light theme and with preferences of its own."""
    app = request.getfixturevalue("qapp")
    folder = request.getfixturevalue("tmp_path_factory").mktemp("config")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ANONYMIZER_CONFIG_DIR", str(folder))
        theme_manager().apply(app, LIGHT, 1.0)
        with driven_window(QtBot(request), app, size) as driver:
            yield driver
        theme_manager().apply(app, LIGHT, 1.0)
