"""Duration of animations; zero if the user or the platform asks for reduced motion."""

from __future__ import annotations

from enum import Enum

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
