"""Shows the window where the person left it, and tells where that is."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, QSize
from PySide6.QtWidgets import QApplication, QWidget

from anonymizer_gui.session.preferences import Preferences

TITLE_HEIGHT, LEAST_SEEN = 32, 120  # pixels of the title bar, and of its width, by which a window is moved


def show_as_left(window: QWidget, kept: Preferences, size: tuple[int, int] | None = None) -> None:
    """Show the window as it was left, or in a given size; never where there is no screen any more."""
    window.resize(*(size or kept.window_size))
    if size is None and kept.window_place:
        corner = QPoint(*kept.window_place)
        if _is_seen(corner, window.width()):
            window.move(corner)
    if size is None and kept.is_maximised:
        window.showMaximized()
    else:
        window.show()


def place_of(window: QWidget) -> QRect:
    """Top left corner of the frame, and size; while it is maximised, those it goes back to."""
    if window.isMaximized() or window.isFullScreen() or window.isMinimized():
        return window.normalGeometry()
    return QRect(window.pos(), window.size())


def _is_seen(corner: QPoint, width: int) -> bool:
    """Whether enough of a title bar lies on a screen to take hold of the window."""
    title = QRect(corner, QSize(width, TITLE_HEIGHT))
    for screen in QApplication.screens():
        seen = screen.availableGeometry() & title
        if seen.width() >= min(LEAST_SEEN, width) and seen.height() >= TITLE_HEIGHT // 2:
            return True
    return False
