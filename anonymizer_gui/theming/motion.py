"""Animations, and their duration; none if the user or the platform asks for reduced motion."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum

from PySide6.QtCore import QEasingCurve, QObject, QVariantAnimation
from PySide6.QtWidgets import QApplication, QStyle


class Motion(Enum):
    """Kinds of animation; all other changes are immediate."""

    SELECT = "select"
    ZOOM = "zoom"
    WALK = "walk"


_MILLISECONDS = {Motion.SELECT: 120, Motion.ZOOM: 150, Motion.WALK: 150}


class _Preference:
    reduced = False


def set_reduced_motion(reduced: bool) -> None:
    """Set the preference "less motion"."""
    _Preference.reduced = reduced


def motion_milliseconds(motion: Motion) -> int:
    """Return the duration of an animation, 0 with reduced motion."""
    style = QApplication.style()
    platform_moves = style.styleHint(QStyle.StyleHint.SH_Widget_Animation_Duration) > 0
    return 0 if _Preference.reduced or not platform_moves else _MILLISECONDS[motion]


def duration(motion: Motion) -> int:
    """Return the duration of an animation in ms; 0 without a screen, so that pictures show the end."""
    return 0 if QApplication.platformName() == "offscreen" else motion_milliseconds(motion)


class Movement(QObject):
    """At most one animation; a new one starts at the current position."""

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
        """Call `step` with shares of the animation, finally with 1."""
        self.stop()
        self._step = step
        lasts = duration(self._motion)
        if not lasts:
            step(1.0)
            return
        self._animation.setDuration(lasts)
        self._animation.start()

    def stop(self) -> None:
        """Stop at the current position."""
        if self.is_running:
            self._animation.stop()

    def _on_moved(self, share: float) -> None:
        self._step(float(share))
