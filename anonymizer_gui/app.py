"""Start of the window: display, theme, unexpected errors, command-line requests and screenshots."""

from __future__ import annotations

import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Mapping
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from anonymizer_gui.arguments import Arguments
from engine.cli.quiet import keep_values_out_of_logs
from engine.shipped import resources_path
from engine.words import _

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication

    from anonymizer_gui.tasks import GuiThreadCollector
    from anonymizer_gui.wiring import Wiring


DONE, BAD_INPUT = 0, 2
SETTLE_MILLISECONDS = 250  # idle time required before the screenshot is taken


def run(arguments: Arguments) -> int:
    """Open the window and run it until it is closed; return the exit code."""
    if sys.platform.startswith("linux") and not _has_display(os.environ):
        if arguments.screenshot is None:
            sys.stderr.write(
                "Error: there is no display to open a window on.\n"
                "Log in to a desktop, or use --screenshot PNG or one of the commands "
                "(anonymizer anonymize --help).\n"
            )
            return BAD_INPUT
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
    if lacking := _missing_libraries():
        sys.stderr.write(f"Error: {lacking}\n")
        return BAD_INPUT
    app = make_application()
    wiring, garbage = start(app, arguments)
    if arguments.screenshot is not None:
        _take_screenshot_when_ready(app, wiring, arguments)
    code = app.exec()
    wiring.shutdown()
    garbage.end()
    shut_down(wiring)
    return code


def make_application() -> QApplication:
    """Return the application of the window, created at the first call."""
    from PySide6.QtWidgets import QApplication

    from anonymizer_gui.application import Application

    app = QApplication.instance() or Application(["anonymizer"])
    assert isinstance(app, QApplication)
    app.setApplicationName("Anonymizer")
    app.setDesktopFileName("anonymizer")  # resources/package/anonymizer.desktop
    return app


def start(app: QApplication, arguments: Arguments) -> tuple[Wiring, GuiThreadCollector]:
    """Show the window as a user starts it; return its objects and the collector of garbage."""
    from PySide6.QtCore import QTimer

    from anonymizer_gui.language import language_of, use_language
    from anonymizer_gui.layout_keeper import show_as_left
    from anonymizer_gui.session.preferences import load_preferences
    from anonymizer_gui.tasks import GuiThreadCollector
    from anonymizer_gui.theming.icons import program_icon
    from anonymizer_gui.widgets import accessible
    from anonymizer_gui.wiring import Wiring
    from engine.scratch import sweep
    from engine.words import ENGLISH

    sweep()
    app.setWindowIcon(program_icon())
    is_for_picture = arguments.screenshot is not None
    chosen = arguments.language or (ENGLISH if is_for_picture else load_preferences().language)
    use_language(app, language_of(chosen))  # before any text of the window is created
    accessible.install()
    wiring = Wiring(
        app,
        theme=arguments.theme,
        is_for_picture=is_for_picture,
        opens_at_once=arguments.demo or arguments.file is not None,
    )
    window = wiring.window
    catch_errors(window.banner.show_error)
    _end_on_interrupt(app, wiring)
    garbage = GuiThreadCollector(wiring)
    wiring.fast_scoring.ended.connect(garbage.set_aside)
    preferences, size = wiring.preferences.value, arguments.size
    if size is None and arguments.screenshot is not None:  # a picture has no screen to fit
        width, height = preferences.window_size
        size = width, height
    show_as_left(window, preferences, size)
    _open(wiring, arguments)
    QTimer.singleShot(0, wiring, wiring.prepare)  # once the window is shown
    wiring.fast_scoring.start(may_compile=arguments.screenshot is None)
    return wiring, garbage


def shut_down(wiring: Wiring) -> None:
    """Delete the window while the objects it uses exist; Python deletes in no defined order at exit."""
    from PySide6.QtCore import QCoreApplication, QEvent

    wiring.window.hide()
    for thing in (wiring.window, wiring):
        thing.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def _has_display(environment: Mapping[str, str]) -> bool:
    names = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    return any(environment.get(name) for name in names)


