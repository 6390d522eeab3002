"""Names of marked nodes: their leader lines do not cross."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from PySide6.QtCore import QLineF, QPointF, QRectF

from anonymizer_gui.perspectives.explore.lattice.marks import Pill, place_pills

INNER = QRectF(22, 0, 974, 408)
WIDTHS = {0: 70.0, 1: 75.0, 2: 140.0}


def crossing(pills: list[Pill]) -> int:
    bounded = QLineF.IntersectionType.BoundedIntersection
    return sum(a.line.intersects(b.line)[0] == bounded for a, b in combinations(pills, 2))


@pytest.mark.parametrize("seed", range(200))
def test_lines_to_three_nodes_anywhere_do_not_cross(seed: int) -> None:
    rng = np.random.default_rng(seed)
    points = zip(rng.uniform(30, 980, 3).tolist(), rng.uniform(5, 400, 3).tolist(), strict=True)
    centers = {node: QPointF(*point) for node, point in enumerate(points)}
    pills = place_pills(centers, WIDTHS, 20, INNER)
    assert {pill.node for pill in pills} == set(centers)
    assert crossing(pills) == 0
    assert not any(a.rect.intersects(b.rect) for a, b in combinations(pills, 2))
    assert all(INNER.contains(pill.rect) for pill in pills)


@pytest.mark.parametrize("seed", range(50))
def test_names_avoid_the_corners_where_they_have_room(seed: int) -> None:
    rng = np.random.default_rng(seed)
    points = zip(rng.uniform(30, 980, 3).tolist(), rng.uniform(5, 400, 3).tolist(), strict=True)
    centers = {node: QPointF(*point) for node, point in enumerate(points)}
    corners = [QRectF(30, 4, 180, 150), QRectF(30, 260, 220, 140), QRectF(780, 320, 200, 80)]
    pills = place_pills(centers, WIDTHS, 20, INNER, corners)
    assert not any(pill.rect.intersects(corner) for pill in pills for corner in corners)
    assert crossing(pills) == 0
    assert all(INNER.contains(pill.rect) for pill in pills)


def test_lines_of_nodes_in_one_row_do_not_cross() -> None:
    centers = {0: QPointF(400, 200), 1: QPointF(430, 204), 2: QPointF(460, 199)}
    assert crossing(place_pills(centers, WIDTHS, 20, INNER)) == 0


def test_without_marked_nodes_there_are_no_names() -> None:
    assert place_pills({}, {}, 20, INNER) == []


@pytest.mark.parametrize("y", [20.0, 200.0, 400.0])
def test_a_name_without_room_at_either_side_is_below_or_above_its_node(y: float) -> None:
    center = QPointF(509, y)
    (pill,) = place_pills({0: center}, {0: 700.0}, 34, INNER)
    assert not pill.rect.adjusted(0, -12, 0, 12).contains(center)
    assert pill.rect.left() < pill.line.x2() < pill.rect.right()
