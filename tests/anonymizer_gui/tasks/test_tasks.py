"""Tasks: start, failure, cancellation and replacement."""

from __future__ import annotations

import threading
import time
import weakref
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QEventLoop, QThread, QTimer
from pytestqt.qtbot import QtBot

from anonymizer_gui.jobs_presenter import name_of
from anonymizer_gui.tasks import Task, TaskRunner
from anonymizer_gui.tasks.runner import WATCH_MILLISECONDS
from engine.errors import InputError
from engine.monitor import SILENT, Monitor


@pytest.fixture
def runner(qtbot: QtBot) -> Iterator[TaskRunner]:
    made = TaskRunner()
    yield made
    made.shutdown()


def endless(monitor: Monitor = SILENT) -> str:
    done = 0
    while True:
        threading.Event().wait(0.002)
        done += 1
        monitor.step(done, 10**12, "turning")


def test_a_result_arrives_on_the_gui_thread(qtbot: QtBot, runner: TaskRunner) -> None:
    threads = []
    task = Task(QThread.currentThread)
    task.succeeded.connect(lambda worker: threads.extend([worker, QThread.currentThread()]))
    with qtbot.waitSignal(task.ended):
        runner.start(task)
    assert threads[0] is not threads[1]
    assert threads[1] is task.thread()


def test_a_failed_task_emits_the_error_only(qtbot: QtBot, runner: TaskRunner) -> None:
    def fail() -> None:
        raise InputError("It is not there.", hint="Look elsewhere.")

    task, answers = Task(fail), []
    task.succeeded.connect(lambda _: answers.append("succeeded"))
    task.cancelled.connect(lambda: answers.append("cancelled"))
    task.failed.connect(answers.append)
    with qtbot.waitSignal(task.ended):
        runner.start(task)
    assert len(answers) == 1
    assert answers[0].hint == "Look elsewhere."


def test_a_cancelled_task_ends_without_a_result(qtbot: QtBot, runner: TaskRunner) -> None:
    task, results = Task(endless), []
    task.succeeded.connect(results.append)
    task.failed.connect(results.append)
    runner.start(task)
    with qtbot.waitSignal(task.progressed):
        pass
    with qtbot.waitSignal(task.cancelled, timeout=500):
        task.cancel()
    assert results == []


def test_progress_comes_at_most_thirty_times_a_second(qtbot: QtBot, runner: TaskRunner) -> None:
    def count(monitor: Monitor = SILENT) -> None:
        for done in range(20_000):
            monitor.step(done, 10**6)

    task, seen = Task(count), []
    task.progressed.connect(lambda done, total, text: seen.append(done))
    with qtbot.waitSignal(task.ended):
        runner.start(task)
    assert 1 <= len(seen) <= 30


def test_a_total_beyond_32_bits_keeps_its_ratio(qtbot: QtBot, runner: TaskRunner) -> None:
    def report(monitor: Monitor = SILENT) -> None:
        monitor.step(10**12, 4 * 10**12)

    task, seen = Task(report), []
    task.progressed.connect(lambda done, total, text: seen.append(done / total))
    with qtbot.waitSignal(task.ended):
        runner.start(task)
    assert seen == [pytest.approx(0.25, rel=1e-6)]


def test_a_newer_task_of_the_same_key_replaces_the_older(qtbot: QtBot, runner: TaskRunner) -> None:
    old, new, results = Task(endless), Task(lambda: "new"), []
    old.succeeded.connect(results.append)
    new.succeeded.connect(results.append)
    runner.start(old, key="look")
    with qtbot.waitSignals([old.cancelled, new.succeeded]):
        runner.start(new, key="look")
    assert results == ["new"]


def test_tasks_of_different_keys_are_independent(qtbot: QtBot, runner: TaskRunner) -> None:
    long, short = Task(endless), Task(lambda: "short")
    runner.start(long, key="long")
    with qtbot.waitSignal(short.succeeded):
        runner.start(short, key="short")
    assert runner.running("long") is long


def test_the_receiver_of_a_result_may_start_the_next_task_of_its_key(
    qtbot: QtBot, runner: TaskRunner
) -> None:
    running: list[Task | None] = []
    task = Task(lambda: None)
    task.succeeded.connect(lambda _result: running.append(runner.running("key")))
    with qtbot.waitSignal(runner.task_ended):
        runner.start(task, key="key")
    assert running == [None]


