"""Positions of the banner below the page, and of panels next to it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QRect
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QWidget

from anonymizer_gui.theming import scaled
from anonymizer_gui.widgets.error_banner import ErrorBanner
from anonymizer_gui.widgets.layouts import hbox

WIDTH = 380


class SidePlace(QObject):
    """Keeps panels at the right edge of `page`, which shrinks if its content fits into the rest.

    All have the same parent. The panel added last covers the others.
    """

    def __init__(self, page: QWidget) -> None:
        super().__init__(page)
        self._panels: list[QWidget] = []
        self._page = page
        page.installEventFilter(self)

    def add(self, panel: QWidget) -> None:
        """Place another panel while it is visible."""
        self._panels.append(panel)
        panel.installEventFilter(self)

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
        shown = [panel for panel in self._panels if not panel.isHidden()]
        margins = self._page.contentsMargins()
        needed = self._page.minimumSizeHint().width() - margins.right()
        is_beside = bool(shown) and page.width() - width >= needed
        if margins.right() != width * is_beside:
            self._page.setContentsMargins(0, 0, width * is_beside, 0)
        place = QRect(page.right() + 1 - width, page.top(), width, page.height())
        for panel in shown:
            if panel.geometry() != place:
                panel.setGeometry(place)
            panel.raise_()


MARGIN = 8


class BannerPlace(QObject):
    """Shows the banner below the page, which gives it room, or above if the mouse is where it would be.

    A click meant for the page must not hit a banner that has just appeared.
    """

    def __init__(self, banner: ErrorBanner, page: QWidget) -> None:
        super().__init__(page)
        self._banner, self._page = banner, page
        self.above, self.below = hbox(margins=0), hbox(banner, margins=0)
        banner.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShowToParent:  # it has its room below the page already
            y = self._page.mapFromGlobal(QCursor.pos()).y() - self._page.height()
            place = self.above if -2 * MARGIN <= y < self._banner.height() else self.below
            place.addWidget(self._banner)
            place.setContentsMargins(MARGIN, MARGIN, MARGIN, MARGIN)
        elif event.type() == QEvent.Type.HideToParent:
            self.below.addWidget(self._banner)
            for place in (self.above, self.below):  # Qt gives empty layouts their margins
                place.setContentsMargins(0, 0, 0, 0)
        return super().eventFilter(watched, event)
