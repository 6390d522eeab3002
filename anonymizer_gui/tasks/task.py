"""One function call that runs off the GUI thread and tells its end by signals."""

from __future__ import annotations

import inspect
import os
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from PySide6.QtCore import QObject, QRunnable, Qt, Signal

from engine.errors import CancelledError

SIGNALS_PER_SECOND = 30
INT_MAX = 2**31 - 1
NICE = 5  # of threads that run tasks; the window's is usually 0


class TaskMonitor:
    """The engine's monitor of one task: progress out, cancellation in; lives on the worker's thread."""

    def __init__(self, report: Callable[[int, int, str], None]) -> None:
        self._report = report
        self._stop = threading.Event()
        self._next_report = 0.0

    def cancel(self) -> None:
        """Let the next step raise `CancelledError`."""
        self._stop.set()

    @property
    def is_cancelled(self) -> bool:
        return self._stop.is_set()

    def step(self, done: int, total: int, text: str = "") -> None:
        """Report at most 30 times a second, the end always; raises when the task was cancelled."""
        if self._stop.is_set():
            raise CancelledError
        now = time.monotonic()
        if now >= self._next_report or done >= total:
            self._next_report = now + 1 / SIGNALS_PER_SECOND
            while total > INT_MAX:  # Qt's int has 32 bits; only the ratio matters
                done, total = done >> 1, total >> 1
            self._report(int(done), int(total), text)


class Task(QObject):
    """A call made once on a worker thread; every signal arrives on the GUI thread.

    Exactly one of `succeeded`, `failed` and `cancelled` ends a task that was started; after
    `cancel()` it is `cancelled`, whatever the function still returns.
    """

    progressed = Signal(int, int, str)
    succeeded = Signal(object)
    failed = Signal(object)
    cancelled = Signal()
    ended = Signal()
    _reported = Signal(int, int, str)
    _returned = Signal()

    def __init__(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> None:
        super().__init__()
        self.label = ""
        self.key: object = None
        self.started_at = 0.0
        self._monitor = TaskMonitor(self._reported.emit)
        self._call: Callable[[], Any] | None = lambda: function(*args, **kwargs)
        if "monitor" not in kwargs and _accepts_monitor(function):
            self._call = lambda: function(*args, monitor=self._monitor, **kwargs)
        self._result: Any = None
        self._error: Exception | None = None
        self._has_begun = False
        self._has_ended = False
        self.runnable = _Runnable(self)
        queued = Qt.ConnectionType.QueuedConnection
        self._reported.connect(self._on_reported, queued)
        self._returned.connect(self._on_returned, queued)

    @property
    def is_cancelled(self) -> bool:
        """Whether it was asked to stop."""
        return self._monitor.is_cancelled

    @property
    def has_begun(self) -> bool:
        """Whether a thread took it; until then it waits for one."""
        return self._has_begun

    @property
    def has_ended(self) -> bool:
        """Whether its last signal was sent."""
        return self._has_ended

    def cancel(self) -> None:
        """Ask the function to stop at its next step."""
        self._monitor.cancel()

    def work(self) -> None:
        """Make the call; the worker thread comes here."""
        self._has_begun = True
        try:
            if not self.is_cancelled and self._call is not None:
                self._result = self._call()
        except CancelledError:
            self._monitor.cancel()
        except Exception as error:
            self._error = error
        self._call = None  # the arguments may be large; nothing needs them any more
        with suppress(RuntimeError):  # the application may have ended meanwhile
            self._returned.emit()

    def _on_reported(self, done: int, total: int, text: str) -> None:
        if not self.is_cancelled and not self._has_ended:
            self.progressed.emit(done, total, text)

    def _on_returned(self) -> None:
        result, self._result = self._result, None
        self._has_ended = True
        try:
            if self.is_cancelled:
                self.cancelled.emit()
            elif self._error is not None:
                self.failed.emit(self._error)
            else:
                self.succeeded.emit(result)
        finally:
            self.ended.emit()


class _Runnable(QRunnable):
    """What the thread pool holds; the task keeps it alive."""

    def __init__(self, task: Task) -> None:
        super().__init__()
        self.setAutoDelete(False)
        self._task = task

    def run(self) -> None:
        _step_back()
        self._task.work()


def _step_back() -> None:
    """Let the window's thread go first; threads started from this one do the same.

    Linux gives all threads of a process the same priority, whatever Qt asks for, but each its own nice
    value.
    """
    if sys.platform.startswith("linux"):
        thread = threading.get_native_id()
        if os.getpriority(os.PRIO_PROCESS, thread) < NICE:
            os.setpriority(os.PRIO_PROCESS, thread, NICE)


def _accepts_monitor(function: Callable[..., Any]) -> bool:
    try:
        return "monitor" in inspect.signature(function).parameters
    except (TypeError, ValueError):
        return False
