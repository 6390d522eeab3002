"""Shows the window where the person left it, and tells where that is."""

from __future__ import annotations

from PySide6.QtCore import QMargins, QPoint, QRect, QSize, Qt, QTimer
from PySide6.QtGui import QScreen
from PySide6.QtWidgets import QApplication, QStyle, QWidget

from anonymizer_gui.session.preferences import Preferences

TITLE_HEIGHT, LEAST_SEEN = 32, 120  # pixels of the title bar, and of its width, by which a window is moved
FRAME_KNOWN = 250  # milliseconds after which a window manager has told what it draws around the window


def show_as_left(window: QWidget, kept: Preferences, size: tuple[int, int] | None = None) -> None:
    """Show the window as it was left, as far as the screen has room; or in exactly a given size."""
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
    """Make the window and its frame fit the screen it is on; one that fits stays as it is."""
    if window.isMaximized() or window.isFullScreen() or window.isMinimized():
        return
    place, frame = place_of(window), frame_of(window)
    fitting = fitted(place, screen_at(window).availableGeometry(), frame, window.minimumSize())
    if fitting.size() != place.size():
        window.resize(fitting.size())
    is_placed = window.isVisible() or window.testAttribute(Qt.WidgetAttribute.WA_Moved)
    if is_placed and fitting.topLeft() != place.topLeft():  # else the system chooses where
        window.move(fitting.topLeft())


def fitted(place: QRect, available: QRect, frame: QMargins, smallest: QSize) -> QRect:
    """A place of a window whose frame lies in the room there is, as near as can be to the one given.

    Parameters
    ----------
    place : QRect
        Top left corner of the frame, and size of the window within it.
    available : QRect
        Of the screen, panels and docks left out.
    frame : QMargins
        What surrounds the window.
    smallest : QSize
        The window is never made smaller; what then does not fit goes beyond the lower and right edge.
    """
    around = QSize(frame.left() + frame.right(), frame.top() + frame.bottom())
    size = place.size().boundedTo(available.size() - around).expandedTo(smallest)
    most = available.bottomRight() + QPoint(1, 1) - QPoint(size.width(), size.height())
    most -= QPoint(around.width(), around.height())
    left = max(min(place.left(), most.x()), available.left())
    top = max(min(place.top(), most.y()), available.top())
    return QRect(QPoint(left, top), size)


def frame_of(window: QWidget) -> QMargins:
    """What the window manager draws around the window; before it has told, a title bar as of the style."""
    if window.isVisible():
        return window.windowHandle().frameMargins()
    height = window.style().pixelMetric(QStyle.PixelMetric.PM_TitleBarHeight, None, window)
    return QMargins(0, max(height, TITLE_HEIGHT), 0, 0)


def screen_at(window: QWidget) -> QScreen:
    """The screen the window is on, by its title bar before it is shown."""
    title = window.pos() + QPoint(window.width() // 2, TITLE_HEIGHT // 2)
    return QApplication.screenAt(title) or window.screen()


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
