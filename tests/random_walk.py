"""Random use of the real window: `python -m tests.random_walk --seed S --minutes M`.

The window runs in a process of its own, which a crash ends with its stack. Every input goes to the log before
it happens, and `--replay LOG` repeats it. A fault is an uncaught exception, a crash, a hang, or a stall: more
than a second of the window's own processor time between two looks at new events.
"""

from __future__ import annotations

import argparse
import contextlib
import faulthandler
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import platformdirs

if TYPE_CHECKING:
    from PySide6.QtCore import QEvent
    from PySide6.QtWidgets import QApplication, QWidget

    from anonymizer_gui.tasks import GuiThreadCollector
    from anonymizer_gui.wiring import Wiring
    from engine.project import Project

ROOT = Path(__file__).resolve().parents[1]
STALL = 1.0  # seconds of processor time of the window's thread
HUNG = 240  # seconds without an action after which the process is ended
MOST_SHOWN = 30
PAUSES = (0, 1, 5, 20, 60, 150, 400, 900)  # milliseconds between two inputs
WEIGHTS_OF_PAUSES = (10, 10, 20, 25, 20, 10, 4, 1)
LONG_NAME = "n" * 300
TEXTS = (
    "5",
    "0.5",
    "k",
    "abc",
    "100000",
    "-1",
    "1e9",
    "",
    "age",
    "sex",
    "T\xfcr \u20ac",
    "*",
    "%",
    '"',
    "\u202e",
    "x" * 300,
)
KEYS = (
    *("Return", "Escape", "Escape", "Tab", "Backtab", "Up", "Down", "Left", "Right", "Home", "End", "Space"),
    *(
        "PageUp",
        "PageDown",
        "Delete",
        "Backspace",
        "F2",
        "F10",
        "Menu",
        "A",
        "K",
        "1",
        "2",
        "5",
        "9",
        "Plus",
        "Minus",
    ),
)
FAVOURITES = (
    *("undo", "undo", "undo", "redo", "redo", "configure", "explore", "utility", "risk", "first_release"),
    *(
        "score",
        "larger",
        "smaller",
        "theme_dark",
        "theme_light",
        "theme_contrast-dark",
        "walk",
        "search_with",
    ),
    *(
        "improve",
        "apply_optimum",
        "apply_again",
        "export",
        "report",
        "judge",
        "preferences",
        "palette",
        "tour",
    ),
    *(
        "help",
        "save",
        "history",
        "cancel",
        "close",
        "columns_table",
        "filter_records",
        "reimport",
        "open_with",
    ),
)
NEVER = ("quit",)


@dataclass
class Opened:
    """A window as a user starts it.

    Attributes
    ----------
    app : QApplication
    window : MainWindow
    """

    app: QApplication
    window: Any
    wiring: Wiring
    garbage: GuiThreadCollector

    def project(self) -> Project | None:
        """Return the open project."""
        return self.wiring.session.project

    def open_path(self, path: Path) -> None:
        """Open a file as one named on the command line."""
        self.wiring.open_path(Path(path))

    def problem(self) -> str:
        """Return the text of the error banner of the window, a page or a dialog; empty if there is none."""
        from anonymizer_gui.widgets.error_banner import ErrorBanner

        banners = [self.window.banner, *self.window.findChildren(ErrorBanner)]
        return next((banner.problem() for banner in banners if banner.isVisible()), "")

    def close(self) -> None:
        """Close the window without saving, as at the end of the program."""
        from anonymizer_gui.app import shut_down

        self.wiring.shutdown()
        self.garbage.end()
        shut_down(self.wiring)


def open_window(folder: Path) -> Opened:
    """Start the window as a user's start does, with settings and scratch files below `folder`."""
    folder = Path(folder).resolve()
    kernels = platformdirs.user_cache_path("anonymizer", appauthor=False)
    os.environ.setdefault("ANONYMIZER_CACHE_DIR", str(kernels))  # compiled once for all walks
    for name, variable in (("config", "ANONYMIZER_CONFIG_DIR"), ("tmp", "TMPDIR"), ("home", "HOME")):
        (folder / name).mkdir(parents=True, exist_ok=True)
        os.environ[variable] = str(folder / name)
    tempfile.tempdir = None
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from anonymizer_gui.app import make_application, start
    from anonymizer_gui.arguments import Arguments

    app = make_application()
    wiring, garbage = start(app, Arguments())
    wiring.window.activateWindow()
    return Opened(app, wiring.window, wiring, garbage)


