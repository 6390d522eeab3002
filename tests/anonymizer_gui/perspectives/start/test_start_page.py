"""Start page: what it shows of recent files, drags and openings, by keys alone, and its lattices."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QMimeData, QPoint, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel
from pytestqt.qtbot import QtBot

from anonymizer_gui.perspectives.explore.lattice.example import example_scores
from anonymizer_gui.perspectives.start.examples import EXAMPLES
from anonymizer_gui.perspectives.start.start_page import StartPage
from anonymizer_gui.session.preferences import RecentFacts, load_preferences
from anonymizer_gui.session.saving import FileState, LockedProjectFile, states_of
from anonymizer_gui.tasks import Task
from anonymizer_gui.widgets.fitted_dialog import Question
from anonymizer_gui.widgets.labels import TermLabel
from anonymizer_gui.widgets.level_glyph import LevelGlyph
from tests.example_lattices import PATH, lattice_of
from tests.window_driver import LONG, Driver, driven_window

FILES = [f"/data/{name}" for name in ("patients.anon", "survey.anon", "adult.csv", "old.csv")]
FACTS = {
    FILES[0]: RecentFacts("2026-11-29T18:40", 12408, 11, "applied", (2, 0), (4, 1)),
    FILES[1]: RecentFacts("2026-11-23T09:10", 1962, 8, "exported", (1, 3), (2, 3)),
    FILES[2]: RecentFacts("2026-11-12T09:10", 30162, 10, "stale", (0, 0), (2, 2)),
}


@pytest.fixture
def page(qtbot: QtBot, themed: QApplication) -> StartPage:
    made = StartPage()
    qtbot.addWidget(made)
    made.resize(1280, 720)
    made.show()
    return made


def test_examples_come_first_until_there_are_recent_files_of_which_three_are_cards(page: StartPage) -> None:
    recent = page._recent
    assert not recent.isVisible()
    page.show_recent(FILES, FACTS)
    assert recent.isVisible()
    assert page.all_button.isVisible()
    states = [card.state.text() for card in page._cards]
    assert states == ["applied, not exported", "exported, verified", "out of date"]
    glyphs = [card.findChild(LevelGlyph).glyph for card in page._cards]  # type: ignore[union-attr]
    assert [glyph.levels for glyph in glyphs] == [FACTS[name].levels for name in FILES[:3]]
    assert not [label for label in page.findChildren(TermLabel) if label.text()]  # none is explained here


def test_a_file_that_is_gone_can_be_located_and_one_open_elsewhere_says_so(
    page: StartPage, qtbot: QtBot, tmp_path: Path
) -> None:
    held, gone = tmp_path / "held.anon", tmp_path / "gone.csv"
    held.touch()
    owner = LockedProjectFile()
    owner.take(held)
    states = states_of((held, gone))
    assert states == {held: FileState(is_open=True), gone: FileState(is_gone=True)}
    owner.release()
    assert states_of((held,)) == {held: FileState()}
    page.show_recent((str(held), str(gone)), {})
    page.show_states(states)
    first, second = page._cards
    assert not second.open_button.isEnabled()
    assert second.state.text() == "not found"
    assert "opens as a copy" in [label.text() for label in first.findChildren(QLabel)]
    with qtbot.waitSignal(page.locate_requested) as asked:
        qtbot.mouseClick(second.locate_button, Qt.MouseButton.LeftButton)
    assert asked.args == [gone]


def test_enter_presses_every_button(page: StartPage, qtbot: QtBot) -> None:
    page.show_recent(FILES, FACTS)
    pressed: list[str] = []
    buttons = [button for button in page.findChildren(QAbstractButton) if button.isVisible()]
    assert len(buttons) > 12
    for button in buttons:
        button.clicked.connect(lambda _=False, b=button: pressed.append(b.objectName() or b.accessibleName()))
    page.forget_requested.connect(lambda _path: None)
    for button in buttons:
        button.setFocus()
        qtbot.keyClick(button, Qt.Key.Key_Return)
    assert pressed == [button.objectName() or button.accessibleName() for button in buttons]


def test_the_card_of_an_opening_file_has_its_progress_and_cancel(page: StartPage) -> None:
    page.show_recent(FILES, FACTS)
    card, task = page._cards[0], Task(lambda _monitor: None)
    card.open_button.click()
    page.follow(task)
    assert card.job.isVisible()
    task.progressed.emit(1, 2, "Reading")
    assert card.job.text.text() == "Reading"
    card.job._cancel.click()
    assert task.is_cancelled
    task.ended.emit()
    assert not card.job.isVisible()


@pytest.fixture
def driver(qtbot: QtBot, themed: QApplication) -> Iterator[Driver]:
    with driven_window(qtbot, themed) as made:
        yield made


def test_the_window_says_what_a_drop_opens_and_notes_what_was_done_to_a_file(
    driver: Driver, tmp_path: Path, examples: Path
) -> None:
    window, notice = driver.window, driver.wiring.start_page._drop
    for paths, said in (
        (["/data/patients.xlsx"], "Drop to open patients.xlsx"),
        (["/data/a.csv", "/data/b.csv"], "Drop to open 2 files as one table"),
        (["http://example.org/a.csv"], "Only files of this computer can be opened"),
    ):
        data = QMimeData()
        data.setUrls([QUrl(path) if "://" in path else QUrl.fromLocalFile(path) for path in paths])
        copy, none = Qt.DropAction.CopyAction, Qt.KeyboardModifier.NoModifier
        left = Qt.MouseButton.LeftButton
        QApplication.sendEvent(window, QDragEnterEvent(QPoint(9, 9), copy, data, left, none))
        assert (notice.isVisible(), notice.text) == (True, said)
        QApplication.sendEvent(window, QDragLeaveEvent())
        assert not notice.isVisible()
    for name in ("recipe.toml", "hospital.csv"):
        (tmp_path / name).write_bytes((examples / "hospital" / name).read_bytes())
    (tmp_path / "hierarchies").symlink_to(examples / "hospital" / "hierarchies")
    driver.drop(tmp_path / "recipe.toml")
    driver.wait(lambda: driver.session.project is not None)
    driver.wait_settled()
    driver.apply_by_keys()
    driver.wait_settled()
    driver.wait(lambda: driver.session.applied.release is not None, LONG)
    facts = driver.wiring.preferences.value.recent_facts
    (noted,) = (own for own in facts.values() if own.n_records == 13)
    assert (noted.state, noted.n_columns) == ("applied", 6)
    assert noted.levels == driver.session.applied.node
    driver.when_modal(Question, lambda box: driver.click(box.answers["discard"]))
    driver.trigger("File", "Close project")
    driver.wait(lambda: driver.session.project is None)
    assert driver.wiring.preferences.value.recent_facts == facts
    driver.wiring.preferences.save()
    assert load_preferences().recent_facts == facts


@pytest.mark.parametrize("key", ["hospital", "clinic", pytest.param("adult", marks=pytest.mark.thorough)])
def test_the_lattice_of_an_example_has_the_scores_of_its_recipe(key: str) -> None:
    assert key in {example.key for example in EXAMPLES}
    with np.load(PATH, allow_pickle=False) as stored:
        for name, values in lattice_of(key).items():
            assert np.allclose(stored[name], values), name
    assert example_scores(key).layout.n_nodes == len(example_scores(key).look.classes)
