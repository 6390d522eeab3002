"""A node is found by its typed vector; invalid input is explained in place."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from anonymizer_gui.perspectives.explore.lattice.presenter import read_vector
from engine.errors import InputError
from engine.frequency import Problem
from engine.lattice import Lattice
from tests.anonymizer_gui.perspectives.explore.conftest import Bench


def problem(minimum: tuple[int, ...], maximum: tuple[int, ...]) -> Problem:
    names = ("sex", "age", "race", "education")[: len(maximum)]
    return cast(Problem, SimpleNamespace(names=names, lattice=Lattice(minimum, maximum)))


FOUR = problem((0, 0, 0, 1), (1, 4, 1, 3))
TALL = problem((0, 0), (1, 12))


@pytest.mark.parametrize(
    "text", ["0 3 1 2", "[0, 3, 1, 2]", "0312", " 0,3;1 2 ", "(0, 3, 1, 2)", "00 03 1 2"]
)
def test_a_vector_is_read_as_people_write_it(text: str) -> None:
    assert read_vector(text, FOUR) == (0, 3, 1, 2)


def test_levels_of_two_digits_are_read_apart() -> None:
    assert read_vector("1 12", TALL) == (1, 12)
    assert read_vector("12", problem((0,), (12,))) == (12,)
    with pytest.raises(InputError, match="two digits"):
        read_vector("12", TALL)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("0 3 1", "3 levels given; a node has 4, one for each of sex, age, race, education."),
        ("0", "1 level given; a node has 4"),
        ("03121", "5 levels given; a node has 4"),
        ("0 x 1 2", "'x' is not a level."),
        ("0 -3 1 2", "'-3' is not a level."),
        ("0 5 1 2", "age has levels 0 to 4 here, not 5."),
        ("0 3 1 0", "education has levels 1 to 3 here, not 0."),
        ("0 3 1 99999999999999999999", "is not a level."),
        (",", "0 levels given"),
    ],
)
def test_an_invalid_vector_is_explained(text: str, said: str) -> None:
    with pytest.raises(InputError) as caught:
        read_vector(text, FOUR)
    assert said in caught.value.problem


def test_the_only_level_of_a_bounded_attribute_is_named() -> None:
    with pytest.raises(InputError, match="sex has only level 1 here, not 0"):
        read_vector("0 3", problem((1, 0), (1, 4)))


def test_by_keys_a_node_is_found_selected_and_brought_into_the_middle(qtbot: QtBot, bench: Bench) -> None:
    lattice = bench.explore.view.lattice
    bench.explore.view.activateWindow()
    lattice.view.setFocus()
    for _ in range(12):
        qtbot.keyClick(lattice.view, Qt.Key.Key_Plus)
        if lattice.view.zoom_stop != "fit":
            break
    qtbot.keyClick(bench.explore.view, Qt.Key.Key_L, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lattice.find_field.hasFocus)
    qtbot.keyClicks(lattice.find_field, "1 4 1 3 1")
    qtbot.keyClick(lattice.find_field, Qt.Key.Key_Return)
    assert bench.session.selection.node == (1, 4, 1, 3, 1)
    assert lattice.find_field.hasFocus()  # where the next Enter searches and does not apply
    number = bench.explore.state.problem.lattice.number((1, 4, 1, 3, 1))  # type: ignore[union-attr]
    middle, place = lattice.view.rect().center(), lattice.view.node_rect(number).center()
    assert abs(place.x() - middle.x()) <= 40


def test_wrong_input_is_explained_below_the_field_until_it_changes(qtbot: QtBot, bench: Bench) -> None:
    lattice, before = bench.explore.view.lattice, bench.session.selection.node
    qtbot.mouseClick(lattice.find_field, Qt.MouseButton.LeftButton)
    qtbot.keyClicks(lattice.find_field, "9 9")
    qtbot.keyClick(lattice.find_field, Qt.Key.Key_Return)
    assert "2 levels given; a node has 5" in lattice.find_field.problem.text()
    assert lattice.find_field.accessibleDescription() == lattice.find_field.problem.text()
    said = next(label for label in lattice.children() if label.objectName() == "findProblem")
    assert said.isVisible()  # type: ignore[attr-defined]
    assert bench.session.selection.node == before
    qtbot.keyClicks(lattice.find_field, "1")
    assert not said.isVisible()  # type: ignore[attr-defined]
    qtbot.keyClick(lattice.find_field, Qt.Key.Key_Escape)
    assert not lattice.find_field.text()
    assert lattice.view.hasFocus()


def find(qtbot: QtBot, bench: Bench, text: str) -> None:
    field = bench.explore.view.lattice.find_field
    qtbot.mouseClick(field, Qt.MouseButton.LeftButton)
    field.selectAll()
    qtbot.keyClicks(field, text)
    qtbot.keyClick(field, Qt.Key.Key_Return)


def test_words_find_the_best_node_that_has_these_levels(qtbot: QtBot, bench: Bench) -> None:
    state = bench.explore.state
    age, school = (state.problem.names.index(name) for name in ("age", "education"))  # type: ignore[union-attr]
    wanted = next(level for level in range(5) if "20" in state.words.level(age, level))
    hidden = next(level for level in range(4) if state.words.level(school, level) == "hidden")
    both = {age: wanted, school: hidden}
    for text, levels in (("age 20", {age: wanted}), ("AGE 20-year, education hidden", both)):
        find(qtbot, bench, text)
        node = bench.session.selection.node
        assert all(node[q] == level for q, level in levels.items())
        number = state.nodes.find(node)
        matching = [
            n for n in range(state.nodes.n_nodes)
            if all(state.nodes.node(n)[q] == level for q, level in levels.items())
        ]  # fmt: skip
        ranks = [rank for n in matching if (rank := int(state.scores.ranks[n])) > 0]
        assert int(state.scores.ranks[number]) == min(ranks)


def test_words_that_no_level_has_are_refused(qtbot: QtBot, bench: Bench) -> None:
    field = bench.explore.view.lattice.find_field
    before = bench.session.selection.node
    find(qtbot, bench, "age 77")
    assert bench.session.selection.node == before
    assert "No level is called “age 77”." in field.problem.text()