# Files ------------------------------------------------------------------------------------------


def lay_out_files(folder: Path) -> list[Path]:
    """Write what the walk opens and saves: good files, wrong ones, missing ones and impossible names."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("adult", "clinic", "hospital", "survey"):
        shutil.copytree(ROOT / "resources" / "examples" / name, folder / name, dirs_exist_ok=True)
    for source in ("tables/hospital_extended.csv", "formats/little.xls", "saved/projects/everything.anon"):
        shutil.copy(ROOT / "tests" / "data" / source, folder)
    lines = (folder / "adult" / "adult.csv").read_text(encoding="utf-8").splitlines()
    (folder / "few.csv").write_text("\n".join(lines[:400]) + "\n", encoding="utf-8")
    (folder / "empty.csv").write_bytes(b"")
    (folder / "noise.csv").write_bytes(random.Random(1).randbytes(3000))
    (folder / "noise.anon").write_bytes(b"PK\x03\x04" + random.Random(2).randbytes(500))
    (folder / "wrong.toml").write_text("[table]\npath = 5\nkey = [", encoding="utf-8")
    return [
        *(folder / name / f"{name}.csv" for name in ("adult", "clinic", "hospital", "hospital", "survey")),
        *(folder / name / "recipe.toml" for name in ("adult", "clinic", "hospital", "survey")),
        *(folder / name for name in ("few.csv", "few.csv", "hospital_extended.csv", "little.xls")),
        *(
            folder / name
            for name in ("empty.csv", "noise.csv", "noise.anon", "wrong.toml", "everything.anon")
        ),
        *(
            folder / name
            for name in ("saved.anon", "saved.toml", "release.csv", "release.xlsx", "report.html")
        ),
        *(folder / name for name in ("missing/out.csv", "missing/in.csv", f"{LONG_NAME}.csv", "hospital")),
    ]


# Faults -----------------------------------------------------------------------------------------

# Faults that are being mended elsewhere: a part of the traceback, and what it is.
KNOWN: tuple[tuple[str, str], ...] = ()


class Record:
    """Log of inputs and faults, one JSON object in each line."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("a", encoding="utf-8", buffering=1)
        self._lock = threading.Lock()
        self.began = time.monotonic()
        self.n_actions = 0

    def write(self, **line: object) -> None:
        with self._lock:
            self._file.write(json.dumps({"at": round(time.monotonic() - self.began, 3), **line}) + "\n")

    def exception(self, place: str, error: BaseException | None, trace: Any) -> None:
        """Write an uncaught exception with its whole traceback."""
        text = "".join(traceback.format_exception(type(error), error, trace))
        known = next((name for part, name in KNOWN if re.search(part, text)), "")
        self.write(fault="known" if known else "exception", place=place, text=text)

    def watch_exceptions(self) -> None:
        """Record what reaches one of Python's hooks, before the program's own handler."""
        shown, raised, lost = sys.excepthook, threading.excepthook, sys.unraisablehook

        def hook(kind: type[BaseException], error: BaseException, trace: Any) -> None:
            self.exception("window", error, trace)
            shown(kind, error, trace)

        def thread_hook(args: Any) -> None:
            self.exception("thread", args.exc_value, args.exc_traceback)
            raised(args)

        def unraisable_hook(args: Any) -> None:
            self.exception("unraisable", args.exc_value, args.exc_traceback)
            lost(args)

        sys.excepthook, threading.excepthook, sys.unraisablehook = hook, thread_hook, unraisable_hook


# Input ------------------------------------------------------------------------------------------

Input = dict[str, Any]


