"""On a screen with two pixels per point the window has the same size and is drawn in full resolution."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
from PySide6.QtGui import QImage

ROOT = Path(__file__).resolve().parents[3]


def pixels(path: Path) -> np.ndarray:
    image = QImage(str(path)).convertToFormat(QImage.Format.Format_RGB32)
    rows = np.frombuffer(image.constBits(), dtype=np.uint8).reshape(image.height(), image.bytesPerLine())
    return rows[:, : 4 * image.width()].reshape(image.height(), image.width(), 4)[:, :, :3].astype(float)


def picture(path: Path, recipe: Path, factor: int) -> np.ndarray:
    ended = subprocess.run(
        [
            sys.executable,
            "-m",
            "anonymizer_gui",
            str(recipe),
            "--screenshot",
            str(path),
            "--size",
            "1280x720",
        ],
        cwd=ROOT,
        env=os.environ | {"QT_SCALE_FACTOR": str(factor)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    return pixels(path)


def test_a_window_at_twice_the_resolution_is_the_same_but_sharper(tmp_path: Path, examples: Path) -> None:
    recipe = examples / "hospital" / "recipe.toml"
    plain = picture(tmp_path / "1.png", recipe, 1)
    fine = picture(tmp_path / "2.png", recipe, 2)
    assert plain.shape == (720, 1280, 3)
    assert fine.shape == (1440, 2560, 3)
    shrunk = fine.reshape(720, 2, 1280, 2, 3).mean(axis=(1, 3))
    assert np.abs(shrunk - plain).mean() < 6, "laid out alike"
    blown_up = plain.repeat(2, axis=0).repeat(2, axis=1)
    within = np.abs(fine[:, 1::2] - fine[:, ::2]).mean(), np.abs(blown_up[:, 1::2] - blown_up[:, ::2]).mean()
    assert within[0] > 0.5, "each point has pixels of its own"
    assert within[1] == 0
