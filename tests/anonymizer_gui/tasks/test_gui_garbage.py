"""Garbage is collected on the GUI thread only, at the thresholds of Python."""

from __future__ import annotations

import gc
import threading
import weakref
from collections.abc import Iterator

import pytest
from pytestqt.qtbot import QtBot

from anonymizer_gui.tasks import GuiThreadCollector, Task, TaskRunner


class Cycle:
    """Object that only a collection frees."""

    def __init__(self) -> None:
        self.itself = self


@pytest.fixture
def keeper(qtbot: QtBot) -> Iterator[GuiThreadCollector]:
    was_collecting = gc.isenabled()
    made = GuiThreadCollector()
    yield made
    made.end()
    assert gc.isenabled()
    if not was_collecting:
        gc.disable()


def leave_garbage(threads: list[int]) -> None:
    weakref.finalize(Cycle(), lambda: threads.append(threading.get_ident()))
    keep = [Cycle() for _ in range(gc.get_threshold()[0] + 1)]
    assert keep


def test_a_task_leaves_its_garbage_to_the_window(qtbot: QtBot, keeper: GuiThreadCollector) -> None:
    threads: list[int] = []
    runner = TaskRunner()
    task = Task(leave_garbage, threads)
    with qtbot.waitSignal(task.ended):
        runner.start(task)
    qtbot.waitUntil(lambda: bool(threads))
    assert threads == [threading.get_ident()]
    runner.shutdown()


def test_excluded_objects_are_not_collected(qtbot: QtBot, keeper: GuiThreadCollector) -> None:
    cycle = Cycle()
    gone = weakref.ref(cycle)
    keeper.set_aside()
    del cycle
    gc.collect()
    assert gone() is not None
    gc.unfreeze()
    gc.collect()
    assert gone() is None
    gc.freeze()
