"""Run uninterruptible work in a subprocess that can be killed."""

from __future__ import annotations

import importlib
import json
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from engine import child, errors
from engine.errors import AnonymizerError, CancelledError, TableError
from engine.monitor import SILENT, Monitor
from engine.processes import memory_held
from engine.scratch import scratch_folder
from engine.words import _, catalogue, language_in_use, use

PATIENCE = 0.05  # seconds between two checks of the monitor
# not inherited, because a login comes with the request
_KEPT_BACK = ("ANONYMIZER_DATABASE_USER", "ANONYMIZER_DATABASE_PASSWORD", "ANONYMIZER_SPARK_TOKEN")
_QUIETLY = getattr(subprocess, "CREATE_NO_WINDOW", 0)
_DONE, _REFUSED, _FAILED = 0, 3, 4


@contextmanager
def run_in_subprocess(
    module: str,
    request: Mapping[str, Any],
    monitor: Monitor = SILENT,
    *,
    subject: str,
    memory: int | None = None,
) -> Iterator[Path]:
    """Run a module in a subprocess; yields the folder with its results, which is removed after the block.

    Parameters
    ----------
    module : str
        Dotted name of a module with a function ``work(request, folder, monitor) -> None``. It writes its
        results into the folder, and raises `AnonymizerError` for input that it refuses; the same error is
        raised here.
    request : mapping
        Plain JSON values.
    monitor : Monitor
        Receives the progress of the work, and is asked every 50 ms whether to stop.
    subject : str
        Name of the processed file in messages.
    memory : int, optional
        Bytes that the work may use beyond those of a new process.

    Raises
    ------
    TableError
        The subprocess ended unexpectedly, or exceeded its memory.
    CancelledError
        The monitor asks to stop; the subprocess is ended first.
    """
    with scratch_folder("apart") as folder:
        message = {"request": dict(request), "memory": memory, "language": language_in_use()}
        _run(module, message, folder, monitor, subject)
        yield folder


def _run(module: str, message: Mapping[str, Any], folder: Path, monitor: Monitor, subject: str) -> None:
    process = subprocess.Popen(
        child.command(__name__, module, str(folder)),
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
        with suppress(OSError):  # it ended at once, which is handled below
            process.stdin.write(json.dumps(message).encode() + b"\n")
            process.stdin.flush()  # left open: its end shows the subprocess that this process has died
        reply = _follow(lines, monitor)
        code = process.wait()
    finally:
        process.kill()
        process.wait()
        listener.join()
        process.stdout.close()
        with suppress(OSError):
            process.stdin.close()
    if code != _DONE:
        raise _error(reply, subject)


def _listen(stream: IO[bytes], lines: queue.SimpleQueue[bytes | None]) -> None:
    for line in stream:
        lines.put(line)
    lines.put(None)


def _follow(lines: queue.SimpleQueue[bytes | None], monitor: Monitor) -> Mapping[str, Any]:
    """Pass progress on until the subprocess ends; return its last message that was not progress."""
    done, total, text = 0, 1, ""
    reply: Mapping[str, Any] = {}
    while True:
        monitor.step(done, total, text)
        try:
            line = lines.get(timeout=PATIENCE)
        except queue.Empty:
            continue
        if line is None:
            return reply
        message = json.loads(line)
        if "done" in message:
            done, total, text = message["done"], message["total"], message["text"]
        else:
            reply = message


def _error(reply: Mapping[str, Any], subject: str) -> AnonymizerError:
    """Return the error that the work reported, in its own class; otherwise that it ended unexpectedly."""
    kind = getattr(errors, str(reply.get("error", "")), None)
    if isinstance(kind, type) and issubclass(kind, AnonymizerError):
        return kind(str(reply["problem"]), hint=str(reply["hint"]), **dict(reply["context"]))
    if reply.get("memory"):
        return _stopped(_("'{subject}' needs more memory than allowed."), subject)
    return _stopped(_("'{subject}' could not be processed: the reading process ended unexpectedly."), subject)


def _stopped(problem: str, subject: str) -> TableError:
    return TableError(
        problem.format(subject=subject),
        hint=_("The file may be damaged. Save it again, or as CSV."),
        file=subject,
    )


# In the subprocess -----------------------------------------------------------------------------


class _Reporter:
    """Reporter of progress and errors to the process that waits."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._reported = 0.0

    def step(self, done: int, total: int, text: str = "") -> None:
        """Report progress, at most once per `PATIENCE`."""
        now = time.monotonic()
        if now - self._reported >= PATIENCE or done >= total:
            self._reported = now
            self.say({"done": done, "total": total, "text": text})

    def say(self, message: Mapping[str, Any]) -> None:
        """Write one line."""
        try:
            self._stream.write(json.dumps(message).encode() + b"\n")
            self._stream.flush()
        except OSError:
            raise CancelledError from None  # the other process no longer waits


def serve(words: Sequence[str]) -> int:
    """Work by the module and in the folder that `words` name; return the exit code.

    The request comes by standard input.
    """
    module, folder = words
    with os.fdopen(os.dup(1), "wb") as stream, open(os.devnull, "wb") as nowhere:
        os.dup2(nowhere.fileno(), 1)  # output of libraries is not a message
        reporter = _Reporter(stream)
        message = json.loads(sys.stdin.buffer.readline())
        use(catalogue(message["language"]), message["language"])
        threading.Thread(target=_die_with_parent, daemon=True).start()
        try:
            work = importlib.import_module(module).work
            _bound(message["memory"], reporter)
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
    os.read(0, 1)  # not through sys.stdin, whose lock the end of the interpreter would wait for
    os._exit(_FAILED)


def _bound(memory: int | None, reporter: _Reporter) -> None:
    """Make allocations fail beyond a limit on Linux; elsewhere end when the process holds more."""
    if memory is None:
        return
    if sys.platform != "linux":
        most = memory_held() + memory
        threading.Thread(target=_end_beyond, args=(most, reporter), daemon=True).start()
        return
    import resource

    taken = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    wanted = taken + memory if hard == resource.RLIM_INFINITY else min(taken + memory, hard)
    resource.setrlimit(resource.RLIMIT_AS, (wanted, hard))


def _end_beyond(most: int, reporter: _Reporter) -> None:
    while memory_held() <= most:
        time.sleep(PATIENCE)
    reporter.say({"memory": True})
    os._exit(_FAILED)


def _is_plain(value: object) -> bool:
    return value is None or isinstance(value, (str, int, float))
