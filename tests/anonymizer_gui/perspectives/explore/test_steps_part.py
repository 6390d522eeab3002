"""Lines of the neighbours in the inspector at any width."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from anonymizer_gui.perspectives.explore.inspector.steps_part import HalfStep, StepsPart
from anonymizer_gui.perspectives.explore.inspector.values import StepLine, StepRow


def row(change: str, suppressed: str, *, is_up: bool) -> StepRow:
    words = f"{change} {suppressed}"
    return StepRow((0,), is_up, words, change, suppressed, satisfies=True, difference=0.1)


def painted(half: HalfStep) -> QImage:
    return half.grab().toImage()


@pytest.mark.parametrize("width", [286, 310, 330, 420])
def test_the_suppressed_records_stand_clear_of_the_change(
    qtbot: QtBot, themed: QApplication, width: int
) -> None:
    part = StepsPart()
    qtbot.addWidget(part)
    part.resize(width, 60)
    both, without = (
        StepLine("age", row("−0.085", text, is_up=False), row("+0.085", text, is_up=True))
        for text in ("2 904", "")
    )
    part.show()
    part.show_steps([without])
    halves = part.controls()
    before = [painted(half) for half in halves]
    part.show_steps([both])
    for half, image in zip(halves, before, strict=True):
        now = painted(half)
        assert now.size() == image.size()
        changed = {
            x
            for x in range(now.width())
            for y in range(now.height())
            if now.pixelColor(x, y) != image.pixelColor(x, y)
        }
        ground = image.pixelColor(now.width() // 2, 0)
        assert changed
        for x in range(min(changed) - 1, max(changed) + 1):  # nothing else is drawn where the count is
            assert {image.pixelColor(x, y).name() for y in range(4, image.height() - 4)} == {ground.name()}
