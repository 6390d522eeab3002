"""The clock of a walk: which step of each run belongs to a tick, by steps or by nodes checked."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.search.replay import Replay


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
    """The tick at which a run has done some steps."""
    return at if clock is Clock.STEPS else replay.n_checked(at)
