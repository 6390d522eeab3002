"""Memory left by closed projects: the examples are opened, released, viewed and closed many times.

`python -m tests.benchmarks.reopening` prints the resident memory after every closing and exits with 1 if the
last is more than 60 MB above the third. `--openings 9`, `--example adult` reduce the work.
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import os
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import cycle, islice

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QCoreApplication, QEvent, QEventLoop, QTimer
from PySide6.QtWidgets import QApplication

from anonymizer_gui.perspectives.start.examples import EXAMPLES, Example
from anonymizer_gui.tasks import GuiThreadCollector
from anonymizer_gui.wiring import Wiring
from engine.scoring.acceleration import warm_up
from tests.benchmarks.measuring import resident

PERSPECTIVES = ("configure", "explore", "utility", "risk")
LOOK, CALM = 50, 3  # milliseconds between checks, consecutive checks that must find no activity
PATIENCE = 1200  # seconds
GROWTH = 60  # MB allowed after all openings, above the value after the third


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--openings", type=int, default=30)
    parser.add_argument("--example", choices=[example.key for example in EXAMPLES], action="append")
    arguments = parser.parse_args()
    chosen = [example for example in EXAMPLES if example.key in (arguments.example or [example.key])]
    with tempfile.TemporaryDirectory() as folder:
        os.environ["ANONYMIZER_CONFIG_DIR"] = folder  # reads and writes no files of the user
        left = _left_behind(list(islice(cycle(chosen), arguments.openings)))
    growth = left[-1] - left[min(2, len(left) - 1)]
    _say(f"the last opening leaves {growth:+.0f} MB more than the third; at most {GROWTH} are wanted")
    return int(growth > GROWTH)


def _left_behind(examples: list[Example]) -> list[float]:
    """Return the resident memory in MB after each opening and closing, with free memory returned."""
    app = QApplication.instance() or QApplication(["anonymizer"])
    assert isinstance(app, QApplication)
    wiring = Wiring(app)
    keeper = GuiThreadCollector(wiring)
    wiring.window.resize(1440, 900)
    wiring.window.show()
    warm_up()
    _say(f"{_resident():7.0f} MB before")
    left = []
    for number, example in enumerate(examples, 1):
        started = time.process_time()
        open_and_close(wiring, example)
        left.append(_resident())
        spent = time.process_time() - started
        _say(f"{left[-1]:7.0f} MB after opening {number:2}, {example.key:8} {spent:6.1f} s")
    wiring.shutdown()
    keeper.end()
    return left


def open_and_close(wiring: Wiring, example: Example) -> None:
    """Open an example, apply its optimum, view it in all four perspectives and close it."""
    session = wiring.session
    wiring.open_path(example.path)
    _live_until(lambda: session.results.optimum is not None and wiring.is_settled)
    wiring.releases.apply_optimum()
    _live_until(lambda: session.applied.release is not None and wiring.is_settled)
    for name in PERSPECTIVES:
        wiring.actions[name].trigger()
        _live_until(lambda: wiring.is_settled)
    session.close_project()  # as the menu does after the question about unsaved changes
    _live_until(lambda: wiring.is_settled)


def _live_until(condition: Callable[[], bool]) -> None:
    """Run the event loop until a condition has been met for a moment."""
    loop, timer, calm, end = QEventLoop(), QTimer(), 0, time.monotonic() + PATIENCE

    def look() -> None:
        nonlocal calm
        calm = calm + 1 if condition() else 0
        if calm >= CALM or time.monotonic() > end:
            loop.quit()

    timer.timeout.connect(look)
    timer.start(LOOK)
    loop.exec()
    if calm < CALM:
        raise TimeoutError(f"the window was not ready within {PATIENCE} s")


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def _resident() -> float:
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    gc.collect()
    if sys.platform == "linux":
        ctypes.CDLL(None).malloc_trim(0)
    return resident("VmRSS")


if __name__ == "__main__":
    sys.exit(main())
