"""Handling of unexpected errors: shown without losing the project, logged without data values."""

from __future__ import annotations

import sys
import threading
import traceback
from collections.abc import Callable
from types import TracebackType

from engine.cli.quiet import keep_values_out_of_logs
from engine.words import _


def install(show: Callable[[str, str], None]) -> None:
    """Pass uncaught exceptions to `show(problem, hint)`; those the user cannot act on are only logged."""

    def hook(kind: type[BaseException], error: BaseException, where: TracebackType | None) -> None:
        if issubclass(kind, KeyboardInterrupt):
            sys.exit(130)
        _write(log_text(kind, where))
        problem = _("Internal error: {kind} in {where}.").format(kind=kind.__name__, where=place_of(where))
        show(problem, _("Your project is unchanged. Save it, and report this message if it appears again."))

    sys.excepthook = hook
    threading.excepthook = lambda args: _write(log_text(args.exc_type, args.exc_traceback))
    sys.unraisablehook = lambda args: _write(log_text(args.exc_type, args.exc_traceback))
    keep_values_out_of_logs()


def place_of(where: TracebackType | None) -> str:
    """Return file and line of the error."""
    frames = traceback.extract_tb(where)
    if not frames:
        return "somewhere"
    return f"{_short(frames[-1].filename)} line {frames[-1].lineno}"


def log_text(kind: type[BaseException], where: TracebackType | None) -> str:
    """Return the traceback as places only, because exception texts may contain values of the table."""
    lines = [
        f"  {_short(frame.filename)}, line {frame.lineno}, in {frame.name}\n"
        for frame in traceback.extract_tb(where)
    ]
    return _("Internal error: {kind}\n{lines}").format(kind=kind.__name__, lines="".join(lines))


def _write(text: str) -> None:
    if sys.stderr is not None:  # a program without a terminal has no stderr
        sys.stderr.write(text)


def _short(filename: str) -> str:
    parts = filename.replace("\\", "/").split("/")
    return "/".join(parts[-2:])
