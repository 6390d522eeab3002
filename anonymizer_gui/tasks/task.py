"""Function call that runs off the GUI thread and signals its end."""

from __future__ import annotations

import inspect
import os
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, Signal

from engine.errors import CancelledError

SIGNALS_PER_SECOND = 30
INT_MAX = 2**31 - 1
NICE = 5  # nice value of threads that run tasks; that of the window is usually 0

Report = Callable[[int, int, str], None]  # done, total, current step


class TaskMonitor:
    """Monitor of one job for the engine: reports progress and cancels; used on the worker thread."""

    def __init__(self) -> None:
        self.report: Report | None = None  # receiver of progress
        self.pause: Callable[[], None] | None = None  # at every step; other threads may run first
        self._stop = threading.Event()
        self._next_report = 0.0

    def cancel(self) -> None:
        """Make the next step raise `CancelledError`."""
        self._stop.set()

    @property
    def is_cancelled(self) -> bool:
        return self._stop.is_set()

    def step(self, done: int, total: int, text: str = "") -> None:
        """Report progress at most 30 times a second, the end always; raise if the task was cancelled."""
        if self._stop.is_set():
            raise CancelledError
        if self.pause is not None:
            self.pause()
        now = time.monotonic()
        if self.report is not None and (now >= self._next_report or done >= total):
            self._next_report = now + 1 / SIGNALS_PER_SECOND
            while total > INT_MAX:  # Qt's int has 32 bits; only the ratio matters
                done, total = done >> 1, total >> 1
            self.report(int(done), int(total), text)


class Job:
    """Call of a task and its result, without the task, which worker threads never hold.

    A worker that drops the last reference to a task would delete a Qt object of the GUI thread.
    """

    def __init__(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.monitor = TaskMonitor()
        self.has_begun = False
        self.error: Exception | None = None
        self._result: Any = None
        if "monitor" not in kwargs and _accepts_monitor(function):
            kwargs = kwargs | {"monitor": self.monitor}
        self._call: Callable[[], Any] | None = lambda: function(*args, **kwargs)

    def run(self, report: Report | None = None) -> None:
        """Make the call, on the worker thread."""
        self.has_begun = True
        self.monitor.report = report
        try:
            if not self.monitor.is_cancelled and self._call is not None:
                self._result = self._call()
        except CancelledError:
            self.monitor.cancel()
        except Exception as error:
            self.error = error
        self._call = None  # frees the arguments, which may be large
        self.monitor.report = None

    def give_up(self) -> None:
        """End a call that no thread will make as failed; a finished call keeps its result."""
        if self._call is not None:
            self._call, self.error = None, MemoryError()

    def take_result(self) -> Any:
        """Return the result of the call and drop the reference to it."""
        result, self._result = self._result, None
        return result


class Task(QObject):
    """Single call on a worker thread; all signals arrive on the GUI thread.

    A started task ends with exactly one of `succeeded`, `failed` and `cancelled`; after `cancel()` it is
    `cancelled`, even if the function still returns. Afterwards the runner drops the task, which frees it with
    its slots and everything they refer to.
    """

    progressed = Signal(int, int, str)
    succeeded = Signal(object)
    failed = Signal(object)
    cancelled = Signal()
    ended = Signal()

    def __init__(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> None:
        super().__init__()
        self.label = ""
        self.key: object = None
        self.started_at = 0.0
        self.done, self.total = 0, 1  # the progress
        self.job = Job(function, args, kwargs)
        self.has_ended = False  # whether the last signal was emitted

    @property
    def is_cancelled(self) -> bool:
        """Return whether cancellation was requested."""
        return self.job.monitor.is_cancelled

    @property
    def share(self) -> float:
        """Progress as a fraction."""
        return self.done / max(self.total, 1)

    @property
    def has_begun(self) -> bool:
        """Return whether a thread has started the call."""
        return self.job.has_begun

    def cancel(self) -> None:
        """Request cancellation at the next step of the function; a result may use the monitor afterwards."""
        if not self.has_ended:
            self.job.monitor.cancel()

    def show_progress(self, done: int, total: int, text: str) -> None:
        """Emit the progress of the job, unless cancelled."""
        if not self.is_cancelled and not self.has_ended:
            self.done, self.total = done, total
            self.progressed.emit(done, total, text)

    def finish(self) -> None:
        """Emit the result of the finished job."""
        result, error = self.job.take_result(), self.job.error
        self.job.error = None  # its traceback refers to all local variables of the failed call
        self.has_ended = True
        try:
            if self.is_cancelled:
                self.cancelled.emit()
            elif error is not None:
                self.failed.emit(error)
            else:
                self.succeeded.emit(result)
        finally:
            self.ended.emit()


def step_back() -> None:
    """Lower the priority of this thread, and of threads it starts, below that of the window.

    Linux ignores Qt's thread priorities, but supports a nice value per thread.
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