def test_shutdown_ends_running_tasks_and_starts_no_more(qtbot: QtBot) -> None:
    runner, results = TaskRunner(), []
    runner.start(Task(endless))
    runner.shutdown()
    late = Task(lambda: "late")
    late.succeeded.connect(results.append)
    runner.start(late)
    qtbot.wait(50)  # nothing may happen during this time
    assert results == []


def test_shutdown_ends_tasks_that_wait_for_a_thread(qtbot: QtBot) -> None:
    runner = TaskRunner()
    tasks = [Task(endless) for _ in range(12)]  # more than the number of threads
    for task in tasks:
        runner.start(task)
    runner.shutdown()
    qtbot.waitUntil(lambda: not runner.is_busy)
    assert all(task.has_ended and task.is_cancelled for task in tasks)


class Scores:
    """Large object held by a slot."""


def test_a_finished_task_is_freed_with_everything_its_slots_hold(qtbot: QtBot, runner: TaskRunner) -> None:
    def begin() -> list[weakref.ref[object]]:
        scores = Scores()
        task = Task(lambda: scores)
        task.succeeded.connect(lambda _: scores)
        runner.start(task)
        return [weakref.ref(task), weakref.ref(task.job), weakref.ref(scores)]

    left = [ref for _ in range(20) for ref in begin()]
    qtbot.waitUntil(lambda: not runner.is_busy)
    qtbot.waitUntil(lambda: not any(ref() for ref in left))


def test_a_reported_error_holds_no_references(qtbot: QtBot, runner: TaskRunner) -> None:
    told, left = [], []

    def fail() -> None:
        scores = Scores()
        left.append(weakref.ref(scores))
        raise InputError("It is not there.")

    task = Task(fail)
    task.failed.connect(lambda error: told.append(str(error)))
    with qtbot.waitSignal(task.ended):
        runner.start(task)
    assert told
    qtbot.waitUntil(lambda: left[0]() is None)


def test_a_worker_pauses_for_a_late_window(qtbot: QtBot, runner: TaskRunner) -> None:
    n_steps = 0

    def count(monitor: Monitor = SILENT) -> None:
        nonlocal n_steps
        while True:
            monitor.step(n_steps, 10**12, "counting")
            n_steps += 1

    task = Task(count)
    runner.start(task)
    qtbot.waitUntil(lambda: n_steps > 1_000)
    busy_until = time.monotonic() + 0.1
    while time.monotonic() < busy_until:
        pass
    before = n_steps
    busy_until = time.monotonic() + 0.3
    while time.monotonic() < busy_until:  # a long event, such as the first drawing of a page
        pass
    assert n_steps - before < 500
    with qtbot.waitSignal(task.ended):
        qtbot.waitUntil(lambda: n_steps > before + 1_000)
        task.cancel()


def test_a_result_is_emitted_once_although_its_slot_processes_events(
    qtbot: QtBot, runner: TaskRunner
) -> None:
    taken: list[int | None] = []

    def take(result: int) -> None:
        taken.append(result)
        loop = QEventLoop()  # as a dialog has one
        QTimer.singleShot(3 * WATCH_MILLISECONDS, loop.quit)
        loop.exec()

    task = Task(lambda: 1)
    task.succeeded.connect(take)
    runner.start(task)
    qtbot.waitUntil(lambda: not runner.is_busy)
    assert taken == [1]


@pytest.mark.parametrize("key", ["consequence.suggested", "consequence.next", "consequence.form"])
def test_a_slow_preview_of_settings_says_what_it_does(key: str) -> None:
    task = Task(int)
    task.key = key
    assert name_of(task) not in ("", "Working")


def test_a_result_is_not_cancelled_while_it_is_received(qtbot: QtBot, runner: TaskRunner) -> None:
    """A result may keep its monitor for later steps, as an evaluation does."""
    results = []

    def compute(monitor: Monitor = SILENT) -> Monitor:
        return monitor

    def receive(monitor: Monitor) -> None:
        runner.cancel("evaluate")  # by the receiver of a result that asks for the next one
        results.append(monitor)

    task = Task(compute)
    task.succeeded.connect(receive)
    with qtbot.waitSignal(task.ended):
        runner.start(task, key="evaluate")
    results[0].step(0, 1)
