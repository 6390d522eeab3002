"""The painted lattice: what a click, a key, the wheel and a recolouring do."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from anonymizer_gui.perspectives.explore.lattice.layout import lay_out
from anonymizer_gui.perspectives.explore.lattice.marks import (
    Marks,
    NodePaths,
    StepTaken,
    names_of_marks,
    seen_beside,
)
from anonymizer_gui.perspectives.explore.lattice.node_look import NodeLook
from anonymizer_gui.perspectives.explore.lattice.raster import FAILS, N_RAMP, NOT_SCORED
from anonymizer_gui.perspectives.explore.lattice.view import LatticeView
from anonymizer_gui.theming import LIGHT, ramp_colors
from engine.lattice import Lattice
from tests.anonymizer_gui.perspectives.explore import lattice_helpers
from tests.anonymizer_gui.perspectives.explore.conftest import Bench
from tests.anonymizer_gui.perspectives.explore.lattice_helpers import ADULT

LARGE = Lattice((0,) * 5, (9, 9, 9, 9, 9))


def coloured(lattice: Lattice, seed: int = 0) -> NodeLook:
    rng = np.random.default_rng(seed)
    classes = rng.integers(0, FAILS + 2, lattice.n_nodes).astype(np.uint8)
    return NodeLook(classes, rng.random(lattice.n_nodes), [])


def make_view(qtbot: QtBot, lattice: Lattice, width: int = 1062, height: int = 408) -> LatticeView:
    view = lattice_helpers.make_view(qtbot, lattice, width, height)
    view.show_colours(coloured(lattice))
    return view


@pytest.fixture
def view(qtbot: QtBot, themed: QApplication) -> LatticeView:
    return make_view(qtbot, ADULT)


def test_dots_have_the_size_and_colour_of_their_status(view: LatticeView) -> None:
    classes = np.full(ADULT.n_nodes, FAILS, dtype=np.uint8)
    classes[6000], classes[6001] = 0, NOT_SCORED
    view.show_colours(NodeLook(classes, np.zeros(ADULT.n_nodes), []))
    picture = view.grab().toImage()

    def pixels(node: int, color: QColor) -> int:
        place = view.node_rect(node)
        return sum(
            picture.pixelColor(x, y) == color
            for x in range(place.left(), place.right() + 1)
            for y in range(place.top(), place.bottom() + 1)
        )

    assert pixels(6000, ramp_colors(LIGHT)[0]) == 4
    assert pixels(5000, QColor(LIGHT.fail_dot)) == 1
    assert pixels(6001, QColor(LIGHT.grid)) == 1


def test_selecting_draws_no_dot_again(view: LatticeView) -> None:
    view.grab()
    layer = view._dots
    view.show_marks(Marks(selected=6000, optimum=7000, applied=6000, neighbours=(5999,)), "node")
    view.grab()
    assert view._dots is layer
    assert view.accessibleDescription() == "node"


def test_all_of_adult_is_recoloured_and_painted_within_a_frame(view: LatticeView) -> None:
    view.grab()
    seconds = []
    for seed in range(7):
        colours = coloured(ADULT, seed)
        started = time.thread_time()
        view.show_colours(colours)
        view.grab()
        seconds.append(time.thread_time() - started)
    # 16 ms is the aim; the slack is for machines that run other things at the same time.
    assert min(seconds) < 0.016 * 2


def test_chips_show_around_the_selected_node(view: LatticeView) -> None:
    view.show_marks(Marks(selected=6000))
    view.show_chips()
    assert view.zoom_stop == "chips"
    assert view.rect().contains(view.node_rect(6000))
    assert view.node_rect(6000).width() >= 116
    view.grab()


def test_a_lattice_too_large_for_dots_is_drawn_as_shares_per_column(
    qtbot: QtBot, themed: QApplication
) -> None:
    view = make_view(qtbot, LARGE, 700, 300)
    geometry = view.geometry_shown
    assert geometry is not None
    assert geometry.pitch < 2
    classes = np.full(LARGE.n_nodes, FAILS, dtype=np.uint8)
    middle = int(geometry.layout.rows[22][len(geometry.layout.rows[22]) // 2])
    classes[middle] = 0
    view.show_colours(NodeLook(classes, np.zeros(LARGE.n_nodes), []))
    picture = view.grab().toImage()
    best = ramp_colors(LIGHT)[0]
    found = {
        (x, y) for x in range(view.width()) for y in range(view.height()) if picture.pixelColor(x, y) == best
    }
    assert found, "a single node that satisfies keeps a pixel"
    assert all(abs(x - view.node_rect(middle).center().x()) <= 2 for x, _ in found)


def test_shares_take_the_height_there_is(qtbot: QtBot, themed: QApplication) -> None:
    geometry = make_view(qtbot, LARGE, 700, 300).geometry_shown
    assert geometry is not None
    assert geometry.height > 0.95 * geometry.area.height()


def test_more_nodes_keep_the_selected_one_visible(qtbot: QtBot, themed: QApplication) -> None:
    """Indices are unchanged, as in a partly scored lattice."""
    numbers = np.random.default_rng(2).permutation(ADULT.n_nodes)
    first = numbers[:900]
    view = LatticeView()
    qtbot.addWidget(view)
    view.resize(1062, 408)
    view.show_lattice(lay_out(ADULT.sums[first], np.arange(900.0)), ADULT.levels[first])
    view.show()
    view.show_marks(Marks(selected=450))
    view.show_chips()
    before = view.node_rect(450).center()
    more = numbers[:3000]
    view.show_more(lay_out(ADULT.sums[more], np.arange(3000.0)), ADULT.levels[more])
    assert (view.node_rect(450).center() - before).manhattanLength() <= 2
    assert view.node_rect(450).width() >= 110
    view.fit()
    view.show_more(lay_out(ADULT.sums[numbers], np.arange(12_960.0)), ADULT.levels[numbers])
    assert view.zoom_stop == "fit"
    assert view.rect().contains(view.node_rect(int(view.layout_shown.rows[0][0])))  # type: ignore[union-attr]


def test_a_node_scrolled_into_view_is_below_the_strip_in_which_nothing_is_clicked(view: LatticeView) -> None:
    view.show_marks(Marks(selected=6000))
    view.show_chips()
    view.zoom_by(1.0)
    assert view.geometry_shown is not None
    target = int(view.geometry_shown.layout.rows[10][100])
    view.bring_into_view(target)
    assert view.rect().adjusted(0, view.strip, 0, 0).contains(view.node_rect(target))
    assert view.node_at(QPoint(500, view.strip + 12)) is not None
    assert {view.node_at(QPoint(x, view.strip // 2)) for x in range(0, view.width(), 9)} == {None}


def test_every_neighbour_of_a_chip_is_in_sight_or_counted_at_its_side(view: LatticeView) -> None:
    node = ADULT.node(6000)
    around = tuple(ADULT.number(other) for other in (*ADULT.predecessors(node), *ADULT.successors(node)))
    view.show_marks(Marks(selected=6000, neighbours=around))
    view.show_chips()
    geometry = view.geometry_shown
    assert geometry is not None
    inner = view._canvas().inner
    found = seen_beside(geometry, NodePaths(6000, around), inner)
    assert all(inner.contains(geometry.place(other).center()) for other in found.seen)
    unseen = [other for other in around if other not in found.seen]
    rows = {step: [n for n in unseen if ADULT.sums[n] - ADULT.sums[6000] == step] for step in (-1, 1)}
    for step, of_row in rows.items():
        x = [geometry.place(other).center().x() for other in of_row]
        left, right = sum(at < inner.left() for at in x), sum(at > inner.right() for at in x)
        assert list(found.hidden[step]) == [left, right, len(x) - left - right]
    assert unseen


def test_names_and_the_last_step_stand_clear_of_all_dots(view: LatticeView) -> None:
    view.show_marks(Marks(selected=6000, optimum=7000, neighbours=(6001,)))
    view.show_step(StepTaken(6001, 6000, "education: 5 kinds of school → 3 stages of school"))
    geometry, canvas = view.geometry_shown, view._canvas()
    assert geometry is not None
    pills, texts = names_of_marks(geometry, view.marks, canvas.inner, canvas.corners, view.above.step)
    assert texts[6000].startswith("Selected · education")
    assert len(pills) == 2
    assert all(not len(geometry.visible(pill.rect)) for pill in pills)


@pytest.mark.parametrize("heights", [(0,), (1,), (2, 2), (1, 2, 1)])
def test_small_lattices_are_drawn_large_and_can_be_clicked(
    qtbot: QtBot, themed: QApplication, heights: tuple[int, ...]
) -> None:
    lattice = Lattice((0,) * len(heights), heights)
    view = make_view(qtbot, lattice)
    view.grab()
    for node in range(lattice.n_nodes):
        with qtbot.waitSignal(view.node_requested) as asked:
            qtbot.mouseClick(view, Qt.MouseButton.LeftButton, pos=view.node_rect(node).center())
        assert asked.args == [node]
        assert view.node_rect(node).height() >= 14


@pytest.mark.parametrize("zoom", [1.0, 1.6, 3.0])
def test_a_recoloured_view_is_the_picture_of_a_new_one(
    qtbot: QtBot, themed: QApplication, zoom: float
) -> None:
    rng = np.random.default_rng(3)
    used, rows = make_view(qtbot, ADULT), [f"{n} / 100" for n in range(len(set(ADULT.sums.tolist())))]
    before = coloured(ADULT)
    used.zoom_by(zoom)
    for _ in range(8):
        turned = rng.random(ADULT.n_nodes) < rng.choice([0.0, 0.01, 0.9])
        classes = np.where(turned, rng.integers(0, FAILS + 3, ADULT.n_nodes), before.classes)
        rows = [text if rng.random() < 0.7 else f"{rng.integers(1000)} of {len(rows)} rows" for text in rows]
        minimal = (rng.random(ADULT.n_nodes) < 0.05) & (classes < N_RAMP)
        before = replace(before, classes=classes.astype(np.uint8), row_texts=rows, minimal=minimal)
        used.show_colours(before)
        new = make_view(qtbot, ADULT)
        new.zoom_by(zoom)
        new.show_colours(before)
        assert used.grab().toImage() == new.grab().toImage()
        new.close()


def test_a_view_lower_than_its_edges_is_laid_out(bench: Bench, qtbot: QtBot) -> None:
    view = bench.explore.view.lattice.view
    for height in (3, 1, 400):
        view.resize(500, height)
        assert view.geometry_shown is not None
        assert min(view.geometry_shown.pitches) > 0
