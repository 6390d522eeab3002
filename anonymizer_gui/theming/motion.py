"""How long movements last; none at all where the person or the platform asks for less."""

from __future__ import annotations

from enum import Enum

from PySide6.QtWidgets import QApplication, QStyle


class Motion(Enum):
    """What moves; everything else changes at once."""

    SELECT = "select"
    ZOOM = "zoom"
    WALK = "walk"


_MILLISECONDS = {Motion.SELECT: 120, Motion.ZOOM: 150, Motion.WALK: 150}


class _Preference:
    reduced = False


def set_reduced_motion(reduced: bool) -> None:
    """Take over the preference "less motion"."""
    _Preference.reduced = reduced


def motion_milliseconds(motion: Motion) -> int:
    """Duration of a movement, 0 where nothing may move."""
    style = QApplication.style()
    platform_moves = style.styleHint(QStyle.StyleHint.SH_Widget_Animation_Duration) > 0
    return 0 if _Preference.reduced or not platform_moves else _MILLISECONDS[motion]
