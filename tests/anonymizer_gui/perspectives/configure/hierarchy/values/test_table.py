"""Columns of the hierarchy table share its width according to their labels."""

from __future__ import annotations

import pytest

from anonymizer_gui.perspectives.configure.hierarchy.values.table import shared_widths


@pytest.mark.parametrize(
    ("wanted", "room", "given"),
    [
        ([100, 60], 200, [120, 80]),  # the remainder is shared
        ([100, 60], 160, [100, 60]),
        ([300, 60, 60], 240, [120, 60, 60]),  # the wide one yields
        ([300, 200, 40], 240, [100, 100, 40]),
        ([], 100, []),
    ],
)
def test_a_column_yields_width_only_above_its_fair_share(
    wanted: list[int], room: int, given: list[int]
) -> None:
    assert shared_widths(wanted, room) == given
