"""Positions of the banner over the page, and of the help panel next to it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QRect
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QWidget

from anonymizer_gui.theming import scaled
from anonymizer_gui.widgets.error_banner import ErrorBanner

WIDTH = 400


class SidePlace(QObject):
    """Keeps a panel at the right edge of `page`, which shrinks if its content fits into the rest.

    Both have the same parent.
    """

    def __init__(self, panel: QWidget, page: QWidget) -> None:
        super().__init__(page)
        self._panel, self._page = panel, page
        panel.installEventFilter(self)
        page.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (
            QEvent.Type.Resize,
            QEvent.Type.Move,
            QEvent.Type.ShowToParent,
            QEvent.Type.HideToParent,
        ):
            self._place()
        return super().eventFilter(watched, event)

    def _place(self) -> None:
        page, width = self._page.geometry(), min(scaled(WIDTH), self._page.width())
        margins = self._page.contentsMargins()
        needed = self._page.minimumSizeHint().width() - margins.right()
        is_beside = not self._panel.isHidden() and page.width() - width >= needed
        if margins.right() != width * is_beside:
            self._page.setContentsMargins(0, 0, width * is_beside, 0)
        if not self._panel.isHidden():
            place = QRect(page.right() + 1 - width, page.top(), width, page.height())
            if self._panel.geometry() != place:
                self._panel.setGeometry(place)
            self._panel.raise_()


MARGIN = 8


class BannerPlace(QObject):
    """Keeps the banner at the lower edge of the page, or at the upper one if the mouse is below.

    A click meant for the page must not hit a banner that has just appeared.
    """

    def __init__(self, banner: ErrorBanner, page: QWidget) -> None:
        """Place `banner` over `page`; both have the same parent."""
        super().__init__(page)
        self._banner, self._page = banner, page
        self._is_above = False
        banner.setProperty("overlay", True)
        banner.installEventFilter(self)
        page.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._banner and event.type() == QEvent.Type.ShowToParent:
            self._is_above = False
            mouse = self._page.pos() + self._page.mapFromGlobal(QCursor.pos())
            self._is_above = self._wanted().contains(mouse)
            self._place()
        elif event.type() in (QEvent.Type.Resize, QEvent.Type.Move, QEvent.Type.LayoutRequest):
            self._place()
        return super().eventFilter(watched, event)

    def _wanted(self) -> QRect:
        """Return the rectangle of the banner in its parent, as tall as its text needs."""
        page = self._page.geometry().adjusted(MARGIN, MARGIN, -MARGIN, -MARGIN)
        height = self._banner.heightForWidth(page.width())
        if height < 0:
            height = self._banner.sizeHint().height()
        height = min(height, page.height())
        top = page.top() if self._is_above else page.bottom() + 1 - height
        return QRect(page.left(), top, page.width(), height)

    def _place(self) -> None:
        if not self._banner.isHidden():
            self._banner.setGeometry(self._wanted())
            self._banner.raise_()
