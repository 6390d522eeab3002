"""Position and size of the window, restored at startup and stored at the end."""

from __future__ import annotations

from PySide6.QtCore import QMargins, QPoint, QRect, QSize, Qt, QTimer
from PySide6.QtGui import QScreen
from PySide6.QtWidgets import QApplication, QStyle, QWidget

from anonymizer_gui.session.preferences import Preferences

# Pixels of the title bar, and of its width that must be visible to move the window.
TITLE_HEIGHT, LEAST_SEEN = 32, 120
FRAME_KNOWN = 250  # milliseconds after which a window manager has reported the size of its frame


def show_as_left(window: QWidget, kept: Preferences, size: tuple[int, int] | None = None) -> None:
    """Show the window at its stored position within the screen, or in exactly a given size."""
    window.resize(*(size or kept.window_size))
    if size is not None:
        window.show()
        return
    if kept.window_place:
        corner = QPoint(*kept.window_place)
        if _is_seen(corner, window.width()):
            window.move(corner)
    fit_to_screen(window)
    if kept.is_maximised:
        window.showMaximized()
    else:
        window.show()
        QTimer.singleShot(FRAME_KNOWN, window, lambda: fit_to_screen(window))


def fit_to_screen(window: QWidget) -> None:
    """Move and shrink the window and its frame to fit the screen; no change if it fits."""
    if window.isMaximized() or window.isFullScreen() or window.isMinimized():
        return
    place, frame = place_of(window), frame_of(window)
    fitting = fitted(place, screen_at(window).availableGeometry(), frame, window.minimumSize())
    if fitting.size() != place.size():
        window.resize(fitting.size())
    is_placed = window.isVisible() or window.testAttribute(Qt.WidgetAttribute.WA_Moved)
    if is_placed and fitting.topLeft() != place.topLeft():  # else the system chooses the position
        window.move(fitting.topLeft())


def fitted(place: QRect, available: QRect, frame: QMargins, smallest: QSize) -> QRect:
    """Return the position nearest to the given one whose frame fits into the available area.

    Parameters
    ----------
    place : QRect
        Top left corner of the frame, and size of the window inside it.
    available : QRect
        Area of the screen without panels and docks.
    frame : QMargins
        Frame around the window.
    smallest : QSize
        Minimum size of the window; if it does not fit, it extends beyond the lower and right edge.
    """
    around = QSize(frame.left() + frame.right(), frame.top() + frame.bottom())
    size = place.size().boundedTo(available.size() - around).expandedTo(smallest)
    most = available.bottomRight() + QPoint(1, 1) - QPoint(size.width(), size.height())
    most -= QPoint(around.width(), around.height())
    left = max(min(place.left(), most.x()), available.left())
    top = max(min(place.top(), most.y()), available.top())
    return QRect(QPoint(left, top), size)


def frame_of(window: QWidget) -> QMargins:
    """Return the margins of the window frame; before they are known, a title bar as in the style."""
    if window.isVisible():
        return window.windowHandle().frameMargins()
    height = window.style().pixelMetric(QStyle.PixelMetric.PM_TitleBarHeight, None, window)
    return QMargins(0, max(height, TITLE_HEIGHT), 0, 0)


def screen_at(window: QWidget) -> QScreen:
    """Return the screen of the window; before it is shown, the screen of its title bar."""
    title = window.pos() + QPoint(window.width() // 2, TITLE_HEIGHT // 2)
    return QApplication.screenAt(title) or window.screen()


def place_of(window: QWidget) -> QRect:
    """Return the corner of the frame and the size; for a maximised window, those before maximising."""
    if window.isMaximized() or window.isFullScreen() or window.isMinimized():
        return window.normalGeometry()
    return QRect(window.pos(), window.size())


def _is_seen(corner: QPoint, width: int) -> bool:
    """Return whether enough of the title bar is on a screen to drag the window."""
    title = QRect(corner, QSize(width, TITLE_HEIGHT))
    for screen in QApplication.screens():
        seen = screen.availableGeometry() & title
        if seen.width() >= min(LEAST_SEEN, width) and seen.height() >= TITLE_HEIGHT // 2:
            return True
    return False
