"""Takes the pictures of README, help pages and tutorials from the running program.

    .venv/bin/python -m tests.help_pictures                    # writes resources/help/pictures
    .venv/bin/python -m tests.help_pictures FOLDER --only survey

Two runs of one program give the same pictures.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import patch

os.environ["QT_QPA_PLATFORM"] = "offscreen"  # before anything creates a QApplication

from PIL import Image
from PySide6.QtCore import QBuffer, Qt
from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import QApplication
from pytestqt.qt_compat import qt_api
from pytestqt.qtbot import QtBot

from tests.pictures import ROOT, FixedDay
from tests.screens import CONTROL, Screen, at_rest
from tests.tutorials import TUTORIALS, Tutorial
from tests.window_driver import LONG, Driver

PICTURES = ROOT / "resources" / "help" / "pictures"
TUTORIAL_SIZE, PAGE_SIZE = (1280, 720), (1440, 900)
COLOURS = 256  # a third of the bytes; texts and marks do not change visibly


def adult(driver: Driver, folder: Path) -> Iterator[Screen]:
    """Screens of the Adult example that README and help pages show."""
    yield from adult_lattice(driver, folder, "explore-light")
    driver.click("tab.configure")
    driver.select_columns("age")
    yield at_rest(driver, "configure-light")
    driver.click("editHierarchyButton")
    driver.wait(lambda: driver.find("doneButton").isVisible())
    yield at_rest(driver, "hierarchy-light")
    driver.click("backButton")
    with driver.qtbot.waitSignal(driver.session.applied.changed, timeout=LONG):
        driver.key(Qt.Key.Key_Return, CONTROL)
    for page in ("utility", "risk"):
        driver.click(f"tab.{page}")
        driver.wait_settled()
        yield at_rest(driver, f"{page}-light")


def adult_lattice(driver: Driver, folder: Path, name: str = "explore-dark") -> Iterator[Screen]:
    """The lattice of the Adult example."""
    driver.drop(folder / "adult" / "recipe.toml")
    driver.wait(lambda: driver.session.project is not None)
    driver.wait_settled()
    yield at_rest(driver, name)


def take_pictures(folder: Path, only: str = "") -> None:
    """Write the pictures of all tutorials and pages, or of one."""
    folder.mkdir(parents=True, exist_ok=True)
    qt_api.set_qt_api("pyside6")  # as the plug-in of pytest does
    app = QApplication([])
    app.setCursorFlashTime(0)
    wanted = {f"tutorial-{name}": (tutorial, TUTORIAL_SIZE, "light") for name, tutorial in TUTORIALS.items()}
    wanted |= {"pages-light": (adult, PAGE_SIZE, "light"), "pages-dark": (adult_lattice, PAGE_SIZE, "dark")}
    for name, (screens, size, theme) in wanted.items():
        if only in name:
            prefix = "tutorial-" if name.startswith("tutorial-") else ""
            _take(app, screens, size, theme, folder, prefix)


def _take(
    app: QApplication, screens: Tutorial, size: tuple[int, int], theme: str, folder: Path, prefix: str
) -> None:
    bot = QtBot(SimpleNamespace(config=SimpleNamespace(getini=lambda _name: None)))  # type: ignore[arg-type]
    place = Path(tempfile.gettempdir()) / "anonymizer-pictures"  # dialogs show the folder of files
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(ROOT / "resources" / "examples", place)
    os.environ["ANONYMIZER_CONFIG_DIR"] = str(place / "config")
    with patch("anonymizer_gui.session.release_controller.datetime", FixedDay):
        driver = Driver(bot, app, size, theme_of_pictures=theme)
        driver.takes_pictures = True
        try:
            for name, shown in screens(driver, place):
                if name:
                    path = folder / f"{prefix}{name}.png"
                    path.write_bytes(small(shown.grab()))
                    sys.stdout.write(f"{path.name} {path.stat().st_size // 1024} KB\n")
        finally:
            driver.close()
    shutil.rmtree(place)


def small(picture: QPixmap) -> bytes:
    """Return a picture as PNG with a palette that keeps rare colours, such as the gold of the optimum."""
    buffer = QBuffer()
    picture.save(buffer, "PNG")
    image = Image.open(BytesIO(buffer.data().data())).convert("RGB")
    found = BytesIO()
    reduced = image.quantize(COLOURS, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    reduced.save(found, "PNG", optimize=True)
    return found.getvalue()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", nargs="?", type=Path, default=PICTURES)
    parser.add_argument("--only", default="", help="a part of the name of a tutorial, or pages-light")
    words = parser.parse_args()
    take_pictures(words.folder, words.only)