class Hands:
    """Performs inputs at the windows, as the window system would deliver them."""

    def __init__(self, opened: Opened) -> None:
        self._opened = opened

    def perform(self, given: Input) -> None:
        getattr(self, f"_{given['do']}")(given)

    def _target(self, given: Input) -> QWidget | None:
        """Return the window of a name, in front of others of that name; None if a dialog blocks it."""
        from PySide6.QtWidgets import QApplication

        visible = [w for w in reversed(self._opened.app.topLevelWidgets()) if w.isVisible()]
        found = next((w for w in visible if _name(w) == given["window"]), None)
        if found is None or found is QApplication.activePopupWidget():
            return found
        return found if QApplication.activeModalWidget() in (None, found) else None

    def _post(self, given: Input, kind: QEvent.Type, button: int, held: int) -> None:
        """Let the event loop deliver a mouse event to a window, as the window system would."""
        from PySide6.QtCore import QCoreApplication, QPoint, QPointF, Qt
        from PySide6.QtGui import QMouseEvent

        widget = self._target(given)
        if widget is None or (window := widget.windowHandle()) is None:
            return
        point = QPoint(given["x"], given["y"])
        places = QPointF(point), QPointF(widget.mapToGlobal(point))
        buttons = Qt.MouseButton(button), Qt.MouseButton(held)
        event = QMouseEvent(kind, *places, *buttons, Qt.KeyboardModifier(given.get("with", 0)))
        QCoreApplication.postEvent(window, event)

    def _press(self, given: Input) -> None:
        from PySide6.QtCore import QEvent

        kind = QEvent.Type.MouseButtonDblClick if given.get("twice") else QEvent.Type.MouseButtonPress
        self._post(given, kind, given["button"], given["button"])

    def _release(self, given: Input) -> None:
        from PySide6.QtCore import QEvent

        self._post(given, QEvent.Type.MouseButtonRelease, given["button"], 0)

    def _move(self, given: Input) -> None:
        from PySide6.QtCore import QPoint
        from PySide6.QtGui import QCursor

        if (widget := self._target(given)) is not None:
            QCursor.setPos(widget.mapToGlobal(QPoint(given["x"], given["y"])))

    def _drag(self, given: Input) -> None:
        from PySide6.QtCore import QEvent

        self._post(given, QEvent.Type.MouseMove, 0, given["button"])

    def _wheel(self, given: Input) -> None:
        from PySide6.QtCore import QCoreApplication, QPoint, QPointF, Qt
        from PySide6.QtGui import QWheelEvent

        widget = self._target(given)
        if widget is None or (window := widget.windowHandle()) is None:
            return
        point, delta = QPoint(given["x"], given["y"]), QPoint(0, given["delta"])
        places = QPointF(point), QPointF(widget.mapToGlobal(point))
        held = Qt.MouseButton.NoButton, Qt.KeyboardModifier(given["with"])
        event = QWheelEvent(*places, QPoint(), delta, *held, Qt.ScrollPhase.NoScrollPhase, False)
        QCoreApplication.postEvent(window, event)

    def _key(self, given: Input) -> None:
        """Press and release a key where the focus is; shortcuts are looked up first."""
        from PySide6.QtCore import Qt
        from PySide6.QtTest import QTest
        from PySide6.QtWidgets import QApplication

        key, held = Qt.Key(given["key"]), Qt.KeyboardModifier(given["with"])
        text = chr(key.value) if 32 <= key.value < 127 and not given["with"] & 0x0C000000 else ""
        for is_press in (True, False):
            focused = QApplication.activePopupWidget() or QApplication.focusWidget()
            if (target := focused or self._target(given)) is not None:
                QTest.simulateEvent(target, is_press, key, held, text, False)

    def _text(self, given: Input) -> None:
        from PySide6.QtCore import QCoreApplication
        from PySide6.QtGui import QGuiApplication, QInputMethodEvent

        if (target := QGuiApplication.focusObject()) is not None:
            event = QInputMethodEvent()
            event.setCommitString(given["text"])
            QCoreApplication.sendEvent(target, event)

    def _front(self, given: Input) -> None:
        for widget in self._opened.app.topLevelWidgets():
            if widget.isVisible() and _name(widget) == given["window"]:
                widget.activateWindow()

    def _path(self, given: Input) -> None:
        """Write a path into the open file dialog; the next input is the Return key."""
        from PySide6.QtWidgets import QApplication, QFileDialog, QLineEdit

        dialog = QApplication.activeModalWidget()
        field = dialog.findChild(QLineEdit, "fileNameEdit") if isinstance(dialog, QFileDialog) else None
        if field is not None:
            field.setText(given["path"])
            field.setFocus()

    def _open(self, given: Input) -> None:
        self._opened.open_path(Path(given["path"]))

    def _drop(self, given: Input) -> None:
        from PySide6.QtCore import QCoreApplication, QMimeData, QPoint, QPointF, Qt, QUrl
        from PySide6.QtGui import QDragEnterEvent, QDropEvent

        mime, left = QMimeData(), Qt.MouseButton.LeftButton
        mime.setUrls([QUrl.fromLocalFile(path) for path in given["paths"]])
        copy, none = Qt.DropAction.CopyAction, Qt.KeyboardModifier.NoModifier
        enter = QDragEnterEvent(QPoint(300, 300), copy, mime, left, none)
        QCoreApplication.sendEvent(self._opened.window, enter)
        if enter.isAccepted():
            QCoreApplication.sendEvent(
                self._opened.window, QDropEvent(QPointF(300, 300), copy, mime, left, none)
            )


