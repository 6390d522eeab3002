"""The legend explains the marks in use, at the shape and in the colours of the nodes themselves."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtCore import QPoint, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import QAbstractButton, QApplication
from pytestqt.qtbot import QtBot

from anonymizer_gui.perspectives.explore.lattice.card_faces import chip_rect
from anonymizer_gui.perspectives.explore.lattice.corners import LevelRow
from anonymizer_gui.perspectives.explore.lattice.layout import LatticeLayout, lay_out, lay_out_small
from anonymizer_gui.perspectives.explore.lattice.legend import _SWATCH, Drawing, LegendScale, marks_in_use
from anonymizer_gui.perspectives.explore.lattice.marks import Marks
from anonymizer_gui.perspectives.explore.lattice.neighbourhood import CAPTION_WIDTH
from anonymizer_gui.perspectives.explore.lattice.node_look import NodeLook
from anonymizer_gui.perspectives.explore.lattice.panel import LatticePanel
from anonymizer_gui.perspectives.explore.lattice.raster import DIMMED, FAILS, LARGEST_DOT, NOT_SCORED
from anonymizer_gui.theming import DARK, LIGHT, Theme, current_theme, scaled, theme_manager
from anonymizer_gui.widgets.marks import Mark
from engine.lattice import Lattice
from engine.numbers import as_loss
from tests.anonymizer_gui.perspectives.explore.lattice_helpers import ADULT, select

Pixels = NDArray[np.int64]
LEFT = Qt.MouseButton.LeftButton
SMALL = Lattice((0, 0, 0), (4, 1, 2))
VALUES = {Mark.SATISFIES: 0, Mark.MINIMAL: 0, Mark.FAILS: FAILS, Mark.NOT_SCORED: NOT_SCORED}
STATUSES = tuple(VALUES)


@pytest.fixture(params=[LIGHT, DARK], ids=["light", "dark"])
def theme(request: pytest.FixtureRequest, themed: QApplication) -> Theme:
    theme_manager().apply(themed, request.param, 1.0)
    found: Theme = request.param
    return found


def panel_of(qtbot: QtBot, lattice: Lattice, layout: LatticeLayout) -> LatticePanel:
    """Return a panel in which every status occurs; the minimal nodes are every second one of class 0."""
    panel = LatticePanel()
    qtbot.addWidget(panel)
    panel.resize(1062, 660)
    names = ("age", "gender", "city", "job", "race", "plan", "ward", "year", "unit")
    rows = [LevelRow(n, top + 1, ("",) * (top + 1)) for n, top in zip(names, lattice.maximum, strict=False)]
    panel.show_lattice(layout, lattice.levels, rows, lattice.maximum)
    values = np.array([0, FAILS, 0, NOT_SCORED], dtype=np.uint8)
    place = np.arange(lattice.n_nodes) % 4
    colours = NodeLook(
        values[place],
        np.linspace(0.1, 0.9, lattice.n_nodes),
        minimal=place == 2,
        n_suppressed=np.zeros(lattice.n_nodes, dtype=np.int64),
        n_records=100,
    )
    panel.show_colours(colours, LegendScale("loss", 0.1, 0.9, as_loss))
    panel.show()
    return panel


def node_of(panel: LatticePanel, mark: Mark, among: list[int] | None = None) -> int:
    """Return a drawn node of a status."""
    colours = panel.view.colours
    assert colours.minimal is not None
    shown = (colours.classes == VALUES[mark]) & (colours.minimal == (mark is Mark.MINIMAL))
    nodes = [n for n in np.flatnonzero(shown).tolist() if among is None or n in among]
    inner = panel.view.rect().adjusted(30, 10, -80, -10)
    return next(n for n in nodes if inner.contains(panel.view.node_rect(n)))


def picture_of(panel: LatticePanel) -> QImage:
    panel.legend.hide()
    return panel.view.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)


def swatch_of(panel: LatticePanel, mark: Mark) -> QImage:
    legend = panel.legend
    explained = [explained for explained, _text in legend._rows()]
    has_ramp = legend._scale is not None
    top = 4.0
    if not (has_ramp and mark is Mark.SATISFIES):
        top += has_ramp * (legend._high() + scaled(26)) + explained.index(mark) * legend._high()
    legend.show()
    place = QRectF(6, top, scaled(_SWATCH.width()), legend._high()).toAlignedRect()
    return legend.grab(place).toImage().convertToFormat(QImage.Format.Format_RGB32)


def pixels_of(picture: QImage) -> Pixels:
    """Return the colours of a picture, without empty rows and columns around."""
    width, height = picture.width(), picture.height()
    shape = (height, picture.bytesPerLine() // 4, 4)
    pixels = np.frombuffer(picture.constBits(), dtype=np.uint8).reshape(shape)[:, :width, 2::-1].astype(int)
    surface = QColor(current_theme().surface)
    drawn = (pixels != [surface.red(), surface.green(), surface.blue()]).any(axis=2)
    rows, columns = np.flatnonzero(drawn.any(axis=1)), np.flatnonzero(drawn.any(axis=0))
    return pixels[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]


def same_card(card: Pixels, swatch: Pixels, mark: Mark) -> bool:
    """Return whether band, upper edge and the foot of minimal nodes are equal but for rounding."""
    parts = [np.s_[:5, 5:12], np.s_[4:8, 2:4]]
    parts += [np.s_[-3:, 8:12]] if mark is Mark.MINIMAL else []
    return all(np.abs(card[part] - swatch[part]).max() <= 3 for part in parts)


@pytest.mark.parametrize("mark", STATUSES)
def test_a_dot_of_the_legend_is_a_dot_of_the_lattice(qtbot: QtBot, theme: Theme, mark: Mark) -> None:
    panel = panel_of(qtbot, ADULT, lay_out(ADULT.sums, np.random.default_rng(0).random(ADULT.n_nodes)))
    assert panel.legend.used.drawing is Drawing.DOTS
    swatch = pixels_of(swatch_of(panel, mark))
    rect = panel.view.node_rect(node_of(panel, mark))
    dot = pixels_of(picture_of(panel).copy(rect))
    assert (swatch[: dot.shape[0], : dot.shape[1]] == dot).all()


@pytest.mark.parametrize("mark", STATUSES)
def test_a_square_of_the_legend_is_a_square_of_the_lattice(qtbot: QtBot, theme: Theme, mark: Mark) -> None:
    lattice = Lattice((0,) * 5, (3, 5, 1, 5, 2))
    panel = panel_of(qtbot, lattice, lay_out(lattice.sums, np.random.default_rng(0).random(lattice.n_nodes)))
    assert panel.legend.used.drawing is Drawing.DOTS
    assert panel.legend.used.pitch > LARGEST_DOT
    swatch = pixels_of(swatch_of(panel, mark))
    rect = panel.view.node_rect(node_of(panel, mark))
    around = rect.adjusted(-1, 0, 1, 2) if mark is Mark.MINIMAL else rect
    square = pixels_of(picture_of(panel).copy(around))
    assert (swatch[: square.shape[0], : square.shape[1]] == square).all()


@pytest.mark.parametrize("mark", STATUSES)
def test_a_card_of_the_legend_is_a_card_of_the_diagram(qtbot: QtBot, theme: Theme, mark: Mark) -> None:
    panel = panel_of(qtbot, SMALL, lay_out_small(SMALL.levels))
    assert panel.legend.used.drawing is Drawing.DIAGRAM
    swatch = pixels_of(swatch_of(panel, mark))
    picture = picture_of(panel).copy(panel.view.node_rect(node_of(panel, mark)))
    assert same_card(pixels_of(picture), swatch, mark)


@pytest.mark.parametrize("mark", STATUSES)
def test_a_chip_of_the_legend_is_a_chip_of_the_lattice(qtbot: QtBot, theme: Theme, mark: Mark) -> None:
    panel = panel_of(qtbot, ADULT, lay_out(ADULT.sums, np.random.default_rng(0).random(ADULT.n_nodes)))
    qtbot.mouseClick(panel.stops.segment("chips"), LEFT)
    assert panel.legend.used.drawing is Drawing.CHIPS
    swatch = pixels_of(swatch_of(panel, mark))
    geometry = panel.view.geometry_shown
    assert geometry is not None
    picture = picture_of(panel).copy(chip_rect(geometry, node_of(panel, mark)).toAlignedRect())
    assert same_card(pixels_of(picture), swatch, mark)


@pytest.mark.parametrize("mark", STATUSES)
def test_a_card_of_the_legend_is_a_card_of_a_neighbour(qtbot: QtBot, theme: Theme, mark: Mark) -> None:
    panel = panel_of(qtbot, ADULT, lay_out(ADULT.sums, np.random.default_rng(0).random(ADULT.n_nodes)))
    for node in range(5000, 5020):  # until a neighbour has the status
        select(panel.view, ADULT, node)
        qtbot.mouseClick(panel.stops.segment("cards"), LEFT)
        cards = panel.view.cards
        neighbours = [item.node for item in cards.items if item.step is not None and not item.is_chip]
        try:
            found = node_of(panel, mark, neighbours)
        except StopIteration:
            continue
        break
    qtbot.mouseClick(panel.findChild(QAbstractButton, "showLegend"), LEFT)
    assert panel.legend.isVisible()
    assert panel.legend.used.drawing is Drawing.CARDS
    swatch = pixels_of(swatch_of(panel, mark))
    picture = picture_of(panel).copy(panel.view.node_rect(found))
    assert same_card(pixels_of(picture), swatch, mark)


def test_no_button_moves_when_the_size_of_the_nodes_changes(qtbot: QtBot, theme: Theme) -> None:
    panel = panel_of(qtbot, ADULT, lay_out(ADULT.sums, np.random.default_rng(0).random(ADULT.n_nodes)))
    select(panel.view, ADULT, 6000)
    names = ("zoomIn", "zoomOut", "showLegend", "savePicture")
    places = set()
    for stop in ("fit", "chips", "cards", "fit"):
        qtbot.mouseClick(panel.stops.segment(stop), LEFT)
        panel.grab()
        tools = [panel.findChild(QAbstractButton, name) for name in names]
        places.add(tuple(tool.geometry().getRect() for tool in (panel.stops, *tools) if tool is not None))
    assert len(places) == 1
    assert len(places.pop()) > 3


# -- what it explains --------------------------------------------------------------------------


def test_only_marks_in_use_are_explained() -> None:
    everything = NodeLook(np.zeros(4, dtype=np.uint8), np.zeros(4), minimal=np.zeros(4, dtype=np.bool_))
    used = marks_in_use(everything, Marks())
    assert used.statuses == (Mark.SATISFIES,)
    assert used.marks == ()
    assert not used.has_selected
    assert not used.has_filtered
    some = replace(everything, classes=np.array([3, FAILS, NOT_SCORED, DIMMED], dtype=np.uint8))
    used = marks_in_use(some, Marks(1, 0, 2, pinned=(3,)))
    assert used.statuses == (Mark.SATISFIES, Mark.FAILS, Mark.NOT_SCORED)
    assert used.marks == (Mark.OPTIMUM, Mark.APPLIED, Mark.PINNED)
    assert used.has_selected
    assert used.has_filtered


def test_the_legend_follows_the_marks_and_lies_on_no_node(qtbot: QtBot, themed: QApplication) -> None:
    panel = panel_of(qtbot, SMALL, lay_out_small(SMALL.levels))
    assert "step from the selected node" not in panel.legend.accessibleDescription()
    panel.resize(1062, 700)
    panel.view.show_marks(Marks(4, 0, pinned=(7,)))
    words = panel.legend.accessibleDescription()
    for text in ("step from the selected node", "such a step that fails", "optimum", "pinned"):
        assert text in words
    assert "applied" not in words
    assert panel.legend.isVisible()
    assert panel.card_legend.isVisible()
    for part in (panel.legend, panel.card_legend, panel.levels):
        place = part.geometry().adjusted(4, 4, -4, -4)
        assert not any(place.intersects(panel.view.node_rect(node)) for node in range(SMALL.n_nodes))
    assert not panel.legend.geometry().intersects(panel.card_legend.geometry())


def test_a_legend_without_room_is_shown_on_demand(qtbot: QtBot, themed: QApplication) -> None:
    panel = panel_of(qtbot, ADULT, lay_out(ADULT.sums, np.random.default_rng(0).random(ADULT.n_nodes)))
    select(panel.view, ADULT, 5000)
    qtbot.mouseClick(panel.stops.segment("cards"), LEFT)
    button = panel.findChild(QAbstractButton, "showLegend")
    assert not panel.legend.isVisible()
    qtbot.mouseClick(button, LEFT)
    assert panel.legend.isVisible()
    assert QRect(QPoint(), panel.view.size()).contains(panel.legend.geometry())
    qtbot.mouseClick(button, LEFT)
    assert not panel.legend.isVisible()


def test_the_legend_of_cards_is_right_of_the_captions_of_the_rows(qtbot: QtBot, theme: Theme) -> None:
    lattice = Lattice((0,) * 5, (3, 5, 1, 5, 2))
    panel = panel_of(qtbot, lattice, lay_out(lattice.sums, np.random.default_rng(0).random(lattice.n_nodes)))
    select(panel.view, lattice, lattice.n_nodes // 2)
    qtbot.mouseClick(panel.stops.segment("cards"), LEFT)
    assert panel.view.shows_cards
    qtbot.waitUntil(lambda: panel.legend.x() >= scaled(CAPTION_WIDTH))
    qtbot.mouseClick(panel.stops.segment("fit"), LEFT)
    qtbot.waitUntil(lambda: panel.legend.x() < scaled(CAPTION_WIDTH))