def _open(wiring: Wiring, arguments: Arguments) -> None:
    if arguments.perspective:
        wiring.session.project_opened.connect(
            lambda _project: wiring.frame.show_perspective(arguments.perspective)
        )
    if arguments.demo:
        wiring.open_demo()
    elif arguments.file is not None:
        wiring.open_path(arguments.file)


def _missing_libraries() -> str:
    """Return the libraries that Qt lacks and how to install them; Qt itself would abort silently."""
    if not sys.platform.startswith("linux"):
        return ""
    spec = spec_from_file_location("anonymizer_start", resources_path() / "start.py")
    assert spec is not None
    assert spec.loader is not None
    start = module_from_spec(spec)
    spec.loader.exec_module(start)
    missing: str = start.missing_libraries(os.environ, sys.platform)
    return missing


def _end_on_interrupt(app: object, wiring: Wiring) -> None:
    """Let Ctrl+C in the terminal close the window; Python handles signals only while it runs code."""
    from PySide6.QtCore import QTimer

    signal.signal(signal.SIGINT, lambda *_: wiring.window.close())
    timer = QTimer(wiring)
    timer.timeout.connect(lambda: None)
    timer.start(200)


def _take_screenshot_when_ready(app: object, wiring: Wiring, arguments: Arguments) -> None:
    from PySide6.QtCore import QTimer
    from PySide6.QtWidgets import QApplication

    assert isinstance(app, QApplication)
    assert arguments.screenshot is not None
    path: Path = arguments.screenshot
    timer = QTimer(wiring, interval=SETTLE_MILLISECONDS)
    calm = [0]

    def look() -> None:
        wants_project = arguments.demo or arguments.file is not None
        is_there = wiring.session.project is not None or not wants_project
        if not is_there and wiring.frame.is_settled:
            wiring.projects.opening.accept_as_detected()  # no user is present to answer the dialog
        calm[0] = calm[0] + 1 if is_there and wiring.is_settled else 0
        if calm[0] >= 2:
            timer.stop()
            if wiring.window.grab().save(str(path), "PNG"):
                QApplication.exit(DONE)
            else:
                sys.stderr.write(f"Error: '{path}' could not be written.\n")
                QApplication.exit(BAD_INPUT)

    def fail(error: Exception) -> None:
        timer.stop()
        sys.stderr.write(f"Error: {error}\n")
        QApplication.exit(BAD_INPUT)

    wiring.failed.connect(fail)
    timer.timeout.connect(look)
    timer.start()


def catch_errors(show: Callable[[str, str], None]) -> None:
    """Pass uncaught exceptions to `show(problem, hint)`; those the user cannot act on are only logged."""

    def hook(kind: type[BaseException], error: BaseException, where: TracebackType | None) -> None:
        if issubclass(kind, KeyboardInterrupt):
            sys.exit(130)
        _write(log_text(kind, where))
        problem = _("Internal error: {kind} in {where}.").format(kind=kind.__name__, where=place_of(where))
        show(problem, _("Your project is unchanged. Save it, and report this message if it appears again."))

    sys.excepthook = hook
    threading.excepthook = lambda args: _write(log_text(args.exc_type, args.exc_traceback))
    sys.unraisablehook = lambda args: _write(log_text(args.exc_type, args.exc_traceback))
    keep_values_out_of_logs()


def place_of(where: TracebackType | None) -> str:
    """Return file and line of the error."""
    frames = traceback.extract_tb(where)
    if not frames:
        return "somewhere"
    return f"{_short(frames[-1].filename)} line {frames[-1].lineno}"


def log_text(kind: type[BaseException], where: TracebackType | None) -> str:
    """Return the traceback as places only, because exception texts may contain values of the table."""
    lines = [
        f"  {_short(frame.filename)}, line {frame.lineno}, in {frame.name}\n"
        for frame in traceback.extract_tb(where)
    ]
    return _("Internal error: {kind}\n{lines}").format(kind=kind.__name__, lines="".join(lines))


def _write(text: str) -> None:
    if sys.stderr is not None:  # a program without a terminal has no stderr
        sys.stderr.write(text)


def _short(filename: str) -> str:
    parts = filename.replace("\\", "/").split("/")
    return "/".join(parts[-2:])
