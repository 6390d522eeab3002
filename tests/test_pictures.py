"""Report on pictures that differ: which, how much, and where."""

from __future__ import annotations

import numpy as np

from tests.pictures import FINGERPRINTS, Difference, compare, differences, fingerprint

WHITE = np.full((70, 100, 3), 255, dtype=np.uint8)


def with_a_spot() -> np.ndarray:
    picture = WHITE.copy()
    picture[40:44, 80:90] = 0
    return picture


def test_the_share_of_pixels_and_their_place_are_reported() -> None:
    found = differences({"start": WHITE, "risk": WHITE}, {"start": with_a_spot(), "risk": WHITE.copy()})
    assert found == [Difference("start", "0.57% of its pixels, within 10 x 4 at (80, 40)")]


def test_changed_tiles_are_reported_for_fingerprints() -> None:
    found = differences({"start": fingerprint(WHITE)}, {"start": fingerprint(with_a_spot())})
    assert found == [Difference("start", "8.33% of its tiles, within 32 x 32 at (64, 32)")]


def test_pictures_that_were_added_removed_or_resized_are_named() -> None:
    found = differences({"gone": WHITE, "grown": WHITE}, {"new": WHITE, "grown": WHITE[:60]})
    assert [(d.name, d.what) for d in found] == [
        ("gone", "is gone"),
        ("grown", "was 100 x 70, is 100 x 60"),
        ("new", "is new"),
    ]


def test_the_stored_fingerprints_equal_themselves(capsys) -> None:
    assert compare(FINGERPRINTS, FINGERPRINTS) == 0
    assert "0 of 0" not in capsys.readouterr().out
