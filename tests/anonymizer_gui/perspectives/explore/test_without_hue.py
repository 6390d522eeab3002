"""Status is distinguishable by shape and lightness alone, as with deuteranopia or protanopia."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtCore import QRectF
from PySide6.QtGui import QImage, QPainter, QPixmap
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from anonymizer_gui.perspectives.explore.lattice.layout import lay_out
from anonymizer_gui.perspectives.explore.lattice.node_look import NodeLook
from anonymizer_gui.perspectives.explore.lattice.raster import FAILS, N_RAMP
from anonymizer_gui.perspectives.explore.lattice.view import LatticeView
from anonymizer_gui.theming import DARK, LIGHT, Theme, current_theme, theme_manager
from anonymizer_gui.widgets.marks import Mark, draw_mark
from engine.lattice import Lattice
from tests.anonymizer_gui.perspectives.explore.conftest import Bench
from tests.anonymizer_gui.theming.color_science import SIMULATIONS

VIEWS = ("deuteranopia", "protanopia")
SEEN = 0.06  # of OKLab's lightness from 0 to 1: three visible steps
Pixels = NDArray[np.float64]


def lightness(picture: QImage | QPixmap, view: str) -> Pixels:
    """Return the OKLab lightness of every pixel as displayed, without hue."""
    image = picture.toImage() if isinstance(picture, QPixmap) else picture
    image = image.convertToFormat(QImage.Format.Format_RGB888)
    rows = np.frombuffer(image.constBits(), dtype=np.uint8).reshape(image.height(), image.bytesPerLine())
    rgb = rows[:, : 3 * image.width()].reshape(image.height(), image.width(), 3) / 255
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    seen = np.clip(linear @ SIMULATIONS[view].T, 0, 1)
    to_lms = np.array(
        [
            [0.4122214708, 0.5363325363, 0.0514459929],
            [0.2119034982, 0.6806995451, 0.1073969566],
            [0.0883024619, 0.2817188376, 0.6299787005],
        ]
    )
    weights = np.array([0.2104542553, 0.7936177850, -0.0040720468])
    return np.asarray(np.cbrt(seen @ to_lms.T) @ weights)


def on_surface(mark: Mark) -> QImage:
    """Return a mark on a card."""
    image = QImage(14, 14, QImage.Format.Format_RGB32)
    image.fill(current_theme().color("surface"))
    painter = QPainter(image)
    draw_mark(painter, QRectF(image.rect()), current_theme(), mark)
    painter.end()
    return image


@pytest.fixture(params=[LIGHT, DARK], ids=["light", "dark"])
def theme(request: pytest.FixtureRequest, themed: QApplication) -> Theme:
    theme_manager().apply(themed, request.param, 1.0)
    return request.param


@pytest.mark.parametrize("view", VIEWS)
def test_no_two_marks_look_alike_without_hue(theme: Theme, view: str) -> None:
    marks = {mark: lightness(on_surface(mark), view) for mark in Mark}
    for one, other in itertools.combinations(Mark, 2):
        n_different = int((np.abs(marks[one] - marks[other]) > SEEN).sum())
        assert n_different >= 6, (one, other)


def show_nodes(qtbot: QtBot, heights: tuple[int, ...]) -> tuple[LatticeView, NDArray[np.bool_]]:
    """Return a lattice with every colour of the ramp, every second node failing, and which ones satisfy."""
    lattice = Lattice((0,) * len(heights), heights)
    shown = LatticeView()
    qtbot.addWidget(shown)
    shown.resize(1062, 408)
    shown.show_lattice(lay_out(lattice.sums, np.zeros(lattice.n_nodes)), lattice.levels)
    numbers = np.arange(lattice.n_nodes)
    classes = np.where(numbers % 2 == 0, numbers // 2 % N_RAMP, FAILS).astype(np.uint8)
    shown.show_colours(NodeLook(classes, np.zeros(lattice.n_nodes), []))
    shown.show()
    return shown, classes < N_RAMP


@pytest.mark.parametrize("view", VIEWS)
def test_squares_of_the_lattice_are_large_if_they_satisfy_and_small_if_they_fail(
    qtbot: QtBot, theme: Theme, view: str
) -> None:
    shown, satisfies = show_nodes(qtbot, (2, 4, 3, 1))
    seen = lightness(shown.grab(), view)
    for node, is_met in enumerate(satisfies):
        center = shown.node_rect(node).center()
        away = [seen[center.y() + y, center.x() + x] for x in (-4, 4) for y in (-3, 0, 3)]
        assert ((np.abs(np.array(away) - ground(view)) > SEEN) == is_met).all(), node
        assert np.abs(seen[center.y() - 1 : center.y() + 2, center.x()] - ground(view)).max() > 0.05


@pytest.mark.parametrize("view", VIEWS)
def test_dots_of_the_lattice_are_larger_if_they_satisfy(qtbot: QtBot, theme: Theme, view: str) -> None:
    shown, satisfies = show_nodes(qtbot, (1, 9, 11, 9, 4))
    inked = np.abs(lightness(shown.grab(), view) - ground(view)) > SEEN
    amounts = np.zeros(len(satisfies), dtype=np.int64)
    for node in range(0, len(satisfies), 7):
        place = shown.node_rect(node)
        amounts[node] = inked[place.top() : place.bottom() + 1, place.left() : place.right() + 1].sum()
    looked_at = amounts > 0
    assert looked_at.sum() > 500
    assert np.median(amounts[looked_at & satisfies]) > np.median(amounts[looked_at & ~satisfies])


@pytest.mark.parametrize("view", VIEWS)
def test_nodes_of_the_map_are_filled_or_hollow_as_in_the_lattice(bench: Bench, view: str) -> None:
    shown, scores = bench.explore.view.map.view, bench.explore.state.scores
    seen, alone = lightness(shown.grab(), view), 0
    points = [shown.node_point(node) for node in range(160)]
    for node, point in enumerate(points):
        others = (p for i, p in enumerate(points) if i != node)
        if any(abs(p.x() - point.x()) < 9 and abs(p.y() - point.y()) < 9 for p in others):
            continue
        if point.x() < 12 or node in (scores.optimum, bench.explore.state.marks.selected):
            continue
        alone += 1
        is_filled = abs(seen[point.y(), point.x()] - seen[point.y() - 6, point.x()]) > SEEN
        assert is_filled == scores.satisfies[node], node
    assert alone > 5


def ground(view: str) -> float:
    """Return the lightness of a card."""
    image = QImage(1, 1, QImage.Format.Format_RGB32)
    image.fill(current_theme().color("surface"))
    return float(lightness(image, view)[0, 0])
