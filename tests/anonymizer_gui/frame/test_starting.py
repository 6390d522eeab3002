"""Startup: arguments, missing display, screenshots in any resolution, commands that never import Qt."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtGui import QFileOpenEvent, QImage
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from anonymizer_gui.app import run
from anonymizer_gui.arguments import Arguments, parse
from engine.cli import COMMANDS
from tests.window_driver import driven_window

ROOT = Path(__file__).resolve().parents[3]


def start(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    env = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")}
    return subprocess.run(
        [sys.executable, "-m", "anonymizer_gui", *words],
        cwd=ROOT,
        env=env | environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def screenshot(path: Path, recipe: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    words = (str(recipe), "--screenshot", str(path), "--size", "1280x720", "--theme", "dark")
    return start(*words, **environment)


def pixels(path: Path) -> np.ndarray:
    image = QImage(str(path)).convertToFormat(QImage.Format.Format_RGB32)
    rows = np.frombuffer(image.constBits(), dtype=np.uint8).reshape(image.height(), image.bytesPerLine())
    return rows[:, : 4 * image.width()].reshape(image.height(), image.width(), 4)[:, :, :3].astype(float)


def test_words_are_parsed_into_arguments() -> None:
    given = parse(["--demo", "--size", "1280x720", "--theme", "dark", "--perspective", "configure"], {})
    assert given == Arguments(demo=True, size=(1280, 720), theme="dark", perspective="configure")


@pytest.mark.parametrize(
    "words", [["--size", "big"], ["--theme", "blue"], ["--demo", "a.csv"], ["--nonsense"]]
)
def test_wrong_words_end_with_a_message_and_exit_code_2(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        parse(words, {"lattice": "Score."})
    assert end.value.code == 2
    assert "error" in capsys.readouterr().err.lower()


def test_the_help_lists_every_command_with_its_line(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        parse(["--help"], COMMANDS)
    assert end.value.code == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert all(f"{name} {line}" in shown for name, line in COMMANDS.items())


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux runs without a display")
def test_without_a_display_the_window_ends_with_a_message_and_exit_code_2() -> None:
    ended = start()
    assert ended.returncode == 2
    assert "no display" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_a_screenshot_needs_no_display_and_is_the_same_but_sharper_at_twice_the_resolution(
    tmp_path: Path, examples: Path
) -> None:
    recipe = examples / "hospital" / "recipe.toml"
    ended = screenshot(tmp_path / "1.png", recipe)
    assert (
        ended.returncode,
        ended.stderr.replace("This plugin does not support propagateSizeHints()\n", ""),
    ) == (0, "")
    ended = screenshot(tmp_path / "2.png", recipe, QT_SCALE_FACTOR="2")
    assert ended.returncode == 0, ended.stderr
    plain, fine = pixels(tmp_path / "1.png"), pixels(tmp_path / "2.png")
    assert plain.shape == (720, 1280, 3)
    assert fine.shape == (1440, 2560, 3)
    shrunk = fine.reshape(720, 2, 1280, 2, 3).mean(axis=(1, 3))
    assert np.abs(shrunk - plain).mean() < 6, "laid out alike"
    blown_up = plain.repeat(2, axis=0).repeat(2, axis=1)
    within = np.abs(fine[:, 1::2] - fine[:, ::2]).mean(), np.abs(blown_up[:, 1::2] - blown_up[:, ::2]).mean()
    assert within[0] > 0.5, "each point has pixels of its own"
    assert within[1] == 0


def test_a_screenshot_of_a_missing_file_is_an_error(tmp_path: Path) -> None:
    ended = start(str(tmp_path / "none.csv"), "--screenshot", str(tmp_path / "p.png"))
    assert ended.returncode == 2
    assert "none.csv" in ended.stderr
    assert not (tmp_path / "p.png").exists()


def test_a_file_that_the_desktop_asks_for_is_opened(qtbot: QtBot, qapp: QApplication, examples: Path) -> None:
    with driven_window(qtbot, qapp) as driver:
        QApplication.sendEvent(qapp, QFileOpenEvent(str(examples / "hospital" / "recipe.toml")))
        driver.wait(lambda: driver.session.project is not None)
        driver.wait_settled()


def test_commands_never_import_qt() -> None:
    code = (
        "import sys; from anonymizer_gui.__main__ import main; "
        "code = main(['lattice', '--help']); "
        "sys.exit(3 if any(name.startswith('PySide6') for name in sys.modules) else code)"
    )
    ended = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, check=False)
    assert ended.returncode == 0


def test_the_window_shows_before_heavy_libraries_are_imported() -> None:
    code = (
        "import sys; import anonymizer_gui.wiring; "
        "sys.exit(','.join(n for n in ('pandas', 'pyarrow', 'pyqtgraph', 'numba') if n in sys.modules))"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert ended.stderr.strip() == ""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux lacks libraries of Qt")
def test_the_command_alone_names_the_packages_that_qt_lacks(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Missing:
        def __init__(self, name: str) -> None:
            raise OSError(name)

    monkeypatch.setattr(ctypes, "CDLL", Missing)
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.delenv("QT_QPA_PLATFORM", raising=False)
    assert run(Arguments()) == 2
    told = capsys.readouterr().err
    assert told.startswith("Error: Qt needs system libraries that are missing")
    assert "libxcb-cursor0" in told
    assert "libgl1" in told


_IMPORTED_BY_TASKS = """
import sys, threading

class Finder:
    named = []
    def find_spec(self, name, path=None, target=None):
        if threading.current_thread() is not threading.main_thread():
            if name.partition(".")[0] in ("anonymizer_gui", "PySide6", "pyqtgraph"):
                self.named.append(name)

sys.meta_path.insert(0, Finder())
from PySide6.QtWidgets import QApplication
app = QApplication([])
from anonymizer_gui.wiring import Wiring
wiring = Wiring(app, is_for_picture=True)
last = "anonymizer_gui.perspectives.risk.presenter"
assert last not in sys.modules
wiring.prepare()
while last not in sys.modules:
    app.processEvents()
wiring.shutdown()
sys.exit(f"imported in a task: {Finder.named}" if Finder.named else 0)
"""


def test_modules_of_the_window_are_imported_by_its_own_thread() -> None:
    """A class of Qt defined in a task ends the program now and then, while the window handles events."""
    environment = os.environ | {"QT_QPA_PLATFORM": "offscreen"}
    words = [sys.executable, "-c", _IMPORTED_BY_TASKS]
    ended = subprocess.run(
        words, cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=300
    )
    assert ended.returncode == 0, ended.stderr