def _name(widget: QWidget) -> str:
    return f"{type(widget).__name__}:{widget.objectName()}"


# The walk ---------------------------------------------------------------------------------------


class Walker:
    """Chooses inputs at random, by what is visible."""

    def __init__(self, opened: Opened, rng: random.Random, paths: Sequence[Path]) -> None:
        self._opened, self._rng, self._paths = opened, rng, [str(path) for path in paths]

    def next(self) -> list[Input]:
        """Return the inputs of the next action."""
        from PySide6.QtWidgets import QApplication, QFileDialog

        rng, popup, modal = self._rng, QApplication.activePopupWidget(), QApplication.activeModalWidget()
        if isinstance(modal, QFileDialog):  # which deletes and renames files if used at random
            return self._answer(modal)
        target = popup or modal or self._any_window()
        chosen = rng.random()
        if popup is None and modal is None:
            if chosen < 0.012:
                return [{"do": "open", "path": rng.choice(self._paths)}]
            if chosen < 0.015:
                return [{"do": "drop", "paths": rng.sample(self._paths, rng.choice((1, 1, 2)))}]
            if chosen < 0.16:
                return self._shortcut(target)
            if chosen < 0.22:
                return self._menu()
        if (popup is not None and chosen < 0.15) or (modal is not None and chosen < 0.05):
            return [self._key(target, "Escape")]
        kind = rng.choices(
            (self._click, self._press_keys, self._wheel, self._drag, self._write, self._move),
            (60, 14, 6, 6, 8, 6),
        )[0]
        return kind(target)

    def _any_window(self) -> QWidget:
        others = [
            w
            for w in self._opened.app.topLevelWidgets()
            if w.isVisible()
            and w is not self._opened.window
            and w.windowHandle() is not None
            and _takes_input(w)
        ]
        if others and self._rng.random() < 0.35:
            return self._rng.choice(others)
        return self._opened.window

    # Kinds of actions

    def _answer(self, dialog: QWidget) -> list[Input]:
        """Answer a file dialog by a path, or cancel it."""
        rng, front = self._rng, {"do": "front", "window": _name(dialog)}
        if rng.random() < 0.25:
            return [front, self._key(dialog, "Escape")]
        return [front, {"do": "path", "path": rng.choice(self._paths)}, self._key(dialog, "Return")]

    def _click(self, target: QWidget) -> list[Input]:
        from PySide6.QtCore import Qt

        rng = self._rng
        button = rng.choices(
            (Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton, Qt.MouseButton.MiddleButton), (88, 11, 1)
        )[0]
        held = rng.choices(
            (
                Qt.KeyboardModifier.NoModifier,
                Qt.KeyboardModifier.ControlModifier,
                Qt.KeyboardModifier.ShiftModifier,
            ),
            (90, 6, 4),
        )[0]
        place = self._place(target)
        where = {**place, "button": button.value, "with": held.value}
        front = [] if target.isActiveWindow() else [{"do": "front", "window": place["window"]}]
        once = [{"do": "press", **where}, {"do": "release", **where}]
        again = [{**once[0], "twice": True}, once[1]]
        return [*front, {"do": "move", **place}, *once, *(again if rng.random() < 0.06 else [])]

    def _drag(self, target: QWidget) -> list[Input]:
        start = self._place(target)
        rng, held = self._rng, {"button": 1, "with": 0}
        moves: list[Input] = []
        x, y = start["x"], start["y"]
        for _unused in range(rng.randint(2, 8)):
            x, y = x + rng.randint(-60, 60), y + rng.randint(-60, 60)
            x, y = min(max(x, 0), target.width() - 1), min(max(y, 0), target.height() - 1)
            moves.append({"do": "drag", "window": start["window"], "x": x, "y": y, **held})
        end = {"do": "release", "window": start["window"], "x": x, "y": y, **held}
        return [{"do": "press", **start, **held}, *moves, end]

    def _move(self, target: QWidget) -> list[Input]:
        return [{"do": "move", **self._place(target)}]

    def _wheel(self, target: QWidget) -> list[Input]:
        held = self._rng.choices((0, 0x04000000), (85, 15))[0]
        given = {**self._place(target), "delta": self._rng.choice((-120, 120, -720, 720)), "with": held}
        return [{"do": "wheel", **given}] * self._rng.randint(1, 4)

    def _press_keys(self, target: QWidget) -> list[Input]:
        return [self._key(target, self._rng.choice(KEYS)) for _unused in range(self._rng.randint(1, 5))]

    def _key(self, target: QWidget, name: str) -> Input:
        from PySide6.QtCore import Qt

        held = self._rng.choices((0, 0x04000000, 0x02000000, 0x08000000), (85, 6, 6, 3))[0]
        if name in ("Escape", "Return", "Tab"):
            held = 0  # with Alt these are keys of the window system
        return {"do": "key", "window": _name(target), "key": Qt.Key[f"Key_{name}"].value, "with": held}

    def _shortcut(self, target: QWidget) -> list[Input]:
        rng, actions = self._rng, self._opened.window.actions_
        names = [name for name in actions.offered() if name not in NEVER]
        name = rng.choice(FAVOURITES) if rng.random() < 0.7 else rng.choice(names)
        keys = actions[name].shortcut()
        if keys.isEmpty():
            return self._menu()
        key = keys[0]
        given = {
            "do": "key",
            "window": _name(target),
            "key": key.key().value,
            "with": key.keyboardModifiers().value,
        }
        times = rng.randint(1, 6) if name in ("undo", "redo", "larger", "smaller") else 1
        return [given] * times

    def _menu(self) -> list[Input]:
        """Open a menu of the menu bar; its entries are clicked as those of any menu."""
        bar = self._opened.window.menuBar()
        action = self._rng.choice(bar.actions())
        point = bar.mapTo(self._opened.window, bar.actionGeometry(action).center())
        place = {"window": _name(self._opened.window), "x": point.x(), "y": point.y()}
        where = {**place, "button": 1, "with": 0}
        return [{"do": "press", **where}, {"do": "release", **where}]

    def _write(self, target: QWidget) -> list[Input]:
        """Click a field and replace its text."""
        from PySide6.QtCore import Qt
        from PySide6.QtWidgets import QAbstractSpinBox, QLineEdit

        rng = self._rng
        fields = [
            f for kind in (QLineEdit, QAbstractSpinBox) for f in target.findChildren(kind) if _can_be_hit(f)
        ]
        if not fields:
            return self._click(target)
        field = rng.choice(fields)
        point = field.mapTo(target, field.rect().center())
        where = {"window": _name(target), "x": point.x(), "y": point.y(), "button": 1, "with": 0}
        is_path = "path" in field.objectName().lower()
        text = rng.choice(self._paths) if is_path else rng.choice(TEXTS)
        select = {"do": "key", "window": _name(target), "key": Qt.Key.Key_A.value, "with": 0x04000000}
        end = [self._key(target, "Return")] if rng.random() < 0.5 else []
        return [
            {"do": "press", **where},
            {"do": "release", **where},
            select,
            {"do": "text", "text": text},
            *end,
        ]

    # Places

    def _place(self, target: QWidget) -> Input:
        """Return a point of a window: half of them anywhere, half in a part that answers the mouse."""
        from PySide6.QtCore import QPoint
        from PySide6.QtWidgets import (
            QAbstractButton,
            QAbstractItemView,
            QAbstractSlider,
            QComboBox,
            QMenu,
            QWidget,
        )

        rng = self._rng
        point = QPoint(rng.randrange(max(1, target.width())), rng.randrange(max(1, target.height())))
        if isinstance(target, QMenu):
            entries = [a for a in target.actions() if a.isVisible() and not self._leaves(a)]
            if entries:
                point = target.actionGeometry(rng.choice(entries)).center()
        elif rng.random() < 0.6:
            kind = rng.choice(
                (QAbstractButton, QAbstractButton, QWidget, QAbstractItemView, QComboBox, QAbstractSlider)
            )
            found = [part for part in target.findChildren(kind) if _can_be_hit(part)]
            if found:
                part = rng.choice(found)
                inside = QPoint(rng.randrange(max(1, part.width())), rng.randrange(max(1, part.height())))
                point = part.mapTo(target, inside)
        return {"window": _name(target), "x": point.x(), "y": point.y()}

    def _leaves(self, action: Any) -> bool:
        return any(action is self._opened.window.actions_[name] for name in NEVER)


