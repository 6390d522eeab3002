"""Active filters as chips, removed one by one or all together, in every view."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from anonymizer_gui.models.node_name import LevelWords
from anonymizer_gui.perspectives.explore.lattice.raster import DIMMED
from anonymizer_gui.perspectives.explore.listing.filter_chips import plain_text, ranges, typed_without
from anonymizer_gui.perspectives.explore.node_filter import level_pattern
from anonymizer_gui.widgets.chip import RemovableChip
from engine.errors import InputError
from engine.filters import parse_filter
from engine.project import Project
from engine.project.compile import compile_problem
from tests.anonymizer_gui.perspectives.explore.conftest import Bench
from tests.anonymizer_gui.perspectives.explore.list_driver import LEFT, ListDriver

NAMES = ["age", "loss", "zip code", "a < b"]


@pytest.fixture
def driver(qtbot: QtBot, bench: Bench) -> ListDriver:
    return ListDriver(qtbot, bench)


def dimmed(driver: ListDriver) -> list[bool]:
    colours = driver.bench.explore.view.lattice.view.colours
    return (colours.classes == DIMMED).tolist()


def test_every_filter_is_a_chip_and_a_click_removes_it(qtbot: QtBot, driver: ListDriver) -> None:
    view, state = driver.bench.explore.view, driver.bench.explore.state
    assert driver.chips == []
    qtbot.keyClicks(driver.panel.filter_field, "age <= 3 and (loss < 0.9 or k = 5)")
    driver.show_fields()
    driver.type_over("loss", "..0.8")
    boxes = view.lattice.levels.boxes[1]
    qtbot.mouseClick(boxes, LEFT, pos=boxes.box_rect(0).center())
    chosen = np.zeros(len(state.passing), dtype=np.bool_)
    chosen[::2] = True
    state.filter_by_choice(chosen)
    words = ["age ≤ 3", "loss < 0.9 or k = 5", "Loss: ..0.8", "age: levels 1–4", "80 nodes framed"]
    assert [chip.text for chip in driver.panel.strip._shown] == words
    driver.bench.explore.view.resize(2000, 900)
    assert driver.chips == words
    qtbot.mouseClick(driver.chip("age ≤ 3"), LEFT)
    assert driver.panel.filter_field.text() == "loss < 0.9 or k = 5"
    qtbot.mouseClick(driver.chip("age: levels 1–4"), LEFT)
    assert len(view.lattice.levels.boxes[1].allowed()) == 5, "the boxes follow"
    driver.chip("Loss: ..0.8").setFocus()
    qtbot.keyClick(driver.chip("Loss: ..0.8"), Qt.Key.Key_Delete)
    assert driver.field("loss").text() == ""
    assert driver.chip("80 nodes framed").hasFocus(), "the next one has the focus"
    assert any(dimmed(driver))
    qtbot.keyClick(driver.chip("80 nodes framed"), Qt.Key.Key_Space)
    assert state.filter.chosen is None
    driver.click("clearFilters")
    assert driver.chips == []
    assert driver.panel.filter_field.text() == ""
    assert not any(dimmed(driver))


def test_a_status_is_a_filter_of_every_view_but_the_usual_two(qtbot: QtBot, driver: ListDriver) -> None:
    scores = driver.bench.explore.state.scores
    driver.choose_status("fails")
    assert sorted(driver.nodes) == np.flatnonzero(~scores.satisfies).tolist()
    assert dimmed(driver) == scores.satisfies.tolist()
    assert driver.chips == ["fails"]
    driver.choose_status("minimal")
    assert sorted(driver.nodes) == np.flatnonzero(scores.minimal).tolist()
    assert dimmed(driver) == (~scores.minimal).tolist()
    driver.choose_status("all")
    assert len(driver.nodes) == 160
    assert not any(dimmed(driver))
    assert driver.chips == []
    driver.choose_status("fails")
    qtbot.mouseClick(driver.chip("fails"), LEFT)
    assert sorted(driver.nodes) == np.flatnonzero(scores.satisfies).tolist()


def test_chips_without_room_are_behind_a_button_with_their_number(qtbot: QtBot, driver: ListDriver) -> None:
    text = " and ".join(f"age != {i}.{'5' * 12}" for i in range(9))
    driver.panel.filter_field.setText(text)
    strip = driver.panel.strip
    n_shown = len(driver.chips)
    assert 0 < n_shown < 9
    assert strip._more.text() == f"{9 - n_shown} more"
    assert strip._more.isVisible()
    assert strip.clear.geometry().right() <= strip.width()


def test_filters_go_with_their_project(qtbot: QtBot, driver: ListDriver) -> None:
    session = driver.bench.session
    qtbot.keyClicks(driver.panel.filter_field, "age <= 2")
    driver.choose_status("minimal")
    assert driver.chips == ["minimal", "age ≤ 2"]
    driver.view.setFocus()
    session.open_project(session.project)
    qtbot.waitUntil(lambda: session.results.optimum is not None, timeout=20_000)
    driver.settle()
    assert driver.chips == []
    assert driver.panel.filter_field.text() == ""


def test_parts_are_written_as_a_user_would_type_them() -> None:
    typed = parse_filter(
        'age <= 2 and "zip code" = 1 and (loss < 1 or age > 3) and not loss is missing', NAMES
    )
    rest = "zip code = 1 and (loss < 1 or age > 3) and not (loss is missing)"
    assert typed_without(typed, 0, NAMES) == rest
    for place in range(4):
        again = parse_filter(typed_without(typed, place, NAMES), NAMES)
        assert len(again.conditions) == len(typed.conditions) - (2 if place == 2 else 1)
    needed = parse_filter('"a < b" = 1', NAMES).expression
    assert needed is not None
    assert plain_text(needed, NAMES) == '"a < b" = 1', "quotes stay where they are needed"


def test_runs_of_levels_are_joined() -> None:
    assert ranges([0, 2, 3, 4, 6, 7]) == "0, 2–4, 6, 7"


def test_patterns_of_levels_are_vectors_or_words(small_adult: Project) -> None:
    problem = compile_problem(small_adult)
    words, levels = LevelWords(problem), problem.lattice.levels
    found = level_pattern("[0, 1-2, *, 3]", problem, words).mask(levels)
    expected = (levels[:, 0] == 0) & np.isin(levels[:, 1], (1, 2)) & (levels[:, 3] == 3)
    np.testing.assert_array_equal(found, expected)
    assert (
        level_pattern("age: unchanged", problem, words).mask(levels).tolist() == (levels[:, 1] == 0).tolist()
    )
    hidden = level_pattern("hidden", problem, words).mask(levels)
    assert hidden.any()
    assert not hidden.all()
    with pytest.raises(InputError, match="6 levels given, 5 columns"):
        level_pattern("0 0 0 0 0 0", problem, words)
    with pytest.raises(InputError, match="No level"):
        level_pattern("purple", problem, words)


def test_a_chip_is_one_button_with_a_name(qtbot: QtBot, themed: object) -> None:
    chip = RemovableChip("loss ≤ 0.3", "typed")
    qtbot.addWidget(chip)
    assert "loss ≤ 0.3" in chip.accessibleName()
    assert chip.toolTip().endswith("typed")
    assert chip.sizeHint().height() >= 24
    for key in (Qt.Key.Key_Return, Qt.Key.Key_Backspace, Qt.Key.Key_Delete, Qt.Key.Key_Space):
        with qtbot.waitSignal(chip.removal_requested):
            qtbot.keyClick(chip, key)


def test_names_are_offered_while_a_filter_is_typed_and_taken_by_tab(qtbot: QtBot, driver: ListDriver) -> None:
    field = driver.panel.filter_field
    field.setFocus()
    qtbot.keyClicks(field, "suppr")
    assert field.offered() == ("suppressed",)
    qtbot.keyClick(field, Qt.Key.Key_Tab)
    assert field.text() == "suppressed "
    qtbot.keyClicks(field, "= 0 and ag")
    assert "age" in field.offered()
    for _ in " and ag":
        qtbot.keyClick(field, Qt.Key.Key_Backspace)
    assert driver.bench.explore.state.filter_text == field.text() == "suppressed = 0"
    assert driver.chips == ["suppressed = 0"]
