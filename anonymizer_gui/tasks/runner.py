"""Worker threads: starts tasks, replaces tasks with the same key, and ends all at shutdown."""

from __future__ import annotations

import gc
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

from PySide6.QtCore import QObject, Qt, QThread, QThreadPool, QTimer, Signal

from anonymizer_gui.tasks.task import Job, Task, step_back
from engine.errors import AnonymizerError
from engine.processes import give_memory_back

MAX_THREADS = 4
LARGE, FEW_THREADS = 3_000_000, 2  # number of records above which fewer tasks run at once, and their number
SHUTDOWN_MILLISECONDS = 10_000
WATCH_MILLISECONDS = 1_000
RETRY_SECONDS = 0.1
SWITCH_SECONDS = 0.0005  # a tenth of Python's default, so that Python code in workers delays the window less


class TaskRunner(QObject):
    """Runs tasks and keeps each alive until its last signal was handled.

    Without memory, Qt loses tasks whose thread cannot be started, and their receivers would wait forever.
    Therefore all threads are started at once and kept, and a lost task fails.
    """

    task_started = Signal(object)
    task_ended = Signal(object)
    error_raised = Signal(object)  # exception that no part of the window shows at its place
    _reported = Signal(object, int, int, str)  # Job, done, total, current step
    _returned = Signal(object)  # Job

    def __init__(self, parent: QObject | None = None, n_threads: int = MAX_THREADS) -> None:
        super().__init__(parent)
        self._pool = QThreadPool(self)
        # More threads than cores minus one: a cancelled job may still be running, and scoring one node must
        # not wait for the lattice. Low priority leaves time for the window; without thread priorities, tasks
        # lower their nice value.
        self._n_threads = n_threads
        self._pool.setMaxThreadCount(n_threads)
        self._pool.setExpiryTimeout(-1)
        self._pool.setThreadPriority(QThread.Priority.LowPriority)
        self._make_threads()
        self._watch = QTimer(self, interval=WATCH_MILLISECONDS)
        self._watch.timeout.connect(self._end_forgotten)
        self._n_idle = 0  # consecutive checks without an active thread
        self._pulse = Pulse(self)
        self._tasks: list[Task] = []
        self._is_shut_down = self._is_limited = False
        queued = Qt.ConnectionType.QueuedConnection
        self._reported.connect(self._on_reported, queued)
        self._returned.connect(self._on_returned, queued)
        # Every Qt call releases the interpreter lock; this limits how long the window waits to get it back.
        sys.setswitchinterval(SWITCH_SECONDS)

    @property
    def tasks(self) -> tuple[Task, ...]:
        """Running tasks, oldest first, including cancelled ones until they have ended."""
        return tuple(self._tasks)

    @property
    def is_busy(self) -> bool:
        return bool(self._tasks)

    def running(self, key: object) -> Task | None:
        """Return the running task with this key, unless cancelled; a task that emits its result has ended."""
        for task in self._tasks:
            if task.key == key and not (task.is_cancelled or task.has_ended):
                return task
        return None

    def is_running(self, beginning: str) -> bool:
        """Return whether a task runs whose key, or its first part, has this beginning; see `running`."""
        tasks = (task for task in self._tasks if not (task.is_cancelled or task.has_ended))
        keys = (task.key[0] if isinstance(task.key, tuple) else task.key for task in tasks)
        return any(str(key).startswith(beginning) for key in keys)

    def start(self, task: Task, label: str = "", key: object = None) -> Task:
        """Start a task; it replaces a running task with the same key.

        A task with a label is shown to the user with progress and Cancel; others are hidden.
        """
        if key is not None:
            self.cancel(key)
        task.label, task.key, task.started_at = label, key, time.monotonic()
        if self._is_shut_down:
            return task
        self._tasks.append(task)
        task.ended.connect(self._on_ended)
        self.task_started.emit(task)
        self._watch.start()
        self._pulse.start()
        task.job.monitor.pause = self._pulse.yield_to_window
        after = give_memory_back if self._is_limited else None
        self._pool.start(partial(_work, task.job, self._reported.emit, self._returned.emit, after))
        return task

    def run(
        self,
        function: Callable[..., Any],
        *args: Any,
        then: Callable[[Any], object],
        otherwise: Callable[[AnonymizerError], object] | None = None,
        key: object = None,
        label: str = "",
        **named: Any,
    ) -> Task:
        """Start a call; `otherwise` receives errors for the user, by default `error_raised` does.

        Other errors are raised in the window.
        """

        def fail(error: Exception) -> None:
            if otherwise is None:
                self.error_raised.emit(error)
            elif isinstance(error, AnonymizerError):
                otherwise(error)
            else:
                raise error

        task = Task(function, *args, **named)
        task.succeeded.connect(then)
        task.failed.connect(fail)
        return self.start(task, label, key)

    def _make_threads(self) -> None:
        """Start every thread with an empty call, all at once."""
        are_made = threading.Event()
        for _ in range(self._pool.maxThreadCount()):
            self._pool.start(are_made.wait)
        are_made.set()

    def _end_forgotten(self) -> None:
        """End tasks that no thread runs; two checks, as a thread may be about to report its end."""
        self._n_idle = 0 if self._pool.activeThreadCount() else self._n_idle + 1
        if self._n_idle > 1:
            for task in self.tasks:
                if not task.has_ended:  # else its result is being handled, as long as a dialog asks about it
                    task.job.give_up()
                    task.finish()
        if not self._tasks:
            self._watch.stop()

    def limit_tasks(self, n_records: int) -> None:
        """Run fewer tasks at once for a large table, because each may hold arrays of its length."""
        self._is_limited = n_records >= LARGE
        self._pool.setMaxThreadCount(
            min(FEW_THREADS, self._n_threads) if self._is_limited else self._n_threads
        )

    def cancel(self, key: object) -> None:
        """Cancel the running task with a key."""
        for task in self._tasks:
            if task.key == key:
                task.cancel()

    def cancel_all(self, beginning: str = "") -> None:
        """Cancel all tasks, or those whose key is a text with this beginning."""
        for task in self._tasks:
            if not beginning or str(task.key).startswith(beginning):
                task.cancel()

    def shutdown(self) -> None:
        """Cancel all tasks and wait for the threads; later tasks do not start."""
        self._is_shut_down = True
        self._pulse.stop()
        self.cancel_all()
        # A queued task is not removed: once cancelled it ends immediately with its signal.
        self._pool.waitForDone(SHUTDOWN_MILLISECONDS)

    def _task_of(self, job: Job) -> Task | None:
        return next((task for task in self._tasks if task.job is job), None)

    def _on_reported(self, job: Job, done: int, total: int, text: str) -> None:
        if (task := self._task_of(job)) is not None:
            task.show_progress(done, total, text)

    def _on_returned(self, job: Job) -> None:
        if (task := self._task_of(job)) is not None:
            task.finish()

    def _on_ended(self) -> None:
        task = self.sender()
        if isinstance(task, Task) and task in self._tasks:
            self._tasks.remove(task)
            self.task_ended.emit(task)
            if not self._tasks:
                self._pulse.stop()


