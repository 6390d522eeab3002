"""Buttons of a strip lose their texts one by one in a narrow window, and get them back in a wide one."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from anonymizer_gui.theming import LIGHT, theme_manager
from anonymizer_gui.widgets.buttons import make_button
from anonymizer_gui.widgets.card import Card
from tests.anonymizer_gui.look_checks import laid_out


class Bench:
    """A card with two tools that fold and one that does not."""

    def __init__(self) -> None:
        self.card = Card("Groups")
        self.tools = [
            make_button(text, icon_name="plus", small=True) for text in ("Merge", "New group", "Done")
        ]
        for tool in self.tools:
            self.card.add_tool(tool)
        self.card.fold_tools(*self.tools[:2])

    def texts(self) -> list[str]:
        return [tool.text() for tool in self.tools]

    def resize(self, width: int) -> list[str]:
        """Return the texts of the tools at a width."""
        self.card.resize(width, 80)
        laid_out(self.card)
        assert self.card.width() == width
        return self.texts()


@pytest.fixture
def bench(qtbot: QtBot, themed: QApplication) -> Bench:
    made = Bench()
    qtbot.addWidget(made.card)
    made.card.show()
    return made


def widths_where_texts_change(bench: Bench) -> list[list[str]]:
    seen: list[list[str]] = []
    for width in range(600, 150, -10):
        texts = bench.resize(width)
        if not seen or seen[-1] != texts:
            seen.append(texts)
    return seen


def test_texts_go_in_the_order_given_and_the_last_tool_keeps_its_own(bench: Bench) -> None:
    assert widths_where_texts_change(bench) == [
        ["Merge", "New group", "Done"],
        ["", "New group", "Done"],
        ["", "", "Done"],
    ]
    assert bench.resize(600) == ["Merge", "New group", "Done"]


def test_larger_text_folds_in_the_same_room(bench: Bench, themed: QApplication) -> None:
    assert bench.resize(400) == ["Merge", "New group", "Done"]
    theme_manager().apply(themed, LIGHT, 1.5)
    assert bench.resize(400) != ["Merge", "New group", "Done"]
    assert bench.card.width() == 400


def test_a_folded_button_says_its_text_to_screen_readers(bench: Bench) -> None:
    bench.resize(200)
    folded: QPushButton = bench.tools[1]
    assert (folded.text(), folded.accessibleName()) == ("", "New group")
    bench.card.set_tool_text(folded, "Group")
    assert (folded.text(), folded.accessibleName()) == ("", "Group")
    assert bench.resize(600)[1] == "Group"
