"""Position of the help panel: to the right of the page if there is room, else over it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QRect
from PySide6.QtWidgets import QWidget

from anonymizer_gui.theming import scaled

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