def _can_be_hit(part: QWidget) -> bool:
    return (
        part.isVisible() and part.isEnabled() and not part.visibleRegion().isEmpty() and not part.isWindow()
    )


def _takes_input(widget: QWidget) -> bool:
    from PySide6.QtCore import Qt

    return widget.windowType() in (Qt.WindowType.Window, Qt.WindowType.Dialog, Qt.WindowType.Tool)


class Walk:
    """Performs inputs one after another, each in a turn of the event loop of its own."""

    def __init__(
        self,
        opened: Opened,
        record: Record,
        seconds: float,
        rng: random.Random,
        choose: Callable[[], list[Input]],
    ) -> None:
        from tests.watchdog import Watchdog

        self._opened, self._record, self._choose, self._rng = opened, record, choose, rng
        self._end = time.monotonic() + seconds
        self._hands, self._waiting = Hands(opened), deque[Input]()
        self._watchdog = Watchdog(STALL, is_gentle=True)

    def run(self) -> None:
        """Walk until the time is over."""
        from PySide6.QtCore import QTimer

        QTimer.singleShot(0, self._step)
        with self._watchdog:
            self._watchdog.name("start")
            self._opened.app.exec()
        self._write_stalls()

    def _step(self) -> None:
        from PySide6.QtCore import QTimer

        if time.monotonic() > self._end:
            self._opened.app.exit()
            return
        if not self._waiting:
            self._record.n_actions += 1
            self._waiting.extend(self._choose())
        given = self._waiting.popleft() if self._waiting else {"do": "end"}
        if given["do"] == "end":
            self._opened.app.exit()
            return
        wait = given.setdefault("wait", self._rng.choices(PAUSES, WEIGHTS_OF_PAUSES)[0])
        QTimer.singleShot(wait, self._step)  # before the input, which may run an event loop of its own
        self._record.write(**given)
        self._watchdog.name(f"action {self._record.n_actions}: {json.dumps(given)}")
        self._write_stalls()
        self._hands.perform(given)

    def _write_stalls(self) -> None:
        while self._watchdog.blocks:
            block = self._watchdog.blocks.pop(0)
            most = [" > ".join(place) for place, _n in block.places.most_common(3)]
            self._record.write(
                fault="stall",
                seconds=round(block.seconds, 2),
                after=block.action,
                place=block.place,
                stacks=most,
            )


