"""Count of the steps of an improvement, which may end early with what it has."""

from __future__ import annotations

from engine.monitor import Monitor, is_enough


class ImprovementSteps:
    """Steps that an improvement may still do; every one leaves a valid release.

    A recipe that names the steps at which somebody stopped makes the same release again.

    Parameters
    ----------
    most : int
        Steps after which the improvement ends; 0 for no limit.
    monitor : Monitor
        Ends it earlier.
    """

    def __init__(self, most: int, monitor: Monitor) -> None:
        self._most, self._monitor, self._done = most, monitor, 0
        self._is_stopped = False

    @property
    def stopped_after(self) -> int | None:
        """Steps done until the monitor ended the improvement; None if it did not."""
        return self._done if self._is_stopped else None

    def may_go_on(self) -> bool:
        """Return whether to do one more step, and count it; the first one is always done."""
        if self._is_stopped or (self._most and self._done >= self._most):
            return False
        if self._done and is_enough(self._monitor):
            self._is_stopped = True
            return False
        self._done += 1
        return True
