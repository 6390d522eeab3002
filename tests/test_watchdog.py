"""The watchdog finds processor time spent in one event, with its place."""

from __future__ import annotations

import time
import weakref
from collections import Counter

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from anonymizer_gui.tasks.call_queue import CallQueue
from tests.watchdog import QT, Block, Watchdog

BOUND = 0.05


def work(seconds: float) -> None:
    """Use processor time of this thread."""
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


def run_calls(qtbot: QtBot, *calls: float) -> None:
    """Work in several iterations of the event loop."""
    queue = CallQueue()
    for seconds in calls:
        queue.ask(lambda seconds=seconds: work(seconds))
    qtbot.waitUntil(lambda: queue.is_idle)


def test_a_long_call_in_the_event_loop_is_found_with_its_action_and_place(
    qtbot: QtBot, qapp: QApplication
) -> None:
    with Watchdog(BOUND) as watchdog, watchdog.action("turn"):
        run_calls(qtbot, 2 * BOUND)
    (block,) = watchdog.blocks
    assert block.action == "turn"
    assert block.seconds >= 2 * BOUND
    assert "call_queue._make_first" in block.place


def test_the_complaint_names_every_block_with_its_place_longest_first(
    qtbot: QtBot, qapp: QApplication
) -> None:
    with Watchdog(BOUND) as watchdog:
        for name, seconds in (("turn", 2 * BOUND), ("press", 4 * BOUND)):
            with watchdog.action(name):
                run_calls(qtbot, seconds)
    first, second = watchdog.complaint().splitlines()
    assert " ms in press: " in first
    assert " ms in turn: " in second
    assert "tasks/call_queue._make_first" in first


def test_short_calls_in_separate_iterations_do_not_add_up(qtbot: QtBot, qapp: QApplication) -> None:
    with Watchdog(5 * BOUND) as watchdog, watchdog.action("turn"):
        run_calls(qtbot, *[BOUND] * 8)
    assert not watchdog.blocks
    assert watchdog.longest["turn"] >= BOUND


def test_time_that_the_thread_waits_does_not_count(qtbot: QtBot, qapp: QApplication) -> None:
    with Watchdog(BOUND) as watchdog, watchdog.action("turn"):
        QTimer.singleShot(0, lambda: time.sleep(2 * BOUND))
        qtbot.wait(1)
    assert not watchdog.blocks


def test_work_outside_an_action_and_outside_the_loop(qapp: QApplication) -> None:
    with Watchdog(BOUND) as watchdog:
        work(2 * BOUND)
        with watchdog.action("press"):
            work(2 * BOUND)
    (block,) = watchdog.blocks
    assert block.action == "press"
    assert block.place == QT


def test_the_place_is_the_innermost_call_with_most_of_the_time() -> None:
    places = Counter({("a", "b", "c"): 4, ("a", "b", "d"): 3, ("a", "e"): 2})
    assert Block("turn", 1.0, places).place == "a > b"


def test_a_gentle_watchdog_holds_no_frame_and_finds_the_place_too(qtbot: QtBot, qapp: QApplication) -> None:
    """A held frame keeps its variables, such as an active painter, after the call has ended."""

    class Kept:
        pass

    kept: list[weakref.ref[Kept]] = []

    def call() -> None:
        own = Kept()
        kept.append(weakref.ref(own))
        work(4 * BOUND)

    with Watchdog(3 * BOUND, is_gentle=True) as watchdog, watchdog.action("turn"):
        queue = CallQueue()
        for _unused in range(5):
            queue.ask(lambda: (call(), [ref() for ref in kept] == [None] * len(kept) or kept.clear()))
        qtbot.waitUntil(lambda: queue.is_idle)
    assert len(kept) == 5
    assert "test_watchdog.py.work" in watchdog.blocks[0].place
