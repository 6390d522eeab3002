"""Queued calls: order, uniqueness, and events in between."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import QTimer
from pytestqt.qtbot import QtBot

from anonymizer_gui.tasks.call_queue import CallQueue


@pytest.fixture
def made() -> list[str]:
    return []


def call(made: list[str], name: str) -> Callable[[], None]:
    return lambda: made.append(name)


def test_calls_are_made_in_order_with_events_in_between(qtbot: QtBot, made: list[str]) -> None:
    queue = CallQueue()
    timer = QTimer(interval=0)
    timer.timeout.connect(call(made, "-"))
    timer.start()
    for name in "abc":
        queue.ask(call(made, name))
    assert made == []
    assert not queue.is_idle
    qtbot.waitUntil(lambda: queue.is_idle)
    timer.stop()
    assert [name for name in made if name != "-"] == ["a", "b", "c"]
    assert "-" in made[made.index("a") : made.index("c")]


def test_a_call_queued_twice_is_made_once_at_its_first_position(qtbot: QtBot, made: list[str]) -> None:
    queue = CallQueue()
    first, second = call(made, "a"), call(made, "b")
    for wish in (first, second, first):
        queue.ask(wish)
    queue.catch_up()
    assert made == ["a", "b"]
    queue.ask(first)
    qtbot.waitUntil(lambda: queue.is_idle)
    assert made == ["a", "b", "a"]


def test_a_call_that_queues_itself_waits_for_the_others(qtbot: QtBot, made: list[str]) -> None:
    queue = CallQueue()

    def again() -> None:
        made.append("a")
        if made.count("a") < 2:
            queue.ask(again)

    queue.ask(again)
    queue.ask(call(made, "b"))
    qtbot.waitUntil(lambda: queue.is_idle)
    assert made == ["a", "b", "a"]


def test_calls_of_an_iterator_are_requested_one_by_one(qtbot: QtBot, made: list[str]) -> None:
    def calls() -> Iterator[Callable[[], object]]:
        for name in "ab":
            yield call(made, name)
            made.append(f"after {name}")

    queue = CallQueue()
    queue.ask_each(calls())
    queue.ask(call(made, "c"))
    assert made == []
    qtbot.waitUntil(lambda: queue.is_idle)
    assert made == ["a", "c", "after a", "b", "after b"]


def test_removed_calls_are_not_made(qtbot: QtBot, made: list[str]) -> None:
    queue = CallQueue()
    queue.ask(call(made, "a"))
    queue.forget()
    assert queue.is_idle
    qtbot.wait(20)  # nothing may happen during this time
    assert made == []


def test_there_is_a_pause_between_calls_but_not_before_the_first(qtbot: QtBot, made: list[str]) -> None:
    queue = CallQueue(pause=10_000)
    queue.ask(call(made, "a"))
    queue.ask(call(made, "b"))
    qtbot.waitUntil(lambda: made == ["a"])
    queue.ask(call(made, "a"))
    assert not queue.is_idle
    queue.catch_up()
    assert made == ["a", "b", "a"]