def walk_in_this_process(arguments: argparse.Namespace) -> int:
    """Run the walk; a crash ends this process with its stack in `stack.txt`."""
    folder: Path = arguments.folder
    stack = (folder / "stack.txt").open("w", encoding="utf-8")
    faulthandler.enable(stack)
    faulthandler.register(signal.SIGUSR1, stack, all_threads=True)
    record = Record(folder / "log.jsonl")
    paths = lay_out_files(folder / "files")
    (folder / "work").mkdir(exist_ok=True)
    os.chdir(folder / "work")  # what is written into a relative path stays here
    from PySide6.QtCore import QtMsgType, qInstallMessageHandler
    from PySide6.QtGui import QDesktopServices

    opened = open_window(folder)
    record.watch_exceptions()

    def take(kind: QtMsgType, _context: object, text: str) -> None:
        if "This plugin does not support" not in text:
            record.write(qt=kind.name, text=text)

    qInstallMessageHandler(take)
    for scheme in ("https", "http", "mailto", "file"):
        QDesktopServices.setUrlHandler(scheme, _Nowhere.instance(), "take")
    opened.window.ask_before_closing(lambda: False)  # after the program's own questions
    rng = random.Random(arguments.seed)
    choose = _replayed(arguments.replay) if arguments.replay else Walker(opened, rng, paths).next
    Walk(opened, record, 60 * arguments.minutes, rng, choose).run()
    record.write(end="walked", actions=record.n_actions)
    for _unused in range(20):
        if (modal := opened.app.activeModalWidget()) is not None:
            modal.close()
            opened.app.processEvents()
    opened.close()
    record.write(end="closed")
    return 0


