"""Queued calls: order, uniqueness, and events in between."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import QTimer
from pytestqt.qtbot import QtBot

from anonymizer_gui.tasks.turns import Turns


@pytest.fixture
def made() -> list[str]:
    return []


def call(made: list[str], name: str) -> Callable[[], None]:
    return lambda: made.append(name)


def test_calls_are_made_in_order_with_events_in_between(qtbot: QtBot, made: list[str]) -> None:
    turns = Turns()
    timer = QTimer(interval=0)
    timer.timeout.connect(call(made, "-"))
    timer.start()
    for name in "abc":
        turns.ask(call(made, name))
    assert made == []
    assert not turns.is_idle
    qtbot.waitUntil(lambda: turns.is_idle)
    timer.stop()
    assert [name for name in made if name != "-"] == ["a", "b", "c"]
    assert "-" in made[made.index("a") : made.index("c")]


def test_a_call_queued_twice_is_made_once_at_its_first_position(qtbot: QtBot, made: list[str]) -> None:
    turns = Turns()
    first, second = call(made, "a"), call(made, "b")
    for wish in (first, second, first):
        turns.ask(wish)
    turns.catch_up()
    assert made == ["a", "b"]
    turns.ask(first)
    qtbot.waitUntil(lambda: turns.is_idle)
    assert made == ["a", "b", "a"]


def test_a_call_that_queues_itself_waits_for_the_others(qtbot: QtBot, made: list[str]) -> None:
    turns = Turns()

    def again() -> None:
        made.append("a")
        if made.count("a") < 2:
            turns.ask(again)

    turns.ask(again)
    turns.ask(call(made, "b"))
    qtbot.waitUntil(lambda: turns.is_idle)
    assert made == ["a", "b", "a"]


def test_removed_calls_are_not_made(qtbot: QtBot, made: list[str]) -> None:
    turns = Turns()
    turns.ask(call(made, "a"))
    turns.forget()
    assert turns.is_idle
    qtbot.wait(20)  # nothing may happen during this time
    assert made == []


def test_there_is_a_pause_between_calls_but_not_before_the_first(qtbot: QtBot, made: list[str]) -> None:
    turns = Turns(pause=10_000)
    turns.ask(call(made, "a"))
    turns.ask(call(made, "b"))
    qtbot.waitUntil(lambda: made == ["a"])
    turns.ask(call(made, "a"))
    assert not turns.is_idle
    turns.catch_up()
    assert made == ["a", "b", "a"]