def _work(
    job: Job,
    report: Callable[[Job, int, int, str], None],
    hand_over: Callable[[Job], None],
    after: Callable[[], None] | None,
) -> None:
    """Run a job on the current thread, then the job after it."""
    with suppress(MemoryError):
        step_back()
    with suppress(RuntimeError):  # the window may have been deleted
        job.run(partial(report, job))
        if after is not None:
            after()
        while True:
            try:
                hand_over(job)
                return
            except MemoryError:  # the window waits for this signal, so retry until there is memory
                time.sleep(RETRY_SECONDS)


BEAT_MILLISECONDS = 15
LATE_SECONDS = 0.04  # since the last beat; a longer delay is noticeable
STEP_BACK_SECONDS = 0.003


class Pulse(QObject):
    """Timer that beats in the GUI thread while workers run, so that they can detect its delay.

    All threads share one interpreter lock. A worker releases it many times per second, but the window must
    wait for it each time: an event with some hundred Qt calls takes twice as long next to a worker.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._last: float | None = None
        self._timer = QTimer(self, interval=BEAT_MILLISECONDS)
        self._timer.timeout.connect(self._beat)

    def start(self) -> None:
        """Start the timer."""
        if not self._timer.isActive():
            self._beat()
            self._timer.start()

    def stop(self) -> None:
        """Stop the timer; workers no longer pause."""
        self._timer.stop()
        self._last = None

    def yield_to_window(self) -> None:
        """Pause a worker thread for a moment if the GUI thread is late."""
        last = self._last
        if last is not None and time.monotonic() - last > LATE_SECONDS:
            time.sleep(STEP_BACK_SECONDS)

    def _beat(self) -> None:
        self._last = time.monotonic()


LOOK_MILLISECONDS = 250


class GuiThreadCollector(QObject):
    """Collects between events of its thread, while Python's automatic collection is off.

    Python collects in whichever thread allocates the object that reaches the threshold. A worker would then
    delete cycles of widgets and models, and Qt may crash.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        gc.disable()
        self.set_aside()
        self._timer = QTimer(self, interval=LOOK_MILLISECONDS)
        self._timer.timeout.connect(collect_what_is_due)
        self._timer.start()

    def set_aside(self) -> None:
        """Exclude existing objects from collection: modules and the window, which stay until the end.

        A collection of the remaining objects takes milliseconds.
        """
        gc.freeze()

    def end(self) -> None:
        """Turn Python's automatic collection on again."""
        self._timer.stop()
        gc.enable()


def collect_what_is_due() -> None:
    """Collect the oldest generation above its threshold, as Python would."""
    counts, thresholds = gc.get_count(), gc.get_threshold()
    for generation in (2, 1, 0):
        if counts[generation] > thresholds[generation]:
            gc.collect(generation)
            return
