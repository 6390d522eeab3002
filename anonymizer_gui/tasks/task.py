"""One function call that runs off the GUI thread and tells its end by signals."""

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
NICE = 5  # of threads that run tasks; the window's is usually 0

Report = Callable[[int, int, str], None]  # done, total, what is done


class TaskMonitor:
    """The engine's monitor of one job: progress out, cancellation in; lives on the worker's thread."""

    def __init__(self) -> None:
        self._report: Report | None = None
        self._pause: Callable[[], None] | None = None
        self._stop = threading.Event()
        self._next_report = 0.0

    def pause_by(self, pause: Callable[[], None]) -> None:
        """Call something at every step that may let other threads go first."""
        self._pause = pause

    def report_to(self, report: Report | None) -> None:
        """Tell progress to somebody, or to nobody any more."""
        self._report = report

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
        if self._pause is not None:
            self._pause()
        now = time.monotonic()
        if self._report is not None and (now >= self._next_report or done >= total):
            self._next_report = now + 1 / SIGNALS_PER_SECOND
            while total > INT_MAX:  # Qt's int has 32 bits; only the ratio matters
                done, total = done >> 1, total >> 1
            self._report(int(done), int(total), text)


class Job:
    """The call of a task and what came of it: all that a worker thread holds.

    A worker never holds the task itself. It could then be the last to let go of it, and take down an
    object of Qt that belongs to the window's thread.
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
        """Make the call; the worker thread comes here."""
        self.has_begun = True
        self.monitor.report_to(report)
        try:
            if not self.monitor.is_cancelled and self._call is not None:
                self._result = self._call()
        except CancelledError:
            self.monitor.cancel()
        except Exception as error:
            self.error = error
        self._call = None  # the arguments may be large; nothing needs them any more
        self.monitor.report_to(None)

    def give_up(self) -> None:
        """Fail a call that no thread makes any more; one that was made keeps what came of it."""
        if self._call is not None:
            self._call, self.error = None, MemoryError()

    def take_result(self) -> Any:
        """Hand over what the call returned, and keep nothing of it."""
        result, self._result = self._result, None
        return result


class Task(QObject):
    """A call made once on a worker thread; every signal arrives on the GUI thread.

    Exactly one of `succeeded`, `failed` and `cancelled` ends a task that was started; after
    `cancel()` it is `cancelled`, whatever the function still returns. Once it has ended, its runner
    holds it no longer, and it is freed with its slots and all they hold.
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
        self.job = Job(function, args, kwargs)
        self._has_ended = False

    @property
    def is_cancelled(self) -> bool:
        """Whether it was asked to stop."""
        return self.job.monitor.is_cancelled

    @property
    def has_begun(self) -> bool:
        """Whether a thread took it; until then it waits for one."""
        return self.job.has_begun

    @property
    def has_ended(self) -> bool:
        """Whether its last signal was sent."""
        return self._has_ended

    def cancel(self) -> None:
        """Ask the function to stop at its next step."""
        self.job.monitor.cancel()

    def show_progress(self, done: int, total: int, text: str) -> None:
        """Tell how far the job is, unless nobody wants it any more."""
        if not self.is_cancelled and not self._has_ended:
            self.progressed.emit(done, total, text)

    def finish(self) -> None:
        """Tell what became of the job, which was run."""
        result, error = self.job.take_result(), self.job.error
        self.job.error = None  # its traceback holds all that was at hand where it was raised
        self._has_ended = True
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
