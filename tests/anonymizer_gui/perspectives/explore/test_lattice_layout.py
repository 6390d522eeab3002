"""Every node has one position: rows by total level, the least loss in the middle."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPointF, QRectF

from anonymizer_gui.perspectives.explore.lattice.card_faces import chip_rect, shows_chips
from anonymizer_gui.perspectives.explore.lattice.layout import LatticeGeometry, LatticeLayout, lay_out
from engine.lattice import Lattice

ADULT = Lattice((0,) * 9, (1, 4, 1, 2, 3, 2, 2, 2, 1))
AREA = QRectF(22, 2, 974, 402)


def laid_out(lattice: Lattice) -> tuple[LatticeLayout, np.ndarray]:
    losses = np.random.default_rng(0).random(lattice.n_nodes)
    return lay_out(lattice.sums, losses), losses


def test_adult_has_nineteen_rows_of_columns_of_six() -> None:
    layout, _ = laid_out(ADULT)
    assert (layout.n_rows, layout.slots, layout.n_columns) == (19, 6, 324)


@pytest.mark.parametrize("heights", [(0,), (1,), (3, 2), (1, 4, 1, 2), (9, 9, 9, 9, 9)])
def test_no_two_nodes_share_a_place_and_rows_are_sums_of_levels(heights: tuple[int, ...]) -> None:
    lattice = Lattice((0,) * len(heights), heights)
    layout, _ = laid_out(lattice)
    assert len(np.unique(layout.positions, axis=0)) == lattice.n_nodes
    assert np.array_equal(layout.positions[:, 0], lattice.sums)


def test_in_every_row_the_least_loss_is_in_the_middle_and_the_others_alternate_outward() -> None:
    layout, losses = laid_out(ADULT)
    for row in layout.rows:
        by_loss = row[np.argsort(losses[row])]
        outward = np.abs(layout.positions[by_loss, 1])
        assert outward[0] == 0
        assert np.all(np.diff(outward) >= 0)
        columns = layout.positions[row, 1]
        assert columns.max() + columns.min() in (0, 1)


def test_adult_fits_the_design_canvas_at_a_pitch_of_three_and_the_small_one_at_two() -> None:
    layout, _ = laid_out(ADULT)
    assert LatticeGeometry.whole(layout, AREA, 1.0).pitches == (3.0, 3.0)
    assert LatticeGeometry.whole(layout, QRectF(22, 2, 846, 260), 1.0).pitches == (2.0, 2.0)


def test_a_fitted_lattice_is_within_its_area() -> None:
    for heights in [(0,), (2, 1), (1, 4, 1, 2, 3), ADULT.maximum]:
        layout, _ = laid_out(Lattice((0,) * len(heights), heights))
        geometry = LatticeGeometry.whole(layout, AREA, 1.0)
        x, y = geometry.corners()
        assert x.min() >= AREA.left() - 1
        assert x.max() + geometry.pitches[0] <= AREA.right() + 1
        assert y.min() >= AREA.top() - 1
        assert y.max() + geometry.pitches[1] <= AREA.bottom() + 1


def test_the_node_under_the_middle_of_its_place_is_found_at_every_zoom() -> None:
    layout, _ = laid_out(ADULT)
    fitted = LatticeGeometry.whole(layout, AREA, 1.0)
    for geometry in (fitted, fitted.zoomed_to(4, QPointF(500, 200)), fitted.centered(fitted.chip_zoom, 5000)):
        for node in range(0, layout.n_nodes, 777):
            assert geometry.node_at(geometry.place(node).center()) == node


def test_zooming_keeps_the_node_under_the_pointer() -> None:
    layout, _ = laid_out(ADULT)
    geometry = LatticeGeometry.whole(layout, AREA, 1.0)
    node = int(layout.rows[9][900])
    point = geometry.place(node).center()
    for zoom in (2.0, 6.0, 30.0):
        geometry = geometry.zoomed_to(zoom, point)
        assert geometry.node_at(point, 3.0) == node


@pytest.mark.parametrize("zoom", [1.0, 3.0, 40.0])
def test_the_nodes_in_a_rectangle_are_those_whose_places_touch_it(zoom: float) -> None:
    layout, _ = laid_out(ADULT)
    geometry = LatticeGeometry.whole(layout, AREA, 1.0).zoomed_to(zoom, QPointF(500, 200))
    x, y = geometry.corners()
    for rect in (AREA, QRectF(430, 100, 60, 35), QRectF(22, 2, 1, 1), QRectF(990, 398, 30, 30)):
        inside = (x + geometry.pitches[0] > rect.left()) & (x < rect.right())
        inside &= (y + geometry.pitches[1] > rect.top()) & (y < rect.bottom())
        assert sorted(geometry.visible(rect).tolist()) == np.flatnonzero(inside).tolist()


def test_a_sum_that_no_scored_node_has_takes_no_row() -> None:
    layout = lay_out(np.array([0, 40, 7, 40]), np.arange(4.0))
    assert layout.sums == (0, 7, 40)
    assert layout.positions[:, 0].tolist() == [0, 2, 1, 2]
    assert layout.n_rows == 3


def test_in_a_layout_of_more_nodes_a_zoomed_view_keeps_the_size_of_its_nodes() -> None:
    few, many = laid_out(Lattice((0,) * 7, (2,) * 7))[0], laid_out(ADULT)[0]
    before = LatticeGeometry.whole(few, AREA, 1.0)
    before = before.zoomed_to(before.chip_zoom, QPointF(500, 200))
    after = before.of(many)
    assert after.pitches[0] == pytest.approx(before.pitches[0], rel=0.02)
    assert LatticeGeometry.whole(few, AREA, 1.0).of(many) == LatticeGeometry.whole(many, AREA, 1.0)


def test_walking_right_visits_every_node_of_the_row_once() -> None:
    layout, _ = laid_out(Lattice((0, 0, 0), (3, 3, 3)))
    visited = [int(layout.rows[4][0])]
    while (node := layout.beside(visited[-1], 1)) is not None:
        visited.append(node)
    assert visited == layout.rows[4].tolist()


def test_chips_grow_with_the_fonts() -> None:
    layout, _ = laid_out(ADULT)
    usual, large = (LatticeGeometry.whole(layout, AREA, 1.0, scale) for scale in (1.0, 1.5))
    assert usual.pitches == large.pitches  # dots do not
    usual, large = (g.centered(g.chip_zoom, 5000) for g in (usual, large))
    assert large.pitches == pytest.approx([1.5 * side for side in usual.pitches], abs=1)
    assert shows_chips(usual)
    assert shows_chips(large)
    assert not shows_chips(replace(large, zoom=usual.zoom))
    assert chip_rect(large, 5000).width() == pytest.approx(1.5 * chip_rect(usual, 5000).width(), abs=1)
    assert large.in_area(AREA, 1.0, 1.0).zoom == usual.chip_zoom
