"""Finds what blocks the window: processor time of its thread between two looks at new events, with the place.

Processor time of the thread, because the clock would also count what other programs take of a busy machine.
"""

from __future__ import annotations

import faulthandler
import re
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import CodeType, FrameType
from typing import IO

from PySide6.QtCore import QAbstractEventDispatcher

ROOT = Path(__file__).resolve().parents[1]
BETWEEN_LOOKS = 0.005  # seconds
SETTLED = 0.008  # seconds of processor after which places are recorded
QT = "Qt itself"
_LINE = re.compile(r'File "([^"]+)", line (\d+) in (\S+)')
N_CALLS = 4  # innermost calls of the program in the name of a place

Place = tuple[str, ...]  # calls, outermost first


@dataclass
class Block:
    """Work without a look at new events.

    Attributes
    ----------
    action : str
        What the user did.
    seconds : float
        Processor time of the window's thread.
    places : Counter of tuple of str
        Calls of the program found at regular intervals, and how often.
    """

    action: str
    seconds: float
    places: Counter[Place] = field(default_factory=Counter)

    @property
    def place(self) -> str:
        """The calls that most of the time was spent in, outermost first."""
        found: Place = ()
        total = self.places.total()
        while total:
            longer: Counter[Place] = Counter()
            for place, n in self.places.items():
                if place[: len(found)] == found and len(place) > len(found):
                    longer[place[: len(found) + 1]] += n
            if not longer or 2 * longer.most_common(1)[0][1] <= total:
                break
            found = longer.most_common(1)[0][0]
        return " > ".join(found[-N_CALLS:]) or QT


class Watchdog:
    """Records the longest block of every action while it is entered.

    Parameters
    ----------
    bound : float
        Seconds above which a block is recorded.
    is_gentle : bool
        Take no hold of the window's frames, and look only at long blocks, rarely. A frame that another
        thread holds keeps its variables after the call has ended, such as an active painter, and frees them
        in that thread: harmless while seconds are measured, but fatal in a long walk.
    """

    def __init__(self, bound: float, *, is_gentle: bool = False) -> None:
        self.bound = bound
        self._between, self._settled = (0.1, bound / 3) if is_gentle else (BETWEEN_LOOKS, SETTLED)
        self._is_gentle = is_gentle
        self.blocks: list[Block] = []
        self.longest: dict[str, float] = {}
        self._action = ""
        self._began = 0.0
        self._samples: list[Place] = []
        self._main = threading.get_ident()
        self._clock = time.pthread_getcpuclockid(self._main)
        self._is_over = threading.Event()
        self._sampler = threading.Thread(target=self._sample, daemon=True)
        dispatcher = QAbstractEventDispatcher.instance()
        assert dispatcher is not None, "an application exists"
        self._dispatcher = dispatcher

    def __enter__(self) -> Watchdog:
        self._dispatcher.aboutToBlock.connect(self._mark)
        self._dispatcher.awake.connect(self._mark)
        self._begin()
        self._sampler.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._mark()
        self._is_over.set()
        self._sampler.join()
        self._dispatcher.aboutToBlock.disconnect(self._mark)
        self._dispatcher.awake.disconnect(self._mark)

    def complaint(self) -> str:
        """Return the blocks with their places, longest first, one in each line."""
        ordered = sorted(self.blocks, key=lambda block: -block.seconds)
        return "\n".join(f"{1000 * b.seconds:.0f} ms in {b.action}: {b.place}" for b in ordered)

    @contextmanager
    def action(self, name: str) -> Iterator[None]:
        """Name what the user does meanwhile."""
        self._mark()
        before, self._action = self._action, name
        self.longest.setdefault(name, 0.0)
        yield
        self._mark()
        self._action = before

    def name(self, action: str) -> None:
        """Name what the user does from now on."""
        self._action = action

    def _mark(self) -> None:
        """End a block, at a look at new events, and begin the next one."""
        seconds = time.thread_time() - self._began
        if self._action:
            self.longest[self._action] = max(self.longest.get(self._action, 0.0), seconds)
            if seconds > self.bound:
                self.blocks.append(Block(self._action, seconds, Counter(self._samples)))
        self._begin()

    def _begin(self) -> None:
        self._samples = []
        self._began = time.thread_time()

    def _sample(self) -> None:
        with tempfile.TemporaryFile("w+", encoding="utf-8") as stacks:
            while not self._is_over.wait(self._between):
                samples, began = self._samples, self._began
                if time.clock_gettime(self._clock) - began <= self._settled:
                    continue
                if self._is_gentle:
                    samples.append(self._dumped(stacks))
                else:
                    samples.append(_place(sys._current_frames().get(self._main)))

    def _dumped(self, stacks: IO[str]) -> Place:
        """Return the calls of the window's thread, of all code, without taking hold of them."""
        stacks.seek(0)
        stacks.truncate()
        faulthandler.dump_traceback(stacks, all_threads=True)
        stacks.seek(0)
        parts = stacks.read().split("\n\n")
        own = next((part for part in parts if f"0x{self._main:016x}" in part), "")
        return tuple(f"{Path(file).name}.{name}:{line}" for file, line, name in reversed(_LINE.findall(own)))


def _place(frame: FrameType | None) -> Place:
    """Return the calls of the program on a stack, outermost first."""
    found: list[str] = []
    while frame is not None:
        if name := _name(frame.f_code):
            found.append(f"{name}:{frame.f_lineno}")
        frame = frame.f_back
    return tuple(reversed(found))


@cache
def _name(code: CodeType) -> str:
    """Return folder, file and function; nothing for code of others and of tests."""
    path = Path(code.co_filename)
    if not path.is_relative_to(ROOT) or path.parts[len(ROOT.parts)] in ("tests", ".venv"):
        return ""
    return f"{path.parent.name}/{path.stem}.{code.co_name}"
