"""Plays a walk: a position that goes on by itself, at a speed in ticks per second."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import TYPE_CHECKING

from PySide6.QtCore import QElapsedTimer, QObject, QTimer, Signal

if TYPE_CHECKING:
    from engine.search.replay import Replay


SPEEDS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
USUAL_SPEED = 20
_FRAME_MS = 33
_LONGEST_FRAME = 0.25  # seconds; after a hold-up the walk goes on instead of leaping


class WalkPlayer(QObject):
    """Counts ticks; what they mean is for others."""

    ticked = Signal(int)  # another position
    playing_changed = Signal(bool)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.speed = USUAL_SPEED
        self._tick, self._length = 0, 0
        self._due = 0.0
        self._elapsed = QElapsedTimer()
        self._timer = QTimer(self, interval=_FRAME_MS)
        self._timer.timeout.connect(self._on_timeout)

    @property
    def tick(self) -> int:
        return self._tick

    @property
    def length(self) -> int:
        """The last tick."""
        return self._length

    @property
    def is_playing(self) -> bool:
        return self._timer.isActive()

    def reset(self, length: int, tick: int = 0) -> None:
        """Take another walk; it stands still."""
        self.pause()
        self._length, self._tick = length, min(tick, length)
        self.ticked.emit(self._tick)

    def toggle(self) -> None:
        """Play or pause; from the end it begins again."""
        if self.is_playing:
            self.pause()
        elif self._length:
            if self._tick >= self._length:
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
        """Jump to a position; a walk that plays goes on from there."""
        tick = min(max(tick, 0), self._length)
        if tick != self._tick:
            self._tick = tick
            self.ticked.emit(tick)

    def step(self, ticks: int) -> None:
        """Go forth or back by hand."""
        self.pause()
        self.go(self._tick + ticks)

    def _on_timeout(self) -> None:
        self._due += min(self._elapsed.restart() / 1000, _LONGEST_FRAME) * self.speed
        ticks = int(self._due)
        if ticks:
            self._due -= ticks
            self.go(self._tick + ticks)
        if self._tick >= self._length:
            self.pause()


class Clock(StrEnum):
    """What one tick is."""

    STEPS = "steps"  # a node checked or inferred
    CHECKS = "checks"  # a node checked, with all that follows from it


def n_ticks(replays: Iterable[Replay], clock: Clock) -> int:
    """Ticks until the longest of some runs has ended."""
    lengths = (replay.n_steps if clock is Clock.STEPS else replay.n_checks for replay in replays)
    return max(lengths, default=0)


def steps_at(replay: Replay, tick: int, clock: Clock) -> int:
    """Steps of a run done at a tick; a run that has ended stays at its end."""
    return min(tick, replay.n_steps) if clock is Clock.STEPS else replay.after_checks(tick)


def tick_of(replay: Replay, at: int, clock: Clock) -> int:
    """Return the tick at which a run has done some steps."""
    return at if clock is Clock.STEPS else replay.n_checked(at)
