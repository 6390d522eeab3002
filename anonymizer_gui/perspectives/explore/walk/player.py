"""Playback of a walk: a position that advances by a number of ticks per second."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from itertools import pairwise
from typing import TYPE_CHECKING

from PySide6.QtCore import QElapsedTimer, QObject, QTimer, Signal

if TYPE_CHECKING:
    from engine.search.replay import Replay


SPEEDS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
WHOLE = 0  # instead of a speed: the walk takes WHOLE_SECONDS, whatever its length
WHOLE_SECONDS = 30
_FRAME_MS = 33
_LONGEST_FRAME = 0.25  # seconds; after a delay, playback continues without a jump


class WalkPlayer(QObject):
    """Counter of ticks, independent of their meaning."""

    ticked = Signal(int)  # new position
    playing_changed = Signal(bool)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.speed = WHOLE
        self.tick, self.length = 0, 0  # the current and the last tick
        self._due = 0.0
        self._elapsed = QElapsedTimer()
        self._timer = QTimer(self, interval=_FRAME_MS)
        self._timer.timeout.connect(self._on_timeout)

    @property
    def rate(self) -> float:
        """Ticks per second."""
        return self.speed or whole_rate(self.length)

    @property
    def is_playing(self) -> bool:
        return self._timer.isActive()

    def reset(self, length: int, tick: int = 0) -> None:
        """Set another length and position, and pause."""
        self.pause()
        self.length, self.tick = length, min(tick, length)
        self.ticked.emit(self.tick)

    def toggle(self) -> None:
        """Play or pause; at the end, restart."""
        if self.is_playing:
            self.pause()
        elif self.length:
            if self.tick >= self.length:
                self.go(0)
            self._due = 0.0
            self._elapsed.start()
            self._timer.start()
            self.playing_changed.emit(True)

    def pause(self) -> None:
        if self.is_playing:
            self._timer.stop()
            self.playing_changed.emit(False)

    def go(self, tick: int) -> None:
        """Jump to a position; playback continues from there."""
        tick = min(max(tick, 0), self.length)
        if tick != self.tick:
            self.tick = tick
            self.ticked.emit(tick)

    def step(self, ticks: int) -> None:
        """Move by ticks and pause."""
        self.pause()
        self.go(self.tick + ticks)

    def _on_timeout(self) -> None:
        self._due += min(self._elapsed.restart() / 1000, _LONGEST_FRAME) * self.rate
        ticks = int(self._due)
        if ticks:
            self._due -= ticks
            self.go(self.tick + ticks)
        if self.tick >= self.length:
            self.pause()


def whole_rate(length: int) -> float:
    """Return the ticks per second of a walk that takes `WHOLE_SECONDS`; at least one."""
    return max(length / WHOLE_SECONDS, 1.0)


class Clock(StrEnum):
    """Meaning of a tick."""

    STEPS = "steps"  # a node checked or inferred
    CHECKS = "checks"  # a node checked, with all its inferences


def n_ticks(replays: Iterable[Replay], clock: Clock) -> int:
    """Return the number of ticks until the longest run has ended."""
    lengths = (replay.n_steps if clock is Clock.STEPS else replay.n_checks for replay in replays)
    return max(lengths, default=0)


def steps_at(replay: Replay, tick: int, clock: Clock) -> int:
    """Return the number of steps done at a tick, limited to the length of the run."""
    return min(tick, replay.n_steps) if clock is Clock.STEPS else replay.after_checks(tick)


def phase_ticks(replay: Replay, clock: Clock) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the ticks at which subsets of columns begin, and those at which the subsets grow by a column."""
    minor: list[int] = []
    major: list[int] = []
    for before, stage in pairwise(replay.stages):
        grows = len(stage.attributes) != len(before.attributes)
        (major if grows else minor).append(tick_of(replay, stage.first, clock))
    return tuple(minor), tuple(major)


def tick_of(replay: Replay, at: int, clock: Clock) -> int:
    """Return the tick at which a run has done that many steps."""
    return at if clock is Clock.STEPS else replay.n_checked(at)
