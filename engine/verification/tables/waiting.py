"""Long work in a thread of its own, so that it can be stopped at any moment."""

from __future__ import annotations

import contextvars
import threading
import time
from collections.abc import Callable, Sequence
from typing import TypeVar

from engine.verification.readers.reading import Progress
from engine.verification.tables.database import Database

_Result = TypeVar("_Result")
_POLL = 0.1  # seconds between two reports
_PATIENCE = 0.3  # seconds for the work to end by itself once it is stopped
_AGAIN = 0.05  # seconds until a statement is interrupted again, since one that has not begun is not


class _StoppedError(BaseException):
    """Raised within the work when it is to stop."""


def patiently(work: Callable[[Progress], _Result], progress: Progress, opens: Sequence[Database]) -> _Result:
    """Return what work returns, and report its progress from this thread, which may raise to stop it.

    Statements of the databases that it opens are interrupted then. One on large arrays cannot be: if the work
    is within one, it is left alone, ends with its next report, and nobody hears of it.
    """
    latest: list[tuple[int, int, str]] = []
    found: list[_Result] = []
    failed: list[BaseException] = []
    ended, stopped = threading.Event(), threading.Event()

    def report(done: int, total: int, text: str) -> None:
        if stopped.is_set():
            raise _StoppedError
        latest[:] = [(done, total, text)]

    def run() -> None:
        try:
            found.append(work(report))
        except BaseException as error:
            failed.append(error)
        finally:
            ended.set()

    own = contextvars.copy_context()  # the language of texts, for one
    thread = threading.Thread(target=own.run, args=(run,), name="verification", daemon=True)
    thread.start()
    try:
        is_over = False
        while not is_over:
            is_over = ended.wait(_POLL)
            for database in opens if latest and not is_over else ():
                database.report(database.part())
            if latest:
                progress(*latest[0])
    except BaseException:
        stopped.set()
        until = time.monotonic() + _PATIENCE
        while thread.is_alive() and time.monotonic() < until:
            for database in opens:
                database.interrupt()
            thread.join(_AGAIN)
        raise
    thread.join()
    if failed:
        raise failed[0]
    return found[0]
