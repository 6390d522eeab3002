"""Runs work that cannot be stopped from inside in a process of its own, which is ended when it has to be."""

from __future__ import annotations

import importlib
import json
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from engine import errors
from engine.errors import AnonymizerError, CancelledError, TableError
from engine.monitor import SILENT, Monitor
from engine.scratch import scratch_folder
from engine.words import _

PATIENCE = 0.05  # seconds between two looks at the monitor
_ROOT = str(Path(__file__).resolve().parents[1])
_CODE = (
    f"import sys; sys.path.append({_ROOT!r}); "
    "from engine.apart import serve; sys.exit(serve(sys.argv[1], sys.argv[2]))"
)
_KEPT_BACK = ("ANONYMIZER_DATABASE_USER", "ANONYMIZER_DATABASE_PASSWORD")  # a login comes with the request
_QUIETLY = getattr(subprocess, "CREATE_NO_WINDOW", 0)
_DONE, _REFUSED, _FAILED = 0, 3, 4


@contextmanager
def run_apart(
    module: str,
    request: Mapping[str, Any],
    monitor: Monitor = SILENT,
    *,
    subject: str,
    memory: int | None = None,
    seconds: float | None = None,
) -> Iterator[Path]:
    """Let a module work in another process; yields the folder with what it wrote, for as long as the block.

    Parameters
    ----------
    module : str
        Dotted name of a module with a function ``work(request, folder, monitor) -> None``. It writes its
        results into the folder, and tells by `AnonymizerError` what it refuses: the same error is raised
        here.
    request : mapping
        Plain JSON values.
    monitor : Monitor
        Told the progress of the work, and asked every 50 ms whether to stop.
    subject : str
        What messages call the thing worked on, such as the name of a file.
    memory : int, optional
        Bytes that the work may take on top of what a fresh process has; held to where the system can.
    seconds : float, optional
        Wall time it may take.

    Raises
    ------
    TableError
        The other process ended unexpectedly, or took more time or memory than it may.
    CancelledError
        The monitor asks to stop; the other process is ended first.
    """
    with scratch_folder("apart") as folder:
        _run(module, {"request": dict(request), "memory": memory}, folder, monitor, subject, seconds)
        yield folder


def _run(
    module: str,
    message: Mapping[str, Any],
    folder: Path,
    monitor: Monitor,
    subject: str,
    seconds: float | None,
) -> None:
    process = subprocess.Popen(
        [sys.executable, "-P", "-c", _CODE, module, str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,  # it may hold data values
        env={name: value for name, value in os.environ.items() if name not in _KEPT_BACK},
        creationflags=_QUIETLY,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    lines: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
    listener = threading.Thread(target=_listen, args=(process.stdout, lines), daemon=True)
    listener.start()
    try:
        with suppress(OSError):  # it ended at once, which is told below
            process.stdin.write(json.dumps(message).encode() + b"\n")
            process.stdin.flush()  # left open: its end tells the other process that this one has died
        said = _follow(lines, monitor, None if seconds is None else time.monotonic() + seconds, subject)
        code = process.wait()
    finally:
        process.kill()
        process.wait()
        listener.join()
        process.stdout.close()
        with suppress(OSError):
            process.stdin.close()
    if code != _DONE:
        raise _error(said, subject)


def _listen(stream: IO[bytes], lines: queue.SimpleQueue[bytes | None]) -> None:
    for line in stream:
        lines.put(line)
    lines.put(None)


def _follow(
    lines: queue.SimpleQueue[bytes | None], monitor: Monitor, until: float | None, subject: str
) -> Mapping[str, Any]:
    """Pass progress on until the other process says nothing more; the last words that were no progress."""
    done, total, text = 0, 1, ""
    said: Mapping[str, Any] = {}
    while True:
        monitor.step(done, total, text)
        if until is not None and time.monotonic() > until:
            raise _stopped(subject, _("it took too long"))
        try:
            line = lines.get(timeout=PATIENCE)
        except queue.Empty:
            continue
        if line is None:
            return said
        message = json.loads(line)
        if "done" in message:
            done, total, text = message["done"], message["total"], message["text"]
        else:
            said = message


def _error(said: Mapping[str, Any], subject: str) -> AnonymizerError:
    """The error the work told of, of its own class; else that it stopped."""
    kind = getattr(errors, str(said.get("error", "")), None)
    if isinstance(kind, type) and issubclass(kind, AnonymizerError):
        return kind(str(said["problem"]), hint=str(said["hint"]), **dict(said["context"]))
    return _stopped(subject, _("it needs more memory than it may take") if said.get("memory") else "")


def _stopped(subject: str, why: str) -> TableError:
    problem = _("'{subject}' stopped the program that worked on it").format(subject=subject) + (
        f": {why}." if why else "."
    )
    return TableError(problem, hint=_("The file may be damaged; save it anew, or as CSV."), file=subject)


# In the other process --------------------------------------------------------------------------


class _Reporter:
    """Tells the process that waits how far the work is."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._told = 0.0

    def step(self, done: int, total: int, text: str = "") -> None:
        """Report progress, not more often than anybody looks."""
        now = time.monotonic()
        if now - self._told >= PATIENCE or done >= total:
            self._told = now
            self.say({"done": done, "total": total, "text": text})

    def say(self, message: Mapping[str, Any]) -> None:
        """Write one line."""
        try:
            self._stream.write(json.dumps(message).encode() + b"\n")
            self._stream.flush()
        except OSError:
            raise CancelledError from None  # nobody waits any more


def serve(module: str, folder: str) -> int:
    """Read the request from standard input, work, and answer by the exit code; of the other process only."""
    with os.fdopen(os.dup(1), "wb") as stream, open(os.devnull, "wb") as nowhere:
        os.dup2(nowhere.fileno(), 1)  # what a library prints is no message
        reporter = _Reporter(stream)
        message = json.loads(sys.stdin.buffer.readline())
        threading.Thread(target=_die_with_parent, daemon=True).start()
        try:
            work = importlib.import_module(module).work
            _bound(message["memory"])
            work(message["request"], Path(folder), reporter)
        except AnonymizerError as error:
            reporter.say(
                {
                    "error": type(error).__name__,
                    "problem": error.problem,
                    "hint": error.hint,
                    "context": {k: v for k, v in error.context.items() if _is_plain(v)},
                }
            )
            return _REFUSED
        except MemoryError:
            reporter.say({"memory": True})
            return _FAILED
        except CancelledError:
            return _FAILED
        return _DONE


def _die_with_parent() -> None:
    os.read(0, 1)  # not by sys.stdin, whose lock the end of the interpreter would wait for
    os._exit(_FAILED)


def _bound(memory: int | None) -> None:
    """Let allocations fail beyond a limit, where the system can."""
    if memory is None or not sys.platform.startswith("linux"):
        return
    import resource

    taken = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    wanted = taken + memory if hard == resource.RLIM_INFINITY else min(taken + memory, hard)
    resource.setrlimit(resource.RLIMIT_AS, (wanted, hard))


def _is_plain(value: object) -> bool:
    return value is None or isinstance(value, (str, int, float))
