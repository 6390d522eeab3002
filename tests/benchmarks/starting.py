"""Time until the window is shown: `python -m tests.benchmarks.starting [--modules]`.

Processor time of a process that opens the window, paints it once and ends, the minimum of several runs,
compared with one that only imports Qt's widgets. `--modules` lists the imports, slowest first.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys

RUNS, SHOWN = 7, 40
BARE = "import PySide6.QtWidgets as w; w.QApplication([])"
WINDOW = """
import os, sys
from PySide6.QtWidgets import QApplication
import anonymizer_gui.wiring as wiring
from anonymizer_gui.layout_keeper import show_as_left
app = QApplication([])
made = wiring.Wiring(app, is_for_picture=True)
show_as_left(made.window, made.preferences.value, (1280, 720))
app.processEvents()
made.window.grab()
sys.stdout.flush()
os._exit(0)
"""


def processor_seconds(source: str) -> float:
    """Return the time of a process that runs some source, the minimum of several runs after a first one."""
    _once(source)
    return min(_once(source) for _ in range(RUNS))


def _once(source: str) -> float:
    before = os.times()
    subprocess.run([sys.executable, "-c", source], check=True, env=_environment(), stderr=subprocess.DEVNULL)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def _environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "QT_QPA_PLATFORM": "offscreen"}


def slowest_modules() -> list[str]:
    """Return the modules imported until the window is shown, with the microseconds of each."""
    words = [sys.executable, "-X", "importtime", "-c", WINDOW]
    told = subprocess.run(words, check=True, env=_environment(), capture_output=True, text=True).stderr
    lines = re.findall(r"import time:\s+(\d+) \|\s+\d+ \|\s+(\S+)", told)
    ordered = sorted(((int(own), name) for own, name in lines), reverse=True)
    return [f"{own:>8} µs  {name}" for own, name in ordered]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--modules", action="store_true")
    if parser.parse_args().modules:
        modules = slowest_modules()
        sys.stdout.write("\n".join([*modules[:SHOWN], f"{len(modules)} modules"]) + "\n")
        return
    bare, window = processor_seconds(BARE), processor_seconds(WINDOW)
    sys.stdout.write(f"{window:.2f} s until the window stands, {bare:.2f} s of it Qt alone\n")


if __name__ == "__main__":
    main()
