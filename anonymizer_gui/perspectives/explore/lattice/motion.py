"""Movements of the lattice: one runs from 0 to 1 and tells of every step; at once if nothing may move."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEasingCurve, QObject, QVariantAnimation
from PySide6.QtGui import QGuiApplication

from anonymizer_gui.theming.motion import Motion, motion_milliseconds


def duration(motion: Motion) -> int:
    """How long a movement lasts; without a screen nobody sees one, and pictures show where it ends."""
    return 0 if QGuiApplication.platformName() == "offscreen" else motion_milliseconds(motion)


class Movement(QObject):
    """One movement at a time; another one begins where this one is."""

    def __init__(self, motion: Motion, parent: QObject) -> None:
        super().__init__(parent)
        self._motion = motion
        self._step: Callable[[float], None] = lambda _share: None
        self._animation = QVariantAnimation(self)
        self._animation.setStartValue(0.0)
        self._animation.setEndValue(1.0)
        self._animation.setEasingCurve(QEasingCurve.Type.OutCubic)
        self._animation.valueChanged.connect(self._on_moved)

    @property
    def is_running(self) -> bool:
        return self._animation.state() is QVariantAnimation.State.Running

    def start(self, step: Callable[[float], None]) -> None:
        """Call `step` with shares of the way, the last time with 1."""
        self.stop()
        self._step = step
        lasts = duration(self._motion)
        if not lasts:
            step(1.0)
            return
        self._animation.setDuration(lasts)
        self._animation.start()

    def stop(self) -> None:
        """Stay if it is."""
        if self.is_running:
            self._animation.stop()

    def _on_moved(self, share: float) -> None:
        self._step(float(share))
