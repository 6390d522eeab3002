"""Lines of the neighbours in the inspector at any width."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QFontMetrics, QImage
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from anonymizer_gui.perspectives.explore.inspector.steps_part import HalfStep, StepsPart
from anonymizer_gui.perspectives.explore.inspector.values import Step, StepLine
from anonymizer_gui.theming import LIGHT, Text, font, theme_manager


def row(change: str, suppressed: str, *, is_up: bool) -> Step:
    words = f"{change} {suppressed}"
    return Step((0,), is_up, words, change, suppressed, satisfies=True, difference=0.1)


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


@pytest.mark.parametrize("scale", [1.0, 1.5])
@pytest.mark.parametrize("width", [300, 360])
def test_numbers_of_six_digits_are_painted_whole(
    qtbot: QtBot, themed: QApplication, scale: float, width: int
) -> None:
    theme_manager().apply(themed, LIGHT, scale)
    part = StepsPart()
    qtbot.addWidget(part)
    part.show()

    def ink(width: int, number: int) -> int:
        """Return from which to which column of pixels the number of a half line is drawn."""
        part.resize(width, 100)
        images = []
        for text in ("888 888", ""):
            line = StepLine("age", row("−0.885", text, is_up=False), row("+0.885", text, is_up=True))
            wide = StepLine(
                "sex", row("−0.885", "888 888", is_up=False), row("+0.885", "888 888", is_up=True)
            )
            part.show_steps([line, wide])
            images.append(painted(part.controls()[number]))
        shown, empty = images
        assert shown.size() == empty.size()
        drawn = [
            x
            for x in range(shown.width())
            if any(shown.pixelColor(x, y) != empty.pixelColor(x, y) for y in range(shown.height()))
        ]
        return drawn[-1] - drawn[0] + 1

    narrow = round(width * (1 + (scale - 1) / 2))
    whole = QFontMetrics(font(Text.CAPTION)).tightBoundingRect("888 888").width()
    for number in (0, 1):
        assert ink(narrow, number) >= whole - 2
        assert part.controls()[0].width() + part.controls()[1].width() == part.width()
