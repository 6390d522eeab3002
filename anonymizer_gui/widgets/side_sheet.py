"""Side sheet: a non-modal dialog at the right edge of a page, which stays visible next to it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QRect, Qt
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QApplication, QDialog, QWidget
from shiboken6 import isValid

from anonymizer_gui.theming import Text, scaled
from anonymizer_gui.widgets.buttons import make_icon_button
from anonymizer_gui.widgets.labels import ElidedLabel
from anonymizer_gui.widgets.layouts import STRETCH, Part, hbox, vbox

_MARGIN = 8


class SideSheet(QDialog):
    """Covers the right edge of its page over the full height; Escape and the button close it.

    A page has one sheet at a time: showing another closes the first.
    """

    def __init__(self, name: str, title: str, width: int, page: QWidget) -> None:
        """Create the sheet; `name` is its object name and `width` its width at font scale 1."""
        super().__init__(page)
        self.setWindowFlags(Qt.WindowType.Widget)  # the constructor would make it a window
        self.setObjectName(name)
        self.setWindowTitle(title)
        self.setAccessibleName(title)
        self.setProperty("sheet", "true")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._page, self._wanted = page, width
        self._before: QWidget | None = None  # holder of the focus before the sheet opened
        self._title = ElidedLabel(title, Text.TITLE)
        self.close_button = make_icon_button("x", self.tr("Close"), f"close{name[:1].upper()}{name[1:]}")
        self.close_button.clicked.connect(self.reject)
        page.installEventFilter(self)

    def lay_out(self, *parts: Part) -> None:
        """Lay out the parts below the title; called once by the subclass."""
        head = hbox((self._title, 1), STRETCH, self.close_button, spacing=8)
        vbox(head, *parts, spacing=8, margins=(12, 8, 12, 12), of=self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._page and event.type() == QEvent.Type.Resize:
            self._place()
        return super().eventFilter(watched, event)

    def showEvent(self, event: QShowEvent) -> None:
        if not event.spontaneous():
            self._close_others()
            self._before = QApplication.focusWidget()
        super().showEvent(event)
        self._place()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        before, self._before = self._before, None
        if before is not None and isValid(before) and before.isVisible():
            before.setFocus(Qt.FocusReason.OtherFocusReason)

    def _close_others(self) -> None:
        for other in self._page.findChildren(SideSheet, options=Qt.FindChildOption.FindDirectChildrenOnly):
            if other is not self and not other.isHidden():
                other.reject()

    def _place(self) -> None:
        room = self._page.rect()
        width = min(scaled(self._wanted), room.width() - 2 * _MARGIN)
        self.setGeometry(QRect(room.right() + 1 - width, room.top(), width, room.height()))
        self.raise_()
