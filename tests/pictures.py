"""Takes pictures of every screen of the window and compares them with earlier ones.

    .venv/bin/python -m tests.pictures FOLDER                          # both themes, three sizes
    .venv/bin/python -m tests.pictures FOLDER --size 1280x720 --theme dark
    .venv/bin/python -m tests.pictures FOLDER --theme contrast-light --text-size 2.0
    .venv/bin/python -m tests.pictures --compare FOLDER OTHER          # pictures that differ, share and place
    .venv/bin/python -m tests.pictures --compare tests/data/pictures/fingerprints.npz FOLDER
    .venv/bin/python -m tests.pictures --freeze FOLDER                 # store as fingerprints

Two runs of one program give the same pictures, without clock, blinking cursor and motion. The stored
fingerprints are hashes of tiles; to see the former content of a tile, take the pictures of an older commit.
Another version of Qt draws text differently, and then all of them differ.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

os.environ["QT_QPA_PLATFORM"] = "offscreen"  # before anything creates a QApplication

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication
from pytestqt.qt_compat import qt_api
from pytestqt.qtbot import QtBot

from anonymizer_gui.theming import THEMES as ALL_THEMES
from tests.screens import screens
from tests.window_driver import Driver

ROOT = Path(__file__).resolve().parents[1]
FINGERPRINTS = ROOT / "tests" / "data" / "pictures" / "fingerprints.npz"
THEMES = ("light", "dark")  # of the fingerprints
SIZES = ("1280x720", "1440x900", "1920x1080")
TILE = 32  # pixels
DAY = "2026-01-01T12:00"

Pixels = NDArray[np.uint8]


class FixedDay:
    """Clock that does not advance."""

    @classmethod
    def now(cls, *_: object) -> SimpleNamespace:
        return SimpleNamespace(isoformat=lambda **_words: DAY)


def grab_all(folder: Path, themes: list[str], sizes: list[str], text_size: float = 1.0) -> None:
    """Write a picture of every screen in each theme and size, as THEME-SIZE/SCREEN.png."""
    qt_api.set_qt_api("pyside6")  # as the pytest plug-in does
    app = QApplication([])
    app.setCursorFlashTime(0)
    examples = Path(tempfile.gettempdir()) / "anonymizer-pictures"  # dialogs show the paths of files
    for theme, size in product(themes, sizes):
        shutil.rmtree(examples, ignore_errors=True)
        shutil.copytree(ROOT / "resources" / "examples", examples)
        place = folder / f"{theme}-{size}"
        place.mkdir(parents=True, exist_ok=True)
        os.environ["ANONYMIZER_CONFIG_DIR"] = str(examples / "config")
        _grab(app, place, examples, theme, size, text_size)
        sys.stdout.write(f"{place}\n")
    shutil.rmtree(examples)


def _grab(app: QApplication, place: Path, examples: Path, theme: str, size: str, text_size: float) -> None:
    width, height = map(int, size.split("x"))
    bot = QtBot(SimpleNamespace(config=SimpleNamespace(getini=lambda _name: None)))  # type: ignore[arg-type]
    with patch("anonymizer_gui.session.release_controller.datetime", FixedDay):
        driver = Driver(bot, app, (width, height), theme_of_pictures=theme)
        driver.takes_pictures = True
        try:
            driver.wiring.preferences.set_font_scale(text_size)
            for name, shown in screens(driver, examples):
                assert shown.grab().save(str(place / f"{name}.png"))
        finally:
            driver.close()


@dataclass(frozen=True)
class Difference:
    """Place where a picture has changed."""

    name: str
    what: str


def differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Difference]:
    """Return pictures missing on one side, of another size, or with different pixels or tiles."""
    found = []
    for name in sorted({*before, *after}):
        if name not in before or name not in after:
            found.append(Difference(name, "is new" if name in after else "is gone"))
            continue
        one, other = before[name], after[name]
        if one.shape != other.shape:
            found.append(Difference(name, f"was {_size(one)}, is {_size(other)}"))
        elif (unlike := _unlike(one, other)).any():
            rows, columns = np.flatnonzero(unlike.any(axis=1)), np.flatnonzero(unlike.any(axis=0))
            scale = 1 if one.ndim == 3 else TILE
            where = (int(columns[0]) * scale, int(rows[0]) * scale)
            extent = (int(np.ptp(columns)) + 1) * scale, (int(np.ptp(rows)) + 1) * scale
            words = f"{unlike.mean():.2%} of its {'pixels' if scale == 1 else 'tiles'}"
            found.append(Difference(name, f"{words}, within {extent[0]} x {extent[1]} at {where}"))
    return found


def _unlike(one: NDArray[Any], other: NDArray[Any]) -> NDArray[np.bool_]:
    unlike = one != other
    return unlike.any(axis=2) if unlike.ndim == 3 else unlike


def _size(picture: NDArray[Any]) -> str:
    unit = "" if picture.ndim == 3 else " tiles"
    return f"{picture.shape[1]} x {picture.shape[0]}{unit}"


def pictures_of(folder: Path) -> dict[str, Pixels]:
    """Return the pixels of every picture in a folder, by its path without the extension."""
    return {
        path.relative_to(folder).with_suffix("").as_posix(): _pixels(path) for path in folder.rglob("*.png")
    }


def _pixels(path: Path) -> Pixels:
    image = QImage(str(path)).convertToFormat(QImage.Format.Format_RGB888)
    rows = np.frombuffer(image.constBits(), dtype=np.uint8).reshape(image.height(), image.bytesPerLine())
    return rows[:, : 3 * image.width()].reshape(image.height(), image.width(), 3).copy()


def fingerprint(picture: Pixels) -> NDArray[np.uint16]:
    """Return a hash of each tile of a picture, row by row."""
    height, width = picture.shape[:2]
    return np.array(
        [
            [
                zlib.crc32(np.ascontiguousarray(picture[y : y + TILE, x : x + TILE])) & 0xFFFF
                for x in range(0, width, TILE)
            ]
            for y in range(0, height, TILE)
        ],
        dtype=np.uint16,
    )


def _read(place: Path) -> Mapping[str, Any]:
    if place.suffix == ".npz":
        with np.load(place) as kept:
            return dict(kept)
    return pictures_of(place)


def compare(before: Path, after: Path) -> int:
    """Print the differences; return 1 if there are any."""
    one, other = _read(before), _read(after)
    if FINGERPRINTS.suffix in (before.suffix, after.suffix):
        one, other = (
            {name: p if p.ndim == 2 else fingerprint(p) for name, p in side.items()} for side in (one, other)
        )
    found = differences(one, other)
    for difference in found:
        sys.stdout.write(f"{difference.name}: {difference.what}\n")
    sys.stdout.write(f"{len(found)} of {len({*one, *other})} pictures differ\n")
    return 1 if found else 0


def freeze(folder: Path) -> None:
    """Store the fingerprints of the pictures in a folder."""
    FINGERPRINTS.parent.mkdir(exist_ok=True)
    found = {name: fingerprint(pixels) for name, pixels in sorted(pictures_of(folder).items())}
    np.savez_compressed(FINGERPRINTS, **found)  # type: ignore[arg-type]
    size = FINGERPRINTS.stat().st_size / 1e6
    sys.stdout.write(f"{FINGERPRINTS}: {len(found)} pictures, {size:.1f} MB\n")


def main() -> int:
    """Take, compare or store pictures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, nargs="?", help="where the pictures go")
    parser.add_argument("--theme", choices=ALL_THEMES, action="append", help="only this one")
    parser.add_argument("--size", choices=SIZES, action="append", help="only this one")
    parser.add_argument("--text-size", type=float, default=1.0, help="0.9 to 2.0")
    parser.add_argument("--compare", type=Path, nargs=2, metavar=("BEFORE", "AFTER"))
    parser.add_argument("--freeze", type=Path, metavar="FOLDER")
    given = parser.parse_args()
    if given.compare:
        return compare(*given.compare)
    if given.freeze:
        freeze(given.freeze)
    elif given.folder:
        grab_all(given.folder, given.theme or list(THEMES), given.size or list(SIZES), given.text_size)
    else:
        parser.error("name a folder for the pictures")
    return 0


if __name__ == "__main__":
    sys.exit(main())
