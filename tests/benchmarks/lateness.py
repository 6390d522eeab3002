"""Delay of the window's timers during work, which users notice as freezing."""

from __future__ import annotations

import time

import numpy as np
from PySide6.QtCore import Qt, QTimer

TICK = 0.005


class Lateness:
    """Delay of every tick of a timer during some work, in seconds."""

    def __init__(self) -> None:
        self.late: list[float] = []
        self._last = 0.0
        self._timer = QTimer()
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(round(TICK * 1000))
        self._timer.timeout.connect(self._on_tick)

    def __enter__(self) -> Lateness:
        self._last = time.perf_counter()
        self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._on_tick()
        self._timer.stop()

    @property
    def worst(self) -> float:
        return max(self.late)

    @property
    def percentile(self) -> float:
        """99th percentile of the delays."""
        return float(np.percentile(self.late, 99))

    def _on_tick(self) -> None:
        now = time.perf_counter()
        self.late.append(max(now - self._last - TICK, 0.0))
        self._last = now
