"""Long work in a thread of its own, so that it can be stopped at any moment."""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable
from typing import TypeVar

from engine.verification.readers.reading import Progress

_Result = TypeVar("_Result")
_POLL = 0.1  # seconds between two reports
_PATIENCE = 0.3  # seconds for the work to end by itself once it is stopped


class _StoppedError(BaseException):
    """Raised within the work when it is to stop."""


def patiently(work: Callable[[Progress], _Result], progress: Progress) -> _Result:
    """Return what work returns, and report its progress from this thread, which may raise to stop it.

    A statement on large arrays cannot be interrupted: if the work is within one, it is left alone, ends with
    its next report, and nobody hears of it.
    """
    told: list[tuple[int, int, str]] = []
    found: list[_Result] = []
    failed: list[BaseException] = []
    ended, stopped = threading.Event(), threading.Event()

    def tell(done: int, total: int, text: str) -> None:
        if stopped.is_set():
            raise _StoppedError
        told[:] = [(done, total, text)]

    def run() -> None:
        try:
            found.append(work(tell))
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
            if told:
                progress(*told[0])
    except BaseException:
        stopped.set()
        thread.join(_PATIENCE)
        raise
    thread.join()
    if failed:
        raise failed[0]
    return found[0]
