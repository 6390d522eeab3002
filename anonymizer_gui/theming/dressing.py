"""Parts of a window that carry the style sheet, each small enough to be restyled in a moment.

Setting a style sheet restyles all widgets below it, which takes half a second for a whole window. So the
frames that hold the parts together have none: nothing in the style sheet addresses them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from PySide6.QtCore import QChildEvent, QEvent, QObject, Qt
from PySide6.QtWidgets import QFrame, QMainWindow, QScrollArea, QSplitter, QStackedWidget, QWidget
from shiboken6 import isValid

SMALL = 40  # widgets up to which a frame is one part with everything in it
_BARE = "bare"
_FRAMES = (QWidget, QMainWindow, QStackedWidget)
_ADDRESSED = ("card", "strip", "part", "banner")  # properties in selectors for frames


def make_bare(area: QScrollArea | QSplitter) -> None:
    """Let a scroll area with its widget, or a splitter, look right without a style sheet."""
    area.setProperty(_BARE, True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    if isinstance(area, QScrollArea):
        area.viewport().setAutoFillBackground(False)
        if (inside := area.widget()) is not None:
            inside.setAutoFillBackground(False)


def is_frame(widget: QWidget) -> bool:
    """Return whether no rule of the style sheet addresses a widget, so that only its children need it."""
    if widget.property(_BARE):
        return True
    return _kind(widget) in _FRAMES and not any(widget.property(name) for name in _ADDRESSED)


def _kind(widget: QWidget) -> type:
    """Return the class of Qt that a widget is derived from."""
    return next(kind for kind in type(widget).__mro__ if kind.__module__.startswith("PySide6"))


def parts(widget: QWidget, found_frame: Callable[[QWidget], object]) -> Iterator[QWidget]:
    """Yield the outermost widgets that carry the style sheet; `found_frame` gets the frames around them."""
    if not isValid(widget) or widget.testAttribute(Qt.WidgetAttribute.WA_SetStyle):
        return  # deleted between two parts, or draws itself, like the focus ring
    if widget.styleSheet() or not is_frame(widget):
        yield widget
        return
    children = [child for child in widget.children() if isinstance(child, QWidget)]
    # Other kinds of frames may still be empty.
    if children and _kind(widget) is QWidget and len(widget.findChildren(QWidget)) <= SMALL:
        yield widget
        return
    found_frame(widget)
    for child in children:
        yield from parts(child, found_frame)


class Dresser(QObject):
    """Gives the parts of windows a style sheet, also those that appear later."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.sheet = ""

    def parts(self, widget: QWidget) -> Iterator[QWidget]:
        """Yield the parts of a widget, and follow what is added to the frames around them."""
        return parts(widget, self._follow)

    def dress(self, widget: QWidget) -> None:
        """Give all parts of a widget the style sheet."""
        for part in self.parts(widget):
            self.put(part)

    def take(self, part: QWidget) -> None:
        """Take another style sheet from a part: replacing it restyles every widget once per ancestor."""
        if isValid(part) and part.styleSheet() not in ("", self.sheet):
            part.setStyleSheet("")

    def put(self, part: QWidget) -> None:
        """Give a part the style sheet, unless it was deleted meanwhile."""
        self.take(part)
        if isValid(part) and part.styleSheet() != self.sheet:
            part.setStyleSheet(self.sheet)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ChildPolished and isinstance(event, QChildEvent):
            child = event.child()
            if isinstance(child, QWidget):
                self.dress(child)
        return super().eventFilter(watched, event)

    def _follow(self, frame: QWidget) -> None:
        frame.installEventFilter(self)  # once, however often it is called