class _Nowhere:
    """Takes the addresses that would open a browser."""

    _made: Any = None

    @classmethod
    def instance(cls) -> Any:
        from PySide6.QtCore import QObject, QUrl, Slot

        class Taker(QObject):
            @Slot(QUrl)
            def take(self, _url: QUrl) -> None:
                pass

        cls._made = cls._made or Taker()
        return cls._made


def _replayed(log: Path) -> Callable[[], list[Input]]:
    lines = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    inputs: Iterator[Input] = (line for line in lines if "do" in line)
    return lambda: [given] if (given := next(inputs, None)) is not None else [{"do": "end"}]


# The process around it --------------------------------------------------------------------------


_COUNTED = {"exception": "exceptions", "crash": "crashes", "stall": "stalls", "known": "known faults"}


def walk(arguments: argparse.Namespace) -> int:
    """Run the walk in another process, and report what it found; return the exit code."""
    folder: Path = arguments.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    log = folder / "log.jsonl"
    log.unlink(missing_ok=True)
    words = [
        sys.executable,
        "-X",
        "faulthandler",
        "-m",
        "tests.random_walk",
        "--child",
        "--folder",
        str(folder),
    ]
    words += ["--seed", str(arguments.seed), "--minutes", str(arguments.minutes)]
    words += ["--replay", str(arguments.replay.resolve())] if arguments.replay else []
    with (folder / "output.txt").open("w", encoding="utf-8") as output:
        child = subprocess.Popen(words, cwd=ROOT, stdout=output, stderr=output)
        is_hung = _wait(child, log)
    lines = _lines(log)
    faults = [line for line in lines if line.get("fault") not in (None, "known", "stall")]
    stalls = [line for line in lines if line.get("fault") == "stall"]
    if child.returncode != 0:
        ended = "hung" if is_hung else f"ended with {child.returncode}"
        stack = (folder / "stack.txt").read_text(encoding="utf-8", errors="replace")
        faults.append({"fault": "crash", "at": lines[-1]["at"] if lines else 0, "text": f"{ended}\n{stack}"})
    said = [f"--- {fault['fault']} at {fault['at']} s\n{fault['text']}" for fault in faults[:MOST_SHOWN]]
    said += [f"--- stall of {line['seconds']} s, {line['after']}\n{line['place']}" for line in stalls]
    counts = Counter(line["fault"] for line in lines if "fault" in line)
    counts["crash"] = sum(fault["fault"] == "crash" for fault in faults)
    n_inputs = sum("do" in line for line in lines)
    found = ", ".join(f"{counts[kind]} {word}" for kind, word in _COUNTED.items())
    said.append(
        f"seed {arguments.seed}, {arguments.minutes:g} minutes, {n_inputs} inputs: {found}. Log: {log}"
    )
    sys.stdout.write("\n".join(said) + "\n")
    return int(bool(faults) or (bool(stalls) and not arguments.count_stalls))


def _wait(child: subprocess.Popen[bytes], log: Path) -> bool:
    """Wait for the process; end it and return True if it no longer does anything."""
    size, since = -1, time.monotonic()
    while True:
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(1)
            return False
        now = log.stat().st_size if log.exists() else 0
        if now != size:
            size, since = now, time.monotonic()
        if time.monotonic() - since > HUNG:
            child.send_signal(signal.SIGUSR1)
            time.sleep(2)
            child.send_signal(signal.SIGKILL)
            child.wait()
            return True


def _lines(log: Path) -> list[dict[str, Any]]:
    if not log.exists():
        return []
    found = []
    for line in log.read_text(encoding="utf-8", errors="replace").splitlines():
        with contextlib.suppress(json.JSONDecodeError):  # the last line of a crash may be cut
            found.append(json.loads(line))
    return found


def main(words: Sequence[str] | None = None) -> int:
    """Walk at random; return 1 on a fault."""
    parser = argparse.ArgumentParser(prog="python -m tests.random_walk", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--folder", type=Path, help="for settings, files and the log (default: a new one)")
    parser.add_argument("--replay", type=Path, metavar="LOG", help="repeat the inputs of a log")
    parser.add_argument("--count-stalls", action="store_true", help="report stalls, but exit 0")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args(words)
    if arguments.folder is None:
        arguments.folder = Path(tempfile.mkdtemp(prefix=f"walk-{arguments.seed}-"))
    return walk_in_this_process(arguments) if arguments.child else walk(arguments)


if __name__ == "__main__":
    sys.exit(main())
